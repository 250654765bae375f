// A program for Node that gets departure boards from node-gtfs, for bench/boards.ts. Its command `import FEED DATABASE`
// fills an SQLite file, and `answer DATABASE` runs and times the queries. The program runs in a folder in which
// node-gtfs is installed, because node-gtfs is not a dependency of the project.

/** The query to run for every stop: the first `limit` departures in [fromSeconds, toSeconds) on a service day. */
export interface BoardQuestions {
  readonly stops: readonly string[]
  /** The service day, `yyyymmdd`. */
  readonly date: number
  /** Seconds after the service day's zero, which is noon minus 12 hours. */
  readonly fromSeconds: number
  readonly toSeconds: number
  readonly limit: number
}

/**
 * A departure on a board. Departures from Quai and from node-gtfs are brought into this form, so that they can be
 * compared.
 */
export interface BoardLine {
  readonly trip: string
  /** Seconds after the service day's zero. */
  readonly seconds: number
  readonly line: string
  readonly headsign: string
}

/** A departure from node-gtfs, with a flag that node-gtfs itself does not return. */
export interface CheckedLine extends BoardLine {
  /** Whether riders can board: the stop time allows boarding and is not the last in its trip. */
  readonly isBoardable: boolean
}

/**
 * The ways in which the program gets a board from node-gtfs. `guide`: with the functions that the node-gtfs guide uses
 * for a date and a time window. `services`: with the same functions, but without their date filter, which lists all
 * trips of the day for each query. `sql`: with a handwritten SQL statement on the node-gtfs database.
 */
export type PeerWay = 'guide' | 'services' | 'sql'

/** The commands that the program accepts. */
export type PeerOrder =
  | { readonly kind: 'questions'; readonly questions: BoardQuestions }
  /** Queries every board once and returns the departures on each. */
  | { readonly kind: 'boards'; readonly way: PeerWay }
  /** Queries every board repeatedly for `warmMillis`, then once more with timing. */
  | { readonly kind: 'pass'; readonly way: PeerWay; readonly warmMillis: number }
  /** Adds an index on stop and departure, which node-gtfs does not create. */
  | { readonly kind: 'index' }

/**
 * The program's responses. `untimed`: number of calls in the feed that have no time. `millis`: milliseconds to build
 * the index.
 */
export type PeerAnswer =
  | { readonly kind: 'ready'; readonly untimed: number }
  | { readonly kind: 'boards'; readonly boards: readonly (readonly CheckedLine[])[] }
  | { readonly kind: 'pass'; readonly micros: readonly number[] }
  | { readonly kind: 'index'; readonly millis: number }

type Value = string | number | null
type Row = Readonly<Record<string, Value>>
type Query = Readonly<Record<string, Value | readonly Value[]>>
type GetRows = (
  query: Query,
  fields: readonly string[],
  orderBy: readonly (readonly [string, 'ASC'])[],
  options: { readonly db: Database },
) => Row[]

/** The members of better-sqlite3 that this program uses. */
interface Database {
  prepare(sql: string): { all(...values: Value[]): Row[]; get(...values: Value[]): Row | undefined; run(): void }
}

/** The members of node-gtfs that this program uses. */
interface NodeGtfs {
  importGtfs(config: {
    readonly agencies: readonly { readonly path: string }[]
    readonly sqlitePath: string
    readonly logLevel: string
    readonly ignoreErrors: boolean
  }): Promise<void>
  openDb(config: { readonly sqlitePath: string }): Database
  getServiceIdsByDate(date: number, options: { readonly db: Database }): string[]
  readonly getStoptimes: GetRows
  readonly getTrips: GetRows
  readonly getRoutes: GetRows
}

/**
 * `PACKAGE` is declared as `string`, so that the type checker does not look for the package. The package is installed
 * only while the benchmark runs.
 */
const PACKAGE: string = 'gtfs'
const gtfs: NodeGtfs = await import(PACKAGE)

const [task, ...paths] = process.argv.slice(2)
if (task === 'import') await importFeed(paths[0] ?? '', paths[1] ?? '')
else takeOrders(gtfs.openDb({ sqlitePath: paths[0] ?? '' }))

/**
 * Imports a feed. Errors from node-gtfs are printed and ignored. Otherwise, node-gtfs would reject a whole feed for
 * problems in tables that boards do not need.
 */
async function importFeed(path: string, sqlitePath: string): Promise<void> {
  await gtfs.importGtfs({ agencies: [{ path }], sqlitePath, logLevel: 'warning', ignoreErrors: true })
}

function takeOrders(db: Database): void {
  let questions: BoardQuestions | undefined
  let ways: Readonly<Record<PeerWay, (stop: string) => BoardLine[]>> | undefined
  const answer = (order: PeerOrder): PeerAnswer => {
    if (order.kind === 'questions') {
      questions = order.questions
      ways = {
        guide: askByGuide(db, questions),
        services: askByServices(db, questions),
        sql: askBySql(db, questions),
      }
      return { kind: 'ready', untimed: countUntimed(db) }
    }
    if (questions === undefined || ways === undefined) throw new Error('no questions have been received')
    if (order.kind === 'index') return { kind: 'index', millis: addIndex(db) }
    const ask = ways[order.way]
    if (order.kind === 'boards') return { kind: 'boards', boards: questions.stops.map((stop) => check(db, stop, ask)) }
    return { kind: 'pass', micros: timePass(questions.stops, ask, order.warmMillis) }
  }
  process.on('message', (order: PeerOrder) => process.send?.(answer(order)))
}

const CALL_FIELDS = ['trip_id', 'departure_timestamp', 'stop_headsign']
const BY_DEPARTURE = [['departure_timestamp', 'ASC']] as const

/**
 * Returns a function that makes three queries: the stop times at a stop on the date and in the time window, the trips
 * of these stop times, and the routes of these trips.
 */
function askByGuide(db: Database, queried: BoardQuestions): (stop: string) => BoardLine[] {
  const window = { ...clockWindow(queried), date: queried.date }
  return (stop) => {
    const calls = gtfs
      .getStoptimes({ stop_id: stop, ...window }, CALL_FIELDS, BY_DEPARTURE, { db })
      .slice(0, queried.limit)
    return toLines(db, calls, getTripsOf(db, calls, {}))
  }
}

/**
 * Returns a function that queries the stop times at a stop in the time window on any date, and keeps those whose trips
 * run on the date.
 */
function askByServices(db: Database, queried: BoardQuestions): (stop: string) => BoardLine[] {
  const window = clockWindow(queried)
  const services = gtfs.getServiceIdsByDate(queried.date, { db })
  return (stop) => {
    const calls = gtfs.getStoptimes({ stop_id: stop, ...window }, CALL_FIELDS, BY_DEPARTURE, { db })
    const trips = getTripsOf(db, calls, { service_id: services })
    const running = new Set(trips.map((trip) => trip['trip_id']))
    return toLines(db, calls.filter((call) => running.has(call['trip_id'] ?? null)).slice(0, queried.limit), trips)
  }
}

function clockWindow({ fromSeconds, toSeconds }: BoardQuestions): { start_time: string; end_time: string } {
  return { start_time: clockTime(fromSeconds), end_time: clockTime(toSeconds - 1) }
}

function getTripsOf(db: Database, calls: readonly Row[], only: Query): Row[] {
  const ids = calls.map((call) => call['trip_id'] ?? null)
  return gtfs.getTrips({ ...only, trip_id: ids }, ['trip_id', 'route_id', 'trip_headsign'], [], { db })
}

/** Adds trip headsigns and route names to calls. */
function toLines(db: Database, calls: readonly Row[], trips: readonly Row[]): BoardLine[] {
  const tripOf = new Map(trips.map((trip) => [trip['trip_id'], trip]))
  const rows = calls.map((call) => ({ ...tripOf.get(call['trip_id'] ?? null), ...call }))
  const ids = [...new Set(rows.map((row: Row) => row['route_id'] ?? null))]
  const routes = gtfs.getRoutes({ route_id: ids }, ['route_id', 'route_short_name'], [], { db })
  const nameOf = new Map(routes.map((route) => [route['route_id'], route['route_short_name'] ?? null]))
  return rows.map((row: Row) => toLine({ ...row, route_short_name: nameOf.get(row['route_id'] ?? null) ?? null }))
}

/**
 * Looks up the services on the date, and returns a function that runs one prepared statement. The statement leaves out
 * calls at which riders cannot board. It also compares the arrival with the window: node-gtfs has an index on stop and
 * arrival, and with this index, SQLite skips rows after the window.
 */
function askBySql(db: Database, queried: BoardQuestions): (stop: string) => BoardLine[] {
  const services = gtfs.getServiceIdsByDate(queried.date, { db })
  const statement = db.prepare(`
    SELECT calls.trip_id, calls.departure_timestamp, calls.stop_headsign, trips.trip_headsign, routes.route_short_name
    FROM stop_times AS calls
    CROSS JOIN trips ON trips.trip_id = calls.trip_id
    CROSS JOIN routes ON routes.route_id = trips.route_id
    WHERE calls.stop_id = ? AND calls.departure_timestamp >= ? AND calls.departure_timestamp < ?
      AND coalesce(calls.arrival_timestamp, 0) < ?
      AND coalesce(calls.pickup_type, 0) <> 1
      AND trips.service_id IN (${services.map(() => '?').join(', ')})
      AND EXISTS (
        SELECT 1 FROM stop_times AS later
        WHERE later.trip_id = calls.trip_id AND later.stop_sequence > calls.stop_sequence
      )
    ORDER BY calls.departure_timestamp LIMIT ?`)
  const { fromSeconds, toSeconds, limit } = queried
  return (stop) => statement.all(stop, fromSeconds, toSeconds, toSeconds, ...services, limit).map(toLine)
}

function toLine(row: Row): BoardLine {
  return {
    trip: String(row['trip_id']),
    seconds: Number(row['departure_timestamp']),
    line: String(row['route_short_name'] ?? ''),
    headsign: String(row['stop_headsign'] ?? row['trip_headsign'] ?? ''),
  }
}

/** Formats a time as `hh:mm:ss`; hours can be 24 or more. */
function clockTime(seconds: number): string {
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  return parts.map((part) => String(part).padStart(2, '0')).join(':')
}

/** Queries a board once, without timing it, and adds `isBoardable` to each departure. */
function check(db: Database, stop: string, ask: (stop: string) => BoardLine[]): CheckedLine[] {
  const boardable = db.prepare(`
    SELECT 1 FROM stop_times AS calls
    WHERE calls.stop_id = ? AND calls.trip_id = ? AND calls.departure_timestamp = ?
      AND coalesce(calls.pickup_type, 0) <> 1
      AND calls.stop_sequence < (SELECT max(stop_sequence) FROM stop_times WHERE trip_id = calls.trip_id)`)
  return ask(stop).map((line) => ({
    ...line,
    isBoardable: boardable.get(stop, line.trip, line.seconds) !== undefined,
  }))
}

function timePass(stops: readonly string[], ask: (stop: string) => BoardLine[], warmMillis: number): number[] {
  const started = performance.now()
  do for (const stop of stops) ask(stop)
  while (performance.now() - started < warmMillis)
  return stops.map((stop) => {
    const before = performance.now()
    ask(stop)
    return (performance.now() - before) * 1000
  })
}

function countUntimed(db: Database): number {
  const row = db.prepare('SELECT count(*) AS count FROM stop_times WHERE departure_timestamp IS NULL').get()
  return Number(row?.['count'])
}

function addIndex(db: Database): number {
  const started = performance.now()
  db.prepare('CREATE INDEX own_departures ON stop_times (stop_id, departure_timestamp)').run()
  return performance.now() - started
}
