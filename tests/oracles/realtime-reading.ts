// Computes the expected live data from a feed's text and its messages: boards with live and scheduled rows, and the
// times that the messages report. Shares no code with loaders, indexes or src.
import type { TextMemory } from './realtime-memory.ts'
import { type FeedMessage, type LiveCall, type LiveTrip, type LiveTrips, readLiveTrips } from './realtime-trips.ts'
import type { TextBoards } from './text-boards.ts'

/** A departure that is at least this late or early is not on time. */
const OFF_SCHEDULE_SECONDS = 60
/** The source of a row if no live feed mentions its call. */
const TIMETABLE = 'gtfs'

/** A board row as the API must return it. Instants are seconds after 1970. */
export interface LiveTextRow {
  readonly trip_id: string
  readonly stop_id: string
  readonly line_id: string
  readonly headsign: string
  readonly scheduled: number
  readonly expected: number | null
  readonly delay_seconds: number | null
  readonly realtime: boolean
  readonly status: string
  readonly source: string
  readonly vehicle_id: string | null
}

/** A row for a reported trip, and the stop whose board must have it. */
export interface Placed {
  /** The feed's own id of the stop. */
  readonly stopId: string
  /** The time by which the board sorts and filters. */
  readonly effective: number
  readonly row: LiveTextRow
  readonly call: LiveCall
  readonly liveTrip: LiveTrip
}

/** A stop, and a time window of its board: [fromSeconds, toSeconds). */
export interface BoardWindow {
  readonly stopId: string
  readonly fromSeconds: number
  readonly toSeconds: number
}

/** What realtime messages report about a feed, and the resulting boards. */
export interface RealtimeReading extends LiveTrips {
  /** Stop id → the rows that the stop's board can have for reported trips. */
  readonly placed: ReadonlyMap<string, readonly Placed[]>
  /** All rows of a board, in order. */
  board(window: BoardWindow): LiveTextRow[]
}

/**
 * Reads messages.
 * @param at the current instant, the network's id (the start of all public ids), and what earlier messages reported
 */
export function readRealtime(
  boards: TextBoards,
  messages: readonly FeedMessage[],
  at: { readonly network: string; readonly nowSeconds: number; readonly memory?: TextMemory },
): RealtimeReading {
  const { network, nowSeconds, memory } = at
  const liveTrips = readLiveTrips(boards, messages, nowSeconds, memory)
  const placed = Map.groupBy(
    [...liveTrips.trips.values()].flatMap((trip) => placeTrip(boards, trip, network)),
    ({ stopId }) => stopId,
  )
  const liveIds = new Set([...liveTrips.trips.keys()].map((ref) => `${network}:trip:${ref}`))
  const board = ({ stopId, fromSeconds, toSeconds }: BoardWindow) => {
    const silent = boards
      .board({ stopIds: [stopId], fromSeconds, toSeconds, limit: Number.POSITIVE_INFINITY })
      .filter((row) => !liveIds.has(row.trip_id))
      .map(({ seconds, call, ...row }) => ({ row: silentRow(row, seconds), effective: seconds, at: call }))
    const live = (placed.get(stopId) ?? []).flatMap(({ row, effective, call, liveTrip: trip }) => {
      if (effective < fromSeconds || effective >= toSeconds) return []
      // A call without a prediction is listed at its scheduled time, unless the vehicle is known to have left the call
      // before the window starts.
      if (row.status === 'unknown' && call.overSeconds < fromSeconds) return []
      return [{ row, effective, at: trip.calls.indexOf(call) }]
    })
    return [...silent, ...live]
      .sort(
        (a, b) =>
          a.effective - b.effective ||
          a.row.scheduled - b.row.scheduled ||
          orderOf(boards, network, a.row) - orderOf(boards, network, b.row) ||
          (a.row.trip_id < b.row.trip_id ? -1 : a.row.trip_id > b.row.trip_id ? 1 : 0) ||
          a.at - b.at,
      )
      .map(({ row }) => row)
  }
  return { ...liveTrips, placed, board }
}

function orderOf(boards: TextBoards, network: string, { line_id }: LiveTextRow): number {
  return boards.routes.get(line_id.slice(`${network}:line:`.length))?.order ?? Number.NaN
}

function silentRow(
  row: Pick<LiveTextRow, 'trip_id' | 'stop_id' | 'line_id' | 'headsign'>,
  seconds: number,
): LiveTextRow {
  return {
    ...row,
    scheduled: seconds,
    expected: null,
    delay_seconds: null,
    realtime: false,
    status: 'unknown',
    source: TIMETABLE,
    vehicle_id: null,
  }
}

/** The rows of a trip. Leaves out the call at which the trip ends, and the calls at which nobody can board. */
function placeTrip(boards: TextBoards, liveTrip: LiveTrip, network: string): Placed[] {
  const { trip, date, state, calls } = liveTrip
  if (state === 'deleted') return []
  const shortened = shortenedHeadsign(boards, liveTrip)
  const end = state === 'runs' ? calls.findLastIndex(({ isSkipped }) => !isSkipped) : -1
  return calls.flatMap((call, at): Placed[] => {
    if (at === calls.length - 1 || at === end || trip.noPickup[at]) return []
    const isShown = state === 'runs' && !call.isSkipped && call.departure !== undefined
    const expected = isShown && call.departure !== undefined ? call.departure : null
    const status =
      state === 'canceled' ? 'canceled' : call.isSkipped ? 'skipped' : punctuality(expected, call.scheduledDeparture)
    const row: LiveTextRow = {
      trip_id: `${network}:trip:${date}:${trip.id}`,
      stop_id: `${network}:stop:${call.stopId}`,
      line_id: `${network}:line:${trip.route.id}`,
      headsign: shortened ?? trip.headsigns[at],
      scheduled: call.scheduledDeparture,
      expected,
      delay_seconds: expected === null ? null : expected - call.scheduledDeparture,
      realtime: status !== 'unknown',
      status,
      source: status === 'unknown' ? TIMETABLE : liveTrip.feed,
      vehicle_id: liveTrip.vehicleId === '' || liveTrip.isCarried ? null : `${network}:vehicle:${liveTrip.vehicleId}`,
    }
    return [{ stopId: call.stopId, effective: expected ?? call.scheduledDeparture, row, call, liveTrip }]
  })
}

function punctuality(expected: number | null, scheduled: number): string {
  if (expected === null) return 'unknown'
  const delay = expected - scheduled
  return delay >= OFF_SCHEDULE_SECONDS ? 'delayed' : delay <= -OFF_SCHEDULE_SECONDS ? 'early' : 'on_time'
}

/**
 * The headsign of a trip that no longer reaches its terminus: the name of the stop at which it now ends, if its usual
 * headsign is the name of the terminus. Otherwise undefined.
 */
function shortenedHeadsign(boards: TextBoards, { trip, calls, state }: LiveTrip): string | undefined {
  const last = calls.findLastIndex((call) => !call.isSkipped)
  if (state !== 'runs' || last === calls.length - 1) return undefined
  const nameOf = (at: number) => boards.stops.names.get(trip.stopIds[at])
  return trip.headsigns[0] === nameOf(calls.length - 1) ? nameOf(last) : undefined
}
