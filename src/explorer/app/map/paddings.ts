// Computes how much of the map the panel, the legend and the request drawer cover, and the margin between fitted boxes
// and the edges of the visible map.
import { worldPixelsAt } from './mercator.ts'

/**
 * In windows at least this wide, the panel is next to the map; otherwise, it is below the map. The value is the same as
 * in panel.css.
 */
const WIDE_PIXELS = 832
const PANEL_PIXELS = 442
const LEGEND_PIXELS = 36
/** Width of the drawer plus its distance from the edge of the window, as in drawer.css. */
const DRAWER_PIXELS = 528
/**
 * In windows at least this wide, the drawer leaves a part of the map visible. The value is the same as in drawer.css.
 */
const DRAWN_PIXELS = 1_152
const LEAST_WORLD_ZOOM = 1.4
/** Margin between a fitted box and the edge of the visible map. */
const MARGIN_PIXELS = 48
const PHONE_MARGIN_PIXELS = 28

/**
 * The width of the covered parts at each edge of the map, in pixels, in the format of MapLibre's padding. MapLibre
 * stores the padding, and adds the margins of fitted boxes to it.
 */
export function paddingOfPanel(isDrawerOpen = false) {
  const left = innerWidth >= WIDE_PIXELS ? PANEL_PIXELS : 0
  const right = isDrawerOpen && innerWidth >= DRAWN_PIXELS ? DRAWER_PIXELS : 0
  return { top: 0, right, bottom: LEGEND_PIXELS, left }
}

/**
 * The zoom at which the world fills the whole width of the visible map. The left edge of the world is under the panel or
 * off the screen.
 */
export function zoomOfWorld(): number {
  const { left } = paddingOfPanel()
  return Math.max(LEAST_WORLD_ZOOM, Math.log2((innerWidth + left) / worldPixelsAt(0)))
}

/** Margin between a fitted box and the edge of the visible map, in pixels. */
export function marginOfBoxes(): number {
  return innerWidth >= WIDE_PIXELS ? MARGIN_PIXELS : PHONE_MARGIN_PIXELS
}
