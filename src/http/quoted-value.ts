// Quotes invalid values in error messages.

/** Maximum length of a quoted value, in characters. Longer values are truncated. */
const LONGEST = 80

/** Returns a value in quotes, with special characters escaped; truncated if it is too long. */
export function quotedValue(text: string): string {
  return JSON.stringify(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text)
}
