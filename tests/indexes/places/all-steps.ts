// Runs all steps of a place search at once. The service runs the steps between other requests.
import { type PlaceHit, type PlaceRequest, searchSteps } from '../../../indexes/places/place-search.ts'

/** The hits of a search, best first. */
export function searchPlaces(request: PlaceRequest, sources: Parameters<typeof searchSteps>[1]): PlaceHit[] {
  return allSteps(searchSteps(request, sources))
}

/** Runs all steps, and returns the result. */
export function allSteps<Result>(steps: Generator<void, Result>): Result {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}
