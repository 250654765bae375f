// The memory for the data threads' counts. It is separate from thread-counts.ts, so that the control thread loads that
// file only when metrics are requested.

/** Number of f64 values that are reserved per data thread. All counts of a thread must fit into them. */
export const COUNTS_PER_THREAD = 1024

/** Allocates memory for the counts of all data threads, filled with zeros. */
export function allocateCounts(threadCount: number): SharedArrayBuffer {
  return new SharedArrayBuffer(threadCount * COUNTS_PER_THREAD * Float64Array.BYTES_PER_ELEMENT)
}
