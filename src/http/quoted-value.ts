// Quotes invalid values in the texts of errors.

/** Values with more characters are cut. */
const LONGEST = 80

/** A value in quotes, with its special characters escaped. */
export function quotedValue(text: string): string {
  return JSON.stringify(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text)
}
