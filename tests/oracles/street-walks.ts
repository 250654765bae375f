// Finds walks in an OpenStreetMap extract by the simplest correct search: every node of every way is an object in a
// map, and every segment is checked for every place. Shares no code with loaders/osm and indexes/streets.
import type { OracleElement } from './osm-elements.ts'
import { isOffGround, isShutNode, isSquare, isStepFree, isStepNode, isWalkable } from './street-tags.ts'

type Tags = Readonly<Record<string, string>>

interface Point {
  /** In degrees. */
  readonly lat: number
  readonly lon: number
}

/** A node at the end of a segment. A node that nobody can pass has a separate spot for each street that ends there. */
interface Spot extends Point {
  readonly key: string
  readonly isStepNode: boolean
}

/** A straight piece of a street. */
interface Segment {
  readonly a: Spot
  readonly b: Spot
  readonly meters: number
  /** The number of the stretch that contains the segment. A stretch is the part of a street between two crossings. */
  readonly stretch: number
  readonly isStepFree: boolean
  readonly isOffGround: boolean
  /**
   * Whether the segment leads straight across a square. Walkers may use such a segment, although it is not a street.
   */
  readonly isLine: boolean
}

/** The kinds of walkers. */
export type OracleProfile = 'foot' | 'step_free'

const RADIUS = 6_371_008.8
const RADIANS = Math.PI / 180
const SMALL_METERS = 300
const BAND_METERS = 5
const OFF_GROUND_METERS = 20

function metersBetween(a: Point, b: Point): number {
  const [x, y] = [Math.sin(((b.lat - a.lat) * RADIANS) / 2), Math.sin(((b.lon - a.lon) * RADIANS) / 2)]
  return 2 * RADIUS * Math.asin(Math.sqrt(x * x + Math.cos(a.lat * RADIANS) * Math.cos(b.lat * RADIANS) * y * y))
}

/** Finds walks in one extract. */
export class StreetOracle {
  private readonly segments: Segment[] = []
  private readonly neighbors: Record<OracleProfile, Map<string, { to: string; meters: number }[]>>
  /** Profile → node or stretch → total length in meters of the streets connected to it. */
  private readonly partMeters: Record<OracleProfile, Map<string, number>>

  constructor(elements: readonly OracleElement[]) {
    const nodes = new Map<number, OracleElement>()
    const ways = new Map<number, OracleElement>()
    const relations = new Map<number, OracleElement>()
    for (const element of elements) {
      const all = element.kind === 'node' ? nodes : element.kind === 'way' ? ways : relations
      if (!all.has(element.id)) all.set(element.id, element)
    }
    this.addStreets(nodes, ways, relations)
    this.neighbors = { foot: this.link('foot'), step_free: this.link('step_free') }
    this.partMeters = { foot: this.measureParts('foot'), step_free: this.measureParts('step_free') }
  }

  /**
   * The length in meters of the walk between two places, including the straight lines from both places to the streets;
   * undefined if this length is above `limit`.
   */
  meters(from: Point, to: Point, { profile, limit }: { profile: OracleProfile; limit: number }): number | undefined {
    const [starts, ends] = [this.snap(from, profile, 250), this.snap(to, profile, 250)]
    const found = this.search(starts, profile, limit)
    let best = Infinity
    for (const end of ends) {
      for (const start of starts) {
        if (start.segment === end.segment)
          best = Math.min(best, start.off + Math.abs(start.fromA - end.fromA) + end.off)
      }
      best = Math.min(best, (found.get(end.segment.a.key) ?? Infinity) + end.fromA + end.off)
      best = Math.min(best, (found.get(end.segment.b.key) ?? Infinity) + end.segment.meters - end.fromA + end.off)
    }
    return best <= limit ? best : undefined
  }

  /**
   * Distance in meters from a place to the best stretch of street near it; undefined if there is no stretch within
   * `farthest` meters.
   */
  snapMeters(place: Point, profile: OracleProfile, farthest: number): number | undefined {
    return this.snap(place, profile, farthest)[0]?.off
  }

  /**
   * Whether any connected part of the street network is so close to the size limit for small parts that rounding
   * decides whether it is small.
   */
  get hasDoubtfulPart(): boolean {
    const parts = [...this.partMeters.foot.values(), ...this.partMeters.step_free.values()]
    return parts.some((meters) => Math.abs(meters - SMALL_METERS) < 1)
  }

  private snap(place: Point, profile: OracleProfile, farthest: number) {
    const nearest = new Map<number, { segment: Segment; off: number; fromA: number; rank: number; isSmall: boolean }>()
    for (const segment of this.segments) {
      if (profile === 'step_free' && !segment.isStepFree) continue
      if (Math.abs(segment.a.lat - place.lat) > 0.2) continue
      const { off, part } = project(place, segment)
      if (off > farthest || off >= (nearest.get(segment.stretch)?.off ?? Infinity)) continue
      const rank = off + (segment.isOffGround ? OFF_GROUND_METERS : 0)
      const isSmall = this.partOf(segment, profile) < SMALL_METERS
      nearest.set(segment.stretch, { segment, off, fromA: part * segment.meters, rank, isSmall })
    }
    const all = [...nearest.values()]
    const large = all.filter(({ isSmall }) => !isSmall)
    const taken = large.length > 0 ? large : all
    const best = Math.min(...taken.map(({ rank }) => rank))
    return taken.filter(({ rank }) => rank <= best + BAND_METERS).sort((a, b) => a.rank - b.rank)
  }

  private search(starts: ReturnType<StreetOracle['snap']>, profile: OracleProfile, limit: number): Map<string, number> {
    const settled = new Map<string, number>()
    const queue = new Heap()
    for (const { segment, off, fromA } of starts) {
      for (const [spot, meters] of [
        [segment.a, off + fromA],
        [segment.b, off + segment.meters - fromA],
      ] as const) {
        if (profile === 'foot' || !spot.isStepNode) queue.push(meters, spot.key)
      }
    }
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      const [meters, key] = next
      if (settled.has(key) || meters > limit) continue
      settled.set(key, meters)
      for (const { to, meters: more } of this.neighbors[profile].get(key) ?? []) queue.push(meters + more, to)
    }
    return settled
  }

  private partOf({ a, b, stretch }: Segment, profile: OracleProfile): number {
    const parts = this.partMeters[profile]
    return parts.get(a.key) ?? parts.get(b.key) ?? parts.get(`stretch ${stretch}`) ?? 0
  }

  private link(profile: OracleProfile) {
    const neighbors = new Map<string, { to: string; meters: number }[]>()
    for (const { a, b, meters, isStepFree } of this.segments) {
      if (profile === 'step_free' && (!isStepFree || a.isStepNode || b.isStepNode)) continue
      neighbors.getOrInsertComputed(a.key, () => []).push({ to: b.key, meters })
      neighbors.getOrInsertComputed(b.key, () => []).push({ to: a.key, meters })
    }
    return neighbors
  }

  /**
   * Node or stretch → the total length of the connected part of the street network that contains it. Stretches that
   * meet at a passable node are connected.
   */
  private measureParts(profile: OracleProfile): Map<string, number> {
    const keysOf = ({ a, b, stretch }: Segment) => [
      `stretch ${stretch}`,
      ...[a, b].filter((spot) => profile === 'foot' || !spot.isStepNode).map(({ key }) => key),
    ]
    const walked = this.segments.filter(({ isStepFree }) => profile === 'foot' || isStepFree)
    const members = new Map<string, Segment[]>()
    for (const segment of walked) {
      for (const key of keysOf(segment)) members.getOrInsertComputed(key, () => []).push(segment)
    }
    const meters = new Map<string, number>()
    for (const first of members.keys()) {
      if (meters.has(first)) continue
      const part = new Set([first])
      const segments = new Set<Segment>()
      for (const key of part) {
        for (const segment of members.get(key) ?? []) {
          segments.add(segment)
          for (const other of keysOf(segment)) part.add(other)
        }
      }
      const sum = [...segments].reduce((total, { meters, isLine }) => total + (isLine ? 0 : meters), 0)
      for (const key of part) meters.set(key, sum)
    }
    return meters
  }

  private addStreets(
    nodes: ReadonlyMap<number, OracleElement>,
    ways: ReadonlyMap<number, OracleElement>,
    relations: ReadonlyMap<number, OracleElement>,
  ): void {
    const borders = new Map<number, Tags>()
    for (const { tags, members = [] } of relations.values()) {
      if (tags['type'] !== 'multipolygon' || !isSquare(tags) || !isWalkable(tags)) continue
      for (const { kind, ref } of members) if (kind === 'way') borders.set(ref, tags)
    }
    const streets = [...ways.values()].flatMap((way) => {
      const tags = isWalkable(way.tags) ? way.tags : borders.get(way.id)
      return tags === undefined ? [] : [{ way, tags }]
    })
    let shutCount = 0
    const spotOf = (id: number): Spot | undefined => {
      const node = nodes.get(id)
      if (node?.lat === undefined || node.lon === undefined) return undefined
      const key = isShutNode(node.tags) ? `${id} shut ${shutCount++}` : `${id}`
      return { key, lat: node.lat / 1e7, lon: node.lon / 1e7, isStepNode: isStepNode(node.tags) }
    }
    const runs = streets.flatMap(({ way, tags }) =>
      cutRuns(way.refs ?? [], spotOf).map((run) => ({ run, tags, id: way.id })),
    )
    const uses = new Map<string, number>()
    for (const { run } of runs) {
      for (const [at, spot] of run.entries()) {
        const isEnd = at === 0 || at === run.length - 1 || spot.isStepNode
        uses.set(spot.key, (uses.get(spot.key) ?? 0) + (isEnd ? 2 : 1))
      }
    }
    let stretch = 0
    for (const { run, tags } of runs) {
      stretch++
      for (let at = 1; at < run.length; at++) {
        const [a, b] = [run[at - 1] as Spot, run[at] as Spot]
        if (at > 1 && (uses.get(a.key) ?? 0) > 1) stretch++
        this.addSegment({ a, b, stretch, tags, isLine: false })
      }
    }
    for (const { rings, tags, own } of listSquares(ways, relations)) {
      const outline = rings.map((ring) => ring.map((id) => spotOf(id)))
      if (outline.flat().includes(undefined)) continue
      const others = new Set(runs.filter(({ id }) => !own.has(id)).flatMap(({ run }) => run.map(({ key }) => key)))
      for (const [a, b] of linesAcross(outline as Spot[][], others)) {
        this.addSegment({ a, b, stretch: ++stretch, tags, isLine: true })
      }
    }
  }

  private addSegment({
    tags,
    ...rest
  }: Pick<Segment, 'a' | 'b' | 'stretch' | 'isLine'> & { readonly tags: Tags }): void {
    const meters = metersBetween(rest.a, rest.b)
    this.segments.push({ ...rest, meters, isStepFree: isStepFree(tags), isOffGround: isOffGround(tags) })
  }
}

/** Cuts a way at missing and impassable nodes. */
function cutRuns(refs: readonly number[], spotOf: (id: number) => Spot | undefined): Spot[][] {
  const runs: Spot[][] = [[]]
  let last: number | undefined
  for (const id of refs) {
    if (id === last) continue
    last = id
    const spot = spotOf(id)
    const run = runs[runs.length - 1] as Spot[]
    if (spot === undefined) {
      runs.push([])
      last = undefined
    } else {
      run.push(spot)
      if (spot.key.includes('shut') && run.length > 1) runs.push([spotOf(id) as Spot])
    }
  }
  return runs.filter(({ length }) => length > 1)
}

interface OracleSquare {
  readonly rings: readonly (readonly number[])[]
  readonly tags: Tags
  readonly own: ReadonlySet<number>
}

function* listSquares(
  ways: ReadonlyMap<number, OracleElement>,
  relations: ReadonlyMap<number, OracleElement>,
): Generator<OracleSquare> {
  for (const { id, tags, refs = [] } of ways.values()) {
    const isRing = refs.length >= 4 && refs.length <= 400 && refs[0] === refs[refs.length - 1]
    if (isRing && isSquare(tags) && isWalkable(tags)) yield { rings: [refs], tags, own: new Set([id]) }
  }
  for (const { tags, members = [] } of relations.values()) {
    if (tags['type'] !== 'multipolygon' || !isSquare(tags) || !isWalkable(tags)) continue
    const own = members.filter(({ kind }) => kind === 'way').map(({ ref }) => ref)
    const lines = own.map((id) => [...(ways.get(id)?.refs ?? [])])
    if (lines.some((line) => line.length < 2) || lines.flat().length > 400) continue
    const rings = close(lines)
    if (rings !== undefined) yield { rings, tags, own: new Set(own) }
  }
}

function close(lines: number[][]): number[][] | undefined {
  const [first, ...rest] = lines
  if (first === undefined) return []
  const end = first[first.length - 1]
  if (first[0] === end) {
    const others = close(rest)
    return first.length < 4 || others === undefined ? undefined : [first, ...others]
  }
  const next = rest.find((line) => line[0] === end || line[line.length - 1] === end)
  if (next === undefined) return undefined
  const turned = next[0] === end ? next : [...next].reverse()
  return close([[...first, ...turned.slice(1)], ...rest.filter((line) => line !== next)])
}

/** Pairs of entrances to a square. The line between the two entrances stays inside the square, and is not a side. */
function* linesAcross(rings: readonly (readonly Spot[])[], others: ReadonlySet<string>): Generator<[Spot, Spot]> {
  const doors = [...new Map(rings.flat().map((spot) => [spot.key, spot])).values()].filter(({ key }) => others.has(key))
  if (doors.length > 40) return
  const sides = rings.flatMap((ring) => ring.slice(1).map((spot, at) => [ring[at] as Spot, spot] as const))
  for (const [at, a] of doors.entries()) {
    for (const b of doors.slice(at + 1)) {
      const isSide = sides.some(
        ([c, d]) => (c.key === a.key && d.key === b.key) || (c.key === b.key && d.key === a.key),
      )
      const meets = sides.some(
        ([c, d]) => ![a.key, b.key].some((key) => key === c.key || key === d.key) && cross(a, b, c, d),
      )
      const middle = { lat: (a.lat + b.lat) / 2, lon: (a.lon + b.lon) / 2 }
      if (!isSide && !meets && isWithin(middle, sides)) yield [a, b]
    }
  }
}

function cross(a: Point, b: Point, c: Point, d: Point): boolean {
  const side = (p: Point, q: Point, r: Point) =>
    Math.sign(Math.round(((q.lon - p.lon) * (r.lat - p.lat) - (q.lat - p.lat) * (r.lon - p.lon)) * 1e14))
  if (side(a, b, c) === 0 && side(a, b, d) === 0) {
    const isBetween = (p: number, q: number, r: number) => r >= Math.min(p, q) && r <= Math.max(p, q)
    const holds = (p: Point, q: Point, r: Point) => isBetween(p.lat, q.lat, r.lat) && isBetween(p.lon, q.lon, r.lon)
    return holds(a, b, c) || holds(a, b, d) || holds(c, d, a) || holds(c, d, b)
  }
  return side(a, b, c) * side(a, b, d) <= 0 && side(c, d, a) * side(c, d, b) <= 0
}

function isWithin({ lat, lon }: Point, sides: readonly (readonly [Point, Point])[]): boolean {
  const crossed = sides.filter(([a, b]) => {
    if (a.lat > lat === b.lat > lat) return false
    return lon < a.lon + ((lat - a.lat) / (b.lat - a.lat)) * (b.lon - a.lon)
  })
  return crossed.length % 2 === 1
}

/**
 * The point on a segment that is nearest to a place, on a flat map around the place: its distance from the place in
 * meters, and its position as a share of the segment's length.
 */
function project(place: Point, { a, b }: Segment): { off: number; part: number } {
  const scale = Math.cos(place.lat * RADIANS)
  const flat = ({ lat, lon }: Point) => [
    (lon - place.lon) * scale * RADIANS * RADIUS,
    (lat - place.lat) * RADIANS * RADIUS,
  ]
  const [ax, ay] = flat(a) as [number, number]
  const [bx, by] = flat(b) as [number, number]
  const square = (bx - ax) ** 2 + (by - ay) ** 2
  const part = square === 0 ? 0 : Math.min(1, Math.max(0, -(ax * (bx - ax) + ay * (by - ay)) / square))
  return { off: Math.hypot(ax + part * (bx - ax), ay + part * (by - ay)), part }
}

/** A binary heap, smallest first. */
class Heap {
  private readonly rows: [number, string][] = []

  push(meters: number, key: string): void {
    this.rows.push([meters, key])
    for (let at = this.rows.length - 1; at > 0; ) {
      const up = (at - 1) >> 1
      if ((this.rows[up] as [number, string])[0] <= (this.rows[at] as [number, string])[0]) break
      this.swap(at, up)
      at = up
    }
  }

  pop(): [number, string] | undefined {
    const first = this.rows[0]
    const last = this.rows.pop()
    if (first === undefined || last === undefined || this.rows.length === 0) return first
    this.rows[0] = last
    for (let at = 0; ; ) {
      let least = at
      for (const child of [2 * at + 1, 2 * at + 2]) {
        const row = this.rows[child]
        if (row !== undefined && row[0] < (this.rows[least] as [number, string])[0]) least = child
      }
      if (least === at) return first
      this.swap(at, least)
      at = least
    }
  }

  private swap(a: number, b: number): void {
    const row = this.rows[a] as [number, string]
    this.rows[a] = this.rows[b] as [number, string]
    this.rows[b] = row
  }
}
