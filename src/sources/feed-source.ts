// Reads a feed's files from a folder or a zip. A zip is read entry by entry, without unpacking it to disk. The feed may
// be in a subfolder: at most one level down in a folder, at any depth in a zip. All other input is refused before
// parsing.
import { type Dirent, readdirSync, type Stats, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type Entry, fromRandomAccessReader as readZip, type ZipFile } from 'yauzl'
import { FeedRefused } from '../../loaders/feed-problems.ts'
import type { FeedSource } from '../../loaders/gtfs/feed.ts'
import type { Rule } from '../../loaders/rules.ts'
import { openZipBytes } from './zip-bytes.ts'

/** Maximum total size of a zip's files after unpacking. */
const MAX_DECODED_BYTES = 4 * 1024 ** 3
/** Maximum compression ratio of a file larger than RATIO_FREE_BYTES. */
export const MAX_RATIO = 200
export const RATIO_FREE_BYTES = 10 * 1024 ** 2
/** Maximum number of zip entries. */
export const MAX_ENTRIES = 100

const CHUNK_BYTES = 1024 * 1024
/** Files that operating systems leave in zips and folders. */
const JUNK = /(^|\/)(__MACOSX|\._[^/]*|\.DS_Store|Thumbs\.db|desktop\.ini)(\/|$)/

/** Error codes for paths that lead to no file or folder. */
const NOWHERE = ['ENOENT', 'ENOTDIR', 'ELOOP']

/** The files of a feed; close it after reading. */
export interface OpenedFeedSource extends FeedSource {
  /** The subfolder with the files; empty if they are at the top level. */
  readonly folder: string
  close(): Promise<void>
}

function refused(path: string, rule: Rule, example: string): FeedRefused {
  return new FeedRefused({ rule, file: basename(path), line: 0, example, action: 'refused_feed' })
}

/** Opens a zip or a folder. Throws FeedRefused if it is neither or contains no feed. */
export async function openFeedSource(path: string): Promise<OpenedFeedSource> {
  return findTarget(path).isDirectory() ? openFolder(path) : await openZip(path)
}

function findTarget(path: string): Stats {
  const target = followPath(path)
  if (target === undefined) throw refused(path, 'missing_feed', `${path} does not exist`)
  return target
}

/** Resolves a path; undefined if it does not exist, passes through a file, or contains a cycle of links. */
function followPath(path: string): Stats | undefined {
  try {
    return statSync(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && NOWHERE.includes(String(error.code))) return undefined
    throw error
  }
}

/** A folder with one of these files contains a feed, even if the feed is incomplete. */
const FEED_FILES = ['stops.txt', 'routes.txt', 'trips.txt']

/**
 * The folder that contains the feed; '' for the top level. Throws FeedRefused if no folder or several folders contain a
 * feed.
 */
function findFeedFolder(path: string, names: readonly string[]): string {
  const all = new Set(names)
  const isFeed = (folder: string) => FEED_FILES.some((file) => all.has(`${folder}${file}`))
  if (isFeed('')) return ''
  const folders = [...new Set(names.map((name) => name.slice(0, name.lastIndexOf('/') + 1)))].filter(isFeed)
  if (folders.length > 1)
    throw refused(path, 'several_feeds', `contains feeds in ${folders.sort().join(', ')}; use the path of one of them`)
  const [folder] = folders
  if (folder !== undefined) return folder
  const inner = names.find((name) => name.toLowerCase().endsWith('.zip'))
  if (inner !== undefined) throw refused(path, 'zip_in_zip', `contains ${inner}, which must be unpacked first`)
  throw refused(path, 'missing_required_file', `contains no GTFS file, such as ${FEED_FILES.join(', ')}`)
}

/**
 * The kind of an entry in a folder; for a symbolic link, the kind of its target. Undefined for broken links and special
 * files.
 */
function kindOf(folder: string, entry: Dirent): 'file' | 'folder' | undefined {
  const target = entry.isSymbolicLink() ? followPath(join(folder, entry.name)) : entry
  if (target === undefined) return undefined
  return target.isFile() ? 'file' : target.isDirectory() ? 'folder' : undefined
}

function openFolder(path: string): OpenedFeedSource {
  const listed = (folder: string): Dirent[] => readdirSync(join(path, folder), { withFileTypes: true })
  const names: string[] = []
  for (const entry of listed('')) {
    if (JUNK.test(entry.name)) continue
    const kind = kindOf(path, entry)
    if (kind === 'file') names.push(entry.name)
    if (kind !== 'folder') continue
    for (const inner of listed(entry.name)) {
      if (JUNK.test(inner.name)) continue
      if (kindOf(join(path, entry.name), inner) === 'file') names.push(`${entry.name}/${inner.name}`)
    }
  }
  const folder = findFeedFolder(path, names)
  const own = names.filter((name) => name.startsWith(folder) && !name.slice(folder.length).includes('/'))
  const bare = new Set(own.map((name) => name.slice(folder.length)))
  return {
    folder,
    names: [...bare].sort(),
    open: (name) => (bare.has(name) ? readFileChunks(join(path, folder, name)) : undefined),
    sizeOf: (name) => (bare.has(name) ? followPath(join(path, folder, name))?.size : undefined),
    close: async () => {},
  }
}

/**
 * Yields a file in chunks. All chunks use the same buffer, so each chunk overwrites the previous one. Allocating a
 * buffer for every chunk would take as long as reading the chunk.
 */
async function* readFileChunks(path: string): AsyncGenerator<Uint8Array> {
  const file = await open(path)
  try {
    const buffer = new Uint8Array(CHUNK_BYTES)
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, buffer.byteLength)
      if (bytesRead === 0) return
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    await file.close()
  }
}

const ZIP_OPTIONS = {
  lazyEntries: true,
  autoClose: false,
  decodeStrings: true,
  validateEntrySizes: true,
  strictFileNames: false,
}
/** Size of a zip entry's local file header, without the file name. */
const LOCAL_HEADER_BYTES = 30

async function openArchive(path: string): Promise<ZipFile> {
  const bytes = await openZipBytes(path)
  try {
    return await new Promise<ZipFile>((resolve, reject) => {
      readZip(bytes, bytes.length, ZIP_OPTIONS, (error, zip) => (error === null ? resolve(zip) : reject(error)))
    })
  } catch (error) {
    await bytes.release()
    throw refused(path, 'unreadable_zip', error instanceof Error ? error.message : 'no zip')
  }
}

function listEntries(path: string, zip: ZipFile): Promise<Entry[]> {
  return new Promise((resolve, reject) => {
    const entries: Entry[] = []
    zip.on('error', (error: Error) => reject(refused(path, 'unreadable_zip', error.message)))
    zip.on('end', () => resolve(entries))
    zip.on('entry', (entry: Entry) => {
      if (entries.length >= MAX_ENTRIES)
        return reject(refused(path, 'too_many_entries', `the zip has more than ${MAX_ENTRIES} entries`))
      entries.push(entry)
      zip.readEntry()
    })
    zip.readEntry()
  })
}

async function openZip(path: string): Promise<OpenedFeedSource> {
  const zip = await openArchive(path)
  try {
    const entries = (await listEntries(path, zip)).filter(
      (entry) => !entry.fileName.endsWith('/') && !JUNK.test(entry.fileName),
    )
    checkSizes(path, entries)
    const folder = findFeedFolder(
      path,
      entries.map((entry) => entry.fileName),
    )
    const byName = new Map<string, Entry>()
    for (const entry of entries) {
      const name = entry.fileName.slice(folder.length)
      if (!entry.fileName.startsWith(folder) || name.includes('/')) continue
      const first = byName.get(name)
      if (first === undefined) byName.set(name, entry)
      else checkCopies(path, first, entry)
    }
    return {
      folder,
      names: [...byName.keys()].sort(),
      open: (name) => {
        const entry = byName.get(name)
        return entry === undefined ? undefined : readEntry(path, zip, entry)
      },
      sizeOf: (name) => byName.get(name)?.uncompressedSize,
      close: async () => zip.close(),
    }
  } catch (error) {
    zip.close()
    throw error
  }
}

/** Refuses a zip with two different files of the same name, because zip programs disagree on which of them to use. */
function checkCopies(path: string, first: Entry, second: Entry): void {
  const isSame = first.crc32 === second.crc32 && first.uncompressedSize === second.uncompressedSize
  if (!isSame) throw refused(path, 'duplicate_file', `contains ${second.fileName} twice, with different content`)
}

/**
 * Refuses a zip if it has encrypted or overlapping entries, or if the sizes in its directory are too large. The zip
 * reader checks that no entry is larger than the directory states.
 */
function checkSizes(path: string, entries: readonly Entry[]): void {
  let total = 0
  for (const { fileName, uncompressedSize, compressedSize, generalPurposeBitFlag } of entries) {
    if ((generalPurposeBitFlag & 1) === 1) throw refused(path, 'encrypted_zip', fileName || 'a file without a name')
    if (uncompressedSize > RATIO_FREE_BYTES && uncompressedSize > compressedSize * MAX_RATIO) {
      throw refused(
        path,
        'zip_bomb',
        `${fileName} unpacks to ${Math.round(uncompressedSize / compressedSize)} times its size; at most ${MAX_RATIO} times is allowed`,
      )
    }
    total += uncompressedSize
  }
  if (total > MAX_DECODED_BYTES)
    throw refused(path, 'zip_bomb', `unpacks to ${total} bytes; at most ${MAX_DECODED_BYTES} are allowed`)
  checkOverlaps(path, entries)
}

/** Refuses a zip with overlapping entries, which occur only in zip bombs. */
function checkOverlaps(path: string, entries: readonly Entry[]): void {
  const byPlace = entries.toSorted((a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader)
  let end = 0
  let last = ''
  for (const { fileName, relativeOffsetOfLocalHeader, compressedSize } of byPlace) {
    if (relativeOffsetOfLocalHeader < end)
      throw refused(path, 'zip_bomb', `the data of ${last} and ${fileName} overlaps`)
    end = relativeOffsetOfLocalHeader + LOCAL_HEADER_BYTES + compressedSize
    last = fileName
  }
}

async function* readEntry(path: string, zip: ZipFile, entry: Entry): AsyncGenerator<Uint8Array> {
  const stream = await new Promise<NodeJS.ReadableStream>((resolve, reject) => {
    zip.openReadStream(entry, (error, opened) =>
      error === null && opened !== undefined ? resolve(opened) : reject(error),
    )
  }).catch((error: Error) => {
    throw refused(path, 'unreadable_zip', `${entry.fileName}: ${error.message}`)
  })
  let crc = 0
  try {
    for await (const chunk of stream) {
      const bytes = chunk as Uint8Array
      crc = Bun.hash.crc32(bytes, crc)
      yield bytes
    }
  } catch (error) {
    throw refused(
      path,
      'unreadable_zip',
      `${entry.fileName}: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
  if (crc !== entry.crc32) throw refused(path, 'unreadable_zip', `${entry.fileName}: its checksum does not match`)
}

/**
 * Hash of a feed: of the bytes of a zip, or of the names and contents of the `.txt` files in a folder. Throws
 * FeedRefused if there is no feed.
 */
export async function hashFeed(path: string): Promise<string> {
  if (!findTarget(path).isDirectory()) return await hashBytes(readFileChunks(path))
  const hasher = new Bun.CryptoHasher('sha256')
  const source = openFolder(path)
  for (const name of source.names.filter((each) => each.endsWith('.txt'))) {
    // The input is the hash of each file, not its bytes. Otherwise, two different feeds could have the same input,
    // because the content of a file can look like the name and content of the next file.
    hasher.update(`${name}\n${await hashBytes(source.open(name) ?? [])}\n`)
  }
  return hasher.digest('hex')
}

async function hashBytes(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256')
  for await (const chunk of chunks) hasher.update(chunk)
  return hasher.digest('hex')
}
