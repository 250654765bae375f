// Values created on first use.

/**
 * Returns a function that creates a value when it is first called. Concurrent callers get the same value. If creating
 * the value fails, the next call tries again.
 */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined
      throw error
    })
    return made
  }
}
