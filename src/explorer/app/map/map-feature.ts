// The objects drawn on the map, as GeoJSON.

/** A GeoJSON feature. */
export interface MapFeature {
  readonly type: 'Feature'
  readonly properties: Readonly<Record<string, string | number | boolean>>
  readonly geometry: { readonly type: string; readonly coordinates: unknown }
}
