// Runs searches for places on the thread that also answers all other requests. A search of hundreds of networks can take
// tens of milliseconds; it runs in slices, and other requests are answered in between. All searches use the same arrays,
// so only one can be unfinished: later ones wait for its end, or run it to its end if they cannot wait.

/** A search runs this long before other requests are answered. One step can take longer. */
const SLICE_MILLIS = 2
/** Maximum number of searches that wait. A further one runs the unfinished search to its end. */
const MOST_WAITING = 100

/** The unfinished search. */
let unfinished: { finish(): void } | undefined
/** Starts the searches that wait, in the order in which they were requested. */
const waiting: (() => void)[] = []

/** Runs all steps of a search at once. */
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

/** Runs the unfinished search to its end, if there is one. Those that wait are started later. */
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
    if (unfinished !== search) return // it was finished by another search
    run(sliceMillis)
    if (unfinished === search) setImmediate(runNext)
  }
  unfinished = search
  setImmediate(runNext)
  return promise
}

/** Starts the next search that waits, unless another one is unfinished. */
function startNext(): void {
  if (unfinished !== undefined) return
  waiting.shift()?.()
  // A search that took several slices does this at its end.
  if (unfinished === undefined && waiting.length > 0) setImmediate(startNext)
}

/** Runs steps for at least one step, until the time has passed. Returns the result of the last step. */
function runFor<Found>(steps: Generator<void, Found>, millis: number): IteratorResult<void, Found> {
  const until = performance.now() + millis
  for (;;) {
    const step = steps.next()
    if (step.done === true || performance.now() >= until) return step
  }
}
