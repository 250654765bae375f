// A feed's trips with cleaned calls, and the start times of frequency trips. Part of the text oracle.
import { eachRow, type FeedText } from './feed-text.ts'
import type { PlainRoute } from './text-lines.ts'
import type { TextStops } from './text-stops.ts'

const NO_TIME = -1
const MAX_SEQUENCE = 2_147_483_647
/** The values of pickup_type with which riders can board. */
const BOARDABLE = ['', '0', '2', '3']
/** The values of drop_off_type with which riders can alight. */
const ALIGHTABLE = BOARDABLE
const FLEX_COLUMNS = ['location_group_id', 'location_id', 'start_pickup_drop_off_window', 'end_pickup_drop_off_window']

/** A trip with at least two calls, all of which have times. */
export interface CleanTrip {
  readonly id: string
  readonly serviceId: string
  readonly route: PlainRoute
  /** `0` or `1` as in the feed; '' if the trip has no direction. */
  readonly directionId: string
  /** '' if the trip is in no block. */
  readonly blockId: string
  /** The value in column mta_trip_id; '' if there is none. */
  readonly pathId: string
  /** Call → its stop. */
  readonly stopIds: readonly string[]
  /** Call → its departure, in seconds after the service day's zero. */
  readonly departures: readonly number[]
  /** Call → its arrival, in seconds after the service day's zero. */
  readonly arrivals: readonly number[]
  /** Call → its stop_sequence in the feed. */
  readonly sequences: readonly number[]
  /** Call → whether boarding is forbidden. */
  readonly noPickup: readonly boolean[]
  /** Call → whether alighting is forbidden. */
  readonly noDropOff: readonly boolean[]
  readonly headsigns: readonly string[]
  /** Call → whether its time was missing in the feed. */
  readonly isFilled: readonly boolean[]
  readonly hasFrequencies: boolean
  /** For frequency trips: when the runs leave their first call, in seconds after the service day's zero. */
  readonly starts: readonly number[]
}

interface TripRow {
  readonly id: string
  readonly serviceId: string
  readonly route: PlainRoute
  readonly headsign: string
  readonly directionId: string
  /** '' if the trip is in no block. */
  readonly blockId: string
  readonly pathId: string
  /** The trip's rows, as indexes into the columns of `StopTimes`. */
  readonly rows: number[]
}

/** The columns of stop_times, by row. */
interface StopTimes {
  readonly stop: string[]
  readonly sequence: number[]
  readonly arrival: number[]
  readonly departure: number[]
  readonly distance: number[]
  readonly noPickup: boolean[]
  readonly noDropOff: boolean[]
  readonly headsign: string[]
}

interface Known {
  readonly stops: TextStops
  readonly routes: ReadonlyMap<string, PlainRoute>
  readonly hasService: (serviceId: string) => boolean
}

/** Reads all trips that have at least two usable calls. */
export async function readTrips(feed: FeedText, { stops, ...known }: Known): Promise<CleanTrip[]> {
  const rows = await readTripRows(feed, known)
  const times = await readStopTimes(feed, { rows, stops })
  const runs = await readFrequencies(feed, rows)
  const trips: CleanTrip[] = []
  const running = [...rows.values()].flatMap((row) => {
    const calls = cleanCalls(row.rows, times)
    return calls.length < 2 ? [] : [{ row, calls }]
  })
  const numbered = routesWithTrainNumbers(running.map(({ row }) => row))
  for (const { row, calls } of running) {
    const headsign = numbered.has(row.route) && isDigits(row.headsign) ? '' : row.headsign
    const isFilled = calls.map((call) => times.departure[call] === NO_TIME)
    fillTimes(calls, times)
    const terminus = stops.names.get(times.stop[calls.at(-1) ?? 0] ?? '') ?? ''
    trips.push({
      id: row.id,
      serviceId: row.serviceId,
      route: row.route,
      directionId: row.directionId,
      blockId: row.blockId,
      pathId: row.pathId,
      stopIds: calls.map((call) => times.stop[call] ?? ''),
      departures: calls.map((call) => times.departure[call] ?? 0),
      arrivals: calls.map((call) => times.arrival[call] ?? 0),
      sequences: calls.map((call) => times.sequence[call] ?? 0),
      noPickup: calls.map((call) => times.noPickup[call] ?? false),
      noDropOff: calls.map((call) => times.noDropOff[call] ?? false),
      headsigns: calls.map((call) => times.headsign[call] || headsign || terminus),
      isFilled,
      hasFrequencies: runs.has(row.id),
      starts: runs.get(row.id) ?? [],
    })
  }
  return trips
}

/**
 * The routes whose headsigns are mostly train numbers: at least four in five headsigns consist of digits, and at least
 * two of these differ.
 */
function routesWithTrainNumbers(rows: readonly TripRow[]): Set<PlainRoute> {
  const byRoute = Map.groupBy(rows, ({ route }) => route)
  const numbered = [...byRoute].filter(([, trips]) => {
    const headsigns = trips.map(({ headsign }) => headsign).filter((headsign) => headsign !== '')
    const digits = headsigns.filter(isDigits)
    return new Set(digits).size > 1 && digits.length * 5 >= headsigns.length * 4
  })
  return new Set(numbered.map(([route]) => route))
}

function isDigits(text: string): boolean {
  return /^[0-9]+$/.test(text)
}

async function readTripRows(
  feed: FeedText,
  { routes, hasService }: Omit<Known, 'stops'>,
): Promise<Map<string, TripRow>> {
  const trips = new Map<string, TripRow>()
  const columns = ['trip_id', 'route_id', 'service_id', 'trip_headsign', 'direction_id', 'block_id', 'mta_trip_id']
  await eachRow(
    feed,
    'trips.txt',
    columns,
    ([id = '', routeId = '', serviceId = '', headsign = '', direction = '', blockId = '', pathId = '']) => {
      const route = routes.get(routeId)
      if (id === '' || route === undefined || !hasService(serviceId) || trips.has(id)) return
      const directionId = direction === '0' || direction === '1' ? direction : ''
      trips.set(id, { id, serviceId, route, headsign, directionId, blockId, pathId, rows: [] })
    },
  )
  return trips
}

/**
 * Reads the rows of stop_times.txt that have valid values and refer to an existing trip and stop. Adds the index of
 * each row to its trip.
 */
async function readStopTimes(
  feed: FeedText,
  { rows, stops }: { rows: ReadonlyMap<string, TripRow>; stops: TextStops },
): Promise<StopTimes> {
  const columns = [
    'trip_id',
    'stop_id',
    'stop_sequence',
    'arrival_time',
    'departure_time',
    'pickup_type',
    'shape_dist_traveled',
    'stop_headsign',
    'drop_off_type',
    ...FLEX_COLUMNS,
  ]
  const times: StopTimes = {
    stop: [],
    sequence: [],
    arrival: [],
    departure: [],
    distance: [],
    noPickup: [],
    noDropOff: [],
    headsign: [],
  }
  await eachRow(feed, 'stop_times.txt', columns, (values) => {
    const [tripId = '', stopId = '', sequenceText = '', arriveText = '', departText = '', ...rest] = values
    const [pickup = '', distance = '', sign = '', dropOff = '', ...flex] = rest
    // Rows of on-demand service in an area or a time window are not calls. Rows whose pickup_type or drop_off_type is
    // not a number are invalid.
    if (flex.some((value) => value !== '') || !/^\d*$/.test(pickup) || !/^\d*$/.test(dropOff)) return
    // Rows without a stop, or with an unknown trip or stop, are dropped below.
    const stop = stops.platformOf.get(stopId)
    const trip = rows.get(tripId)
    const sequence = /^\d+$/.test(sequenceText) ? Number(sequenceText) : Number.NaN
    const arrival = parseTime(arriveText)
    const departure = parseTime(departText)
    if (stop === undefined || trip === undefined || !(sequence <= MAX_SEQUENCE)) return
    if (arrival === undefined || departure === undefined) return
    trip.rows.push(times.stop.length)
    times.stop.push(stop)
    times.sequence.push(sequence)
    // If only the arrival or only the departure is given, it counts as both.
    times.arrival.push(arrival === NO_TIME ? departure : arrival)
    times.departure.push(departure === NO_TIME ? arrival : departure)
    times.distance.push(distance === '' ? Number.NaN : Number(distance))
    times.noPickup.push(!BOARDABLE.includes(pickup))
    times.noDropOff.push(!ALIGHTABLE.includes(dropOff))
    times.headsign.push(sign)
  })
  return times
}

/**
 * Parses a time as seconds after the service day's zero; NO_TIME for an empty string, undefined for an invalid string.
 */
function parseTime(text: string): number | undefined {
  if (text === '') return NO_TIME
  const match = /^(\d{1,3}):([0-5]\d):([0-5]\d)$/.exec(text)
  return match === null ? undefined : Number(match[1]) * 3600 + Number(match[2]) * 60 + Number(match[3])
}

/**
 * A trip's rows, sorted by stop_sequence. Leaves out rows that contradict earlier rows, and rows without times at the
 * start and the end.
 */
function cleanCalls(rows: readonly number[], times: StopTimes): number[] {
  const { sequence, arrival, departure } = times
  const sorted = [...rows].sort((a, b) => (sequence[a] ?? 0) - (sequence[b] ?? 0) || a - b)
  const calls: number[] = []
  let left = NO_TIME
  let last = -1
  for (const row of sorted) {
    if (sequence[row] === last) continue
    last = sequence[row] ?? last
    const [arrives = NO_TIME, departs = NO_TIME] = [arrival[row], departure[row]]
    if (departs < arrives) continue
    if (arrives !== NO_TIME) {
      if (arrives < left) continue
      left = departs
    }
    calls.push(row)
  }
  const isTimed = (row: number) => departure[row] !== NO_TIME
  const first = calls.findIndex(isTimed)
  return first === -1 ? [] : calls.slice(first, calls.findLastIndex(isTimed) + 1)
}

/**
 * Interpolates the times of calls that have none: by distance if it is known and increases throughout, otherwise
 * evenly.
 */
function fillTimes(calls: readonly number[], times: StopTimes): void {
  let start = 0
  for (let end = 1; end < calls.length; end++) {
    if (times.departure[calls[end] ?? 0] === NO_TIME) continue
    const gap = calls.slice(start, end + 1)
    const far = gap.map((row) => times.distance[row] ?? Number.NaN)
    const grows = far.every((value, i) => Number.isFinite(value) && (i === 0 || value > (far[i - 1] ?? 0)))
    const share = grows ? far : gap.map((_, i) => i)
    const [from = 0, to = 0] = [share[0], share.at(-1)]
    const leaves = times.departure[gap[0] ?? 0] ?? 0
    const arrives = times.arrival[gap.at(-1) ?? 0] ?? 0
    for (let i = 1; i < gap.length - 1; i++) {
      const row = gap[i] ?? 0
      const seconds = Math.floor(leaves + ((arrives - leaves) * ((share[i] ?? 0) - from)) / (to - from) + 0.5)
      times.arrival[row] = seconds
      times.departure[row] = seconds
    }
    start = end
  }
}

/**
 * Trip → the start times of its frequency runs. Each row of frequencies.txt is a window [start, end). The first run
 * starts at `start`, and the others follow every `headway` seconds. A window that overlaps the window of an earlier row
 * is dropped.
 */
async function readFrequencies(feed: FeedText, trips: ReadonlyMap<string, TripRow>): Promise<Map<string, number[]>> {
  const windows = new Map<string, { start: number; end: number; headway: number }[]>()
  const columns = ['trip_id', 'start_time', 'end_time', 'headway_secs']
  await eachRow(feed, 'frequencies.txt', columns, ([id = '', startText = '', endText = '', headwayText = '']) => {
    const start = parseTime(startText) ?? NO_TIME
    const end = parseTime(endText) ?? NO_TIME
    const headway = /^\d+$/.test(headwayText) ? Number(headwayText) : 0
    if (!trips.has(id) || start === NO_TIME || end <= start || headway === 0) return
    const others = windows.get(id) ?? []
    if (others.some((other) => start < other.end && other.start < end)) return
    others.push({ start, end, headway })
    windows.set(id, others)
  })
  const starts = new Map<string, number[]>()
  for (const [id, rows] of windows) {
    const list: number[] = []
    for (const { start, end, headway } of rows) for (let at = start; at < end; at += headway) list.push(at)
    starts.set(id, list)
  }
  return starts
}
