// Tests journeys in the demo city with live feeds, from the bytes of the messages to the rides of a journey. Fails if
// an arrival or departure is not the best possible with the trips that currently run, if a ride uses a canceled trip, a
// skipped call or a time that differs from the board, or if a journey has a transfer that a delay makes impossible.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeCity, writeCity } from '../src/demo/city.ts'
import { diceOf } from './board-questions.ts'
import { realtimeFeed } from './feeds/realtime-feed.ts'
import { describeLive, emptyVerdict, LiveJourneys, liveQuery } from './live-journeys.ts'
import { randomUpdates } from './random-updates.ts'
import { bySize, SEED } from './size.ts'

const OVERLAYS = bySize({ quick: 5, ci: 50, full: 10_000 })
/** Queries per overlay. One query is repeated after a delay has broken a transfer in one of its journeys. */
const QUESTIONS = 2
const MILLIS = bySize({ quick: 30_000, ci: 300_000, full: 7_200_000 })
const CITY = { scale: 0.1, firstDate: 20260601, days: 14 }

const folder = mkdtempSync(join(tmpdir(), 'quai-live-journeys-'))
beforeAll(() => writeCity(makeCity({ seed: SEED, ...CITY }), folder))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test(
  `journeys are the best possible under ${OVERLAYS} random overlays (seed ${SEED})`,
  async () => {
    const city = await LiveJourneys.open(folder)
    const { feed } = city
    const dice = diceOf(SEED)
    const verdict = emptyVerdict()
    for (let overlay = 0; overlay < OVERLAYS; overlay++) {
      const date = feed.dates[dice.below(feed.dates.length)] ?? ''
      const nowSeconds = feed.zeroOf(date) + (5 + dice.below(20)) * 3600 + dice.below(3600)
      const entities = randomUpdates(feed, dice, nowSeconds)
      const moment = city.at([realtimeFeed(nowSeconds, entities)], nowSeconds, verdict)
      for (let requested = 0; requested < QUESTIONS; requested++) {
        const query = liveQuery(moment, dice, nowSeconds)
        const journeys = city.check(moment, query, verdict)
        if (requested === 0) city.breakChange({ entities, nowSeconds }, { query, journeys }, verdict)
      }
    }
    console.log(describeLive('demo city', verdict))
    expect(verdict.differences).toEqual([])
    expect([verdict.mismatches, verdict.overlays]).toEqual([0, OVERLAYS])
    expect(verdict.answered).toBeGreaterThan(verdict.questions / 2)
    expect(verdict.liveRides).toBeGreaterThan(0)
  },
  MILLIS,
)
