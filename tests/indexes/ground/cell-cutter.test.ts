// Compares the tiles of indexes/ground/ground-tiles.ts with those of geojson-vt and vt-pbf, on random features and on
// real extracts. Fails if the bytes of a tile differ (in a feature, its order, a tag, a point or a winding), or if a
// tile is missing or made twice.
import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { zxyToTileId } from 'pmtiles'
import { buildGround } from '../../../indexes/ground/build-ground.ts'
import {
  FeatureCollector,
  type GroundFeatures,
  IS_AREA,
  IS_LINE,
  IS_POINT,
} from '../../../indexes/ground/ground-features.ts'
import { makeTiles } from '../../../indexes/ground/ground-tiles.ts'
import { GROUND_KINDS } from '../../../loaders/osm/ground-kinds.ts'
import { loadGround } from '../../../loaders/osm/load-ground.ts'
import { type StringPool, StringPoolBuilder } from '../../../loaders/strings.ts'
import { bytesAsExtract } from '../../loaders/osm/read-extract.ts'
import { cutByGeojsonVt } from '../../oracles/cut-tiles.ts'
import { bySize, REAL_EXTRACTS, SEED } from '../../size.ts'

/**
 * A cell of zoom 11 that is away from the edges of the map. SIDE is the length of its side in map units. The whole map
 * is 2^31 units wide.
 */
const CELL = { zoom: 11, x: 731, y: 1_157 }
const SIDE = 2 ** 31 / 2 ** CELL.zoom
const TILE_UNIT = 32
const CORNER = { x: CELL.x * SIDE, y: CELL.y * SIDE }
const ROUNDS = bySize({ quick: 100, ci: 300, full: 10_000 })

interface Drawn {
  readonly kind: number
  readonly name: number
  readonly isTunnel: boolean
  readonly leastZoom: number
  readonly shape: number
  readonly rings: number[][]
}

const NAMES = ['', 'Rue du Lac', 'park', '公園', 'a']

function namePool(): StringPool {
  const pool = new StringPoolBuilder()
  for (const name of NAMES) pool.internText(name)
  return pool.seal()
}

/**
 * A coordinate anywhere in or near the cell, but often at the border of a tile or of its margin, where errors in
 * cutting are likely.
 */
const coordinate = fc.oneof(
  fc.integer({ min: -SIDE / 2, max: 1.5 * SIDE }),
  fc
    .record({
      tile: fc.integer({ min: -1, max: 9 }),
      margin: fc.constantFrom(0, -64 * TILE_UNIT, 64 * TILE_UNIT, TILE_UNIT / 2),
      beside: fc.constantFrom(0, 0, 1, -1),
    })
    .map(({ tile, margin, beside }) => (tile * SIDE) / 8 + margin + beside),
)

/** A line: up to 41 points that are close together, as on a real street, then up to four that can be far apart. */
const line = fc
  .record({
    start: fc.tuple(coordinate, coordinate),
    steps: fc.array(fc.tuple(fc.integer({ min: -300, max: 300 }), fc.integer({ min: -300, max: 300 })), {
      maxLength: 40,
    }),
    scale: fc.constantFrom(1, 8, 40, 400),
    leaps: fc.array(fc.tuple(coordinate, coordinate), { maxLength: 4 }),
  })
  .map(({ start, steps, scale, leaps }) => {
    const points = [start]
    for (const [x, y] of steps) {
      const [beforeX, beforeY] = points[points.length - 1] ?? start
      points.push([beforeX + x * scale, beforeY + y * scale])
    }
    return [...points, ...leaps].flatMap(([x, y]) => [x + CORNER.x, y + CORNER.y])
  })
const ring = line.map((points) => [...points, ...points.slice(0, 2)])

const drawn: fc.Arbitrary<Drawn> = fc
  .record({
    kind: fc.integer({ min: 1, max: GROUND_KINDS.length - 1 }),
    name: fc.nat({ max: NAMES.length - 1 }),
    isTunnel: fc.boolean(),
    leastZoom: fc.integer({ min: 8, max: 14 }),
  })
  .chain((look) =>
    fc
      .oneof(
        fc.record({ shape: fc.constant(IS_LINE), rings: fc.tuple(line.filter((points) => points.length >= 4)) }),
        fc.record({ shape: fc.constant(IS_AREA), rings: fc.array(ring, { minLength: 1, maxLength: 3 }) }),
        fc.record({
          shape: fc.constant(IS_POINT),
          rings: fc.tuple(coordinate, coordinate).map(([x, y]) => [[x + CORNER.x, y + CORNER.y]]),
        }),
      )
      .map((shape) => ({ ...look, ...shape })),
  )

function featuresOf(all: readonly Drawn[]): GroundFeatures {
  const features = new FeatureCollector()
  for (const { rings, ...look } of all) features.add(look, rings)
  return features.seal()
}

/** All tiles as our cutter makes them: the bytes of each tile in hex, by the tile's id. */
function tilesOf(features: GroundFeatures, names: StringPool): Map<number, string> {
  const tiles = new Map<number, string>()
  makeTiles({ features, names, kept: undefined }, (id, bytes) => {
    expect(tiles.has(id)).toBe(false)
    tiles.set(id, Buffer.from(bytes).toString('hex'))
  })
  return tiles
}

/** All tiles as geojson-vt makes them. */
function oracleTilesOf(features: GroundFeatures, names: StringPool): Map<number, string> {
  const tiles = new Map<number, string>()
  for (const { zoom, mostZoom } of [
    { zoom: 8, mostZoom: 10 },
    { zoom: 11, mostZoom: 14 },
  ]) {
    for (const [x, y] of cellsAround(features, zoom)) {
      for (const [place, bytes] of cutByGeojsonVt(features, names, { zoom, x, y, mostZoom })) {
        const [tileZoom = 0, column = 0, row = 0] = place.split('/').map(Number)
        tiles.set(zxyToTileId(tileZoom, column, row), Buffer.from(bytes).toString('hex'))
      }
    }
  }
  return tiles
}

/** All cells that touch the box around all features, and the cells next to them. */
function cellsAround(features: GroundFeatures, zoom: number): [number, number][] {
  const side = 2 ** 31 / 2 ** zoom
  let [west, north, east, south] = [Infinity, Infinity, -Infinity, -Infinity]
  for (let feature = 0; feature < features.count; feature++) {
    const [minX = 0, minY = 0, maxX = 0, maxY = 0] = features.boxes.subarray(4 * feature)
    west = Math.min(west, Math.floor(minX / side) - 1)
    north = Math.min(north, Math.floor(minY / side) - 1)
    east = Math.max(east, Math.floor(maxX / side) + 1)
    south = Math.max(south, Math.floor(maxY / side) + 1)
  }
  const cells: [number, number][] = []
  for (let y = north; y <= south; y++) for (let x = west; x <= east; x++) cells.push([x, y])
  return cells
}

function expectSameTiles(features: GroundFeatures, names: StringPool): number {
  const tiles = tilesOf(features, names)
  const wanted = oracleTilesOf(features, names)
  expect([...tiles.keys()].sort((a, b) => a - b)).toEqual([...wanted.keys()].sort((a, b) => a - b))
  for (const [id, bytes] of wanted)
    if (tiles.get(id) !== bytes) expect({ id, bytes: tiles.get(id) }).toEqual({ id, bytes })
  return tiles.size
}

test('tiles of random features equal geojson-vt’s, byte for byte', () => {
  const names = namePool()
  let tiles = 0
  fc.assert(
    fc.property(fc.array(drawn, { minLength: 1, maxLength: 8 }), (all) => {
      tiles += expectSameTiles(featuresOf(all), names)
    }),
    { numRuns: ROUNDS, seed: SEED },
  )
  console.log(JSON.stringify({ seed: SEED, tiles }))
  expect(tiles).toBeGreaterThan(ROUNDS)
}, 600_000)

const extracts = REAL_EXTRACTS === undefined ? [] : readdirSync(REAL_EXTRACTS).filter((name) => name.endsWith('.pbf'))
for (const name of extracts) {
  test(`tiles of ${name} equal geojson-vt’s, byte for byte`, () => {
    const bytes = new Uint8Array(readFileSync(join(REAL_EXTRACTS ?? '', name)))
    const loaded = loadGround([bytesAsExtract(bytes)], { hasBuildings: true })
    expect(expectSameTiles(buildGround(loaded, undefined).features, loaded.names)).toBeGreaterThan(10)
  }, 300_000)
}
