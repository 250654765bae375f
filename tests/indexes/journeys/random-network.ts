// Small random networks for journey searches, rich in difficult cases: overtaking trips, loops, calls at which nobody
// can board or alight, night service, frequencies, blocks, and transfer rules for stops, stations, lines and trips.
import fc from 'fast-check'

/**
 * A call. Times are in seconds after the zero of the service day or, in frequency trips, after the start of the run.
 */
export interface PlainCall {
  readonly stop: number
  readonly arrival: number
  readonly departure: number
  readonly canBoard: boolean
  readonly canAlight: boolean
}

export interface PlainTrip {
  readonly id: string
  readonly line: string
  readonly block: string
  /** The days on which the trip runs. The first day of the calendar is 0. */
  readonly days: readonly number[]
  readonly calls: readonly PlainCall[]
  /** The start of each run, in seconds after the zero of the service day; undefined except for frequency trips. */
  readonly runs: readonly number[] | undefined
  /** The trip's wheelchair_accessible in trips.txt. */
  readonly wheelchair: number
}

/** A row of transfers.txt. An empty string means that the column is empty. */
export interface PlainRule {
  readonly from: string
  readonly to: string
  readonly fromLine: string
  readonly toLine: string
  readonly fromTrip: string
  readonly toTrip: string
  readonly type: number
  readonly minSeconds: number | undefined
}

/** A row of pathways.txt. It connects two stops of a station, or a stop and the hall of its station. */
export interface PlainPathway {
  readonly from: string
  readonly to: string
  readonly seconds: number
  readonly isBidirectional: boolean
  /** The pathway_mode in pathways.txt. */
  readonly mode: number
}

export interface PlainStop {
  readonly id: string
  readonly lat: number
  readonly lon: number
  /** The id of the station; '' for a stop outside of stations. */
  readonly station: string
  /** The stop's wheelchair_boarding, and that of its station. */
  readonly wheelchair: number
  readonly stationWheelchair: number
}

/** What feeds report about one trip instance: it is canceled, it is late at some calls, or it skips some calls. */
export interface PlainChange {
  readonly trip: number
  readonly day: number
  /** Which run of the trip, from 0; ignored if the trip has no frequencies. */
  readonly run: number
  readonly isCanceled: boolean
  /** Delay at each call, in seconds; the last one also applies to all later calls. */
  readonly delays: readonly number[]
  readonly skipped: readonly number[]
}

/** A trip that is not in the timetable. */
export interface PlainAddition {
  readonly line: string
  readonly day: number
  readonly calls: readonly PlainCall[]
}

/** Where a journey can start (access) and finish (egress): stops, with the seconds of the walk to or from each stop. */
export interface PlainEnds {
  readonly access: { readonly stops: readonly number[]; readonly seconds: readonly number[] }
  readonly egress: { readonly stops: readonly number[]; readonly seconds: readonly number[] }
}

export interface PlainNetwork extends PlainEnds {
  readonly stops: readonly PlainStop[]
  readonly trips: readonly PlainTrip[]
  readonly rules: readonly PlainRule[]
  readonly pathways: readonly PlainPathway[]
  readonly changes: readonly PlainChange[]
  readonly additions: readonly PlainAddition[]
  /** Time of the query, in seconds after the zero of day 0. */
  readonly seconds: number
  /** Whether the rider uses a wheelchair. */
  readonly isWheelchair?: boolean
}

/** 2026-06-01, a Monday, in UTC: the zero of day 0. */
export const FIRST_ZERO_SECONDS = Date.UTC(2026, 5, 1) / 1000
export const DAY_COUNT = 4
const STOP_COUNT = 6
const LINES = ['L0', 'L1', 'L2']
const SERVICES = [[1], [1, 2], [0, 1], [0, 1, 2, 3]]
const METERS_PER_DEGREE = 111_195
const access = fc.constantFrom(0, 0, 1, 2)

/**
 * Stops in a row from south to north, up to 700 m from one to the next. Riders can walk between stops that are near
 * each other, but not between all stops.
 */
const stops = fc
  .tuple(
    fc.record({ SA: access, SB: access }),
    fc.array(
      fc.record({
        gap: fc.constantFrom(0, 40, 90, 200, 380, 700),
        station: fc.constantFrom('', 'SA', 'SA', 'SB'),
        wheelchair: access,
      }),
      {
        minLength: STOP_COUNT,
        maxLength: STOP_COUNT,
      },
    ),
  )
  .map(([stations, list]) => {
    let meters = 0
    return list.map(({ gap, station, wheelchair }, at): PlainStop => {
      meters += gap
      const stationWheelchair = station === 'SA' ? stations.SA : station === 'SB' ? stations.SB : 0
      return { id: `s${at}`, lat: 48 + meters / METERS_PER_DEGREE, lon: 7, station, wheelchair, stationWheelchair }
    })
  })

const pattern = fc.record({
  line: fc.constantFrom(...LINES),
  calls: fc.array(
    fc.record({
      stop: fc.nat(STOP_COUNT - 1),
      ride: fc.constantFrom(0, 60, 120, 300, 600),
      dwell: fc.constantFrom(0, 0, 0, 60),
      canBoard: fc.constantFrom(true, true, true, false),
      canAlight: fc.constantFrom(true, true, true, false),
    }),
    { minLength: 3, maxLength: 6 },
  ),
})

const trip = fc.record({
  pattern: fc.nat(3),
  /**
   * If defined, the trip continues the previous trip in the same block. It starts at the previous trip's last stop,
   * this number of seconds after the previous trip arrives there.
   */
  follows: fc.constantFrom(undefined, undefined, undefined, 0, 60, 500, 700),
  start: fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 0, max: 40 }).map((minutes) => 8 * 3600 + minutes * 60) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 40 }).map((minutes) => 24 * 3600 + minutes * 60) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 1600 }).map((minutes) => minutes * 60) },
  ),
  pace: fc.constantFrom(1, 1, 1, 2, 0.5),
  service: fc.nat(SERVICES.length - 1),
  block: fc.constantFrom('', '', '', 'b0', 'b1'),
  wheelchair: access,
  runs: fc.option(fc.record({ headway: fc.constantFrom(120, 600, 1800), count: fc.integer({ min: 1, max: 3 }) }), {
    nil: undefined,
    freq: 6,
  }),
})

const place = fc.oneof(
  { weight: 3, arbitrary: fc.nat(STOP_COUNT - 1).map((at) => `s${at}`) },
  fc.constantFrom('SA', 'SB'),
)
const rule = fc.record({
  from: place,
  to: place,
  fromLine: fc.constantFrom('', '', ...LINES),
  toLine: fc.constantFrom('', '', ...LINES),
  fromTrip: fc.constantFrom('', '', '', 't0', 't1'),
  toTrip: fc.constantFrom('', '', '', 't2', 't3'),
  type: fc.constantFrom(0, 1, 2, 2, 2, 3, 4, 5),
  minSeconds: fc.constantFrom(undefined, 0, 30, 60, 120, 300),
})

/**
 * A pathway between two places in a station. A station has at most seven places, so a walk through it takes at most six
 * pathways. Even with the transfer time, such a walk takes less than LONGEST_CHANGE_SECONDS in
 * tests/oracles/exhaustive-changes.ts.
 */
const pathway = fc.record({
  station: fc.constantFrom('SA', 'SB'),
  ends: fc.tuple(fc.nat(STOP_COUNT), fc.nat(STOP_COUNT)),
  seconds: fc.constantFrom(0, 0, 30, 85),
  isBidirectional: fc.boolean(),
  mode: fc.constantFrom(1, 1, 2, 3, 4, 5),
})

const change = fc.record({
  trip: fc.nat(6),
  day: fc.nat(DAY_COUNT - 1),
  run: fc.nat(1),
  isCanceled: fc.constantFrom(false, false, true),
  delays: fc.array(fc.constantFrom(-60, 0, 30, 120, 600, 3600), { minLength: 1, maxLength: 3 }),
  skipped: fc.uniqueArray(fc.nat(4), { maxLength: 2 }),
})

const ends = fc
  .uniqueArray(fc.tuple(fc.nat(STOP_COUNT - 1), fc.constantFrom(0, 0, 60, 200)), {
    minLength: 1,
    maxLength: 3,
    selector: ([stop]) => stop,
  })
  .map((list) => ({ stops: list.map(([stop]) => stop), seconds: list.map(([, seconds]) => seconds) }))

/** A network and a query. Rules whose trips, lines and stops do not fit together are left out. */
export const randomNetwork: fc.Arbitrary<PlainNetwork> = fc
  .record({
    stops,
    patterns: fc.array(pattern, { minLength: 4, maxLength: 4 }),
    trips: fc.array(trip, { minLength: 3, maxLength: 10 }),
    rules: fc.array(rule, { maxLength: 4 }),
    pathways: fc.array(pathway, { maxLength: 8 }),
    changes: fc.uniqueArray(change, { maxLength: 5, selector: ({ trip, day }) => `${trip} ${day}` }),
    added: fc.array(
      fc.record({ pattern: fc.nat(2), start: fc.constantFrom(8 * 3600, 8 * 3600 + 300), day: fc.nat(2) }),
      {
        maxLength: 2,
      },
    ),
    access: ends,
    egress: ends,
    seconds: fc.oneof(
      { weight: 3, arbitrary: fc.integer({ min: -10, max: 60 }).map((minutes) => 86_400 + 8 * 3600 + minutes * 60) },
      { weight: 1, arbitrary: fc.integer({ min: 0, max: DAY_COUNT * 1440 }).map((minutes) => minutes * 60) },
    ),
  })
  .map(({ stops: places, patterns, trips, rules, pathways, added, ...requested }) => {
    const callsOf = (shape: (typeof patterns)[number], start: number, pace: number) => {
      let now = start
      return shape.calls.map(({ ride, dwell, ...call }, place): PlainCall => {
        // The last ride takes at least a minute: trips without a duration would have no order within their block.
        const seconds = place === shape.calls.length - 1 ? Math.max(60, ride) : ride
        const arrival = now + (place === 0 ? 0 : seconds * pace)
        now = arrival + (place === 0 ? 0 : dwell)
        return { ...call, arrival, departure: now }
      })
    }
    const additions = added.map(({ pattern: number, start, day }): PlainAddition => {
      const shape = patterns[number]
      return { line: shape.line, day, calls: callsOf(shape, start, 1) }
    })
    const made: PlainTrip[] = []
    for (const [at, { pattern: number, start, pace, service, block, runs, follows, wheelchair }] of trips.entries()) {
      const shape = patterns[number]
      const starts = runs && Array.from({ length: runs.count }, (_, run) => start + run * runs.headway)
      const days = SERVICES[service]
      const before = made.at(-1)
      const end = before?.calls.at(-1)
      if (before === undefined || end === undefined || follows === undefined || before.runs !== undefined) {
        const calls = callsOf(shape, runs === undefined ? start : 0, pace)
        made.push({ id: `t${at}`, line: shape.line, block: starts ? '' : block, days, calls, runs: starts, wheelchair })
      } else {
        const [first, ...others] = callsOf(shape, end.arrival + follows, pace)
        const calls = [{ ...first, stop: end.stop }, ...others]
        made.push({ ...before, id: `t${at}`, line: shape.line, calls, wheelchair, block: before.block || `c${at}` })
        made[made.length - 2] = { ...before, block: before.block || `c${at}` }
      }
    }
    const sound = rules.flatMap((each) => soundRule(each, made, places))
    const inside = pathways.flatMap(({ station, ends: [from, to], ...way }): PlainPathway[] => {
      const members = places.filter((one) => one.station === station).map(({ id }) => id)
      const all = [...members, `hall-${station}`]
      const at = (end: number) => all[end % all.length] ?? ''
      return members.length === 0 ? [] : [{ ...way, from: at(from), to: at(to) }]
    })
    return {
      ...requested,
      stops: places,
      trips: made,
      rules: sound,
      pathways: inside,
      additions: trips.length === 0 ? [] : additions,
    }
  })

/** The rule as one valid row of transfers.txt; no row if the rule's trips, lines and stops do not fit together. */
function soundRule(each: PlainRule, trips: readonly PlainTrip[], places: readonly PlainStop[]): PlainRule[] {
  const stations = new Set(places.map(({ station }) => station))
  const isKnown = (id: string) => id.startsWith('s') || stations.has(id)
  const tripOf = (id: string) => trips.find((one) => one.id === id)
  const callsAt = (one: PlainTrip, id: string) =>
    one.calls.some(({ stop }) => places[stop]?.id === id || places[stop]?.station === id)
  const isOf = (tripId: string, line: string, id: string) => {
    if (tripId === '') return line === '' || trips.some((one) => one.line === line)
    const one = tripOf(tripId)
    return one !== undefined && (line === '' || one.line === line) && callsAt(one, id)
  }
  if (each.type >= 4) {
    const [from, to] = [tripOf(each.fromTrip), tripOf(each.toTrip)]
    return from && to ? [{ ...each, from: '', to: '', fromLine: '', toLine: '', minSeconds: undefined }] : []
  }
  const isSound = isKnown(each.from) && isKnown(each.to)
  return isSound && isOf(each.fromTrip, each.fromLine, each.from) && isOf(each.toTrip, each.toLine, each.to)
    ? [each]
    : []
}

const clock = (seconds: number): string =>
  [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
    .map((part) => String(part).padStart(2, '0'))
    .join(':')

/** The network as the files of a feed. */
export function toFeedTexts({ stops: places, trips, rules, pathways }: PlainNetwork): Record<string, string> {
  const stations = [...new Set(places.map(({ station }) => station))].filter((id) => id !== '')
  const accessOf = (id: string) => places.find(({ station }) => station === id)?.stationWheelchair
  const dates = Array.from({ length: DAY_COUNT }, (_, day) => `2026060${day + 1}`)
  const table = (head: string, rows: readonly string[]) => `${[head, ...rows].join('\n')}\n`
  return {
    'agency.txt': 'agency_id,agency_name,agency_url,agency_timezone\na,Agency,https://example.org,Africa/Abidjan\n',
    'stops.txt': table('stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station,wheelchair_boarding', [
      ...stations.map((id) => `${id},${id},48.001,7.001,1,,${accessOf(id)}`),
      ...stations.map((id) => `hall-${id},Hall,,,3,${id},`),
      ...places.map(
        ({ id, lat, lon, station, wheelchair }) =>
          `${id},Stop ${id},${lat},${lon},0,${station},${wheelchair === 0 ? '' : wheelchair}`,
      ),
    ]),
    'routes.txt': table(
      'route_id,agency_id,route_short_name,route_type',
      LINES.map((line) => `${line},a,${line},3`),
    ),
    'calendar_dates.txt': table(
      'service_id,date,exception_type',
      SERVICES.flatMap((days, at) => days.map((day) => `w${at},${dates[day]},1`)),
    ),
    'trips.txt': table(
      'route_id,service_id,trip_id,block_id,wheelchair_accessible',
      trips.map(
        ({ id, line, days, block, wheelchair }) =>
          `${line},w${SERVICES.findIndex((service) => service.join() === days.join())},${id},${block},${wheelchair}`,
      ),
    ),
    'stop_times.txt': table(
      'trip_id,arrival_time,departure_time,stop_id,stop_sequence,pickup_type,drop_off_type',
      trips.flatMap(({ id, calls }) =>
        calls.map(
          ({ stop, arrival, departure, canBoard, canAlight }, at) =>
            `${id},${clock(arrival)},${clock(departure)},${places[stop]?.id},${at},${canBoard ? 0 : 1},${canAlight ? 0 : 1}`,
        ),
      ),
    ),
    'frequencies.txt': table(
      'trip_id,start_time,end_time,headway_secs,exact_times',
      trips.flatMap(({ id, runs }) => (runs ?? []).map((start) => `${id},${clock(start)},${clock(start + 1)},60,1`)),
    ),
    'transfers.txt': table(
      'from_stop_id,to_stop_id,from_route_id,to_route_id,from_trip_id,to_trip_id,transfer_type,min_transfer_time',
      rules.map(({ from, to, fromLine, toLine, fromTrip, toTrip, type, minSeconds }) =>
        [from, to, fromLine, toLine, fromTrip, toTrip, type, minSeconds ?? ''].join(','),
      ),
    ),
    'pathways.txt': table(
      'pathway_id,from_stop_id,to_stop_id,pathway_mode,is_bidirectional,traversal_time',
      pathways.map(
        ({ from, to, seconds, isBidirectional, mode }, at) =>
          `p${at},${from},${to},${mode},${isBidirectional ? 1 : 0},${seconds}`,
      ),
    ),
  }
}
