// Tests reading a feed's files from zips and folders. Hostile or broken sources must be refused, with a reason. Fails
// if any byte changes on the way, or if a fault is accepted.
import { afterAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { FeedRefused } from '../../loaders/feed-problems.ts'
import { loadFeed } from '../../loaders/gtfs/load-feed.ts'
import { hashFeed, MAX_ENTRIES, type OpenedFeedSource, openFeedSource } from '../../src/sources/feed-source.ts'
import { dedent, SMALL_FEED } from '../feeds/text-feed.ts'
import { writeZip, type ZipFileEntry } from '../feeds/zip-writer.ts'

const folder = mkdtempSync(join(tmpdir(), 'quai-feed-source-'))
afterAll(() => rmSync(folder, { recursive: true }))
let made = 0

/** The files of the small feed, optionally in a folder inside the zip. */
function feedEntries(inner = '', more: Partial<ZipFileEntry> = {}): ZipFileEntry[] {
  return Object.entries(SMALL_FEED).map(([name, text]) => ({ name: inner + name, content: dedent(text), ...more }))
}

function writeFile(bytes: Uint8Array): string {
  const path = join(folder, `feed-${made++}.zip`)
  writeFileSync(path, bytes)
  return path
}

const zipOf = (...entries: readonly ZipFileEntry[]) => writeFile(writeZip(entries))

/** Creates a folder with these files, which are given by their paths in it; returns the folder's path. */
function folderOf(files: Readonly<Record<string, string>>): string {
  const path = join(folder, `feed-${made++}`)
  mkdirSync(path)
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true })
    writeFileSync(join(path, name), text)
  }
  return path
}

const filesOf = (entries: readonly ZipFileEntry[]) =>
  Object.fromEntries(entries.map(({ name, content }) => [name, String(content)]))

async function withSource<T>(path: string, use: (source: OpenedFeedSource) => Promise<T>): Promise<T> {
  const source = await openFeedSource(path)
  try {
    return await use(source)
  } finally {
    await source.close()
  }
}

async function textOf(source: OpenedFeedSource, name: string): Promise<string | undefined> {
  const chunks = source.open(name)
  return chunks === undefined ? undefined : Buffer.concat(await Array.fromAsync(chunks)).toString()
}

/** The source's inner folder, and the contents of all files that the source lists. */
async function contentsOf(path: string) {
  return await withSource(path, async (source) => {
    const files: Record<string, string | undefined> = {}
    for (const name of source.names) files[name] = await textOf(source, name)
    return { folder: source.folder, files }
  })
}

/** Why a feed is refused, as `rule (example)`, either when it is opened or when its files are read. */
async function refusalOf(path: string): Promise<string> {
  try {
    await contentsOf(path)
  } catch (error) {
    if (!(error instanceof FeedRefused)) throw error
    return `${error.problem.rule} (${error.problem.example})`
  }
  return 'not refused'
}

const CONTENTS = filesOf(feedEntries())

describe('a valid zip yields its files', () => {
  const zips: Record<string, Uint8Array> = {
    deflated: writeZip(feedEntries()),
    stored: writeZip(feedEntries('', { isStored: true })),
    'with sizes after the files': writeZip(feedEntries('', { hasDescriptor: true })),
    'with sizes in 64 bits': writeZip(feedEntries('', { isZip64: true })),
    'with a comment': writeZip(feedEntries(), 'made by hand'),
    'with entries for folders': writeZip([{ name: 'extra/', content: '' }, ...feedEntries()]),
    'with files that macOS adds': writeZip([
      { name: '__MACOSX/._stops.txt', content: 'x' },
      { name: '__MACOSX/gtfs/stops.txt', content: 'x' },
      { name: '.DS_Store', content: 'x' },
      ...feedEntries(),
    ]),
    'with bytes after its end': new Uint8Array([...writeZip(feedEntries()), ...new Uint8Array(5_000).fill(10)]),
    'with a comment and bytes after its end': new Uint8Array([...writeZip(feedEntries(), 'made by hand'), 10, 10]),
  }
  for (const [what, bytes] of Object.entries(zips)) {
    test(what, async () => expect(await contentsOf(writeFile(bytes))).toEqual({ folder: '', files: CONTENTS }))
  }

  test('in any order, even at the same time; missing files are undefined', async () => {
    await withSource(zipOf(...feedEntries()), async (source) => {
      const [trips, stops] = await Promise.all([textOf(source, 'trips.txt'), textOf(source, 'stops.txt')])
      expect([trips, stops]).toEqual([CONTENTS['trips.txt'], CONTENTS['stops.txt']])
      expect(source.open('shapes.txt')).toBeUndefined()
      expect(source.open('../stops.txt')).toBeUndefined()
      expect(await textOf(source, 'stops.txt')).toBe(CONTENTS['stops.txt'])
    })
  })

  test('which load as a feed', async () => {
    const { feed, problems } = await withSource(zipOf(...feedEntries()), loadFeed)
    expect([feed.trips.count, feed.calls.count, problems.list()]).toEqual([7, 19, []])
  })

  test('a file of many chunks is read to its end', async () => {
    const long = Array.from({ length: 300_000 }, (_, i) => `line ${i * 7919}`).join('\n')
    const path = zipOf(...feedEntries(), { name: 'shapes.txt', content: long })
    await withSource(path, async (source) => {
      const chunks = await Array.fromAsync(source.open('shapes.txt') ?? [])
      expect(chunks.length).toBeGreaterThan(1)
      expect(Buffer.concat(chunks).toString() === long).toBe(true)
    })
  })
})

describe('a folder', () => {
  test('yields its files', async () => {
    expect(await contentsOf(folderOf(CONTENTS))).toEqual({ folder: '', files: CONTENTS })
  })

  test('is entered one level deep', async () => {
    const path = folderOf({ 'read me.md': 'x', ...filesOf(feedEntries('gtfs/')) })
    expect(await contentsOf(path)).toEqual({ folder: 'gtfs/', files: CONTENTS })
  })

  test('may have links to files and folders; a broken link is ignored', async () => {
    const target = folderOf(CONTENTS)
    const path = folderOf({})
    symlinkSync(target, join(path, 'current'))
    symlinkSync(join(target, 'gone.txt'), join(path, 'gone.txt'))
    expect(await contentsOf(path)).toEqual({ folder: 'current/', files: CONTENTS })
  })

  test('may have a link to itself', async () => {
    const path = folderOf(CONTENTS)
    symlinkSync('loop', join(path, 'loop'))
    expect(await contentsOf(path)).toEqual({ folder: '', files: CONTENTS })
  })
})

describe('a feed folder in a zip', () => {
  test('is entered, and other text files are ignored', async () => {
    const path = zipOf({ name: 'license.txt', content: 'free' }, ...feedEntries('city/gtfs/'))
    expect(await contentsOf(path)).toEqual({ folder: 'city/gtfs/', files: CONTENTS })
  })

  test('is ignored if there is a feed at the top', async () => {
    const path = zipOf(...feedEntries(), ...feedEntries('old/', { content: 'x' }))
    expect(await contentsOf(path)).toEqual({ folder: '', files: CONTENTS })
  })

  test('is found if paths have backslashes', async () => {
    expect(await contentsOf(zipOf(...feedEntries('gtfs\\')))).toEqual({ folder: 'gtfs/', files: CONTENTS })
  })
})

describe('a file that is in a zip twice', () => {
  const stops = { name: 'stops.txt', content: dedent(SMALL_FEED['stops.txt'] ?? '') }

  test('is rejected if the two differ: programs disagree on which one counts', async () => {
    const path = zipOf(...feedEntries(), { ...stops, content: `${stops.content}X,,Elsewhere,48.5,7.7,0,,,\n` })
    expect(await refusalOf(path)).toBe('duplicate_file (contains stops.txt twice, with different content)')
  })

  test('is one file if the two are equal', async () => {
    expect((await contentsOf(zipOf(...feedEntries(), stops))).files).toEqual(CONTENTS)
  })
})

describe('a source that is not a feed is rejected', () => {
  const zip = writeZip(feedEntries())
  const notAZip = 'End of central directory record signature not found. Either not a zip file, or file is truncated.'
  const refused: Record<string, [path: () => string, why: string | RegExp]> = {
    'two feeds in a zip': [
      () => zipOf(...feedEntries('b/'), ...feedEntries('a/')),
      'several_feeds (contains feeds in a/, b/; use the path of one of them)',
    ],
    'two feeds in a folder': [
      () => folderOf(filesOf([...feedEntries('b/'), ...feedEntries('a/')])),
      'several_feeds (contains feeds in a/, b/; use the path of one of them)',
    ],
    'a zip in a zip': [
      () => zipOf({ name: 'gtfs.zip', content: zip }),
      'zip_in_zip (contains gtfs.zip, which must be unpacked first)',
    ],
    'an empty zip': [() => zipOf(), /^missing_required_file /],
    'a zip of something else': [() => zipOf({ name: 'notes.txt', content: 'x' }), /^missing_required_file /],
    'an empty folder': [() => folderOf({}), /^missing_required_file /],
    'a folder two levels deep': [() => folderOf(filesOf(feedEntries('a/b/'))), /^missing_required_file /],
    'an empty file': [() => writeFile(new Uint8Array(0)), /^unreadable_zip /],
    'a web page': [() => writeFile(Buffer.from('<!doctype html><title>503')), `unreadable_zip (${notAZip})`],
    'a zip truncated in its files': [() => writeFile(zip.slice(0, 300)), `unreadable_zip (${notAZip})`],
    'a zip truncated in its directory': [() => writeFile(zip.slice(0, -40)), `unreadable_zip (${notAZip})`],
    'a zip without its beginning': [() => writeFile(zip.slice(200)), /^unreadable_zip /],
    'an encrypted zip': [() => zipOf(...feedEntries('', { isEncrypted: true })), 'encrypted_zip (agency.txt)'],
    'a wrong checksum': [
      () => zipOf(...feedEntries('', { statedCrc: 7 })),
      'unreadable_zip (agency.txt: its checksum does not match)',
    ],
    'a file larger than the directory states': [
      () => zipOf(...feedEntries('', { statedBytes: 20 })),
      /^unreadable_zip \(agency\.txt: too many bytes/,
    ],
    'a file smaller than the directory states': [
      () => zipOf(...feedEntries('', { statedBytes: 5_000 })),
      /^unreadable_zip \(agency\.txt: not enough bytes/,
    ],
    'a path that leaves the zip': [
      () => zipOf(...feedEntries(), { name: '../../stops.txt', content: 'x' }),
      'unreadable_zip (invalid relative path: ../../stops.txt)',
    ],
    'an absolute path': [
      () => zipOf(...feedEntries(), { name: '/etc/stops.txt', content: 'x' }),
      'unreadable_zip (absolute path: /etc/stops.txt)',
    ],
    'too many entries': [
      () => zipOf(...Array.from({ length: MAX_ENTRIES + 1 }, (_, i) => ({ name: `${i}.txt`, content: '' }))),
      `too_many_entries (the zip has more than ${MAX_ENTRIES} entries)`,
    ],
  }
  for (const [what, [path, why]] of Object.entries(refused)) {
    test(what, async () => {
      if (typeof why === 'string') expect(await refusalOf(path())).toBe(why)
      else expect(await refusalOf(path())).toMatch(why)
    })
  }

  test('a missing path', async () => {
    const path = join(folder, 'nothing.zip')
    expect(await refusalOf(path)).toBe(`missing_feed (${path} does not exist)`)
    expect(await refusalOf(join(zipOf(...feedEntries()), 'gtfs'))).toStartWith('missing_feed ')
  })

  test('a zip with any one wrong byte is read unchanged, or rejected', async () => {
    const whole = writeZip(feedEntries('', { isStored: true }))
    const texts = new Set(Object.values(CONTENTS))
    const path = join(folder, 'damaged.zip')
    const wrong: string[] = []
    for (let at = 0; at < whole.length; at += 3) {
      const damaged = whole.slice()
      damaged[at] = whole[at] ^ 0x15
      writeFileSync(path, damaged)
      try {
        const { files } = await contentsOf(path)
        // If the damaged byte is in a file's name, the file is found under another name, but its content must be
        // unchanged.
        const isAsWas = Object.values(files).every((text) => text !== undefined && texts.has(text))
        if (!isAsWas) wrong.push(`byte ${at}`)
      } catch (error) {
        if (!(error instanceof FeedRefused)) wrong.push(`byte ${at}: ${error}`)
      }
    }
    expect(wrong).toEqual([])
  })
})

describe('a zip bomb', () => {
  const zeros = new Uint8Array(11 * 1024 ** 2)

  test('of one file is rejected by its stated size', async () => {
    expect(await refusalOf(zipOf(...feedEntries(), { name: 'shapes.txt', content: zeros }))).toMatch(
      /^zip_bomb \(shapes\.txt unpacks to \d{3,} times its size; at most \d+ times is allowed\)$/,
    )
  })

  test('that understates its size is rejected while reading', async () => {
    const liar = { name: 'shapes.txt', content: zeros, statedBytes: 100 }
    expect(await refusalOf(zipOf(...feedEntries(), liar))).toMatch(/^unreadable_zip \(shapes\.txt: too many bytes/)
  })

  test('of many files is rejected by their total', async () => {
    const parts = ['shapes.txt', 'levels.txt', 'areas.txt'].map((name) => ({
      name,
      content: 'x',
      statedBytes: 2 * 1024 ** 3,
      statedPackedBytes: 1024 ** 3,
    }))
    expect(await refusalOf(zipOf(...feedEntries(), ...parts))).toMatch(/^zip_bomb \(unpacks to 6442\d{6} bytes/)
  })

  test('of files that share their bytes is rejected', async () => {
    const shared = feedEntries('', { content: CONTENTS['agency.txt'] ?? '' })
    const path = zipOf(...shared.map((entry, i) => ({ ...entry, isFirstAgain: i > 0 })))
    expect(await refusalOf(path)).toBe('zip_bomb (the data of agency.txt and stops.txt overlaps)')
  })

  test('a small file may have any compression ratio', async () => {
    const path = zipOf(...feedEntries(), { name: 'shapes.txt', content: zeros.subarray(0, 9 * 1024 ** 2) })
    expect(await refusalOf(path)).toBe('not refused')
  })
})

test('nothing is written next to a zip', async () => {
  const path = join(folder, 'alone')
  mkdirSync(path)
  writeFileSync(join(path, 'feed.zip'), writeZip(feedEntries()))
  await contentsOf(join(path, 'feed.zip'))
  expect(readdirSync(path)).toEqual(['feed.zip'])
})

describe('a feed hash', () => {
  test('is the hash of the zip’s bytes', async () => {
    const bytes = writeZip(feedEntries())
    const expected = new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
    expect([await hashFeed(writeFile(bytes)), await hashFeed(writeFile(bytes))]).toEqual([expected, expected])
  })

  test('of a folder changes with its files and their names, not with dates or other files', async () => {
    const path = folderOf(CONTENTS)
    const before = await hashFeed(path)
    utimesSync(join(path, 'stops.txt'), 1, 1)
    writeFileSync(join(path, 'notes.md'), 'x')
    expect([await hashFeed(path), await hashFeed(folderOf(CONTENTS))]).toEqual([before, before])
    writeFileSync(join(path, 'stops.txt'), `${CONTENTS['stops.txt']}X,,X,1,2,,,,\n`)
    expect(await hashFeed(path)).not.toBe(before)
  })

  test('of a folder depends on where files end', async () => {
    const one = await hashFeed(folderOf({ 'stops.txt': '1trips.txt\n2' }))
    const two = await hashFeed(folderOf({ 'stops.txt': '1', 'trips.txt': '2' }))
    expect(one).not.toBe(two)
  })

  test('of a missing path fails', async () => {
    expect(hashFeed(join(folder, 'nothing'))).rejects.toThrow(FeedRefused)
  })
})
