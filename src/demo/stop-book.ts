// The demo city's stops: areas at crossings and at ferry landings. Platforms are created on demand and numbered from 0.
// The streets that meet at a crossing give the area its name.
import { CENTRAL_PLACES, communePlace, composeLanding, OTHER_PLACES, toSlug } from './city-names.ts'
import { type Random, seededRandom } from './seeded-random.ts'
import { nearestNode, type StreetMap } from './street-map.ts'
import { communeAt, type NamedStreets } from './streets.ts'
import { type Point, pointAway, type Terrain } from './terrain.ts'

/** Modes of transport. */
export type Mode = 'metro' | 'tram' | 'bus' | 'ferry'

/** Platforms that are close together and have the same name. */
export interface StopArea {
  /** Id of the area, made from its name. */
  readonly id: string
  readonly name: string
  readonly place: Point
  /** Whether the area is an interchange. Interchanges are always named places of a center. */
  readonly isHub: boolean
  /** Indexes in `StopBook.platforms`. */
  readonly platforms: number[]
}

/** A platform in an area: the place where some lines stop in one direction. */
export interface Platform {
  /** Index in `StopBook.areas`. */
  readonly area: number
  readonly mode: Mode
  readonly place: Point
  /** The platform's number within the area, from 0. */
  readonly number: number
  /** Value of GTFS wheelchair_boarding. */
  readonly wheelchair: 0 | 1 | 2
}

/** What a platform is needed for. */
export interface PlatformRequest {
  readonly mode: Mode
  /** The direction in which the vehicle travels, as a vector of any length. */
  readonly heading: Point
  /** Index of the line in the roster. */
  readonly line: number
  readonly direction: number
}

const STREET_SECTORS = 4
/** Number of names to try for a landing. If none is free, a number is added to the first. */
const LANDING_TRIES = 20
/** At a hub, bus lines are divided into this many groups, each with its own platforms. */
const HUB_GROUPS = 3
/** A platform's offset to the right of the street's middle, in meters. */
const ASIDE_METERS: Readonly<Record<Mode, number>> = { metro: 5, tram: 4, bus: 10, ferry: 0 }

/** Collects a city's areas and platforms while the city is generated. Each city has its own instance. */
export class StopBook {
  readonly areas: StopArea[] = []
  readonly platforms: Platform[] = []
  private readonly areaOfNode = new Map<number, number>()
  private readonly platformOf = new Map<string, number>()
  private readonly givenNames = new Map<number, string>()
  private readonly hubNodes = new Set<number>()
  private readonly takenIds = new Set<string>()
  private readonly random: Random
  private readonly landingNames: Random

  constructor(
    seed: number,
    private readonly map: StreetMap,
    private readonly named: NamedStreets,
    terrain: Terrain,
  ) {
    this.random = seededRandom(seed, 'stops')
    this.landingNames = seededRandom(seed, 'landings')
    for (const [center, middle] of terrain.centers.entries()) {
      for (const place of center === 0 ? CENTRAL_PLACES : OTHER_PLACES) {
        const node = nearestNode(map, pointAway(middle, place.turn, place.away))
        const name = center === 0 ? place.name : `${communeAt(named.communes, middle).name} – ${place.name}`
        if (!this.givenNames.has(node)) this.givenNames.set(node, name)
        this.hubNodes.add(node)
      }
    }
    for (const [index, commune] of named.communes.entries()) {
      const node = nearestNode(map, commune.middle)
      if (!this.givenNames.has(node)) this.givenNames.set(node, communePlace(commune.name, index))
    }
  }

  /**
   * The crossing nearest to one of a center's named places.
   * @param place index in `CENTRAL_PLACES`
   */
  placeNode(middle: Point, place: number): number {
    const { turn, away } = CENTRAL_PLACES[place]
    return nearestNode(this.map, pointAway(middle, turn, away))
  }

  /** Whether a crossing is an interchange. */
  isHubNode(node: number): boolean {
    return this.hubNodes.has(node)
  }

  /** The crossings that have a name of their own: named places, and the centers of communes. */
  namedNodes(): Iterable<number> {
    return this.givenNames.keys()
  }

  /** Returns the area at a crossing, and creates it if necessary. */
  areaAt(node: number): number {
    return this.areaOfNode.getOrInsertComputed(node, () =>
      this.open(this.nameAt(node), this.map.nodes[node], this.hubNodes.has(node)),
    )
  }

  /** The area at a crossing; undefined if no line stops at the crossing. */
  findArea(node: number): number | undefined {
    return this.areaOfNode.get(node)
  }

  /** Creates an area for a ferry landing and returns its index. */
  openLanding(place: Point): number {
    const names = Array.from({ length: LANDING_TRIES }, () => composeLanding(this.landingNames))
    return this.open(this.firstFree(names), place, false)
  }

  /** Returns an area's platform for a line and a direction, and creates it if necessary. */
  platformAt(area: number, request: PlatformRequest): number {
    const { mode, heading, line, direction } = request
    const angle = Math.atan2(heading.y, heading.x)
    const sector = Math.round((angle / (2 * Math.PI)) * STREET_SECTORS + STREET_SECTORS - 0.2) % STREET_SECTORS
    const group = this.areas[area].isHub && mode === 'bus' ? line % HUB_GROUPS : 0
    const key = {
      metro: `m${line}.${direction}`,
      tram: `t${sector}`,
      bus: `b${sector}.${group}`,
      ferry: 'f',
    }[mode]
    const known = this.platformOf.get(`${area}|${key}`)
    if (known !== undefined) return known
    const platform = this.platforms.length
    const aside = ASIDE_METERS[mode]
    const along = 6 + group * 12
    const place = this.areas[area].place
    this.platformOf.set(`${area}|${key}`, platform)
    this.platforms.push({
      area,
      mode,
      number: this.areas[area].platforms.length,
      place: {
        x: place.x + Math.sin(angle) * aside + Math.cos(angle) * along,
        y: place.y - Math.cos(angle) * aside + Math.sin(angle) * along,
      },
      wheelchair: this.drawWheelchair(mode),
    })
    this.areas[area].platforms.push(platform)
    return platform
  }

  private drawWheelchair(mode: Mode): 0 | 1 | 2 {
    const chance = this.random()
    if (mode === 'metro' || mode === 'tram') return chance < 0.97 ? 1 : 2
    return chance < 0.68 ? 1 : chance < 0.86 ? 2 : 0
  }

  private open(name: string, place: Point, isHub: boolean): number {
    const id = toSlug(name)
    this.takenIds.add(id)
    this.areas.push({ id, name, place, isHub, platforms: [] })
    return this.areas.length - 1
  }

  /**
   * A name for a crossing: its own name or, if it has none, a name made from its streets. Names that are already in use
   * are skipped.
   */
  private nameAt(node: number): string {
    const given = this.givenNames.get(node)
    const places = [...new Set(this.map.edgesOf[node].map((edge) => this.named.streetOf[edge]))]
    const streets = places.map((place) => this.named.streets[place]).sort((a, b) => a.rank - b.rank)
    const commune = communeAt(this.named.communes, this.map.nodes[node]).name
    const plain = [
      ...streets.map((street) => street.shortName),
      ...streets.map((street) => street.name),
      ...streets.slice(1).map((street) => `${streets[0].shortName} – ${street.shortName}`),
      ...streets.slice(1).map((street) => `${streets[0].name} – ${street.name}`),
    ]
    const names = [...(given === undefined ? [] : [given]), ...plain, ...plain.map((name) => `${commune} – ${name}`)]
    return this.firstFree(names)
  }

  /** The first name whose id is not in use. If all ids are in use, adds a number to `names[0]`. */
  private firstFree(names: readonly string[]): string {
    const isFree = (name: string): boolean => !this.takenIds.has(toSlug(name))
    const free = names.find(isFree)
    if (free !== undefined) return free
    let number = 2
    while (!isFree(`${names[0]} ${number}`)) number++
    return `${names[0]} ${number}`
  }
}
