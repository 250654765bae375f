// Tests zips and files that attack the reader: bombs, paths outside the zip, links, wrong sizes and positions, endless
// fields and rows. Separate processes read these files, and report the time and memory that reading took. Fails if a
// process crashes, takes too long, needs over 64 MiB more than for a valid feed, or leaves a file behind.
import { afterAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dedent, SMALL_FEED } from '../../feeds/text-feed.ts'
import { writeZip } from '../../feeds/zip-writer.ts'
import { bySize } from '../../size.ts'
import { feedEntries, listHostileZips, listTruncatedZips } from './hostile-zips.ts'
import type { ChildReport, ReadingOutcome } from './reading-child.ts'

const MIB = 1024 ** 2
const MOST_GROWTH_BYTES = 64 * MIB
const MOST_MILLIS = bySize({ quick: 5_000, ci: 5_000, full: 1_000 })
const ENDLESS_ROWS = bySize({ quick: 1_000_000, ci: 10_000_000, full: 100_000_000 })

const folder = mkdtempSync(join(tmpdir(), 'quai-attacks-'))
afterAll(() => rmSync(folder, { recursive: true }))
const zips = join(folder, 'zips')
/** The working directory of the child processes. If a child process unpacked a file, the file would be here. */
const room = join(folder, 'room')
mkdirSync(zips)
mkdirSync(room)

function writeFeed(name: string, bytes: Uint8Array): string {
  const path = join(zips, `${name.replaceAll(/\W/g, '-')}.zip`)
  writeFileSync(path, bytes)
  return path
}

/** Reads feeds one after the other in a separate process. */
async function readInChild(...feeds: readonly string[]): Promise<ChildReport> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'reading-child.ts'), ...feeds], {
    cwd: room,
    env: { ...process.env, TMPDIR: room },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [reported, faults, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  if (code !== 0) throw new Error(`the process that read ${feeds.join(', ')} ended with ${code}: ${faults}`)
  return JSON.parse(reported) as ChildReport
}

const sound = writeFeed('sound', writeZip(feedEntries()))
/** The peak memory in bytes of a process that reads a valid feed. */
const baseline = (await readInChild(sound, sound)).peakBytes

async function readAlone(feed: string): Promise<ReadingOutcome & { readonly growthBytes: number }> {
  const { outcomes, peakBytes } = await readInChild(feed)
  const [outcome] = outcomes
  if (outcome === undefined) throw new Error('the process reported no feed')
  return { ...outcome, growthBytes: peakBytes - baseline }
}

function expectBounded(outcome: { readonly millis: number; readonly growthBytes: number }, millis = MOST_MILLIS): void {
  expect(outcome.growthBytes).toBeLessThan(MOST_GROWTH_BYTES)
  expect(outcome.millis).toBeLessThan(millis)
}

describe('a malicious zip is rejected, or read as what it declares', () => {
  const attacks = Object.entries(listHostileZips())

  test('one after another, in one process whose memory does not grow', async () => {
    const paths = attacks.map(([name, { bytes }]) => writeFeed(name, bytes))
    const { outcomes, peakBytes } = await readInChild(...paths)
    const wrong = outcomes.flatMap(({ outcome, example, millis }, i) => {
      const [name, { ends }] = attacks[i] ?? ['', { ends: /^$/ }]
      const isRight = ends.test(outcome) && millis < MOST_MILLIS
      return isRight ? [] : [`${name}: ${outcome} (${example}) after ${millis} ms, not ${ends}`]
    })
    expect(wrong).toEqual([])
    expect(outcomes.length).toBe(attacks.length)
    expect(peakBytes - baseline).toBeLessThan(MOST_GROWTH_BYTES)
  })

  test('a zip truncated at any of 50 points', async () => {
    const paths = listTruncatedZips(50).map((bytes, i) => writeFeed(`cut ${i}`, bytes))
    const { outcomes } = await readInChild(...paths)
    expect(outcomes.length).toBe(50)
    expect(outcomes.filter(({ outcome }) => !outcome.startsWith('unreadable_zip '))).toEqual([])
    expect(outcomes.filter(({ millis }) => millis > MOST_MILLIS)).toEqual([])
  })

  test('a large zip with trailing bytes is not read whole', async () => {
    // The file is stored without compression, so that the zip is as large as its content. If the process read the whole
    // zip into memory, its peak memory would be too high.
    const notes = {
      name: 'notes.txt',
      content: new Uint8Array(bySize({ quick: 96, ci: 300, full: 500 }) * MIB),
      isStored: true,
    }
    const path = writeFeed('large', Buffer.concat([writeZip([...feedEntries(), notes]), Buffer.alloc(5_000, 10)]))
    const outcome = await readAlone(path)
    rmSync(path)
    expect(outcome.outcome).toBe('loads')
    expectBounded(outcome)
  })
})

describe('an endless file', () => {
  const refused: Record<string, RegExp> = {
    field: /^csv_parsing_failed stops\.txt$/,
    quote: /^csv_parsing_failed stops\.txt$/,
    line: /^csv_parsing_failed stop_times\.txt$/,
    header: /^csv_parsing_failed shapes\.txt$/,
    nul: /^csv_parsing_failed trips\.txt$/,
    'agencies-100000000': /^too_many_rows agency\.txt$/,
  }
  for (const [name, why] of Object.entries(refused)) {
    test(`${name} is rejected`, async () => {
      const outcome = await readAlone(`endless:${name}`)
      expect(outcome.outcome).toMatch(why)
      expectBounded(outcome)
    })
  }

  test(`${ENDLESS_ROWS} rows without a trip are read and dropped in no more memory than a few`, async () => {
    const outcome = await readAlone(`endless:rows-${ENDLESS_ROWS}`)
    expect([outcome.outcome, outcome.dropped >= ENDLESS_ROWS]).toEqual(['loads', true])
    expectBounded(outcome, 5_000 + ENDLESS_ROWS / 500)
  }, 300_000)
})

describe('an unusual encoding', () => {
  const encoder = new TextEncoder()
  const stops = dedent(SMALL_FEED['stops.txt'] ?? '')
  const utf16 = Buffer.from(stops, 'utf16le')
  const wide = (count: number) =>
    stops
      .split('\n')
      .map((line, i) => (i === 0 ? [line, ...Array.from({ length: count }, (_, k) => `c${k}`)].join(',') : line))
  const cases: Record<string, [bytes: Uint8Array, ends: RegExp]> = {
    'a byte-order mark': [encoder.encode(`\ufeff${stops}`), /^loads$/],
    CRLF: [encoder.encode(stops.replaceAll('\n', '\r\n')), /^loads$/],
    'CR alone': [encoder.encode(stops.replaceAll('\n', '\r')), /^loads$/],
    'NUL within a name': [encoder.encode(stops.replace('Gare', 'G\0re')), /^loads$/],
    'a quote that is never closed': [encoder.encode(stops.replace('Gare', '"Gare')), /^csv_parsing_failed stops\.txt$/],
    'UTF-16 with a byte-order mark': [
      Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]),
      /^csv_parsing_failed stops\.txt$/,
    ],
    'UTF-16 without': [utf16, /^csv_parsing_failed stops\.txt$/],
    'UTF-16, big-endian': [Buffer.from(utf16).swap16(), /^csv_parsing_failed stops\.txt$/],
    'UTF-8 and Latin-1 in one file': [
      Buffer.concat([encoder.encode(stops), Buffer.from('Z,1,Café,48.58,7.75,0,,,\n', 'latin1')]),
      /^loads$/,
    ],
    'ten thousand columns': [encoder.encode(wide(10_000).join('\n')), /^csv_parsing_failed stops\.txt$/],
    'five hundred columns': [encoder.encode(wide(500).join('\n')), /^loads$/],
  }

  test('is repaired or rejected', async () => {
    const paths = Object.entries(cases).map(([name, [bytes]]) => {
      const entries = feedEntries().map((entry) => (entry.name === 'stops.txt' ? { ...entry, content: bytes } : entry))
      return writeFeed(name, writeZip(entries))
    })
    const { outcomes, peakBytes } = await readInChild(...paths)
    const ends = outcomes.map(({ outcome }) => outcome)
    const wrong = Object.entries(cases).filter(([, [, how]], i) => !how.test(ends[i] ?? ''))
    expect(wrong.map(([name]) => name)).toEqual([])
    expect(peakBytes - baseline).toBeLessThan(MOST_GROWTH_BYTES)
  })
})

test('nothing is written to disk', () => {
  expect(readdirSync(room)).toEqual([])
})
