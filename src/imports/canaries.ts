// Canaries: a few departures read from the feed's own tables before the build, and looked up in the finished snapshot.
// A snapshot that lacks one of these departures is never served.
import { listDepartures } from '../../indexes/timetable/boards.ts'
import { findStop } from '../../indexes/timetable/stops.ts'
import type { Timetable } from '../../indexes/timetable/timetable.ts'
import { tripRef } from '../../indexes/timetable/trips.ts'
import { NONE, nextIndex } from '../../loaders/columns.ts'
import type { AgencyRow, CallRow, Feed, FrequencyRow, ServiceRow, TripRow } from '../../loaders/gtfs/feed.ts'
import { textOf } from '../../loaders/strings.ts'
import { localDayIn } from './service-span.ts'

/** A departure that the snapshot must contain. */
export interface Canary {
  readonly stopId: string
  /** `yyyymmdd:trip_id`, as in API responses. */
  readonly trip: string
  /** Unix time in seconds. */
  readonly departureSeconds: number
}

/** Number of sampled trips, spread evenly over the feed. */
const CANARIES = 64
/** Maximum number of departures to look up. No stop has this many departures in one second. */
const BOARD_LIMIT = 10_000
const NO_PICKUP = 1
const STOP = 0
const HALF_DAY_SECONDS = 43_200

/**
 * Samples departures across the feed. Each departure is on its trip's first service day from today on; if there is no
 * such day, it is on the trip's last service day.
 */
export function pickCanaries(feed: Feed, nowMillis: number): Canary[] {
  const { trips, agencies, frequencies } = feed
  const zone = textOf(feed.strings, agencies.timezone[0 as AgencyRow])
  const today = localDayIn(zone, nowMillis)
  const isRun = new Set<number>()
  for (let row = 0; row < frequencies.count; row++) isRun.add(frequencies.trip[row as FrequencyRow])
  const step = Math.max(1, Math.floor(trips.count / CANARIES))
  const canaries: Canary[] = []
  for (let row = 0; row < trips.count && canaries.length < CANARIES; row += step) {
    if (isRun.has(row)) continue
    const canary = canaryOf(feed, row as TripRow, { zone, today })
    if (canary !== undefined) canaries.push(canary)
  }
  return canaries
}

function canaryOf(feed: Feed, trip: TripRow, when: { zone: string; today: number }): Canary | undefined {
  const day = findServiceDay(feed, feed.trips.service[trip], when.today)
  const call = findBoarding(feed, trip)
  if (day === undefined || call === undefined) return undefined
  const date = new Temporal.PlainDate(1970, 1, 1).add({ days: day })
  const noon = date.toZonedDateTime({ timeZone: when.zone, plainTime: new Temporal.PlainTime(12) })
  return {
    stopId: textOf(feed.strings, feed.stops.id[feed.calls.stop[call]]),
    trip: `${date.toString().replaceAll('-', '')}:${textOf(feed.strings, feed.trips.id[trip])}`,
    departureSeconds: noon.epochMilliseconds / 1000 - HALF_DAY_SECONDS + feed.calls.departureSeconds[call],
  }
}

/**
 * The first day from `today` on, in days since 1970, on which a service runs. If there is none, the service's last
 * day; undefined if the service never runs.
 */
function findServiceDay({ services }: Feed, service: ServiceRow, today: number): number | undefined {
  const { firstDay, dayCount, bytesPerService, activeDays } = services
  let last: number | undefined
  for (let day = 0; day < dayCount; day++) {
    const byte = activeDays[service * bytesPerService + (day >> 3)]
    if (((byte >> (day & 7)) & 1) === 0) continue
    last = firstDay + day
    if (last >= today) return last
  }
  return last
}

/** The first call of a trip at which riders can board, not counting its last call; undefined if there is none. */
function findBoarding({ trips, calls, stops }: Feed, trip: TripRow): CallRow | undefined {
  const end = trips.callOffset[nextIndex(trip)] - 1
  for (let call = trips.callOffset[trip]; call < end; call = nextIndex(call)) {
    const stop = calls.stop[call]
    if (stop === NONE || stops.locationType[stop] !== STOP) continue
    if (calls.pickupType[call] !== NO_PICKUP) return call
  }
  return undefined
}

/** Describes the first canary that a timetable lacks; undefined if none is missing. */
export function findMissingCanary(timetable: Timetable, canaries: readonly Canary[]): string | undefined {
  for (const { stopId, trip, departureSeconds } of canaries) {
    const stop = findStop(timetable, stopId)
    const rows =
      stop === undefined
        ? []
        : listDepartures(timetable, {
            stops: [stop],
            fromSeconds: departureSeconds,
            toSeconds: departureSeconds + 1,
            limit: BOARD_LIMIT,
          })
    if (!rows.some((row) => tripRef(timetable, row) === trip)) {
      return `the board for stop ${stopId} does not have trip ${trip} at ${new Date(departureSeconds * 1000).toISOString()}`
    }
  }
  return undefined
}
