// What is made when it is first asked for, and then kept.

/** Makes a value when it is first asked for; whoever asks meanwhile waits for the same. After a failure it tries again. */
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
