// Colors of the demo's lines. All are different, and each has black or white as its text color, whichever is more
// readable.

/** A line's colors as six hexadecimal digits. */
export interface LineColors {
  readonly color: string
  readonly textColor: string
}

const GOLDEN_TURN = 0.618_034

/** The color at a hue (0 to 1 around the color wheel), as six hexadecimal digits. */
function fromHue(hue: number, saturation: number, lightness: number): string {
  const channel = (offset: number): string => {
    const k = (offset + hue * 12) % 12
    const value = lightness - saturation * Math.min(lightness, 1 - lightness) * Math.max(-1, Math.min(k - 3, 9 - k, 1))
    return Math.round(value * 255)
      .toString(16)
      .padStart(2, '0')
      .toUpperCase()
  }
  return `${channel(0)}${channel(8)}${channel(4)}`
}

/** Black or white, whichever contrasts more with the color (WCAG 2). */
function textColorOn(color: string): string {
  const [red, green, blue] = [0, 2, 4].map((at) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
  return 1.05 / (luminance + 0.05) >= (luminance + 0.05) / 0.05 ? 'FFFFFF' : '000000'
}

/** Assigns distinct colors. */
export class ColorDealer {
  private readonly dealt = new Set<string>()

  /** Returns the colors of a line, by its number among the lines of its kind. No earlier line has the same `color`. */
  deal(kind: 'metro' | 'tram' | 'bus' | 'night' | 'ferry', number: number): LineColors {
    let color = FIRST_COLORS[kind][number] ?? ''
    for (let turn = number; color === '' || this.dealt.has(color); turn += 0.37) {
      const hue = (0.03 + turn * GOLDEN_TURN) % 1
      color =
        kind === 'night' || kind === 'ferry'
          ? fromHue(0.53 + (hue - 0.5) * 0.2, 0.6, kind === 'night' ? 0.22 : 0.55)
          : fromHue(hue, 0.55 + 0.35 * ((turn * 0.29) % 1), 0.3 + 0.38 * ((turn * 0.41) % 1))
    }
    this.dealt.add(color)
    return { color, textColor: textColorOn(color) }
  }
}

const FIRST_COLORS: Readonly<Record<'metro' | 'tram' | 'bus' | 'night' | 'ferry', readonly string[]>> = {
  metro: ['D7192D', '00539F'],
  tram: ['E2007A', '6D3B97', '009B4D', 'F39200', '00A5C8', '8C5A2B'],
  bus: [],
  night: ['1B2A49', '32285C', '14404A'],
  ferry: ['3A9BDC', '7CC4E8'],
}
