// A journey as it was planned: walks and rides, in time order, with what answers say of each.
import type { LiveCallIndex, Overlay } from '../../indexes/live/overlay.ts'
import type { TripPath } from '../../indexes/live/trip-paths.ts'
import type { DirectionIndex, LineIndex, StopIndex, Timetable } from '../../indexes/timetable/timetable.ts'
import type { TripInstance } from '../../indexes/timetable/trips.ts'
import type { Place } from './snapshot-view.ts'

/** One end of a journey. */
export interface JourneyEnd {
  /** Degrees. */
  readonly lat: number
  readonly lon: number
  /** A stop or area of the network; undefined for a place between them. */
  readonly place: Place | undefined
  /** What a place between them is called; the coordinates where it has no name. */
  readonly label?: string | undefined
  /** The id of the address that such a place was given as, without `ban:`. */
  readonly addressId?: string | undefined
}

/** The calls of a ride: those of an overlay if feeds speak of its trip, else those of the timetable. */
export type RideCalls =
  | { readonly kind: 'live'; readonly overlay: Overlay; readonly calls: readonly LiveCallIndex[] }
  /** @prop from position of the boarding in the calls of the trip */
  | { readonly kind: 'scheduled'; readonly instance: TripInstance; readonly from: number }

/** Part of the way of a trip, in calls of it. */
export interface RideWay {
  readonly path: TripPath
  readonly from: number
  readonly to: number
}

/** On foot. Instants are seconds after 1970. */
export interface WalkSection {
  readonly kind: 'walk'
  readonly from: JourneyEnd
  readonly to: JourneyEnd
  readonly departs: number
  readonly arrives: number
  readonly meters: number
}

/** In one vehicle. */
export interface RideSection {
  readonly kind: 'ride'
  /** Local part of the trip's public id. */
  readonly tripRef: string
  readonly line: LineIndex
  readonly direction: DirectionIndex
  /** What riders read where they board. */
  readonly headsign: string
  /** Every stop called at, from boarding to alighting, both included. */
  readonly stops: readonly StopIndex[]
  /** Expected where a feed tells, else scheduled. */
  readonly departs: number
  readonly arrives: number
  readonly isRealtime: boolean
  /** The rider stays in the vehicle of the ride before. */
  readonly staysSeated: boolean
  /** The least time from alighting before to boarding; undefined for the first ride and where one stays seated. */
  readonly changeSeconds: number | undefined
  /** As many as `stops`. */
  readonly calls: RideCalls
  /** Along the way of the trip; worked out when asked. */
  way(): RideWay
}

/** A part of a journey. */
export type Section = WalkSection | RideSection

/** A way from one end to the other. */
export interface Journey {
  readonly sections: readonly Section[]
  readonly departs: number
  readonly arrives: number
  /** Changes of vehicle; staying seated is none. */
  readonly transfers: number
}

/** A journey of these sections, of which there is at least one. */
export function toJourney(sections: readonly Section[]): Journey {
  const [first] = sections
  const last = sections.at(-1)
  if (first === undefined || last === undefined) throw new Error('a journey has at least one section')
  const vehicles = ridesOf(sections).filter(({ staysSeated }) => !staysSeated).length
  return { sections, departs: first.departs, arrives: last.arrives, transfers: Math.max(0, vehicles - 1) }
}

/** A change of vehicle. */
export interface Change {
  /** Left beyond the walk and what is kept on top of it. */
  readonly slackSeconds: number
  /** Whether a live feed tells of one of the two times that it hangs on. */
  readonly isLive: boolean
}

/** The changes of vehicle among sections; staying seated is none. */
export function changesOf(sections: readonly Section[]): Change[] {
  const rides = ridesOf(sections)
  return rides.flatMap((ride, at) => {
    const before = rides[at - 1]
    if (before === undefined || ride.changeSeconds === undefined) return []
    const slackSeconds = ride.departs - before.arrives - ride.changeSeconds
    return [{ slackSeconds, isLive: ride.isRealtime || before.isRealtime }]
  })
}

/** The least time left at a change; Infinity without a change. */
export function slackOf({ sections }: Pick<Journey, 'sections'>): number {
  return changesOf(sections).reduce((least, { slackSeconds }) => Math.min(least, slackSeconds), Infinity)
}

/** The rides among sections. */
export function ridesOf(sections: readonly Section[]): RideSection[] {
  return sections.filter((section) => section.kind === 'ride')
}

/** Where a stop or area lies. */
export function endAt(timetable: Timetable, place: Place): JourneyEnd {
  const { stops, areas } = timetable
  return place.kind === 'stop'
    ? { lat: stops.lat[place.stop], lon: stops.lon[place.stop], place }
    : { lat: areas.lat[place.area], lon: areas.lon[place.area], place }
}
