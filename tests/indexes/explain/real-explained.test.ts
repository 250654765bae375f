// Tests explained boards of real feeds at the times of real captures, for cases that no generated feed covers. Runs
// only if QUAI_FEEDS is set to a folder of feeds and captures.
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import type { LiveTrip } from '../../../indexes/live/live-trip.ts'
import { LiveTripReader } from '../../../indexes/live/live-trips.ts'
import type { StopIndex, Timetable } from '../../../indexes/timetable/timetable.ts'
import { decodeMessage } from '../../../loaders/gtfs-rt/decode-message.ts'
import { diceOf } from '../../board-questions.ts'
import { openTimetable } from '../../planned-journeys.ts'
import { CAPTURES, capturePaths } from '../../real-realtime.ts'
import { bySize, REAL_FEEDS, SEED } from '../../size.ts'
import { type ExplanationCounts, holdExplained } from './live-board-check.ts'

const BOARDS = bySize({ quick: 30, ci: 100, full: 1_000 })
const MILLIS = 600_000
const LOOK_SECONDS = 3 * 3600

/** A random stop; in three of four cases, a stop at which a live trip calls. */
function randomStop(timetable: Timetable, trips: readonly LiveTrip[], dice: ReturnType<typeof diceOf>): StopIndex {
  const call = dice.pick(dice.pick(trips)?.calls ?? [])
  return call === undefined || dice.below(4) === 0 ? (dice.below(timetable.stops.id.length) as StopIndex) : call.stop
}

test.each(
  REAL_FEEDS === undefined
    ? []
    : CAPTURES.flatMap((capture) => (capture.isSequence ? [] : [[capture.name, capture] as const])),
)(
  'boards of %s',
  async (_, capture) => {
    const paths = capturePaths(REAL_FEEDS ?? '', capture)
    const timetable = await openTimetable(paths.gtfs)
    const reader = new LiveTripReader(timetable)
    const dice = diceOf(SEED)
    const reported: ExplanationCounts = { boards: 0, shown: 0, reasons: {} }
    for (const files of capture.moments) {
      const messages = await Promise.all(
        Object.values(files).map(async (file) => decodeMessage(await Bun.file(join(paths.captures, file)).bytes())),
      )
      const nowSeconds = Math.max(...messages.map(({ timestampSeconds }) => timestampSeconds ?? 0))
      const feeds = messages.map(({ trips }) => ({ trips, timestampSeconds: nowSeconds }))
      const { trips, matches, unmatched } = reader.read(feeds, nowSeconds)
      // Each update must be matched, or be reported as unmatched with its reason.
      expect(unmatched.map((left, at) => left.length + (matches[at]?.matched ?? 0))).toEqual(
        matches.map(({ total }) => total),
      )
      for (let requested = 0; requested < BOARDS / capture.moments.length; requested++) {
        const stops = [...new Set(Array.from({ length: 1 + dice.below(3) }, () => randomStop(timetable, trips, dice)))]
        const fromSeconds = nowSeconds + dice.below(4 * 3600) - 2 * 3600
        const toSeconds = fromSeconds + 60 * (5 + dice.below(176))
        const query = {
          stops,
          fromSeconds,
          toSeconds,
          lines: undefined,
          directionId: undefined,
          limit: 1 + dice.below(50),
        }
        holdExplained(timetable, { query, trips, nowSeconds, lookSeconds: LOOK_SECONDS }, reported)
      }
    }
    expect(reported.boards).toBeGreaterThanOrEqual(BOARDS - capture.moments.length)
    expect(reported.reasons['unexplained']).toBeUndefined()
  },
  MILLIS,
)
