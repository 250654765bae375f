// Runs the planner in this process, behind the interface of the journey oracle, so that the answers of planner and
// oracle can be compared.
import type { PlannedJourney } from '../indexes/journeys/planned-journey.ts'
import { JourneyPlanner } from '../indexes/journeys/planner.ts'
import { refOfInstance } from '../indexes/live/live-order.ts'
import type { Overlay } from '../indexes/live/overlay.ts'
import { findArea } from '../indexes/timetable/areas.ts'
import { buildTimetable } from '../indexes/timetable/build-timetable.ts'
import { MODES } from '../indexes/timetable/modes.ts'
import { findStop } from '../indexes/timetable/stops.ts'
import type { LineIndex, StopIndex, Timetable } from '../indexes/timetable/timetable.ts'
import { tripRef } from '../indexes/timetable/trips.ts'
import { loadFeed } from '../loaders/gtfs/load-feed.ts'
import { textOf } from '../loaders/strings.ts'
import { reachOf } from '../src/journeys/walk-reach.ts'
import type { JourneyEnd } from '../src/rendering/journey.ts'
import { endAt } from '../src/rendering/journey.ts'
import { openFeedSource } from '../src/sources/feed-source.ts'
import type { JourneyQuery } from './oracles/journey-ground.ts'
import type { Answerer } from './oracles/journey-oracle.ts'
import type { PlainEnd } from './oracles/journey-places.ts'
import type { PlainJourney } from './oracles/journey-rides.ts'

/** The default rules for transfers. */
const RULES = { walkMeters: 500, changeSeconds: 60 }

/** A planner that can be queried like the oracle. */
export interface PlannedAnswers extends Answerer {
  /** All journeys that the planner returns. @param limit minimum number of journeys to look for */
  journeys(query: JourneyQuery, limit: number): PlainJourney[]
  /** Like `journeys`, but in the planner's own form. */
  plan(query: JourneyQuery, limit: number): readonly PlannedJourney[]
}

/** Loads a feed from a zip or folder, and opens its planner. */
export async function planFeed(path: string): Promise<PlannedAnswers> {
  return answersOf(planTimetable(await openTimetable(path)))
}

/** A planner, and the current live data if there is any. */
export interface PlannedGround {
  readonly timetable: Timetable
  readonly planner: JourneyPlanner
  readonly overlay?: Overlay
}

/** Opens the planner for a timetable. */
export function planTimetable(timetable: Timetable): PlannedGround {
  return { timetable, planner: new JourneyPlanner(timetable, RULES) }
}

/** Loads the timetable of a feed from a zip or folder. */
export async function openTimetable(path: string): Promise<Timetable> {
  const source = await openFeedSource(path)
  try {
    return buildTimetable((await loadFeed(source)).feed)
  } finally {
    await source.close()
  }
}

/** Gives a planner the oracle's interface. */
export function answersOf({ timetable, planner, overlay }: PlannedGround): PlannedAnswers {
  const plan = (query: JourneyQuery, limit: number): readonly PlannedJourney[] => {
    const found = planner.plan({
      access: reachOf(timetable, toEnd(timetable, query.from), {
        maxMeters: query.maxWalkMeters,
        isEgress: false,
        overlay,
      }),
      egress: reachOf(timetable, toEnd(timetable, query.to), {
        maxMeters: query.maxWalkMeters,
        isEgress: true,
        overlay,
      }),
      seconds: query.seconds,
      isArriveBy: query.isArriveBy,
      lines: linesOf(timetable, query.modes),
      limit,
      overlay,
      shouldStop: () => false,
    })
    if (found === undefined) throw new Error('the planner gave up although it was not aborted')
    return found
  }
  const best = (values: number[], isLast: boolean) => values.sort((a, b) => (isLast ? b - a : a - b))[0]
  return {
    earliestArrival: (query) =>
      best(
        plan({ ...query, isArriveBy: false }, 1).map(({ arrives }) => arrives),
        false,
      ),
    latestDeparture: (query) =>
      best(
        plan({ ...query, isArriveBy: true }, 1).map(({ leaves }) => leaves),
        true,
      ),
    paretoSet: (query) =>
      plan(query, Number.POSITIVE_INFINITY)
        .map(({ leaves, arrives, vehicles }) => ({ departs: leaves, arrives, vehicles }))
        .sort((a, b) => a.departs - b.departs || a.vehicles - b.vehicles),
    plan,
    journeys: (query, limit) => plan(query, limit).map((journey) => toPlain({ timetable, overlay }, journey)),
  }
}

function toEnd(timetable: Timetable, end: PlainEnd): JourneyEnd {
  if (end.kind === 'point') return { lat: end.lat, lon: end.lon, place: undefined }
  const stop = end.kind === 'stop' ? findStop(timetable, end.id) : undefined
  if (stop !== undefined) return endAt(timetable, { kind: 'stop', stop })
  const area = findArea(timetable, end.id)
  if (area === undefined) throw new Error(`the timetable has no ${end.kind} ${end.id}`)
  return endAt(timetable, { kind: 'area', area })
}

function linesOf({ lines }: Timetable, modes: readonly string[] | undefined): Uint8Array | undefined {
  if (modes === undefined) return undefined
  const may = new Uint8Array(lines.id.length)
  for (let line = 0 as LineIndex; line < may.length; line++) {
    may[line] = Number(modes.includes(MODES[lines.mode[line]] ?? ''))
  }
  return may
}

/** A planned journey in the oracle's form, with the feed's own ids. */
export function toPlain(
  { timetable, overlay }: Pick<PlannedGround, 'timetable' | 'overlay'>,
  { leaves, arrives, rides }: PlannedJourney,
): PlainJourney {
  return {
    departs: leaves,
    arrives,
    rides: rides.map((ride) => {
      const [call] = ride.live ?? []
      const isLive = overlay !== undefined && call !== undefined
      if (!isLive && ride.instance === undefined) throw new Error('a ride without a trip, although no feed reports one')
      const planned = ride.instance && tripRef(timetable, ride.instance)
      return {
        tripRef: isLive ? refOfInstance(timetable, overlay, overlay.calls.instance[call]) : (planned ?? ''),
        stopIds: ride.stops.map((stop) => textOf(timetable.strings, timetable.stops.id[stop as StopIndex])),
        departs: ride.departs,
        arrives: ride.arrives,
        staysSeated: ride.staysSeated,
      }
    }),
  }
}
