// Runs changes one after the other.

/** Runs a change after all earlier changes in the queue have ended, so that changes never overlap. */
export type InTurn = <Result>(change: () => Promise<Result>) => Promise<Result>

/** Creates an empty queue. */
export function makeTurns(): InTurn {
  let last: Promise<unknown> = Promise.resolve()
  return (change) => {
    const result = last.then(change)
    last = result.catch(() => undefined) // the caller gets the error; the next change is not affected
    return result
  }
}
