// Draws the names of towns and neighborhoods on the canvas, above the vehicles, which would otherwise cover the names.
// MapLibre decides which names have room. The text that MapLibre draws is invisible.
import type { Map as GlMap } from 'maplibre-gl'
import { coveredBoxes, overlaps } from './labels.ts'
import { type PlanePoint, toPlane, toScreen, type Viewport } from './mercator.ts'

/** The id of the map layer whose names this file draws. */
export const PLACE_NAMES = 'place-names'

interface PlaceName extends PlanePoint {
  readonly text: string
  readonly sizePixels: number
}

/** The names in view. */
export class PlaceNames {
  private names: readonly PlaceName[] = []

  /** Reads from the map which names have room. This takes too long to be done while the map moves. */
  read(map: GlMap): void {
    const found = map.getLayer(PLACE_NAMES) === undefined ? [] : map.queryRenderedFeatures({ layers: [PLACE_NAMES] })
    const names = new Map<string, PlaceName>()
    for (const { geometry, properties, layer } of found) {
      if (geometry.type !== 'Point' || layer.type !== 'symbol') continue
      const [lon, lat] = geometry.coordinates
      const text = String(properties['name'])
      names.set(text, { text, ...toPlane([lon, lat]), sizePixels: Number(layer.layout?.['text-size']) || 12 })
    }
    this.names = [...names.values()]
  }

  /**
   * Draws the names that the panel, buttons and other boxes do not cover.
   * @param left pixels of the map that the panel covers
   */
  draw(
    context: CanvasRenderingContext2D,
    view: Viewport,
    { isDark, left }: { readonly isDark: boolean; readonly left: number },
  ): void {
    const covered = coveredBoxes(view, left)
    context.textAlign = 'center'
    context.lineWidth = 3
    context.strokeStyle = isDark ? 'rgb(20 27 25 / 85%)' : 'rgb(248 249 246 / 90%)'
    context.fillStyle = isDark ? '#9fb0aa' : '#4f5e59'
    for (const name of this.names) {
      const { x, y } = toScreen(name, view)
      context.font = `600 ${name.sizePixels}px sans-serif`
      const half = context.measureText(name.text).width / 2
      const box = { left: x - half, right: x + half, top: y - name.sizePixels, bottom: y + name.sizePixels }
      if (box.left < left || box.right > view.width || covered.some((each) => overlaps(box, each))) continue
      context.strokeText(name.text, x, y)
      context.fillText(name.text, x, y)
    }
    context.textAlign = 'start'
  }
}
