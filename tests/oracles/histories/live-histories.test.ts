// Compares random histories of a live feed with a model of the rules. Trips and calls have every relationship. There
// are vehicles, several days, trips across midnight, loops and frequency runs. The service reads each message as bytes.
// Fails if a trip, a call or a board row differs from the model. Also removes each rule from the model, and fails if no
// history then shows a difference.
import { beforeAll, describe, expect, test } from 'bun:test'
import type { Timetable } from '../../../indexes/timetable/timetable.ts'
import { diceOf } from '../../board-questions.ts'
import { timetableOf } from '../../indexes/built-feed.ts'
import { sketchedFeed } from '../../peers/realtime/sketched-feed.ts'
import { bySize, SEED } from '../../size.ts'
import { HistoryService, textOfTrip } from './history-service.ts'
import { LiveModel } from './live-model.ts'
import { modelBoard } from './model-boards.ts'
import { ALL_RULES, type Rules } from './model-rules.ts'
import { HISTORY_CITY, STOPS } from './plain-city.ts'
import { randomHistory } from './random-messages.ts'

const HISTORIES = bySize({ quick: 700, ci: 3_000, full: 100_000 })
/**
 * Rule → the first seed of the histories that are run without the rule. For rules that are not listed, the first seed
 * is 1. These seeds are the same in each run. The rule `frozen` matters in the fewest histories, so its first seed is
 * shortly before the seed of one of them.
 */
const FIRST_SEED: Readonly<Record<string, number>> = { frozen: 2300 }
const MOST_TO_MISS = 20_000
const MILLIS = bySize({ quick: 60_000, ci: 240_000, full: 3_600_000 })
const BOARD_SECONDS = 2 * 3600

let timetable: Timetable
beforeAll(async () => {
  timetable = await timetableOf(sketchedFeed(HISTORY_CITY))
})

/** The first difference between the service and the model in a history; undefined if they agree. */
function divergence(seed: number, rules: Rules, seen: Record<string, number> = {}): string | undefined {
  const service = new HistoryService(timetable)
  const model = new LiveModel(rules)
  const history = randomHistory(diceOf(seed))
  for (const [at, message] of history.entries()) {
    service.read(message)
    const trips = model.read(message)
    for (const { state, calls } of trips.values()) {
      seen[state] = (seen[state] ?? 0) + 1
      seen['calls'] = (seen['calls'] ?? 0) + calls.length
    }
    const parts = [{ what: 'trips', is: service.trips(), should: [...trips.values()].map(textOfTrip).sort() }]
    const [from, to] = [message.seconds, message.seconds + BOARD_SECONDS]
    for (const stop of STOPS) {
      const should = modelBoard(trips, { stop, from, to, rules })
      parts.push({ what: `board of ${stop}`, is: service.board(stop, from, to), should })
    }
    parts.push({ what: 'matched', is: [String(service.matched)], should: [String(model.matched)] })
    const part = parts.find(({ is, should }) => is.join('\n') !== should.join('\n'))
    if (part === undefined) continue
    const only = (some: readonly string[], others: readonly string[]) => some.filter((each) => !others.includes(each))
    const { what, is, should } = part
    const reported = JSON.stringify(history.slice(0, at + 1))
    return `seed ${seed}, message ${at}, ${what}\nis:\n${only(is, should).join('\n')}\nshould be:\n${only(should, is).join('\n')}\n${reported}`
  }
  return undefined
}

test(
  `${HISTORIES} histories match the model (seed ${SEED})`,
  () => {
    const seen: Record<string, number> = {}
    for (let history = 0; history < HISTORIES; history++) {
      expect(divergence(SEED + history, ALL_RULES, seen)).toBeUndefined()
    }
    console.log(`${HISTORIES} histories: ${JSON.stringify(seen)}`)
    for (const state of ['runs', 'canceled', 'deleted', 'added', 'unscheduled']) expect(seen[state]).toBeGreaterThan(0)
  },
  MILLIS,
)

describe('leaving out a rule is detected', () => {
  for (const rule of Object.keys(ALL_RULES)) {
    test(
      rule,
      () => {
        const rules = { ...ALL_RULES, [rule]: false }
        const first = FIRST_SEED[rule] ?? 1
        let history = 0
        while (history < MOST_TO_MISS && divergence(first + history, rules) === undefined) history++
        if (history < MOST_TO_MISS) console.log(`${rule}: missed after ${history + 1} histories`)
        expect(history).toBeLessThan(MOST_TO_MISS)
      },
      MILLIS,
    )
  }
})
