// Computes the expected boards of the generated city from the text of its timetable and the messages of its agency.
// There are several expected boards, since the service may have read these messages at different instants. Shares no
// code with the computation of boards in the service.
import { makeCity } from '../../src/demo/city.ts'
import { encodeFeed } from '../../src/demo/simulator/feed-state.ts'
import { type FeedName, type FeedPublisher, openPublishers, PUBLISH_SECONDS } from '../../src/demo/simulator.ts'
import { readBytes } from '../oracles/realtime-bytes.ts'
import { type LiveTextRow, type RealtimeReading, readRealtime } from '../oracles/realtime-reading.ts'
import type { TextBoards } from '../oracles/text-boards.ts'

/** Maximum age in seconds of live data in the service. Older messages are not considered. */
const MOST_AGE_SECONDS = 400
/** Maximum age in seconds of vehicles whose feed fails for a while. */
const VEHICLES_AGE_SECONDS = 60
/**
 * By how many seconds the vehicles may be newer than the trip updates (negative: older). The service reads the two
 * feeds separately.
 */
const VEHICLES_LATER = [0, PUBLISH_SECONDS, -PUBLISH_SECONDS] as const
const VEHICLES = 'vehicle-positions'
/**
 * How far back, and in which steps, to look for trips that are no longer reported. The model does not cover these
 * trips: the service still has their passed calls only if it was not restarted in the meantime.
 */
const VANISHED_SECONDS = 900
const LOOK_BACK_SECONDS = 60
/** Maximum number of readings that are cached. */
const KEPT = 1_000

/** The board in a response. */
export interface AnsweredBoard {
  /** The stop's id in the feed. */
  readonly stopId: string
  readonly fromSeconds: number
  readonly toSeconds: number
  readonly limit: number
  readonly rows: readonly LiveTextRow[]
}

/** The schedule relationships of trips that the model covers. */
const READ: ReadonlySet<string> = new Set(['SCHEDULED', 'CANCELED', 'DELETED'])

/** The expected boards for one set of messages. */
interface Published extends RealtimeReading {
  /** Trips that the model does not cover. */
  readonly unread: ReadonlySet<string>
}

/** The first row in which a board differs from an expected one. */
interface Difference {
  readonly row: number
  readonly text: string
}

/** The expected boards of the city. */
export class LiveModel {
  private readonly boards: TextBoards
  private readonly network: string
  private readonly trips: FeedPublisher
  private readonly vehicles: FeedPublisher
  /** The ids of all trips in the timetable. */
  private readonly known: ReadonlySet<string>
  private readonly readings = new Map<string, Published>()
  private readonly silent: Published
  /** Instant → the trips in the trip updates that were published then. */
  private readonly reported = new Map<number, ReadonlySet<string>>()

  constructor(boards: TextBoards, network: string, city: Parameters<typeof makeCity>[0]) {
    this.boards = boards
    this.network = network
    const clock = { nowMillis: () => Date.now() }
    const publishers = openPublishers({ city: makeCity(city), seed: city.seed, clock })
    const publisherOf = (name: FeedName) => {
      const publisher = publishers.find(({ feed }) => feed === name)
      if (publisher === undefined) throw new Error(`the agency does not publish ${name}`)
      return publisher
    }
    this.trips = publisherOf('trip-updates')
    this.vehicles = publisherOf(VEHICLES)
    this.known = new Set(boards.trips.map(({ id }) => id))
    this.silent = { ...readRealtime(boards, [], { network, nowSeconds: 0 }), unread: new Set() }
  }

  /**
   * Returns how a board differs from the most similar expected board; undefined if it equals one of the expected
   * boards. Trips that the model does not cover, such as replacements and trips at other platforms, are left out of
   * both boards.
   * @param trueSeconds when the board was requested, by the true clock
   */
  differenceOf(board: AnsweredBoard, trueSeconds: number): string | undefined {
    const newest = Math.floor(trueSeconds / PUBLISH_SECONDS) * PUBLISH_SECONDS
    let closest: Difference = { row: -1, text: '' }
    const isOneOf = (reading: Published): boolean => {
      const difference = this.unlike(board, reading)
      if (difference !== undefined && difference.row > closest.row) closest = difference
      return difference === undefined
    }
    const nowSeconds = Math.floor(board.fromSeconds)
    // The likely cases come first: both feeds are fresh, or the service was restarted and has not yet read one of them.
    for (let at = newest; at > newest - VEHICLES_AGE_SECONDS; at -= PUBLISH_SECONDS) {
      if (VEHICLES_LATER.some((later) => isOneOf(this.readingAt(at, at + later, at)))) return undefined
      if (isOneOf(this.readingAt(at, undefined, nowSeconds))) return undefined
    }
    const isSilent = board.rows.every(({ realtime, source }) => !realtime || source === VEHICLES)
    for (let at = newest + PUBLISH_SECONDS; isSilent && at > newest - VEHICLES_AGE_SECONDS; at -= PUBLISH_SECONDS) {
      if (isOneOf(this.silentAt(at))) return undefined
    }
    // In the next case, one feed failed for a while, so the other is newer by more than one interval.
    for (let at = newest; at > newest - VEHICLES_AGE_SECONDS; at -= PUBLISH_SECONDS) {
      for (let vehicles = newest; vehicles > newest - VEHICLES_AGE_SECONDS; vehicles -= PUBLISH_SECONDS) {
        if (isOneOf(this.readingAt(at, vehicles, nowSeconds))) return undefined
      }
    }
    // In the last cases, both feeds failed for a while, or the service's clock is off, so that other calls count as
    // past.
    for (let at = newest - VEHICLES_AGE_SECONDS; at > newest - MOST_AGE_SECONDS; at -= PUBLISH_SECONDS) {
      if (VEHICLES_LATER.some((later) => isOneOf(this.readingAt(at, at + later, at)))) return undefined
    }
    for (let at = newest; at > newest - MOST_AGE_SECONDS; at -= PUBLISH_SECONDS) {
      if (isOneOf(this.readingAt(at, at, nowSeconds))) return undefined
    }
    return closest.text
  }

  /** The expected boards without trip updates. In this case, the model does not cover trips that have vehicles. */
  private silentAt(vehicleSeconds: number): Published {
    const { vehicles } = readBytes(encodeFeed(this.vehicles.messageAt(vehicleSeconds)))
    return { ...this.silent, unread: new Set(vehicles.map(({ trip }) => trip?.tripId ?? '')) }
  }

  /** The first row in which a board differs from an expected one; undefined if there is none. */
  private unlike(board: AnsweredBoard, { board: boardOf, unread }: Published): Difference | undefined {
    // If a trip has no update, its delay comes from its vehicle. The model does not compute such delays.
    const byVehicle = new Set(board.rows.filter(({ source }) => source === VEHICLES).map(({ trip_id }) => trip_id))
    const isRead = ({ trip_id }: LiveTextRow) => {
      const id = trip_id.split(':').slice(3).join(':')
      return this.known.has(id) && !unread.has(id) && !byVehicle.has(trip_id)
    }
    const got = board.rows.filter(isRead).map(keyOf)
    const isFull = board.rows.length === board.limit
    const all = boardOf(board).filter(isRead).map(keyOf)
    const expected = isFull ? all.slice(0, got.length) : all
    const row = Array.from({ length: Math.max(got.length, expected.length) }).findIndex(
      (_, at) => got[at] !== expected[at],
    )
    if (row < 0) return undefined
    return { row, text: `row ${row} is ${got[row] ?? 'missing'}, not ${expected[row] ?? 'there'}` }
  }

  /**
   * The expected boards at `nowSeconds`, for the trip updates published at `seconds` and the vehicles published at
   * `vehicleSeconds`; without vehicles if that is undefined.
   */
  private readingAt(seconds: number, vehicleSeconds: number | undefined, nowSeconds: number): Published {
    const key = `${seconds} ${vehicleSeconds} ${nowSeconds}`
    const known = this.readings.get(key)
    if (known !== undefined) return known
    const published = this.trips.messageAt(seconds)
    const message = readBytes(encodeFeed(published))
    const vehicles =
      vehicleSeconds === undefined ? undefined : readBytes(encodeFeed(this.vehicles.messageAt(vehicleSeconds)))
    const unread = new Set(
      (published.entity ?? []).flatMap(({ tripUpdate }) => {
        const isElsewhere = tripUpdate?.stopTimeUpdate?.some(
          ({ stopTimeProperties }) => stopTimeProperties?.assignedStopId,
        )
        return isElsewhere === true ? [tripUpdate?.trip.tripId ?? ''] : []
      }),
    )
    for (const { trip } of message.trips) if (!READ.has(trip.relationship)) unread.add(trip.tripId)
    // The model does not cover delays that follow from vehicles alone either.
    const updated = new Set(message.trips.map(({ trip }) => trip.tripId))
    for (const { trip } of vehicles?.vehicles ?? []) if (trip && !updated.has(trip.tripId)) unread.add(trip.tripId)
    const earlier = Math.floor(seconds / LOOK_BACK_SECONDS) * LOOK_BACK_SECONDS
    for (let at = earlier; at > seconds - VANISHED_SECONDS; at -= LOOK_BACK_SECONDS) {
      for (const tripId of this.reportedAt(at)) if (!updated.has(tripId)) unread.add(tripId)
    }
    const messages = [
      {
        feed: 'trip-updates',
        message: { ...message, trips: message.trips.filter(({ trip }) => !unread.has(trip.tripId)) },
      },
      ...(vehicles === undefined ? [] : [{ feed: VEHICLES, message: vehicles }]),
    ]
    const reading = {
      ...readRealtime(this.boards, messages, { network: this.network, nowSeconds }),
      unread,
    }
    this.readings.set(key, reading)
    for (const oldest of this.readings.keys()) if (this.readings.size > KEPT) this.readings.delete(oldest)
    return reading
  }

  private reportedAt(seconds: number): ReadonlySet<string> {
    return this.reported.getOrInsertComputed(seconds, () => {
      const { entity } = this.trips.messageAt(seconds)
      return new Set((entity ?? []).flatMap(({ tripUpdate }) => tripUpdate?.trip.tripId ?? []))
    })
  }
}

/**
 * The members of a row that are compared, as one string. The vehicle is not compared, since it comes from another feed
 * and perhaps from another instant.
 */
function keyOf({ trip_id, stop_id, line_id, headsign, scheduled, expected, status, realtime }: LiveTextRow): string {
  return [trip_id, stop_id, line_id, headsign, scheduled, expected, status, realtime].join(' | ')
}
