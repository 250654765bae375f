// Runs the journey search alone. For one departure time and two stops, the search finds the earliest arrival for each
// number of rides. Other planners call this a query. A single journey request to Quai needs several such searches.

import { mirrorLayer } from '../indexes/journeys/build-layer.ts'
import { ChangePoints } from '../indexes/journeys/change-points.ts'
import { buildFootpaths, type ChangeRules } from '../indexes/journeys/footpaths.ts'
import { RaptorSearch } from '../indexes/journeys/raptor-search.ts'
import type { FoundJourney, SearchGround, WalkEnds } from '../indexes/journeys/search-ground.ts'
import { pairSeated, readSeatRules } from '../indexes/journeys/seated.ts'
import { buildSpan, InstancePlaces } from '../indexes/journeys/span.ts'
import { classifyTrips } from '../indexes/journeys/trip-classes.ts'
import type { StopIndex, Timetable } from '../indexes/timetable/timetable.ts'

const DAY_SECONDS = 86_400
const isNeverStopped = () => false

/** The change rules, the day and the options for searches. */
export interface SearchOrder {
  readonly rules: ChangeRules
  /** The service day to search. The trips of the next day are included too. */
  readonly day: number
  /** Whether riders stay seated when a vehicle continues as another trip. */
  readonly staysSeated: boolean
}

/** Finds journeys on one day. Also measures how long it takes to prepare the day's trips for the search. */
export class EarliestArrivals {
  readonly classifyMillis: number
  readonly footpathMillis: number
  readonly dayMillis: number
  readonly routes: number
  readonly instances: number
  readonly changes: number
  private readonly points: ChangePoints
  private readonly search: RaptorSearch
  private readonly ground: SearchGround
  private readonly baseSeconds: number
  private found: FoundJourney[] = []
  private readonly keep = (journey: FoundJourney) => {
    this.found.push(journey)
  }

  constructor(timetable: Timetable, { rules, day, staysSeated }: SearchOrder) {
    const started = performance.now()
    const points = new ChangePoints(timetable)
    const classes = classifyTrips(timetable, points)
    const classified = performance.now()
    const footpaths = buildFootpaths(timetable, points, rules).forward
    const walked = performance.now()
    const endDay = Math.min(day + 2, timetable.meta.dayCount)
    const span = buildSpan(timetable, classes, { firstDay: day, endDay, places: points })
    const laid = performance.now()
    const places = new InstancePlaces(span)
    const layers = [span.layer]
    const placeNow = (place: number) => place
    const seated = staysSeated
      ? pairSeated(timetable, readSeatRules(timetable), {
          span,
          places,
          points,
          layers,
          mirrored: [mirrorLayer(span.layer, points)],
          placeNow,
        })
      : undefined
    this.classifyMillis = classified - started
    this.footpathMillis = walked - classified
    this.dayMillis = laid - walked
    this.routes = span.layer.routeCount
    this.instances = span.layer.label.length
    this.changes = footpaths.point.length
    this.points = points
    this.baseSeconds = span.baseSeconds
    this.search = new RaptorSearch(true)
    this.ground = { layers, masked: undefined, footpaths, lines: undefined, continuations: seated?.forward }
  }

  /**
   * Replaces each stop with all its change points, because the search finds journeys between change points. Each change
   * point takes the walking time of its stop.
   */
  toPoints({ stops, seconds }: WalkEnds): WalkEnds {
    const all = stops.map((stop) => this.points.pointsOf(stop as StopIndex))
    return { stops: all.flat(), seconds: all.flatMap((points, at) => points.map(() => seconds[at] as number)) }
  }

  /**
   * The Pareto-optimal journeys by arrival and number of vehicles, those with the fewest vehicles first.
   * @param seconds departure time in seconds after 1970
   */
  find(access: WalkEnds, egress: WalkEnds, seconds: number): readonly FoundJourney[] {
    const at = seconds - this.baseSeconds
    this.found = []
    this.search.begin(this.ground, { access, egress, leaveBefore: at + DAY_SECONDS })
    this.search.leave(at, access, this.keep, isNeverStopped)
    return this.found
  }

  /** The earliest arrival, in seconds after 1970; undefined if there is no journey. */
  arrival(access: WalkEnds, egress: WalkEnds, seconds: number): number | undefined {
    const last = this.find(access, egress, seconds).at(-1)
    return last === undefined ? undefined : this.baseSeconds + last.arrives
  }
}
