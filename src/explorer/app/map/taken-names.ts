// Copies the names on the canvas into the map as invisible text. MapLibre then leaves out names of the base map that
// would overlap the names on the canvas.
import type { GeoJSONSource, Map as GlMap } from 'maplibre-gl'
import type { DrawnLabel } from './labels.ts'
import { toCoordinate } from './mercator.ts'

/** The id of the map's data source with the invisible text. */
export const TAKEN = 'taken'

/** Passes the drawn names to the map while the map does not move. */
export class TakenNames {
  private shown: readonly DrawnLabel[] = []

  /** @param drawn the names on the canvas now */
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

  /** Called when the map has a new style, which has no text yet. */
  forget(): void {
    this.shown = []
  }
}

function isSame(one: DrawnLabel, other: DrawnLabel): boolean {
  return one.label === other.label && one.isOnLeft === other.isOnLeft
}
