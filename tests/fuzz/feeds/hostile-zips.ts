// Zips that attack the reader, for example bombs and zips with wrong values. They are built byte by byte with
// zip-writer.ts, and listed by name with the expected outcome.
import { dedent, SMALL_FEED } from '../../feeds/text-feed.ts'
import { writeZip, type ZipFileEntry } from '../../feeds/zip-writer.ts'

/** The files of the small feed, optionally in a folder within the zip. */
export function feedEntries(inner = '', more: Partial<ZipFileEntry> = {}): ZipFileEntry[] {
  return Object.entries(SMALL_FEED).map(([name, text]) => ({ name: inner + name, content: dedent(text), ...more }))
}

/** A zip, and a pattern for the expected outcome of reading it: `loads`, or the rule that refuses it. */
export interface HostileZip {
  readonly bytes: Uint8Array
  readonly ends: RegExp
}

const MIB = 1024 ** 2
const END_RECORD_BYTES = 22
const END_COUNT_AT = 10
const END_DIRECTORY_SIZE_AT = 12
const END_DIRECTORY_AT = 16
const ZIP64_RECORD_BYTES = 56
const ZIP64_LOCATOR_BYTES = 20
const MAX_UINT64 = 0xffff_ffff_ffff_ffffn

const SOUND = writeZip(feedEntries())

const LOADS = /^loads$/
const BOMB = /^zip_bomb /
const UNREADABLE = /^unreadable_zip /

function concat(...pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.concat(pieces))
}

/** A zip with ZIP64 records before its end record. @param lies wrong values for the ZIP64 records */
function zip64(zip: Uint8Array, lies: { record?: bigint; directory?: bigint; count?: bigint } = {}): Uint8Array {
  const endAt = zip.length - END_RECORD_BYTES
  const end = Buffer.from(zip.subarray(endAt))
  const record = Buffer.alloc(ZIP64_RECORD_BYTES)
  record.writeUInt32LE(0x06064b50)
  record.writeBigUInt64LE(BigInt(ZIP64_RECORD_BYTES - 12), 4)
  record.writeUInt16LE(45, 12)
  record.writeUInt16LE(45, 14)
  const count = lies.count ?? BigInt(end.readUInt16LE(END_COUNT_AT))
  record.writeBigUInt64LE(count, 24)
  record.writeBigUInt64LE(count, 32)
  record.writeBigUInt64LE(BigInt(end.readUInt32LE(END_DIRECTORY_SIZE_AT)), 40)
  record.writeBigUInt64LE(lies.directory ?? BigInt(end.readUInt32LE(END_DIRECTORY_AT)), 48)
  const locator = Buffer.alloc(ZIP64_LOCATOR_BYTES)
  locator.writeUInt32LE(0x07064b50)
  locator.writeBigUInt64LE(lies.record ?? BigInt(endAt), 8)
  locator.writeUInt32LE(1, 16)
  end.writeUInt16LE(0xffff, END_COUNT_AT)
  end.writeUInt32LE(0xffff_ffff, END_DIRECTORY_AT)
  return concat(zip.subarray(0, endAt), record, locator, end)
}

/** The position in the zip at which the directory entry of a file starts. */
function directoryEntryAt(zip: Uint8Array, name: string): number {
  const signature = Buffer.from([0x50, 0x4b, 0x01, 0x02])
  const bytes = Buffer.from(zip)
  for (let at = bytes.indexOf(signature); at >= 0; at = bytes.indexOf(signature, at + 1)) {
    if (bytes.subarray(at + 46, at + 46 + bytes.readUInt16LE(at + 28)).toString() === name) return at
  }
  throw new Error(`the zip has no ${name}`)
}

/** A copy of a zip with some bytes of a file's directory entry overwritten. */
function patched(name: string, at: number, bytes: readonly number[], zip: Uint8Array = SOUND): Uint8Array {
  const changed = zip.slice()
  changed.set(bytes, directoryEntryAt(zip, name) + at)
  return changed
}

/**
 * A zip bomb in the style of David Fifield. For each added file, the directory states three times the true length of
 * the compressed data, so that the data of the file seems to overlap the data of the next files.
 */
function overlappingBomb(): Uint8Array {
  const content = new Uint8Array(9 * MIB)
  const names = Array.from({ length: 60 }, (_, i) => `${i}.txt`)
  const zip = Buffer.from(writeZip([...feedEntries(), ...names.map((name) => ({ name, content }))]))
  for (const name of names) {
    const packedBytesAt = directoryEntryAt(zip, name) + 20
    zip.writeUInt32LE(zip.readUInt32LE(packedBytesAt) * 3, packedBytesAt)
  }
  return zip
}

/** A feed in a zip in a zip, and so on. The loader unpacks only the outer zip. */
function nested(depth: number): Uint8Array {
  return depth === 0 ? SOUND : writeZip([{ name: 'gtfs.zip', content: nested(depth - 1) }])
}

function symlink(name: string, target: string): Uint8Array {
  const zip = writeZip([...feedEntries(), { name, content: target, isStored: true }])
  // First marks the entry as made on Unix, then as a symbolic link.
  const made = patched(name, 4, [20, 3], zip)
  return patched(name, 38, [0, 0, 0xff, 0xa1], made)
}

/** All hostile zips by name. */
export function listHostileZips(): Record<string, HostileZip> {
  const zeros = new Uint8Array(64 * MIB)
  const beside = (name: string, content: string | Uint8Array = 'x') => writeZip([...feedEntries(), { name, content }])
  const manyNames = (count: number) => Array.from({ length: count }, (_, i) => ({ name: `${i}`, content: '' }))
  return {
    'a bomb by its compression ratio': { bytes: beside('shapes.txt', zeros), ends: BOMB },
    'a bomb with a small stated size': {
      bytes: writeZip([...feedEntries(), { name: 'shapes.txt', content: zeros, statedBytes: 1_000 }]),
      ends: UNREADABLE,
    },
    'a bomb with a large stated compressed size': {
      bytes: writeZip([...feedEntries(), { name: 'shapes.txt', content: zeros, statedPackedBytes: 40 * MIB }]),
      ends: UNREADABLE,
    },
    'a bomb of overlapping entries': { bytes: overlappingBomb(), ends: BOMB },
    'a bomb whose entries share one content': {
      bytes: writeZip(feedEntries().map((entry, i) => ({ ...entry, isFirstAgain: i > 0 }))),
      ends: BOMB,
    },
    'ninety small bombs, none of which is read': {
      bytes: writeZip([
        ...feedEntries(),
        ...Array.from({ length: 90 }, (_, i) => ({ name: `${i}.txt`, content: zeros.subarray(0, 10 * MIB) })),
      ]),
      ends: LOADS,
    },
    'millions of rows, compressed': {
      bytes: writeZip([
        ...feedEntries().filter(({ name }) => name !== 'stop_times.txt'),
        { name: 'stop_times.txt', content: Buffer.from('trip_id,stop_sequence\n'.padEnd(64 * MIB, 'a,1\n')) },
      ]),
      ends: BOMB,
    },
    'a path that leaves the zip': { bytes: beside('../../stops.txt'), ends: UNREADABLE },
    'a path that leaves a folder': { bytes: beside('a/../../stops.txt'), ends: UNREADABLE },
    'an absolute path': { bytes: beside('/etc/stops.txt'), ends: UNREADABLE },
    'a path with a drive letter': { bytes: beside('C:\\stops.txt'), ends: UNREADABLE },
    'a path with backslashes that leaves the zip': { bytes: beside('..\\..\\stops.txt'), ends: UNREADABLE },
    'a name with NUL': { bytes: beside('stops.txt\0.png'), ends: LOADS },
    'an empty name': { bytes: beside(''), ends: LOADS },
    'a name of 60 000 letters': { bytes: beside('x'.repeat(60_000)), ends: LOADS },
    'the name of a prototype': { bytes: beside('__proto__'), ends: LOADS },
    // The link is not followed. It is read as a plain file that contains the target's path.
    'a link to a file on the machine': {
      bytes: symlink('shapes.txt', '/etc/passwd'),
      ends: /^missing_required_column shapes\.txt$/,
    },
    'a duplicate file': { bytes: beside('stops.txt', 'stop_id\nX\n'), ends: /^duplicate_file / },
    'a hundred and one entries': { bytes: writeZip(manyNames(101)), ends: /^too_many_entries / },
    'sixty thousand entries': { bytes: writeZip(manyNames(60_000)), ends: /^too_many_entries / },
    'a directory with a stated count of a trillion entries': {
      bytes: zip64(SOUND, { count: 1_000_000_000_000n }),
      ends: UNREADABLE,
    },
    'an encrypted file': { bytes: writeZip(feedEntries('', { isEncrypted: true })), ends: /^encrypted_zip / },
    'a strongly encrypted file': { bytes: patched('stops.txt', 8, [0x41, 0x08]), ends: UNREADABLE },
    'a valid ZIP64': { bytes: zip64(writeZip(feedEntries('', { isZip64: true }))), ends: LOADS },
    'a ZIP64 whose record is far away': { bytes: zip64(SOUND, { record: MAX_UINT64 }), ends: UNREADABLE },
    'a ZIP64 whose record is after the end': { bytes: zip64(SOUND, { record: 1n << 40n }), ends: UNREADABLE },
    'a ZIP64 whose directory is far away': { bytes: zip64(SOUND, { directory: MAX_UINT64 }), ends: UNREADABLE },
    'a ZIP64 whose file is far away': { bytes: patched('stops.txt', 42, [255, 255, 255, 254]), ends: UNREADABLE },
    'a ZIP64 of files of 2⁶⁴ bytes': {
      bytes: zip64(writeZip(feedEntries('', { isZip64: true, statedBytes: 2 ** 53, statedPackedBytes: 2 ** 53 }))),
      ends: /^(zip_bomb|unreadable_zip) /,
    },
    'a zip in a zip in a zip': { bytes: nested(3), ends: /^zip_in_zip / },
    'bytes after the end': { bytes: concat(SOUND, new Uint8Array(1_000_000).fill(65)), ends: LOADS },
    'more bytes after the end than are searched': {
      bytes: concat(SOUND, new Uint8Array(2_000_000).fill(65)),
      ends: UNREADABLE,
    },
    'an end record after the end': { bytes: concat(SOUND, Buffer.from('PK\x05\x06')), ends: LOADS },
    'an end record within a comment': {
      bytes: writeZip(feedEntries(), `PK\x05\x06${'\0'.repeat(18)}`),
      ends: /^missing_required_file /,
    },
    'only an end record': { bytes: SOUND.slice(-END_RECORD_BYTES), ends: UNREADABLE },
    'only the signature of an end record': { bytes: Buffer.from('PK\x05\x06'), ends: UNREADABLE },
    'a wrong checksum': { bytes: writeZip(feedEntries('', { statedCrc: 1 })), ends: UNREADABLE },
    'a file that is not a zip': { bytes: Buffer.from('<!doctype html>'), ends: UNREADABLE },
    'an empty file': { bytes: new Uint8Array(0), ends: UNREADABLE },
    'two feeds': { bytes: writeZip([...feedEntries('a/'), ...feedEntries('b/')]), ends: /^several_feeds / },
    'an unknown compression method': { bytes: patched('stops.txt', 10, [99, 0]), ends: UNREADABLE },
    'a wrong compression method': { bytes: patched('stops.txt', 10, [0, 0]), ends: UNREADABLE },
    'invalid compressed bytes': {
      bytes: (() => {
        const zip = SOUND.slice()
        zip.fill(0xff, 60, 140)
        return zip
      })(),
      ends: UNREADABLE,
    },
  }
}

/** Copies of a valid zip, cut off at `count` different positions. */
export function listTruncatedZips(count: number): readonly Uint8Array[] {
  return Array.from({ length: count }, (_, i) => SOUND.slice(0, Math.floor((SOUND.length * i) / count)))
}
