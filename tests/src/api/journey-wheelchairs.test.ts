// Tests `wheelchair=true`, which excludes the trips, stops, stairs and escalators that wheelchairs cannot use. Fails if
// a section cannot be used with a wheelchair, or if a usable section is left out.
import { expect, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'
import { ROUTES } from '../../../src/contract/routes.ts'
import { delayedTrip } from '../../feeds/realtime-feed.ts'
import { latOf, openJourneys, pointAt } from './journey-lines.ts'
import { publishedTrips } from './published-trips.ts'

const LON = '7.5'
const TRIPS = `route_id,service_id,trip_id,trip_headsign,block_id,wheelchair_accessible
  tram,daily,tram-1,,,1
  bus,daily,bus-1,,,2
  van,daily,van-1,,,`

/**
 * Three lines from A to Z. Trips on `tram` have wheelchair access, trips on `bus` have none, and for `van` it is
 * unknown.
 */
const feed = {
  stops: { A: 0, Z: 5000 },
  trips: { 'tram-1': 'A 08:10, Z 08:30', 'bus-1': 'A 08:00, Z 08:15', 'van-1': 'A 08:20, Z 08:35' },
  files: { 'trips.txt': TRIPS },
}
const MOMENT = 'when=2026-06-10T07:55:00%2B02:00&limit=6'

const stopRows = (rows: readonly string[]) => ({
  'stops.txt': ['stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station,wheelchair_boarding', ...rows].join(
    '\n',
  ),
})
const place = (id: string, meters: number, rest: string) => `${id},Name of ${id},${latOf(meters)},${LON},${rest}`

test('trips without wheelchair access are omitted; unknown ones are kept and marked', async () => {
  const { ask } = await openJourneys({
    ...feed,
    files: { ...feed.files, ...stopRows([place('A', 0, '0,,1'), place('Z', 5000, '0,,1')]) },
  })
  const ridesOf = async (more: string) =>
    (await ask('A', 'Z', `${MOMENT}${more}`)).body.data.map(
      ({ sections }: { sections: { line: { code: string }; wheelchair?: string }[] }) =>
        sections.map(({ line, wheelchair }) => `${line.code} ${wheelchair}`).join(),
    )
  const all = ['bus undefined', 'tram undefined', 'van undefined']
  expect(await ridesOf('')).toEqual(all)
  expect(await ridesOf('&wheelchair=false')).toEqual(all)
  expect(await ridesOf('&wheelchair=true')).toEqual(['tram yes', 'van unknown'])
  const { body } = await ask('A', 'Z', `${MOMENT}&wheelchair=true&include=calls`)
  expect(Value.Check(ROUTES.journeys.answer, body)).toBe(true)
  for (const value of ['', '1', 'yes', 'True']) {
    const refused = await ask('A', 'Z', `wheelchair=${value}`)
    expect([refused.status, refused.body.reason, refused.body.param]).toEqual([
      400,
      'transit_query_invalid',
      'wheelchair',
    ])
  }
})

test('a stop without a value inherits that of its station; `yes` needs both stops', async () => {
  const journeys = async (station: string, own: string) => {
    const rows = [place('A', 0, '0,,1'), place('S', 5000, `1,,${station}`), place('Z', 5000, `0,S,${own}`)]
    const { ask } = await openJourneys({ ...feed, files: { ...feed.files, ...stopRows(rows) } })
    const { data } = (await ask('A', 'Z', `${MOMENT}&wheelchair=true`)).body
    return data.map(({ sections }: { sections: { wheelchair: string }[] }) => sections[0]?.wheelchair)
  }
  expect(await journeys('2', '')).toEqual([])
  expect(await journeys('2', '0')).toEqual([])
  expect(await journeys('2', '1')).toEqual(['yes', 'unknown'])
  expect(await journeys('1', '2')).toEqual([])
  expect(await journeys('1', '')).toEqual(['yes', 'unknown'])
  expect(await journeys('', '')).toEqual(['unknown', 'unknown'])
})

test('nobody transfers at a stop without wheelchair access, even if the stop beside it has access', async () => {
  const rows = [place('A', 0, '0,,'), place('M', 5000, '0,,'), place('N', 5010, '0,,2'), place('Z', 10_000, '0,,')]
  for (const [there, on] of ['MN', 'NM']) {
    const trips = { 'in-1': `A 08:00, ${there} 08:10`, 'out-1': `${on} 08:20, Z 08:40` }
    const { best } = await openJourneys({ stops: {}, trips, files: stopRows(rows) })
    expect((await best('A', 'Z', MOMENT)).at(-1)).toContain('out-1')
    expect(await best('A', 'Z', `${MOMENT}&wheelchair=true`)).toEqual([])
  }
})

/**
 * A feed with a train to P1, and trains from P2 and P3. The entrance is at 10 050 m.
 * @param modes pathway → pathway_mode; a pathway is named by its ends, such as `P1-D`
 */
const station = (modes: Readonly<Record<string, number>>, entranceAccess = '') => ({
  stops: {},
  trips: { 'in-1': 'A 08:00, P1 08:10', 'two-1': 'P2 08:20, Y 08:40', 'three-1': 'P3 08:15, Y 08:30' },
  files: {
    ...stopRows([
      place('A', 0, '0,,'),
      place('Y', 20_000, '0,,'),
      place('S', 10_000, '1,,'),
      place('P1', 10_000, '0,S,'),
      place('P2', 10_010, '0,S,'),
      place('P3', 10_020, '0,S,'),
      place('D', 10_050, `2,S,${entranceAccess}`),
    ]),
    'pathways.txt': [
      'pathway_id,from_stop_id,to_stop_id,pathway_mode,is_bidirectional,traversal_time',
      ...Object.entries(modes).map(([ends, mode], at) => `p${at},${ends.replace('-', ',')},${mode},1,60`),
    ].join('\n'),
  },
})

test('transfers do not use stairs or escalators; the elevator is used, however near the stairs', async () => {
  for (const steps of [2, 4]) {
    const { best } = await openJourneys(station({ 'P1-P2': 5, 'P1-P3': steps }))
    expect((await best('A', 'Y', MOMENT)).at(-1)).toContain('three-1')
    expect(await best('A', 'Y', `${MOMENT}&wheelchair=true`)).toEqual([
      'in-1 A 08:00:00 P1 08:10:00',
      'walk 72 m P1 08:10:00 P2 08:11:00',
      'two-1 P2 08:20:00 Y 08:40:00',
    ])
  }
})

test('a journey with the elevator is the same when requested again by its id', async () => {
  const { ask, get } = await openJourneys(station({ 'P1-P2': 2, 'P1-P3': 2, 'P1-D': 5, 'D-P2': 5 }))
  const [journey] = (await ask('A', 'Y', `${MOMENT}&wheelchair=true`)).body.data
  const walk = journey.sections[1]
  expect([walk.kind, walk.duration_seconds]).toEqual(['walk', 120])
  const again = (await get(`/v1/journeys/${journey.id}`)).body.data
  const rides = journey.sections.map(({ wheelchair, ...section }: { wheelchair?: string }) => section)
  expect(again.sections).toEqual(rides)
})

test('riders who reach a platform from the street, or leave it, use no stairs and no closed door', async () => {
  const door = pointAt(10_060)
  const wheelchair = `${MOMENT}&wheelchair=true&max_walk=500`
  const byStairs = await openJourneys(station({ 'P1-D': 2 }))
  expect((await byStairs.best('A', door, MOMENT)).length).toBe(2)
  // P2 and P3 have no pathways, so they could be used, but no train from A calls there.
  expect(await byStairs.best('A', door, wheelchair)).toEqual([])
  const byElevator = await openJourneys(station({ 'P1-D': 5 }))
  expect((await byElevator.best('A', door, wheelchair)).length).toBe(2)
  const closed = await openJourneys(station({ 'P1-D': 5 }, '2'))
  expect(await closed.best('A', door, wheelchair)).toEqual([])
  expect((await closed.best('A', door, MOMENT)).length).toBe(2)
})

test('riders who can leave a platform only by stairs do not transfer to another one across the street', async () => {
  const { best } = await openJourneys(station({ 'P1-D': 2 }))
  expect((await best('A', 'Y', MOMENT)).at(-1)).toContain('three-1')
  expect(await best('A', 'Y', `${MOMENT}&wheelchair=true`)).toEqual([])
})

test('riders leave a vehicle before it continues as a trip without wheelchair access, and blocks stay unchanged', async () => {
  const { best, lines } = await openJourneys({
    stops: { A: 0, B: 5000, C: 10_000, Z: 20_000 },
    trips: { 'in-1': 'A 08:00, B 08:05', 'on-1': 'B 08:06, C 08:07, B 08:08', 'out-1': 'B 08:09, Z 08:30' },
    files: {
      'trips.txt': `route_id,service_id,trip_id,trip_headsign,block_id,wheelchair_accessible
        in,daily,in-1,,k,1
        on,daily,on-1,,k,2
        out,daily,out-1,,k,1`,
    },
  })
  expect((await best('A', 'C', MOMENT)).at(-1)).toContain('seated')
  expect(await lines('A', 'C', `${MOMENT}&wheelchair=true`)).toEqual([])
  const last = (await best('A', 'Z', `${MOMENT}&wheelchair=true`)).at(-1)
  expect(last).toBe('out-1 B 08:09:00 Z 08:30:00')
})

test('a cursor is bound to `true`; `false` equals no value', async () => {
  const { ask } = await openJourneys(feed)
  const one = 'when=2026-06-10T07:55:00%2B02:00&limit=1'
  const cursorOf = async (more: string) => (await ask('A', 'Z', `${one}${more}`)).body.meta.next_cursor
  const [plain, step] = [await cursorOf(''), await cursorOf('&wheelchair=true')]
  const page = async (cursor: string, more: string) => await ask('A', 'Z', `limit=1&cursor=${cursor}${more}`)
  expect((await page(plain, '&wheelchair=false')).status).toBe(200)
  expect((await page(plain, '&wheelchair=true')).status).toBe(400)
  expect((await page(step, '')).status).toBe(400)
  const next = await page(step, '&wheelchair=true')
  expect([next.status, next.body.data[0]?.sections[0]?.line.code]).toEqual([200, 'van'])
})

test('a trip with live data is omitted too, and an accessible one shows what is known', async () => {
  const { ask, networks, service } = await openJourneys(feed)
  const [network] = networks.list
  if (network === undefined) throw new Error('there is no network')
  const entities = ['bus-1', 'tram-1'].map((trip) => delayedTrip(trip, '20260610', { A: 60 }))
  network.live = publishedTrips(network, entities, service.nowMillis)
  const ridesOf = async (more: string) =>
    (await ask('A', 'Z', `${MOMENT}${more}`)).body.data.map(
      ({ sections }: { sections: { line: { code: string }; realtime: boolean; wheelchair?: string }[] }) =>
        sections.map(({ line, realtime, wheelchair }) => `${line.code} ${realtime} ${wheelchair}`).join(),
    )
  expect(await ridesOf('')).toEqual(['bus true undefined', 'tram true undefined', 'van false undefined'])
  expect(await ridesOf('&wheelchair=true')).toEqual(['tram true unknown', 'van false unknown'])
})
