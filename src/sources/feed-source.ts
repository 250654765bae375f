// Where a feed's bytes come from on this machine: a zip, read entry by entry without unpacking it to disk, or a folder.
// The one folder that holds a feed is entered: one deep in a folder, at any depth in a zip. What is no feed is refused
// before a byte is taken for GTFS.
import { createReadStream, type Dirent, readdirSync, type Stats, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type Entry, fromRandomAccessReader as readZip, type ZipFile } from 'yauzl'
import { FeedRefused } from '../../loaders/feed-problems.ts'
import type { FeedSource } from '../../loaders/gtfs/feed.ts'
import type { Rule } from '../../loaders/rules.ts'
import { openZipBytes } from './zip-bytes.ts'

/** Most bytes that a zip's files may unfold to together. */
const MAX_DECODED_BYTES = 4 * 1024 ** 3
/** Most that one file may unfold by, where it is larger than RATIO_FREE_BYTES. */
export const MAX_RATIO = 200
export const RATIO_FREE_BYTES = 10 * 1024 ** 2
/** Most entries of a zip. */
export const MAX_ENTRIES = 100

const CHUNK_BYTES = 1024 * 1024
/** What operating systems leave in zips and folders. */
const JUNK = /(^|\/)(__MACOSX|\._[^/]*|\.DS_Store|Thumbs\.db|desktop\.ini)(\/|$)/

/** Codes of the errors for paths at whose end nothing is. */
const NOWHERE = ['ENOENT', 'ENOTDIR', 'ELOOP']

/** A feed's files, to be closed when they were read. */
export interface OpenedFeedSource extends FeedSource {
  /** The subfolder whose files these are; empty where they lie at the top. */
  readonly folder: string
  close(): Promise<void>
}

function refused(path: string, rule: Rule, example: string): FeedRefused {
  return new FeedRefused({ rule, file: basename(path), line: 0, example, action: 'refused_feed' })
}

/** Opens a zip or a folder. Throws FeedRefused where it is neither or holds no feed. */
export async function openFeedSource(path: string): Promise<OpenedFeedSource> {
  return findTarget(path).isDirectory() ? openFolder(path) : await openZip(path)
}

function findTarget(path: string): Stats {
  const target = followPath(path)
  if (target === undefined) throw refused(path, 'missing_feed', `there is no ${path}`)
  return target
}

/** What a path leads to; undefined where nothing is, where it leads through a file, or where links go round. */
function followPath(path: string): Stats | undefined {
  try {
    return statSync(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && NOWHERE.includes(String(error.code))) return undefined
    throw error
  }
}

/** A folder with one of these holds a feed, or what is left of one. */
const FEED_FILES = ['stops.txt', 'routes.txt', 'trips.txt']

/** The one folder that holds the feed among the paths of its files: '' where they lie at the top. */
function findFeedFolder(path: string, names: readonly string[]): string {
  const all = new Set(names)
  const isFeed = (folder: string) => FEED_FILES.some((file) => all.has(`${folder}${file}`))
  if (isFeed('')) return ''
  const folders = [...new Set(names.map((name) => name.slice(0, name.lastIndexOf('/') + 1)))].filter(isFeed)
  if (folders.length > 1)
    throw refused(path, 'several_feeds', `feeds in ${folders.sort().join(', ')}: name one of them`)
  const [folder] = folders
  if (folder !== undefined) return folder
  const inner = names.find((name) => name.toLowerCase().endsWith('.zip'))
  if (inner !== undefined) throw refused(path, 'zip_in_zip', `holds ${inner}, which must be unpacked first`)
  throw refused(path, 'missing_required_file', `holds no file of a feed, such as ${FEED_FILES.join(', ')}`)
}

/** What an entry is, behind a symbolic link too; undefined where the link leads nowhere or it is neither. */
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
    open: (name) =>
      bare.has(name) ? createReadStream(join(path, folder, name), { highWaterMark: CHUNK_BYTES }) : undefined,
    close: async () => {},
  }
}

const ZIP_OPTIONS = {
  lazyEntries: true,
  autoClose: false,
  decodeStrings: true,
  validateEntrySizes: true,
  strictFileNames: false,
}
/** What stands before an entry's content at the least: its name comes on top. */
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
        return reject(refused(path, 'too_many_entries', `more than ${MAX_ENTRIES} entries`))
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
      close: async () => zip.close(),
    }
  } catch (error) {
    zip.close()
    throw error
  }
}

/** Refuses two files of one name that differ: unpacking programs do not agree on which of them counts. */
function checkCopies(path: string, first: Entry, second: Entry): void {
  const isSame = first.crc32 === second.crc32 && first.uncompressedSize === second.uncompressedSize
  if (!isSame) throw refused(path, 'duplicate_file', `holds ${second.fileName} twice, and they differ`)
}

/** Refuses by the sizes the directory states; the reader holds every entry to them. */
function checkSizes(path: string, entries: readonly Entry[]): void {
  let total = 0
  for (const { fileName, uncompressedSize, compressedSize, generalPurposeBitFlag } of entries) {
    if ((generalPurposeBitFlag & 1) === 1) throw refused(path, 'encrypted_zip', fileName || 'a file without a name')
    if (uncompressedSize > RATIO_FREE_BYTES && uncompressedSize > compressedSize * MAX_RATIO) {
      throw refused(path, 'zip_bomb', `${fileName} unfolds ${Math.round(uncompressedSize / compressedSize)} times`)
    }
    total += uncompressedSize
  }
  if (total > MAX_DECODED_BYTES)
    throw refused(path, 'zip_bomb', `unfolds to ${total} bytes; at most ${MAX_DECODED_BYTES}`)
  checkOverlaps(path, entries)
}

/** Refuses entries that share bytes: no packing program writes them, a bomb does. */
function checkOverlaps(path: string, entries: readonly Entry[]): void {
  const byPlace = entries.toSorted((a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader)
  let end = 0
  let last = ''
  for (const { fileName, relativeOffsetOfLocalHeader, compressedSize } of byPlace) {
    if (relativeOffsetOfLocalHeader < end) throw refused(path, 'zip_bomb', `${last} and ${fileName} share bytes`)
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

/** A hash of a feed's bytes: of a zip as it is, of a folder's files with their names. Throws FeedRefused where there is none. */
export async function hashFeed(path: string): Promise<string> {
  const readFile = () => createReadStream(path, { highWaterMark: CHUNK_BYTES })
  if (!findTarget(path).isDirectory()) return await hashBytes(readFile())
  const hasher = new Bun.CryptoHasher('sha256')
  const source = openFolder(path)
  for (const name of source.names.filter((each) => each.endsWith('.txt'))) {
    // Each file by a hash of its own, so that none runs into the next.
    hasher.update(`${name}\n${await hashBytes(source.open(name) ?? [])}\n`)
  }
  return hasher.digest('hex')
}

async function hashBytes(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256')
  for await (const chunk of chunks) hasher.update(chunk)
  return hasher.digest('hex')
}
