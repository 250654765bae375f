// Tests coastlines as they occur in OpenStreetMap: whole, repeated, cut, crossing themselves, or in the wrong
// direction. The cases follow the tests of osmcoastline. The map has 40 columns, numbered from the west, and 30 rows,
// numbered from the south. Land is to the left of a coastline. Fails if land is drawn as water, if a broken coastline
// removes the sea along the other coastlines, or if a broken coastline is not counted.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { type BuiltGround, buildGround } from '../../../indexes/ground/build-ground.ts'
import { planeX, planeY } from '../../../indexes/ground/plane.ts'
import { holdsPoint } from '../../../indexes/ground/rings.ts'
import { OCEAN_KIND } from '../../../loaders/osm/ground-kinds.ts'
import { loadGround } from '../../../loaders/osm/load-ground.ts'
import type { OsmElement } from '../../../loaders/osm/pbf-writer.ts'
import { bytesAsExtract, writeExtract } from '../../loaders/osm/read-extract.ts'
import { ringsOf } from '../../oracles/cut-tiles.ts'
import { bySize, SEED } from '../../size.ts'
import { nodeAt } from './made-ground.ts'

type Corner = readonly [column: number, row: number]
type Coast = readonly Corner[]

const WHOLE_MAP: Coast = [
  [0, 0],
  [40, 30],
]

/**
 * Ground with these coastlines. Corners at the same place share one node. At a place in `separate`, the last corner of a
 * way has a node of its own.
 */
function groundWith(coasts: readonly Coast[], streets: readonly Coast[] = [], separate: readonly Corner[] = []) {
  const nodes = new Map<string, OsmElement>()
  const ways: OsmElement[] = []
  const numberOf = ([column, row]: Corner, isLast: boolean) => {
    const isSeparate = isLast && separate.some(([x, y]) => x === column && y === row)
    const node = nodeAt(nodes.size + 1, column, row)
    return nodes.getOrInsertComputed(`${column} ${row} ${isSeparate}`, () => node).id
  }
  const addWay = (corners: Coast, tags: Record<string, string>) => {
    const refs = corners.map((corner, at) => numberOf(corner, at > 0 && at === corners.length - 1))
    ways.push({ kind: 'way', id: ways.length + 1, refs, tags })
  }
  for (const coast of coasts) addWay(coast, { natural: 'coastline' })
  for (const street of streets) addWay(street, { highway: 'residential' })
  addWay(WHOLE_MAP, { highway: 'footway' })
  const bytes = writeExtract([...nodes.values(), ...ways])
  return buildGround(loadGround([bytesAsExtract(bytes)], { hasBuildings: true }), undefined)
}

/** What the map shows at each place, as one character: `~` for water, `#` for land. */
function look({ features }: BuiltGround, places: readonly Corner[]): string {
  const seas = Array.from({ length: features.count }, (_, feature) => feature)
    .filter((feature) => features.kind[feature] === OCEAN_KIND)
    .map((feature) => ringsOf(features, feature).map((ring) => ring.flat()))
  const isWater = ([column, row]: Corner) => {
    const [x, y] = [planeX(column * 1e4), planeY(row * 1e4)]
    return seas.some(
      ([outer = [], ...holes]) => holdsPoint(outer, x, y) && !holes.some((hole) => holdsPoint(hole, x, y)),
    )
  }
  return places.map((place) => (isWater(place) ? '~' : '#')).join('')
}

const square = (west: number, south: number, side: number): Coast => [
  [west, south],
  [west + side, south],
  [west + side, south + side],
  [west, south + side],
  [west, south],
]
const turned = (coast: Coast) => coast.toReversed()
/**
 * A valid island in the east, for cases whose other coastlines are broken: without any valid coastline, no sea is
 * drawn.
 */
const GOOD = square(30, 20, 5)
const IN_GOOD: Corner = [32, 22]
const AT_SEA: Corner = [38, 2]
const LARGE = square(5, 5, 20)
const LAKE = turned(square(10, 10, 10))
const NOTCHED: Coast = [
  [5, 25],
  [5, 5],
  [10, 5],
  [10, 15],
  [25, 15],
  [25, 25],
  [5, 25],
]
/** An open coastline that crosses itself at column 12.5, row 15. East of that point, it forms a loop. */
const LOOP: Coast = [
  [5, 10],
  [20, 20],
  [20, 10],
  [5, 20],
]

interface Case {
  readonly name: string
  readonly coasts: readonly Coast[]
  readonly separate?: readonly Corner[]
  readonly at: readonly Corner[]
  readonly seen: string
  readonly broken: number
}

const CASES: readonly Case[] = [
  { name: 'an island drawn as one way', coasts: [LARGE], at: [[15, 15], AT_SEA], seen: '#~', broken: 0 },
  {
    name: 'an island drawn as two ways',
    coasts: [LARGE.slice(0, 3), LARGE.slice(2)],
    at: [[15, 15], AT_SEA],
    seen: '#~',
    broken: 0,
  },
  { name: 'two islands', coasts: [LARGE, GOOD], at: [[15, 15], IN_GOOD, AT_SEA], seen: '##~', broken: 0 },
  { name: 'a sea within land', coasts: [LARGE, LAKE], at: [[7, 7], [15, 15], AT_SEA], seen: '#~~', broken: 0 },
  {
    name: 'a sea within land, and an island in it',
    coasts: [LARGE, LAKE, square(14, 14, 2)],
    at: [[7, 7], [12, 12], [15, 15], AT_SEA],
    seen: '#~#~',
    broken: 0,
  },
  {
    name: 'islands that overlap',
    coasts: [square(5, 5, 12), square(10, 10, 12)],
    at: [[7, 7], [13, 13], [20, 20], AT_SEA],
    seen: '###~',
    broken: 0,
  },
  {
    name: 'a duplicate way',
    coasts: [LARGE.slice(0, 3), LARGE.slice(0, 3), LARGE.slice(2)],
    at: [[15, 15], AT_SEA],
    seen: '#~',
    broken: 0,
  },
  {
    name: 'ends that meet at one place but have two node ids',
    coasts: [LARGE.slice(0, 3), LARGE.slice(2)],
    separate: [[5, 5]],
    at: [[15, 15], AT_SEA],
    seen: '#~',
    broken: 0,
  },
  {
    name: 'an island in another one’s bay, drawn in the wrong direction',
    coasts: [NOTCHED, turned(square(15, 8, 4))],
    at: [[7, 7], [17, 10], [12, 10], AT_SEA],
    seen: '##~~',
    broken: 1,
  },
  {
    name: 'the same next to a valid one',
    coasts: [NOTCHED, turned(square(15, 8, 4)), GOOD],
    at: [[7, 7], [17, 10], [12, 10], IN_GOOD, AT_SEA],
    seen: '##~#~',
    broken: 1,
  },
  {
    name: 'a part in the wrong direction',
    coasts: [turned(LARGE.slice(0, 2)), LARGE.slice(1)],
    at: [[15, 15], AT_SEA],
    seen: '#~',
    broken: 1,
  },
  {
    name: 'an island that is not closed, next to a valid one',
    coasts: [LARGE.slice(0, 4), GOOD],
    at: [[15, 15], IN_GOOD, AT_SEA],
    seen: '##~',
    broken: 1,
  },
  {
    name: 'an island that is not closed, alone',
    coasts: [LARGE.slice(0, 4)],
    at: [[15, 15], AT_SEA],
    seen: '##',
    broken: 1,
  },
  {
    name: 'an open coast that crosses itself, next to a valid one',
    coasts: [LOOP, GOOD],
    at: [IN_GOOD, AT_SEA],
    seen: '#~',
    broken: 1,
  },
  {
    name: 'a closed coast that crosses itself: one of its loops is land',
    coasts: [[...LOOP, [5, 25], [25, 25], [25, 5], [5, 5], [5, 10]].toReversed() as Coast, GOOD],
    at: [[23, 15], IN_GOOD, AT_SEA],
    seen: '##~',
    broken: 0,
  },
  {
    name: 'two coasts from one place, one on top of the other',
    coasts: [
      [
        [5, 5],
        [25, 5],
      ],
      [
        [5, 5],
        [15, 5],
      ],
      GOOD,
    ],
    at: [IN_GOOD, AT_SEA],
    seen: '#~',
    broken: 2,
  },
]

for (const { name, coasts, separate, at, seen, broken } of CASES) {
  test(name, () => {
    const ground = groundWith(coasts, [], separate)
    expect([look(ground, at), ground.brokenCoasts, ground.floodedSeas]).toEqual([seen, broken, 0])
  })
}

test('a coast that goes back the way it came has no area and does not change the sea', () => {
  const rows = (...numbers: number[]): Coast => numbers.map((row) => [10, row])
  const coasts = [rows(6, 7), rows(7, 6, 5), rows(2, 3, 4), rows(4, 5), rows(5, 4), rows(5, 6), GOOD]
  const ground = groundWith(coasts)
  expect(look(ground, [IN_GOOD, AT_SEA])).toBe('#~')
  expect(ground.brokenCoasts).toBeGreaterThan(0)
})

const streetsAt = (column: number, row: number): Coast[] =>
  Array.from({ length: 5 }, (_, at) => [
    [column + at / 5, row],
    [column + at / 5, row + 1],
  ])

test('an island drawn in the wrong direction, with streets on it, is not a lake', () => {
  const ground = groundWith([turned(LARGE)], streetsAt(15, 15))
  expect([look(ground, [[15, 15], AT_SEA]), ground.floodedSeas]).toEqual(['##', 1])
})

/** A mainland in the west and two islands, all made of short ways. */
const MAINLAND: Coast = [0, 6, 12, 18, 24, 30].map((row) => [8 + (row % 4), row === 0 ? -5 : row === 30 ? 35 : row])
const PIECES = [MAINLAND, square(15, 5, 9), GOOD].flatMap((coast) =>
  coast.slice(1).map((corner, at): Coast => [coast[at] ?? corner, corner]),
)
const CITIES: readonly Corner[] = [
  [3, 15],
  [19, 9],
  [32, 22],
]

test('no city is under water, whatever is missing or reversed', () => {
  const whole = groundWith(
    PIECES.map((piece) => piece.toReversed()),
    CITIES.flatMap(([column, row]) => streetsAt(column, row)),
  )
  const faults = fc.array(fc.constantFrom('whole', 'missing', 'turned', 'twice'), {
    minLength: PIECES.length,
    maxLength: PIECES.length,
  })
  expect(look(whole, CITIES)).toBe('###')
  fc.assert(
    fc.property(faults, (fault) => {
      const coasts = PIECES.flatMap((piece, at) => {
        if (fault[at] === 'missing') return []
        if (fault[at] === 'turned') return [turned(piece)]
        return fault[at] === 'twice' ? [piece, piece] : [piece]
      })
      const ground = groundWith(
        coasts,
        CITIES.flatMap(([column, row]) => streetsAt(column, row)),
      )
      expect(look(ground, CITIES)).toBe('###')
    }),
    { seed: SEED, numRuns: bySize({ quick: 50, ci: 200, full: 5_000 }) },
  )
}, 600_000)

test('with all its coasts, the sea fills the space between them', () => {
  const ground = groundWith(
    PIECES,
    CITIES.flatMap(([column, row]) => streetsAt(column, row)),
  )
  expect([look(ground, [...CITIES, AT_SEA, [12, 15], [27, 27]]), ground.brokenCoasts]).toEqual(['###~~~', 0])
})
