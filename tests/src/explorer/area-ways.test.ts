// Tests how lines are drawn in networks without shapes: straight from place to place. A place joins stops that are
// close together. Fails if the two directions of a line are drawn separately, if a line is drawn past a stop that it
// serves, if a line does not reach such a stop, or if a stop is drawn at the position of another stop.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Coordinate } from '../../../src/explorer/app/contract.ts'
import { areaWays, type StopWays } from '../../../src/explorer/app/map/area-ways.ts'
import { bySize, SEED } from '../../size.ts'

const RUNS = { seed: SEED, numRuns: bySize({ quick: 100, ci: 500, full: 20_000 }) }
/**
 * Spacing of the grid in degrees. The grid is at the equator, so that degrees of latitude and longitude have the same
 * length.
 */
const STEP = 0.01
const METERS_PER_DEGREE = 111_195
/**
 * A hop between two consecutive stops is not drawn if the way along other hops is at most 1.25 times as long as the
 * hop. The code under test has the same limit.
 */
const DETOUR = 1.25

type Corner = readonly [column: number, row: number]

/**
 * A direction of a line through corners of a grid with a spacing of about a kilometer.
 * @param asideMeters how far its stops are from the corners, both to the east and to the north
 */
function way(direction_id: string, corners: readonly Corner[], asideMeters = 0): StopWays[number] {
  const aside = asideMeters / METERS_PER_DEGREE
  const coordinates = corners.map(([column, row]): Coordinate => [column * STEP + aside, row * STEP + aside])
  return { direction_id, geometry: { type: 'LineString', coordinates } }
}

function drawn(...ways: StopWays): Corner[][] {
  const geometry = areaWays(new Map([['line', ways]])).get('line')
  const strings = geometry?.type === 'MultiLineString' ? geometry.coordinates : []
  return strings.map((string) => string.map(([lon, lat]): Corner => [Math.round(lon / STEP), Math.round(lat / STEP)]))
}

const [A, B, C, D]: readonly Corner[] = [
  [0, 0],
  [1, 0],
  [2, 0],
  [2, 1],
] as never

test('both directions are one line, in the middle of the stops on both sides', () => {
  for (const meters of [20, 100]) {
    const ways = [way('0', [A, B, C]), way('1', [C, B, A], meters)]
    const geometry = areaWays(new Map([['line', ways]])).get('line')
    const half = meters / METERS_PER_DEGREE / 2
    const strings = (geometry?.coordinates ?? []) as Coordinate[][]
    expect(strings.map((string) => string.map(([lon]) => (lon - half).toFixed(7)))).toEqual([
      [0, 1, 2].map((column) => (column * STEP).toFixed(7)),
    ])
    expect(new Set(strings.flat().map(([, lat]) => lat.toFixed(7)))).toEqual(new Set([half.toFixed(7)]))
  }
})

test('a fast trip is drawn along the stops that it passes; a branch and another street are drawn', () => {
  expect(drawn(way('0', [A, B, C]), way('1', [C, A]))).toEqual([[A, B, C]])
  expect(drawn(way('0', [A, B, C]), way('1', [D, C, A]))).toEqual([
    [A, B, C],
    [D, C],
  ])
  // The way around the corner is 1.4 times as long as the direct way, so the direct way is drawn too.
  expect(drawn(way('0', [B, C, D]), way('1', [D, B]))).toEqual([
    [B, C, D],
    [D, B],
  ])
})

test('stops of different places are not joined', () => {
  const near = 100 / METERS_PER_DEGREE
  const coordinates: Coordinate[] = [0, 1, 2, 3].map((at) => [at * near, 0])
  const geometry = { type: 'LineString', coordinates } as const
  const strings = areaWays(new Map([['line', [{ direction_id: '0', geometry }]]])).get('line')?.coordinates
  expect(strings).toEqual([coordinates] as never)
})

const corner = fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 3 }))
const course = fc
  .array(corner, { minLength: 2, maxLength: 8 })
  .map((corners) => corners.filter((each, at) => at === 0 || String(each) !== String(corners[at - 1])))
  .filter((corners) => corners.length > 1)

/** Compares the drawn hops with the shortest ways between all stops, computed by the Floyd–Warshall algorithm. */
test('what is drawn connects what the trips connect, each hop once, and no hop can be replaced by others', () => {
  fc.assert(
    fc.property(fc.array(course, { minLength: 1, maxLength: 4 }), (courses) => {
      const strings = drawn(...courses.map((corners, at) => way(`${at}`, corners, at * 5)))
      const hops = strings.flatMap((string) => string.slice(1).map((to, at) => [String(string[at]), String(to)].sort()))
      expect(new Set(hops.map(String)).size).toBe(hops.length)
      const shortest = (without?: string) => distances(hops.filter((hop) => String(hop) !== without))
      const all = shortest()
      for (const corners of courses) {
        for (const [at, to] of corners.slice(1).entries()) {
          const from = corners[at] as Corner
          expect(all(String(from), String(to)) / straight(from, to)).toBeLessThanOrEqual(DETOUR ** 8)
        }
      }
      for (const hop of hops) {
        const [from = '', to = ''] = hop
        const around = shortest(String(hop))(from, to)
        expect(around).toBeGreaterThan(straight(toCorner(from), toCorner(to)) * DETOUR * 0.99)
      }
    }),
    RUNS,
  )
})

function straight([column, row]: Corner, [otherColumn, otherRow]: Corner): number {
  return Math.hypot(otherColumn - column, otherRow - row)
}

function toCorner(text: string): Corner {
  const [column = 0, row = 0] = text.split(',').map(Number)
  return [column, row]
}

function distances(hops: readonly (readonly string[])[]): (from: string, to: string) => number {
  const places = [...new Set(hops.flat())]
  const known = new Map<string, number>(places.map((place) => [`${place} ${place}`, 0]))
  for (const [from = '', to = ''] of hops) {
    const length = straight(toCorner(from), toCorner(to))
    known.set(`${from} ${to}`, length).set(`${to} ${from}`, length)
  }
  const get = (from: string, to: string) => known.get(`${from} ${to}`) ?? Number.POSITIVE_INFINITY
  for (const by of places) {
    for (const from of places) {
      for (const to of places) known.set(`${from} ${to}`, Math.min(get(from, to), get(from, by) + get(by, to)))
    }
  }
  return get
}
