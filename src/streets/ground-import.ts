// Makes the explorer's base map from the map extracts that the street graph was made from, unless the map exists. If
// this fails, nothing else is affected, because walks do not need the map. A server makes the map in a child process.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { type GroundCounts, makeGroundTiles } from '../../indexes/ground/ground-windows.ts'
import { TileArchive } from '../../indexes/ground/pmtiles-writer.ts'
import { LEAST_ZOOM, MOST_ZOOM } from '../../indexes/ground/tile-grid.ts'
import type { StreetMeta } from '../../indexes/streets/street-graph.ts'
import { GROUND_LAYERS } from '../../loaders/osm/ground-kinds.ts'
import { KeptArea } from '../../loaders/osm/kept-area.ts'
import { fetchFiles, type LocalFile } from '../sources/local-files.ts'
import { hashContents } from '../sources/source-content.ts'
import { stampSources } from '../sources/source-stamp.ts'
import { awaitFolder } from '../system/data-dir-lock.ts'
import { collectBetweenSteps } from '../system/memory-sweeper.ts'
import { openExtract } from './extract-file.ts'
import { dropDamagedGrounds, groundName, listGrounds, writeGround } from './ground-store.ts'
import { extractProblem } from './street-problem.ts'
import type { StreetProblem } from './street-report.ts'
import { findStreets, type OpenedStreets, openStreetFolder, streetFolder } from './street-store.ts'

/** The base map to make. */
export interface GroundOrder {
  readonly dataDir: string
  /** Paths or URLs of extracts. */
  readonly sources: readonly string[]
  readonly hasBuildings: boolean
  /** The credit line, which is stored in the file and shown on the map. */
  readonly attribution: string
}

/** The result of making the base map. */
export interface GroundReport {
  readonly outcome: 'imported' | 'up_to_date' | 'failed'
  /** The path of the map that this job made or found; undefined if there is none. */
  readonly path: string | undefined
  readonly bytes: number
  readonly problem: StreetProblem | undefined
  /** Warnings for the operator. */
  readonly warnings: readonly string[]
  readonly seconds: number
}

/** Maximum size of a downloaded extract. It is enough for a whole country. */
const MAX_DOWNLOAD_BYTES = 16 * 1024 ** 3
/** Approximate number of bytes that an extract has per node. Used only to estimate the number of nodes. */
const BYTES_OF_NODE = 10

/** Makes the base map. Problems that an operator can fix become part of the report; only bugs throw. */
export async function importGround(
  order: GroundOrder,
  onProgress: (step: string, detail: string) => void = () => {},
): Promise<GroundReport> {
  const startedMillis = performance.now()
  const lock = await awaitFolder(openStreetFolder(order.dataDir), () => onProgress('waiting', ''))
  try {
    const report = await importLocked(order, onProgress)
    return { ...report, seconds: Math.round(performance.now() - startedMillis) / 1000 }
  } finally {
    lock.release()
  }
}

async function importLocked(
  order: GroundOrder,
  onProgress: (step: string, detail: string) => void,
): Promise<GroundReport> {
  const { dataDir, sources } = order
  const none = { path: undefined, bytes: 0, problem: undefined, warnings: [], seconds: 0 }
  const streets = findStreets(dataDir)
  if (streets === undefined) return { ...none, outcome: 'up_to_date' }
  const damaged = dropDamagedGrounds(dataDir)
  const name = groundName(streets.meta, order.hasBuildings)
  const path = listGrounds(dataDir).find((each) => each === join(streetFolder(dataDir), name))
  if (path !== undefined) return { ...none, outcome: 'up_to_date', path, bytes: statSync(path).size }
  try {
    const folder = join(streetFolder(dataDir), 'sources')
    const files = await fetchFiles(sources, { folder, name: 'extract', bounds: { maxBytes: MAX_DOWNLOAD_BYTES } })
    // If the graph was made from other files, makes no map: the import of the current files has failed or has not run
    // yet.
    if (!(await isOf(streets.meta, files, dataDir))) return { ...none, outcome: 'up_to_date' }
    const made = makeGround(order, { files, streets, name, onProgress })
    const warnings = [...damaged, ...made.warnings]
    return { ...none, outcome: 'imported', path: made.path, warnings, bytes: statSync(made.path).size }
  } catch (error) {
    return { ...none, outcome: 'failed', problem: extractProblem(error, dataDir) }
  }
}

/** Whether a graph was made from these files. */
async function isOf({ stamp, content }: StreetMeta, files: readonly LocalFile[], dataDir: string): Promise<boolean> {
  const paths = files.map(({ path }) => path)
  return stampSources(paths) === stamp || (await hashContents(paths, streetFolder(dataDir))) === content
}

function makeGround(
  { dataDir, hasBuildings, attribution }: GroundOrder,
  parts: {
    readonly files: readonly LocalFile[]
    readonly streets: OpenedStreets
    readonly name: string
    readonly onProgress: (step: string, detail: string) => void
  },
): { readonly path: string; readonly warnings: readonly string[] } {
  const { files, streets, name, onProgress } = parts
  const extracts = files.map((file) => openExtract(file.path, file.name))
  const collect = collectBetweenSteps(extracts.reduce((sum, { byteLength }) => sum + byteLength, 0) / BYTES_OF_NODE)
  const onPart = (step: string, part: number) => {
    onProgress(step, `${Math.round(100 * part)}%`)
    collect()
  }
  try {
    const kept = KeptArea.fromRuns(streets.meta.keptRuns)
    let counts: GroundCounts = { openAreas: 0, brokenCoasts: 0, floodedSeas: 0 }
    const path = writeGround(dataDir, name, (append) => {
      const archive = new TileArchive(append)
      const making = { kept, hasBuildings, onProgress: onPart }
      counts = makeGroundTiles(extracts, making, archive.add.bind(archive))
      return archive.finish(factsOf(kept, attribution))
    })
    return { path, warnings: warningsOf(counts) }
  } finally {
    for (const extract of extracts) extract.close()
  }
}

function factsOf(kept: KeptArea, attribution: string) {
  const { south, west, north, east } = kept.box() ?? { south: 0, west: 0, north: 0, east: 0 }
  const zooms = { minzoom: LEAST_ZOOM, maxzoom: MOST_ZOOM }
  return {
    minZoom: LEAST_ZOOM,
    maxZoom: MOST_ZOOM,
    bounds: { west: west / 1e7, south: south / 1e7, east: east / 1e7, north: north / 1e7 },
    metadata: {
      name: 'quai ground',
      format: 'pbf',
      attribution,
      vector_layers: GROUND_LAYERS.map((id) => ({ id, fields: { kind: 'String', name: 'String' }, ...zooms })),
    },
  }
}

function warningsOf({ openAreas, brokenCoasts, floodedSeas }: GroundCounts): string[] {
  return [
    ...(openAreas > 0 ? [`surfaces not drawn, because their outline is not closed: ${openAreas}`] : []),
    ...(brokenCoasts > 0
      ? [
          `sea not drawn, because its coastline ends inside the extract or runs in the wrong direction: ${brokenCoasts} coastlines`,
        ]
      : []),
    ...(floodedSeas > 0 ? [`parts of the sea not drawn, because they contain streets: ${floodedSeas}`] : []),
  ]
}
