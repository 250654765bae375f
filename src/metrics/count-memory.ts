// The memory that data threads count in. Apart from what they count (thread-counts.ts), so that the control thread loads
// nothing of that before it is asked for metrics.

/** Numbers (f64) for each data thread; what is counted has to fit. */
export const COUNTS_PER_THREAD = 1024

/** Memory for the counts of so many data threads, all of them 0. */
export function allocateCounts(threadCount: number): SharedArrayBuffer {
  return new SharedArrayBuffer(threadCount * COUNTS_PER_THREAD * Float64Array.BYTES_PER_ELEMENT)
}
