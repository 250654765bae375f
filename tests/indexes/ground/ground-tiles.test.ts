// Reads the tiles of generated ground and of real extracts with third-party readers. Fails if a ring is open or has the
// wrong winding, if a road is more than a meter from its position, or if a feature has the wrong layer, kind or name.
import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { WORLD_UNITS } from '../../../indexes/ground/plane.ts'
import { MOST_ZOOM } from '../../../indexes/ground/tile-grid.ts'
import { GROUND_KINDS, KIND_MASK } from '../../../loaders/osm/ground-kinds.ts'
import { NO_COORDINATE } from '../../../loaders/osm/load-ground.ts'
import type { OsmElement } from '../../../loaders/osm/pbf-writer.ts'
import { bySize, REAL_EXTRACTS } from '../../size.ts'
import { featuresIn, groundOf, groundOfBytes, type MadeGround, nodeAt } from './made-ground.ts'

const EXTENT = 4_096
const WORLD_METERS = 40_075_016.686
const MOST_METERS = 1
/** Maximum number of roads that are checked in each extract. */
const ROADS = bySize({ quick: 300, ci: 2_000, full: 1_000_000 })

const SQUARE = [1, 2, 3, 4]
/** A lake with an island, a street east of the lake, a house and a town. */
const TOWN: OsmElement[] = [
  nodeAt(1, 1, 1),
  nodeAt(2, 5, 1),
  nodeAt(3, 5, 5),
  nodeAt(4, 1, 5),
  nodeAt(5, 2, 2),
  nodeAt(6, 3, 2),
  nodeAt(7, 3, 3),
  nodeAt(8, 7, 1),
  nodeAt(9, 7, 6),
  nodeAt(10, 8, 1),
  { ...nodeAt(11, 6, 6), tags: { place: 'town', name: 'Ville' } } as OsmElement,
  { kind: 'way', id: 20, refs: [...SQUARE, 1] },
  { kind: 'way', id: 21, refs: [5, 6, 7, 5] },
  { kind: 'way', id: 22, refs: [8, 9], tags: { highway: 'residential', name: 'Rue du Lac', tunnel: 'yes' } },
  { kind: 'way', id: 23, refs: [8, 9, 10, 8], tags: { building: 'house' } },
  { kind: 'way', id: 24, refs: [8, 9, 10], tags: { landuse: 'grass' } },
  {
    kind: 'relation',
    id: 30,
    tags: { type: 'multipolygon', natural: 'water', name: 'Lac' },
    members: [
      { kind: 'way', ref: 20, role: 'outer' },
      { kind: 'way', ref: 21, role: 'outer' },
    ],
  },
]

test('layers, kinds and names come from the extract; a member with a wrong role is still a hole', async () => {
  const made = groundOf(TOWN)
  expect(made.built).toMatchObject({ openAreas: 0, brokenCoasts: 0, floodedSeas: 0 })
  const [place] = made.places.filter(([zoom]) => zoom === MOST_ZOOM)
  const found = async (layer: string) => {
    const features = await Promise.all(
      made.places.filter(([zoom]) => zoom === MOST_ZOOM).map((at) => featuresIn(made, at, layer)),
    )
    return features.flat()
  }
  expect(place).toBeDefined()
  await checkRings(made)
  const [lake] = await found('water')
  expect(lake?.properties).toEqual({ kind: 'water', name: 'Lac' })
  expect(lake?.loadGeometry().length).toBe(2)
  const [road] = await found('roads')
  expect(road?.properties).toEqual({
    kind: 'minor_road',
    kind_detail: 'residential',
    name: 'Rue du Lac',
    is_tunnel: true,
  })
  expect((await found('buildings'))[0]?.properties).toEqual({ kind: 'building' })
  expect((await found('places'))[0]?.properties).toEqual({ kind: 'locality', kind_detail: 'town', name: 'Ville' })
  // Way 24 is not closed, so it is not drawn as an area, although it has the tag `landuse`.
  expect(await found('landuse')).toEqual([])
})

test('low zooms have only large areas and large roads, without road names', async () => {
  const made = groundOf(TOWN)
  const zooms = new Set(made.places.map(([zoom]) => zoom))
  expect([...zooms].sort((a, b) => a - b)).toEqual([9, 10, 11, 12, 13, 14])
  for (const place of made.places.filter(([zoom]) => zoom === 12)) {
    for (const { properties } of await featuresIn(made, place, 'roads')) expect(properties['name']).toBeUndefined()
  }
})

test('an area with nodes missing from the file is counted but not drawn', () => {
  const cut = TOWN.filter(({ kind, id }) => kind !== 'node' || id !== 2)
  const { built } = groundOf(cut)
  expect(built.openAreas).toBe(1)
})

test('a sea with streets in it is reported and not drawn; one without is drawn', async () => {
  const streets = Array.from({ length: 5 }, (_, at): OsmElement[] => [
    nodeAt(100 + 2 * at, 11 + at, 10),
    nodeAt(101 + 2 * at, 11 + at, 12),
    { kind: 'way', id: 200 + at, refs: [100 + 2 * at, 101 + 2 * at], tags: { highway: 'residential' } },
  ]).flat()
  const coast = (refs: number[]): OsmElement[] => [
    nodeAt(1, 10, 0),
    nodeAt(2, 10, 20),
    nodeAt(3, 0, 10),
    nodeAt(4, 20, 10),
    { kind: 'way', id: 1, refs, tags: { natural: 'coastline' } },
    { kind: 'way', id: 2, refs: [3, 4], tags: { highway: 'footway' } },
  ]
  const ordered = (elements: OsmElement[]) =>
    elements.sort((a, b) => Number(a.kind !== 'node') - Number(b.kind !== 'node'))
  // With the first coast, which runs south, the land is in the east, and the streets are on land. With the second
  // coast, which runs north, the streets are in the sea.
  expect(groundOf(ordered([...coast([2, 1]), ...streets])).built.floodedSeas).toBe(0)
  expect(groundOf(ordered([...coast([1, 2]), ...streets])).built.floodedSeas).toBe(1)
  const dry = groundOf(ordered([...coast([2, 1]), ...streets]))
  const seas = await Promise.all(dry.places.map((place) => featuresIn(dry, place, 'water')))
  expect(seas.flat().map(({ properties }) => properties['kind'])).toContain('ocean')
})

const names = REAL_EXTRACTS === undefined ? [] : readdirSync(REAL_EXTRACTS).filter((name) => name.endsWith('.pbf'))
for (const name of names) {
  test(`rings of ${name} are closed and wound correctly, and its roads are in place`, async () => {
    const made = groundOfBytes(new Uint8Array(readFileSync(join(REAL_EXTRACTS ?? '', name))))
    await checkRings(made)
    const { checked, worstMeters } = await checkRoads(made)
    console.log(JSON.stringify({ name, checked, worstMeters }))
    expect(checked).toBeGreaterThan(200)
    expect(worstMeters).toBeLessThanOrEqual(MOST_METERS)
  }, 300_000)
}

async function checkRings(made: MadeGround): Promise<void> {
  for (const place of made.places) {
    for (const layer of ['water', 'landuse', 'buildings']) {
      for (const feature of await featuresIn(made, place, layer)) {
        if (feature.type !== 3) continue
        const rings = feature.loadGeometry()
        for (const ring of rings) expect(ring[0]).toEqual(ring[ring.length - 1])
        // The first ring of an area is clockwise on the screen; holes are counterclockwise.
        expect(twiceArea(rings[0] ?? [])).toBeGreaterThanOrEqual(0)
        for (const hole of rings.slice(1)) expect(twiceArea(hole)).toBeLessThanOrEqual(0)
      }
    }
  }
}

function twiceArea(ring: readonly { readonly x: number; readonly y: number }[]): number {
  return ring.slice(1).reduce((sum, { x, y }, at) => sum + ring[at].x * y - x * ring[at].y, 0)
}

type Segments = number[]

/**
 * Measures how far the midpoint of each road segment is from the nearest road in the tile that contains the midpoint.
 */
async function checkRoads(made: MadeGround): Promise<{ checked: number; worstMeters: number }> {
  const { ways, lat, lon } = made.loaded
  const tiles = new Map<string, Promise<Segments>>()
  let [checked, worstMeters] = [0, 0]
  for (let way = 0; way < ways.count && checked < ROADS; way++) {
    if (GROUND_KINDS[ways.flags(way) & KIND_MASK]?.layer !== 'roads') continue
    const nodes = Array.from(ways.nodes.subarray(0, ways.readNodes(way)))
    for (const [at, node] of nodes.entries()) {
      const next = nodes[at + 1]
      if (next === undefined || lat[node] === NO_COORDINATE || lat[next] === NO_COORDINATE) continue
      const middle = { lat: (lat[node] + lat[next]) / 2e7, lon: (lon[node] + lon[next]) / 2e7 }
      worstMeters = Math.max(worstMeters, await metersOff(made, tiles, middle))
      checked++
    }
  }
  return { checked, worstMeters }
}

async function metersOff(
  made: MadeGround,
  tiles: Map<string, Promise<Segments>>,
  { lat, lon }: { lat: number; lon: number },
) {
  const sine = Math.sin((lat * Math.PI) / 180)
  const [tileX, tileY] = [
    (lon / 360 + 0.5) * 2 ** MOST_ZOOM,
    (0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)) * 2 ** MOST_ZOOM,
  ]
  const [x, y] = [Math.floor(tileX), Math.floor(tileY)]
  const segments = await tiles.getOrInsertComputed(`${x}/${y}`, () => segmentsIn(made, [MOST_ZOOM, x, y]))
  const [px, py] = [(tileX - x) * EXTENT, (tileY - y) * EXTENT]
  let least = Infinity
  for (let at = 0; at < segments.length; at += 4) {
    const [x1, y1, x2, y2] = [segments[at], segments[at + 1], segments[at + 2], segments[at + 3]]
    const length = (x2 - x1) ** 2 + (y2 - y1) ** 2
    const share = length === 0 ? 0 : Math.max(0, Math.min(1, ((px - x1) * (x2 - x1) + (py - y1) * (y2 - y1)) / length))
    least = Math.min(least, Math.hypot(px - x1 - share * (x2 - x1), py - y1 - share * (y2 - y1)))
  }
  return (least * WORLD_METERS * Math.cos((lat * Math.PI) / 180)) / 2 ** MOST_ZOOM / EXTENT
}

async function segmentsIn(made: MadeGround, place: readonly [number, number, number]): Promise<Segments> {
  const lines = (await featuresIn(made, place, 'roads')).flatMap((feature) => feature.loadGeometry())
  return lines.flatMap((line) => line.slice(1).flatMap(({ x, y }, at) => [line[at].x, line[at].y, x, y]))
}

test('a unit of the plane is smaller than a unit of a tile', () => {
  expect(WORLD_UNITS).toBeGreaterThan(2 ** MOST_ZOOM * EXTENT)
})
