// Carries delays to the next trip of a vehicle. Part of the realtime oracle; shares no code with indexes/live.
import type { LiveTrip } from './realtime-trips.ts'
import type { TextBoards } from './text-boards.ts'
import type { CleanTrip } from './text-trips.ts'

/**
 * Delays the next trip of a vehicle that ends a trip late, unless the layover is long enough. If the feed itself
 * reports the next trip, that report counts.
 */
export function carryAlongBlocks(boards: TextBoards, trips: Map<string, LiveTrip>): void {
  const blocks = Map.groupBy(boards.trips, ({ blockId }) => blockId)
  for (const first of [...trips.values()]) {
    for (let before: LiveTrip | undefined = first; before !== undefined; ) {
      const after: LiveTrip | undefined = followerOf(boards, blocks, before)
      const key = after === undefined ? '' : `${after.date}:${after.trip.id}`
      if (after === undefined || trips.has(key)) break
      trips.set(key, after)
      before = after
    }
  }
}

function followerOf(
  boards: TextBoards,
  blocks: ReadonlyMap<string, readonly CleanTrip[]>,
  before: LiveTrip,
): LiveTrip | undefined {
  const { trip, date, calls, state } = before
  const arrives = calls.at(-1)?.arrival
  if (trip.blockId === '' || state !== 'runs' || arrives === undefined) return undefined
  const end = trip.arrivals.at(-1) ?? 0
  const today = (blocks.get(trip.blockId) ?? []).filter(({ serviceId }) => boards.calendar.runs(serviceId, date))
  const isAtOnce = (a: CleanTrip, b: CleanTrip) =>
    a !== b && a.departures[0] < (b.arrivals.at(-1) ?? 0) && b.departures[0] < (a.arrivals.at(-1) ?? 0)
  if (today.some((one) => today.some((other) => isAtOnce(one, other)))) return undefined
  const [next] = today
    .filter((other) => other !== trip && other.departures[0] >= end)
    .sort((a, b) => a.departures[0] - b.departures[0])
  if (next === undefined) return undefined
  const zero = boards.zeroOf(date)
  const delay = arrives - (zero + next.departures[0])
  if (delay <= 0) return undefined
  return {
    ...before,
    trip: next,
    state: 'runs',
    isCarried: true,
    calls: next.stopIds.map((stopId, at) => ({
      stopId,
      scheduledArrival: zero + next.arrivals[at],
      scheduledDeparture: zero + next.departures[at],
      arrival: zero + next.arrivals[at] + delay,
      departure: zero + next.departures[at] + delay,
      isSkipped: false,
      isReported: false,
      reportedSeconds: undefined,
      isRaised: false,
      overSeconds: Number.POSITIVE_INFINITY,
    })),
  }
}
