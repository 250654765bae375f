// Binary search among sorted strings. Reads only the strings that are compared: about log₂ of their number.
import { nextIndex } from '../../loaders/columns.ts'
import { type StringIndex, type StringPool, textOf } from '../../loaders/strings.ts'
import { compareWithAscii, isAscii } from './ascii-order.ts'
import { compareCodeUnits } from './natural-order.ts'

/**
 * The index of a string in a list of `count` strings that is sorted by UTF-16 code units; undefined if the list does
 * not contain the string.
 */
export function findText(
  pool: StringPool,
  text: string,
  sorted: { readonly count: number; readonly textAt: (order: number) => StringIndex },
): number | undefined {
  const { bytes, offsets } = pool
  const isPlain = isAscii(text)
  let low = 0
  let high = sorted.count
  while (low < high) {
    const middle = (low + high) >>> 1
    const index = sorted.textAt(middle)
    const order = isPlain
      ? compareWithAscii({ bytes, start: offsets[index], end: offsets[nextIndex(index)] }, text)
      : compareCodeUnits(textOf(pool, index), text)
    if (order === 0) return middle
    if (order < 0) low = middle + 1
    else high = middle
  }
  return undefined
}
