// The sections of a planned journey: its rides, and the walks before, between and after them.
import type { PlannedJourney, PlannedRide } from '../../indexes/journeys/planned-journey.ts'
import { refOfInstance } from '../../indexes/live/live-order.ts'
import { liveWay } from '../../indexes/live/live-way.ts'
import { CALL_PREDICTED, type LiveCallIndex, liveHeadsign, type Overlay } from '../../indexes/live/overlay.ts'
import type { TripPaths } from '../../indexes/live/trip-paths.ts'
import type { Walks } from '../../indexes/streets/walks.ts'
import type { StopIndex, Timetable } from '../../indexes/timetable/timetable.ts'
import { stopHeadsign, type TripInstance, tripRef } from '../../indexes/timetable/trips.ts'
import type { JourneyEnd, RideSection, Section } from '../rendering/journey.ts'
import { endAt } from '../rendering/journey.ts'
import type { WalkReach } from './walk-reach.ts'

/** The data that journeys were planned with. */
export interface SectionGround {
  readonly timetable: Timetable
  readonly paths: TripPaths
  /** The live data that the journeys were planned with. */
  readonly overlay: Overlay | undefined
  readonly from: JourneyEnd
  readonly to: JourneyEnd
  readonly access: WalkReach
  readonly egress: WalkReach
  readonly walks: Walks
}

/** The sections of a journey, without walks of zero distance. */
export function toSections(ground: SectionGround, { rides }: PlannedJourney): Section[] {
  const sections: Section[] = []
  let before: PlannedRide | undefined
  for (const ride of rides) {
    const start = ride.stops[0]
    if (before === undefined) sections.push(...walkTo(ground, start, ride.departs))
    else if (!ride.staysSeated) sections.push(...walkBetween(ground, before, ride))
    sections.push(toRide(ground, ride))
    before = ride
  }
  if (before !== undefined) sections.push(...walkFrom(ground, before.stops[before.stops.length - 1], before.arrives))
  return sections
}

/** The walk to the first stop, as late as possible; empty if the origin is at the stop. */
function walkTo({ timetable, from, access }: SectionGround, stop: StopIndex, arrives: number): Section[] {
  const at = access.stops.indexOf(stop)
  const [meters, seconds] = [access.meters[at], access.seconds[at]]
  if (seconds === 0) return []
  return [{ kind: 'walk', from, to: stopEnd(timetable, stop), departs: arrives - seconds, arrives, meters }]
}

/** The walk from the last stop, right after alighting; empty if the destination is at the stop. */
function walkFrom({ timetable, to, egress }: SectionGround, stop: StopIndex, departs: number): Section[] {
  const at = egress.stops.indexOf(stop)
  const [meters, seconds] = [egress.meters[at], egress.seconds[at]]
  if (seconds === 0) return []
  return [{ kind: 'walk', from: stopEnd(timetable, stop), to, departs, arrives: departs + seconds, meters }]
}

/**
 * The walk of a transfer, right after alighting. Its duration is shortened if a transfer rule in the feed allows less
 * time.
 */
function walkBetween({ timetable, walks }: SectionGround, before: PlannedRide, ride: PlannedRide): Section[] {
  const start = before.stops[before.stops.length - 1]
  const end = ride.stops[0]
  const { meters, seconds } = walks.change(start, end)
  if (meters === 0) return []
  const departs = before.arrives
  const arrives = Math.min(departs + seconds, ride.departs)
  return [{ kind: 'walk', from: stopEnd(timetable, start), to: stopEnd(timetable, end), departs, arrives, meters }]
}

function stopEnd(timetable: Timetable, stop: StopIndex): JourneyEnd {
  return endAt(timetable, { kind: 'stop', stop })
}

function toRide(ground: SectionGround, ride: PlannedRide): RideSection {
  const { stops, departs, arrives, staysSeated, changeSeconds } = ride
  const times = { departs, arrives, staysSeated, changeSeconds }
  const common = { kind: 'ride', stops, ...times } as const
  const [boarding] = ride.live ?? []
  if (ride.live !== undefined && boarding !== undefined && ground.overlay !== undefined) {
    return { ...common, ...liveMembers(ground, ground.overlay, ride.live) }
  }
  if (ride.instance === undefined) throw new Error('a ride is neither in the timetable nor live')
  return { ...common, ...plannedMembers(ground, ride.instance, ride) }
}

type RideMembers = Omit<RideSection, 'kind' | 'stops' | 'departs' | 'arrives' | 'staysSeated' | 'changeSeconds'>

/** The data for computing rides. */
export type RideGround = Pick<SectionGround, 'timetable' | 'paths'>

/** Returns the members of a ride that has no live data. */
export function plannedMembers(
  { timetable, paths }: RideGround,
  instance: TripInstance,
  { from, stops }: Pick<PlannedRide, 'from' | 'stops'>,
): RideMembers {
  const { trips, patterns } = timetable
  const pattern = trips.pattern[instance.trip]
  return {
    tripRef: tripRef(timetable, instance),
    line: patterns.line[pattern],
    direction: patterns.direction[pattern],
    headsign: stopHeadsign(timetable, instance.trip, from),
    isRealtime: false,
    calls: { kind: 'scheduled', instance, from },
    way: () => ({ path: paths.ofTrip(instance.trip), from, to: from + stops.length - 1 }),
  }
}

/** Returns the members of a ride, computed from the live data about its calls. */
export function liveMembers(ground: RideGround, overlay: Overlay, live: readonly LiveCallIndex[]): RideMembers {
  const { timetable } = ground
  const { calls, instances } = overlay
  const [boarding, alighting] = [live[0], live[live.length - 1]]
  const instance = calls.instance[boarding]
  return {
    tripRef: refOfInstance(timetable, overlay, instance),
    line: instances.line[instance],
    direction: instances.direction[instance],
    headsign: liveHeadsign(timetable, overlay, boarding),
    isRealtime: isLiveRide({ calls, boarding, alighting }),
    calls: { kind: 'live', overlay, calls: live },
    way: () => liveWay(ground, overlay, live),
  }
}

/**
 * Whether a ride has live times: its boarding or its alighting call has a prediction, and neither call has a time that
 * was only moved to fit predictions for other calls.
 */
function isLiveRide(ride: {
  readonly calls: Overlay['calls']
  readonly boarding: LiveCallIndex
  readonly alighting: LiveCallIndex
}): boolean {
  const { calls, boarding, alighting } = ride
  const isPredicted = (call: LiveCallIndex) => (calls.flags[call] & CALL_PREDICTED) !== 0
  const isBoardingMoved = !isPredicted(boarding) && calls.departure[boarding] !== calls.scheduledDeparture[boarding]
  const isAlightingMoved = !isPredicted(alighting) && calls.arrival[alighting] !== calls.scheduledArrival[alighting]
  if (isBoardingMoved || isAlightingMoved) return false
  return isPredicted(boarding) || isPredicted(alighting)
}
