// Tests how lines that share a street are drawn side by side. Streets form a grid with a spacing of about 100 m. Fails
// if two colors overlap, if a line alone on a street is not in the middle, if a line changes sides needlessly, or if a
// part of a line is lost.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { MapFeature } from '../../../src/explorer/app/map/map-feature.ts'
import { besideEachOther } from '../../../src/explorer/app/map/shared-tracks.ts'
import { bySize, SEED } from '../../size.ts'

const RUNS = { seed: SEED, numRuns: bySize({ quick: 100, ci: 500, full: 20_000 }) }
const STEP = 0.001
const TRAM = 3.6
const BUS = 2.1
/** The maximum width in pixels of lines drawn side by side: four trams and the gaps between them. */
const WIDEST = 4 * (TRAM + 1)

type Corner = readonly [column: number, row: number]

function lineOf(line: string, corners: readonly Corner[], look: { color?: string; weight?: number } = {}): MapFeature {
  const { color = line, weight = BUS } = look
  const coordinates = corners.map(([column, row]) => [column * STEP, 47 + row * STEP])
  return {
    type: 'Feature',
    properties: { line, color, weight, order: weight },
    geometry: { type: 'LineString', coordinates },
  }
}

/** Street → color and line width → offset to the right in pixels, as seen from the street's western or southern end. */
function stripsOf(parts: readonly MapFeature[]): Map<string, Map<string, number>> {
  const strips = new Map<string, Map<string, number>>()
  for (const { properties, geometry } of parts) {
    const corners = geometry.coordinates as number[][]
    for (let at = 1; at < corners.length; at++) {
      const [one, other] = [cornerOf(corners[at - 1]), cornerOf(corners[at])]
      if (one[0] === other[0] && one[1] === other[1]) continue
      const isForward = one[0] < other[0] || (one[0] === other[0] && one[1] < other[1])
      const street = (isForward ? [one, other] : [other, one]).join(' ')
      const beside = Number(properties['beside']) * (isForward ? 1 : -1)
      const key = `${properties['color']} ${properties['weight']}`
      strips.getOrInsertComputed(street, () => new Map()).set(key, beside + 0)
    }
  }
  return strips
}

function cornerOf([lon = 0, lat = 0]: readonly number[] = []): [number, number] {
  return [Math.round(lon / STEP), Math.round((lat - 47) / STEP)]
}

const EAST: readonly Corner[] = [
  [0, 0],
  [1, 0],
  [2, 0],
  [3, 0],
]

test('a single line is in the middle, in one part, whatever its turns', () => {
  const [part, ...more] = besideEachOther([lineOf('a', [...EAST, [3, 1], [2, 1], [2, 0]])])
  expect([part?.properties['beside'], more]).toEqual([0, []])
})

test('the wider of two lines is in the middle, the other beside it; both directions are on the same side', () => {
  const back = EAST.toReversed()
  const both = besideEachOther([
    lineOf('bus', EAST),
    lineOf('tram', EAST, { weight: TRAM }),
    lineOf('bus', back),
    lineOf('tram', back, { weight: TRAM }),
  ])
  const seen = stripsOf(both)
  expect(both.length).toBe(4)
  expect([...seen.values()].map((strips) => [strips.get(`tram ${TRAM}`), strips.get(`bus ${BUS}`)])).toEqual(
    EAST.slice(1).map(() => [0, TRAM + 0.6]),
  )
})

test('lines of the same color share a strip', () => {
  const parts = besideEachOther(['a', 'b', 'c'].map((line) => lineOf(line, EAST, { color: 'green' })))
  expect(parts.map(({ properties }) => properties['beside'])).toEqual([0, 0, 0])
})

test('a line keeps its side while others join and leave, and returns to the middle when it is alone', () => {
  const parts = besideEachOther([
    lineOf('a', EAST),
    lineOf('b', [...EAST, [4, 0]]),
    lineOf('c', [
      [1, 1],
      [1, 0],
      [2, 0],
      [2, 1],
    ]),
  ])
  const strips = stripsOf(parts)
  const at = (street: string, line: string) => Math.sign(strips.get(street)?.get(`${line} ${BUS}`) ?? Number.NaN)
  const streets = ['0,0 1,0', '1,0 2,0', '2,0 3,0']
  expect(streets.map((street) => at(street, 'a'))).toEqual([0, 0, 0])
  expect(streets.map((street) => at(street, 'b'))).toEqual([1, 1, 1])
  expect([at('1,0 2,0', 'c'), at('1,0 1,1', 'c'), at('3,0 4,0', 'b')]).toEqual([-1, 0, 0])
})

test('a corner that another line only crosses changes nothing', () => {
  const near: readonly Corner[] = [
    [0, 0],
    [1, 0],
    [1.2, 0],
    [2, 0],
  ]
  const crossing = lineOf('b', [
    [1, 1],
    [1, 0],
    [1.2, 0],
    [1.2, -1],
  ])
  const parts = besideEachOther([lineOf('a', near), crossing]).filter(({ properties }) => properties['line'] === 'b')
  expect(parts.map(({ properties }) => properties['beside'])).toEqual([0])
})

const STEPS = [
  [1, 0],
  [0, 1],
  [-1, 0],
  [0, -1],
] as const
const walk = fc
  .tuple(fc.nat(4), fc.nat(4), fc.array(fc.nat(3), { minLength: 1, maxLength: 14 }))
  .map(([column, row, turns]): Corner[] => {
    const corners: Corner[] = [[column, row]]
    for (const turn of turns) {
      const [x, y] = corners[corners.length - 1] ?? [0, 0]
      const [east = 0, north = 0] = STEPS[turn] ?? []
      corners.push([x + east, y + north])
    }
    return corners
  })
const network = fc
  .array(fc.record({ corners: walk, color: fc.constantFrom('red', 'green', 'blue', 'black'), isTram: fc.boolean() }), {
    minLength: 1,
    maxLength: 9,
  })
  .map((lines) =>
    lines.map(({ corners, color, isTram }, at) =>
      lineOf(`line ${at}`, corners, { color, weight: isTram ? TRAM : BUS }),
    ),
  )

test('no two colors in a street overlap, none is far away, and none is lost', () => {
  fc.assert(
    fc.property(network, (lines) => {
      const parts = besideEachOther(lines)
      for (const strips of stripsOf(parts).values()) {
        const places = [...strips.values()]
        expect(new Set(places).size).toBe(places.length)
        if (places.length === 1) expect(places).toEqual([0])
        for (const place of places) expect(Math.abs(place)).toBeLessThan(WIDEST)
      }
      for (const line of lines) {
        const own = parts.filter(({ properties }) => properties['line'] === line.properties['line'])
        const joined = own.flatMap(({ geometry }, at) => (geometry.coordinates as unknown[]).slice(at === 0 ? 0 : 1))
        expect(joined).toEqual(line.geometry.coordinates as unknown[])
      }
    }),
    RUNS,
  )
}, 300_000)

test('the order of lines does not change the drawing', () => {
  fc.assert(
    fc.property(network, (lines) => {
      expect(stripsOf(besideEachOther(lines.toReversed()))).toEqual(stripsOf(besideEachOther(lines)))
    }),
    RUNS,
  )
}, 300_000)
