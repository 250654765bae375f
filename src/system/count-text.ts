// A count with its noun, for texts that people read.

/**
 * A count with its noun, such as `1 row` or `2 rows`.
 * @param shown the text of the count, if it is not just its digits
 */
export function countText(count: number, noun: string, shown = String(count)): string {
  return `${shown} ${noun}${count === 1 ? '' : 's'}`
}
