// Warm-up queries that a planner runs before requests arrive, so that the first request is as fast as later ones.
import { MAX_VEHICLES } from '../../indexes/journeys/search-state.ts'
import type { StopIndex } from '../../indexes/timetable/timetable.ts'
import type { SnapshotView } from '../rendering/snapshot-view.ts'
import type { EndMessage, JourneyQuestion } from './planner-messages.ts'

const WARM_UP_QUESTIONS = 24
/** Time limit of each warm-up query. */
export const WARM_UP_MILLIS = 250
const WARM_UP_WALK_METERS = 1000

/** Makes warm-up queries between stops that are spread over a network. */
export function* warmUpQuestions({ slug, timetable }: SnapshotView, seconds: number): Generator<JourneyQuestion> {
  const { stops } = timetable
  const count = stops.id.length
  const endAtStop = (stop: number): EndMessage => {
    const at = stop as StopIndex
    return { lat: stops.lat[at], lon: stops.lon[at], place: undefined, label: undefined }
  }
  for (let number = 0; number < WARM_UP_QUESTIONS && count > 1; number++) {
    const from = Math.floor((number * count) / WARM_UP_QUESTIONS)
    yield {
      from: endAtStop(from),
      to: endAtStop((from + Math.floor(count / 2)) % count),
      network: slug,
      seconds,
      isArriveBy: false,
      modes: undefined,
      maxWalkMeters: WARM_UP_WALK_METERS,
      mayWalkFarther: false,
      maxTransfers: MAX_VEHICLES - 1,
      limit: 3,
      include: undefined,
      nowSeconds: seconds,
    }
  }
}
