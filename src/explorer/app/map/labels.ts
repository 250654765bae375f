// Draws names on the canvas in order of priority. A name that would overlap an earlier one is left out.
import { type PlanePoint, toScreen, type Viewport } from './mercator.ts'

/** A name at a point on the plane. */
export interface Label extends PlanePoint {
  readonly text: string
  /** The lowest zoom at which the label is shown. */
  readonly leastZoom: number
  /** Labels with larger weights are placed first. */
  readonly weight: number
}

const FONT =
  '500 12.5px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", Arial, sans-serif'
const LINE_PIXELS = 15
const BESIDE_PIXELS = 9
const MOST_LABELS = 160
/** Margin to the right of the panel. The width that the panel covers (`left`) includes this margin. */
const PANEL_GAP_PIXELS = 22
const LONGEST_TEXT = 34

/** The members of a canvas context that are needed to draw names. */
interface TextCanvas {
  font: string
  textBaseline: string
  lineJoin: string
  lineWidth: number
  strokeStyle: unknown
  fillStyle: unknown
  measureText(text: string): { readonly width: number }
  strokeText(text: string, x: number, y: number): void
  fillText(text: string, x: number, y: number): void
}

/** A name that was drawn, and whether it is to the left or right of its point. */
export interface DrawnLabel {
  readonly label: Label
  readonly isOnLeft: boolean
}

/** Draws the names that fit, and returns them. @param left pixels of the map that the panel covers */
export function drawLabels(
  context: TextCanvas,
  view: Viewport,
  { labels, isDark, left }: { readonly labels: readonly Label[]; readonly isDark: boolean; readonly left: number },
): readonly DrawnLabel[] {
  context.font = FONT
  context.textBaseline = 'middle'
  context.lineJoin = 'round'
  context.lineWidth = 3.5
  context.strokeStyle = isDark ? 'rgb(13 20 19 / 85%)' : 'rgb(255 255 255 / 90%)'
  context.fillStyle = isDark ? '#cbd6d2' : '#2c403c'
  const taken = coveredBoxes(view, left)
  const drawn: DrawnLabel[] = []
  for (const label of labels) {
    if (label.leastZoom > view.zoom) continue
    const { x, y } = toScreen(label, view)
    // A stop under the panel gets no name, because only the end of the name would be visible.
    if (x < Math.max(0, left - PANEL_GAP_PIXELS) || y < 0 || x > view.width || y > view.height) continue
    const text = label.text.length > LONGEST_TEXT ? `${label.text.slice(0, LONGEST_TEXT - 1)}…` : label.text
    const width = context.measureText(text).width
    // A name is to the right of its point or, if it would cross the right edge of the map, to the left.
    const isOnLeft = x + BESIDE_PIXELS + width > view.width
    const start = isOnLeft ? x - BESIDE_PIXELS - width : x + BESIDE_PIXELS
    const box = {
      left: start - 2,
      right: start + width + 4,
      top: y - LINE_PIXELS / 2,
      bottom: y + LINE_PIXELS / 2,
    }
    if (taken.some((other) => overlaps(box, other))) continue
    taken.push(box)
    drawn.push({ label, isOnLeft })
    context.strokeText(text, start, y)
    context.fillText(text, start, y)
    if (drawn.length >= MOST_LABELS) break
  }
  return drawn
}

/** A part of the screen, in pixels. */
interface Box {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

/**
 * The parts of the screen where no names are drawn: the buttons, the attribution with the scale bar and, if the panel
 * is next to the map, the legend.
 */
export function coveredBoxes({ width, height }: Viewport, left: number): Box[] {
  const buttons = { left: width - 60, right: width, top: 0, bottom: 144 }
  if (left === 0) return [buttons, { left: 0, right: 212, top: 0, bottom: 44 }]
  const [top, bottom] = [height - 48, height]
  return [
    buttons,
    { left: left - PANEL_GAP_PIXELS, right: left + 190, top, bottom },
    { left: width - 365, right: width, top, bottom },
  ]
}

/** Whether two boxes overlap. */
export function overlaps(one: Box, other: Box): boolean {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom
}
