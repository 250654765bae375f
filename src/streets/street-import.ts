// Updates the street graph. The graph contains only the streets in a region around the stops. The extracts are read
// again if they have changed, or if there are stops outside that region. Then the stops of every network are linked to
// the streets. If something fails, the previous graph is kept. A server runs the import in a child process.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { buildStreetGraph } from '../../indexes/streets/build-graph.ts'
import { buildStopLinks } from '../../indexes/streets/build-links.ts'
import { LINK_FORMAT, type LinkMeta } from '../../indexes/streets/stop-links.ts'
import { STREET_FORMAT, type StreetMeta } from '../../indexes/streets/street-graph.ts'
import type { Timetable } from '../../indexes/timetable/timetable.ts'
import { columnArray } from '../../loaders/columns.ts'
import { KeptArea } from '../../loaders/osm/kept-area.ts'
import { loadStreets } from '../../loaders/osm/load-streets.ts'
import { findCorruptColumns } from '../../loaders/snapshot-file.ts'
import { findSnapshot } from '../networks/snapshot-store.ts'
import { fetchFiles, type LocalFile } from '../sources/local-files.ts'
import { hashContents } from '../sources/source-content.ts'
import { stampSources } from '../sources/source-stamp.ts'
import { TRUE_CLOCK } from '../system/clock.ts'
import { awaitFolder } from '../system/data-dir-lock.ts'
import { collectBetweenSteps } from '../system/memory-sweeper.ts'
import { writeFileWhole } from '../system/whole-file.ts'
import { openExtract } from './extract-file.ts'
import { extractProblem } from './street-problem.ts'
import { describeLinks, type LinkedNetwork, type StreetProblem, type StreetReport } from './street-report.ts'
import {
  dropOldStreets,
  findLinks,
  findStreets,
  type OpenedStreets,
  openStreetFolder,
  streetFolder,
  streetReportPath,
  writeLinks,
  writeStreets,
} from './street-store.ts'

/**
 * Streets are kept up to this distance from stops: the longest walk that can be requested, plus a margin for detours.
 */
const KEPT_METERS = 3_500
/** Maximum size of a downloaded extract. It is enough for a whole country. */
const MAX_DOWNLOAD_BYTES = 16 * 1024 ** 3
/** Maximum number of unlinked stops that a report lists. */
const STOPS_NAMED = 20
/** Approximate number of bytes that an extract has per node. Used only to estimate the number of nodes. */
const BYTES_OF_NODE = 10

/** What to import: the extracts, and the networks whose stops are linked. */
export interface StreetOrder {
  readonly dataDir: string
  /** Paths or URLs of extracts; at least one. */
  readonly sources: readonly string[]
  /** The networks whose walks are planned on streets. */
  readonly networks: readonly NetworkOrder[]
}

/** A network whose stops are linked to the streets. */
export interface NetworkOrder {
  readonly id: string
  readonly transferWalkMeters: number
}

/** A network with its snapshot. */
interface FoundNetwork extends NetworkOrder {
  readonly timetable: Timetable
  /** Id of the snapshot. */
  readonly snapshot: string
}

/** Called with the current step of the import. */
export type StreetProgress = (step: string, detail: string) => void

/** Brings the streets up to date. Problems that an operator can fix become part of the report; only bugs throw. */
export async function importStreets(order: StreetOrder, onProgress: StreetProgress = () => {}): Promise<StreetReport> {
  const startedMillis = performance.now()
  const folder = openStreetFolder(order.dataDir)
  const lock = await awaitFolder(folder, () => onProgress('waiting', 'another import of streets is running'))
  try {
    const report = await importLocked(order, onProgress)
    const timed = { ...report, seconds: Math.round(performance.now() - startedMillis) / 1000 }
    writeFileWhole(streetReportPath(order.dataDir), `${JSON.stringify(timed, null, 2)}\n`)
    return timed
  } finally {
    lock.release()
  }
}

async function importLocked(order: StreetOrder, onProgress: StreetProgress): Promise<StreetReport> {
  const { dataDir } = order
  const networks = order.networks.flatMap((network): FoundNetwork[] => {
    const { snapshot } = findSnapshot(dataDir, network.id).found?.loaded ?? {}
    return snapshot === undefined ? [] : [{ ...network, timetable: snapshot.timetable, snapshot: snapshot.id }]
  })
  if (networks.length === 0) {
    return { outcome: 'up_to_date', problem: undefined, streets: undefined, networks: [], seconds: 0 }
  }
  const before = findStreets(dataDir)
  const brought = await bringGraph(order, { networks, before, onProgress })
  const chosen = linkAll(dataDir, networks, brought)
  const isUncovered = chosen.streets !== before && chosen.networks.every(({ linkedStops }) => linkedStops === 0)
  const {
    streets,
    networks: linked,
    problem,
  } = isUncovered ? refuseUncovered(dataDir, networks, { chosen, before }) : chosen
  dropOldStreets(
    dataDir,
    new Set([...(streets === undefined ? [] : [streets.path]), ...linked.map(({ path }) => path)]),
  )
  const isNew = streets !== before
  return {
    outcome: problem !== undefined ? 'failed' : isNew ? 'imported' : 'up_to_date',
    problem,
    streets: streets && factsOf(streets),
    networks: linked,
    seconds: 0,
  }
}

function factsOf({ path, id, meta }: OpenedStreets): StreetReport['streets'] {
  const { kilometers, extractSeconds, madeAtMillis } = meta
  return { path, id, kilometers, extractSeconds: extractSeconds ?? null, madeAtMillis }
}

/** The graph to use. If a new graph was needed but could not be made, `problem` is the reason. */
interface BroughtGraph {
  readonly streets: OpenedStreets | undefined
  readonly problem: StreetProblem | undefined
}

/**
 * Returns the previous graph if it still fits the extracts and stops, otherwise a new graph. If no new graph can be
 * made, returns the previous graph and the problem.
 */
async function bringGraph(
  order: StreetOrder,
  {
    networks,
    before,
    onProgress,
  }: {
    readonly networks: readonly FoundNetwork[]
    readonly before: OpenedStreets | undefined
    readonly onProgress: StreetProgress
  },
): Promise<BroughtGraph> {
  const kept = new KeptArea()
  for (const { timetable } of networks) {
    const [lat, lon] = [columnArray(timetable.stops.lat), columnArray(timetable.stops.lon)]
    kept.keep({ lat, lon }, KEPT_METERS)
  }
  try {
    onProgress('fetching', '')
    const folder = join(streetFolder(order.dataDir), 'sources')
    const files = await fetchFiles(order.sources, { folder, name: 'extract', bounds: { maxBytes: MAX_DOWNLOAD_BYTES } })
    const paths = files.map(({ path }) => path)
    const stamp = stampSources(paths)
    const isKnown = before?.meta.stamp === stamp
    const content = isKnown ? before.meta.content : await hashContents(paths, streetFolder(order.dataDir))
    const isSame = before !== undefined && (isKnown || before.meta.content === content)
    const isFit = isSame && KeptArea.fromRuns(before.meta.keptRuns).includes(kept)
    if (isFit && findCorruptColumns(before.opened).length === 0) return { streets: before, problem: undefined }
    return { streets: buildGraph(order.dataDir, { files, stamp, content, kept, onProgress }), problem: undefined }
  } catch (error) {
    return { streets: before, problem: extractProblem(error, order.dataDir) }
  }
}

function buildGraph(
  dataDir: string,
  {
    files,
    stamp,
    content,
    kept,
    onProgress,
  }: {
    readonly files: readonly LocalFile[]
    readonly stamp: string
    readonly content: string | undefined
    readonly kept: KeptArea
    readonly onProgress: StreetProgress
  },
): OpenedStreets {
  const extracts = files.map(({ path, name }) => openExtract(path, name))
  const bytes = extracts.reduce((sum, { byteLength }) => sum + byteLength, 0)
  const collect = collectBetweenSteps(bytes / BYTES_OF_NODE)
  try {
    const loaded = loadStreets(extracts, {
      kept,
      onProgress: (step, part) => {
        onProgress('reading', `${step} ${Math.round(100 * part)}%`)
        // The garbage collector does not count the memory of unpacked blocks, so it would start too late on its own.
        collect()
      },
    })
    onProgress('building', '')
    const { graph, kilometers } = buildStreetGraph(loaded, collect)
    const meta: StreetMeta = {
      format: STREET_FORMAT,
      stamp,
      ...(content === undefined ? {} : { content }),
      madeAtMillis: TRUE_CLOCK.nowMillis(),
      extractSeconds: loaded.timestampSeconds,
      keptRuns: kept.toRuns(),
      kilometers,
    }
    return writeStreets(dataDir, meta, graph)
  } finally {
    for (const extract of extracts) extract.close()
  }
}

/** A graph, and the networks whose stops are linked to it. */
interface LinkedStreets extends BroughtGraph {
  readonly networks: readonly LinkedNetwork[]
}

function linkAll(
  dataDir: string,
  networks: readonly FoundNetwork[],
  { streets, problem }: BroughtGraph,
): LinkedStreets {
  const linked = streets === undefined ? [] : networks.map((network) => linkNetwork(dataDir, streets, network))
  return { streets, problem, networks: linked }
}

/** Refuses extracts that have no street near any stop, because they probably cover another region. */
function refuseUncovered(
  dataDir: string,
  networks: readonly FoundNetwork[],
  { chosen, before }: { readonly chosen: LinkedStreets; readonly before: OpenedStreets | undefined },
): LinkedStreets {
  for (const { path } of [...(chosen.streets === undefined ? [] : [chosen.streets]), ...chosen.networks]) {
    rmSync(path, { force: true })
  }
  const problem: StreetProblem = {
    reason: 'extract_elsewhere',
    message: 'no stop in any network is near a street in the extracts; use extracts that cover the networks',
    isPassing: false,
  }
  return linkAll(dataDir, networks, { streets: before, problem })
}

/** Links the stops of a network to the streets, unless links for this graph and snapshot exist. */
function linkNetwork(dataDir: string, streets: OpenedStreets, network: FoundNetwork): LinkedNetwork {
  const { id, timetable, snapshot, transferWalkMeters } = network
  const fit = { graph: streets.id, snapshot, transferWalkMeters }
  const known = findLinks(dataDir, id, fit)
  if (known !== undefined && findCorruptColumns(known.opened).length === 0)
    return describeLinks(id, { ...known, isNew: false })
  const { links, linkedStops, unlinkedIds } = buildStopLinks(streets.graph, timetable, transferWalkMeters)
  const meta: LinkMeta = {
    format: LINK_FORMAT,
    ...fit,
    linkedStops,
    unlinkedStops: unlinkedIds.length,
    unlinkedIds: unlinkedIds.slice(0, STOPS_NAMED),
  }
  return describeLinks(id, { path: writeLinks(dataDir, id, { links, meta }), meta, isNew: true })
}
