// Tests the rides in journeys, on feeds along one meridian: staying seated, frequencies, boarding and alighting, the
// number of vehicles, durations, which of several rides is shown, ticket prices and emissions.
import { describe, expect, test } from 'bun:test'
import { openJourneys, pointAt } from './journey-lines.ts'

/** A calendar with a single day, so that no journey waits for the same trip on the next day. */
const ONE_DAY = {
  'calendar.txt': `service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
    daily,1,1,1,1,1,1,1,20260610,20260610`,
}
const seatRules = (...rows: readonly string[]) => ({
  'transfers.txt': ['from_stop_id,to_stop_id,from_trip_id,to_trip_id,transfer_type', ...rows].join('\n'),
})

describe('staying seated', () => {
  /** A feed whose second trip starts some seconds after the first ends, and some meters away. */
  const feed = (wait: number, meters: number, blocks = true) => ({
    stops: { A: 0, B: 5000, C: 5000 + meters, D: 9000 },
    trips: {
      'in-1': 'A 08:00, B 08:10',
      'out-1': `C ${new Date((8 * 3600 + 600 + wait) * 1000).toISOString().slice(11, 19)}, D 08:30`,
    },
    ...(blocks ? { blocks: { 'in-1': 'k', 'out-1': 'k' } } : {}),
  })
  const seatedOf = async (of: ReturnType<typeof feed>, files = {}) => {
    const { ask } = await openJourneys({ ...of, files: { ...ONE_DAY, ...files } })
    const answers = [
      await ask('A', 'D', 'limit=1'),
      await ask('A', 'D', 'limit=1&arrive_by=2026-06-10T08:30:00%2B02:00'),
    ]
    return answers.map(({ body }) => {
      const [journey] = body.data
      return [
        journey?.sections.map(({ kind, stay_seated }: { kind: string; stay_seated?: boolean }) => stay_seated ?? kind),
        journey?.transfers,
      ]
    })
  }
  const SEATED = [['transit', true], 0]
  const CHANGED = [['transit', 'walk', 'transit'], 1]
  const NONE = [undefined, undefined]
  const twice = <T>(each: T) => [each, each]

  test('in one block: no time, no walk, no transfer', async () => {
    expect(await seatedOf(feed(0, 0))).toEqual(twice(SEATED))
    expect(await seatedOf(feed(0, 99))).toEqual(twice(SEATED))
    expect(await seatedOf(feed(600, 99))).toEqual(twice(SEATED))
    const { lines } = await openJourneys(feed(30, 50))
    expect(await lines('A', 'D')).toEqual([['in-1 A 08:00:00 B 08:10:00', 'out-1 C 08:10:30 D 08:30:00 seated']])
  })

  test('not in another block, farther away, or later', async () => {
    expect(await seatedOf(feed(0, 0, false))).toEqual(twice(NONE))
    expect(await seatedOf(feed(60, 101))).toEqual(twice(NONE))
    expect(await seatedOf(feed(300, 101))).toEqual(twice(CHANGED))
    expect(await seatedOf(feed(601, 50))).toEqual(twice(CHANGED))
  })

  test('a feed forces it (type 4) or forbids it (type 5)', async () => {
    expect(await seatedOf(feed(0, 50, false), seatRules(',,in-1,out-1,4'))).toEqual(twice(SEATED))
    expect(await seatedOf(feed(900, 300, false), seatRules(',,in-1,out-1,4'))).toEqual(twice(SEATED))
    expect(await seatedOf(feed(30, 50), seatRules(',,in-1,out-1,5'))).toEqual(twice(NONE))
    expect(await seatedOf(feed(300, 50), seatRules(',,in-1,out-1,5'))).toEqual(twice(CHANGED))
  })

  test('and counts no transfer alongside others', async () => {
    const { ask, lines } = await openJourneys({
      stops: { A: 0, B: 5000, D: 9000, E: 15_000 },
      trips: { 'in-1': 'A 08:00, B 08:10', 'on-1': 'B 08:11, D 08:20', 'far-1': 'D 08:25, E 08:40' },
      blocks: { 'in-1': 'k', 'on-1': 'k' },
    })
    expect((await lines('A', 'E'))[0]).toEqual([
      'in-1 A 08:00:00 B 08:10:00',
      'on-1 B 08:11:00 D 08:20:00 seated',
      'far-1 D 08:25:00 E 08:40:00',
    ])
    expect((await ask('A', 'E')).body.data[0].transfers).toBe(1)
  })
})

test('trips by frequency: their scheduled runs, without the end of the period', async () => {
  const { best, ask } = await openJourneys({
    stops: { A: 0, B: 5000 },
    trips: { 'f-1': 'A 00:00, B 00:10' },
    files: { 'frequencies.txt': 'trip_id,start_time,end_time,headway_secs\nf-1,08:00:00,09:00:00,600' },
  })
  expect(await best('A', 'B', 'when=2026-06-10T08:03:00%2B02:00')).toEqual(['f-1@08:10:00 A 08:10:00 B 08:20:00'])
  expect(await best('A', 'B', 'when=2026-06-10T08:50:00%2B02:00')).toEqual(['f-1@08:50:00 A 08:50:00 B 09:00:00'])
  expect(await best('A', 'B', 'when=2026-06-10T08:50:01%2B02:00')).toEqual([
    '20260611:f-1@08:00:00 A 08:00:00 B 08:10:00',
  ])
  expect(await best('A', 'B', 'arrive_by=2026-06-10T08:39:59%2B02:00')).toEqual(['f-1@08:20:00 A 08:20:00 B 08:30:00'])
  const { body } = await ask('A', 'B')
  expect(body.data[0].sections[0].trip_id).toBe('ville:trip:20260610:f-1@08:00:00')
})

describe('calls', () => {
  test('boarding and alighting only where allowed', async () => {
    const { best, ask } = await openJourneys({
      stops: { A: 0, B: 3000, C: 6000, D: 9000 },
      trips: { 'x-1': 'A 08:00, B 08:05 off, C 08:10 on, D 08:15', 'y-1': 'B 08:30, C 08:40' },
    })
    expect(await best('A', 'B')).toEqual(['x-1 A 08:00:00 B 08:05:00'])
    expect(await best('C', 'D')).toEqual(['x-1 C 08:10:00 D 08:15:00'])
    expect(
      (await ask('B', 'D')).body.data.flatMap(({ sections }: { sections: { trip_id: string }[] }) =>
        sections.map(({ trip_id }) => trip_id),
      ),
    ).not.toContain('ville:trip:20260610:x-1')
    expect((await best('A', 'C')).at(-1)).toBe('y-1 B 08:30:00 C 08:40:00')
    expect((await best('A', 'C', 'arrive_by=2026-06-10T09:00:00%2B02:00')).at(-1)).toBe('y-1 B 08:30:00 C 08:40:00')
  })

  test('stop_ids has every call from boarding to alighting, on a loop each time', async () => {
    const { ask } = await openJourneys({
      stops: { A: 0, B: 3000, C: 6000, D: 9000 },
      trips: { 'x-1': 'A 08:00, B 08:05, C 08:10, B 08:15, D 08:20' },
    })
    const calls = async (from: string, to: string) => {
      const [journey] = (await ask(from, to, 'limit=1')).body.data
      return [journey.sections[0].stop_ids.join(' ').replaceAll('ville:stop:', ''), journey.departure_at.slice(11, 16)]
    }
    expect(await calls('A', 'D')).toEqual(['A B C B D', '08:00'])
    expect(await calls('A', 'B')).toEqual(['A B', '08:00'])
    // The trip calls at B twice. Riders board at the second call, since the ride from there to D is shorter.
    expect(await calls('B', 'D')).toEqual(['B D', '08:15'])
    expect(await calls('C', 'B')).toEqual(['C B', '08:10'])
  })
})

describe('reach', () => {
  /** A chain of trips: each further trip needs a transfer to another vehicle. */
  const chain = (count: number) => {
    const name = (at: number) => `S${at}`
    const at = (minutes: number) =>
      `${String(8 + Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`
    return {
      stops: Object.fromEntries(Array.from({ length: count + 1 }, (_, stop) => [name(stop), stop * 3000])),
      trips: Object.fromEntries(
        Array.from({ length: count }, (_, ride) => [
          `l${ride}-1`,
          `${name(ride)} ${at(ride * 10)}, ${name(ride + 1)} ${at(ride * 10 + 5)}`,
        ]),
      ),
    }
  }

  test('at most seven vehicles', async () => {
    const seven = await openJourneys(chain(7))
    expect((await seven.ask('S0', 'S7')).body.data[0].transfers).toBe(6)
    expect((await seven.lines('S0', 'S7', 'arrive_by=2026-06-10T10:00:00%2B02:00'))[0]).toHaveLength(7)
    const eight = await openJourneys(chain(8))
    expect((await eight.ask('S0', 'S8')).body.meta.reason).toBe('no_connection')
    expect((await eight.ask('S0', 'S8', 'arrive_by=2026-06-10T10:00:00%2B02:00')).body.data).toEqual([])
  })

  test('the first vehicle leaves within 24 hours after `when`; the last arrives within 24 before `arrive_by`', async () => {
    const { best, ask } = await openJourneys({
      stops: { A: 0, B: 5000 },
      trips: { 'x-1': 'A 08:00, B 08:10' },
      files: {
        ...ONE_DAY,
        'calendar_dates.txt': 'service_id,date,exception_type\ndaily,20260620,1',
      },
    })
    expect(await best('A', 'B', 'when=2026-06-09T08:00:01%2B02:00')).toEqual(['x-1 A 08:00:00 B 08:10:00'])
    expect((await ask('A', 'B', 'when=2026-06-09T07:59:59%2B02:00')).body.data).toEqual([])
    expect(await best('A', 'B', 'arrive_by=2026-06-11T08:09:59%2B02:00')).toEqual(['x-1 A 08:00:00 B 08:10:00'])
    expect((await ask('A', 'B', 'arrive_by=2026-06-11T08:10:01%2B02:00')).body.data).toEqual([])
    expect((await ask('A', 'B', 'when=2026-06-15T08:00:00%2B02:00')).body.meta.reason).toBe('no_connection')
  })
})

describe('the list', () => {
  test('sorted by arrival, or by departure if the arrival is given; direct before a transfer that saves little', async () => {
    const { lines } = await openJourneys({
      stops: { A: 0, B: 5000, C: 9000 },
      trips: {
        'direct-1': 'A 08:00, C 08:22',
        'in-1': 'A 08:00, B 08:10',
        'out-1': 'B 08:15, C 08:20',
        'direct-2': 'A 08:30, C 08:52',
      },
      files: ONE_DAY,
    })
    const forward = await lines('A', 'C', 'limit=6')
    // The journey with the earliest arrival is never removed, even though its transfer saves only two minutes.
    expect(forward[0]?.at(-1)).toBe('out-1 B 08:15:00 C 08:20:00')
    expect(forward.slice(1)).toEqual([['direct-1 A 08:00:00 C 08:22:00'], ['direct-2 A 08:30:00 C 08:52:00']])
    const back = await lines('A', 'C', 'limit=6&arrive_by=2026-06-10T08:52:00%2B02:00')
    expect(back[0]).toEqual(['direct-2 A 08:30:00 C 08:52:00'])
    expect(back[1]).toEqual(['direct-1 A 08:00:00 C 08:22:00'])
    expect(back.flat().join()).not.toContain('out-1')
  })

  test('two that differ only in a transfer stop are one', async () => {
    const { lines } = await openJourneys({
      stops: { A: 0, B: 5000, C: 8000, D: 12_000 },
      trips: { 'in-1': 'A 08:00, B 08:10, C 08:15', 'out-1': 'B 08:20, C 08:25, D 08:35' },
      files: ONE_DAY,
    })
    expect(await lines('A', 'D', 'limit=6')).toHaveLength(1)
  })
})

describe('fare and emissions', () => {
  const feed = { stops: { A: 0, B: 5000 }, trips: { 'x-1': 'A 08:00, B 08:10' } }
  const journeyOf = async (files: Record<string, string>, from = 'A', to = 'B') => {
    const { ask } = await openJourneys({ ...feed, files })
    return (await ask(from, to, 'limit=1')).body.data[0]
  }
  const ticket = (price: string, currency: string) => ({
    'fare_attributes.txt': `fare_id,price,currency_type,payment_method,transfers\nt,${price},${currency},0,`,
  })

  test('from the feed, in the operator’s language', async () => {
    expect((await journeyOf(ticket('2.10', 'EUR'))).fare).toEqual({ amount: 210, currency: 'EUR', text: '2,10 €' })
    expect((await journeyOf(ticket('0', 'EUR'))).fare).toEqual({ amount: 0, currency: 'EUR', text: '0,00 €' })
    expect((await journeyOf(ticket('230', 'JPY'))).fare).toMatchObject({ amount: 230, currency: 'JPY' })
    const english = {
      ...ticket('2.10', 'USD'),
      'agency.txt':
        'agency_id,agency_name,agency_url,agency_timezone,agency_lang\nV,V,https://v.example,Europe/Paris,en',
    }
    expect((await journeyOf(english)).fare.text).toMatch(/^(US)?\$2\.10$/)
  })

  test('null if the feed has none, and on foot', async () => {
    expect((await journeyOf({})).fare).toBeNull()
    const walk = await journeyOf(ticket('2.10', 'EUR'), 'A', pointAt(100))
    expect([walk.fare, walk.co2_grams]).toEqual([null, 0])
  })

  test('grams by mode and distance', async () => {
    // 5 km by bus at 113 g per kilometer.
    expect((await journeyOf({})).co2_grams).toBe(565)
    const { ask } = await openJourneys({ ...feed, modes: { x: 0 } })
    expect((await ask('A', 'B')).body.data[0].co2_grams).toBe(21.4)
    const round = {
      'trips.txt': 'route_id,service_id,trip_id,shape_id\nx,daily,x-1,round',
      'shapes.txt': `shape_id,shape_pt_lat,shape_pt_lon,shape_pt_sequence
        round,${pointAt(0)},1
        round,48.52,7.55,2
        round,${pointAt(5000)},3`,
    }
    const grams = (await journeyOf(round)).co2_grams
    // The shape has a detour via 48.52, 7.55. Its two parts are 4.30 and 4.61 km long, about 8.9 km in all.
    expect(grams).toBeGreaterThan(113 * 8.5)
    expect(grams).toBeLessThan(113 * 9.3)
  })
})
