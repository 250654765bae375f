// Finding a text among sorted ones. Texts are decoded only where the search looks: about twice the logarithm of them.
import { type StringIndex, type StringPool, textOf } from '../../loaders/strings.ts'

/** Where a text stands among `count` texts sorted code unit by code unit; undefined where it is not among them. */
export function findText(
  pool: StringPool,
  text: string,
  sorted: { readonly count: number; readonly textAt: (order: number) => StringIndex },
): number | undefined {
  let low = 0
  let high = sorted.count
  while (low < high) {
    const middle = (low + high) >>> 1
    const other = textOf(pool, sorted.textAt(middle))
    if (other === text) return middle
    if (other < text) low = middle + 1
    else high = middle
  }
  return undefined
}
