// Streets as text, in meters, so that a walk can be checked by eye:
//
//   A 0 0                     a node: meters to the east and to the north
//   G 50 0 barrier=gate       with tags
//   A-G-B highway=residential name=Main
//   (pier) C-D-E-C area=yes   a way that relations can name
//   outer=pier inner=hole type=multipolygon highway=pedestrian
import { buildStreetGraph } from '../../../indexes/streets/build-graph.ts'
import { StreetBall } from '../../../indexes/streets/street-ball.ts'
import type { StreetGraph } from '../../../indexes/streets/street-graph.ts'
import { SNAP_METERS, StreetSnap, type WalkProfile } from '../../../indexes/streets/street-snap.ts'
import { pointsOf, stepsOf, wayTo } from '../../../indexes/streets/street-way.ts'
import { type LoadedStreets, loadStreets, type StreetOptions } from '../../../loaders/osm/load-streets.ts'
import type { OsmElement, PbfOptions } from '../../../loaders/osm/pbf-writer.ts'
import { bytesAsExtract, writeExtract } from '../../loaders/osm/read-extract.ts'

/** The location of the point 0, 0 in the generated streets. */
const ORIGIN = { lat: 48.5, lon: 7.5 }
const METERS_PER_DEGREE = (6_371_008.8 * Math.PI) / 180

/** A place among the generated streets. */
export function at(x: number, y: number): { readonly lat: number; readonly lon: number } {
  const lat = ORIGIN.lat + y / METERS_PER_DEGREE
  return { lat, lon: ORIGIN.lon + x / METERS_PER_DEGREE / Math.cos((ORIGIN.lat * Math.PI) / 180) }
}

/** Reads a map from text: its nodes, ways and relations. */
export function readMap(text: string): OsmElement[] {
  const nodes = new Map<string, number>()
  const ways = new Map<string, number>()
  const elements: OsmElement[] = []
  for (const line of text.split('\n').map((each) => each.trim())) {
    const words = line.split(/\s+/).filter((word) => word !== '')
    const tags = Object.fromEntries(words.filter((word) => word.includes('=')).map((word) => toTag(word)))
    const id = elements.length + 1
    const [first = ''] = words
    if (/^\w+$/.test(first)) {
      nodes.set(first, id)
      elements.push({ kind: 'node', id, ...at(Number(words[1]), Number(words[2])), tags })
    } else if (tags['outer'] !== undefined) {
      const { outer, inner = '', ...own } = tags
      const member = (role: string) => (name: string) => ({ kind: 'way' as const, ref: ways.get(name) ?? 0, role })
      const members = [
        ...outer.split(',').map(member('outer')),
        ...inner.split(',').filter(Boolean).map(member('inner')),
      ]
      elements.push({ kind: 'relation', id, members, tags: own })
    } else if (first !== '') {
      const label = /^\((\w+)\)$/.exec(first)?.[1]
      if (label !== undefined) ways.set(label, id)
      const path = (label === undefined ? first : (words[1] ?? '')).split('-')
      elements.push({ kind: 'way', id, refs: path.map((name) => nodes.get(name) ?? 900 + name.charCodeAt(0)), tags })
    }
  }
  const order = { node: 0, way: 1, relation: 2 }
  return elements.toSorted((a, b) => order[a.kind] - order[b.kind] || a.id - b.id)
}

/** A tag from `key=value`. An underscore in a name stands for a space. */
function toTag(word: string): [string, string] {
  const split = word.indexOf('=')
  const [key, value] = [word.slice(0, split), word.slice(split + 1)]
  return [key, key === 'name' ? value.replaceAll('_', ' ') : value]
}

/** Writes the elements to a file in memory and reads its streets back. */
export function loadMap(
  elements: readonly OsmElement[],
  { pbf, ...options }: StreetOptions & { readonly pbf?: PbfOptions } = {},
): LoadedStreets {
  return loadStreets([bytesAsExtract(writeExtract(elements, { isSorted: true, ...pbf }))], options)
}

interface Place {
  readonly lat: number
  readonly lon: number
}

/** Generated streets, and searches for walks on them. */
export class MadeStreets {
  readonly graph: StreetGraph
  readonly kilometers: number
  private readonly snap: StreetSnap
  private readonly ball: StreetBall

  constructor(streets: LoadedStreets) {
    const { graph, kilometers } = buildStreetGraph(streets)
    this.graph = graph
    this.kilometers = kilometers
    this.snap = new StreetSnap(graph)
    this.ball = new StreetBall(graph)
  }

  static of(text: string): MadeStreets {
    return new MadeStreets(loadMap(readMap(text)))
  }

  /** Decimeters walked between two places; undefined if there is no route. */
  decimeters(from: Place, to: Place, profile: WalkProfile = 'foot', maxMeters = 2_500): number | undefined {
    return this.search(from, to, { profile, maxMeters })?.decimeters
  }

  /** Meters walked, rounded. */
  meters(from: Place, to: Place, profile: WalkProfile = 'foot'): number | undefined {
    const decimeters = this.decimeters(from, to, profile)
    return decimeters === undefined ? undefined : Math.round(decimeters / 10)
  }

  /** Meters from a place to the street at which a walk would start; undefined if no street is near. */
  snapMeters(place: Place, profile: WalkProfile = 'foot'): number | undefined {
    const [best] = this.snap.find(place, { profile, farthestMeters: SNAP_METERS })
    return best && best.off / 10
  }

  /** The walk as lines: kind, name, meters. */
  steps(from: Place, to: Place): string[] {
    const found = this.search(from, to, { profile: 'foot', maxMeters: 2_500 })
    if (found === undefined) return []
    const way = wayTo(this.graph, this.ball, found.end)
    return stepsOf(this.graph, way).map(({ kind, name = '-', meters }) => `${kind} ${name} ${meters}`)
  }

  /** The points of the walk, including both places. */
  points(from: Place, to: Place): Place[] {
    const found = this.search(from, to, { profile: 'foot', maxMeters: 2_500 })
    if (found === undefined) return []
    return [from, ...pointsOf(this.graph, wayTo(this.graph, this.ball, found.end)), to]
  }

  private search(from: Place, to: Place, { profile, maxMeters }: { profile: WalkProfile; maxMeters: number }) {
    const find = (place: Place) => this.snap.find(place, { profile, farthestMeters: SNAP_METERS })
    this.ball.search(find(from), { profile, maxMeters, keepsWays: true })
    return this.ball.walkTo(find(to))
  }
}
