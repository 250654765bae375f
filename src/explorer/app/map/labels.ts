// Draws names on the canvas, by priority. Names that would overlap another are left out.
import { type PlanePoint, toScreen, type Viewport } from './mercator.ts'

/** A name at a point of the plane. */
export interface Label extends PlanePoint {
  readonly text: string
  /** Shown from this zoom on. */
  readonly leastZoom: number
  /** Labels with larger weights are placed first. */
  readonly weight: number
}

const FONT =
  '500 12.5px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", Arial, sans-serif'
const LINE_PIXELS = 15
const BESIDE_PIXELS = 9
const MOST_LABELS = 160
const LONGEST_TEXT = 34

/** Draws the names that fit, and returns them. */
export function drawLabels(
  context: CanvasRenderingContext2D,
  view: Viewport,
  { labels, isDark }: { readonly labels: readonly Label[]; readonly isDark: boolean },
): readonly Label[] {
  context.font = FONT
  context.textBaseline = 'middle'
  context.lineJoin = 'round'
  context.lineWidth = 3.5
  context.strokeStyle = isDark ? 'rgb(13 20 19 / 85%)' : 'rgb(255 255 255 / 90%)'
  context.fillStyle = isDark ? '#cbd6d2' : '#2c403c'
  const taken: Box[] = []
  const drawn: Label[] = []
  for (const label of labels) {
    if (label.leastZoom > view.zoom) continue
    const { x, y } = toScreen(label, view)
    if (x < 0 || y < 0 || x > view.width || y > view.height) continue
    const text = label.text.length > LONGEST_TEXT ? `${label.text.slice(0, LONGEST_TEXT - 1)}…` : label.text
    const width = context.measureText(text).width
    // On the right of the point, or on the left at the edge of the map.
    const start = x + BESIDE_PIXELS + width > view.width ? x - BESIDE_PIXELS - width : x + BESIDE_PIXELS
    const box = {
      left: start - 2,
      right: start + width + 4,
      top: y - LINE_PIXELS / 2,
      bottom: y + LINE_PIXELS / 2,
    }
    if (taken.some((other) => overlaps(box, other))) continue
    taken.push(box)
    drawn.push(label)
    context.strokeText(text, start, y)
    context.fillText(text, start, y)
    if (taken.length >= MOST_LABELS) break
  }
  return drawn
}

interface Box {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

function overlaps(one: Box, other: Box): boolean {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom
}
