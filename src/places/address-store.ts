// The address snapshot on disk: one file for all networks. An import rebuilds it only if a source has changed. If a
// source cannot be read, the previous snapshot stays.

import { createReadStream, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import {
  type AddressIndex,
  addressIndexColumns,
  buildAddressIndex,
  openAddressIndex,
} from '../../indexes/places/address-index.ts'
import { loadAddresses } from '../../loaders/ban/load-addresses.ts'
import type { FeedProblem } from '../../loaders/feed-problems.ts'
import {
  encodeSnapshot,
  findCorruptColumns,
  type OpenedSnapshot,
  openSnapshot,
  SnapshotUnusable,
} from '../../loaders/snapshot-file.ts'
import { snapshotBytes } from '../networks/snapshot-store.ts'
import { fetchFiles } from '../sources/local-files.ts'
import { hashContents } from '../sources/source-content.ts'
import { stampSources } from '../sources/source-stamp.ts'
import { TRUE_CLOCK } from '../system/clock.ts'
import { isErrno } from '../system/errno.ts'
import { collectBetweenSteps } from '../system/memory-sweeper.ts'
import { removeLeftovers, writeFileWhole } from '../system/whole-file.ts'

/** Format version. It must be raised whenever the snapshot's contents change in any way. */
export const ADDRESS_FORMAT = 7
const CHUNK_BYTES = 1 << 20

/** The sources of the addresses, and the data directory that contains their snapshot. */
export interface AddressOrder {
  readonly dataDir: string
  /** File paths or URLs. */
  readonly sources: readonly string[]
}

interface AddressMeta {
  readonly format: number
  /** The stamps of the sources; see source-stamp.ts. */
  readonly stamp: string
  /** Hash of the sources' contents; see source-content.ts. Absent in snapshots from earlier versions. */
  readonly content?: string
  /** When the snapshot was made, in Unix milliseconds of the system clock. */
  readonly madeAtMillis: number
}

/** The result of importing addresses. */
export interface AddressImport {
  readonly path: string
  readonly outcome: 'imported' | 'up_to_date'
  readonly houseCount: number
  readonly problems: readonly FeedProblem[]
}

/** An open address snapshot. */
export interface OpenedAddresses {
  readonly index: AddressIndex
  /** An id that changes whenever the content changes. */
  readonly id: string
  readonly madeAtMillis: number
  readonly stamp: string
  readonly content?: string | undefined
  readonly opened: OpenedSnapshot
}

/** The path of the address snapshot in a data directory. */
export function addressSnapshotPath(dataDir: string): string {
  return join(dataDir, 'addresses', 'addresses.snapshot')
}

/** Opens the snapshot; undefined if there is none that this version can use. */
export function openAddresses(path: string): OpenedAddresses | undefined {
  let bytes: Uint8Array
  try {
    if (statSync(path).size === 0) return undefined
    bytes = snapshotBytes(path)
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return undefined
    throw error
  }
  try {
    const opened = openSnapshot(bytes)
    const meta = opened.meta as AddressMeta
    if (meta.format !== ADDRESS_FORMAT) return undefined
    const { madeAtMillis, stamp, content } = meta
    return { index: openAddressIndex(opened.columns), id: opened.fingerprint, madeAtMillis, stamp, content, opened }
  } catch (error) {
    if (error instanceof SnapshotUnusable) return undefined
    throw error
  }
}

/**
 * Builds the snapshot if any source has changed since the last snapshot was made, or if that snapshot is corrupt.
 * Throws FeedRefused if a source has no addresses, and DownloadFailed if a source cannot be fetched. If a source cannot
 * be read, throws the file system's error.
 */
export async function importAddresses(order: AddressOrder): Promise<AddressImport> {
  const { dataDir, sources } = order
  const folder = join(dataDir, 'addresses')
  const path = addressSnapshotPath(dataDir)
  mkdirSync(folder, { recursive: true })
  removeLeftovers(folder)
  const found = await fetchFiles(sources, { folder: join(folder, 'sources'), name: 'addresses' })
  const files = found.map(({ name, path }) => ({
    name,
    path,
    open: () => createReadStream(path, { highWaterMark: CHUNK_BYTES }),
  }))
  const paths = files.map((file) => file.path)
  const stamp = stampSources(paths)
  const present = openAddresses(path)
  const content = present?.stamp === stamp ? present.content : await hashContents(paths, folder)
  const isFit = present?.stamp === stamp || (present !== undefined && present.content === content)
  if (isFit && findCorruptColumns(present.opened).length === 0) {
    const houseCount = present.index.addresses.houses.count
    return { path, outcome: 'up_to_date', houseCount, problems: [] }
  }
  const { addresses, problems } = await loadAddresses(files)
  // Frees unused memory before the index is built, and again after each part of the index.
  const collect = collectBetweenSteps(addresses.houses.count)
  collect()
  const columns = addressIndexColumns(buildAddressIndex(addresses, collect))
  collect()
  const madeAtMillis = TRUE_CLOCK.nowMillis()
  const meta: AddressMeta = {
    format: ADDRESS_FORMAT,
    stamp,
    madeAtMillis,
    ...(content === undefined ? {} : { content }),
  }
  writeFileWhole(path, encodeSnapshot(meta, columns))
  return { path, outcome: 'imported', houseCount: addresses.houses.count, problems: problems.list() }
}
