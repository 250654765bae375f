// Tests the material for people who judge journey lists: the sixty queries, and what the timetable offers besides each
// list. Fails if a query is lost, or if a good journey or a departure is missing.
import { expect, test } from 'bun:test'
import type { JourneyQuery } from '../oracles/journey-ground.ts'
import { readJourneyOracle } from '../oracles/journey-oracle.ts'
import { journeyFeed, latOf, openJourneys } from '../src/api/journey-lines.ts'
import { readFeedNames } from './feed-names.ts'
import { riderCities } from './rider-questions.ts'
import { leavingNear, otherJourneys } from './timetable-beside.ts'

test('sixty queries in four cities, at eight, at six, late at night and on Sundays', () => {
  const cities = riderCities()
  const questions = cities.flatMap(({ questions: of }) => of)
  expect([cities.length, questions.length]).toEqual([4, 60])
  const count = (of: (at: string) => boolean) => questions.filter(({ at }) => of(at)).length
  const isSunday = (at: string) => Temporal.PlainDate.from(at.slice(0, 10)).dayOfWeek === 7
  expect(count(isSunday)).toBe(12)
  for (const hour of ['08:00', '18:00', '23:30']) expect(count((at) => at.endsWith(hour))).toBeGreaterThanOrEqual(12)
  expect(questions.some(({ from, to }) => from.address !== undefined && to.address !== undefined)).toBe(true)
})

test('a list is printed with what it omits, by rule, and with the departures near the start', async () => {
  const feed = {
    stops: { A: 0, M: 5000, Z: 10_000 },
    trips: {
      'd-1': 'A 08:10, Z 08:40',
      'x-1': 'A 08:12, M 08:18',
      'y-1': 'M 08:22, Z 08:38',
      'd-2': 'A 08:50, Z 09:20',
    },
  }
  const files = journeyFeed(feed)
  const timetable = { oracle: await readJourneyOracle(files), names: await readFeedNames(files) }
  const { ask } = await openJourneys(feed)
  const query: JourneyQuery = {
    from: { kind: 'point', lat: Number(latOf(0)), lon: 7.5 },
    to: { kind: 'point', lat: Number(latOf(10_000)), lon: 7.5 },
    seconds: Date.parse('2026-06-10T08:05:00+02:00') / 1000,
    isArriveBy: false,
    maxWalkMeters: 1000,
    followedSeconds: 86_400,
  }
  const all = (await ask('A', 'Z', 'when=2026-06-10T08:05:00%2B02:00&limit=6')).body.data
  // The list without its first journey: the tool must report that the first journey was left out.
  expect(otherJourneys(timetable, query, all.slice(1))).toEqual([
    expect.stringMatching(/^08:12 → 08:38 {2}26 min, 1 change: x 08:12 Name of A → 08:18 Name of M, y .* \[.*\]/),
  ])
  expect(leavingNear(timetable, query)).toEqual([
    'd from Name of A to Name of Z: 08:10 08:50',
    'x from Name of A to Name of M: 08:12',
  ])
})
