// Counts in texts for people.

/** `1 row`, `2 rows`. @param shown the count as it is printed, if not in plain digits */
export function countText(count: number, noun: string, shown = String(count)): string {
  return `${shown} ${noun}${count === 1 ? '' : 's'}`
}
