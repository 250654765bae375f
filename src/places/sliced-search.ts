// Runs searches for places on the thread that also answers all other requests. A search of hundreds of networks can
// take tens of milliseconds. So it runs in slices, and other requests are answered in between. All searches use the
// same working memory, so only one search can be unfinished. Before another search starts, the unfinished search is run
// to its end.

/** A search runs this long before other requests are answered. One step can take longer. */
const SLICE_MILLIS = 2

/** The unfinished search. */
let unfinished: { finish(): void } | undefined

/** Runs all steps of a search. */
export function runAtOnce<Found>(steps: Generator<void, Found>): Found {
  finishSearch()
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** Runs a search. If it takes longer than a slice, it is continued between other requests. */
export function runInSlices<Found>(steps: Generator<void, Found>, sliceMillis = SLICE_MILLIS): Found | Promise<Found> {
  finishSearch()
  const first = runFor(steps, sliceMillis)
  return first.done === true ? first.value : continueInSlices(steps, sliceMillis)
}

/** Runs the unfinished search to its end, if there is one. Call this before using the working memory of searches. */
export function finishSearch(): void {
  unfinished?.finish()
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

/** Runs one step, and further steps until the time has passed. Returns the result of the last step. */
function runFor<Found>(steps: Generator<void, Found>, millis: number): IteratorResult<void, Found> {
  const until = performance.now() + millis
  for (;;) {
    const step = steps.next()
    if (step.done === true || performance.now() >= until) return step
  }
}
