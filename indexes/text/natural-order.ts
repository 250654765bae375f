// Natural order of line codes: 1, 2, 2A, 10, N1. The order does not depend on the locale of the machine.

/**
 * Compares two texts in natural order: runs of ASCII digits by value, all other characters by their code units in lower
 * case. Ties are ordered by the original code units, so only equal texts compare as 0.
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

/** Compares two texts by UTF-16 code units. This is the order of all ids. */
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

/** Compares two runs of digits of any length by value: without leading zeros, the longer one is larger. */
function compareDigits(a: string, b: string): number {
  const left = a.replace(/^0+/, '')
  const right = b.replace(/^0+/, '')
  return left.length - right.length || compareCodeUnits(left, right)
}

function isDigit(codeUnit: number): boolean {
  return codeUnit >= 48 && codeUnit <= 57
}

/**
 * Returns a key for sorting: the code unit order of keys is the order of `compareNatural`, except for ties. Each number
 * is preceded by its length.
 */
export function naturalKey(name: string): string {
  return name.toLowerCase().replace(DIGITS, (digits) => {
    const number = digits.replace(/^0+/, '')
    return `0${String.fromCharCode(number.length)}${number}`
  })
}

const DIGITS = /[0-9]+/g
