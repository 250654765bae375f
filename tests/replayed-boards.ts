// Compares a replayed network's boards with the second implementation: each row and its place on the board. Covers all
// hours for which messages report calls at a stop, and at least the next three hours.
import type { LiveTextRow, RealtimeReading } from './oracles/realtime-reading.ts'
import { NETWORK, type ReplayedNetwork } from './replayed-network.ts'

const LIMIT = 50
const MIN_MINUTES = 5
const MAX_MINUTES = 180
const REQUESTS_AT_ONCE = 8

/** The result of requesting all boards. */
export interface BoardsFound {
  boards: number
  /** Status → number of different rows with this status. */
  readonly statuses: Record<string, number>
  /** Every row that was served, by `keyOfRow`. */
  readonly served: Set<string>
  readonly differences: string[]
}

/** Requests the boards of stops, and compares each with the expected one. @param stopIds the feed's own ids */
export async function askBoards(
  network: ReplayedNetwork,
  stopIds: Iterable<string>,
  requested: { readonly reading: RealtimeReading; readonly nowSeconds: number },
): Promise<BoardsFound> {
  const found: BoardsFound = { boards: 0, statuses: {}, served: new Set(), differences: [] }
  const stops = [...stopIds]
  const ask = async (): Promise<void> => {
    for (let stop = stops.pop(); stop !== undefined; stop = stops.pop()) {
      await checkStop(network, stop, { ...requested, found })
    }
  }
  await Promise.all(Array.from({ length: REQUESTS_AT_ONCE }, ask))
  return found
}

interface CheckOptions {
  readonly reading: RealtimeReading
  readonly nowSeconds: number
  readonly found: BoardsFound
}

async function checkStop(network: ReplayedNetwork, stopId: string, options: CheckOptions): Promise<void> {
  const { reading, nowSeconds } = options
  const placed = reading.placed.get(stopId) ?? []
  const instants = placed.flatMap(({ effective, row }) => [effective, row.scheduled])
  const step = MAX_MINUTES * 60
  // First requests windows from now on, as riders do, then earlier windows.
  const last = Math.max(nowSeconds + step, ...instants.map((seconds) => seconds + 1))
  for (let at = nowSeconds; at < last; at += step) await checkWindow(network, whole(stopId, at), options)
  for (let at = Math.min(nowSeconds, ...instants); at < nowSeconds; at += step)
    await checkWindow(network, whole(stopId, at), options)
  const edge = placed[Math.floor(placed.length / 2)]?.effective
  if (edge === undefined) return
  // A window includes its first second, but not its end: test both.
  for (const fromSeconds of [edge, edge + 1, edge - MIN_MINUTES * 60])
    await checkWindow(network, { stopId, fromSeconds, minutes: MIN_MINUTES }, options)
  // A call without a prediction is removed from its board when a later call of the trip is reached. Tests the second in
  // which this happens, and the next second.
  const passed = placed.find(({ row, call }) => row.status === 'unknown' && call.overSeconds < row.scheduled)
  if (passed === undefined) return
  const { overSeconds } = passed.call
  for (const fromSeconds of [overSeconds, overSeconds + 1])
    await checkWindow(network, whole(stopId, fromSeconds), options)
}

function whole(stopId: string, fromSeconds: number) {
  return { stopId, fromSeconds, minutes: MAX_MINUTES }
}

/**
 * Checks the board of a stop in a time window. If the window has more rows than a board may have, also checks its
 * halves.
 */
async function checkWindow(
  network: ReplayedNetwork,
  window: { readonly stopId: string; readonly fromSeconds: number; readonly minutes: number },
  options: CheckOptions,
): Promise<void> {
  const { stopId, fromSeconds, minutes } = window
  const { found, reading } = options
  const when = new Date(fromSeconds * 1000).toISOString().replace('.000', '')
  const id = encodeURIComponent(`${NETWORK}:stop:${stopId}`)
  const path = `/v1/stops/${id}/departures?when=${when}&horizon=${minutes}&limit=${LIMIT}`
  const { status, body } = await network.get(path)
  if (status !== 200) {
    found.differences.push(`${path}: ${status}`)
    return
  }
  const rows = listOf(body['data']).map(toRow)
  const expected = reading.board({ stopId, fromSeconds, toSeconds: fromSeconds + minutes * 60 })
  found.boards++
  const difference = compareRows(rows, expected.slice(0, LIMIT)) ?? compareMeta(objectOf(body['meta']), rows)
  if (difference !== undefined) found.differences.push(`${path}: ${difference}`)
  if (expected.length > LIMIT && minutes > MIN_MINUTES) {
    const half = Math.max(MIN_MINUTES, Math.ceil(minutes / 2))
    await checkWindow(network, { stopId, fromSeconds, minutes: half }, options)
    const rest = Math.max(MIN_MINUTES, minutes - half)
    await checkWindow(network, { stopId, fromSeconds: fromSeconds + half * 60, minutes: rest }, options)
    return
  }
  for (const row of rows) {
    const key = keyOfRow(row)
    if (found.served.has(key)) continue
    found.served.add(key)
    found.statuses[row.status] = (found.statuses[row.status] ?? 0) + 1
  }
}

/** The compared members of a row, as one string. */
export function keyOfRow(row: LiveTextRow): string {
  const { scheduled, expected, delay_seconds, realtime, status, source, vehicle_id } = row
  const times = `${textOf(scheduled)} ${expected === null ? '-' : textOf(expected)} ${delay_seconds}`
  const live = `${status} ${realtime} ${source} ${vehicle_id}`
  return [row.trip_id, row.stop_id, row.line_id, row.headsign, times, live].join(' | ')
}

function textOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(5, 19)
}

function compareRows(served: readonly LiveTextRow[], expected: readonly LiveTextRow[]): string | undefined {
  for (let at = 0; at < Math.max(served.length, expected.length); at++) {
    const [one, other] = [served[at], expected[at]].map((row) => (row === undefined ? 'none' : keyOfRow(row)))
    if (one === other) continue
    return `row ${at} of ${served.length}/${expected.length}\n    served   ${one}\n    expected ${other}`
  }
  return undefined
}

/**
 * Checks a board's `meta`: `freshness` is `realtime` if at least one row is live, and `count` is the number of rows.
 */
function compareMeta(meta: Readonly<Record<string, unknown>>, rows: readonly LiveTextRow[]): string | undefined {
  const freshness = rows.some(({ realtime }) => realtime) ? 'realtime' : 'scheduled'
  if (meta['freshness'] !== freshness) return `meta.freshness is ${meta['freshness']}, but its rows are ${freshness}`
  return meta['count'] === rows.length ? undefined : `meta.count is ${meta['count']}, but there are ${rows.length} rows`
}

/** Reads a row from a response. */
export function toRow(value: unknown): LiveTextRow {
  const row = objectOf(value)
  const text = (name: string) => String(row[name])
  const seconds = (name: string) => Date.parse(text(name)) / 1000
  return {
    trip_id: text('trip_id'),
    stop_id: text('stop_id'),
    line_id: text('line_id'),
    headsign: text('headsign'),
    scheduled: seconds('scheduled_at'),
    expected: row['expected_at'] === null ? null : seconds('expected_at'),
    delay_seconds: row['delay_seconds'] === null ? null : Number(row['delay_seconds']),
    realtime: row['realtime'] === true,
    status: text('status'),
    source: text('source'),
    vehicle_id: row['vehicle_id'] === null ? null : text('vehicle_id'),
  }
}

/** Returns the value as a JSON object; throws if it is not an object. */
export function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) throw new Error(`not an object: ${JSON.stringify(value)}`)
  return Object.fromEntries(Object.entries(value))
}

/** Returns the value as a list; throws if it is not a list. */
export function listOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new Error(`not a list: ${JSON.stringify(value)}`)
  return value
}
