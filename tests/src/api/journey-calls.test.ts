// Tests the members that `include` adds to journeys, and journeys that are requested again, for random queries with
// random live data. Fails if a call differs from the board of its stop, if a journey differs when it is requested
// again, or if a ride is drawn at the wrong place.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeCity, writeCity } from '../../../src/demo/city.ts'
import { openFeedSource } from '../../../src/sources/feed-source.ts'
import { type Dice, diceOf } from '../../board-questions.ts'
import { textFeed } from '../../feeds/text-feed.ts'
import { type JourneyFeed as FeedText, readJourneyFeed } from '../../oracles/journey-feed.ts'
import { randomUpdates } from '../../random-updates.ts'
import { bySize, SEED } from '../../size.ts'
import { openApi } from './api-under-test.ts'
import { type CallsVerdict, checkCalls, emptyCallsVerdict } from './journey-calls.ts'
import { type JourneyFeed, journeyFeed, latOf } from './journey-lines.ts'
import { publishedTrips } from './published-trips.ts'

const OVERLAYS = bySize({ quick: 12, ci: 60, full: 2_000 })
const QUESTIONS = 6
const MILLIS = bySize({ quick: 60_000, ci: 300_000, full: 7_200_000 })

/** Minutes after midnight, in the format of stop_times.txt. */
const clock = (minutes: number) =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`
const HOURS = Array.from({ length: 6 }, (_, at) => 420 + at * 40)
const trips = (line: string, callsAt: (start: number) => string) =>
  Object.fromEntries(HOURS.map((start, at) => [`${line}-${at}`, callsAt(start)]))

/**
 * A feed with many features: loops, blocks, rules for staying seated, frequencies, untimed calls, platforms, a shape,
 * and trips past midnight.
 */
const MIXED: JourneyFeed = {
  stops: { A: 0, B: 3000, C: 6000, D1: '9000 D', D2: '9040 D', E: 12_000, F: 15_000, G: 18_000 },
  stations: { D: 9020 },
  trips: {
    ...trips(
      'loop',
      (at) =>
        `A ${clock(at)}, B ${clock(at + 5)}, C ${clock(at + 10)}, B ${clock(at + 15)}, A ${clock(at + 20)}, B ${clock(at + 25)}`,
    ),
    ...trips('in', (at) => `C ${clock(at + 12)}, D1 ${clock(at + 20)}/${clock(at + 22)}`),
    ...trips('out', (at) => `D1 ${clock(at + 23)}, E ${clock(at + 30)}, F ${clock(at + 40)}`),
    ...trips('on', (at) => `F ${clock(at + 60)}, G ${clock(at + 70)}`),
    ...trips('gap', (at) => `A ${clock(at + 3)}, B , C , D2 ${clock(at + 30)}, E , F ${clock(at + 45)}`),
    ...trips('night', (at) => `E ${clock(at + 960)}, F ${clock(at + 970)} off, G ${clock(at + 980)}`),
    'freq-1': 'D2 08:00, E 08:07, G 08:20',
    'exact-1': 'B 08:00, D2 08:09, F 08:20',
  },
  blocks: Object.fromEntries(
    HOURS.flatMap((_, at) => [
      [`in-${at}`, `k${at}`],
      [`out-${at}`, `k${at}`],
    ]),
  ),
  files: {
    'frequencies.txt': `trip_id,start_time,end_time,headway_secs,exact_times
      freq-1,07:00:00,12:00:00,900,0
      exact-1,07:00:00,12:00:00,1200,1`,
    'transfers.txt': `from_stop_id,to_stop_id,from_trip_id,to_trip_id,transfer_type,min_transfer_time
      ${HOURS.map((_, at) => `,,out-${at},on-${at},4,`).join('\n')}
      D1,D2,,,2,30
      B,B,,,1,`,
    'shapes.txt': `shape_id,shape_pt_lat,shape_pt_lon,shape_pt_sequence
      s,${latOf(0)},7.5,1
      s,${latOf(1500)},7.502,2
      s,${latOf(9040)},7.501,3
      s,${latOf(15_000)},7.5,4`,
  },
}

const folder = mkdtempSync(join(tmpdir(), 'quai-journey-calls-'))
beforeAll(() => writeCity(makeCity({ seed: SEED, scale: 0.1, firstDate: 20260601, days: 14 }), folder))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Gives a shape to the feed's trips with untimed calls. */
function withShape(files: ReturnType<typeof journeyFeed>): Record<string, string> {
  const [head = '', ...rows] = (files['trips.txt'] ?? '').split('\n')
  const shaped = rows.map((row) => `${row},${row.startsWith('gap') ? 's' : ''}`)
  return { ...files, 'trips.txt': [`${head},shape_id`, ...shaped].join('\n') } as Record<string, string>
}

/** Checks random queries with random live data. */
async function checkAll(feed: Parameters<typeof openApi>[0], text: FeedText, dice: Dice): Promise<CallsVerdict> {
  const verdict = emptyCallsVerdict()
  const api = await openApi(feed)
  const [network] = api.networks.list
  if (network === undefined) throw new Error('there is no network')
  for (let overlay = 0; overlay < OVERLAYS; overlay++) {
    const date = dice.pick(text.dates) ?? ''
    const nowSeconds = text.zeroOf(date) + 7 * 3600 + dice.below(3 * 3600)
    api.service.nowMillis = nowSeconds * 1000
    network.live = publishedTrips(network, randomUpdates(text, dice, nowSeconds), nowSeconds * 1000)
    for (let requested = 0; requested < QUESTIONS; requested++) {
      const [from, to] = [endOf(text, dice), endOf(text, dice)]
      const moment = new Date((nowSeconds + dice.below(3600)) * 1000).toISOString()
      const by = dice.below(3) === 0 ? '&arrive_by=true' : ''
      await checkCalls(api, `from=${from}&to=${to}&when=${moment}${by}&max_walk=1000`, verdict)
    }
  }
  return verdict
}

/** A random stop, or a point near one. */
function endOf({ trips: all, places }: FeedText, dice: Dice): string {
  const stop = dice.pick(dice.pick(all)?.stopIds ?? []) ?? ''
  if (dice.below(3) > 0) return encodeURIComponent(`ville:stop:${stop}`)
  const number = places.numberOf.get(stop) ?? 0
  return `${((places.points[number]?.lat ?? 0) + dice.below(40) / 1e4).toFixed(7)},${places.points[number]?.lon}`
}

test(
  `calls of journeys equal boards, and stay the same when requested again (seed ${SEED})`,
  async () => {
    const dice = diceOf(SEED)
    const mixed = withShape(journeyFeed(MIXED))
    const small = await checkAll(
      { networks: [{ id: 'ville', feed: textFeed(mixed) }] },
      await readJourneyFeed(mixed),
      dice,
    )
    const city = await checkAll(
      { networks: [{ id: 'ville', feed: await openFeedSource(folder) }] },
      await readJourneyFeed(folder),
      dice,
    )
    console.log(JSON.stringify([small, city]))
    expect([...small.faults, ...city.faults]).toEqual([])
    for (const { journeys, boarded, live } of [small, city]) {
      expect(Math.min(journeys, boarded, live)).toBeGreaterThan(OVERLAYS)
    }
    expect(small.seated).toBeGreaterThan(0)
  },
  MILLIS,
)
