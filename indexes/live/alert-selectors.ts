// Resolves the selectors of an alert to lines, stops, areas or groups of lines. A selector matches only what all of its
// fields match. A selector that matches nothing is dropped and counted by reason.
import type { EntitySelector, TripDescriptor } from '../../loaders/gtfs-rt/message.ts'
import { findArea } from '../timetable/areas.ts'
import { findLine } from '../timetable/lines.ts'
import { modeOfRouteType } from '../timetable/modes.ts'
import { findWhole, type Whole } from '../timetable/station-parts.ts'
import { findStop } from '../timetable/stops.ts'
import type { AreaIndex, LineIndex, StopIndex, Timetable } from '../timetable/timetable.ts'
import { findTrip } from '../timetable/trips.ts'

/** All lines with these properties. A property that is undefined matches any value. */
export interface LineGroup {
  /** Index in `meta.agencies`. */
  readonly agency: number | undefined
  /** GTFS route_type. */
  readonly routeType: number | undefined
}

/** A trip that an alert names without naming its whole line. */
export interface NamedTrip {
  readonly line: LineIndex
  readonly tripId: string
  /** `yyyymmdd`; if absent, the alert applies on every day. */
  readonly date?: string
}

/** The lines, stops, areas and trips that an alert affects, without duplicates, in timetable order. */
export interface AlertReach {
  /** Lines that a selector names individually: by their route, or by one of their trips. */
  readonly lines: readonly LineIndex[]
  readonly stops: readonly StopIndex[]
  readonly areas: readonly AreaIndex[]
  readonly groups: readonly LineGroup[]
  /** The affected trips of lines that are only partly affected; absent if there are no such lines. */
  readonly trips?: readonly NamedTrip[]
}

/** Route types below this are basic GTFS types; the others are extended types. */
const FIRST_EXTENDED_TYPE = 100
/** Matches the prefix of an agency's id in a network with several timetables. */
const FEED_ORDINAL = /^\d+:/

/**
 * Whether a line belongs to a group. If the group has a basic route type, it includes every extended type of the same
 * mode.
 */
export function isInGroup({ lines }: Timetable, line: LineIndex, group: LineGroup): boolean {
  const { agency, routeType } = group
  if (agency !== undefined && lines.agency[line] !== agency) return false
  if (routeType === undefined || lines.routeType[line] === routeType) return true
  return routeType < FIRST_EXTENDED_TYPE && modeOfRouteType(routeType) === lines.mode[line]
}

/** Resolves selectors against one timetable. Caches what it finds for each id. Each reading uses a new resolver. */
export class SelectorResolver {
  private readonly timetable: Timetable
  private readonly count: (reason: string) => void
  private readonly lines = new Map<string, LineIndex | undefined>()
  private readonly tripLines = new Map<string, LineIndex | undefined>()
  private readonly places = new Map<string, Whole | undefined>()

  /** @param count called with a reason whenever a selector or a part of it cannot be used */
  constructor(timetable: Timetable, count: (reason: string) => void) {
    this.timetable = timetable
    this.count = count
  }

  /**
   * All lines, stops and areas that the selectors match. Undefined if they match nothing and do not name a whole agency
   * or feed.
   */
  resolve(selectors: readonly EntitySelector[]): AlertReach | undefined {
    const reach = new Reach()
    // GTFS-Realtime requires at least one selector. If an alert has none anyway, it applies to its whole feed.
    let isKept = selectors.length === 0
    for (const selector of selectors) if (this.addSelector(selector, reach)) isKept = true
    return isKept ? reach.sealed() : undefined
  }

  /** Adds what a selector matches. Returns whether the selector could be used. */
  private addSelector(selector: EntitySelector, reach: Reach): boolean {
    const { agencyId, routeId, routeType, directionId, trip, stopId } = selector
    if (directionId !== undefined && routeId === undefined) this.count('direction_without_route')
    const isSpecific = routeId !== undefined || trip !== undefined || stopId !== undefined
    const agencies = agencyId === undefined ? undefined : this.findAgencies(agencyId)
    // Some feeds use agency ids that are not in the timetable. Such an id is counted, and otherwise ignored.
    if (agencies?.length === 0) this.count('unknown_agency')
    const known = agencies === undefined || agencies.length === 0 ? [undefined] : agencies
    if (!isSpecific) return this.addGroups({ ...selector, agencies: known }, reach)

    const place = stopId === undefined ? undefined : this.findPlace(stopId)
    if (stopId !== undefined && place === undefined) return this.refuse('unknown_stop')
    const line = this.lineOf(routeId, trip)
    if (typeof line === 'string') return this.refuse(line)
    if (line !== undefined && !this.agrees(line, { agencies: known, routeType })) {
      return this.refuse('contradictory_selector')
    }
    if (line !== undefined) reach.addLine(line, trip)
    if (place !== undefined) reach.addPlace(place)
    return true
  }

  private addGroups(
    selector: EntitySelector & { readonly agencies: readonly (number | undefined)[] },
    reach: Reach,
  ): boolean {
    const { agencyId, routeType, directionId, agencies } = selector
    if (routeType === undefined) {
      if (agencyId === undefined) return directionId === undefined
      for (const agency of agencies) if (agency !== undefined) reach.addGroup({ agency, routeType })
      return true
    }
    const groups = agencies.map((agency) => ({ agency, routeType }))
    for (const group of groups) reach.addGroup(group)
    return agencyId !== undefined || this.hasLineIn(groups) || this.refuse('unknown_route_type')
  }

  private refuse(reason: string): false {
    this.count(reason)
    return false
  }

  /**
   * The line that a selector names by its route or trip. Undefined if the selector names neither. If the route or the
   * trip is invalid, or if they disagree, the reason is returned.
   */
  private lineOf(routeId: string | undefined, trip: TripDescriptor | undefined): LineIndex | string | undefined {
    const ofRoute = routeId === undefined ? undefined : this.findLine(routeId)
    if (routeId !== undefined && ofRoute === undefined) return 'unknown_route'
    if (trip === undefined) return ofRoute
    // If the trip is not in the timetable (for example, an added trip), the route of its descriptor decides.
    const tripRoute = trip.routeId === undefined ? undefined : this.findLine(trip.routeId)
    const ofTrip = (trip.tripId === undefined ? undefined : this.findLineOfTrip(trip.tripId)) ?? tripRoute
    if (ofTrip === undefined) return ofRoute ?? 'unknown_trip'
    return ofRoute === undefined || ofRoute === ofTrip ? ofTrip : 'contradictory_selector'
  }

  /** Whether a line belongs to one of the agencies and has the mode of the route type. */
  private agrees(
    line: LineIndex,
    { agencies, routeType }: { agencies: readonly (number | undefined)[]; routeType: number | undefined },
  ): boolean {
    const { lines } = this.timetable
    const isOfAgency = agencies.some((agency) => agency === undefined || lines.agency[line] === agency)
    return isOfAgency && (routeType === undefined || modeOfRouteType(routeType) === lines.mode[line])
  }

  private hasLineIn(groups: readonly LineGroup[]): boolean {
    const { timetable } = this
    for (let line = 0 as LineIndex; line < timetable.lines.id.length; line++) {
      if (groups.some((group) => isInGroup(timetable, line, group))) return true
    }
    return false
  }

  /**
   * The agencies with this id. In a network with several timetables, agency ids have a prefix, and several agencies may
   * have the same id apart from the prefix.
   */
  private findAgencies(agencyId: string): number[] {
    const { agencies } = this.timetable.meta
    const where = (fits: (id: string) => boolean) => agencies.flatMap(({ id }, place) => (fits(id) ? [place] : []))
    const exact = where((id) => id === agencyId)
    return exact.length > 0 ? exact : where((id) => id.replace(FEED_ORDINAL, '') === agencyId)
  }

  private findLine(routeId: string): LineIndex | undefined {
    return remembered(this.lines, routeId, () => findLine(this.timetable, routeId))
  }

  private findLineOfTrip(tripId: string): LineIndex | undefined {
    return remembered(this.tripLines, tripId, () => {
      const trip = findTrip(this.timetable, tripId)
      return trip === undefined ? undefined : this.timetable.patterns.line[this.timetable.trips.pattern[trip]]
    })
  }

  private findPlace(stopId: string): Whole | undefined {
    return remembered(this.places, stopId, () => {
      const stop = findStop(this.timetable, stopId)
      if (stop !== undefined) return { stop }
      const area = findArea(this.timetable, stopId)
      // An alert for an entrance or boarding area applies to its station or stop, because riders only query stations
      // and stops.
      return area === undefined ? findWhole(this.timetable, stopId) : { area }
    })
  }
}

function remembered<Found>(known: Map<string, Found | undefined>, id: string, find: () => Found | undefined) {
  if (!known.has(id)) known.set(id, find())
  return known.get(id)
}

/** Collects the lines, trips, stops and areas that selectors match. */
class Reach {
  readonly lines = new Set<LineIndex>()
  private readonly whole = new Set<LineIndex>()
  private readonly trips: NamedTrip[] = []
  private readonly stops = new Set<StopIndex>()
  private readonly areas = new Set<AreaIndex>()
  private readonly groups = new Map<string, LineGroup>()

  /** @param trip the affected trip; undefined if the whole line is affected */
  addLine(line: LineIndex, trip: TripDescriptor | undefined): void {
    this.lines.add(line)
    if (trip?.tripId === undefined) this.whole.add(line)
    else
      this.trips.push({ line, tripId: trip.tripId, ...(trip.startDate === undefined ? {} : { date: trip.startDate }) })
  }

  addPlace(place: Whole): void {
    if (place.stop === undefined) this.areas.add(place.area)
    else this.stops.add(place.stop)
  }

  addGroup(group: LineGroup): void {
    this.groups.set(`${group.agency} ${group.routeType}`, group)
  }

  sealed(): AlertReach {
    const inOrder = <Each extends number>(set: ReadonlySet<Each>) => [...set].sort((a, b) => a - b)
    const trips = this.trips.filter(({ line }) => !this.whole.has(line))
    return {
      lines: inOrder(this.lines),
      stops: inOrder(this.stops),
      areas: inOrder(this.areas),
      groups: [...this.groups.values()],
      ...(trips.length === 0 ? {} : { trips }),
    }
  }
}
