// Checks the invariants that every loaded feed must satisfy, however hostile the feed is: references are in range,
// calls are in order, boards are sorted and within their window, and problems are well formed. Each check returns one
// message per violation.
import { listDepartures } from '../../../indexes/timetable/boards.ts'
import { callCount, type StopIndex, stopTimeAt, type Timetable } from '../../../indexes/timetable/timetable.ts'
import { columnArray, NONE, NONE_U8 } from '../../../loaders/columns.ts'
import type { FeedProblems, FeedRefused } from '../../../loaders/feed-problems.ts'
import type { Feed } from '../../../loaders/gtfs/feed.ts'
import { countTexts } from '../../../loaders/strings.ts'

type Numbers = { readonly length: number }

/** The latest time that the loader accepts: 999:59:59. */
const MAX_TIME_SECONDS = 999 * 3600 + 3599
const SECONDS_PER_DAY = 86_400
/** Maximum number of departures requested per board. */
const BOARD_LIMIT = 25

/** Collects violations, at most 20. */
class Faults {
  readonly list: string[] = []

  check(holds: boolean, what: string): void {
    if (!holds && this.list.length < 20) this.list.push(what)
  }

  /** Checks that every value in a column is a row number below `count`, or is `none`. */
  references(column: Numbers, to: { what: string; count: number; none?: number }): void {
    for (const value of columnArray(column)) {
      if (value !== to.none && !(Number.isInteger(value) && value >= 0 && value < to.count)) {
        return this.check(false, `${to.what} is ${value} of ${to.count}`)
      }
    }
  }

  within(column: Numbers, range: { what: string; min: number; max: number; orNaN?: boolean; or?: number }): void {
    for (const value of columnArray(column)) {
      if ((range.orNaN === true && Number.isNaN(value)) || value === range.or) continue
      if (!(value >= range.min && value <= range.max)) return this.check(false, `${range.what} is ${value}`)
    }
  }

  /** Checks the offsets of a list of lists: they start at 0, never decrease, and end at the number of values. */
  offsets(column: Numbers, of: { what: string; count: number; values: number }): void {
    const offset = columnArray(column)
    this.check(offset.length === of.count + 1, `${of.what} has ${offset.length} offsets for ${of.count}`)
    this.check(offset[0] === 0 && offset.at(-1) === of.values, `${of.what} ends at ${offset.at(-1)} of ${of.values}`)
    for (let i = 1; i < offset.length; i++) {
      if ((offset[i] as number) < offset[i - 1]) return this.check(false, `${of.what} falls at ${i}`)
    }
  }
}

/** The violations in a loaded feed. */
export function findFeedFaults(feed: Feed): string[] {
  const faults = new Faults()
  checkTexts(feed, faults)
  checkPlaces(feed, faults)
  checkTrips(feed, faults)
  checkCalls(feed, faults)
  checkServices(feed, faults)
  checkRest(feed, faults)
  return faults.list
}

/** Checks that every column has as many rows as its table, and that every string number exists in the string pool. */
function checkTexts(feed: Feed, faults: Faults): void {
  const count = countTexts(feed.strings)
  faults.offsets(feed.strings.offsets, { what: 'strings', count, values: feed.strings.bytes.length })
  const { agencies, stops, routes, trips, calls, services, shapes, carried } = feed
  const textColumns = [
    ...[agencies.id, agencies.name, agencies.url, agencies.timezone, agencies.lang],
    ...[stops.id, stops.code, stops.name, stops.platformCode, stops.zoneId, stops.timezone, stops.levelId],
    ...[routes.id, routes.shortName, routes.longName],
    ...[trips.id, trips.headsign, trips.shortName, trips.blockId],
    ...[calls.headsign, services.id, shapes.id],
    ...carried.flatMap((table) => table.columns.map((column) => column.values)),
  ]
  for (const column of textColumns) faults.references(column, { what: 'a string', count })
  for (const name of ['agencies', 'stops', 'routes', 'trips', 'services', 'shapes'] as const) {
    const ids = [...columnArray(feed[name].id)]
    faults.check(ids.length === feed[name].count, `${name} has ${ids.length} ids of ${feed[name].count}`)
    faults.check(new Set(ids).size === ids.length, `${name} has a duplicate id`)
  }
  for (const { name, columns, count: rows } of carried) {
    for (const column of columns) faults.check(column.values.length === rows, `${name} has a short column`)
  }
}

function checkPlaces({ stops, agencies, routes }: Feed, faults: Faults): void {
  faults.check(agencies.count > 0 && stops.count > 0 && routes.count > 0, 'the feed lacks an agency, a stop or a route')
  faults.references(stops.parent, { what: 'stops.parent', count: stops.count, none: NONE })
  faults.within(stops.locationType, { what: 'locationType', min: 0, max: 4 })
  faults.within(stops.wheelchairBoarding, { what: 'wheelchairBoarding', min: 0, max: 2 })
  faults.within(stops.lat, { what: 'lat', min: -90, max: 90, orNaN: true })
  faults.within(stops.lon, { what: 'lon', min: -180, max: 180, orNaN: true })
  const [lat, lon, kind, name] = [stops.lat, stops.lon, stops.locationType, stops.name].map(columnArray)
  for (let stop = 0; stop < stops.count; stop++) {
    const hasPlace = !(Number.isNaN(lat?.[stop]) || Number.isNaN(lon?.[stop]))
    faults.check(hasPlace || (kind?.[stop] ?? 0) >= 3, `stop ${stop} has no position`)
    faults.check(name?.[stop] !== 0, `stop ${stop} has no name`)
  }
  faults.references(routes.agency, { what: 'routes.agency', count: agencies.count })
  faults.within(routes.color, { what: 'color', min: 0, max: 0xffffff })
  faults.within(routes.textColor, { what: 'textColor', min: 0, max: 0xffffff })
  faults.check(routes.hasFlexTrips.length === routes.count, 'routes.hasFlexTrips has the wrong length')
}

function checkTrips({ trips, routes, services, shapes, calls }: Feed, faults: Faults): void {
  faults.references(trips.route, { what: 'trips.route', count: routes.count })
  faults.references(trips.service, { what: 'trips.service', count: services.count })
  faults.references(trips.shape, { what: 'trips.shape', count: shapes.count, none: NONE })
  faults.within(trips.direction, { what: 'direction', min: 0, max: 1, or: NONE_U8 })
  faults.within(trips.wheelchair, { what: 'wheelchair', min: 0, max: 2 })
  faults.within(trips.bikes, { what: 'bikes', min: 0, max: 2 })
  faults.offsets(trips.callOffset, { what: 'trips.callOffset', count: trips.count, values: calls.count })
}

function checkCalls({ trips, stops, calls }: Feed, faults: Faults): void {
  faults.references(calls.stop, { what: 'calls.stop', count: stops.count })
  faults.within(calls.pickupType, { what: 'pickupType', min: 0, max: 3 })
  faults.within(calls.dropOffType, { what: 'dropOffType', min: 0, max: 3 })
  faults.within(calls.arrivalSeconds, { what: 'arrival', min: 0, max: MAX_TIME_SECONDS })
  faults.within(calls.departureSeconds, { what: 'departure', min: 0, max: MAX_TIME_SECONDS })
  const offset = columnArray(trips.callOffset)
  const arrival = columnArray(calls.arrivalSeconds)
  const departure = columnArray(calls.departureSeconds)
  const sequence = columnArray(calls.stopSequence)
  const kind = columnArray(stops.locationType)
  for (const stop of columnArray(calls.stop)) faults.check(kind[stop] === 0, `a call at location type ${kind[stop]}`)
  for (let trip = 0; trip < trips.count; trip++) {
    const [first, end] = [offset[trip], offset[trip + 1]]
    faults.check(end - first >= 2, `trip ${trip} has ${end - first} calls`)
    for (let call = first; call < end; call++) {
      faults.check(departure[call] >= arrival[call], `call ${call} departs before it arrives`)
      if (call === first) continue
      faults.check(arrival[call] >= departure[call - 1], `call ${call} goes back in time`)
      faults.check(sequence[call] > sequence[call - 1], `call ${call} is out of sequence`)
    }
  }
}

function checkServices({ services }: Feed, faults: Faults): void {
  const { count, dayCount, bytesPerService, activeDays, firstDay } = services
  faults.check(bytesPerService === Math.ceil(dayCount / 8), `${bytesPerService} bytes for ${dayCount} days`)
  faults.check(activeDays.length === count * bytesPerService, 'activeDays has the wrong length')
  faults.check(Number.isInteger(firstDay) && firstDay >= 0 && dayCount <= 40_000, `days from ${firstDay}`)
}

function checkRest({ frequencies, transfers, shapes, trips, stops, routes }: Feed, faults: Faults): void {
  faults.references(frequencies.trip, { what: 'frequencies.trip', count: trips.count })
  faults.within(frequencies.headwaySeconds, { what: 'headway', min: 1, max: NONE - 1 })
  const [start, end] = [columnArray(frequencies.startSeconds), columnArray(frequencies.endSeconds)]
  for (let row = 0; row < frequencies.count; row++) {
    faults.check(start[row] < end[row], `frequency ${row} ends before it starts`)
  }
  for (const column of [transfers.fromStop, transfers.toStop]) {
    faults.references(column, { what: 'a transfer stop', count: stops.count, none: NONE })
  }
  for (const column of [transfers.fromRoute, transfers.toRoute]) {
    faults.references(column, { what: 'a transfer route', count: routes.count, none: NONE })
  }
  for (const column of [transfers.fromTrip, transfers.toTrip]) {
    faults.references(column, { what: 'a transfer trip', count: trips.count, none: NONE })
  }
  faults.within(transfers.type, { what: 'transfers.type', min: 0, max: 5 })
  faults.offsets(shapes.pointOffset, { what: 'shapes', count: shapes.count, values: shapes.latE6.length })
  faults.within(shapes.latE6, { what: 'shapes.latE6', min: -90e6, max: 90e6 })
  faults.within(shapes.lonE6, { what: 'shapes.lonE6', min: -180e6, max: 180e6 })
}

/** The violations in a timetable and in some of its boards. */
export function findTimetableFaults(timetable: Timetable): string[] {
  const faults = new Faults()
  const { stops, areas, lines, patterns, trips, stopTimes, boards, serviceDays, meta, shapes } = timetable
  const count = countTexts(timetable.strings)
  const [stopCount, lineCount] = [stops.id.length, lines.id.length]
  for (const column of [stops.id, stops.name, areas.id, areas.name, lines.id, lines.code, lines.name, trips.id]) {
    faults.references(column, { what: 'a timetable string', count })
  }
  faults.references(stops.area, { what: 'stops.area', count: areas.id.length, none: NONE })
  faults.within(stops.lat, { what: 'a stop’s lat', min: -90, max: 90 })
  faults.within(stops.lon, { what: 'a stop’s lon', min: -180, max: 180 })
  faults.within(areas.lat, { what: 'an area’s lat', min: -90, max: 90 })
  faults.offsets(stops.lineOffset, { what: 'stops.lineOffset', count: stopCount, values: stops.lineAt.length })
  faults.references(stops.lineAt, { what: 'stops.lineAt', count: lineCount })
  faults.references(patterns.line, { what: 'patterns.line', count: lineCount })
  const patternStops = { what: 'patterns.stopOffset', count: patterns.line.length, values: patterns.stopAt.length }
  faults.offsets(patterns.stopOffset, patternStops)
  faults.references(patterns.stopAt, { what: 'patterns.stopAt', count: stopCount })
  const tripCount = trips.id.length
  faults.offsets(patterns.tripOffset, { what: 'patterns.tripOffset', count: patterns.line.length, values: tripCount })
  faults.references(trips.pattern, { what: 'trips.pattern', count: patterns.line.length })
  faults.references(trips.service, { what: 'trips.service', count: serviceDays.serviceId.length })
  faults.references(trips.shape, { what: 'trips.shape', count: shapes.id.length, none: NONE })
  faults.offsets(boards.offset, { what: 'boards.offset', count: stopCount, values: boards.trip.length })
  faults.references(boards.trip, { what: 'boards.trip', count: tripCount })
  faults.within(stopTimes.departureSeconds, { what: 'a departure', min: 0, max: meta.maxTimeSeconds })
  checkZeros(timetable, faults)
  checkBoards(timetable, faults)
  return faults.list
}

/** Checks that the starts of service days are in order, and that each is at most two days after the previous one. */
function checkZeros({ serviceDays, meta }: Timetable, faults: Faults): void {
  const zeros = columnArray(serviceDays.zeroSeconds)
  faults.check(zeros.length === meta.dayCount, `${zeros.length} zeros for ${meta.dayCount} days`)
  for (let day = 1; day < zeros.length; day++) {
    const step = zeros[day] - zeros[day - 1]
    if (!(step >= 0 && step <= 2 * SECONDS_PER_DAY)) return faults.check(false, `day ${day} begins ${step} s later`)
  }
}

/**
 * Checks a board of some stops on each of three days: its departures are sorted and within its window. Each departure
 * has the time of its call, unless its trip is frequency-based.
 */
function checkBoards(timetable: Timetable, faults: Faults): void {
  const { serviceDays, trips, meta, patterns } = timetable
  const stops = Array.from({ length: Math.min(timetable.stops.id.length, 8) }, (_, stop) => stop as StopIndex)
  for (const day of [0, 3, meta.dayCount - 1]) {
    if (day < 0 || day >= meta.dayCount) continue
    const fromSeconds = serviceDays.zeroSeconds[day]
    const window = { fromSeconds, toSeconds: fromSeconds + SECONDS_PER_DAY, stops, limit: BOARD_LIMIT }
    const rows = listDepartures(timetable, window)
    faults.check(rows.length <= BOARD_LIMIT, `${rows.length} departures, more than ${BOARD_LIMIT}`)
    for (const [i, row] of rows.entries()) {
      const at = row.departureSeconds
      faults.check(at >= window.fromSeconds && at < window.toSeconds, `a departure at ${at} outside its window`)
      faults.check(i === 0 || (rows[i - 1]?.departureSeconds ?? 0) <= at, `departure ${i} is out of order`)
      const pattern = trips.pattern[row.trip]
      faults.check(row.position < callCount(timetable, pattern) - 1, `a departure from position ${row.position}`)
      const isFrequency = patterns.isFrequency[pattern] === 1
      const seconds = timetable.stopTimes.departureSeconds[stopTimeAt(timetable, row.trip, row.position)]
      const zero = serviceDays.zeroSeconds[row.day]
      faults.check(isFrequency || zero + seconds === at, `a departure at ${at}, but its call at ${zero + seconds}`)
    }
  }
}

const ACTIONS = ['refused_feed', 'dropped_row', 'repaired', 'reported']

/** The faults of reported problems, such as a malformed member. */
export function findProblemFaults(problems: FeedProblems): string[] {
  const faults = new Faults()
  const dropped = new Map<string, number>()
  for (const problem of problems.list()) {
    const { rule, file, line, count, action, example } = problem
    const name = `${rule} in ${file}`
    faults.check(/^[a-z0-9_]+$/.test(rule) && file !== '', `${name} has no rule or file`)
    faults.check(Number.isInteger(line) && line >= 0, `${name} is at line ${line}`)
    faults.check(Number.isInteger(count) && count >= 1, `${name} is counted ${count}`)
    faults.check(ACTIONS.includes(action) && action !== 'refused_feed', `${name} was ${action}`)
    faults.check(typeof example === 'string', `${name} has no example`)
    if (action === 'dropped_row') dropped.set(file, (dropped.get(file) ?? 0) + count)
  }
  for (const [file, counts] of problems.files) {
    faults.check(counts.dropped <= counts.rows, `${file}: ${counts.dropped} of ${counts.rows} rows dropped`)
    faults.check(counts.dropped === (dropped.get(file) ?? 0), `${file}: ${counts.dropped} dropped, but fewer reported`)
  }
  return faults.list
}

/** The faults of a refusal, such as a missing member. */
export function findRefusalFaults({ problem }: FeedRefused): string[] {
  const faults = new Faults()
  faults.check(/^[a-z0-9_]+$/.test(problem.rule), `the rule is "${problem.rule}"`)
  faults.check(problem.file !== '', `${problem.rule} names no file`)
  faults.check(problem.action === 'refused_feed', `${problem.rule} was ${problem.action}`)
  faults.check(Number.isInteger(problem.line) && problem.line >= 0, `${problem.rule} is at line ${problem.line}`)
  faults.check((problem.example ?? '') !== '', `${problem.rule} has no example`)
  return faults.list
}
