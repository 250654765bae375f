// Compares walks on random streets and on real extracts with an oracle that searches all nodes and shares no code with
// the product. Fails if lengths differ by more than rounding, if only one of the searches finds a route, or if the
// drawn walk does not have the stated length.
import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { greatCircleMeters } from '../../../indexes/spatial/great-circle.ts'
import type { WalkProfile } from '../../../indexes/streets/street-snap.ts'
import { loadStreets } from '../../../loaders/osm/load-streets.ts'
import type { OsmElement } from '../../../loaders/osm/pbf-writer.ts'
import { bytesAsExtract, writeExtract } from '../../loaders/osm/read-extract.ts'
import { readElements } from '../../oracles/osm-elements.ts'
import { StreetOracle } from '../../oracles/street-walks.ts'
import { bySize, REAL_EXTRACTS, SEED } from '../../size.ts'
import { at, loadMap, MadeStreets } from './made-streets.ts'

const LIMIT = 2_500
/**
 * Edges are rounded to decimeters, so the length of a walk over many edges can differ by this number of meters plus
 * this share of its length.
 */
const SLACK = { meters: 2, share: 0.003 }

const wayTags = fc.constantFrom<Readonly<Record<string, string>>>(
  ...[{ highway: 'residential' }, { highway: 'residential' }, { highway: 'footway', bridge: 'yes' }],
  ...[{ highway: 'steps' }, { highway: 'footway', wheelchair: 'no' }, { highway: 'motorway' }],
  ...[{ highway: 'pedestrian', area: 'yes' }, { highway: 'path', tunnel: 'yes' }, { railway: 'platform' }],
)
const nodeTags: fc.Arbitrary<Readonly<Record<string, string>>> = fc.oneof(
  { weight: 12, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: fc.constant({ barrier: 'gate', locked: 'yes' }) },
  { weight: 1, arbitrary: fc.constant({ barrier: 'kerb', kerb: 'raised' }) },
)
/** Meters east and north. */
type Spot = readonly [number, number]

/**
 * Whether a way turns back at a spot: the angle between the segments before and after the spot is less than 10 degrees.
 */
function turnsBack([fromX, fromY]: Spot, [x, y]: Spot, [toX, toY]: Spot): boolean {
  const [backX, backY, onX, onY] = [fromX - x, fromY - y, toX - x, toY - y]
  const cosine = (backX * onX + backY * onY) / (Math.hypot(backX, backY) * Math.hypot(onX, onY))
  return cosine > Math.cos(Math.PI / 18)
}

/** Nodes on a grid of 60 m, each shifted by up to 25 m, and ways from node to node, some of which skip nodes. */
const SIDE = 6
const map: fc.Arbitrary<OsmElement[]> = fc
  .record({
    shifts: fc.array(fc.tuple(fc.integer({ min: -25, max: 25 }), fc.integer({ min: -25, max: 25 }), nodeTags), {
      minLength: SIDE * SIDE,
      maxLength: SIDE * SIDE,
    }),
    ways: fc.array(
      fc.record({
        start: fc.nat(SIDE * SIDE - 1),
        steps: fc.array(fc.constantFrom(1, -1, SIDE, -SIDE, SIDE + 1, 2), { minLength: 1, maxLength: 7 }),
        isClosed: fc.boolean(),
        isLost: fc.nat(9),
        tags: wayTags,
      }),
      { minLength: 1, maxLength: 12 },
    ),
  })
  .map(({ shifts, ways }) => ({
    shifts,
    ways,
    spots: shifts.map(([x, y], node): Spot => [(node % SIDE) * 60 + x, Math.floor(node / SIDE) * 60 + y]),
  }))
  .map(({ shifts, ways, spots }) => [
    ...shifts.map(([, , tags], node): OsmElement => ({ kind: 'node', id: node + 1, ...at(...spots[node]), tags })),
    ...ways.map(({ start, steps, isClosed, isLost, tags }, way): OsmElement => {
      const refs = [start]
      // If two segments of a way were at the same place, either could be the nearest street. So a way never turns back,
      // and never returns to a node with tags.
      const go = (next: number) => {
        const isShut = refs.includes(next) && Object.keys(shifts[next][2]).length > 0
        const [last, before] = refs.filter((_, at) => at !== 2 || isLost !== 0).reverse()
        if (!isShut && (before === undefined || !turnsBack(spots[before], spots[last], spots[next]))) refs.push(next)
      }
      for (const step of steps) go((refs[refs.length - 1] + step + SIDE * SIDE) % (SIDE * SIDE))
      if (isClosed || 'area' in tags) go(start)
      // The id 999 is not in the file. Such missing nodes also occur in real extracts.
      return {
        kind: 'way',
        id: way + 1,
        refs: refs.map((node, at) => (at === 2 && isLost === 0 ? 999 : node + 1)),
        tags,
      }
    }),
  ])
const place = fc
  .tuple(fc.integer({ min: -100, max: 400 }), fc.integer({ min: -100, max: 400 }))
  .map(([x, y]) => at(x, y))
const profile = fc.constantFrom<WalkProfile>('foot', 'step_free')

/** Compares our walk with the oracle's. */
function compare(
  streets: MadeStreets,
  oracle: StreetOracle,
  ask: { from: Place; to: Place; profile: WalkProfile },
): void {
  const { from, to, profile } = ask
  const own = streets.decimeters(from, to, profile, LIMIT)
  const expected = oracle.meters(from, to, { profile, limit: LIMIT + 10 })
  // A walk can be just below the limit in one search, and just above the limit in the other.
  if (own === undefined && (expected === undefined || expected > LIMIT - SLACK.meters)) return
  if (own === undefined || expected === undefined) throw new Error(`${JSON.stringify(ask)}: ${own} dm, ${expected} m`)
  if (Math.abs(own / 10 - expected) > SLACK.meters + SLACK.share * expected) {
    throw new Error(`${JSON.stringify(ask)}: ${own / 10} m, ${expected} m expected`)
  }
}

interface Place {
  readonly lat: number
  readonly lon: number
}

function lengthOf(points: readonly Place[]): number {
  return points
    .slice(1)
    .reduce((sum, { lat, lon }, at) => sum + greatCircleMeters(points[at].lat, points[at].lon, lat, lon), 0)
}

test(`walks on generated streets match a search over all nodes (seed ${SEED})`, () => {
  fc.assert(
    fc.property(
      map,
      fc.array(fc.tuple(place, place), { minLength: 4, maxLength: 4 }),
      profile,
      (elements, asks, profile) => {
        const streets = new MadeStreets(loadMap(elements))
        const oracle = new StreetOracle(readElements(writeExtract(elements)))
        fc.pre(!oracle.hasDoubtfulPart)
        for (const [from, to] of asks) {
          compare(streets, oracle, { from, to, profile })
          const snapped = oracle.snapMeters(from, profile, 250)
          const own = streets.snapMeters(from, profile)
          expect([own === undefined, Math.abs((own ?? 0) - (snapped ?? 0)) < 0.5]).toEqual([
            snapped === undefined,
            true,
          ])
        }
      },
    ),
    { seed: SEED, includeErrorInReport: true, numRuns: bySize({ quick: 60, ci: 200, full: 5000 }) },
  )
}, 600_000)

test('a walk is equally long in both directions, grows with its limit, and is never shorter without steps', () => {
  fc.assert(
    fc.property(map, place, place, profile, (elements, from, to, profile) => {
      const streets = new MadeStreets(loadMap(elements))
      const there = streets.decimeters(from, to, profile)
      expect(streets.decimeters(to, from, profile)).toBe(there)
      const short = streets.decimeters(from, to, profile, 300)
      expect(short).toBe(there !== undefined && there <= 3005 ? there : undefined)
      const drawn = lengthOf(streets.points(from, to))
      const onFoot = streets.decimeters(from, to)
      if (onFoot !== undefined) expect(Math.abs(drawn - onFoot / 10)).toBeLessThan(2 + drawn / 100)
    }),
    { seed: SEED, includeErrorInReport: true, numRuns: bySize({ quick: 40, ci: 100, full: 3000 }) },
  )
}, 600_000)

test('the order of elements, the block size and the number of files change nothing', () => {
  fc.assert(
    fc.property(
      map,
      fc.infiniteStream(fc.nat()),
      fc.integer({ min: 1, max: 9 }),
      place,
      place,
      (elements, random, size, from, to) => {
        const walked = (streets: MadeStreets) => [streets.decimeters(from, to), streets.kilometers]
        const expected = walked(new MadeStreets(loadMap(elements)))
        const shuffled = elements
          .map((element) => ({ element, key: random.next().value }))
          .sort((a, b) => a.key - b.key)
        const mixed = shuffled.map(({ element }) => element)
        const pbf = { blockElements: size, isSorted: false }
        expect(walked(new MadeStreets(loadMap(mixed, { pbf })))).toEqual(expected)
        expect(walked(new MadeStreets(loadMap(elements, { pbf: { blockElements: size } })))).toEqual(expected)
        // Two overlapping files: both have all ways, but each only some of the nodes. Together they are the whole map.
        const half = (rest: number) =>
          bytesAsExtract(writeExtract(elements.filter(({ kind, id }) => kind !== 'node' || id % 3 !== rest)))
        expect(walked(new MadeStreets(loadStreets([half(0), half(1)])))).toEqual(expected)
      },
    ),
    { seed: SEED, includeErrorInReport: true, numRuns: bySize({ quick: 20, ci: 60, full: 1000 }) },
  )
}, 600_000)

const extracts =
  REAL_EXTRACTS === undefined ? [] : readdirSync(REAL_EXTRACTS).filter((name) => name.endsWith('.osm.pbf'))

/**
 * Places on two sides of a river, and the meters between them according to an independent program in another language.
 */
const RIVERS = [
  ['porto-alegre', { lat: -30.02717, lon: -51.16736 }, { lat: -30.02809, lon: -51.16638 }, 1_269],
  ['portland-central-filtered', { lat: 45.50756, lon: -122.66528 }, { lat: 45.50329, lon: -122.67273 }, 2_522],
] as const

test.skipIf(REAL_EXTRACTS === undefined).each(RIVERS)('walks go around the river in %s', (name, from, to, meters) => {
  const bytes = readFileSync(join(REAL_EXTRACTS ?? '', `${name}.osm.pbf`))
  const streets = new MadeStreets(loadStreets([bytesAsExtract(bytes, name)]))
  const walked = (streets.decimeters(from, to, 'foot', 4_000) ?? 0) / 10
  expect(Math.abs(walked - meters)).toBeLessThan(2 + 0.003 * meters)
})

test.each(extracts)(
  'walks on %s match a search over all its nodes',
  (name) => {
    const bytes = readFileSync(join(REAL_EXTRACTS ?? '', name))
    const streets = new MadeStreets(loadStreets([bytesAsExtract(bytes, name)]))
    const oracle = new StreetOracle(readElements(bytes))
    const { nodeLat, nodeLon } = streets.graph
    const corner = fc.tuple(fc.nat(nodeLat.length - 1), fc.double({ min: -5e-4, max: 5e-4, noNaN: true }))
    const near = corner.map(([node, off]) => ({
      lat: nodeLat[node as never] / 1e7 + off,
      lon: nodeLon[node as never] / 1e7 - off,
    }))
    const pair = fc.tuple(near, near).filter(([a, b]) => greatCircleMeters(a.lat, a.lon, b.lat, b.lon) < 2_000)
    fc.assert(
      fc.property(pair, profile, ([from, to], profile) => compare(streets, oracle, { from, to, profile })),
      { seed: SEED, includeErrorInReport: true, numRuns: bySize({ quick: 10, ci: 10, full: 1000 }) },
    )
  },
  1_200_000,
)
