// The memory for the data threads' counts. Separate from thread-counts.ts, so that the control thread loads that code
// only when metrics are requested.

/** Number of f64 values that are reserved per data thread. All counts of a thread must fit into them. */
export const COUNTS_PER_THREAD = 1024

/** Allocates zeroed counts for a number of data threads. */
export function allocateCounts(threadCount: number): SharedArrayBuffer {
  return new SharedArrayBuffer(threadCount * COUNTS_PER_THREAD * Float64Array.BYTES_PER_ELEMENT)
}
