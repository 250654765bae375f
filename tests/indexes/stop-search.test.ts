// Tests which stops and areas a query finds, and in which order. Compares the search with reading every name. Fails if
// a name is not found by the prefix of one of its words, if two names have no defined order, or if a name that does not
// match is found.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { compareNatural } from '../../indexes/text/natural-order.ts'
import { normalizeWords } from '../../indexes/text/normalize.ts'
import { buildTimetable } from '../../indexes/timetable/build-timetable.ts'
import { searchStops } from '../../indexes/timetable/stop-search.ts'
import type { AreaIndex, StopIndex, Timetable } from '../../indexes/timetable/timetable.ts'
import { loadFeed } from '../../loaders/gtfs/load-feed.ts'
import { textOf } from '../../loaders/strings.ts'
import { textFeed } from '../feeds/text-feed.ts'
import { bySize, SEED } from '../size.ts'

interface TestStop {
  readonly name: string
  readonly code: string
}

/**
 * Stops far apart, so that they form no areas. Trip t0 calls at all of them, and t1 at every second stop, starting with
 * the first.
 */
async function timetableOf(stops: readonly TestStop[], stations: readonly TestStop[] = []): Promise<Timetable> {
  const place = (at: number) => `${40 + at / 10},7`
  const rows = [
    ...stations.map(({ name, code }, at) => `p${at},${code},"${name}",${place(at)},1,`),
    ...stops.map(
      ({ name, code }, at) => `s${at},${code},"${name}",${place(at)},,${at < stations.length ? `p${at}` : ''}`,
    ),
  ]
  const calls = ['t0', 't1'].flatMap((trip, skip) =>
    stops.flatMap((_, at) => {
      const time = `10:${String(at).padStart(2, '0')}:00`
      return at % (skip + 1) === 0 ? [`${trip},${time},${time},s${at},${at}`] : []
    }),
  )
  const feed = textFeed({
    'agency.txt': 'agency_id,agency_name,agency_url,agency_timezone\nv,Ville,https://ville.example,Europe/Paris',
    'stops.txt': `stop_id,stop_code,stop_name,stop_lat,stop_lon,location_type,parent_station\n${rows.join('\n')}`,
    'routes.txt': 'route_id,route_short_name,route_type\nr,1,3',
    'calendar.txt':
      'service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date\nd,1,1,1,1,1,1,1,20260101,20261231',
    'trips.txt': 'route_id,service_id,trip_id\nr,d,t0\nr,d,t1',
    'stop_times.txt': `trip_id,arrival_time,departure_time,stop_id,stop_sequence\n${calls.join('\n')}`,
  })
  return buildTimetable((await loadFeed(feed)).feed)
}

/** The names that a query finds. The names of areas are in brackets. */
function found(timetable: Timetable, query: string): string[] {
  const { stops, areas, strings } = timetable
  return searchStops(timetable, query).map(({ number }) =>
    number < stops.id.length
      ? textOf(strings, stops.name[number as StopIndex])
      : `[${textOf(strings, areas.name[(number - stops.id.length) as AreaIndex])}]`,
  )
}

const CITY = [
  { name: 'Gare', code: 'G1' },
  { name: 'Św. Wawrzyńca', code: '17' },
  { name: 'Gare de l’Est', code: 'GE' },
  { name: 'Garenne', code: '' },
  { name: 'Place de la Gare', code: '' },
  { name: 'Rue 10', code: '' },
  { name: 'Rue 2', code: '' },
  { name: 'Vieille Gare', code: '' },
  { name: 'Est', code: 'GARE' },
]

test('a code comes first, then the name, its beginning, its first word, and any word', async () => {
  const timetable = await timetableOf(CITY)
  expect(found(timetable, 'gare')).toEqual([
    'Est',
    'Gare',
    // Both trips call at Gare de l’Est and at Place de la Gare, but only one of them calls at Garenne and at Vieille
    // Gare. If names match equally well, the stop with more departures comes first.
    'Gare de l’Est',
    'Garenne',
    'Place de la Gare',
    'Vieille Gare',
  ])
  expect(found(timetable, 'waw')).toEqual(['Św. Wawrzyńca'])
  expect(found(timetable, 'EST gare')).toEqual(['Est', 'Gare de l’Est'])
  expect(found(timetable, 'ga l’es')).toEqual(['Gare de l’Est'])
  expect(found(timetable, 'gare nord')).toEqual([])
  expect(found(timetable, ' - ')).toEqual([])
})

test('equal matches are in natural order by name, with an area before its stop', async () => {
  const stops = ['Rue 10', 'Bord', 'Rue 2', 'Bout', 'Fin'].map((name) => ({ name, code: '' }))
  const timetable = await timetableOf(stops, [{ name: 'Rue 10', code: '' }])
  expect(found(timetable, 'rue')).toEqual(['Rue 2', '[Rue 10]', 'Rue 10'])
})

const word = fc.constantFrom('Gare', 'gâre', 'Ga', 'Est', 'ést', 'l’Est', 'Œ', 'oe', '1', '10', '2')
const stop = fc.record({
  name: fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(' ')),
  code: fc.constantFrom('', '', '1', '10', 'GA'),
})
const query = fc.array(fc.constantFrom('g', 'ga', 'gare', 'e', 'est', 'l', 'o', 'œ', '1', '10'), {
  minLength: 1,
  maxLength: 3,
})

test('a query finds exactly the stops whose words start with all its words, in a total order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(stop, { minLength: 6, maxLength: 12 }),
      fc.array(query, { minLength: 4, maxLength: 8 }),
      async (stops, queries) => {
        const timetable = await timetableOf(stops)
        const { stops: columns, strings } = timetable
        for (const words of queries) {
          const hits = searchStops(timetable, words.join(' '))
          const expected = Array.from({ length: columns.id.length }, (_, number) => number).filter((number) => {
            const at = number as StopIndex
            const tokens = normalizeWords(`${textOf(strings, columns.name[at])} ${textOf(strings, columns.code[at])}`)
            return words.flatMap(normalizeWords).every((each) => tokens.some((token) => token.startsWith(each)))
          })
          expect(
            hits
              .map(({ number }) => number)
              .filter((number) => number < columns.id.length)
              .sort((a, b) => a - b),
          ).toEqual(expected)
          const keys = hits.map(({ number, rank }) => ({ number, rank, name: nameOf(timetable, number) }))
          for (const [at, hit] of keys.entries()) {
            const before = keys[at - 1]
            if (before === undefined) continue
            expect(before.rank <= hit.rank).toBe(true)
            if (before.rank === hit.rank) expect(compareNatural(before.name, hit.name)).toBeLessThanOrEqual(0)
          }
        }
      },
    ),
    { seed: SEED, numRuns: bySize({ quick: 60, ci: 500, full: 5_000 }) },
  )
}, 60_000)

function nameOf({ stops, areas, strings }: Timetable, number: number): string {
  const stopCount = stops.id.length
  return textOf(
    strings,
    number < stopCount ? stops.name[number as StopIndex] : areas.name[(number - stopCount) as AreaIndex],
  )
}
