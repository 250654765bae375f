// The paths of shared files on this machine, for each kind of shared item: timetables, addresses and streets. A file
// has the same name on all replicas, but its path can differ.
import { existsSync, mkdirSync, renameSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { LINK_FORMAT } from '../../indexes/streets/stop-links.ts'
import { STREET_FORMAT } from '../../indexes/streets/street-graph.ts'
import { SNAPSHOT_FORMAT_VERSION } from '../../loaders/snapshot-file.ts'
import type { SharedKind } from '../networks/snapshot-exchange.ts'
import {
  boundsPath,
  listSnapshots,
  openSnapshotFolder,
  placeSnapshot,
  snapshotFolder,
  stopsPath,
} from '../networks/snapshot-store.ts'
import { ADDRESS_FORMAT, addressSnapshotPath } from '../places/address-store.ts'
import { STOP_FORMAT } from '../places/stop-store.ts'
import {
  dropNewerGraphs,
  dropOldStreets,
  listStreetFiles,
  openStreetFolder,
  streetFolder,
} from '../streets/street-store.ts'
import { syncPath } from '../system/whole-file.ts'

/**
 * The formats that this program reads. Replicas that read other formats import their own files and share them among
 * themselves.
 */
export const SHARED_FORMAT = [SNAPSHOT_FORMAT_VERSION, STOP_FORMAT, ADDRESS_FORMAT, STREET_FORMAT, LINK_FORMAT].join(
  '.',
)

/** File name → path. */
export type FilePaths = ReadonlyMap<string, string>

/** The paths of a shared item's files. */
export interface Shelf {
  /**
   * The folder for fetched files that are not in place yet. It is on the same disk as their final paths, so that a file
   * is put in place by renaming it.
   */
  readonly folder: string
  /** Creates the folder. */
  open(): void
  /** The files that are in place; empty if there are none. */
  list(): FilePaths
  /** The path for a file with this name; undefined until the files that it depends on are in place. */
  pathOf(name: string): string | undefined
  /** Moves fetched files into place. */
  place(fetched: FilePaths): void
  /** Removes files that would otherwise be served instead of the files with these names. */
  prefer(names: readonly string[]): void
}

/** The paths of the shared files of one kind. @param name the network's id for timetables, otherwise empty */
export function shelfOf(dataDir: string, kind: SharedKind, name: string): Shelf {
  if (kind === 'timetable') return new TimetableShelf(dataDir, name)
  return kind === 'addresses' ? new AddressShelf(dataDir) : new StreetShelf(dataDir)
}

/**
 * The paths of three files: a snapshot, the search index of its stops, and upper bounds on how well these stops can
 * match a search.
 */
class TimetableShelf implements Shelf {
  readonly folder: string
  private readonly dataDir: string
  private readonly network: string

  constructor(dataDir: string, network: string) {
    this.folder = snapshotFolder(dataDir, network)
    this.dataDir = dataDir
    this.network = network
  }

  open(): void {
    openSnapshotFolder(this.dataDir, this.network)
  }

  list(): FilePaths {
    return present(['timetable', 'stops', 'bounds'], (name) => this.pathOf(name))
  }

  pathOf(name: string): string | undefined {
    const [newest] = listSnapshots(this.dataDir, this.network)
    if (newest === undefined || name === 'timetable') return newest
    return name === 'stops' ? stopsPath(newest) : boundsPath(stopsPath(newest))
  }

  place(fetched: FilePaths): void {
    const { dataDir, network } = this
    const timetable = fetched.get('timetable')
    // The hash distinguishes files that are placed in the same millisecond.
    if (timetable !== undefined) placeSnapshot(timetable, { dataDir, network, name: basename(timetable).slice(0, 16) })
    for (const [name, aside] of fetched) {
      const path = name === 'timetable' ? undefined : this.pathOf(name)
      if (path !== undefined) renameSync(aside, path)
    }
    syncPath(this.folder)
  }

  prefer(): void {} // nothing to remove: the last placed file is the newest
}

/** The path of the address index, which is one file for all networks. */
class AddressShelf implements Shelf {
  readonly folder: string
  private readonly path: string

  constructor(dataDir: string) {
    this.path = addressSnapshotPath(dataDir)
    this.folder = dirname(this.path)
  }

  open(): void {
    mkdirSync(this.folder, { recursive: true })
  }

  list(): FilePaths {
    return present(['addresses'], () => this.path)
  }

  pathOf(): string {
    return this.path
  }

  place(fetched: FilePaths): void {
    for (const aside of fetched.values()) renameSync(aside, this.path)
    syncPath(this.folder)
  }

  prefer(): void {} // nothing to remove: there is only one file
}

/**
 * The paths of the street graph, and of the links from each network's stops to the graph. A file's path changes with
 * its content.
 */
class StreetShelf implements Shelf {
  readonly folder: string
  private readonly dataDir: string

  constructor(dataDir: string) {
    this.folder = streetFolder(dataDir)
    this.dataDir = dataDir
  }

  open(): void {
    openStreetFolder(this.dataDir)
  }

  list(): FilePaths {
    return new Map(listStreetFiles(this.dataDir).map((path) => [basename(path), path]))
  }

  pathOf(name: string): string {
    return join(this.folder, name)
  }

  place(fetched: FilePaths): void {
    // Links are put in place first, because a graph is used as soon as it is in place.
    for (const name of [...fetched.keys()].sort()) renameSync(fetched.get(name) ?? '', this.pathOf(name))
    syncPath(this.folder)
  }

  /** Removes newer street graphs that this replica made but could not offer, and the files of older graphs. */
  prefer(names: readonly string[]): void {
    dropNewerGraphs(this.dataDir, names)
    dropOldStreets(this.dataDir, new Set(names.map((name) => this.pathOf(name))))
  }
}

function present(names: readonly string[], pathOf: (name: string) => string | undefined): FilePaths {
  const paths = names.map((name) => [name, pathOf(name)] as const)
  return new Map(paths.filter((pair): pair is [string, string] => pair[1] !== undefined && existsSync(pair[1])))
}
