// Adjusts line colors until they contrast enough with the background, and chooses the color of text on line colors.

const UNCOLORED = '#4F857B'
const HEX = /^#[0-9a-f]{6}$/i
/**
 * The contrast that WCAG 2 requires for large bold text. If the feed's text color has less contrast, it is replaced by
 * black or white.
 */
const LEAST_CONTRAST = 3

/**
 * Limits for relative luminance: the maximum in the light color scheme (day) and the minimum in the dark one (night).
 */
interface Limits {
  readonly day: number
  readonly night: number
}

const MAP_LIMITS: Limits = { day: 0.62, night: 0.09 }
/** Limits for a contrast of 3 to 1 with the panel, which is white in the light color scheme. */
const PANEL_LIMITS: Limits = { day: 0.295, night: 0.145 }

/** Adjusts a feed's color until it contrasts with the map. */
export function legibleColor(color: string, isDark: boolean): string {
  return adjustedColor(color, isDark, MAP_LIMITS)
}

/** The color of the stripe that connects a line's stops in the panel, for both color schemes, as CSS properties. */
export function stringColors(color: string | undefined) {
  const official = safeColor(color)
  return {
    '--line-day': adjustedColor(official, false, PANEL_LIMITS),
    '--line-night': adjustedColor(official, true, PANEL_LIMITS),
  }
}

function adjustedColor(color: string, isDark: boolean, { day, night }: Limits): string {
  // GTFS defaults to white if a route has no color.
  let mixed = partsOf(/^#ffffff$/i.test(color) ? UNCOLORED : color)
  for (let step = 0; step < 16; step++) {
    const luminance = luminanceOf(mixed)
    if (isDark ? luminance >= night : luminance <= day) break
    mixed = mixed.map((part) => (isDark ? part + (255 - part) * 0.14 : part * 0.9))
  }
  return `rgb(${mixed.map(Math.round).join(' ')})`
}

/**
 * The color of text on a line's color: the feed's text color if it is readable there; otherwise black or white,
 * whichever has more contrast.
 */
export function textOn(color: string, official?: string): string {
  const ground = luminanceOf(partsOf(color)) + 0.05
  if (official !== undefined && HEX.test(official)) {
    const text = luminanceOf(partsOf(official)) + 0.05
    if (Math.max(ground, text) / Math.min(ground, text) >= LEAST_CONTRAST) return official
  }
  return ground ** 2 > 0.05 * 1.05 ? '#000000' : '#FFFFFF'
}

/** Returns the color if it is valid; otherwise gray. */
export function safeColor(color: string | undefined): string {
  return color !== undefined && HEX.test(color) ? color : '#7F8D88'
}

function partsOf(color: string): readonly number[] {
  const hex = safeColor(color)
  return [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16))
}

/** Relative luminance (WCAG 2), 0 to 1. */
function luminanceOf(parts: readonly number[]): number {
  const [red = 0, green = 0, blue = 0] = parts.map((part) => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
