// The street snapshots on disk, in `<data_dir>/streets`. There is one graph for all networks, and one file per network
// with the links from its stops to the streets. The file name of a graph contains the time, so that a new graph never
// overwrites a file that threads have mapped.
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import {
  LINK_FORMAT,
  type LinkMeta,
  linkColumns,
  openStopLinks,
  type StopLinks,
} from '../../indexes/streets/stop-links.ts'
import {
  openStreetGraph,
  STREET_FORMAT,
  type StreetGraph,
  type StreetMeta,
  streetColumns,
} from '../../indexes/streets/street-graph.ts'
import {
  encodeSnapshot,
  findCorruptColumns,
  type OpenedSnapshot,
  openSnapshot,
  SnapshotUnusable,
} from '../../loaders/snapshot-file.ts'
import { snapshotBytes } from '../networks/snapshot-store.ts'
import { isErrno } from '../system/errno.ts'
import { removeLeftovers, writeFileWhole } from '../system/whole-file.ts'

const GRAPH = /^streets-\d+\.snapshot$/
const LINKS = /^links-.*\.snapshot$/
/** Number of graphs that are kept: the current graph, and earlier graphs that threads may still have mapped. */
const FILES_KEPT = 2

/** An open graph. Its data is read directly from the mapped file. */
export interface OpenedStreets {
  readonly path: string
  /** Id of the graph. Graphs with different content have different ids. */
  readonly id: string
  readonly graph: StreetGraph
  readonly meta: StreetMeta
  readonly opened: OpenedSnapshot
}

/** The open links of a network. Their data is read directly from the mapped file. */
export interface OpenedLinks {
  readonly path: string
  readonly links: StopLinks
  readonly meta: LinkMeta
  readonly opened: OpenedSnapshot
}

/** The folder of the street graphs and links. */
export function streetFolder(dataDir: string): string {
  return join(dataDir, 'streets')
}

/** Path of the report of the last import. */
export function streetReportPath(dataDir: string): string {
  return join(streetFolder(dataDir), 'last-import.report.json')
}

/** Creates the folder and removes the leftovers of killed imports. */
export function openStreetFolder(dataDir: string): string {
  const folder = streetFolder(dataDir)
  mkdirSync(folder, { recursive: true })
  removeLeftovers(folder)
  return folder
}

/** The newest graph that this version can use; undefined if there is none. */
export function findStreets(dataDir: string): OpenedStreets | undefined {
  for (const path of listFiles(dataDir, GRAPH)) {
    const streets = openStreets(path)
    if (streets !== undefined) return streets
  }
  return undefined
}

/** Opens a graph; undefined if the file does not exist or has another version. */
export function openStreets(path: string): OpenedStreets | undefined {
  return openFile(path, (opened) => {
    const meta = opened.meta as StreetMeta
    if (meta.format !== STREET_FORMAT) return undefined
    return { path, id: opened.fingerprint, graph: openStreetGraph(opened.columns), meta, opened }
  })
}

/** The links from a network's stops to a graph, made for a snapshot; undefined if they have not been made yet. */
export function findLinks(dataDir: string, network: string, wanted: LinkFit): OpenedLinks | undefined {
  const path = linkPath(dataDir, network, wanted)
  const links = openLinks(path)
  return links !== undefined && fits(links.meta, wanted) ? links : undefined
}

/** Opens a file of links; undefined if the file does not exist or has another version. */
export function openLinks(path: string): OpenedLinks | undefined {
  return openFile(path, (opened) => {
    const meta = opened.meta as LinkMeta
    return meta.format === LINK_FORMAT ? { path, links: openStopLinks(opened.columns), meta, opened } : undefined
  })
}

/** The graph, the snapshot and the longest transfer walk that links are made for. */
export type LinkFit = Pick<LinkMeta, 'graph' | 'snapshot' | 'transferWalkMeters'>

/** Whether links were made for this graph, snapshot and longest transfer walk. */
export function fits(meta: LinkMeta, { graph, snapshot, transferWalkMeters }: LinkFit): boolean {
  return meta.graph === graph && meta.snapshot === snapshot && meta.transferWalkMeters === transferWalkMeters
}

/** Writes a graph under a new name, reads it back and opens it. */
export function writeStreets(dataDir: string, meta: StreetMeta, graph: StreetGraph): OpenedStreets {
  const newest = basename(listFiles(dataDir, GRAPH)[0] ?? '').replace(/\D/g, '')
  const stamp = Math.max(meta.madeAtMillis, Number(newest) + 1)
  const path = join(openStreetFolder(dataDir), `streets-${stamp}.snapshot`)
  writeFileWhole(path, encodeSnapshot(meta, streetColumns(graph)), inspect)
  const written = openStreets(path)
  if (written === undefined) throw new Error('the street snapshot that was just written cannot be opened')
  return written
}

/** Writes links and reads them back. */
export function writeLinks(
  dataDir: string,
  network: string,
  { links, meta }: Pick<OpenedLinks, 'links' | 'meta'>,
): string {
  const path = linkPath(dataDir, network, meta)
  openStreetFolder(dataDir)
  writeFileWhole(path, encodeSnapshot(meta, linkColumns(links)), inspect)
  return path
}

/**
 * Removes links and graphs that are no longer used, except the newest of these graphs, which threads may still have
 * mapped. @param kept paths in use
 */
export function dropOldStreets(dataDir: string, kept: ReadonlySet<string>): void {
  const graphs = listFiles(dataDir, GRAPH).filter((path) => !kept.has(path))
  const links = listFiles(dataDir, LINKS).filter((path) => !kept.has(path))
  for (const path of [...graphs.slice(FILES_KEPT - 1), ...links]) rmSync(path, { force: true })
}

/** Paths of the newest graph and of the links that belong to it; empty if there is no graph. */
export function listStreetFiles(dataDir: string): string[] {
  const streets = findStreets(dataDir)
  if (streets === undefined) return []
  return [streets.path, ...listFiles(dataDir, LINKS).filter((path) => path.includes(`-${streets.id}-`))]
}

/** Removes graphs that are newer than the newest graph in `names`. */
export function dropNewerGraphs(dataDir: string, names: readonly string[]): void {
  const chosen = names.filter((name) => GRAPH.test(name)).sort()
  const newest = chosen.at(-1)
  if (newest === undefined) return
  for (const path of listFiles(dataDir, GRAPH)) if (basename(path) > newest) rmSync(path, { force: true })
}

function linkPath(dataDir: string, network: string, { graph, snapshot, transferWalkMeters }: LinkFit): string {
  return join(streetFolder(dataDir), `links-${network}-${snapshot}-${graph}-${transferWalkMeters}.snapshot`)
}

/** Paths of the files whose names match, newest first. The names contain the time, so sorting by name sorts by time. */
function listFiles(dataDir: string, pattern: RegExp): string[] {
  const folder = streetFolder(dataDir)
  try {
    const names = readdirSync(folder).filter((name) => pattern.test(name))
    return names.sort((a, b) => (a < b ? 1 : -1)).map((name) => join(folder, name))
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return []
    throw error
  }
}

function openFile<Opened>(path: string, open: (opened: OpenedSnapshot) => Opened | undefined): Opened | undefined {
  try {
    return statSync(path).size === 0 ? undefined : open(openSnapshot(snapshotBytes(path)))
  } catch (error) {
    if (isErrno(error, 'ENOENT') || error instanceof SnapshotUnusable) return undefined
    throw error
  }
}

function inspect(aside: string): void {
  const corrupt = findCorruptColumns(openSnapshot(snapshotBytes(aside)))
  if (corrupt.length > 0)
    throw new Error(`the street snapshot that was just written is corrupt: checksum mismatch in ${corrupt.join(', ')}`)
}
