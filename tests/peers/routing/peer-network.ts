// Small timetables from other planners' tests, imported like any feed. Queries go to Quai's planner without HTTP, and
// journeys are returned as lines of text.
import type GtfsRealtime from 'gtfs-realtime-bindings'
import type { PlannedJourney, PlannedRide } from '../../../indexes/journeys/planned-journey.ts'
import { JourneyPlanner } from '../../../indexes/journeys/planner.ts'
import { buildOverlay } from '../../../indexes/live/build-overlay.ts'
import { LiveTripReader } from '../../../indexes/live/live-trips.ts'
import type { Overlay } from '../../../indexes/live/overlay.ts'
import { MODES } from '../../../indexes/timetable/modes.ts'
import { findStop } from '../../../indexes/timetable/stops.ts'
import type { Timetable } from '../../../indexes/timetable/timetable.ts'
import { columnArray } from '../../../loaders/columns.ts'
import { decodeMessage } from '../../../loaders/gtfs-rt/decode-message.ts'
import { textOf } from '../../../loaders/strings.ts'
import { realtimeFeed } from '../../feeds/realtime-feed.ts'
import type { FeedTexts } from '../../feeds/text-feed.ts'
import { timetableOf } from '../../indexes/built-feed.ts'
import { type JourneyFeed, journeyFeed } from '../../src/api/journey-lines.ts'

/** The feed of a test. Stops without a position are 10 km apart, so that nobody walks between them. */
export interface PeerFeed extends Omit<JourneyFeed, 'stops'> {
  readonly stops?: JourneyFeed['stops']
  /**
   * Trip → its dates, such as `20260610 20260611`, or the only date on which it does not run, such as `-20260610`. A
   * trip without an entry runs daily in 2026.
   */
  readonly days?: Readonly<Record<string, string>>
  /** `from,to,type,seconds,from trip,to trip,from line,to line`; empty values at the end are omitted. */
  readonly transfers?: readonly string[]
  /** `trip,start,end,headway,exact`. */
  readonly frequencies?: readonly string[]
  /** Minimum seconds for each change; 0 if absent, as in the tests of most planners. */
  readonly changeSeconds?: number
  /** The live data at midnight on the tests' day, 2026-06-10. */
  readonly live?: readonly GtfsRealtime.transit_realtime.IFeedEntity[]
}

/** A query in a test, and the expected answer. */
export interface PeerAsk {
  /** Stops, each followed by the walking time in seconds unless it is 0: `A` or `A 30 + B 600`. */
  readonly from: string
  readonly to: string
  /** Earliest departure on the query's day, `HH:MM` or `HH:MM:SS`. */
  readonly after?: string
  /** Latest arrival. */
  readonly by?: string
  /** The latest departure. With `by`: the earliest arrival. */
  readonly until?: string
  /** Journeys that arrive later than this are left out. */
  readonly before?: string
  /**
   * Whether the expected answer has only the earliest arrival (with `by`: the latest departure) for each number of
   * changes, like the answers of planners without a time window.
   */
  readonly isOneMoment?: boolean
  /** Maximum number of changes. */
  readonly changes?: number
  readonly modes?: readonly string[]
  /** The query's day, such as `2026-06-11`, if it is not 2026-06-10. */
  readonly date?: string
  /**
   * The expected journeys: `leaves arrives trip > trip`, with `~` instead of `>` for staying seated. Times on the next
   * day are 24:00 or later.
   */
  readonly gives: readonly string[]
  /**
   * If the author expects another answer: that answer, and the rule that explains the difference, as listed in
   * pinned.test.ts.
   */
  readonly pinned?: { readonly author: string; readonly rule: string }
}

/** One test of another planner. */
export interface PeerCase {
  /** The test's name in the author's file. */
  readonly test: string
  readonly feed: PeerFeed
  readonly asks: readonly PeerAsk[]
}

/** The tests of one file. */
export interface PeerFile {
  readonly file: string
  readonly cases: readonly PeerCase[]
}

const TODAY = '2026-06-10'
const FAR_METERS = 10_000
const WALK_METERS = 500
/** More journeys than any of the timetables has. */
const ALL = 10_000

/** A timetable that can be queried. */
export class PeerNetwork {
  private readonly timetable: Timetable
  private readonly planner: JourneyPlanner
  private readonly overlay: Overlay | undefined

  private constructor(timetable: Timetable, { changeSeconds = 0, live }: PeerFeed) {
    this.timetable = timetable
    this.planner = new JourneyPlanner(timetable, { walkMeters: WALK_METERS, changeSeconds })
    this.overlay = live && toOverlay(timetable, live)
  }

  /** Imports a feed. */
  static async of(feed: PeerFeed): Promise<PeerNetwork> {
    return new PeerNetwork(await timetableOf(toFiles(feed)), feed)
  }

  /** The journeys for a query, as text. The one that arrives first comes first. */
  answer(ask: PeerAsk): string[] {
    return this.plan(ask).map((journey) => this.textOf(journey, zeroOf(ask)))
  }

  /**
   * The journeys that a search in the opposite direction of time finds between the first departure and the last arrival
   * in the answer. Compare them without their trips, because equally good journeys may use other trips.
   */
  answerTurned(ask: PeerAsk): string[] {
    const zero = zeroOf(ask)
    const found = this.plan(ask)
    const turned = { from: ask.from, to: ask.to, changes: ask.changes, modes: ask.modes, date: ask.date, gives: [] }
    const [first, last] = [found[0], found.at(-1)]
    if (first === undefined || last === undefined) return []
    const start = Math.min(...found.map(({ leaves }) => leaves))
    const end = Math.max(...found.map(({ arrives }) => arrives))
    const other =
      ask.after === undefined
        ? this.plan({ ...turned, after: clockText(start - zero) })
        : this.plan({ ...turned, by: clockText(end - zero) })
    return other
      .filter(({ leaves, arrives }) => leaves >= start && arrives <= end)
      .map((journey) => this.textOf(journey, zero))
  }

  private plan(ask: PeerAsk): PlannedJourney[] {
    const { by, after = by ?? '00:00', until, before = '999:00', changes, isOneMoment = false } = ask
    const isArriveBy = by !== undefined
    const zero = zeroOf(ask)
    const planned = this.planner.plan({
      access: this.endsOf(ask.from),
      egress: this.endsOf(ask.to),
      seconds: zero + secondsOf(after),
      isArriveBy,
      ...(changes === undefined ? {} : { mostVehicles: changes + 1 }),
      lines: this.linesOf(ask.modes),
      limit: ALL,
      overlay: this.overlay,
      shouldStop: () => false,
    })
    if (planned === undefined) throw new Error('the search was aborted without a request')
    const end = until === undefined ? undefined : zero + secondsOf(until)
    const counted = planned
      .filter(({ leaves, arrives }) => end === undefined || (isArriveBy ? arrives >= end : leaves <= end))
      .filter(({ arrives }) => arrives <= zero + secondsOf(before))
      .toSorted((a, b) => a.arrives - b.arrives || a.vehicles - b.vehicles || b.leaves - a.leaves)
    return isOneMoment ? soonestOf(counted, isArriveBy) : counted
  }

  private endsOf(text: string) {
    const ends = text.split(' + ').map((end) => end.split(' '))
    return {
      stops: ends.map(([id = '']) => {
        const stop = findStop(this.timetable, id)
        if (stop === undefined) throw new Error(`there is no stop ${id}`)
        return stop
      }),
      seconds: ends.map(([, seconds = '0']) => Number(seconds)),
    }
  }

  private linesOf(modes: readonly string[] | undefined): Uint8Array | undefined {
    if (modes === undefined) return undefined
    const known: readonly string[] = MODES
    for (const word of modes) if (!known.includes(word)) throw new Error(`there is no mode ${word}`)
    return Uint8Array.from(columnArray(this.timetable.lines.mode), (each) => Number(modes.includes(MODES[each] ?? '')))
  }

  private textOf({ leaves, arrives, rides }: PlannedJourney, zero: number): string {
    const trips = rides.map((ride, at) => {
      const sign = at === 0 ? '' : ride.staysSeated ? ' ~ ' : ' > '
      return sign + this.tripOf(ride)
    })
    return `${clockText(leaves - zero)} ${clockText(arrives - zero)} ${trips.join('')}`
  }

  private tripOf({ instance }: PlannedRide): string {
    if (instance === undefined) return 'added'
    const { strings, trips } = this.timetable
    return textOf(strings, trips.id[instance.trip])
  }
}

/**
 * The journeys with fewer changes than every journey that arrives earlier (with `isArriveBy`: that leaves later).
 * @param journeys in order of arrival
 */
function soonestOf(journeys: readonly PlannedJourney[], isArriveBy: boolean): PlannedJourney[] {
  const order = isArriveBy
    ? journeys.toSorted((a, b) => b.leaves - a.leaves || a.vehicles - b.vehicles || a.arrives - b.arrives)
    : journeys
  let fewest = Infinity
  return order.filter(({ vehicles }) => {
    const isFewer = vehicles < fewest
    fewest = Math.min(fewest, vehicles)
    return isFewer
  })
}

function toFiles(feed: PeerFeed): FeedTexts {
  const { days = {}, transfers, frequencies } = feed
  const called = Object.values(feed.trips).flatMap((text) => text.split(',').map((call) => call.trim().split(' ')[0]))
  const places = new Set([...called, ...Object.keys(feed.stops ?? {})].map(String))
  const stops = Object.fromEntries([...places].map((stop, at) => [stop, feed.stops?.[stop] ?? at * FAR_METERS]))
  const files = journeyFeed({ ...feed, stops })
  const trips = Object.keys(days).reduce(
    (text, trip) => text.replace(`,daily,${trip},`, `,days of ${trip},${trip},`),
    `${files['trips.txt']}`,
  )
  const added = Object.entries(days).flatMap(([trip, list]) =>
    list.split(' ').map((day) => `days of ${trip},${day.replace('-', '')},${day.startsWith('-') ? 2 : 1}`),
  )
  const daily = Object.entries(days).flatMap(([trip, list]) =>
    list.startsWith('-') ? [`days of ${trip},1,1,1,1,1,1,1,20260101,20261231`] : [],
  )
  return {
    ...files,
    'trips.txt': trips,
    'calendar.txt': [`${files['calendar.txt']}`, ...daily].join('\n'),
    'calendar_dates.txt': ['service_id,date,exception_type', ...added].join('\n'),
    ...(transfers === undefined ? {} : { 'transfers.txt': transfersText(transfers) }),
    ...(frequencies === undefined
      ? {}
      : {
          'frequencies.txt': ['trip_id,start_time,end_time,headway_secs,exact_times', ...frequencies].join('\n'),
        }),
  }
}

const TRANSFER_FIELDS =
  'from_stop_id,to_stop_id,transfer_type,min_transfer_time,from_trip_id,to_trip_id,from_route_id,to_route_id'

function transfersText(rows: readonly string[]): string {
  const width = TRANSFER_FIELDS.split(',').length
  return [TRANSFER_FIELDS, ...rows.map((row) => row + ','.repeat(width - row.split(',').length))].join('\n')
}

function toOverlay(timetable: Timetable, entities: NonNullable<PeerFeed['live']>): Overlay {
  const seconds = zeroOf({})
  const { trips } = decodeMessage(realtimeFeed(seconds, entities))
  const live = new LiveTripReader(timetable).read([{ timestampSeconds: seconds, trips }], seconds)
  return buildOverlay(timetable, live.trips, { snapshotId: 's', version: 1, baseSeconds: seconds, feedIds: ['f'] })
}

/** Midnight at the start of the query's day, in Unix seconds. */
function zeroOf({ date = TODAY }: Pick<PeerAsk, 'date'>): number {
  return Date.parse(`${date}T00:00:00+02:00`) / 1000
}

function secondsOf(clock: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = clock.split(':').map(Number)
  return hours * 3600 + minutes * 60 + seconds
}

function clockText(seconds: number): string {
  const two = (value: number) => `${value}`.padStart(2, '0')
  const rest = seconds % 60 === 0 ? '' : `:${two(seconds % 60)}`
  return `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}${rest}`
}
