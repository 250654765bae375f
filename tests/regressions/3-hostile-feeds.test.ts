// Tests bugs that attacks on the feed reader revealed. A wrong ZIP64 record ended the process. A node with a latitude
// but no longitude was not checked. A feed's text reached the operator's terminal unescaped. A file without a header
// was reported as having duplicate columns. Each test failed before its bug was fixed.
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MAX_EXAMPLE_LENGTH } from '../../loaders/feed-problems.ts'
import { openFeedSource } from '../../src/sources/feed-source.ts'
import { smallFeed } from '../feeds/text-feed.ts'
import { added, load, numbersOf, refusalOf, replaced } from '../loaders/loaded-feed.ts'

const folder = mkdtempSync(join(tmpdir(), 'quai-hostile-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('a ZIP64 locator with an impossible offset is a broken zip', async () => {
  const bytes = Buffer.alloc(42)
  bytes.writeUInt32LE(0x07064b50, 0)
  bytes.fill(0xff, 8, 16)
  bytes.writeUInt32LE(0x06054b50, 20)
  const path = join(folder, 'far.zip')
  writeFileSync(path, bytes)
  expect(await refusalOf(openFeedSource(path))).toStartWith('far.zip:0 unreadable_zip (the zip refers to byte ')
})

test('an end-of-zip signature in the first four bytes is not the end', async () => {
  const path = join(folder, 'word.zip')
  writeFileSync(path, 'PK\x05\x06')
  expect(await refusalOf(openFeedSource(path))).toStartWith('word.zip:0 unreadable_zip ')
})

test('a latitude without a longitude is not a position', async () => {
  const { feed, reported } = await load(added('stops.txt', 'N,,Node,1e308,,3,S,,'))
  expect(reported).toEqual(['repaired stop_without_location stops.txt:8 stop_id ×1 (N)'])
  expect([numbersOf(feed.stops.lat).at(-1), numbersOf(feed.stops.lon).at(-1)]).toEqual([Number.NaN, Number.NaN])
})

test('examples are short and cannot move the cursor', async () => {
  const { problems } = await load(replaced('routes.txt', 'E10D19', `\u001b[2J\u202e${'x'.repeat(1_000)}`))
  const [example = ''] = problems.list().map((problem) => problem.example)
  expect(example).toBe(`\ufffd[2J\ufffd${'x'.repeat(MAX_EXAMPLE_LENGTH - 6)}…`)
})

test('a file without a header is reported for its missing columns', async () => {
  const rows = 'a1,08:00:00,08:00:00,G,1\na1,08:05:00,08:05:00,CA,2'
  expect(await refusalOf(smallFeed({ 'stop_times.txt': rows }))).toBe(
    'stop_times.txt:0 missing_required_column (trip_id)',
  )
})
