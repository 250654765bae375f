// A count with its noun, for messages that people read.

/**
 * A count with its noun, such as `1 row` or `2 rows`.
 * @param shown how the count is written, if not as plain digits
 */
export function countText(count: number, noun: string, shown = String(count)): string {
  return `${shown} ${noun}${count === 1 ? '' : 's'}`
}
