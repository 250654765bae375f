// Values created on first use.

/**
 * Creates a value on first use; concurrent callers get the same value. If creating it fails, the next caller tries
 * again.
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
