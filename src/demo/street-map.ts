// The demo city's streets as a graph: a bent grid that is denser at the centers, cut by a river, and crossed by avenues
// and boulevards. Lines follow the graph. Its edges (stretches) are later joined into named streets.
import { between, type Random, seededRandom } from './seeded-random.ts'
import { findWay, reachableFrom, type StreetGraph } from './street-path.ts'
import { BANK_METERS, metersBetween, nearestCenter, type Point, pointAway, type Terrain } from './terrain.ts'

/** A stretch of street between two crossings. */
export interface Stretch {
  readonly from: number
  readonly to: number
  /** 2 for an avenue, 1 for a boulevard, 0 for any other street. */
  readonly rank: number
  /** Identifies what the stretch belongs to: a straight row of the grid, an avenue or a boulevard. */
  readonly run: string
  /** A point halfway between the two ends. On small streets, it is slightly off the straight line. */
  readonly middle: Point
  /** Length of the stretch from one end to the other, through `middle`. */
  readonly lengthMeters: number
  readonly isBridge: boolean
}

/** The streets as a graph. */
export interface StreetMap extends StreetGraph {
  readonly edges: Stretch[]
}

/** Side length of the grid's squares before the grid is bent, in meters. */
const BLOCK_METERS = 350
/** The grid is contracted within this distance of a center. */
const DENSE_METERS = 4200
/** Factor by which the grid is contracted at a center. A smaller factor makes the grid denser. */
const DENSE_SHARE = 0.72
/** The river pushes streets away within this distance of its middle. */
const RIVER_REACH_METERS = 420
const BRIDGE_SPACING_METERS = 1150
const AVENUES_PER_CENTER = 9
const BOULEVARD_RADII_METERS = [1150, 2900]
const BOULEVARD_CORNERS = 10
/** Shares of the small streets that are left out: `MISSING_NEAR` near a center, `MISSING_FAR` far from all centers. */
const MISSING_NEAR = 0.06
const MISSING_FAR = 0.26

interface DraftEdge {
  readonly from: number
  readonly to: number
  readonly run: string
  readonly isDiagonal: boolean
  readonly crossesRiver: boolean
  isBridge: boolean
  rank: number
  trunk: string
}

interface Draft extends StreetGraph {
  readonly nodes: { x: number; y: number }[]
  readonly edges: DraftEdge[]
  /** Crossing → 1 north of the river, −1 south of it. */
  readonly bankOf: number[]
}

/** Generates the streets on a terrain. The same seed and terrain give the same streets. */
export function makeStreetMap(seed: number, terrain: Terrain): StreetMap {
  const random = seededRandom(seed, 'streets')
  const draft = draftGrid(terrain, random)
  chooseBridges(draft, terrain)
  const trunks = drawTrunks(draft, terrain, random)
  for (let round = 0; round < 3; round++) straighten(draft, terrain, trunks)
  return finish(draft, terrain, random)
}

/** The crossing nearest to a point. */
export function nearestNode(map: StreetGraph, place: Point): number {
  let nearest = 0
  let best = Number.POSITIVE_INFINITY
  for (let node = 0; node < map.nodes.length; node++) {
    const { x, y } = map.nodes[node]
    const away = (x - place.x) ** 2 + (y - place.y) ** 2
    if (away < best) {
      best = away
      nearest = node
    }
  }
  return nearest
}

function draftGrid(terrain: Terrain, random: Random): Draft {
  const draft: Draft = { nodes: [], edges: [], edgesOf: [], bankOf: [] }
  const numberAt = new Map<string, number>()
  const half = Math.ceil((terrain.radiusMeters * 1.6) / BLOCK_METERS)
  const bend = makeBend(terrain, random)
  for (let row = -half; row <= half; row++) {
    for (let column = -half; column <= half; column++) {
      const place = bend(column * BLOCK_METERS, row * BLOCK_METERS)
      if (!terrain.holds(place)) continue
      const river = terrain.riverAt(place.x)
      numberAt.set(`${column},${row}`, draft.nodes.length)
      draft.bankOf.push(place.y >= river ? 1 : -1)
      draft.nodes.push(place)
      draft.edgesOf.push([])
    }
  }
  for (const [key, from] of numberAt) {
    const [column, row] = key.split(',').map(Number)
    const link = (toColumn: number, toRow: number, run: string): void => {
      const to = numberAt.get(`${toColumn},${toRow}`)
      if (to !== undefined) addEdge(draft, { from, to, run, isDiagonal: toColumn !== column && toRow !== row })
    }
    link(column + 1, row, `r${row}`)
    link(column, row + 1, `c${column}`)
    link(column + 1, row + 1, '')
    link(column - 1, row + 1, '')
  }
  for (let node = 0; node < draft.nodes.length; node++) leaveRiver(draft, terrain, node, true)
  return draft
}

function addEdge(draft: Draft, edge: Pick<DraftEdge, 'from' | 'to' | 'run' | 'isDiagonal'>): void {
  const crossesRiver = draft.bankOf[edge.from] !== draft.bankOf[edge.to]
  draft.edgesOf[edge.from].push(draft.edges.length)
  draft.edgesOf[edge.to].push(draft.edges.length)
  draft.edges.push({ ...edge, crossesRiver, isBridge: false, rank: 0, trunk: '' })
}

/**
 * Returns the function that bends the grid. It rotates a point, moves it toward the nearest center, and adds long waves
 * and a small random offset.
 */
function makeBend(terrain: Terrain, random: Random): (gridX: number, gridY: number) => { x: number; y: number } {
  const turn = between(random, 0.15, 0.4)
  const phases = [random(), random(), random(), random()].map((each) => each * 6.28)
  const shake = BLOCK_METERS * 0.13
  return (gridX, gridY) => {
    const plain = {
      x: gridX * Math.cos(turn) - gridY * Math.sin(turn),
      y: gridX * Math.sin(turn) + gridY * Math.cos(turn),
    }
    const { center, meters } = nearestCenter(terrain, plain)
    const share = meters < DENSE_METERS ? DENSE_SHARE + ((1 - DENSE_SHARE) * meters) / DENSE_METERS : 1
    const middle = terrain.centers[center]
    const x = middle.x + (plain.x - middle.x) * share
    const y = middle.y + (plain.y - middle.y) * share
    return {
      x: x + 170 * Math.sin(y / 1500 + phases[0]) + 90 * Math.sin(y / 640 + phases[1]) + between(random, -shake, shake),
      y: y + 170 * Math.sin(x / 1700 + phases[2]) + 90 * Math.sin(x / 710 + phases[3]) + between(random, -shake, shake),
    }
  }
}

/**
 * Moves a crossing off the river. If `isWide`, also moves crossings near the river: the farther away a crossing is, the
 * less it moves, so that no two crossings get the same position.
 */
function leaveRiver(draft: Draft, terrain: Terrain, node: number, isWide: boolean): void {
  const place = draft.nodes[node]
  const middle = terrain.riverAt(place.x)
  const away = Math.max(0, (place.y - middle) * draft.bankOf[node])
  if (isWide && away < RIVER_REACH_METERS) {
    place.y =
      middle + draft.bankOf[node] * (BANK_METERS + (away * (RIVER_REACH_METERS - BANK_METERS)) / RIVER_REACH_METERS)
  } else if (away < BANK_METERS) {
    place.y = middle + draft.bankOf[node] * BANK_METERS
  }
}

/**
 * Chooses the bridges. Short bridges near a center come first. A bridge that is too close to a chosen bridge is left
 * out.
 */
function chooseBridges(draft: Draft, terrain: Terrain): void {
  const chosen: number[] = []
  const middleX = (edge: DraftEdge): number => (draft.nodes[edge.from].x + draft.nodes[edge.to].x) / 2
  const crossing = draft.edges
    .filter((edge) => edge.crossesRiver && !edge.isDiagonal)
    .map((edge) => ({ edge, x: middleX(edge), length: metersBetween(draft.nodes[edge.from], draft.nodes[edge.to]) }))
    .map((each) => ({
      ...each,
      away: nearestCenter(terrain, { x: each.x, y: terrain.riverAt(each.x) }).meters,
    }))
    .sort((a, b) => a.away + a.length * 2 - (b.away + b.length * 2))
  for (const { edge, x } of crossing) {
    if (chosen.some((other) => Math.abs(other - x) < BRIDGE_SPACING_METERS)) continue
    chosen.push(x)
    edge.isBridge = true
  }
}

/**
 * Draws avenues from each center, and boulevards around it. Returns the crossings of each avenue and each boulevard, in
 * order.
 */
function drawTrunks(draft: Draft, terrain: Terrain, random: Random): number[][] {
  const trunks: number[][] = []
  for (const [center, middle] of terrain.centers.entries()) {
    const start = nearestNode(draft, middle)
    const firstTurn = random()
    for (let i = 0; i < AVENUES_PER_CENTER; i++) {
      const turn = firstTurn + (i + between(random, -0.25, 0.25)) / AVENUES_PER_CENTER
      const end = nearestNode(draft, pointAway(middle, turn, between(random, 5000, 7000)))
      trunks.push(drawTrunk(draft, { from: start, to: end, rank: 2, name: `a${center}.${i}` }))
    }
    for (const [ring, radius] of BOULEVARD_RADII_METERS.entries()) {
      const corners = Array.from({ length: BOULEVARD_CORNERS + 1 }, (_, i) =>
        nearestNode(draft, pointAway(middle, (i % BOULEVARD_CORNERS) / BOULEVARD_CORNERS, radius)),
      )
      for (let i = 0; i < BOULEVARD_CORNERS; i++) {
        const name = `b${center}.${ring}.${Math.floor(i / 2)}`
        trunks.push(drawTrunk(draft, { from: corners[i], to: corners[i + 1], rank: 1, name }))
      }
    }
  }
  return trunks
}

function drawTrunk(draft: Draft, trunk: { from: number; to: number; rank: number; name: string }): number[] {
  const costOf = (number: number): number => {
    const edge = draft.edges[number]
    if (edge.crossesRiver && !edge.isBridge) return Number.POSITIVE_INFINITY
    const length = metersBetween(draft.nodes[edge.from], draft.nodes[edge.to])
    return edge.rank > 0 ? length * 0.75 : length
  }
  const way = findWay(draft, trunk, { costOf, minCostPerMeter: 0.75 })
  if (way === undefined) return []
  for (const edge of way.edges.map((number) => draft.edges[number])) {
    if (edge.rank > 0) continue
    edge.rank = trunk.rank
    edge.trunk = trunk.name
  }
  return [...way.nodes]
}

/** Moves each crossing of an avenue or boulevard toward the midpoint between the crossings before and after it. */
function straighten(draft: Draft, terrain: Terrain, trunks: readonly number[][]): void {
  for (const trunk of trunks) {
    for (let i = 1; i < trunk.length - 1; i++) {
      const place = draft.nodes[trunk[i]]
      const before = draft.nodes[trunk[i - 1]]
      const after = draft.nodes[trunk[i + 1]]
      place.x += ((before.x + after.x) / 2 - place.x) * 0.5
      place.y += ((before.y + after.y) / 2 - place.y) * 0.5
      leaveRiver(draft, terrain, trunk[i], false)
    }
  }
}

/**
 * Removes the edges that do not become streets, and the crossings that are not connected to the main square. Numbers
 * the remaining edges and crossings from 0, and bends small streets slightly.
 */
function finish(draft: Draft, terrain: Terrain, random: Random): StreetMap {
  const isOpen = draft.edges.map((edge) => {
    if (edge.rank > 0) return true
    if (edge.isDiagonal || (edge.crossesRiver && !edge.isBridge)) return false
    const { meters } = nearestCenter(terrain, draft.nodes[edge.from])
    const missing = MISSING_NEAR + ((MISSING_FAR - MISSING_NEAR) * Math.min(meters, 6000)) / 6000
    return random() >= missing || edge.isBridge
  })
  const kept = reachableFrom(draft, nearestNode(draft, terrain.centers[0]), (edge) => isOpen[edge])
  const numberOf = new Map<number, number>()
  const map: StreetMap = { nodes: [], edges: [], edgesOf: [] }
  for (let node = 0; node < draft.nodes.length; node++) {
    if (!kept.has(node)) continue
    numberOf.set(node, map.nodes.length)
    map.nodes.push(draft.nodes[node])
    map.edgesOf.push([])
  }
  for (const [number, edge] of draft.edges.entries()) {
    const from = numberOf.get(edge.from)
    const to = numberOf.get(edge.to)
    if (!isOpen[number] || from === undefined || to === undefined) continue
    map.edgesOf[from].push(map.edges.length)
    map.edgesOf[to].push(map.edges.length)
    map.edges.push(toStretch(map.nodes, { ...edge, from, to }, random))
  }
  return map
}

function toStretch(nodes: readonly Point[], edge: DraftEdge, random: Random): Stretch {
  const a = nodes[edge.from]
  const b = nodes[edge.to]
  const sway = edge.rank > 0 || edge.isBridge ? 0 : between(random, -0.07, 0.07)
  const middle = { x: (a.x + b.x) / 2 - (b.y - a.y) * sway, y: (a.y + b.y) / 2 + (b.x - a.x) * sway }
  return {
    from: edge.from,
    to: edge.to,
    rank: edge.rank,
    run: edge.rank > 0 ? edge.trunk : edge.run,
    middle,
    lengthMeters: metersBetween(a, middle) + metersBetween(middle, b),
    isBridge: edge.isBridge,
  }
}
