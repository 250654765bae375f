// The planner in this process, asked as the journey oracle is asked: what both answer can be compared.
import { JourneyPlanner, type PlannedJourney } from '../indexes/journeys/planner.ts'
import { findArea } from '../indexes/timetable/areas.ts'
import { buildTimetable } from '../indexes/timetable/build-timetable.ts'
import { MODES } from '../indexes/timetable/modes.ts'
import { findStop } from '../indexes/timetable/stops.ts'
import type { LineIndex, StopIndex, Timetable } from '../indexes/timetable/timetable.ts'
import { tripRef } from '../indexes/timetable/trips.ts'
import { loadFeed } from '../loaders/gtfs/load-feed.ts'
import { textOf } from '../loaders/strings.ts'
import { endAt, type JourneyEnd } from '../src/journeys/journey-ends.ts'
import { reachOf } from '../src/journeys/walk-reach.ts'
import { openFeedSource } from '../src/sources/feed-source.ts'
import type { JourneyQuery } from './oracles/journey-ground.ts'
import type { Answerer } from './oracles/journey-oracle.ts'
import type { PlainEnd } from './oracles/journey-places.ts'
import type { PlainJourney } from './oracles/journey-rides.ts'

/** What changes are worked out with where nothing is configured. */
const RULES = { walkMeters: 500, changeSeconds: 60 }

/** The planner of a feed. */
export interface PlannedAnswers extends Answerer {
  /** All that is answered to one who wants at least so many journeys. */
  journeys(query: JourneyQuery, limit: number): PlainJourney[]
}

/** Loads a zip or folder and makes its planner. */
export async function planFeed(path: string): Promise<PlannedAnswers> {
  const source = await openFeedSource(path)
  try {
    return answersOf(buildTimetable((await loadFeed(source)).feed))
  } finally {
    await source.close()
  }
}

function answersOf(timetable: Timetable): PlannedAnswers {
  const planner = new JourneyPlanner(timetable, RULES)
  const plan = (query: JourneyQuery, limit: number): readonly PlannedJourney[] => {
    const found = planner.plan({
      access: reachOf(timetable, toEnd(timetable, query.from), query.maxWalkMeters),
      egress: reachOf(timetable, toEnd(timetable, query.to), query.maxWalkMeters),
      seconds: query.seconds,
      isArriveBy: query.isArriveBy,
      lines: linesOf(timetable, query.modes),
      limit,
      overlay: undefined,
      shouldStop: () => false,
    })
    if (found === undefined) throw new Error('the planner gave up though nobody stopped it')
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
    journeys: (query, limit) => plan(query, limit).map((journey) => toPlain(timetable, journey)),
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

function toPlain(timetable: Timetable, { leaves, arrives, rides }: PlannedJourney): PlainJourney {
  return {
    departs: leaves,
    arrives,
    rides: rides.map((ride) => {
      if (ride.instance === undefined) throw new Error('a ride of no trip, where no feed tells of any')
      return {
        tripRef: tripRef(timetable, ride.instance),
        stopIds: ride.stops.map((stop) => textOf(timetable.strings, timetable.stops.id[stop as StopIndex])),
        departs: ride.departs,
        arrives: ride.arrives,
        staysSeated: ride.staysSeated,
      }
    }),
  }
}
