// The input for the fare calculation: the rides of a journey, with the ids that fare rules use.
import { textOf } from '../../loaders/strings.ts'
import { areaOfStop } from '../timetable/stops.ts'
import type { LineIndex, StopIndex, Timetable } from '../timetable/timetable.ts'

/** One ride of a journey. */
export interface FareRide {
  readonly line: LineIndex
  /** The stops from boarding to alighting, both included. */
  readonly stops: readonly StopIndex[]
  /** Seconds after 1970. */
  readonly departs: number
  readonly arrives: number
  /** Whether the rider stayed seated from the previous ride, so that no new ticket is needed. */
  readonly staysSeated: boolean
}

/** A price. */
export interface Fare {
  /** In the minor unit of the currency. */
  readonly amount: number
  /** ISO 4217. */
  readonly currency: string
}

/** A ride with the ids that fare rules use. */
export interface NamedRide extends FareRide {
  readonly route: string
  readonly agency: string
  /** The feed of the ride in a network with several feeds; '' in a network with only one feed. */
  readonly feed: string
  readonly fromZone: string
  readonly toZone: string
  readonly zones: ReadonlySet<string>
  readonly fromStops: readonly string[]
  readonly toStops: readonly string[]
}

const FEED_OF_AGENCY = /^(\d+):/

/**
 * Adds to a ride the ids that fare rules use.
 * @param isJoined whether the network has several feeds, so that its ids have a prefix that names the feed
 */
export function nameRide(timetable: Timetable, ride: FareRide, isJoined: boolean): NamedRide {
  const { lines, meta, strings, stops } = timetable
  const agency = meta.agencies[lines.agency[ride.line]]?.id ?? ''
  const zoneOf = (stop: StopIndex) => textOf(strings, stops.zoneId[stop])
  const [from] = ride.stops
  const to = ride.stops.at(-1)
  if (from === undefined || to === undefined) throw new Error('a ride has fewer than two stops')
  return {
    ...ride,
    route: textOf(strings, lines.id[ride.line]),
    agency,
    feed: isJoined ? (FEED_OF_AGENCY.exec(agency)?.[1] ?? '') : '',
    fromZone: zoneOf(from),
    toZone: zoneOf(to),
    zones: new Set(ride.stops.map(zoneOf)),
    fromStops: stopAndStation(timetable, from),
    toStops: stopAndStation(timetable, to),
  }
}

/** The ids with which rules may refer to a stop: its own id and the id of its station, if it has one. */
function stopAndStation(timetable: Timetable, stop: StopIndex): string[] {
  const { areas, stops, strings } = timetable
  const area = areaOfStop(timetable, stop)
  const own = textOf(strings, stops.id[stop])
  return area === undefined ? [own] : [own, textOf(strings, areas.id[area])]
}
