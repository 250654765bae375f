// Runs place searches on the thread that also answers all other requests. A search over hundreds of networks can take
// tens of milliseconds, so it runs in slices, and other requests are answered in between. All searches use the same
// arrays, so only one search can be unfinished at a time. Later searches wait until the unfinished search ends. If they
// cannot wait, they run the unfinished search to its end first.

/** Time for which a search runs before other requests are answered. A single long step can exceed it. */
const SLICE_MILLIS = 2
/**
 * Maximum number of waiting searches. If there are already that many, a new search does not wait, but runs the
 * unfinished search to its end.
 */
const MOST_WAITING = 100

/** The unfinished search. */
let unfinished: { finish(): void } | undefined
/** Functions that start the waiting searches, in the order in which the searches were requested. */
const waiting: (() => void)[] = []

/** Runs a search to its end without interruption, after finishing the unfinished search. */
export function runAtOnce<Found>(steps: Generator<void, Found>): Found {
  finishSearch()
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** Runs a search. If it takes longer than a slice, it is continued between other requests. */
export function runInSlices<Found>(steps: Generator<void, Found>, sliceMillis = SLICE_MILLIS): Found | Promise<Found> {
  const isFree = unfinished === undefined && waiting.length === 0
  if (isFree || waiting.length >= MOST_WAITING) {
    finishSearch()
    return startInSlices(steps, sliceMillis)
  }
  return new Promise((resolve, reject) => {
    waiting.push(() => {
      try {
        resolve(startInSlices(steps, sliceMillis))
      } catch (error) {
        reject(error)
      }
    })
  })
}

/** Whether a search is unfinished. */
export function isSearching(): boolean {
  return unfinished !== undefined
}

/** Runs the unfinished search to its end, if there is one. The waiting searches are started later. */
function finishSearch(): void {
  unfinished?.finish()
}

function startInSlices<Found>(steps: Generator<void, Found>, sliceMillis: number): Found | Promise<Found> {
  const first = runFor(steps, sliceMillis)
  return first.done === true ? first.value : continueInSlices(steps, sliceMillis)
}

function continueInSlices<Found>(steps: Generator<void, Found>, sliceMillis: number): Promise<Found> {
  const { promise, resolve, reject } = Promise.withResolvers<Found>()
  const search = {
    finish: () => run(Number.POSITIVE_INFINITY),
  }
  const run = (millis: number) => {
    try {
      const step = runFor(steps, millis)
      if (step.done !== true) return
      resolve(step.value)
    } catch (error) {
      reject(error)
    }
    unfinished = undefined
    setImmediate(startNext)
  }
  const runNext = () => {
    if (unfinished !== search) return // another search has run this search to its end
    run(sliceMillis)
    if (unfinished === search) setImmediate(runNext)
  }
  unfinished = search
  setImmediate(runNext)
  return promise
}

/** Starts the next waiting search, unless there is an unfinished search. */
function startNext(): void {
  if (unfinished !== undefined) return
  waiting.shift()?.()
  // A search that needs several slices starts the next one itself when it ends.
  if (unfinished === undefined && waiting.length > 0) setImmediate(startNext)
}

/**
 * Runs at least one step, and then more steps until the time is over or the search ends. Returns the result of the last
 * step.
 */
function runFor<Found>(steps: Generator<void, Found>, millis: number): IteratorResult<void, Found> {
  const until = performance.now() + millis
  for (;;) {
    const step = steps.next()
    if (step.done === true || performance.now() >= until) return step
  }
}
