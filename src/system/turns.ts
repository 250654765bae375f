// Has changes run one after the other.

/** Runs a change once those asked for before are done: none is made from what another is changing. */
export type InTurn = <Result>(change: () => Promise<Result>) => Promise<Result>

/** Turns that nobody has taken yet. */
export function makeTurns(): InTurn {
  let last: Promise<unknown> = Promise.resolve()
  return (change) => {
    const result = last.then(change)
    last = result.catch(() => undefined) // whoever asked for it is told; the next change doesn't fail for it
    return result
  }
}
