// Finding a place in what is sorted, by halving: in the logarithm of its length.
import { nextIndex } from './columns.ts'

/** The first index from `low` on that is past some limit, as all behind it are; `high` if none before it is. */
export function firstWhere<I extends number>(low: I, high: I, isPast: (index: I) => boolean): I {
  while (low < high) {
    const middle = ((low + high) >>> 1) as I
    if (isPast(middle)) high = middle
    else low = nextIndex(middle)
  }
  return low
}
