// Sets the size of the canvas above the map, in device pixels.
import type { Viewport } from './mercator.ts'

const MOST_PIXEL_RATIO = 2

/** Device pixels per CSS pixel. The ratio is limited, because more pixels take longer to draw. */
export function pixelRatio(): number {
  return Math.min(MOST_PIXEL_RATIO, devicePixelRatio)
}

/** Clears a canvas and gives it the size of the view, so that it can be drawn on in CSS pixels. */
export function clearCanvas(context: CanvasRenderingContext2D, view: Viewport): void {
  const { canvas } = context
  const ratio = pixelRatio()
  const [width, height] = [Math.round(view.width * ratio), Math.round(view.height * ratio)]
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width
    canvas.height = height
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
  context.clearRect(0, 0, view.width, view.height)
}
