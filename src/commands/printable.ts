// Makes foreign text safe for a terminal: feeds and key names can contain escape sequences that move the cursor or
// change the reading direction.

/** Characters that are escaped: controls, format characters such as bidirectional overrides, line ends, and others. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu

/** Replaces unprintable characters with escapes such as `\u{1b}`. */
export function toPrintable(text: string): string {
  return text.replace(UNSEEN, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)
}

/** Escapes unprintable characters in all cells of a table. */
export function toPrintableRows(rows: readonly (readonly string[])[]): string[][] {
  return rows.map((row) => row.map((cell) => toPrintable(cell)))
}

/** Serializes a value as JSON with unprintable characters escaped. The JSON still parses to the same value. */
export function toPrintableJson(value: unknown): string {
  const json = JSON.stringify(value, null, 2)
  return json.replace(UNSEEN, (character) => (character === '\n' ? character : escapeUnits(character)))
}

function escapeUnits(character: string): string {
  return Array.from({ length: character.length }, (_, at) => {
    return `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`
  }).join('')
}
