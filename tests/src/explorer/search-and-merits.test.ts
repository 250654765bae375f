// Tests the order of search results, the labels of alternative journeys, and tight transfers. Fails if the stop Garenne
// comes before the station Gare Centrale in the results for `gare`, if a label is used twice, or if a tight transfer is
// not marked.
import { expect, test } from 'bun:test'
import type { Journey, Line, Place } from '../../../src/explorer/app/contract.ts'
import { changesOf, inOrder, meritsOf } from '../../../src/explorer/app/journey-merits.ts'
import { matchingLines, wholeWordsFirst } from '../../../src/explorer/app/search-order.ts'
import { ENGLISH } from '../../../src/explorer/app/texts/english.ts'
import { FRENCH } from '../../../src/explorer/app/texts/french.ts'

const placeNamed = (name: string, kind: Place['kind'] = 'area'): Place => ({
  id: name,
  kind,
  name,
  label: name,
  lat: 47.2,
  lon: 0.6,
  network: 'valmont',
  stop_id: null,
  town: '',
  postcode: null,
  source: 'store',
  score: 0.5,
})

const lineNamed = (code: string, name: string): Line => ({
  id: code,
  network: 'valmont',
  code,
  name,
  mode: 'bus',
  color: '#112233',
  text_color: '#FFFFFF',
  operator: '',
  sort_order: 0,
  accessible: true,
  directions: [],
})

const clock = (minutes: number) => new Date(Date.UTC(2026, 10, 17, 8, 0, minutes * 60)).toISOString()

/** A journey with these rides and no walks. Each ride is given by the minutes at which it starts and ends. */
function journeyOf(
  id: string,
  rides: readonly (readonly [from: number, to: number])[],
  rest: Partial<Journey> = {},
): Journey {
  const place = { kind: 'stop' as const, lat: 0, lon: 0, stop_id: 's', name: 'Stop' }
  const [first = [0, 0]] = rides
  const last = rides.at(-1) ?? first
  return {
    id,
    departure_at: clock(first[0]),
    arrival_at: clock(last[1]),
    duration_seconds: (last[1] - first[0]) * 60,
    transfers: rides.length - 1,
    slack_seconds: null,
    at_risk: false,
    walking_seconds: 0,
    walking_meters: 0,
    fare: null,
    co2_grams: 0,
    source: 'valmont',
    realtime: true,
    sections: rides.map(([from, to]) => ({
      kind: 'transit',
      departure_at: clock(from),
      arrival_at: clock(to),
      duration_seconds: (to - from) * 60,
      realtime: true,
      line: { id: 'l', code: 'L', name: 'L', mode: 'bus', color: '#000000', text_color: '#FFFFFF' },
      headsign: '',
      direction_id: '0',
      stop_ids: ['s', 's'],
      trip_id: 't',
      from_place: place,
      to_place: place,
      scheduled_departure_at: clock(from),
      scheduled_arrival_at: clock(to),
      delay_seconds: 0,
      status: 'on_time',
      platform: '',
      vehicle_id: null,
    })),
    ...rest,
  }
}

test('a stop whose name starts with the typed word comes before those that contain it later', () => {
  const found = ['Garenne', 'Garenne – Montesquieu', 'Gare Centrale', 'Rue de la Gare'].map((name) => placeNamed(name))
  const order = (typed: string) => wholeWordsFirst(found, typed).map(({ name }) => name)
  expect(order('gare')).toEqual(['Gare Centrale', 'Garenne', 'Garenne – Montesquieu', 'Rue de la Gare'])
  expect(order('GARE ')).toEqual(order('gare'))
  expect(order('gar')).toEqual(found.map(({ name }) => name))
  const street = placeNamed('Gare', 'address')
  expect(wholeWordsFirst([placeNamed('Garenne'), street], 'gare')[0]?.name).toBe('Garenne')
})

test('lines are found by code, by "line" and code, and by words of their names', () => {
  const lines = [lineNamed('12', 'Hôpital / Gué'), lineNamed('1', 'Coteau'), lineNamed('M1', 'Sainte-Anne')]
  const codes = (typed: string) => {
    const { byCode, byName } = matchingLines(lines, typed)
    return [byCode, byName].map((found) => found.map(({ code }) => code).join(' '))
  }
  expect(['1', 'line 1', 'hopital', 'm', 'x', '', 'ana'].map(codes)).toEqual([
    ['1 12', ''],
    ['1', ''],
    ['', '12'],
    ['M1', ''],
    ['', ''],
    ['', ''],
    ['', ''],
  ])
})

test('each label appears once, and each alternative has at most one', () => {
  const fast = journeyOf(
    'fast',
    [
      [10, 15],
      [16, 22],
    ],
    { walking_meters: 0 },
  ) // takes 12 min, with one transfer and no walk
  const direct = journeyOf('direct', [[5, 25]], { walking_meters: 300 })
  const directToo = journeyOf('direct too', [[9, 29]], { walking_meters: 400 })
  expect([...meritsOf([direct, fast, directToo])]).toEqual([
    ['fast', 'fastest'],
    ['direct', 'fewestChanges'],
  ])
  expect([...meritsOf([direct])]).toEqual([])
  expect(inOrder([[directToo], [direct, fast], [direct]]).map(({ id }) => id)).toEqual(['direct', 'direct too', 'fast'])
})

test('of the changes in a journey at risk, the one with the least slack is tight', () => {
  const rides = [
    [0, 10],
    [15, 20],
    [21, 30],
  ] as const
  expect([...changesOf(journeyOf('calm', rides))]).toEqual([
    [1, { seconds: 300, isTight: false }],
    [2, { seconds: 60, isTight: false }],
  ])
  expect([...changesOf(journeyOf('risky', rides, { at_risk: true }))]).toEqual([
    [1, { seconds: 300, isTight: false }],
    [2, { seconds: 60, isTight: true }],
  ])
})

test('no text is left untranslated', () => {
  // Words that are spelled the same in both languages.
  const same = new Set([
    'direct',
    'Direction',
    'Lines',
    'Tram',
    'Bus',
    'Ferry',
    'Trolleybus',
    'Monorail',
    'Train',
    'Taxi',
  ])
  same.add('Information').add('full').add('Accident').add('Maintenance')
  const flat = (table: object): [string, string][] =>
    Object.entries(table).flatMap(([key, value]) =>
      typeof value === 'string' ? [[key, value] as [string, string]] : typeof value === 'object' ? flat(value) : [],
    )
  const french = new Map(flat(FRENCH))
  const alike = flat(ENGLISH).filter(([key, text]) => french.get(key) === text && !same.has(text))
  expect([flat(ENGLISH).length > 150, alike]).toEqual([true, []])
})
