// `bun bench/street-making.ts FILE` builds the street graph from an OpenStreetMap extract, as the import does, and
// prints time and memory as one line of JSON. It is a separate process, so that the memory of the build can be
// measured.
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { buildStreetGraph } from '../indexes/streets/build-graph.ts'
import { type StreetGraph, streetColumns } from '../indexes/streets/street-graph.ts'
import { loadStreets } from '../loaders/osm/load-streets.ts'
import { openExtract } from '../src/streets/extract-file.ts'
import { processorSeconds } from './measure.ts'

/** The cost of building a street graph, and the size of the graph. */
export interface StreetMaking {
  readonly extractBytes: number
  readonly graphBytes: number
  readonly kilometers: number
  readonly corners: number
  readonly edges: number
  readonly seconds: number
  readonly processorSeconds: number
  readonly peakMegabytes: number
}

/** Builds the graph from an extract in this process. */
export function makeGraph(path: string): { graph: StreetGraph; kilometers: number } {
  const extract = openExtract(path, basename(path))
  try {
    return buildStreetGraph(loadStreets([extract], { onProgress: () => Bun.gc(true) }), () => Bun.gc(true))
  } finally {
    extract.close()
  }
}

/** Builds the graph from an extract in a separate process. */
export async function measureMaking(path: string): Promise<StreetMaking> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'street-making.ts'), path], {
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const output = await new Response(child.stdout).text()
  if ((await child.exited) !== 0) throw new Error(`the graph of ${path} could not be made`)
  return JSON.parse(output) as StreetMaking
}

if (import.meta.main) {
  const path = process.argv[2] ?? ''
  const started = performance.now()
  const { graph, kilometers } = makeGraph(path)
  const seconds = (performance.now() - started) / 1000
  const making: StreetMaking = {
    extractBytes: Bun.file(path).size,
    graphBytes: [...streetColumns(graph)].reduce((sum, [, column]) => sum + column.byteLength, 0),
    kilometers,
    corners: graph.nodeLat.length,
    edges: graph.edgeFrom.length,
    seconds,
    processorSeconds: await processorSeconds(process.pid),
    peakMegabytes: Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1000,
  }
  console.log(JSON.stringify(making))
}
