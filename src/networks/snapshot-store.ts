// Snapshots on disk: `<data_dir>/snapshots/<network>/<time>-<feed hash>.snapshot`, written aside and renamed,
// mapped on start. The newest usable one serves; the two before it are kept.

import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Timetable } from '../../indexes/timetable/timetable.ts'
import { fromNamedColumns, toNamedColumns } from '../../indexes/timetable/timetable-columns.ts'
import {
  encodeSnapshot,
  findCorruptColumns,
  type OpenedSnapshot,
  openSnapshot,
  SnapshotUnusable,
} from '../../loaders/snapshot-file.ts'
import { TRUE_CLOCK } from '../system/clock.ts'
import { isErrno } from '../system/errno.ts'
import { removeLeftovers, writeFileWhole } from '../system/whole-file.ts'
import type { Snapshot } from './network.ts'

/** How many snapshots of a network are kept. */
const SNAPSHOTS_KEPT = 3
const SUFFIX = '.snapshot'
const STAMP = /^(\d{8})T(\d{2})(\d{2})(\d{2})(\d{3})Z$/
/** Put behind the name of a snapshot whose bytes do not match its checksums; the newest such one is kept to be looked at. */
const CORRUPT_SUFFIX = '.corrupt'

/** What a snapshot says of its own making. */
export interface SnapshotMaking {
  readonly network: string
  /** Hash of the feeds it was made of. */
  readonly feedHash: string
  /** When the import ended, in milliseconds after 1970. */
  readonly refreshedAtMillis: number
  /** How the local files of the feeds looked at the import: see source-stamp.ts. */
  readonly sourceStamp: string
}

interface SnapshotMeta {
  readonly making: SnapshotMaking
  readonly timetable: Readonly<Record<string, unknown>>
}

/** The folder of one network's snapshots. */
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

/** Makes a network's folder where it is missing, and clears it of what killed imports left. */
export function openSnapshotFolder(dataDir: string, network: string): string {
  const folder = snapshotFolder(dataDir, network)
  mkdirSync(folder, { recursive: true })
  removeLeftovers(folder)
  return folder
}

/**
 * Writes a snapshot aside, has its bytes read back by `inspect`, renames it in and drops those beyond the kept ones.
 * What `inspect` throws leaves everything as it was.
 */
export function writeSnapshot(
  order: { readonly dataDir: string; readonly making: SnapshotMaking; readonly timetable: Timetable },
  inspect: (written: LoadedSnapshot) => void,
): { path: string; bytes: number } {
  const { dataDir, making, timetable } = order
  const folder = openSnapshotFolder(dataDir, making.network)
  // Named by true time, so that a newer import sorts first even under a service clock set back.
  const path = join(folder, `${nextStamp(dataDir, making.network)}-${making.feedHash.slice(0, 8)}${SUFFIX}`)
  const pieces = encodeSnapshot({ making, timetable: timetable.meta }, toNamedColumns(timetable))
  writeFileWhole(path, pieces, (aside) => inspect(layoutSnapshot(snapshotBytes(aside))))
  dropOldSnapshots(dataDir, making.network)
  return { path, bytes: pieces.reduce((sum, piece) => sum + piece.byteLength, 0) }
}

/** The time as a name; behind that of every snapshot there is, should the clock have been set back. */
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
  for (const old of listSnapshots(dataDir, network).slice(SNAPSHOTS_KEPT)) {
    rmSync(old, { force: true })
    rmSync(reportPath(old), { force: true })
  }
}

/** Takes a snapshot out of use whose bytes do not match its checksums. */
export function setAsideCorrupt(path: string): void {
  const folder = dirname(path)
  for (const name of readdirSync(folder)) {
    if (name.endsWith(CORRUPT_SUFFIX)) rmSync(join(folder, name), { force: true })
  }
  renameSync(path, path + CORRUPT_SUFFIX)
}

/** Where the report of the last import stands that made a snapshot, or refused or held a feed. */
export function lastImportPath(dataDir: string, network: string): string {
  return join(snapshotFolder(dataDir, network), 'last-import.report.json')
}

/** Where the report of the import that made a snapshot stands. */
export function reportPath(snapshotPath: string): string {
  return `${snapshotPath.slice(0, -SUFFIX.length)}.report.json`
}

/**
 * The bytes of a snapshot file: mapped privately where the file may be opened for writing (which `Bun.mmap`
 * needs even for a private mapping), else read into memory that threads can share.
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

/** A snapshot ready to serve, and how it was made. */
export interface LoadedSnapshot {
  readonly snapshot: Snapshot
  readonly making: SnapshotMaking
  readonly opened: OpenedSnapshot
}

/** Lays a snapshot over its bytes; throws SnapshotUnusable. */
export function layoutSnapshot(bytes: Uint8Array): LoadedSnapshot {
  const opened = openSnapshot(bytes)
  const meta = opened.meta as SnapshotMeta
  const timetable = fromNamedColumns(meta.timetable, opened.columns)
  return {
    snapshot: { id: opened.fingerprint, refreshedAtMillis: meta.making.refreshedAtMillis, timetable },
    making: meta.making,
    opened,
  }
}

/** A snapshot that was passed over, and why. */
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

/** The newest usable snapshot of a network, if there is one, and the newer ones that were not usable. */
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
      if (isErrno(error, 'ENOENT')) continue // dropped by an import since it was listed
      if (!(error instanceof SnapshotUnusable)) throw error
      passed.push({ path, reason: error.reason, message: error.message })
    }
  }
  return { found: undefined, passed }
}

/** Reads the whole snapshot against its checksums; the names of the columns that changed since it was written. */
export function verifySnapshot(loaded: LoadedSnapshot): string[] {
  return findCorruptColumns(loaded.opened)
}
