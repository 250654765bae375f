// Tests the journey oracle on feeds small enough to check by hand. Each test is about one rule. Fails if an arrival or
// departure is off by a second, or if a transfer is invalid. The search by arrival must agree with the search by
// departure.
import { expect, test } from 'bun:test'
import { dedent } from '../feeds/text-feed.ts'
import type { JourneyQuery } from './journey-ground.ts'
import { type JourneyOracle, readJourneyOracle } from './journey-oracle.ts'
import type { PlainEnd } from './journey-places.ts'
import { findUnrideable } from './journey-rides.ts'

/**
 * Stops A to D lie in a row, 11 km apart, which is too far to walk. The walk from B is 145 m (121 s) to B2, and 1 446 m
 * to B3. S is a station with the stops S1 and S2, 29 m (25 s) apart. E, F and G follow, again 11 km apart.
 */
const BASE = {
  'agency.txt': `
    agency_id,agency_name,agency_url,agency_timezone
    V,Ville,https://ville.example,Europe/Paris`,
  'stops.txt': `
    stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station
    A,,48.0,7.0,,
    B,,48.1,7.0,,
    B2,,48.101,7.0,,
    B3,,48.11,7.0,,
    C,,48.2,7.0,,
    D,,48.3,7.0,,
    S,,48.4,7.0,1,
    S1,,48.4001,7.0,,S
    S2,,48.3999,7.0,,S
    E,,48.5,7.0,,
    F,,48.6,7.0,,
    G,,48.7,7.0,,`,
  'routes.txt': `
    route_id,route_short_name,route_type
    bus,1,3
    tram,2,0`,
  'calendar.txt': `
    service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
    daily,1,1,1,1,1,1,1,20260101,20261231`,
}

/**
 * The files of BASE with trips added. Each trip is written as `id block route: stop time types, stop time types, …`.
 * The block `-` means none. A time may be `arrival/departure`. The types are `pickup_type,drop_off_type`. The route and
 * the types may be left out.
 */
function feedOf(trips: readonly string[], files: Readonly<Record<string, string>> = {}): Record<string, string> {
  const rows = trips.map((line) => {
    const [head = '', calls = ''] = line.split(': ')
    const [id = '', blockId = '', routeId = 'bus'] = head.split(' ')
    return { id, row: `${routeId},daily,${id},${blockId === '-' ? '' : blockId}`, calls: calls.split(', ') }
  })
  const clock = (text: string) => (text.split(':').length === 2 ? `${text}:00` : text)
  const times = rows.flatMap(({ id, calls }) =>
    calls.map((call, at) => {
      const [stop = '', time = '', types = ','] = call.split(' ')
      const [arrives = '', departs = arrives] = time.split('/').map(clock)
      return `${id},${arrives},${departs},${stop},${at},${types}`
    }),
  )
  const all: Record<string, string> = {
    ...BASE,
    'trips.txt': ['route_id,service_id,trip_id,block_id', ...rows.map(({ row }) => row)].join('\n'),
    'stop_times.txt': [
      'trip_id,arrival_time,departure_time,stop_id,stop_sequence,pickup_type,drop_off_type',
      ...times,
    ].join('\n'),
    ...files,
  }
  return Object.fromEntries(Object.entries(all).map(([name, text]) => [name, dedent(text)]))
}

const TRANSFERS =
  'from_stop_id,to_stop_id,transfer_type,min_transfer_time,from_route_id,to_route_id,from_trip_id,to_trip_id'
const transfers = (...rows: string[]) => ({ 'transfers.txt': [TRANSFERS, ...rows].join('\n') })
const stop = (id: string): PlainEnd => ({ kind: 'stop', id })

/**
 * A query from A at eight on a Monday, without walks. The journey must arrive within a day, because the trips run again
 * on the next day.
 */
const QUERY: JourneyQuery = {
  from: stop('A'),
  to: stop('C'),
  seconds: Date.parse('2026-03-02T08:00:00+01:00') / 1000,
  isArriveBy: false,
  maxWalkMeters: 0,
  followedSeconds: 0,
}

function clock(seconds: number | undefined): string | undefined {
  if (seconds === undefined) return undefined
  return new Date(seconds * 1000).toLocaleTimeString('en-GB', { timeZone: 'Europe/Paris' })
}

/**
 * The time of the earliest arrival. Also checks the rides, and checks that an arrive-by search finds no earlier
 * departure.
 */
function arrival(oracle: JourneyOracle, changes: Partial<JourneyQuery> = {}): string | undefined {
  const query = { ...QUERY, ...changes }
  const found = oracle.best(query)
  if (found === undefined) return undefined
  expect(findUnrideable(oracle.feed, query, found)).toBeUndefined()
  const back = { ...query, seconds: found.arrives, isArriveBy: true }
  const last = oracle.best(back)
  if (last === undefined) throw new Error('a way in one direction has none back')
  expect(findUnrideable(oracle.feed, back, last)).toBeUndefined()
  expect(last.departs).toBeGreaterThanOrEqual(found.departs)
  expect(last.arrives).toBe(found.arrives)
  return clock(found.arrives)
}

/**
 * The arrival at C of a rider who alights at B at 8:10. From `start` on, a vehicle to C leaves the stop `from` every
 * second and takes an hour.
 */
async function onwards(rows: readonly string[], from = 'B', start = '8:10:00'): Promise<string | undefined> {
  const [hours = 0, minutes = 0, seconds = 0] = start.split(':').map(Number)
  const trips = Array.from({ length: 900 }, (_, second) => {
    const at = hours * 3600 + minutes * 60 + seconds + second
    const text = (time: number) => [time / 3600, (time / 60) % 60, time % 60].map((part) => two(part)).join(':')
    return `on${second} - tram: ${from} ${text(at)}, C ${text(at + 3600)}`
  })
  return arrival(await readJourneyOracle(feedOf(['in: A 8:00, B 8:10', ...trips], transfers(...rows))))
}

const two = (part: number) => String(Math.floor(part)).padStart(2, '0')

test('a transfer takes a minute plus its walk; over 500 m there is none', async () => {
  expect(await onwards([])).toBe('09:11:00')
  expect(await onwards([], 'B2')).toBe('09:13:01')
  expect(await onwards([], 'B3')).toBeUndefined()
})

test('transfers.txt: 0 changes nothing, 1 needs no slack, 2 is the whole time, 3 forbids; 1 and 2 link distant stops', async () => {
  expect(await onwards(['B,B,0,,,,,', 'B,B2,0,900,,,,'])).toBe('09:11:00')
  expect(await onwards(['B,B,1,,,,,'])).toBe('09:10:00')
  expect(await onwards(['B,B2,1,,,,,'], 'B2')).toBe('09:12:01')
  // 1 446 m at 1.2 m/s.
  expect(await onwards(['B,B3,1,,,,,'], 'B3', '8:20:00')).toBe('09:30:05')
  expect(await onwards(['B,B,2,17,,,,'])).toBe('09:10:17')
  expect(await onwards(['B,B2,2,5,,,,'], 'B2')).toBe('09:10:05')
  expect(await onwards(['B,B3,2,300,,,,'], 'B3')).toBe('09:15:00')
  expect(await onwards(['B,B3,2,,,,,'], 'B3')).toBeUndefined()
  expect(await onwards(['B,B3,0,,,,,'], 'B3')).toBeUndefined()
  expect(await onwards(['B,B,3,,,,,'])).toBeUndefined()
  // A rule applies in one direction only.
  expect(await onwards(['B2,B,3,,,,,'], 'B2')).toBe('09:13:01')
})

test('a rule for trips takes precedence over one for routes, which takes precedence over one for stops', async () => {
  const [stops, route, routes] = ['B,B,2,100,,,,', 'B,B,2,90,bus,,,', 'B,B,2,80,bus,tram,,']
  const [trip, tripRoute, trips] = ['B,B,2,70,,,in,', 'B,B,2,60,,tram,in,', 'B,B,2,50,,,in,on50']
  expect(await onwards([stops])).toBe('09:11:40')
  expect(await onwards([stops, route])).toBe('09:11:30')
  expect(await onwards([routes, stops, route])).toBe('09:11:20')
  expect(await onwards([stops, trip, routes])).toBe('09:11:10')
  expect(await onwards([trip, tripRoute])).toBe('09:11:00')
  expect(await onwards([tripRoute, trips])).toBe('09:10:50')
  expect(await onwards([stops, 'B,B,2,10,tram,,,', 'B,B,2,10,,bus,,', 'B,B,2,10,,,other,'])).toBe('09:11:40')
  expect(await onwards(['B,B,1,,,,,', 'B,B,3,,,tram,,'])).toBeUndefined()
  expect(await onwards(['B,B3,2,120,,tram,,'], 'B3')).toBe('09:12:00')
  expect(await onwards(['B,B3,2,120,,bus,,'], 'B3')).toBeUndefined()
})

test('a station’s rules apply to its stops unless a stop has its own, even one that changes nothing', async () => {
  const trips = ['in: A 8:00, S1 8:10', 'x: S2 8:10:30, C 9:00', 'y: S2 8:11:25, C 9:10', 'z: S2 8:15, C 9:20']
  const at = async (...rows: string[]) => arrival(await readJourneyOracle(feedOf(trips, transfers(...rows))))
  expect(await at()).toBe('09:10:00')
  expect(await at('S,S,2,300,,,,')).toBe('09:20:00')
  expect(await at('S,S,2,301,,,,')).toBeUndefined()
  expect(await at('S,S,2,300,,,,', 'S1,S2,1,,,,,')).toBe('09:00:00')
  expect(await at('S,S,3,,,,,', 'S1,S,1,,,,,')).toBe('09:00:00')
  expect(await at('S,S,3,,,,,', 'S1,S2,0,,,,,')).toBe('09:10:00')
})

test('staying seated: one block, 0 to 600 s, up to 100 m; type 5 forbids and type 4 forces it', async () => {
  const at = async (next: string, ...rows: string[]) => {
    const trips = ['in k: A 8:00, B 8:10', next, 'late: B 12:00, C 12:30']
    return arrival(await readJourneyOracle(feedOf(trips, transfers(...rows))))
  }
  expect(await at('on k: B 8:10, C 9:00')).toBe('09:00:00')
  expect(await at('on k: B 8:10, C 9:00', 'B,B,3,,,,,')).toBe('09:00:00')
  expect(await at('on -: B 8:10, C 9:00')).toBe('12:30:00')
  expect(await at('on k: B 8:20, C 9:00', 'B,B,3,,,,,')).toBe('09:00:00')
  expect(await at('on k: B 8:20:01, C 9:00', 'B,B,3,,,,,')).toBeUndefined()
  expect(await at('on k: B2 8:10, C 9:00')).toBe('12:30:00')
  expect(await at('on k: B 8:10, C 9:00', ',,5,,,,in,on')).toBe('12:30:00')
  expect(await at('on -: B3 8:50, C 9:00', ',,4,,,,in,on')).toBe('09:00:00')
  expect(await at('on -: B3 8:09, C 9:00', ',,4,,,,in,on')).toBe('12:30:00')
  // The second rule names A, so it does not apply: trip `in` ends at B.
  expect(await at('on -: B3 8:50, C 9:00', 'B,B3,4,,,,in,on')).toBe('09:00:00')
  expect(await at('on -: B3 8:50, C 9:00', 'A,B3,4,,,,in,on')).toBe('12:30:00')
  // Riders who stay seated neither alight nor board, so the calls may forbid both.
  expect(await at('on k: B 8:10 1,1, C 9:00')).toBe('09:00:00')
})

test('staying seated does not count as another vehicle, even over several trips; an overlapping block is ignored', async () => {
  const chain = ['a k: A 8:00, B 8:10', 'b k: B 8:12, S1 8:20', 'c k: S2 8:20, C 8:40']
  const oracle = await readJourneyOracle(feedOf(chain))
  const departs = QUERY.seconds
  expect(oracle.paretoSet(QUERY)).toEqual([{ departs, arrives: departs + 40 * 60, vehicles: 1 }])
  expect(arrival(oracle)).toBe('08:40:00')
  const overlapping = await readJourneyOracle(feedOf([...chain, 'd k: D 8:05, A 8:15']))
  expect(overlapping.paretoSet(QUERY)).toEqual([])
})

test('boarding and alighting follow the feed, and nobody stays seated in an excluded mode', async () => {
  const at = async (trips: string[], changes: Partial<JourneyQuery> = {}) =>
    arrival(await readJourneyOracle(feedOf(trips)), changes)
  expect(await at(['a: A 8:00 1,, C 9:00', 'b: A 9:00, C 10:00'])).toBe('10:00:00')
  expect(await at(['a: A 8:00, C 9:00 ,1', 'b: A 9:00, C 10:00'])).toBe('10:00:00')
  expect(await at(['a: A 8:00 2,3, C 9:00 3,2'])).toBe('09:00:00')
  expect(await at(['a k: A 8:00, B 8:10', 'b k tram: B 8:10, C 9:00'])).toBe('09:00:00')
  expect(await at(['a k: A 8:00, B 8:10', 'b k tram: B 8:10, C 9:00'], { modes: ['bus'] })).toBeUndefined()
  expect(await at(['a - tram: A 8:00, C 9:00'], { modes: ['bus', 'tram'] })).toBe('09:00:00')
})

test('yesterday’s trips continue after midnight; on days when the clocks change, zero is noon minus twelve hours', async () => {
  const oracle = await readJourneyOracle(feedOf(['n: A 25:00, C 26:10', 'm: A 8:00, C 9:00']))
  const at = (when: string) => arrival(oracle, { seconds: Date.parse(when) / 1000 })
  expect(at('2026-03-03T00:30:00+01:00')).toBe('02:10:00')
  // The clocks go forward on the 29th. So 25:00 on the 28th is 1:00 in winter time, and 26:10 is 3:10 in summer time.
  expect(at('2026-03-29T00:30:00+01:00')).toBe('03:10:00')
  expect(at('2026-03-29T07:00:00+02:00')).toBe('09:00:00')
  expect(at('2026-10-25T07:00:00+01:00')).toBe('09:00:00')
})

test('runs of a frequency start every headway, with shifted times', async () => {
  const files = {
    'frequencies.txt': 'trip_id,start_time,end_time,headway_secs\nf,8:05:00,9:00:00,600\n',
  }
  const oracle = await readJourneyOracle(feedOf(['f: A 6:00, B 6:30/6:31, C 7:00'], files))
  expect(arrival(oracle)).toBe('09:05:00')
  expect(arrival(oracle, { seconds: QUERY.seconds + 301 })).toBe('09:15:00')
  expect(oracle.best(QUERY)?.rides[0]?.tripRef).toBe('20260302:f@08:05:00')
  const all = oracle.paretoSet(QUERY).map(({ departs }) => clock(departs))
  expect(all).toEqual(['08:05:00', '08:15:00', '08:25:00', '08:35:00', '08:45:00', '08:55:00'])
})

test('walks lead to the first stop and from the last; a station is at no distance from its stops', async () => {
  const oracle = await readJourneyOracle(
    feedOf(['a: B2 8:02:00, S1 9:00', 'b: B2 8:02:01, S2 9:10', 'c: B 8:10, S1 9:20']),
  )
  const from = { from: stop('B'), to: { kind: 'area', id: 'S' } as const }
  expect(arrival(oracle, { ...from, maxWalkMeters: 144 })).toBe('09:20:00')
  expect(arrival(oracle, { ...from, maxWalkMeters: 145 })).toBe('09:10:00')
  const point: PlainEnd = { kind: 'point', lat: 48.4001, lon: 7.0 }
  const late = { ...from, maxWalkMeters: 145, to: point, seconds: QUERY.seconds - 1 }
  expect(arrival(oracle, late)).toBe('09:00:00')
  expect(arrival(oracle, { ...from, to: stop('S2'), maxWalkMeters: 29 })).toBe('09:20:25')
})

test('at most seven vehicles, each of which may be several trips', async () => {
  const stops = ['A', 'B', 'C', 'D', 'S1', 'B3', 'F', 'G', 'E']
  const trips = stops.slice(1).map((to, at) => {
    const [departs, arrives] = [8 * 60 + 20 * at, 8 * 60 + 20 * at + 10].map(
      (minutes) => `${two(minutes / 60)}:${two(minutes % 60)}`,
    )
    return `t${at} ${at > 5 ? 'k' : '-'}: ${stops[at]} ${departs}, ${to} ${arrives}`
  })
  const oracle = await readJourneyOracle(feedOf(trips))
  const apart = await readJourneyOracle(feedOf(trips, transfers(',,5,,,,t6,t7')))
  expect(arrival(oracle, { to: stop('G') })).toBe('10:10:00')
  expect(arrival(apart, { to: stop('G') })).toBe('10:10:00')
  expect(arrival(oracle, { to: stop('E') })).toBe('10:30:00')
  expect(arrival(apart, { to: stop('E') })).toBeUndefined()
})

test('a journey leaves within a day after the time, or arrives within a day before it; the far end is excluded', async () => {
  const calendar = BASE['calendar.txt'].replace('20260101,20261231', '20260303,20260303')
  const oracle = await readJourneyOracle(feedOf(['a: A 8:00, C 9:00'], { 'calendar.txt': calendar }))
  const followed = { ...QUERY, followedSeconds: 12 * 3600 }
  expect(oracle.earliestArrival({ ...followed })).toBeUndefined()
  expect(clock(oracle.earliestArrival({ ...followed, seconds: QUERY.seconds + 1 }))).toBe('09:00:00')
  const end = QUERY.seconds + 49 * 3600
  expect(oracle.latestDeparture({ ...followed, seconds: end })).toBeUndefined()
  expect(clock(oracle.latestDeparture({ ...followed, seconds: end - 1 }))).toBe('08:00:00')
})
