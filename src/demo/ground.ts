// The demo city as an OpenStreetMap extract: streets with their names and bridges, the river, parks, woods and
// communes. It has the format of real extracts, so that walks follow the streets and the explorer shows a map.
import type { OsmElement, OsmNode } from '../../loaders/osm/pbf-writer.ts'
import { between, type Random, seededRandom } from './seeded-random.ts'
import type { StreetMap } from './street-map.ts'
import type { NamedStreets, Street } from './streets.ts'
import { BANK_METERS, metersBetween, nearestCenter, type Point, pointAway, type Terrain, toDegrees } from './terrain.ts'

/** The parts of the city from which the extract is generated. */
export interface GroundParts {
  readonly seed: number
  readonly terrain: Terrain
  readonly map: StreetMap
  readonly named: NamedStreets
}

const RIVER_NAME = 'La Loire'
const RIVER_STEP_METERS = 120
/** Half the width of the river's water. The nearest streets are farther than this from the middle of the river. */
const WATER_METERS = BANK_METERS * 0.68
/** How far the river extends from the main square in both directions, in city radii: beyond all streets. */
const RIVER_REACH = 1.6
const HIGHWAYS = ['residential', 'secondary', 'primary']
const PARKS = 26
const WOODS = 14
const PARK_NAMES = ['Parc', 'Jardin', 'Square']
const CORNERS = 14

type Tags = Readonly<Record<string, string>>

/** All elements of the extract: first nodes, then ways. */
export function listGround({ seed, terrain, map, named }: GroundParts): OsmElement[] {
  const elements = new Elements()
  const bridges = new Set(map.edges.filter(({ isBridge }) => isBridge).map(({ middle }) => middle))
  for (const street of named.streets) addStreet(elements, street, bridges)
  addRiver(elements, terrain)
  const random = seededRandom(seed, 'ground')
  addGreens(elements, { terrain, named, random })
  for (const [at, { name, middle }] of named.communes.entries()) {
    elements.node(middle, { place: at === 0 ? 'city' : 'village', name })
  }
  return elements.all()
}

/** Collects nodes and ways, and gives each a distinct id. */
class Elements {
  private readonly nodes: OsmNode[] = []
  private readonly ways: OsmElement[] = []
  /** Point → the id of its node. Streets that cross share the point at the crossing, so they also share the node. */
  private readonly idOf = new Map<Point, number>()

  node(point: Point, tags?: Tags): number {
    const id = this.nodes.length + 1
    this.nodes.push({ kind: 'node', id, ...toDegrees(point), tags })
    return id
  }

  way(points: readonly Point[], tags: Tags): void {
    const refs = points.map((point) => this.idOf.getOrInsertComputed(point, () => this.node(point)))
    this.ways.push({ kind: 'way', id: this.ways.length + 1, refs, tags })
  }

  all(): OsmElement[] {
    return [...this.nodes, ...this.ways]
  }
}

/**
 * Adds a street as a way, and each of its bridges as a separate way. The points of a street are alternately crossings
 * and middles of stretches (a stretch is the street between two crossings).
 */
function addStreet(elements: Elements, { name, rank, points }: Street, bridges: ReadonlySet<Point>): void {
  const tags = { highway: HIGHWAYS[rank], name }
  let start = 0
  for (let middle = 1; middle < points.length; middle += 2) {
    if (!bridges.has(points[middle])) continue
    if (middle - 1 > start) elements.way(points.slice(start, middle), tags)
    elements.way(points.slice(middle - 1, middle + 2), { ...tags, bridge: 'yes', layer: '1' })
    start = middle + 1
  }
  if (points.length - 1 > start) elements.way(points.slice(start), tags)
}

function addRiver(elements: Elements, terrain: Terrain): void {
  const reach = terrain.radiusMeters * RIVER_REACH
  const middle: Point[] = []
  for (let x = -reach; x <= reach; x += RIVER_STEP_METERS) middle.push({ x, y: terrain.riverAt(x) })
  elements.way(middle, { waterway: 'river', name: RIVER_NAME })
  const bank = (meters: number) => middle.map(({ x, y }) => ({ x, y: y + meters }))
  const ring = [...bank(WATER_METERS), ...bank(-WATER_METERS).reverse()]
  elements.way([...ring, ring[0]], { natural: 'water', water: 'river' })
}

/** Adds parks between the streets near the centers, and woods around the city. */
function addGreens(
  elements: Elements,
  { terrain, named, random }: { readonly terrain: Terrain; readonly named: NamedStreets; readonly random: Random },
): void {
  const names = new Set<string>()
  for (let park = 0; park < PARKS; park++) {
    const center = terrain.centers[park % terrain.centers.length]
    const middle = pointAway(center, random(), between(random, 500, 5200))
    const size = between(random, 90, 230)
    if (isWet(terrain, middle, size)) continue
    const { shortName } = nearestStreet(named.streets, middle)
    const name = `${PARK_NAMES[size > 190 ? 0 : size > 140 ? 1 : 2]} ${shortName}`
    elements.way(blob(middle, size, random), { leisure: 'park', ...(names.has(name) ? {} : { name }) })
    names.add(name)
  }
  for (let wood = 0; wood < WOODS; wood++) {
    const middle = pointAway(
      { x: 0, y: 0 },
      (wood + random()) / WOODS,
      terrain.radiusMeters * between(random, 1.12, 1.35),
    )
    const size = between(random, 400, 900)
    if (!isWet(terrain, middle, size) && nearestCenter(terrain, middle).meters > size) {
      elements.way(blob(middle, size, random), { landuse: 'forest' })
    }
  }
}

function isWet(terrain: Terrain, { x, y }: Point, size: number): boolean {
  return Math.abs(y - terrain.riverAt(x)) < size * 1.3 + BANK_METERS
}

function nearestStreet(streets: readonly Street[], place: Point): Street {
  return streets.reduce((best, street) =>
    metersBetween(street.points[0], place) < metersBetween(best.points[0], place) ? street : best,
  )
}

/** An irregular closed outline around a point. */
function blob(middle: Point, size: number, random: Random): Point[] {
  const corners = Array.from({ length: CORNERS }, (_, at) =>
    pointAway(middle, at / CORNERS, size * between(random, 0.75, 1.25)),
  )
  return [...corners, corners[0]]
}
