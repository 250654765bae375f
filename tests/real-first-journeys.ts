// Requests the first journeys of real feeds from outside. The first query is sent one second after the service reports
// that it is ready; then random queries follow. No query may be refused. Run it with `QUAI_FEEDS=folder bun
// tests/real-first-journeys.ts`. Settings: QUAI_QUESTIONS, QUAI_SEED, QUAI_ONLY (a part of the name), QUAI_MOST_BYTES
// (larger feeds are skipped), QUAI_BINARY.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { buildTimetable } from '../indexes/timetable/build-timetable.ts'
import { serviceDate } from '../indexes/timetable/service-dates.ts'
import { columnArray } from '../loaders/columns.ts'
import { loadFeed } from '../loaders/gtfs/load-feed.ts'
import { textOf } from '../loaders/strings.ts'
import { openFeedSource } from '../src/sources/feed-source.ts'
import { type Dice, diceOf } from './board-questions.ts'
import { type QuaiProcess, startQuai } from './quai-process.ts'
import { REAL_FEEDS, SEED } from './size.ts'

const NETWORK = 'real'
const PAUSE_MILLIS = 1000

/** The result of checking one feed. */
export interface FirstJourneys {
  readonly firstStatus: number
  readonly firstMillis: number
  /** How many journeys the first response has. */
  readonly firstCount: number
  /** Status → number of random queries with this status. The first query is not counted. */
  readonly statuses: ReadonlyMap<number, number>
  /** How many random queries got at least one journey. */
  readonly answered: number
}

/** Serves a feed and queries it: the first query alone, then the others one after the other. */
export async function askFirstJourneys(path: string, questions: number, dice: Dice): Promise<FirstJourneys> {
  const ask = await questionsOf(path, dice)
  const service = await startQuai(path, NETWORK)
  try {
    await service.untilReady()
    await Bun.sleep(PAUSE_MILLIS)
    const started = performance.now()
    const first = await journeysOf(service, ask())
    const firstMillis = performance.now() - started
    const statuses = new Map<number, number>()
    let answered = 0
    for (let requested = 0; requested < questions; requested++) {
      const { status, count } = await journeysOf(service, ask())
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      if (count > 0) answered++
    }
    return { firstStatus: first.status, firstMillis, firstCount: first.count, statuses, answered }
  } finally {
    await service.stop()
  }
}

/**
 * Returns a function that draws queries between stops of the feed, at any hour on any day of its calendar. Only uses
 * stops with calls, if there are any.
 */
async function questionsOf(path: string, dice: Dice): Promise<() => string> {
  const source = await openFeedSource(path)
  const timetable = buildTimetable((await loadFeed(source)).feed)
  await source.close()
  const { stops, patterns, strings, meta } = timetable
  const called = [...new Set(columnArray(patterns.stopAt))]
  const ids = [...columnArray(stops.id)].map((id) => textOf(strings, id as never))
  const used = called.length > 1 ? called.map((stop) => ids[stop]) : ids
  return () => {
    const [from, to] = [dice.pick(used), dice.pick(used)].map((id) => encodeURIComponent(`${NETWORK}:stop:${id}`))
    const date = meta.dayCount === 0 ? undefined : serviceDate(timetable, dice.below(meta.dayCount))
    const hour = `${dice.below(24)}`.padStart(2, '0')
    const day = date?.replace(/(....)(..)(..)/, '$1-$2-$3')
    return `/v1/journeys?from=${from}&to=${to}${day === undefined ? '' : `&when=${day}T${hour}:00:00Z`}`
  }
}

async function journeysOf(service: QuaiProcess, path: string): Promise<{ status: number; count: number }> {
  const { status, body } = await service.request(path)
  const data: unknown = typeof body === 'object' && body !== null && 'data' in body ? body.data : undefined
  return { status, count: Array.isArray(data) ? data.length : 0 }
}

if (import.meta.main) {
  if (REAL_FEEDS === undefined) throw new Error('QUAI_FEEDS must name a folder of GTFS zips')
  const folder = REAL_FEEDS
  const questions = Number(process.env['QUAI_QUESTIONS'] ?? 200)
  const mostBytes = Number(process.env['QUAI_MOST_BYTES'] ?? Number.POSITIVE_INFINITY)
  const feeds = readdirSync(folder)
    .filter((name) => name.endsWith('.zip') && name.includes(process.env['QUAI_ONLY'] ?? ''))
    .filter((name) => statSync(join(folder, name)).size <= mostBytes)
  console.log(`seed ${SEED}, ${questions} questions per feed, ${feeds.length} feeds`)
  let failed = 0
  for (const feed of feeds) {
    const { firstStatus, firstMillis, firstCount, statuses, answered } = await askFirstJourneys(
      join(folder, feed),
      questions,
      diceOf(SEED),
    )
    const all = [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ')
    console.log(
      `${feed}: first ${firstStatus} in ${firstMillis.toFixed(0)} ms, ${firstCount} journeys; then ${all}, ${answered} with journeys`,
    )
    if (firstStatus !== 200 || statuses.has(503)) failed++
  }
  process.exit(failed > 0 ? 1 : 0)
}
