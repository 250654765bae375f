// A planned journey: walks and rides in chronological order, with the data that answers show about each section.

import type { TripWay } from '../../indexes/live/live-way.ts'
import type { LiveCallIndex, Overlay } from '../../indexes/live/overlay.ts'
import type { DirectionIndex, LineIndex, StopIndex, Timetable } from '../../indexes/timetable/timetable.ts'
import type { TripInstance } from '../../indexes/timetable/trips.ts'
import type { Place } from './snapshot-view.ts'

/** The origin or destination of a journey. */
export interface JourneyEnd {
  /** Degrees. */
  readonly lat: number
  readonly lon: number
  /** The stop or area of the network; undefined if the end is neither. */
  readonly place: Place | undefined
  /** The name of an end that is neither a stop nor an area. If absent, its coordinates are shown. */
  readonly label?: string | undefined
  /** The id of the address, without the prefix `ban:`, if the end is an address. */
  readonly addressId?: string | undefined
}

/** The calls of a ride. They come from an overlay if it has live data for the trip, otherwise from the timetable. */
export type RideCalls =
  | { readonly kind: 'live'; readonly overlay: Overlay; readonly calls: readonly LiveCallIndex[] }
  /** `from` is the position of the boarding call in the trip. */
  | { readonly kind: 'scheduled'; readonly instance: TripInstance; readonly from: number }

/** A walk. Instants are in Unix seconds. */
export interface WalkSection {
  readonly kind: 'walk'
  readonly from: JourneyEnd
  readonly to: JourneyEnd
  readonly departs: number
  readonly arrives: number
  readonly meters: number
}

/** A ride in one vehicle. */
export interface RideSection {
  readonly kind: 'ride'
  /** Local part of the trip's public id. */
  readonly tripRef: string
  readonly line: LineIndex
  readonly direction: DirectionIndex
  /** The headsign at the boarding stop. */
  readonly headsign: string
  /** Every stop at which the trip calls, from boarding to alighting, inclusive. */
  readonly stops: readonly StopIndex[]
  /** The expected time if a feed reports it, otherwise the scheduled time, in Unix seconds. */
  readonly departs: number
  readonly arrives: number
  readonly isRealtime: boolean
  /** Whether the rider stays in the vehicle of the previous ride. */
  readonly staysSeated: boolean
  /**
   * Minimum time from alighting from the previous ride to boarding this one; undefined for the first ride and for
   * in-seat transfers.
   */
  readonly changeSeconds: number | undefined
  /** One call for each stop in `stops`. */
  readonly calls: RideCalls
  /** Computes the course of the ride, along the trip's shape if possible. */
  way(): TripWay
}

/** A section of a journey. */
export type Section = WalkSection | RideSection

/** One way to travel from the origin to the destination. */
export interface Journey {
  readonly sections: readonly Section[]
  readonly departs: number
  readonly arrives: number
  /** Number of transfers; in-seat transfers do not count. */
  readonly transfers: number
}

/** Makes a journey from its sections, of which there must be at least one. */
export function toJourney(sections: readonly Section[]): Journey {
  const [first] = sections
  const last = sections.at(-1)
  if (first === undefined || last === undefined) throw new Error('a journey has no sections')
  const vehicles = ridesOf(sections).filter(({ staysSeated }) => !staysSeated).length
  return { sections, departs: first.departs, arrives: last.arrives, transfers: Math.max(0, vehicles - 1) }
}

/** A transfer between two rides. */
export interface Change {
  /** Spare time: the time between the two rides, minus the minimum time for the transfer. */
  readonly slackSeconds: number
  /** Whether at least one of the two rides has live data. */
  readonly isLive: boolean
}

/** The transfers between a journey's sections, without in-seat transfers. */
export function changesOf(sections: readonly Section[]): Change[] {
  const rides = ridesOf(sections)
  return rides.flatMap((ride, at) => {
    const before = rides[at - 1]
    if (before === undefined || ride.changeSeconds === undefined) return []
    const slackSeconds = ride.departs - before.arrives - ride.changeSeconds
    return [{ slackSeconds, isLive: ride.isRealtime || before.isRealtime }]
  })
}

/** The least spare time of a journey's transfers; Infinity if there are none. */
export function slackOf({ sections }: Pick<Journey, 'sections'>): number {
  return changesOf(sections).reduce((least, { slackSeconds }) => Math.min(least, slackSeconds), Infinity)
}

/** The rides in a list of sections. */
export function ridesOf(sections: readonly Section[]): RideSection[] {
  return sections.filter((section) => section.kind === 'ride')
}

/** A stop or area as the origin or destination of a journey. */
export function endAt(timetable: Timetable, place: Place): JourneyEnd {
  const { stops, areas } = timetable
  return place.kind === 'stop'
    ? { lat: stops.lat[place.stop], lon: stops.lon[place.stop], place }
    : { lat: areas.lat[place.area], lon: areas.lon[place.area], place }
}
