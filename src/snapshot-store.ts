// Snapshots on disk: `<data_dir>/snapshots/<network>/<time>-<feed hash>.snapshot`, written aside and renamed,
// mapped on start. The newest usable one serves; the two before it are kept.
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writevSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Timetable } from '../indexes/timetable/timetable.ts'
import { fromNamedColumns, toNamedColumns } from '../indexes/timetable/timetable-columns.ts'
import {
  encodeSnapshot,
  findCorruptColumns,
  type OpenedSnapshot,
  openSnapshot,
  SnapshotUnusable,
} from '../loaders/snapshot-file.ts'
import type { Snapshot } from './network.ts'

/** How many snapshots of a network are kept. */
const SNAPSHOTS_KEPT = 3
const SUFFIX = '.snapshot'
/** How many pieces one `writev` takes (IOV_MAX is 1 024 on Linux). */
const PIECES_PER_WRITE = 512

/** What a snapshot says of its own making. */
export interface SnapshotMaking {
  readonly network: string
  /** Hash of the feeds it was made of. */
  readonly feedHash: string
  /** When the import ended, in milliseconds after 1970. */
  readonly refreshedAtMillis: number
}

interface SnapshotMeta {
  readonly making: SnapshotMaking
  readonly timetable: Timetable['meta']
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
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** Writes a snapshot beside its place, syncs it and renames it in; drops those beyond the kept ones. */
export function writeSnapshot(
  dataDir: string,
  making: SnapshotMaking,
  timetable: Timetable,
): { path: string; bytes: number } {
  const folder = snapshotFolder(dataDir, making.network)
  mkdirSync(folder, { recursive: true })
  // Named by true time, so that a newer import sorts first even under a service clock set back.
  const stamp = new Date().toISOString().replace(/[-:.]/g, '')
  const path = join(folder, `${stamp}-${making.feedHash.slice(0, 8)}${SUFFIX}`)
  const aside = `${path}.${process.pid}.part`
  const meta: SnapshotMeta = { making, timetable: timetable.meta }
  const pieces = encodeSnapshot(meta, toNamedColumns(timetable))
  try {
    writeSynced(aside, pieces)
    renameSync(aside, path)
  } catch (error) {
    rmSync(aside, { force: true })
    throw error
  }
  syncFolder(folder)
  for (const old of listSnapshots(dataDir, making.network).slice(SNAPSHOTS_KEPT)) {
    rmSync(old)
    rmSync(reportPath(old), { force: true })
  }
  return { path, bytes: pieces.reduce((sum, piece) => sum + piece.byteLength, 0) }
}

/** Where the report of the import that made a snapshot stands. */
export function reportPath(snapshotPath: string): string {
  return `${snapshotPath.slice(0, -SUFFIX.length)}.report.json`
}

function writeSynced(path: string, pieces: Uint8Array[]): void {
  const file = openSync(path, 'wx', 0o644)
  try {
    for (let first = 0; first < pieces.length; first += PIECES_PER_WRITE) {
      writeAll(file, pieces.slice(first, first + PIECES_PER_WRITE))
    }
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

function writeAll(file: number, pieces: Uint8Array[]): void {
  let rest = pieces
  while (rest.length > 0) {
    let written = writevSync(file, rest)
    const left: Uint8Array[] = []
    for (const piece of rest) {
      if (written >= piece.byteLength) written -= piece.byteLength
      else {
        left.push(written > 0 ? piece.subarray(written) : piece)
        written = 0
      }
    }
    rest = left
  }
}

function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
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
    const code = (error as NodeJS.ErrnoException).code
    if (code !== 'EACCES' && code !== 'EPERM' && code !== 'EROFS') throw error
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
