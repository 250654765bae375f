// The search index for a network's stops, and upper bounds on how well the stops can match a query. The import writes
// the index and the bounds to files next to the network's snapshot, so data threads only have to map these files. The
// files contain the ids of their sources. If a thread has other sources, it builds the index itself.
import { statSync } from 'node:fs'
import { buildStopPlaces, type StopPlaces } from '../../indexes/places/stop-places.ts'
import { openStopPlaces, stopPlacesColumns } from '../../indexes/places/stop-places-columns.ts'
import {
  buildWordBounds,
  openWordBounds,
  type WordBounds,
  wordBoundsColumns,
} from '../../indexes/places/word-bounds.ts'
import {
  encodeSnapshot,
  findCorruptColumns,
  type NamedColumns,
  openSnapshot,
  SnapshotUnusable,
} from '../../loaders/snapshot-file.ts'
import type { Snapshot } from '../networks/network.ts'
import { boundsPath, findSnapshot, snapshotBytes, stopsPath } from '../networks/snapshot-store.ts'
import { NO_TOWNS, type Towns } from '../rendering/snapshot-view.ts'
import { isErrno } from '../system/errno.ts'
import { writeFileWhole } from '../system/whole-file.ts'
import { addressSnapshotPath, openAddresses } from './address-store.ts'
import { townsOf } from './served-addresses.ts'

/** Format version. It must be raised whenever the contents of these files change in any way. */
export const STOP_FORMAT = 2

/** Identifies the sources from which a network's stop index is made. */
export interface StopSources {
  /** Id of the snapshot. */
  readonly snapshot: string
  /** The network's name and city. A search for these words finds all stops in the network. */
  readonly words: string
  /** Id of the addresses that give stops their towns; empty without addresses. */
  readonly towns: string
}

interface StopMeta extends StopSources {
  readonly format: number
}

/** A network, and the words that match all its stops. */
export interface WordedNetwork {
  readonly network: string
  readonly words: string
}

/** The words that match all stops of a network. */
export function wordsOfNetwork({ name, city }: { readonly name: string; readonly city: string }): string {
  return `${name} ${city}`
}

/** The network's id, and the words that match all its stops. */
export function toWorded(network: {
  readonly id: string
  readonly name: string
  readonly city: string
}): WordedNetwork {
  return { network: network.id, words: wordsOfNetwork(network) }
}

/**
 * Opens a network's stop index. Undefined if the file is missing, damaged, in another format, or made from other
 * sources.
 */
export function openStops(path: string, sources: StopSources): StopPlaces | undefined {
  return openFile(path, sources, openStopPlaces)
}

/**
 * Opens the upper bounds next to a network's stop index. Undefined for the same reasons as `openStops`.
 * @param path the path of the stop index
 */
export function openBounds(path: string, sources: StopSources): WordBounds | undefined {
  return openFile(boundsPath(path), sources, openWordBounds)
}

function openFile<Content>(
  path: string,
  { snapshot, words, towns }: StopSources,
  open: (columns: NamedColumns) => Content,
): Content | undefined {
  try {
    if (statSync(path).size === 0) return undefined
    const opened = openSnapshot(snapshotBytes(path))
    const wanted: StopMeta = { format: STOP_FORMAT, snapshot, words, towns }
    if (!Bun.deepEquals(opened.meta, wanted) || findCorruptColumns(opened).length > 0) return undefined
    return open(opened.columns)
  } catch (error) {
    if (isErrno(error, 'ENOENT') || error instanceof SnapshotUnusable) return undefined
    throw error
  }
}

/** The town lookup for the imported addresses. It finds no towns if there are no addresses. */
export function openTowns(dataDir: string): Towns {
  const opened = openAddresses(addressSnapshotPath(dataDir))
  return opened === undefined ? NO_TOWNS : townsOf(opened)
}

/**
 * Writes a network's stop index and its bounds next to the network's snapshot, unless the files on disk were made from
 * the same sources.
 */
export function writeStops(
  snapshotPath: string,
  of: { readonly snapshot: Snapshot; readonly words: string },
  towns: Towns,
): void {
  const { id, timetable } = of.snapshot
  const path = stopsPath(snapshotPath)
  const sources: StopSources = { snapshot: id, words: of.words, towns: towns.id }
  const meta: StopMeta = { format: STOP_FORMAT, ...sources }
  const known = openStops(path, sources)
  if (known !== undefined && openBounds(path, sources) !== undefined) return
  const places =
    known ?? buildStopPlaces({ timetable, networkWords: of.words, townAt: (lat, lon) => towns.townAt(lat, lon) })
  if (known === undefined) writeFileWhole(path, encodeSnapshot(meta, stopPlacesColumns(places)))
  writeFileWhole(boundsPath(path), encodeSnapshot(meta, wordBoundsColumns(buildWordBounds(places))))
}

/** For each network's newest snapshot, rewrites the stop index if its sources, such as the addresses, have changed. */
export function refreshStops(dataDir: string, networks: readonly WordedNetwork[]): void {
  const towns = openTowns(dataDir)
  for (const { network, words } of networks) {
    const { found } = findSnapshot(dataDir, network)
    if (found !== undefined) writeStops(found.path, { snapshot: found.loaded.snapshot, words }, towns)
  }
}
