// Natural order of line codes: 1, 2, 2A, 10, N1. The order does not depend on the locale of the machine.

/**
 * Compares two strings in natural order: runs of ASCII digits by value, all other characters by their code units in
 * lower case. Ties are ordered by the original code units, so only equal strings compare as 0.
 */
export function compareNatural(a: string, b: string): number {
  const left = a.toLowerCase()
  const right = b.toLowerCase()
  let i = 0
  let j = 0
  while (i < left.length && j < right.length) {
    const leftEnd = endOfDigits(left, i)
    const rightEnd = endOfDigits(right, j)
    if (leftEnd > i && rightEnd > j) {
      const order = compareDigits(left.slice(i, leftEnd), right.slice(j, rightEnd))
      if (order !== 0) return order
      i = leftEnd
      j = rightEnd
    } else {
      const order = left.charCodeAt(i++) - right.charCodeAt(j++)
      if (order !== 0) return order
    }
  }
  return left.length - i - (right.length - j) || compareCodeUnits(a, b)
}

/** Compares two strings by UTF-16 code units. All ids are sorted in this order. */
export function compareCodeUnits(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/** The end of the run of digits at `start`; `start` if there is none. */
function endOfDigits(text: string, start: number): number {
  let end = start
  while (end < text.length && isDigit(text.charCodeAt(end))) end++
  return end
}

/** Compares two runs of digits of any length by value: once leading zeros are removed, the longer run is larger. */
function compareDigits(a: string, b: string): number {
  const left = a.replace(/^0+/, '')
  const right = b.replace(/^0+/, '')
  return left.length - right.length || compareCodeUnits(left, right)
}

function isDigit(codeUnit: number): boolean {
  return codeUnit >= 48 && codeUnit <= 57
}

/**
 * Returns a sort key. Sorting keys by code units gives the order of `compareNatural`, except for ties. In a key, each
 * number is preceded by its length.
 */
export function naturalKey(name: string): string {
  return name.toLowerCase().replace(DIGITS, (digits) => {
    const number = digits.replace(/^0+/, '')
    return `0${String.fromCharCode(number.length)}${number}`
  })
}

const DIGITS = /[0-9]+/g
