// `QUAI_FEEDS=folder bun bench/streets.ts` measures what streets cost: the time to read extracts, to build and store
// the graph, to find streets and walks, and to find the transfer walks of a network. Uses the extracts in the folder, a
// file of 100 MB joined from copies of them (kept in the file QUAI_BENCH_MOSAIC), and a generated grid as dense as a
// city with all sidewalks mapped.
import { closeSync, existsSync, mkdtempSync, openSync, readdirSync, rmSync, statSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { buildStopLinks } from '../indexes/streets/build-links.ts'
import type { StreetGraph } from '../indexes/streets/street-graph.ts'
import { SNAP_METERS } from '../indexes/streets/street-snap.ts'
import { openStreetSearch, StreetWalks } from '../indexes/streets/street-walks.ts'
import type { WalkEnd } from '../indexes/streets/walks.ts'
import type { Timetable } from '../indexes/timetable/timetable.ts'
import { columnArray } from '../loaders/columns.ts'
import { PbfFile } from '../loaders/osm/pbf.ts'
import { below, seededRandom } from '../src/demo/seeded-random.ts'
import { openExtract } from '../src/streets/extract-file.ts'
import { REAL_EXTRACTS, REAL_FEEDS } from '../tests/size.ts'
import { type Figure, showFigure } from './figures.ts'
import { type Spread, timeEach } from './measure.ts'
import { writeGrid } from './street-grid.ts'
import { makeGraph, measureMaking } from './street-making.ts'
import { writeMosaic } from './street-mosaic.ts'
import { readFeed, writeStopFeed } from './street-stops.ts'

const PLACES = 800
/**
 * Number of stops, as in a large city. Extracts with less than `CITY_KILOMETERS` of streets are too small for so many
 * stops.
 */
const STOPS = 5_000
const CITY_KILOMETERS = 500
const MOSAIC_COPIES = 76
const MOSAIC_BYTES = 100e6
const PASSES = 3
/** Name of an extract → name of the feed for the same area. */
const FEEDS: Readonly<Record<string, string>> = {
  'porto-alegre': 'porto-alegre-eptc-2019',
  'portland-central-filtered': 'trimet-2routes-2021',
}
const GRID = { south: 48.8, west: 2.25, rows: 900, columns: 900 }
/** Maximum offset of a place from a corner, in degrees. */
const BESIDE = 5e-4
const BARS = {
  megabytesPerSecond: { atLeast: 12 },
  mosaicSeconds: { atMost: 8 },
  mosaicPeak: { atMost: 800 },
  bytesPerKilometer: { atMost: 1_200 },
  snap: { atMost: 20 },
  footpaths: { atMost: 1_000 },
  reach: { 'porto-alegre': { atMost: 50 } } as Readonly<Record<string, { readonly atMost: number }>>,
  grid: { 1000: { atMost: 300 }, 2500: { atMost: 1_500 } } as Readonly<Record<number, { readonly atMost: number }>>,
}

type Bar = Pick<Figure, 'atMost' | 'atLeast'>

if (REAL_EXTRACTS === undefined) throw new Error('QUAI_FEEDS must name a folder with extracts in its folder osm')
const folder = mkdtempSync(join(tmpdir(), 'quai-bench-streets-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
const extracts = readdirSync(REAL_EXTRACTS)
  .filter((file) => file.endsWith('.osm.pbf'))
  .map((file) => join(REAL_EXTRACTS ?? '', file))
for (const path of extracts) {
  const name = basename(path, '.osm.pbf')
  measureReading(path, name)
  await measureWalks(path, name)
}
await measureGrid()
await measureMosaic()

function showSpread(name: string, { p50, p99 }: Spread, bar: Bar = {}): void {
  showFigure({ name: `${name}, p50`, value: p50, unit: 'µs', ...bar })
  showFigure({ name: `${name}, p99`, value: p99, unit: 'µs' })
}

/** Reads all elements of a file several times, and reports the speed of the fastest pass. */
function measureReading(path: string, name: string): void {
  const extract = openExtract(path, name)
  let elements = 0
  try {
    const millis = processorMillis(10 * PASSES, () => {
      elements = countElements(new PbfFile(extract))
    })
    const value = extract.byteLength / 1e3 / millis
    showFigure({ name: `${name}: reading all ${elements} elements, processor time`, value, unit: 'MB/s' })
  } finally {
    extract.close()
  }
}

function countElements(file: PbfFile): number {
  let count = 0
  for (let at = 0; at < file.blockCount; at++) {
    const block = file.readBlock(at)
    const [nodes, ways, relations] = [block.nodes(), block.ways(), block.relations()]
    count += nodes.count + ways.count + relations.count
    for (let way = 0; way < ways.count; way++) block.refsOf(way)
    for (let relation = 0; relation < relations.count; relation++) block.membersOf(relation)
  }
  return count
}

async function measureWalks(path: string, name: string): Promise<void> {
  const { graph, kilometers } = makeGraph(path)
  const making = await measureMaking(path)
  const bytesPerKilometer = making.graphBytes / kilometers
  showFigure({
    name: `${name}: graph, per kilometer`,
    value: bytesPerKilometer,
    unit: 'bytes',
    ...BARS.bytesPerKilometer,
  })
  measureSearch(graph, name, {})
  if (kilometers >= CITY_KILOMETERS) await measureChanges(graph, name)
  const feed = FEEDS[name]
  if (feed === undefined || REAL_FEEDS === undefined) return
  const timetable = await readFeed(join(REAL_FEEDS, `${feed}.zip`))
  const { links, linkedStops } = linkStops(graph, timetable, `${feed}, real stops`)
  const stops = timetable.stops.id.length
  showFigure({ name: `${feed}: stops near streets, of ${stops}`, value: linkedStops, unit: '' })
  const walks = new StreetWalks(timetable, openStreetSearch(graph), { links, profile: 'foot' })
  const ends = placesNear(graph)
  for (const maxMeters of [1_000, 2_500]) {
    const bar = maxMeters === 1_000 ? BARS.reach[name] : undefined
    let shift = 0
    const spread = quickestOf(() => {
      shift += 1e-7
      return timeEach(ends.length, (round) =>
        countAround(walks, { ...endAt(ends, round), lat: endAt(ends, round).lat + shift }, maxMeters),
      )
    })
    showSpread(`${name}: stops within ${maxMeters} m, the place looked up`, spread, bar)
  }
}

function countAround(walks: StreetWalks, end: WalkEnd, maxMeters: number): number {
  return [...walks.around(end, { maxMeters, isEgress: false, isWanted: () => true })].length
}

/** Measures how long it takes to find the streets at a place, and all corners within 500, 1 000 and 2 500 m of it. */
function measureSearch(graph: StreetGraph, name: string, bars: Readonly<Record<number, Bar>>): void {
  const { snap, ball } = openStreetSearch(graph)
  const places = placesNear(graph)
  const question = { profile: 'foot', farthestMeters: SNAP_METERS } as const
  const snapped = quickestOf(() => timeEach(places.length, (round) => snap.find(endAt(places, round), question)))
  showSpread(`${name}: streets at a place`, snapped, BARS.snap)
  const starts = places.map((place) => snap.find(place, question))
  for (const maxMeters of [500, 1_000, 2_500]) {
    let corners = 0
    const spread = quickestOf(() =>
      timeEach(starts.length, (round) => {
        ball.search(starts[round] ?? [], { profile: 'foot', maxMeters })
        corners += ball.reachedCount
      }),
    )
    const each = Math.round(corners / starts.length / PASSES / 2)
    showSpread(`${name}: corners within ${maxMeters} m, ${each} of them`, spread, bars[maxMeters])
  }
}

/** Measures how long it takes to find the transfer walks between stops at random places. */
async function measureChanges(graph: StreetGraph, name: string): Promise<void> {
  const feed = join(folder, `stops-${name}`)
  writeStopFeed(feed, placesNear(graph, STOPS))
  linkStops(graph, await readFeed(feed), `${name}, ${STOPS} stops`)
}

function linkStops(graph: StreetGraph, timetable: Timetable, name: string): ReturnType<typeof buildStopLinks> {
  let built: ReturnType<typeof buildStopLinks> | undefined
  const value = processorMillis(PASSES, () => {
    built = buildStopLinks(graph, timetable, 500)
  })
  if (built === undefined) throw new Error('no pass was run')
  const pairs = built.links.walkTo.length
  showFigure({
    name: `${name}: links and ${pairs} walks of 500 m, processor time`,
    value,
    unit: 'ms',
    ...BARS.footpaths,
  })
  return built
}

async function measureGrid(): Promise<void> {
  const path = join(folder, 'grid.osm.pbf')
  const file = openSync(path, 'w')
  for (const piece of writeGrid(GRID)) writeSync(file, piece)
  closeSync(file)
  const { graph } = makeGraph(path)
  const name = `grid of ${graph.nodeLat.length} corners`
  measureSearch(graph, name, BARS.grid)
  await measureChanges(graph, name)
}

async function measureMosaic(): Promise<void> {
  const path = process.env['QUAI_BENCH_MOSAIC'] ?? join(folder, 'mosaic.osm.pbf')
  if (!existsSync(path)) writeMosaic(path, MOSAIC_COPIES, extracts)
  const megabytes = statSync(path).size / 1e6
  if (megabytes * 1e6 < MOSAIC_BYTES) throw new Error(`the mosaic has only ${megabytes} MB`)
  const made = await measureMaking(path)
  const name = `mosaic of ${megabytes.toFixed(0)} MB, ${made.kilometers.toFixed(0)} km, ${made.edges} edges`
  const rate = megabytes / made.processorSeconds
  showFigure({ name: `${name}: graph, processor time`, value: made.processorSeconds, unit: 's', ...BARS.mosaicSeconds })
  showFigure({ name: `${name}: graph, processor time`, value: rate, unit: 'MB/s', ...BARS.megabytesPerSecond })
  showFigure({ name: `${name}: graph, wall-clock time`, value: made.seconds, unit: 's' })
  showFigure({ name: `${name}: graph, peak memory`, value: made.peakMegabytes, unit: 'MB', ...BARS.mosaicPeak })
  showFigure({ name: `${name}: graph, per kilometer`, value: made.graphBytes / made.kilometers, unit: 'bytes' })
}

/** Random places near random corners of the street graph. They are the same in every run. */
function placesNear(graph: StreetGraph, count = PLACES): WalkEnd[] {
  const random = seededRandom(1, 'places')
  const [lat, lon] = [columnArray(graph.nodeLat), columnArray(graph.nodeLon)]
  const beside = () => (random() - 0.5) * 2 * BESIDE
  return Array.from({ length: count }, () => {
    const corner = below(random, lat.length)
    return { lat: (lat[corner] ?? 0) / 1e7 + beside(), lon: (lon[corner] ?? 0) / 1e7 + beside() }
  })
}

function endAt(places: readonly WalkEnd[], round: number): WalkEnd {
  return places[round % places.length] ?? { lat: 0, lon: 0 }
}

/** Minimum processor time of several passes, in milliseconds. Counts all threads of this process. */
function processorMillis(passes: number, pass: () => void): number {
  const each = Array.from({ length: passes }, () => {
    const before = process.cpuUsage()
    pass()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  })
  return Math.min(...each)
}

/** Runs several passes and returns the spread of the pass with the lowest median. */
function quickestOf(pass: () => Spread): Spread {
  return Array.from({ length: PASSES }, pass).reduce((best, each) => (each.p50 < best.p50 ? each : best))
}
