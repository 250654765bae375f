// Computes the expected board naively from a feed's text: goes through every run of every trip on every day, and sorts
// the departures. Shares no code with loaders or indexes. The feed must be valid, but times may be missing and rows may
// be unsorted.

/** File name → its text. */
export type TextFeed = Readonly<Record<string, string>>

export interface OracleQuery {
  readonly stopIds: readonly string[]
  /** The window in seconds after 1970. `toSeconds` is excluded. */
  readonly fromSeconds: number
  readonly toSeconds: number
  readonly limit: number
  readonly routeIds?: readonly string[]
  readonly directionId?: string
}

/** One departure on a board: the full id of its trip instance, the stop, the index of the call, and the time. */
export interface OracleRow {
  readonly trip: string
  readonly stop: string
  readonly call: number
  readonly seconds: number
}

type Row = Readonly<Record<string, string>>

interface OracleCall {
  readonly stop: string
  arrival: number
  departure: number
  readonly distance: number
  readonly pickup: string
}

interface OracleTrip {
  readonly row: Row
  readonly lineOrder: number
  readonly calls: readonly OracleCall[]
  readonly runs: readonly { readonly start: number; readonly end: number; readonly headway: number }[]
}

/** A feed read once, for many boards. */
export interface OracleFeed {
  readonly zone: string
  readonly trips: readonly OracleTrip[]
  /** yyyymmdd → services that run. */
  readonly days: ReadonlyMap<string, ReadonlySet<string>>
  /** An upper bound for the departure times of all runs, in seconds after the service day's zero. */
  readonly longestSeconds: number
}

export function readOracleFeed(feed: TextFeed): OracleFeed {
  const table = (name: string): Row[] => parseTable(feed[name] ?? '')
  const callsByTrip = groupBy(table('stop_times.txt'), 'trip_id')
  const runsByTrip = groupBy(table('frequencies.txt'), 'trip_id')
  const tripRows = table('trips.txt')
  const routesWithTrips = new Set(tripRows.map((trip) => trip['route_id']))
  const lineOrder = table('routes.txt')
    .filter((route) => routesWithTrips.has(route['route_id']))
    .sort(compareRoutes)
    .map((route) => route['route_id'])
  const trips = tripRows.map((row) => ({
    row,
    lineOrder: lineOrder.indexOf(row['route_id'] ?? ''),
    calls: readCalls(callsByTrip.get(row['trip_id'] ?? '') ?? []),
    runs: (runsByTrip.get(row['trip_id'] ?? '') ?? []).map((run) => ({
      start: seconds(run['start_time']),
      end: seconds(run['end_time']),
      headway: Number(run['headway_secs']),
    })),
  }))
  return {
    zone: table('agency.txt')[0]?.['agency_timezone'] ?? 'UTC',
    trips,
    longestSeconds: trips.reduce((longest, trip) => Math.max(longest, longestOf(trip)), 0),
    days: readDays(table('calendar.txt'), table('calendar_dates.txt')),
  }
}

/** The first `limit` departures of the window, sorted by time, line, full trip id and call. */
export function readBoard(feed: OracleFeed, query: OracleQuery): OracleRow[] {
  const rows = new Map<string, OracleRow & { readonly line: number }>()
  for (const [date, services] of feed.days) {
    const zero = noonOf(feed.zone, date) - 43_200
    if (zero >= query.toSeconds || zero + feed.longestSeconds < query.fromSeconds) continue
    for (const trip of feed.trips) {
      if (!services.has(trip.row['service_id'] ?? '') || !isRequested(trip, query)) continue
      for (const [name, shift] of instancesOf(date, trip)) {
        for (const [call, { stop, departure, pickup }] of trip.calls.entries()) {
          const seconds = zero + departure + shift
          if (call === trip.calls.length - 1 || pickup === '1' || !query.stopIds.includes(stop)) continue
          if (seconds < query.fromSeconds || seconds >= query.toSeconds) continue
          rows.set(`${name} ${call}`, { trip: name, stop, call, seconds, line: trip.lineOrder })
        }
      }
    }
  }
  return [...rows.values()]
    .sort(
      (a, b) =>
        a.seconds - b.seconds || a.line - b.line || (a.trip < b.trip ? -1 : a.trip > b.trip ? 1 : 0) || a.call - b.call,
    )
    .slice(0, query.limit)
    .map(({ trip, stop, call, seconds }) => ({ trip, stop, call, seconds }))
}

function isRequested(trip: OracleTrip, query: OracleQuery): boolean {
  if (query.routeIds !== undefined && !query.routeIds.includes(trip.row['route_id'] ?? '')) return false
  return query.directionId === undefined || trip.row['direction_id'] === query.directionId
}

/** An upper bound for the time of any call of a trip and its runs, in seconds after the service day's zero. */
function longestOf({ calls, runs }: OracleTrip): number {
  return (calls.at(-1)?.departure ?? 0) + runs.reduce((latest, { end }) => Math.max(latest, end), 0)
}

/** The instances of a trip on a day: the name of each, and the seconds to add to the times of stop_times.txt. */
function instancesOf(date: string, trip: OracleTrip): [string, number][] {
  const name = `${date}:${trip.row['trip_id']}`
  if (trip.runs.length === 0) return [[name, 0]]
  const ownStart = trip.calls[0]?.departure ?? 0
  const instances: [string, number][] = []
  for (const { start, end, headway } of trip.runs) {
    for (let at = start; at < end; at += headway) instances.push([`${name}@${clock(at)}`, at - ownStart])
  }
  return instances
}

/** The calls in order of stop_sequence. Calls without times are removed at both ends and interpolated elsewhere. */
function readCalls(rows: readonly Row[]): OracleCall[] {
  const calls = [...rows]
    .sort((a, b) => Number(a['stop_sequence']) - Number(b['stop_sequence']))
    .map((row) => {
      const arrival = seconds(row['arrival_time'] || row['departure_time'])
      const departure = seconds(row['departure_time'] || row['arrival_time'])
      const distance = row['shape_dist_traveled'] ? Number(row['shape_dist_traveled']) : Number.NaN
      return { stop: row['stop_id'] ?? '', arrival, departure, distance, pickup: row['pickup_type'] ?? '' }
    })
  while (calls.length > 0 && Number.isNaN(calls[0]?.departure)) calls.shift()
  while (calls.length > 0 && Number.isNaN(calls.at(-1)?.departure)) calls.pop()
  for (let first = 0; first < calls.length; first++) {
    let last = first + 1
    while (last < calls.length && Number.isNaN(calls[last]?.departure)) last++
    fillGap(calls.slice(first, last + 1))
    first = last - 1
  }
  return calls
}

/**
 * Sets the times of the calls in a gap. Only the first and the last call of `gap` have times already. The new times are
 * in proportion to shape_dist_traveled if all calls have a distance and the distances always increase; otherwise, they
 * are evenly spaced. Rounds half up.
 */
function fillGap(gap: readonly OracleCall[]): void {
  const from = gap[0]
  const to = gap.at(-1)
  if (from === undefined || to === undefined) return
  const isMeasured = gap.every(({ distance }, at) => at === 0 || distance > (gap[at - 1]?.distance ?? Number.NaN))
  for (const [at, call] of gap.entries()) {
    if (at === 0 || at === gap.length - 1) continue
    const share = isMeasured ? (call.distance - from.distance) / (to.distance - from.distance) : at / (gap.length - 1)
    call.arrival = Math.floor(from.departure + share * (to.arrival - from.departure) + 0.5)
    call.departure = call.arrival
  }
}

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']

function readDays(calendar: readonly Row[], exceptions: readonly Row[]): Map<string, Set<string>> {
  const days = new Map<string, Set<string>>()
  const servicesOn = (date: string): Set<string> => {
    const services = days.get(date) ?? new Set<string>()
    days.set(date, services)
    return services
  }
  for (const row of calendar) {
    for (let millis = midnightUtc(row['start_date']); millis <= midnightUtc(row['end_date']); millis += 86_400_000) {
      const date = new Date(millis)
      const weekday = WEEKDAYS[date.getUTCDay()] ?? ''
      if (row[weekday] === '1')
        servicesOn(date.toISOString().slice(0, 10).replaceAll('-', '')).add(row['service_id'] ?? '')
    }
  }
  for (const row of exceptions) {
    const services = servicesOn(row['date'] ?? '')
    if (row['exception_type'] === '1') services.add(row['service_id'] ?? '')
    else services.delete(row['service_id'] ?? '')
  }
  return days
}

function midnightUtc(date = ''): number {
  return Date.UTC(Number(date.slice(0, 4)), Number(date.slice(4, 6)) - 1, Number(date.slice(6, 8)))
}

const noons = new Map<string, number>()

/** Local noon in seconds after 1970: tries every possible UTC offset until the zone's clock shows 12:00. */
export function noonOf(zone: string, date: string): number {
  const key = `${zone} ${date}`
  const known = noons.get(key)
  if (known !== undefined) return known
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
  const wanted = `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)} 12:00:00`
  for (let minutes = -15 * 60; minutes <= 15 * 60; minutes += 15) {
    const seconds = midnightUtc(date) / 1000 + 43_200 - minutes * 60
    if (format.format(seconds * 1000) !== wanted) continue
    noons.set(key, seconds)
    return seconds
  }
  throw new Error(`there is no noon on ${date} in ${zone}`)
}

function compareRoutes(a: Row, b: Row): number {
  const sortOrder = (row: Row) => (row['route_sort_order'] ? Number(row['route_sort_order']) : 2_147_483_647)
  const [idA, idB] = [a['route_id'] ?? '', b['route_id'] ?? '']
  return (
    sortOrder(a) - sortOrder(b) ||
    compareCodes(a['route_short_name'] ?? '', b['route_short_name'] ?? '') ||
    (idA < idB ? -1 : 1)
  )
}

/** Natural order: compares numbers by value, and other text without case. */
function compareCodes(a: string, b: string): number {
  const [left, right] = [a, b].map((code) => code.toLowerCase().match(/\d+|\D/g) ?? [])
  for (let at = 0; at < Math.max(left?.length ?? 0, right?.length ?? 0); at++) {
    const [x, y] = [left?.[at], right?.[at]]
    if (x === undefined) return -1
    if (y === undefined) return 1
    if (/\d/.test(x) && /\d/.test(y) && Number(x) !== Number(y)) return Number(x) - Number(y)
    if (!(/\d/.test(x) && /\d/.test(y)) && x !== y) return x < y ? -1 : 1
  }
  return a < b ? -1 : a > b ? 1 : 0
}

function seconds(time = ''): number {
  const match = /^\s*(\d+):(\d+):(\d+)\s*$/.exec(time)
  return match === null ? Number.NaN : Number(match[1]) * 3600 + Number(match[2]) * 60 + Number(match[3])
}

function clock(time: number): string {
  return [Math.floor(time / 3600), Math.floor(time / 60) % 60, time % 60]
    .map((part) => String(part).padStart(2, '0'))
    .join(':')
}

function groupBy(rows: readonly Row[], column: string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const group = groups.get(row[column] ?? '')
    if (group === undefined) groups.set(row[column] ?? '', [row])
    else group.push(row)
  }
  return groups
}

/** The rows of a CSV file as objects. Quoted fields may contain commas, quotes and line ends. */
function parseTable(text: string): Row[] {
  const lines: string[][] = []
  let fields: string[] = []
  const field = /\s*"((?:[^"]|"")*)"\s*(,|\r?\n|$)|([^,\r\n]*)(,|\r?\n|$)/y
  const body = text.replace(/^\ufeff/, '')
  while (field.lastIndex < body.length) {
    const match = field.exec(body)
    if (match === null) throw new Error('a table is not valid CSV')
    fields.push(match[1]?.replaceAll('""', '"') ?? (match[3] ?? '').trim())
    if ((match[2] ?? match[4]) === ',' && field.lastIndex < body.length) continue
    lines.push(fields)
    fields = []
  }
  const [header = [], ...rows] = lines
  return rows
    .filter((row) => row.some((value) => value !== ''))
    .map((row) => Object.fromEntries(header.map((name, at) => [name.trim(), row[at] ?? ''])))
}
