// Tests the sea of generated coasts. The box ranges from 0 to 100 in x and y, and y points down. Land is to the left of
// a coast. Fails if water becomes land or land becomes water, or if a coast that ends within the box draws anything.
import { expect, test } from 'bun:test'
import { makeSea } from '../../../indexes/ground/coast.ts'
import { twiceArea } from '../../../indexes/ground/ground-features.ts'
import { holdsPoint } from '../../../indexes/ground/rings.ts'

const BOX = { minX: 0, minY: 0, maxX: 100, maxY: 100 }
/** An island around the middle: counterclockwise on the screen. */
const ISLAND = [40, 40, 40, 60, 60, 60, 60, 40, 40, 40]

type Sea = ReturnType<typeof makeSea>

function isWater({ areas }: Sea, x: number, y: number): boolean {
  return areas.some(([outer, ...holes]) => holdsPoint(outer, x, y) && !holes.some((hole) => holdsPoint(hole, x, y)))
}

/** Land or water at five places: the middle, and near the west, east, north and south edges. */
function look(sea: Sea): string {
  const places = [
    [50, 50],
    [5, 51],
    [95, 51],
    [51, 5],
    [51, 95],
  ]
  return places.map(([x, y]) => (isWater(sea, x, y) ? '~' : '#')).join('')
}

const CASES: readonly (readonly [name: string, rings: number[][], open: number[][], seen: string])[] = [
  ['a coast in the west', [], [[30, -10, 30, 110]], '#~###'],
  ['a coast in the east', [], [[70, 110, 70, -10]], '##~##'],
  [
    'a coast that goes along the west and enters the box again',
    [],
    [[30, -10, 30, 40, -20, 40, -20, 45, 30, 60, 30, 110]],
    '#####',
  ],
  ['a bay in the north', [], [[60, -10, 60, 70, 40, 70, 40, -10]], '~##~#'],
  ['a cape in the north', [], [[40, -10, 40, 70, 60, 70, 60, -10]], '#~~#~'],
  ['an island', [ISLAND], [], '#~~~~'],
  [
    'a strait from north to south',
    [],
    [
      [70, 110, 70, -10],
      [30, -10, 30, 110],
    ],
    '#~~##',
  ],
  ['an island off a coast', [[2, 48, 2, 54, 8, 54, 8, 48, 2, 48]], [[30, -10, 30, 110]], '#####'],
  [
    'a lake that is drawn as a coast',
    [ISLAND.toReversed().flatMap((_, at, all) => (at % 2 === 0 ? [all[at + 1], all[at]] : []))],
    [],
    '~####',
  ],
  ['a coast that ends within the box', [], [[30, -10, 30, 50]], '#####'],
  [
    'a coast that begins within the box, next to a complete one',
    [],
    [
      [30, 50, 30, 110],
      [70, 110, 70, -10],
    ],
    '##~##',
  ],
  ['a coast elsewhere', [], [[-30, -10, -30, 110]], '#####'],
  ['an island that is partly outside', [[-20, 40, -20, 60, 20, 60, 20, 40, -20, 40]], [], '~#~~~'],
]

for (const [name, rings, open, seen] of CASES) {
  test(`${name}`, () => {
    const sea = makeSea(rings, open, BOX)
    expect(look(sea)).toBe(seen)
    for (const ring of sea.areas.flat()) {
      expect([ring[0], ring[1]]).toEqual([ring[ring.length - 2], ring[ring.length - 1]])
      expect(twiceArea(ring)).not.toBe(0)
    }
  })
}

test('broken coasts are counted', () => {
  expect(makeSea([], [[30, -10, 30, 50]], BOX).broken).toBe(1)
  expect(makeSea([], [[30, 20, 30, 50]], BOX).broken).toBe(1)
  expect(makeSea([], [[30, -10, 30, 110]], BOX).broken).toBe(0)
})
