// `bun bench/ground-making.ts FILE [CHECKOUT]` makes the base map from a whole OpenStreetMap extract, as the import
// does, with the code of this checkout or of another one. Prints time and memory as one line of JSON.
import { readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { KeptArea } from '../loaders/osm/kept-area.ts'
import { type ExtractBytes, PbfFile } from '../loaders/osm/pbf.ts'
import { HAS_NODES } from '../loaders/osm/pbf-block.ts'
import { openExtract } from '../src/streets/extract-file.ts'
import { collectBetweenSteps } from '../src/system/memory-sweeper.ts'

type Windows = typeof import('../indexes/ground/ground-windows.ts')
type Writer = typeof import('../indexes/ground/pmtiles-writer.ts')

/** Assumed size of a node in the extract, in bytes. The import assumes the same size. */
const BYTES_OF_NODE = 10
const UNITS_PER_DEGREE = 1e7

/** The cost of making a base map, and its size. */
export interface GroundMaking {
  readonly extractBytes: number
  readonly tileBytes: number
  readonly tiles: number
  /** Processor time of all threads. */
  readonly processorSeconds: number
  readonly peakMegabytes: number
}

/**
 * Makes the base map from an extract in a separate process.
 * @param checkout folder with the code to run
 */
export async function measureGround(path: string, checkout: string): Promise<GroundMaking> {
  const command = [process.execPath, join(import.meta.dir, 'ground-making.ts'), path, checkout]
  const child = Bun.spawn(command, { stdout: 'pipe', stderr: 'inherit' })
  const output = await new Response(child.stdout).text()
  if ((await child.exited) !== 0) throw new Error(`the map of ${path} could not be made by ${checkout}`)
  return JSON.parse(output)
}

async function makeGround(extract: ExtractBytes, checkout: string): Promise<GroundMaking> {
  const rooms = join(resolve(checkout), 'indexes', 'ground')
  const { makeGroundTiles }: Windows = await import(join(rooms, 'ground-windows.ts'))
  const { TileArchive }: Writer = await import(join(rooms, 'pmtiles-writer.ts'))
  const kept = cellsWithNodes(extract)
  const before = process.cpuUsage()
  const collect = collectBetweenSteps(extract.byteLength / BYTES_OF_NODE)
  let [tiles, tileBytes] = [0, 0]
  const archive = new TileArchive(({ length }) => {
    tileBytes += length
  })
  makeGroundTiles([extract], { kept, hasBuildings: true, onProgress: collect }, (id, tile) => {
    tiles++
    archive.add(id, tile)
  })
  const bounds = { west: -180, south: -85, east: 180, north: 85 }
  archive.finish({ minZoom: 8, maxZoom: 14, bounds, metadata: {} })
  const { user, system } = process.cpuUsage(before)
  return {
    extractBytes: extract.byteLength,
    tileBytes,
    tiles,
    processorSeconds: (user + system) / 1e6,
    peakMegabytes: Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1000,
  }
}

/**
 * All grid cells in which the extract has nodes. With these cells, the map covers the whole extract, as if there were
 * stops everywhere.
 */
function cellsWithNodes(extract: ExtractBytes): KeptArea {
  const kept = new KeptArea()
  const file = new PbfFile(extract)
  for (let at = 0; at < file.blockCount; at++) {
    const block = file.readBlock(at)
    if ((block.contents & HAS_NODES) === 0) continue
    const { count, lat, lon } = block.nodes()
    const toDegrees = (units: ArrayLike<number>) =>
      Float64Array.from({ length: count }, (_, node) => units[node] / UNITS_PER_DEGREE)
    kept.keep({ lat: toDegrees(lat), lon: toDegrees(lon) }, 0)
  }
  return kept
}

if (import.meta.main) {
  const [path = '', checkout = join(import.meta.dir, '..')] = process.argv.slice(2)
  const extract = openExtract(path, basename(path))
  try {
    console.log(JSON.stringify(await makeGround(extract, checkout)))
  } finally {
    extract.close()
  }
}
