// A random network in the form that the planner needs: its timetable, its live trips, and queries.
import type { ChangeRules } from '../../../indexes/journeys/footpaths.ts'
import type { PlannedJourney } from '../../../indexes/journeys/planned-journey.ts'
import { JourneyPlanner, type PlanQuestion } from '../../../indexes/journeys/planner.ts'
import { PlannerSearches } from '../../../indexes/journeys/planner-searches.ts'
import { stepFree, stepFreeOverlay, tripsWithoutWheelchairs } from '../../../indexes/journeys/step-free.ts'
import { buildOverlay } from '../../../indexes/live/build-overlay.ts'
import { type LiveCall, type LiveTrip, scheduledCalls } from '../../../indexes/live/live-trip.ts'
import {
  INSTANCE_ADDED,
  INSTANCE_CANCELED,
  INSTANCE_RUNS,
  NO_POSITION,
  type Overlay,
} from '../../../indexes/live/overlay.ts'
import { NO_RUN } from '../../../indexes/timetable/board-cursor.ts'
import { findLine } from '../../../indexes/timetable/lines.ts'
import { findStop } from '../../../indexes/timetable/stops.ts'
import { isActive, type LineIndex, type StopIndex, type Timetable } from '../../../indexes/timetable/timetable.ts'
import { findTrip, type TripInstance } from '../../../indexes/timetable/trips.ts'
import { timetableOf } from '../built-feed.ts'
import {
  FIRST_ZERO_SECONDS,
  type PlainAddition,
  type PlainChange,
  type PlainNetwork,
  toFeedTexts,
} from './random-network.ts'

/** For transfers without a rule in the feed: the longest walk, in meters, and the minimum time, in seconds. */
export const CHANGE_RULES = { walkMeters: 500, changeSeconds: 60 }

/** All networks share this one set of searches, as on a planner thread. */
const searches = new PlannerSearches()

/** A network that can be queried. */
export class PlannedNetwork {
  readonly timetable: Timetable
  readonly overlay: Overlay | undefined
  private readonly network: PlainNetwork
  private readonly planner: JourneyPlanner

  private constructor(network: PlainNetwork, timetable: Timetable, rules: ChangeRules) {
    this.network = network
    this.timetable = timetable
    const isWheelchair = network.isWheelchair === true
    const trips = [
      ...network.changes.flatMap((change) => toLiveTrip(network, timetable, change) ?? []),
      ...network.additions.map((addition, at) => toAddedTrip(timetable, addition, at)),
    ]
    const meta = { snapshotId: 's', version: 1, baseSeconds: FIRST_ZERO_SECONDS, feedIds: ['f'] }
    const overlay = trips.length === 0 ? undefined : buildOverlay(timetable, trips, meta)
    this.overlay = overlay && isWheelchair ? stepFreeOverlay(timetable, overlay) : overlay
    this.planner = isWheelchair
      ? new JourneyPlanner(stepFree(timetable), { ...rules, leftOut: tripsWithoutWheelchairs(timetable) }, { searches })
      : new JourneyPlanner(timetable, rules, { searches })
  }

  static async of(network: PlainNetwork, rules: ChangeRules = CHANGE_RULES): Promise<PlannedNetwork> {
    return new PlannedNetwork(network, await timetableOf(toFeedTexts(network)), rules)
  }

  /** The planner's journeys for the random network's query. The time of the query is moved by `laterSeconds`. */
  plan(
    question: Pick<
      PlanQuestion,
      'isArriveBy' | 'limit' | 'mostVehicles' | 'mostSeconds' | 'isBeyond' | 'changeSeconds'
    >,
    laterSeconds = 0,
  ): readonly PlannedJourney[] {
    const ends = ({ stops, seconds }: PlainNetwork['access']) => ({
      stops: stops.map((stop) => stopAt(this.timetable, stop)),
      seconds,
    })
    const planned = this.planner.plan({
      ...question,
      access: ends(this.network.access),
      egress: ends(this.network.egress),
      seconds: FIRST_ZERO_SECONDS + this.network.seconds + laterSeconds,
      lines: undefined,
      overlay: this.overlay,
      shouldStop: () => false,
    })
    if (planned === undefined) throw new Error('the search was aborted without a request')
    return planned
  }
}

function stopAt(timetable: Timetable, number: number): StopIndex {
  const stop = findStop(timetable, `s${number}`)
  if (stop === undefined) throw new Error(`there is no stop ${number}`)
  return stop
}

/** A trip instance as feeds report it; undefined if the trip does not run on that day. */
function toLiveTrip({ trips }: PlainNetwork, timetable: Timetable, change: PlainChange): LiveTrip | undefined {
  const plain = trips[change.trip]
  const trip = plain && findTrip(timetable, plain.id)
  const start = plain?.runs?.[change.run]
  if (plain === undefined || trip === undefined || !isActive(timetable, timetable.trips.service[trip], change.day)) {
    return undefined
  }
  if (plain.runs !== undefined && start === undefined) return undefined
  const instance: TripInstance = { trip, day: change.day, runStartSeconds: start ?? NO_RUN }
  const calls = scheduledCalls(timetable, instance).map((scheduled, position): LiveCall => {
    const delay = change.delays[Math.min(position, change.delays.length - 1)] as number
    const { stop, canBoard, canAlight } = plain.calls[position] as (typeof plain.calls)[number]
    return {
      stop: stopAt(timetable, stop),
      position,
      scheduled,
      arrival: scheduled.arrival + delay,
      departure: scheduled.departure + delay,
      isPredicted: true,
      isSkipped: change.skipped.includes(position),
      isBoardable: canBoard && position < plain.calls.length - 1,
      isAlightable: canAlight && position > 0,
      isUnplanned: false,
      headsign: '',
    }
  })
  const state = change.isCanceled ? INSTANCE_CANCELED : INSTANCE_RUNS
  return { ...liveFacts(lineOf(timetable, plain.line)), instance, day: change.day, ref: '', name: '', state, calls }
}

function toAddedTrip(timetable: Timetable, { line, day, calls }: PlainAddition, at: number): LiveTrip {
  const zero = FIRST_ZERO_SECONDS + day * 86_400
  return {
    ...liveFacts(lineOf(timetable, line)),
    instance: undefined,
    day,
    ref: `added-${at}`,
    name: `added-${at}`,
    state: INSTANCE_ADDED,
    calls: calls.map(({ stop, arrival, departure, canBoard, canAlight }, call): LiveCall => {
      const times = { arrival: zero + arrival, departure: zero + departure }
      return {
        stop: stopAt(timetable, stop),
        position: NO_POSITION,
        scheduled: times,
        ...times,
        isPredicted: true,
        isSkipped: false,
        isBoardable: canBoard && call < calls.length - 1,
        isAlightable: canAlight && call > 0,
        isUnplanned: true,
        headsign: '',
      }
    }),
  }
}

function liveFacts(line: LineIndex) {
  const direction = 0 as LiveTrip['direction']
  return { line, direction, feed: 0, timestampSeconds: 0, headsign: '', vehicle: '', isCarried: false }
}

function lineOf(timetable: Timetable, id: string): LineIndex {
  // A line without trips is not in the timetable. An added trip on such a line gets the first line in the timetable.
  return findLine(timetable, id) ?? (0 as LineIndex)
}
