// Tests explained boards, which tell for each call around a board whether the board shows it and, if not, why. The
// calls that are explained as shown must be the rows of the board, in order. Every other call must have exactly one
// reason, the correct one. Fails if a reason contradicts the feed's files or live updates, if a call is missing, if a
// hidden call has no reason, or if a shown call has a reason.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { explainBoard, HIDDEN_REASONS } from '../../../indexes/explain/explain-board.ts'
import type { BoardQuery } from '../../../indexes/timetable/boards.ts'
import { findLine } from '../../../indexes/timetable/lines.ts'
import { findStop } from '../../../indexes/timetable/stops.ts'
import type { LineIndex, StopIndex, Timetable } from '../../../indexes/timetable/timetable.ts'
import { tripRef } from '../../../indexes/timetable/trips.ts'
import { noonOf, type OracleQuery, readOracleFeed } from '../../oracles/board-oracle.ts'
import { readReasons } from '../../oracles/board-reasons.ts'
import { bySize, SEED } from '../../size.ts'
import { timetableOf } from '../built-feed.ts'
import { randomFeed, randomQuestion } from '../random-feed.ts'
import { checkLiveBoard, randomReports, withStation } from './live-board-check.ts'
import { holdNamedCalls } from './named-calls-check.ts'

const RUNS = bySize({ quick: 150, ci: 1_500, full: 20_000 })
const LOOK_SECONDS = 3 * 3600
const MILLIS = bySize({ quick: 30_000, ci: 90_000, full: 900_000 })

/**
 * The oracle's query with row numbers instead of ids. Leaves out lines without trips, because the timetable does not
 * have them.
 */
function toQuery(timetable: Timetable, query: OracleQuery): BoardQuery {
  const { stopIds, routeIds, directionId, ...window } = query
  const known = <Found>(found: readonly (Found | undefined)[]) => found.filter((each) => each !== undefined)
  return {
    ...window,
    stops: known<StopIndex>(stopIds.map((id) => findStop(timetable, id))),
    lines: routeIds && new Set(known<LineIndex>(routeIds.map((id) => findLine(timetable, id)))),
    directionId: directionId === undefined ? undefined : Number(directionId),
  }
}

/** The query of a random question about a feed, with its times in seconds after 1970. */
function queryOf(
  zone: string,
  date: string,
  { from, length, ...rest }: { from: number; length: number } & Omit<OracleQuery, 'fromSeconds' | 'toSeconds'>,
): OracleQuery {
  const fromSeconds = noonOf(zone, date.replaceAll('-', '')) + from
  return { ...rest, fromSeconds, toSeconds: fromSeconds + Math.min(length, 86_400) }
}

describe('a board is explained', () => {
  test(
    'from the text of its feed',
    async () => {
      await fc.assert(
        fc.asyncProperty(
          randomFeed,
          fc.array(randomQuestion, { minLength: 1, maxLength: 4 }),
          async (feed, questions) => {
            const timetable = await timetableOf(feed.files)
            const oracle = readOracleFeed(feed.files)
            const { firstDay, dayCount } = timetable.meta
            const dateOf = (day: number) => new Date(day * 86_400_000).toISOString().slice(0, 10).replaceAll('-', '')
            const [firstDate, lastDate] = [dateOf(firstDay), dateOf(firstDay + dayCount - 1)]
            for (const question of questions) {
              const requested = queryOf(feed.zone, feed.date, question)
              const look = { beforeSeconds: LOOK_SECONDS, afterSeconds: LOOK_SECONDS }
              const explained = explainBoard(timetable, undefined, toQuery(timetable, requested), look)
              holdNamedCalls(timetable, undefined, { query: toQuery(timetable, requested), lookSeconds: LOOK_SECONDS })
              const found = explained.calls.map(
                ({ trip, day, runStartSeconds, position, scheduledSeconds, verdict }) => {
                  if (trip === undefined) throw new Error('no feed reports anything')
                  const reason: string = verdict.kind === 'hidden' ? verdict.reason : verdict.kind
                  const name = refOf(timetable, { trip, day, runStartSeconds })
                  return { trip: name, call: position, seconds: scheduledSeconds, reason }
                },
              )
              found.sort((a, b) => (a.trip < b.trip ? -1 : a.trip > b.trip ? 1 : 0) || a.call - b.call)
              const window = {
                fromSeconds: requested.fromSeconds - LOOK_SECONDS,
                toSeconds: requested.toSeconds + LOOK_SECONDS,
              }
              expect(found).toEqual(readReasons(oracle, requested, { ...window, firstDate, lastDate }))
            }
          },
        ),
        { seed: SEED, numRuns: RUNS },
      )
    },
    MILLIS,
  )

  test(
    'from its live updates',
    async () => {
      const reported = { boards: 0, shown: 0, reasons: {} }
      await fc.assert(
        fc.asyncProperty(
          randomFeed.map(withStation),
          fc.array(
            fc.record({
              question: randomQuestion,
              isFiltered: fc.constantFrom(true, false, false, false),
              reports: randomReports,
              now: fc.integer({ min: -7200, max: 7200 }),
            }),
            {
              minLength: 1,
              maxLength: 3,
            },
          ),
          async (feed, rounds) => {
            const timetable = await timetableOf(feed.files)
            for (const {
              question: { routeIds, directionId, ...plain },
              isFiltered,
              reports,
              now,
            } of rounds) {
              const question = isFiltered ? { ...plain, routeIds, directionId } : plain
              const requested = queryOf(feed.zone, feed.date, question)
              const query = toQuery(timetable, requested)
              const seconds = { nowSeconds: requested.fromSeconds + now, lookSeconds: LOOK_SECONDS }
              checkLiveBoard(timetable, { query, reports, ...seconds }, reported)
            }
          },
        ),
        { seed: SEED, numRuns: RUNS },
      )
      // At full size, every reason must occur. Otherwise, the random feeds would be too simple. Smaller runs may lack
      // rare reasons: at size `ci`, `left_behind`; at size `quick`, any reason.
      const missing = Object.keys(HIDDEN_REASONS).filter((reason) => !(reason in reported.reasons))
      const rare = bySize({ quick: missing, ci: ['left_behind'], full: [] })
      expect(missing.filter((reason) => !rare.includes(reason))).toEqual([])
    },
    MILLIS,
  )
})

/** The local id of a trip instance, `<date>:<trip>[@run]`. The date may be outside of the calendar. */
function refOf(timetable: Timetable, instance: Parameters<typeof tripRef>[1]): string {
  const millis = (timetable.meta.firstDay + instance.day) * 86_400_000
  const date = new Date(millis).toISOString().slice(0, 10).replaceAll('-', '')
  return date + tripRef(timetable, { ...instance, day: 0 }).slice(8)
}
