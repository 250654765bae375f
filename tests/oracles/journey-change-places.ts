// Checks whether riders would make the transfers of a journey at the stops that it uses. If two trips meet at several
// stops, riders prefer a stop with two minutes to spare. Among several such stops, they prefer the shortest transfer,
// and then the most spare time. Part of the journey oracle.
import type { JourneyFeed } from './journey-feed.ts'
import { type FoundRide, findRides, type PlainJourney } from './journey-rides.ts'

/** Enough spare time for a transfer. Riders do not accept a longer transfer to get more spare time than this. */
const ENOUGH_SECONDS = 120

interface Meeting {
  /** Spare seconds at the transfer. */
  readonly slack: number
  /** The minimum seconds for the transfer; 0 if the rider stays at one stop. */
  readonly change: number
  readonly from: string
  readonly to: string
}

/** Describes a transfer for which other stops would be better; undefined if there is none. */
export function findBetterChange(feed: JourneyFeed, { rides }: PlainJourney): string | undefined {
  const found = rides.map((ride) => {
    const places = findRides(feed, ride)
    // If a trip calls at a stop twice in the same second, the ride can start or end at either call. The journey is not
    // checked then.
    return typeof places === 'string' || places.length > 1 ? undefined : places[0]
  })
  for (const [at, to] of found.entries()) {
    const from = found[at - 1]
    if (to === undefined || from === undefined || to.ride.staysSeated) continue
    if (found.includes(undefined)) continue
    const known = meetingAt(feed, { from, to, alight: from.end, board: to.first })
    if (known === undefined) return `no change from ${from.ride.tripRef} to ${to.ride.tripRef}`
    for (const meeting of listMeetings(feed, found as FoundRide[], at)) {
      if (isBetter(meeting, known)) {
        return `from ${from.ride.tripRef} to ${to.ride.tripRef} at ${known.from}, ${known.to}: ${meeting.from}, ${meeting.to} is better`
      }
    }
  }
  return undefined
}

function isBetter(one: Meeting, other: Meeting): boolean {
  const [spare, otherSpare] = [one, other].map(({ slack }) => Math.min(slack, ENOUGH_SECONDS))
  if (spare !== otherSpare) return spare > otherSpare
  return one.change === other.change ? one.slack > other.slack : one.change < other.change
}

/**
 * Every pair of calls at which the rider could transfer to the ride with the index `at` and still use the same
 * vehicles. Leaves out stations at which the rider makes an earlier or later transfer.
 */
function* listMeetings(feed: JourneyFeed, found: readonly FoundRide[], at: number): Generator<Meeting> {
  const stationOf = (trip: number, call: number) => {
    const stop = feed.stopsOfTrip[trip][call]
    const parent = feed.places.parents[stop]
    return parent === '' ? feed.places.ids[stop] : parent
  }
  const changes = [...found.keys()].filter((rank) => rank > 0 && !found[rank].ride.staysSeated)
  const earlier = changes.filter((rank) => rank < at)
  const later = changes.filter((rank) => rank > at)
  const left = new Set(earlier.map((rank) => stationOf(found[rank - 1].trip, found[rank - 1].end)))
  const boarded = new Set(later.map((rank) => stationOf(found[rank].trip, found[rank].first)))
  for (const from of found.slice(earlier.at(-1) ?? 0, at)) {
    for (const to of found.slice(at, later[0] ?? found.length)) {
      for (let alight = from.first + 1; alight < feed.stopsOfTrip[from.trip].length; alight++) {
        if (feed.trips[from.trip].noDropOff[alight] || boarded.has(stationOf(from.trip, alight))) continue
        for (let board = 0; board < to.end; board++) {
          if (feed.trips[to.trip].noPickup[board] || left.has(stationOf(to.trip, board))) continue
          const meeting = meetingAt(feed, { from, to, alight, board })
          if (meeting !== undefined && meeting.slack >= 0) yield meeting
        }
      }
    }
  }
}

function meetingAt(
  feed: JourneyFeed,
  {
    from,
    to,
    alight,
    board,
  }: { readonly from: FoundRide; readonly to: FoundRide; readonly alight: number; readonly board: number },
): Meeting | undefined {
  const [one, other] = [feed.trips[from.trip], feed.trips[to.trip]]
  const [start, end] = [feed.stopsOfTrip[from.trip][alight], feed.stopsOfTrip[to.trip][board]]
  const arrives = from.ride.arrives + one.arrivals[alight] - one.arrivals[from.end]
  const departs = to.ride.departs + other.departures[board] - other.departures[to.first]
  if (departs < arrives) return undefined
  const least = feed.changes.between({ stop: start, trip: one }, { stop: end, trip: other })
  if (least === undefined) return undefined
  const { ids } = feed.places
  return { slack: departs - arrives - least, change: start === end ? 0 : least, from: ids[start], to: ids[end] }
}
