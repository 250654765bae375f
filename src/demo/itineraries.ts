// Draws the courses of the demo's lines: each line of the roster in both directions, with its branches and short runs.
// Tram lines are drawn first, so that other lines can use the tram stops.
import {
  type Course,
  curveThrough,
  findStreetCourse,
  MIN_STREET_COST,
  partOf,
  reversed,
  riverCourse,
  tunnelCourse,
} from './courses.ts'
import type { RosterLine } from './roster.ts'
import { between, type Random, seededRandom } from './seeded-random.ts'
import type { StopBook } from './stop-book.ts'
import { nearestNode, type StreetMap } from './street-map.ts'
import { metersBetween, type Point, pointAway, type Terrain } from './terrain.ts'

/** A course that some trips of a line follow. */
export interface Itinerary {
  /** Index in the roster. */
  readonly line: number
  readonly direction: 0 | 1
  /**
   * `full`: the whole line, from end to end. `branch`: a course to another end of the line. `short`: about two thirds
   * of the full course.
   */
  readonly kind: 'full' | 'branch' | 'short'
  readonly course: Course
  /** The area of each mark of the course, as an index in `StopBook.areas`. */
  readonly areas: readonly number[]
}

/** The city in which the lines are drawn. */
export interface Ground {
  readonly seed: number
  readonly terrain: Terrain
  readonly map: StreetMap
  readonly book: StopBook
}

const GOLDEN_TURN = 0.381_966
const METRO_SPACING_METERS = 760
/**
 * Within this distance of the wanted point, a crossing that has its own name is preferred to a nearer crossing without
 * one.
 */
const NAMED_REACH_METERS = 750
const LANDING_SPACING_METERS = 1300
/** Distance of a landing from the middle of the river. */
const LANDING_ASIDE_METERS = 105
/** Hubs for bus lines, as indexes in `CENTRAL_PLACES`. Each line uses the next hub in the list. */
const BUS_HUBS = [0, 1, 2, 3, 5, 14, 4]
/** Hubs for tram lines, as indexes in `CENTRAL_PLACES`. Each line uses the next hub in the list. */
const TRAM_HUBS = [0, 1, 2, 0, 5, 1]

/** All itineraries, grouped by line and in roster order. */
export function drawItineraries(ground: Ground, roster: readonly RosterLine[]): Itinerary[] {
  const draft = new ItineraryDraft(ground)
  const landings = placeLandings(ground.terrain)
  const drawn: Itinerary[][] = roster.map(() => [])
  const ferries = roster.filter((line) => line.mode === 'ferry').length
  let ferry = 0
  for (const mode of ['tram', 'metro', 'bus', 'ferry'] as const) {
    for (const [number, line] of roster.entries()) {
      if (line.mode !== mode) continue
      if (mode === 'tram') drawn[number] = draft.drawTram(line, number)
      else if (mode === 'metro') drawn[number] = draft.drawMetro(line, number)
      else if (mode === 'bus') drawn[number] = draft.drawBus(line, number)
      else drawn[number] = draft.drawFerry(number, chooseLandings(landings, ferry++, ferries))
    }
  }
  return drawn.flat()
}

/** Chooses points for ferry landings along the river, on alternating banks. */
function placeLandings(terrain: Terrain): Point[] {
  const count = Math.max(4, Math.floor((terrain.radiusMeters * 1.6) / LANDING_SPACING_METERS))
  return Array.from({ length: count }, (_, index) => {
    const x = (index - (count - 1) / 2) * LANDING_SPACING_METERS
    return { x, y: terrain.riverAt(x) + (index % 2 === 0 ? 1 : -1) * LANDING_ASIDE_METERS }
  })
}

function chooseLandings(landings: readonly Point[], ferry: number, ferries: number): Point[] {
  const length = 4 + (ferry % 2)
  const first = Math.round(((landings.length - length) * ferry) / Math.max(1, ferries - 1))
  return landings.slice(first, first + length)
}

/** Draws the lines one by one, and records which streets and stops they use. Each city has its own instance. */
class ItineraryDraft {
  private readonly random: Random
  /** Stretch (the street between two crossings) → number of tram lines that use it. */
  private readonly tramUse: Uint16Array
  /** Stretch → number of bus lines that use it. */
  private readonly busUse: Uint16Array
  private readonly tramStops = new Set<number>()
  private readonly busStops = new Set<number>()
  private readonly landingAreas = new Map<Point, number>()
  private readonly firstTurn: number

  constructor(private readonly ground: Ground) {
    this.random = seededRandom(ground.seed, 'itineraries')
    this.tramUse = new Uint16Array(ground.map.edges.length)
    this.busUse = new Uint16Array(ground.map.edges.length)
    this.firstTurn = this.random()
  }

  drawTram(line: RosterLine, number: number): Itinerary[] {
    const middle = this.ground.terrain.centers[line.center]
    const turn = this.firstTurn + ((line.number % 6) + between(this.random, -0.2, 0.2)) / 12
    const back = turn + 0.5 + between(this.random, -0.06, 0.06)
    const through = [
      this.nodeAt(middle, turn, between(this.random, 4700, 6000)),
      this.ground.book.placeNode(middle, TRAM_HUBS[line.number % TRAM_HUBS.length]),
      this.nodeAt(middle, back, between(this.random, 4700, 6000)),
    ]
    const costs = [1.9, 1.05, 1]
    const { course, edges } = findStreetCourse(this.ground.map, through, {
      costOf: (edge) => costs[this.ground.map.edges[edge].rank] * (1 + 0.45 * this.tramUse[edge]),
      spacingMeters: 520,
      isMust: (node) => through.includes(node) || this.ground.book.isHubNode(node),
      isUsual: (node) => this.tramStops.has(node),
    })
    for (const edge of edges) this.tramUse[edge]++
    for (const mark of course.marks) this.tramStops.add(mark.node)
    return this.thereAndBack(number, course, { isCut: line.number % 3 === 0 })
  }

  drawMetro(line: RosterLine, number: number): Itinerary[] {
    const { map, book, terrain } = this.ground
    const middle = terrain.centers[line.center]
    const turn = 0.14 + (line.number % 2) * 0.26
    const hubs = line.number % 2 === 0 ? [1, 0] : [5, 0, 14]
    const through = [
      this.nodeAt(middle, turn, between(this.random, 4300, 5200)),
      ...hubs.map((hub) => book.placeNode(middle, hub)),
      this.nodeAt(middle, turn + 0.5 - (line.number % 2) * 0.12, between(this.random, 4300, 5200)),
    ]
    const places = through.map((node) => map.nodes[node])
    const stations: number[] = []
    for (const [index, node] of through.entries()) {
      if (!stations.includes(node)) stations.push(node)
      if (index + 1 === through.length) break
      const steps = Math.max(1, Math.round(metersBetween(places[index], places[index + 1]) / METRO_SPACING_METERS))
      for (let step = 1; step < steps; step++) {
        const station = this.stationNear(curveThrough(places, index + step / steps))
        if (!stations.includes(station) && !through.includes(station)) stations.push(station)
      }
    }
    return this.thereAndBack(number, tunnelCourse(map, stations), { isCut: line.number % 2 === 0 })
  }

  drawBus(line: RosterLine, number: number): Itinerary[] {
    const ways = this.busWays(line)
    const main = this.findBusCourse(line, ways[0], 0)
    const courses = [main, ...ways.slice(1).map((way) => this.findBusCourse(line, way, 0))]
    const hasOwnWayBack = line.role === 'across' && line.number % 5 === 2
    const back = hasOwnWayBack ? this.findBusCourse(line, ways[0].toReversed(), 1) : undefined
    for (const { course, edges } of back === undefined ? courses : [...courses, back]) {
      for (const edge of edges) this.busUse[edge]++
      for (const mark of course.marks) this.busStops.add(mark.node)
    }
    const isCut = line.role === 'across' && line.number % 4 === 1
    const itineraries = this.thereAndBack(number, main.course, { isCut, back: back?.course })
    for (const { course } of courses.slice(1)) {
      itineraries.push(this.itinerary({ line: number, direction: 0, kind: 'branch' }, course))
      itineraries.push(this.itinerary({ line: number, direction: 1, kind: 'branch' }, reversed(course)))
    }
    return itineraries
  }

  drawFerry(number: number, landings: readonly Point[]): Itinerary[] {
    const { book, terrain } = this.ground
    const areas = landings.map((landing) => {
      const area = this.landingAreas.get(landing) ?? book.openLanding(landing)
      this.landingAreas.set(landing, area)
      return area
    })
    const course = riverCourse(landings, terrain.riverAt)
    return [
      { line: number, direction: 0, kind: 'full', course, areas },
      { line: number, direction: 1, kind: 'full', course: reversed(course), areas: areas.toReversed() },
    ]
  }

  /** The crossings that a bus line passes through, in order: one list, or one list for each branch. */
  private busWays(line: RosterLine): number[][] {
    const { random } = this
    const { book, terrain } = this.ground
    const middle = terrain.centers[line.center]
    const turn = this.firstTurn + line.number * GOLDEN_TURN + line.center * 0.17
    const hub = book.placeNode(middle, BUS_HUBS[line.number % BUS_HUBS.length])
    const outside = (at: number, min: number, max: number): number => this.nodeAt(middle, at, between(random, min, max))
    switch (line.role) {
      case 'radial':
        return [[hub, outside(turn, 4200, 6200)]]
      case 'tangent': {
        const span = between(random, 0.2, 0.3)
        return [[outside(turn, 3600, 5800), outside(turn + span / 2, 2600, 3200), outside(turn + span, 3600, 5800)]]
      }
      case 'branches': {
        const start = outside(turn, 3500, 5000)
        const fork = outside(turn + 0.5, 2700, 3000)
        return [turn + 0.45, turn + 0.55].map((at) => [start, hub, fork, outside(at, 5000, 5800)])
      }
      case 'loop': {
        const corners = Array.from({ length: 7 }, (_, i) => outside(turn + i / 7, 1900, 2300))
        return [[...corners, corners[0]]]
      }
      case 'shuttle':
        return [[1, 0, 4, 5].map((place) => book.placeNode(middle, place))]
      case 'express':
        return [[14, 1, 11].map((place) => book.placeNode(middle, place))]
      case 'night':
        return [[outside(turn, 4600, 6000), book.placeNode(middle, 0), outside(turn + 0.5, 4600, 6000)]]
      default:
        return [[outside(turn, 3200, 6000), hub, outside(turn + between(random, 0.4, 0.6), 3200, 6000)]]
    }
  }

  private findBusCourse(
    line: RosterLine,
    through: readonly number[],
    salt: number,
  ): { course: Course; edges: readonly number[] } {
    const { map, book } = this.ground
    const costs = [1, 0.9, 0.95]
    const taste = line.number * 7919 + line.center * 104_729 + salt * 31
    const isExpress = line.role === 'express'
    return findStreetCourse(map, through, {
      costOf: (edge) =>
        isExpress
          ? costs[2 - map.edges[edge].rank]
          : Math.max(
              MIN_STREET_COST,
              costs[map.edges[edge].rank] * (1 + 0.25 * this.busUse[edge] + 0.2 * this.tramUse[edge]),
            ) *
            (1 + 0.2 * hashShare(edge, taste)),
      spacingMeters: isExpress ? 1700 : line.role === 'night' ? 430 : 310,
      isMust: (node) => through.includes(node) || (!isExpress && book.isHubNode(node)),
      isUsual: (node) => this.busStops.has(node) || this.tramStops.has(node),
    })
  }

  /**
   * The itineraries along a course in both directions. If `isCut`, also the short itineraries along about two thirds of
   * the course.
   */
  private thereAndBack(line: number, course: Course, how: { isCut: boolean; back?: Course }): Itinerary[] {
    const back = how.back ?? reversed(course)
    const drawn = [
      this.itinerary({ line, direction: 0, kind: 'full' }, course),
      this.itinerary({ line, direction: 1, kind: 'full' }, back),
    ]
    const last = course.marks.length - 1
    const cut = Math.round(last * 0.68)
    if (!how.isCut || how.back !== undefined || cut < 2 || cut === last) return drawn
    const short = partOf(course, { from: 0, to: cut })
    drawn.push(this.itinerary({ line, direction: 0, kind: 'short' }, short))
    drawn.push(this.itinerary({ line, direction: 1, kind: 'short' }, reversed(short)))
    return drawn
  }

  private itinerary(is: Pick<Itinerary, 'line' | 'direction' | 'kind'>, course: Course): Itinerary {
    return { ...is, course, areas: course.marks.map((mark) => this.ground.book.areaAt(mark.node)) }
  }

  /**
   * The crossing nearest to the point that lies `meters` from `middle` in the direction `turn`. Prefers a crossing that
   * has its own name.
   */
  private nodeAt(middle: Point, turn: number, meters: number): number {
    const { map, book } = this.ground
    const place = pointAway(middle, turn, meters)
    let best = -1
    let least = NAMED_REACH_METERS
    for (const node of book.namedNodes()) {
      const away = metersBetween(map.nodes[node], place)
      if (away >= least) continue
      least = away
      best = node
    }
    return best >= 0 ? best : nearestNode(map, place)
  }

  /** The crossing for a metro station: the nearest tram stop, unless another crossing is much nearer. */
  private stationNear(place: Point): number {
    const { map } = this.ground
    let best = nearestNode(map, place)
    let least = metersBetween(map.nodes[best], place) + 180
    for (const node of this.tramStops) {
      const away = metersBetween(map.nodes[node], place)
      if (away >= least) continue
      least = away
      best = node
    }
    return best
  }
}

/** A number from 0 (inclusive) to 1 (exclusive) that depends only on two whole numbers. */
function hashShare(a: number, b: number): number {
  let mixed = Math.imul(a ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(b + 0x7f4a7c15, 0xc2b2ae35)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d)
  return ((mixed ^ (mixed >>> 13)) >>> 0) / 4_294_967_296
}
