// Tests how ways are joined into rings, and how holes are assigned to outer rings. Fails if a ring is lost or not
// closed, or if a hole is assigned to the wrong outer ring.
import { expect, test } from 'bun:test'
import { groupRings, joinLines } from '../../../indexes/ground/rings.ts'

function square(x: number, y: number, side: number): number[] {
  return [x, y, x + side, y, x + side, y + side, x, y + side, x, y]
}

test('pieces in any order and direction form rings', () => {
  const { rings, open } = joinLines(
    [
      [1, 2, 3],
      [7, 8, 9, 7],
      [5, 1],
      [5, 4, 3],
      [20, 21],
    ],
    false,
  )
  expect(rings.map((ring) => [...new Set(ring)].sort())).toEqual([
    [1, 2, 3, 4, 5],
    [7, 8, 9],
  ])
  for (const ring of rings) expect(ring[0]).toBe(ring[ring.length - 1])
  expect(open).toEqual([[21, 20]])
})

test('coasts keep their direction: two that meet head-on are not joined', () => {
  expect(
    joinLines(
      [
        [3, 4],
        [1, 2, 3],
        [9, 4],
      ],
      true,
    ),
  ).toEqual({
    rings: [],
    open: [
      [1, 2, 3, 4],
      [9, 4],
    ],
  })
})

test('holes belong to the area around them, and an island in a hole is a separate area', () => {
  const groups = groupRings([
    square(20, 20, 20),
    square(0, 0, 100),
    square(200, 0, 50),
    square(25, 25, 5),
    square(210, 10, 5),
  ])
  const firsts = groups.map((rings) => rings.map((ring) => ring.slice(0, 2)))
  expect(firsts).toEqual([
    [
      [0, 0],
      [20, 20],
    ],
    [
      [200, 0],
      [210, 10],
    ],
    [[25, 25]],
  ])
})

test('rings without an area are omitted', () => {
  expect(groupRings([[0, 0, 5, 5, 0, 0], square(0, 0, 1)])).toEqual([[square(0, 0, 1)]])
})
