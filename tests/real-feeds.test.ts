// Compares boards of real feeds, requested over HTTP, with boards computed from the feeds' text. The whole service is
// tested, from import to response. First, tests that the check itself detects errors. Needs QUAI_FEEDS, which names a
// folder of feeds.
import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { listZoneChanges } from './board-questions.ts'
import { dedent, SMALL_FEED } from './feeds/text-feed.ts'
import { readTextBoards } from './oracles/text-boards.ts'
import { checkFeed, checkShiftedFeed, compareBoard, listRealFeeds, NETWORK } from './real-feeds.ts'
import { bySize, REAL_FEEDS, SEED, SIZE } from './size.ts'

const FEED_MILLIS = 300_000
const BOARDS_PER_FEED = bySize({ quick: 0, ci: 10, full: 100 })
/** Number of feeds: at size `ci`, only the four smallest; at size `full`, all of them. */
const FEED_COUNT = bySize({ quick: 0, ci: 4, full: Number.POSITIVE_INFINITY })

const folder = mkdtempSync(join(tmpdir(), 'quai-real-test-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
for (const [name, text] of Object.entries(SMALL_FEED)) writeFileSync(join(folder, name), dedent(text))

/** The correct response for stop CB in the small feed from 8:05 to 8:15, with changes to its first row or to `meta`. */
function answerOf(row: Record<string, unknown> = {}, meta: Record<string, unknown> = {}) {
  const first = {
    scheduled_at: '2026-03-02T08:07:30+01:00',
    trip_id: `${NETWORK}:trip:20260302:r1`,
    stop_id: `${NETWORK}:stop:CB`,
    line_id: `${NETWORK}:line:A`,
    headsign: 'Gare',
  }
  const second = {
    scheduled_at: '2026-03-02T08:10:00+01:00',
    trip_id: `${NETWORK}:trip:20260302:b1`,
    stop_id: `${NETWORK}:stop:CB`,
    line_id: `${NETWORK}:line:7`,
    headsign: 'Stade',
  }
  return { data: [{ ...first, ...row }, second], meta: { count: 2, ...meta } }
}

describe('the check', () => {
  const question = {
    id: `${NETWORK}:stop:CB`,
    stopIds: ['CB'],
    whenSeconds: Date.parse('2026-03-02T08:05:00+01:00') / 1000,
    horizonMinutes: 10,
  }
  const differenceOf = async (answer: unknown, changes: Partial<typeof question> = {}) => {
    const oracle = await readTextBoards(folder, NETWORK)
    const service = { get: async () => answer }
    return (await compareBoard(service, oracle, { ...question, ...changes })).difference
  }

  test('accepts the right answer', async () => {
    expect(await differenceOf(answerOf())).toBeUndefined()
  })

  test.each([
    ['another instant', answerOf({ scheduled_at: '2026-03-02T08:07:31+01:00' })],
    ['the right instant with a wrong offset', answerOf({ scheduled_at: '2026-03-02T07:07:30+00:00' })],
    ['another trip', answerOf({ trip_id: `${NETWORK}:trip:20260301:r1` })],
    ['another line', answerOf({ line_id: `${NETWORK}:line:7` })],
    ['another stop', answerOf({ stop_id: `${NETWORK}:stop:CA` })],
    ['another headsign', answerOf({ headsign: '' })],
    ['a wrong count', answerOf({}, { count: 3 })],
    ['another order', { ...answerOf(), data: answerOf().data.toReversed() }],
    ['one row too few', { data: answerOf().data.slice(1), meta: { count: 1 } }],
    ['one row too many', { data: [...answerOf().data, ...answerOf().data], meta: { count: 4 } }],
  ])('detects %s', async (_, answer) => {
    expect(await differenceOf(answer)).toBeString()
  })

  test('requires a reason for an empty board', async () => {
    const late = { whenSeconds: Date.parse('2026-03-02T12:00:00+01:00') / 1000 }
    expect(await differenceOf({ data: [], meta: { count: 0 } }, late)).toBeString()
    expect(await differenceOf({ data: [], meta: { count: 0, reason: 'no_more_service_today' } }, late)).toBeUndefined()
  })
})

test('clock changes are found to the second', () => {
  const at = (text: string) => Date.parse(text) / 1000
  expect(listZoneChanges('Europe/Paris', '20260101', '20261231')).toEqual([
    { seconds: at('2026-03-29T01:00:00Z'), kind: 'spring' },
    { seconds: at('2026-10-25T01:00:00Z'), kind: 'autumn' },
  ])
  expect(listZoneChanges('Asia/Tokyo', '20260101', '20261231')).toEqual([])
})

/** Chooses the feeds for this run. Prints the reason if there are none. */
function chooseFeeds(): string[] {
  if (SIZE !== 'quick' && REAL_FEEDS !== undefined && existsSync(REAL_FEEDS)) {
    const all = listRealFeeds(REAL_FEEDS)
    return all.sort((a, b) => statSync(a).size - statSync(b).size).slice(0, FEED_COUNT)
  }
  if (SIZE === 'full') console.error('left out: real feeds (QUAI_FEEDS is not set)')
  else console.error(`not run: real feeds (${SIZE === 'quick' ? 'size quick' : 'QUAI_FEEDS names no folder'})`)
  return []
}

const feeds = chooseFeeds()
const size = { boards: BOARDS_PER_FEED, seed: SEED }
const changes = { spring: 0, autumn: 0 }

for (const path of feeds) {
  test(
    `boards of ${basename(path)} over HTTP equal boards computed from its text`,
    async () => {
      const verdict = await checkFeed(path, size)
      changes.spring += verdict.changeBoards.spring
      changes.autumn += verdict.changeBoards.autumn
      expect(verdict).toMatchObject({ mismatches: 0, firstDifference: undefined })
      expect(verdict.boards).toBeGreaterThanOrEqual(BOARDS_PER_FEED)
    },
    FEED_MILLIS,
  )
}

if (feeds.length > 0) {
  test.each(['spring', 'autumn'] as const)(
    'the clock change in %s is covered, with a shifted calendar if no feed covers it',
    async (kind) => {
      for (const path of feeds) {
        if (changes[kind] > 0) break
        const verdict = await checkShiftedFeed(path, { ...size, kind })
        if (verdict === undefined) continue
        expect(verdict).toMatchObject({ mismatches: 0, firstDifference: undefined })
        changes[kind] += verdict.changeBoards[kind]
      }
      expect(changes[kind]).toBeGreaterThan(0)
    },
    FEED_MILLIS,
  )
}
