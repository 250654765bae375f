// Copies the names on the canvas into the map as invisible text. MapLibre then leaves out the base map's names that
// would overlap this text.
import type { GeoJSONSource, Map as GlMap } from 'maplibre-gl'
import type { DrawnLabel } from './labels.ts'
import { toCoordinate } from './mercator.ts'

/** The id of the map's data source for the invisible text. */
export const TAKEN = 'taken'

/** Passes the drawn names to the map whenever the map is not moving. */
export class TakenNames {
  private shown: readonly DrawnLabel[] = []

  /** @param drawn the names that are now on the canvas */
  show(map: GlMap, drawn: readonly DrawnLabel[]): void {
    const { shown } = this
    if (map.isMoving() || (drawn.length === shown.length && drawn.every((each, at) => isSame(each, shown[at])))) return
    const source = map.getSource<GeoJSONSource>(TAKEN)
    if (source === undefined) return
    this.shown = drawn
    const features = drawn.map(({ label, isOnLeft }) => ({
      type: 'Feature' as const,
      properties: { text: label.text, isOnLeft },
      geometry: { type: 'Point' as const, coordinates: [...toCoordinate(label)] },
    }))
    void source.setData({ type: 'FeatureCollection', features })
  }

  /** Called when the map has received another style, whose source has no text yet. */
  forget(): void {
    this.shown = []
  }
}

function isSame(one: DrawnLabel, other: DrawnLabel): boolean {
  return one.label === other.label && one.isOnLeft === other.isOnLeft
}
