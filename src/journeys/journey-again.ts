// Rebuilds a journey from its id: the same rides and walks, with current data.
import { runningTimes } from '../../indexes/journeys/live-layer.ts'
import type { JourneyPlanner } from '../../indexes/journeys/planner.ts'
import { changeWalk } from '../../indexes/journeys/stop-walks.ts'
import { scheduledCall, stopsOfTrip } from '../../indexes/live/live-trip.ts'
import { CALL_SKIPPED, type InstanceIndex, type LiveCallIndex, type Overlay } from '../../indexes/live/overlay.ts'
import { findTripByRef } from '../../indexes/live/trip-by-ref.ts'
import type { TripPaths } from '../../indexes/live/trip-paths.ts'
import { findArea } from '../../indexes/timetable/areas.ts'
import { findStop } from '../../indexes/timetable/stops.ts'
import type { StopIndex, Timetable } from '../../indexes/timetable/timetable.ts'
import { nextIndex } from '../../loaders/columns.ts'
import { type CallKey, findCall, type PlannedCall, plannedCall } from '../rendering/call-keys.ts'
import {
  endAt,
  type Journey,
  type JourneyEnd,
  type RideSection,
  type Section,
  toJourney,
} from '../rendering/journey.ts'
import type { EndKey, JourneyKey, RideKey, WalkKey } from '../rendering/journey-id.ts'
import { liveDepartureOf } from '../rendering/live-departure.ts'
import { liveMembers, plannedMembers } from './journey-sections.ts'

/** The data for rebuilding journeys. */
export interface AgainGround {
  readonly timetable: Timetable
  readonly paths: TripPaths
  readonly overlay: Overlay | undefined
  readonly planner: JourneyPlanner
  /** Seconds that a transfer takes in addition to its walk. */
  readonly changeSeconds: number
}

/** The parts of the request other than the id. */
export interface AgainMoment {
  /** Departure of a journey without rides, in seconds after 1970. */
  readonly seconds: number
  /** Names of the origin and the destination, if they are not stops or areas. */
  readonly fromLabel: string | undefined
  readonly toLabel: string | undefined
}

/** The journey for an id; undefined if one of its trips, calls or ends no longer exists. */
export function findJourneyAgain(ground: AgainGround, key: JourneyKey, moment: AgainMoment): Journey | undefined {
  const { timetable } = ground
  const { access, egress } = key
  const from = access && findEnd(timetable, access.end, moment.fromLabel)
  const to = egress && findEnd(timetable, egress.end, moment.toLabel)
  if ((access !== undefined && from === undefined) || (egress !== undefined && to === undefined)) return undefined
  const sections: Section[] = []
  let before: RideSection | undefined
  for (const rideKey of key.rides) {
    const ride = findRide(ground, rideKey)
    if (ride === undefined) return undefined
    if (before !== undefined) sections.push(...changeTo(ground, before, { ride, rideKey }))
    else if (access && from) {
      const { meters, seconds } = access.walk
      const [departs, arrives] = [ride.departs - seconds, ride.departs]
      sections.push({ kind: 'walk', from, to: stopEnd(timetable, ride.stops[0]), departs, arrives, meters })
    }
    before = before === undefined || rideKey.staysSeated ? ride : withChange(ground, before, { ride, rideKey })
    sections.push(before)
  }
  if (before === undefined)
    return access && from && to && walkOnly(from, to, { ...access.walk, departs: moment.seconds })
  if (egress && to) {
    const { meters, seconds } = egress.walk
    const [departs, arrives] = [before.arrives, before.arrives + seconds]
    const start = stopEnd(timetable, before.stops[before.stops.length - 1])
    sections.push({ kind: 'walk', from: start, to, departs, arrives, meters })
  }
  return toJourney(sections)
}

function walkOnly(from: JourneyEnd, to: JourneyEnd, walk: WalkKey & { readonly departs: number }): Journey {
  const { departs, seconds, meters } = walk
  return toJourney([{ kind: 'walk', from, to, departs, arrives: departs + seconds, meters }])
}

function stopEnd(timetable: Timetable, stop: StopIndex): JourneyEnd {
  return endAt(timetable, { kind: 'stop', stop })
}

function findEnd(timetable: Timetable, end: EndKey, label: string | undefined): JourneyEnd | undefined {
  if (end.kind === 'point') {
    const { lat, lon, addressId } = end
    return { lat, lon, place: undefined, label, ...(addressId === '' ? {} : { addressId }) }
  }
  if (end.kind === 'stop') {
    const stop = findStop(timetable, end.id)
    return stop === undefined ? undefined : stopEnd(timetable, stop)
  }
  const area = findArea(timetable, end.id)
  return area === undefined ? undefined : endAt(timetable, { kind: 'area', area })
}

/** The ride after a transfer, and its key in the journey's id. */
interface ChangeRide {
  readonly ride: RideSection
  readonly rideKey: RideKey
}

/** Returns a ride with its `changeSeconds`, the minimum duration of the transfer before the ride. */
function withChange(ground: AgainGround, before: RideSection, { ride, rideKey }: ChangeRide): RideSection {
  const [from, to] = [before.stops[before.stops.length - 1], ride.stops[0]]
  const ruled = ground.planner.changeSeconds(
    { stop: from, line: before.line, trip: tripOf(before) },
    { stop: to, line: ride.line, trip: tripOf(ride) },
  )
  const walk = rideKey.walk ?? changeWalk(ground.timetable, from, to)
  return { ...ride, changeSeconds: ruled ?? walk.seconds + ground.changeSeconds }
}

function tripOf({ calls }: RideSection): number {
  if (calls.kind === 'scheduled') return calls.instance.trip
  return calls.overlay.instances.trip[calls.overlay.calls.instance[calls.calls[0]]]
}

/** The walk of a transfer, right after alighting; empty for an in-seat transfer or a transfer at the same stop. */
function changeTo(ground: AgainGround, before: RideSection, { ride, rideKey }: ChangeRide): Section[] {
  const { timetable } = ground
  const [start, end] = [before.stops[before.stops.length - 1], ride.stops[0]]
  const { meters, seconds } = rideKey.walk ?? changeWalk(timetable, start, end)
  if (rideKey.staysSeated || meters === 0) return []
  const departs = before.arrives
  // A transfer rule in the feed may allow less time than the walk takes. A rider who misses the next vehicle walks to
  // its stop anyway.
  const isMissed = ride.departs < departs
  const arrives = isMissed ? departs + seconds : Math.min(departs + seconds, ride.departs)
  return [{ kind: 'walk', from: stopEnd(timetable, start), to: stopEnd(timetable, end), departs, arrives, meters }]
}

/** The current state of a ride: from live data if it covers the ride's trip, otherwise from the timetable. */
function findRide(ground: AgainGround, key: RideKey): RideSection | undefined {
  const { timetable } = ground
  const found = findTripByRef(timetable, ground.overlay, key.tripRef)
  if (found === undefined) return undefined
  if (found.kind === 'live') return findLiveRide(ground, found.overlay, { instance: found.instance, key })
  const planned = found.instance
  const stops = stopsOfTrip(timetable, planned.trip)
  const calls = stops.map((stop, place) => ({ place, stop }))
  const range = findRange(timetable, calls, key)
  if (range === undefined) return undefined
  const { from, to } = range
  const ridden = stops.slice(from, to + 1)
  return {
    kind: 'ride',
    ...plannedMembers(ground, planned, { from, stops: ridden }),
    stops: ridden,
    departs: scheduledCall(timetable, planned, from).departure,
    arrives: scheduledCall(timetable, planned, to).arrival,
    staysSeated: key.staysSeated,
    changeSeconds: undefined,
  }
}

function findLiveRide(
  ground: AgainGround,
  overlay: Overlay,
  { instance, key }: { readonly instance: InstanceIndex; readonly key: RideKey },
): RideSection | undefined {
  const { timetable } = ground
  const { instances, calls, meta } = overlay
  const all: LiveCallIndex[] = []
  for (let call = instances.callOffset[instance]; call < instances.callOffset[nextIndex(instance)]; call++)
    all.push(call)
  const planned = all.map((call) => plannedCall(timetable, overlay, call))
  const range = findRange(timetable, planned, key)
  if (range === undefined) return undefined
  const { from, to } = range
  // A ride omits skipped calls, except at its two ends.
  const kept = all.filter((call, at) => at === from || at === to || (calls.flags[call] & CALL_SKIPPED) === 0)
  const [first, last] = [kept.indexOf(all[from]), kept.indexOf(all[to])]
  const { arrival, departure } = runningTimes(overlay, kept, 0)
  const ridden = kept.slice(first, last + 1)
  const members = liveMembers(ground, overlay, ridden)
  return {
    kind: 'ride',
    ...members,
    // A ride is also live if its boarding or alighting call is skipped or canceled: departure boards mark such calls as
    // live.
    isRealtime: members.isRealtime || [all[from], all[to]].some((call) => isOff(overlay, call)),
    stops: ridden.map((call) => calls.stop[call]),
    departs: meta.baseSeconds + departure[first],
    arrives: meta.baseSeconds + arrival[last],
    staysSeated: key.staysSeated,
    changeSeconds: undefined,
  }
}

/** Whether the call is canceled or skipped. */
function isOff(overlay: Overlay, call: LiveCallIndex): boolean {
  const { status } = liveDepartureOf(overlay, call)
  return status === 'canceled' || status === 'skipped'
}

/** Finds the boarding and the alighting call among the calls of a trip. Returns their indices. */
function findRange(
  timetable: Timetable,
  calls: readonly PlannedCall[],
  { boarding, alighting }: { readonly boarding: CallKey; readonly alighting: CallKey },
): { readonly from: number; readonly to: number } | undefined {
  const from = findCall(timetable, calls, boarding)
  const to = findCall(timetable, calls, alighting)
  return from === undefined || to === undefined || to <= from ? undefined : { from, to }
}
