// Tests a map that is made in several windows (rectangles that are read one after the other). Fails if a tile differs
// from the same tile of a map made in a single window, if a tile is missing or made twice, or if a window reads more of
// the files than it needs.
import { expect, test } from 'bun:test'
import { zxyToTileId } from 'pmtiles'
import { makeGroundTiles } from '../../../indexes/ground/ground-windows.ts'
import { KeptArea } from '../../../loaders/osm/kept-area.ts'
import { PbfFile } from '../../../loaders/osm/pbf.ts'
import type { OsmElement } from '../../../loaders/osm/pbf-writer.ts'
import { bytesAsExtract, writeExtract } from '../../loaders/osm/read-extract.ts'

/** Five towns in four cells of zoom 8. Such a cell is 1.40625 degrees of longitude wide. */
const TOWNS = [
  { lat: 45.2, lon: 0.2 },
  { lat: 45.2, lon: 1.395 },
  { lat: 45.25, lon: 1.42 },
  { lat: 45.3, lon: 3.1 },
  { lat: 46.6, lon: 3.1 },
]
const STEP = 0.002
const EVERYTHING = 1_000_000_000
/** Elements per block of the file. The number is small, so the nodes in a block are close together. */
const BLOCK_ELEMENTS = 10

/** Streets, houses and a name in each town, a road through all towns, and a lake on the border between two cells. */
function makeElements({ isJoined } = { isJoined: true }): OsmElement[] {
  const elements: OsmElement[] = []
  let id = 0
  const node = (lat: number, lon: number) => {
    elements.push({ kind: 'node', id: ++id, lat, lon })
    return id
  }
  const ways: OsmElement[] = []
  const way = (refs: number[], tags: Record<string, string> = {}) => {
    ways.push({ kind: 'way', id: 10_000 + ways.length, refs, tags })
    return 10_000 + ways.length - 1
  }
  const square = (lat: number, lon: number, side: number) => {
    const corners = [node(lat, lon), node(lat, lon + side), node(lat + side, lon + side), node(lat + side, lon)]
    return [...corners, corners[0]]
  }
  for (const [at, { lat, lon }] of TOWNS.entries()) {
    elements.push({ kind: 'node', id: ++id, lat, lon, tags: { place: 'town', name: `Town ${at}` } } as OsmElement)
    for (let street = 0; street < 5; street++) {
      const refs = Array.from({ length: 9 }, (_, step) => node(lat + street * STEP, lon + step * STEP))
      way(refs, { highway: 'residential', name: `Street ${street}` })
      way(square(lat + street * STEP, lon - STEP, 0.0002), { building: 'yes' })
    }
  }
  const [first, ...others] = TOWNS
  const through = [node(first.lat, first.lon)]
  let before = first
  for (const town of others) {
    for (let step = 1; step <= 300; step++) {
      const share = step / 300
      if (isJoined)
        through.push(node(before.lat + share * (town.lat - before.lat), before.lon + share * (town.lon - before.lon)))
    }
    before = town
  }
  if (isJoined) way(through, { highway: 'primary', name: 'Through road' })
  const [outer, inner] = [square(45.21, 1.4, 0.012), square(45.214, 1.404, 0.004)].map((refs) => way(refs))
  const members = [
    { kind: 'way', ref: outer, role: 'outer' },
    { kind: 'way', ref: inner, role: 'inner' },
  ] as const
  const lake = { kind: 'relation', id: 1, tags: { type: 'multipolygon', natural: 'water', name: 'Lake' }, members }
  return [...elements, ...ways, lake as unknown as OsmElement]
}

function makeMap(mostNodes: number, elements = makeElements(), towns = TOWNS) {
  const kept = new KeptArea()
  kept.keep({ lat: towns.map(({ lat }) => lat), lon: towns.map(({ lon }) => lon) }, 5_000)
  const tiles = new Map<number, string>()
  const steps = new Set<string>()
  const bytes = writeExtract(elements, { blockElements: BLOCK_ELEMENTS, isSorted: true })
  const plain = new PbfFile(bytesAsExtract(bytes))
  const headers = new Set(Array.from({ length: plain.blockCount }, (_, block) => plain.byteOf(block)))
  let unpacked = 0
  const file = {
    ...bytesAsExtract(bytes),
    read: (start: number, end: number) => {
      if (start > 0 && !headers.has(start)) unpacked++
      return bytes.subarray(start, end)
    },
  }
  const counts = makeGroundTiles(
    [file],
    { kept, hasBuildings: true, mostNodes, onProgress: (step) => steps.add(step) },
    (id, tile) => {
      expect(tiles.has(id)).toBe(false)
      tiles.set(id, Buffer.from(tile).toString('base64'))
    },
  )
  const windows = [...steps].filter((step) => step.startsWith('ways')).length
  return { tiles, counts, windows, unpacked }
}

test('tiles do not depend on the number of windows', () => {
  const whole = makeMap(EVERYTHING)
  expect(whole.windows).toBe(1)
  expect(whole.tiles.size).toBeGreaterThan(20)
  for (const mostNodes of [1, 200, 400]) {
    const parts = makeMap(mostNodes)
    expect(parts.windows).toBeGreaterThan(1)
    expect([...parts.tiles.keys()].sort((a, b) => a - b)).toEqual([...whole.tiles.keys()].sort((a, b) => a - b))
    for (const [id, tile] of whole.tiles) expect({ id, tile: parts.tiles.get(id) }).toEqual({ id, tile })
    expect(parts.counts).toEqual(whole.counts)
  }
})

test('a window does not read the nodes of other windows', () => {
  // The road through all towns is left out, because every window would have to read its nodes.
  const elements = makeElements({ isJoined: false })
  const { windows, unpacked } = makeMap(1, elements)
  expect(windows).toBeGreaterThanOrEqual(4)
  expect(unpacked / windows).toBeLessThan(0.6 * makeMap(EVERYTHING, elements).unpacked)
})

/** A town just west of a coast that runs north. The next cell to the east is all sea. */
const HARBOR = { lat: 45.2, lon: 1.395 }
const SEA_TILE = { zoom: 14, lat: 45.2, lon: 1.42 }

test('the sea is also drawn in cells without nodes', () => {
  const coast = Array.from({ length: 41 }, (_, at) => ({ id: at + 1, lat: 45 + at / 100, lon: 1.4 }))
  const elements: OsmElement[] = [
    ...coast.map((node) => ({ kind: 'node' as const, ...node })),
    { kind: 'way', id: 100, refs: coast.map(({ id }) => id), tags: { natural: 'coastline' } },
  ]
  const side = 2 ** SEA_TILE.zoom
  const sine = Math.sin((SEA_TILE.lat * Math.PI) / 180)
  const x = Math.floor((SEA_TILE.lon / 360 + 0.5) * side)
  const y = Math.floor((0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)) * side)
  const id = zxyToTileId(SEA_TILE.zoom, x, y)
  const [whole, parts] = [makeMap(EVERYTHING, elements, [HARBOR]), makeMap(1, elements, [HARBOR])]
  expect([whole.windows, parts.windows > 1]).toEqual([1, true])
  expect(whole.tiles.get(id)).toBeString()
  expect(parts.tiles.get(id)).toBe(whole.tiles.get(id))
})

test('without cells, there is no map', () => {
  const tiles: number[] = []
  const sources = [bytesAsExtract(writeExtract(makeElements()))]
  makeGroundTiles(sources, { kept: new KeptArea(), hasBuildings: true }, (id) => tiles.push(id))
  expect(tiles).toEqual([])
})
