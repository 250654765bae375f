// Values created on first use.

/** Creates a value on first use; concurrent callers share it. A failure is retried by the next caller. */
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
