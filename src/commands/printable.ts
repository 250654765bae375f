// Text of others as it may be shown in a terminal: a feed and the name of a key can hold anything, escape sequences that
// move the cursor or turn the reading direction included.

/** What a terminal obeys instead of showing: controls, formats such as bidirectional overrides, other line ends. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu

/** A text with what cannot be seen written out, as `\u{1b}`. */
export function toPrintable(text: string): string {
  return text.replace(UNSEEN, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)
}

/** The cells of a table so. */
export function toPrintableRows(rows: readonly (readonly string[])[]): string[][] {
  return rows.map((row) => row.map((cell) => toPrintable(cell)))
}

/** A JSON document whose texts hold nothing a terminal obeys; it reads as the same values. */
export function toPrintableJson(value: unknown): string {
  const json = JSON.stringify(value, null, 2)
  return json.replace(UNSEEN, (character) => (character === '\n' ? character : escapeUnits(character)))
}

function escapeUnits(character: string): string {
  return Array.from({ length: character.length }, (_, at) => {
    return `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`
  }).join('')
}
