// Real feeds, served. Under test: the whole way from a zip to a board over HTTP, against the feed's text read naively:
// same trips, same instants, same order, also within an hour of both changes of the clocks. Runs where QUAI_FEEDS names
// a folder of feeds; on the binary where QUAI_BINARY names one.
import { expect, test } from 'bun:test'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { makeConfig, type RunningService, runCommand, startService } from '../../bench/service.ts'
import { openFeedSource } from '../../src/feed-source.ts'
import { noonOf, type OracleFeed, type OracleRow, readBoard, readOracleFeed } from '../oracles/board-oracle.ts'
import { bySize, REAL_FEEDS, SEED, SIZE } from '../size.ts'
import { mulberry } from './mulberry.ts'

const FILES = ['agency', 'routes', 'trips', 'stop_times', 'stops', 'calendar', 'calendar_dates', 'frequencies']
const BOARDS_PER_FEED = bySize({ quick: 20, ci: 15, full: 100 })
const FEED_MILLIS = 300_000
const HOUR = 3600
const BOARD_LIMIT = 50
/** The large feeds take the oracle half a minute each. */
const LARGE = /^mta-bus/

const all =
  REAL_FEEDS === undefined
    ? []
    : readdirSync(REAL_FEEDS)
        .filter((name) => name.endsWith('.zip'))
        .sort()
const feeds = SIZE === 'full' ? all : all.filter((name) => !LARGE.test(name))
if (REAL_FEEDS === undefined) console.log('not run: boards of real feeds (QUAI_FEEDS names no folder)')

interface Question {
  readonly id: string
  readonly stopIds: readonly string[]
  readonly fromSeconds: number
  readonly horizonMinutes: number
}

test.each(feeds)(
  'boards of %s, served, equal those read from its text',
  async (name) => {
    const path = join(REAL_FEEDS ?? '', name)
    const texts = await readTexts(path)
    const oracle = readOracleFeed(texts)
    const { folder, file } = makeConfig(path)
    await runCommand(['import', '--config', file])
    const service = await startService(file, { clock: '2026-01-01T00:00:00Z,x0', workers: 1, port: 18_400 })
    try {
      const chance = mulberry(SEED)
      const questions = await listQuestions(oracle, { texts, service, chance })
      let rows = 0
      for (const question of questions) rows += await compare(service, oracle, question)
      console.log(`${name}: ${questions.length} boards, ${rows} rows`)
      if (SIZE === 'full' && oracle.trips.some((trip) => trip.calls.length > 1)) expect(rows).toBeGreaterThan(0)
    } finally {
      await service.stop()
      rmSync(folder, { recursive: true })
    }
  },
  FEED_MILLIS,
)

async function readTexts(path: string): Promise<Record<string, string>> {
  const source = await openFeedSource(path)
  const texts: Record<string, string> = {}
  for (const file of FILES) {
    const chunks = source.open(`${file}.txt`)
    if (chunks === undefined) continue
    const decoder = new TextDecoder()
    const parts: string[] = []
    for await (const chunk of chunks) parts.push(decoder.decode(chunk, { stream: true }))
    texts[`${file}.txt`] = parts.join('') + decoder.decode()
  }
  await source.close()
  return texts
}

/** Stops that are called at, some areas, and some stops that nothing calls at; at all hours, and around changes of the clocks. */
async function listQuestions(
  oracle: OracleFeed,
  from: { readonly texts: Record<string, string>; readonly service: RunningService; readonly chance: () => number },
): Promise<Question[]> {
  const { service, chance } = from
  const pick = <T>(list: readonly T[]): T => list[Math.floor(chance() * list.length)] as T
  const called = [...new Set(oracle.trips.flatMap((trip) => trip.calls.map((call) => call.stop)))].sort()
  const listed = await listPages(service, '/v1/networks/net/stops')
  const areas = listed.filter((each) => each.kind === 'area' && each.children.length > 0)
  const stops = listed.filter((each) => each.kind === 'stop').map((each) => localId(each.id))
  const dates = [...oracle.days].filter(([, services]) => services.size > 0).map(([date]) => date)
  const changes = dates.flatMap((date) => clockChanges(oracle.zone, date))
  const questions: Question[] = []
  for (let i = 0; i < BOARDS_PER_FEED; i++) {
    const area = i % 5 === 4 && areas.length > 0 ? pick(areas) : undefined
    const stop = i % 20 === 7 || called.length === 0 ? pick(stops) : pick(called)
    const zero = noonOf(oracle.zone, pick(dates.length > 0 ? dates : ['20260101'])) - 12 * HOUR
    const change = i % 4 === 3 && changes.length > 0 ? pick(changes) : undefined
    const isNight = i % 6 === 1
    questions.push({
      id: area?.id ?? `net:stop:${stop}`,
      stopIds: area === undefined ? [stop] : area.children.map(localId),
      fromSeconds: Math.floor(
        change === undefined
          ? zero + (isNight ? 22 + 7 * chance() : 5 + 16 * chance()) * HOUR
          : change - HOUR + 2 * HOUR * chance(),
      ),
      horizonMinutes: pick([5, 60, 180, 180]),
    })
  }
  return questions
}

interface Listed {
  readonly id: string
  readonly kind: string
  readonly children: readonly string[]
}

async function listPages(service: RunningService, path: string): Promise<Listed[]> {
  const all: Listed[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { data, meta } = await ask(service, `${path}?limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`)
    all.push(...data)
    cursor = meta.next_cursor
  }
  return all
}

// biome-ignore lint/suspicious/noExplicitAny: an answer is looked into as JSON of any shape.
async function ask(service: RunningService, path: string): Promise<any> {
  const answer = await fetch(service.base + path, { headers: { authorization: `Bearer ${service.key}` } })
  const body = await answer.json()
  if (answer.status !== 200) throw new Error(`${path} answers ${answer.status}: ${JSON.stringify(body)}`)
  return body
}

const localId = (id: string) => id.split(':').slice(2).join(':')

/** Asks for the board and compares it; how many rows it has. */
async function compare(service: RunningService, oracle: OracleFeed, question: Question): Promise<number> {
  const { id, stopIds, fromSeconds, horizonMinutes } = question
  const when = new Date(fromSeconds * 1000).toISOString().replace('.000Z', 'Z')
  const query = `when=${when}&horizon=${horizonMinutes}&limit=${BOARD_LIMIT}`
  const { data, meta } = await ask(service, `/v1/stops/${encodeURIComponent(id)}/departures?${query}`)
  const board = data.map((row: { stop_id: string; trip_id: string; scheduled_at: string }) => ({
    stop: localId(row.stop_id),
    trip: localId(row.trip_id),
    seconds: Date.parse(row.scheduled_at) / 1000,
  }))
  const window = { fromSeconds, toSeconds: fromSeconds + horizonMinutes * 60, limit: BOARD_LIMIT }
  const expected = readBoard(oracle, { stopIds, ...window }).map(({ stop, trip, seconds }: OracleRow) => ({
    stop,
    trip,
    seconds,
  }))
  expect({ question: { id, query }, board }).toEqual({ question: { id, query }, board: expected })
  expect(meta.reason === undefined).toBe(board.length > 0)
  return board.length
}

function utcMidnight(date: string): number {
  return Date.UTC(Number(date.slice(0, 4)), Number(date.slice(4, 6)) - 1, Number(date.slice(6))) / 1000
}

/** The instants of a date on which its zone's clock is put forward or back. */
function clockChanges(zone: string, date: string): number[] {
  const offsetAt = (seconds: number) =>
    new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' })
      .formatToParts(seconds * 1000)
      .find((part) => part.type === 'timeZoneName')?.value
  const first = utcMidnight(date)
  if (offsetAt(first) === offsetAt(first + 24 * HOUR)) return []
  const changes: number[] = []
  for (let at = first; at < first + 24 * HOUR; at += HOUR / 2) {
    if (offsetAt(at) !== offsetAt(at + HOUR / 2)) changes.push(at + HOUR / 2)
  }
  return changes
}
