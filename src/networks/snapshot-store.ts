// Snapshots on disk: `<data_dir>/snapshots/<network>/<time>-<feed hash>.snapshot`, written atomically and mapped at
// startup. The newest usable snapshot is served, and the two snapshots before it are kept.

import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Timetable } from '../../indexes/timetable/timetable.ts'
import { fromNamedColumns, toNamedColumns } from '../../indexes/timetable/timetable-columns.ts'
import type { TypedArray } from '../../loaders/columns.ts'
import {
  encodeSnapshot,
  findCorruptColumns,
  type OpenedSnapshot,
  openSnapshot,
  SnapshotUnusable,
} from '../../loaders/snapshot-file.ts'
import { TRUE_CLOCK } from '../system/clock.ts'
import { isErrno } from '../system/errno.ts'
import { removeLeftovers, syncPath, writeFileWhole } from '../system/whole-file.ts'
import type { Snapshot, SnapshotTexts } from './network.ts'

/** Number of snapshots that are kept per network. */
const SNAPSHOTS_KEPT = 3
const SUFFIX = '.snapshot'
const STOPS_SUFFIX = '.places'
const LAYOUT_SUFFIX = '.layout'
const STAMP = /^(\d{8})T(\d{2})(\d{2})(\d{2})(\d{3})Z$/
/** Suffix of a corrupt snapshot's file name. The newest corrupt snapshot is kept for inspection. */
const CORRUPT_SUFFIX = '.corrupt'

/** How a snapshot was made. */
export interface SnapshotMaking {
  readonly network: string
  /** Hash of the feeds that were imported. */
  readonly feedHash: string
  /** When the import began to build the timetable, after fetching the feeds, in Unix milliseconds. */
  readonly refreshedAtMillis: number
  /** Stamp of the local feed files at the time of the import (see source-stamp.ts). */
  readonly sourceStamp: string
  /** Stamp of everything that the import read; see `stampInput`. Absent in snapshots from earlier versions. */
  readonly inputStamp?: string
}

interface SnapshotMeta {
  readonly making: SnapshotMaking
  readonly timetable: Readonly<Record<string, unknown>>
  /** Identifies the data that the snapshot's rendered JSON depends on; absent if the snapshot has no rendered JSON. */
  readonly texts?: string
}

/** Prefix for the names of columns that contain rendered JSON. */
const TEXTS_PREFIX = 'texts.'

/** The folder that contains a network's snapshots. */
export function snapshotFolder(dataDir: string, network: string): string {
  return join(dataDir, 'snapshots', network)
}

/** Paths of a network's snapshots, newest first. */
export function listSnapshots(dataDir: string, network: string): string[] {
  const folder = snapshotFolder(dataDir, network)
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith(SUFFIX))
    return names.sort((a, b) => (a < b ? 1 : -1)).map((name) => join(folder, name))
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return []
    throw error
  }
}

/** Creates a network's folder and removes leftovers of killed imports. */
export function openSnapshotFolder(dataDir: string, network: string): string {
  const folder = snapshotFolder(dataDir, network)
  mkdirSync(folder, { recursive: true })
  removeLeftovers(folder)
  return folder
}

/**
 * Writes a snapshot to a temporary file. `inspect` then checks that file and writes the files that accompany it.
 * Finally, the file is renamed and old snapshots are deleted. If `inspect` throws, the existing snapshots stay as they
 * are.
 */
export function writeSnapshot(
  order: {
    readonly dataDir: string
    readonly making: SnapshotMaking
    readonly timetable: Timetable
    readonly texts?: SnapshotTexts | undefined
  },
  inspect: (written: LoadedSnapshot, path: string) => void,
): { path: string; bytes: number } {
  const { dataDir, making, timetable, texts } = order
  const folder = openSnapshotFolder(dataDir, making.network)
  // The name starts with the system time, so that newer imports sort first even if the service clock is set back.
  const path = join(folder, `${nextStamp(dataDir, making.network)}-${making.feedHash.slice(0, 8)}${SUFFIX}`)
  const meta: SnapshotMeta = {
    making,
    timetable: { ...timetable.meta },
    ...(texts === undefined ? {} : { texts: texts.key }),
  }
  const ofTexts = [...(texts?.columns ?? [])].map(([name, column]) => [TEXTS_PREFIX + name, column] as const)
  const pieces = encodeSnapshot(meta, new Map([...toNamedColumns(timetable), ...ofTexts]))
  writeFileWhole(path, pieces, (aside) => inspect(layoutSnapshot(snapshotBytes(aside)), path))
  dropOldSnapshots(dataDir, making.network)
  return { path, bytes: pieces.reduce((sum, piece) => sum + piece.byteLength, 0) }
}

/**
 * Makes a checked file the newest snapshot of a network. Returns the new path. @param name a part of the file name that
 * distinguishes the snapshot
 */
export function placeSnapshot(
  aside: string,
  { dataDir, network, name }: { readonly dataDir: string; readonly network: string; readonly name: string },
): string {
  const path = join(snapshotFolder(dataDir, network), `${nextStamp(dataDir, network)}-${name}${SUFFIX}`)
  renameSync(aside, path)
  syncPath(dirname(path))
  dropOldSnapshots(dataDir, network)
  return path
}

/**
 * The current time, as in file names. If a snapshot has a later time because the clock was set back, returns the newest
 * snapshot's time plus one millisecond. The new name therefore always sorts after all existing snapshots.
 */
function nextStamp(dataDir: string, network: string): string {
  const now = stampOf(TRUE_CLOCK.nowMillis())
  const newest = basename(listSnapshots(dataDir, network)[0] ?? '').split('-')[0] ?? ''
  const [, date, hours, minutes, seconds, millis] = STAMP.exec(newest) ?? []
  if (date === undefined || newest < now) return now
  const [year, month, day] = [date.slice(0, 4), date.slice(4, 6), date.slice(6)]
  const newestMillis = Date.parse(`${year}-${month}-${day}T${hours}:${minutes}:${seconds}.${millis}Z`)
  return Number.isNaN(newestMillis) ? now : stampOf(newestMillis + 1)
}

function stampOf(millis: number): string {
  return new Date(millis).toISOString().replace(/[-:.]/g, '')
}

function dropOldSnapshots(dataDir: string, network: string): void {
  const [, ...earlier] = listSnapshots(dataDir, network)
  for (const snapshot of earlier) removeLayouts(snapshot)
  for (const old of earlier.slice(SNAPSHOTS_KEPT - 1)) {
    rmSync(old, { force: true })
    rmSync(reportPath(old), { force: true })
    removeStops(old)
  }
}

/** Renames a corrupt snapshot so that it is not served, and removes the search index and layouts that belong to it. */
export function setAsideCorrupt(path: string): void {
  const folder = dirname(path)
  for (const name of readdirSync(folder)) {
    if (name.endsWith(CORRUPT_SUFFIX)) rmSync(join(folder, name), { force: true })
  }
  renameSync(path, path + CORRUPT_SUFFIX)
  removeStops(path)
  removeLayouts(path)
}

function removeStops(snapshotPath: string): void {
  const path = stopsPath(snapshotPath)
  rmSync(path, { force: true })
  rmSync(boundsPath(path), { force: true })
}

function removeLayouts(snapshotPath: string): void {
  for (const path of listLayouts(snapshotPath)) rmSync(path, { force: true })
}

/** Path of the report on the last import. Imports that fail or find no changes do not replace the report. */
export function lastImportPath(dataDir: string, network: string): string {
  return join(snapshotFolder(dataDir, network), 'last-import.report.json')
}

/** Path of the report on the import that made a snapshot. */
export function reportPath(snapshotPath: string): string {
  return `${snapshotPath.slice(0, -SUFFIX.length)}.report.json`
}

/** Path of the search index for a snapshot's stops. */
export function stopsPath(snapshotPath: string): string {
  return `${snapshotPath.slice(0, -SUFFIX.length)}${STOPS_SUFFIX}`
}

/**
 * Path of the word bounds for a search index: upper bounds on how well the stops in the index can match a query.
 * @param path the path of the search index
 */
export function boundsPath(path: string): string {
  return `${path.slice(0, -STOPS_SUFFIX.length)}.bounds`
}

/** Path of a layout that belongs to a snapshot (journeys/layout-files.ts). @param name the name of the layout */
export function layoutPath(snapshotPath: string, name: string): string {
  return `${snapshotPath.slice(0, -SUFFIX.length)}.${name}${LAYOUT_SUFFIX}`
}

/**
 * Paths of the existing layouts that belong to a snapshot. @param nameStart if given, only layouts whose names start
 * with it are listed
 */
export function listLayouts(snapshotPath: string, nameStart = ''): string[] {
  const folder = dirname(snapshotPath)
  const start = `${basename(snapshotPath).slice(0, -SUFFIX.length)}.${nameStart}`
  const names = readdirSync(folder).filter((name) => name.startsWith(start) && name.endsWith(LAYOUT_SUFFIX))
  return names.map((name) => join(folder, name))
}

/**
 * The bytes of a snapshot file. If the file is writable, it is mapped privately. Otherwise, it is read into shared
 * memory, because `Bun.mmap` requires a writable file even for private mappings.
 */
export function snapshotBytes(path: string): Uint8Array {
  try {
    return Bun.mmap(path, { shared: false })
  } catch (error) {
    if (statSync(path).size === 0) throw new SnapshotUnusable('not_a_snapshot', 'the file is empty')
    if (!isErrno(error, 'EACCES', 'EPERM', 'EROFS')) throw error
    const bytes = readFileSync(path)
    const shared = new Uint8Array(new SharedArrayBuffer(bytes.byteLength))
    shared.set(bytes)
    return shared
  }
}

/** An opened snapshot and how it was made. */
export interface LoadedSnapshot {
  readonly snapshot: Snapshot
  readonly making: SnapshotMaking
  readonly opened: OpenedSnapshot
}

/** Opens a snapshot without copying: its columns are views of the bytes. Throws `SnapshotUnusable`. */
export function layoutSnapshot(bytes: Uint8Array): LoadedSnapshot {
  const opened = openSnapshot(bytes)
  const meta = opened.meta as SnapshotMeta
  const ofTimetable = new Map<string, TypedArray>()
  const ofTexts = new Map<string, TypedArray>()
  for (const [name, column] of opened.columns) {
    if (name.startsWith(TEXTS_PREFIX)) ofTexts.set(name.slice(TEXTS_PREFIX.length), column)
    else ofTimetable.set(name, column)
  }
  const timetable = fromNamedColumns(meta.timetable, ofTimetable)
  return {
    snapshot: {
      id: opened.fingerprint,
      refreshedAtMillis: meta.making.refreshedAtMillis,
      timetable,
      ...(meta.texts === undefined ? {} : { texts: { key: meta.texts, columns: ofTexts } }),
    },
    making: meta.making,
    opened,
  }
}

/** An unusable snapshot that was skipped, and the reason. */
export interface PassedSnapshot {
  readonly path: string
  readonly reason: SnapshotUnusable['reason']
  readonly message: string
}

/** A usable snapshot file. */
export interface FoundSnapshot {
  readonly path: string
  readonly bytes: Uint8Array
  readonly loaded: LoadedSnapshot
}

/** Finds the newest usable snapshot of a network. `passed` lists the newer snapshots that are not usable. */
export function findSnapshot(
  dataDir: string,
  network: string,
): { readonly found: FoundSnapshot | undefined; readonly passed: readonly PassedSnapshot[] } {
  const passed: PassedSnapshot[] = []
  for (const path of listSnapshots(dataDir, network)) {
    try {
      const bytes = snapshotBytes(path)
      return { found: { path, bytes, loaded: layoutSnapshot(bytes) }, passed }
    } catch (error) {
      if (isErrno(error, 'ENOENT')) continue // deleted by an import since it was listed
      if (!(error instanceof SnapshotUnusable)) throw error
      passed.push({ path, reason: error.reason, message: error.message })
    }
  }
  return { found: undefined, passed }
}

/** Verifies the checksums of a snapshot; returns the names of corrupt columns. */
export function verifySnapshot(loaded: LoadedSnapshot): string[] {
  return findCorruptColumns(loaded.opened)
}
