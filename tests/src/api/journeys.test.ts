// Tests GET /v1/journeys on the small feed: origin and destination, times, the effect of each parameter, and the reason
// if there is no journey. Fails if a place is confused with another, if a time is off by a second, or if a reason is
// wrong.
import { describe, expect, test } from 'bun:test'
import { ServedAddresses } from '../../../src/places/served-addresses.ts'
import { type AddressRow, indexOf } from '../../feeds/address-file.ts'
import { openApi } from './api-under-test.ts'
import { journeyLines } from './journey-lines.ts'
import { ATTRIBUTION, COMPACT_A } from './small-feed-answers.ts'

/** An address near the stop T, at a straight distance of 72.3 m. */
const RUE: AddressRow = {
  streetId: '67482_1234',
  number: 12,
  street: 'Rue du Sport',
  postcode: '67000',
  communeCode: '67482',
  commune: 'Strasbourg',
  lat: 48.59065,
  lon: 7.76,
}
const addresses = new ServedAddresses(
  { index: await indexOf([RUE, { ...RUE, number: 40, lat: 48.6 }]), id: 'ban1', madeAtMillis: 0 },
  ['BAN, open licence'],
)
const api = await openApi({ addresses })

const ask = (from: string, to: string, more = '') =>
  api.get(`/v1/journeys?from=${encodeURIComponent(from)}&to=${encodeURIComponent(to)}${more === '' ? '' : `&${more}`}`)
const lines = async (from: string, to: string, more = '') => journeyLines(await ask(from, to, more))
const [G, CA, CB, P, T, S] = ['stop:G', 'stop:CA', 'stop:CB', 'stop:P', 'stop:T', 'area:S'].map((id) => `ville:${id}`)

/**
 * The journey from Gare to the stadium at eight: by tram, on foot from platform A to B, and by bus. No later tram
 * reaches this bus.
 */
const BY_B1 = ['a1 G 08:00:00 CA 08:05:00', 'walk 35 m CA 08:05:00 CB 08:05:30', 'b1 CB 08:10:00 T 08:20:00']

test('a full response', async () => {
  const { body } = await ask(G, P, 'limit=1')
  const gare = { kind: 'stop', lat: 48.585, lon: 7.735, stop_id: G, name: 'Gare' }
  const port = { kind: 'stop', lat: 48.575, lon: 7.77, stop_id: P, name: 'Port du Rhin' }
  const times = {
    departure_at: '2026-06-10T08:00:00+02:00',
    arrival_at: '2026-06-10T08:12:00+02:00',
    duration_seconds: 720,
  }
  expect(body).toEqual({
    data: [
      {
        id: expect.stringMatching(/^ville:journey:[\w-]+$/),
        ...times,
        transfers: 0,
        slack_seconds: null,
        at_risk: false,
        walking_seconds: 0,
        walking_meters: 0,
        fare: null,
        // There are no shapes, so the straight-line distances are used: 1.237 and 1.570 km. A tram emits 4.28 g of CO2
        // per kilometer.
        co2_grams: 12,
        source: 'ville',
        realtime: false,
        sections: [
          {
            kind: 'transit',
            ...times,
            realtime: false,
            line: { ...COMPACT_A, text_color: '#FFFFFF' },
            headsign: 'Port',
            direction_id: '0',
            stop_ids: [G, CA, P],
            trip_id: 'ville:trip:20260610:a1',
            from_place: gare,
            to_place: port,
            scheduled_departure_at: times.departure_at,
            scheduled_arrival_at: times.arrival_at,
            delay_seconds: null,
            status: 'unknown',
            platform: '',
            vehicle_id: null,
          },
        ],
      },
    ],
    meta: {
      generated_at: '2026-06-10T06:00:00Z',
      units: 5,
      network: 'ville',
      freshness: 'scheduled',
      count: 1,
      limit: 1,
      max_walk: 1000,
      previous_cursor: expect.stringMatching(/^[\w-]+$/),
      next_cursor: expect.stringMatching(/^[\w-]+$/),
      attribution: ATTRIBUTION,
    },
  })
})

describe('ends', () => {
  test('stops, areas and words for a stop', async () => {
    expect((await lines(G, T))[0]).toEqual(BY_B1)
    expect((await lines('gare', 'STADE elan'))[0]).toEqual(BY_B1)
    // An area means all of its platforms, so no walk between them is needed.
    expect((await lines(S, T))[0]).toEqual(['b1 CB 08:10:00 T 08:20:00'])
    expect((await lines('centre', P))[0]).toEqual(['a1 CA 08:05:30 P 08:12:00'])
    expect((await lines(G, S))[0]).toEqual(['a1 G 08:00:00 CA 08:05:00'])
    // A stop is a single platform, so riders walk to the other one, at a straight distance of 26.6 m.
    expect((await lines(CA, T))[0]).toEqual(['walk 35 m CA 08:09:30 CB 08:10:00', 'b1 CB 08:10:00 T 08:20:00'])
  })

  test('a point, an address by its id and by words', async () => {
    const there = 'b1 CB 08:10:00 T 08:20:00'
    expect((await lines(CB, '48.59065,7.76'))[0]).toEqual([there, 'walk 94 m T 08:20:00 * 08:21:19'])
    const label = '12 Rue du Sport 67000 Strasbourg'
    for (const text of ['ban:67482_1234_00012', '12 rue du sport']) {
      const { body } = await ask(CB, text)
      expect(body.data[0].sections[1]).toMatchObject({
        kind: 'walk',
        departure_at: '2026-06-10T08:20:00+02:00',
        arrival_at: '2026-06-10T08:21:19+02:00',
        duration_seconds: 79,
        distance_meters: 94,
        from_place: { kind: 'stop', stop_id: T },
        to_place: { kind: 'address', lat: 48.59065, lon: 7.76, label },
      })
    }
    const back = await ask('12 rue du sport', CB, 'max_walk=2500')
    expect(back.body.data[0].sections[0].from_place).toEqual({ kind: 'address', lat: 48.59065, lon: 7.76, label })
  })

  test('coordinates may have spaces around the comma, and are not swapped', async () => {
    expect((await lines(CB, ' 48.59065 , 7.76 '))[0]?.length).toBe(2)
    expect(await ask(CB, '7.76,48.59065')).toMatchObject({ status: 400, body: { reason: 'invalid_location' } })
  })

  test('an unknown place is an invalid location, and names its parameter', async () => {
    for (const text of [
      'ville:stop:nope',
      'ville:area:G',
      'nowhere:stop:G',
      'ban:67482_9999',
      '91,7',
      '48,181',
      'zzzz',
      '0,0',
      '   ',
    ]) {
      for (const name of ['from', 'to']) {
        const { status, body } = name === 'from' ? await ask(text, P) : await ask(P, text)
        expect({ text, status, reason: body.reason, param: body.param }).toEqual({
          text,
          status: 400,
          reason: 'invalid_location',
          param: name,
        })
      }
    }
  })

  test('both are required', async () => {
    for (const [query, param] of [
      [`to=${P}`, 'from'],
      [`from=${P}`, 'to'],
      ['', 'from'],
    ]) {
      const { status, body } = await api.get(`/v1/journeys?${query}`)
      expect([status, body.reason, body.param]).toEqual([400, 'transit_query_invalid', param])
    }
    const empty = await ask('', P)
    expect([empty.status, empty.body.reason, empty.body.param]).toEqual([400, 'invalid_location', 'from'])
  })
})

describe('the time', () => {
  const LATE = '2026-06-10T08:00:01%2B02:00'

  test('is the earliest departure, by default now', async () => {
    const first = async (more: string) => (await lines(G, P, `limit=1&${more}`))[0]?.[0]
    expect(await first('')).toBe('a1 G 08:00:00 P 08:12:00')
    expect(await first('when=now')).toBe('a1 G 08:00:00 P 08:12:00')
    expect(await first(`when=${LATE}`)).toBe('a2 G 08:10:00 P 08:22:00')
    expect(await first(`when=${LATE}&arrive_by=false`)).toBe('a2 G 08:10:00 P 08:22:00')
    // The tram has already left if the time is a fraction of a second after its departure.
    expect(await first('when=2026-06-10T06:00:00.001Z')).toBe('a2 G 08:10:00 P 08:22:00')
  })

  test('may be the latest arrival', async () => {
    const BY_22 = ['a2 G 08:10:00 P 08:22:00']
    const BY_12 = ['a1 G 08:00:00 P 08:12:00']
    expect((await lines(G, P, 'arrive_by=2026-06-10T08:22:00%2B02:00')).slice(0, 2)).toEqual([BY_22, BY_12])
    expect((await lines(G, P, 'arrive_by=2026-06-10T08:21:59%2B02:00'))[0]).toEqual(BY_12)
    expect((await lines(G, P, 'arrive_by=true&when=2026-06-10T08:22:00%2B02:00'))[0]).toEqual(BY_22)
    expect((await lines(G, P, 'arrive_by=2026-06-10T06:22:00.5Z'))[0]).toEqual(BY_22)
    // `arrive_by=true` means arriving by now. The best journey is yesterday's last tram, which arrives after midnight.
    expect((await lines(G, P, 'arrive_by=true'))[0]).toEqual(['20260609:a3 G 23:58:00 P 00:10:00'])
    // The latest arrival applies to the end of the last walk, not to the end of the ride.
    expect((await lines(CB, '48.59065,7.76', 'arrive_by=2026-06-10T08:21:19%2B02:00'))[0]?.[0]).toStartWith('b1')
    expect((await lines(CB, '48.59065,7.76', 'arrive_by=2026-06-10T08:21:18%2B02:00'))[0]?.[0]).not.toStartWith('b1')
  })

  test('cannot be given twice, or be empty', async () => {
    for (const more of [
      `when=now&arrive_by=${LATE}`,
      `when=${LATE}&arrive_by=${LATE}`,
      'arrive_by=now',
      'arrive_by=',
      'arrive_by=2026-06-10',
      'arrive_by=1',
    ]) {
      const { status, body } = await ask(G, P, more)
      expect({ more, status, reason: body.reason, param: body.param }).toEqual({
        more,
        status: 400,
        reason: 'transit_query_invalid',
        param: 'arrive_by',
      })
    }
  })

  test('after midnight, the day before still runs; in autumn, an hour occurs twice', async () => {
    expect((await lines(CA, P, 'when=2026-06-11T00:00:00%2B02:00'))[0]).toEqual(['a3 CA 00:03:30 P 00:10:00'])
    const { body } = await ask(G, P, 'when=2026-10-25T03:00:00%2B01:00&limit=1')
    expect(body.data[0].departure_at).toBe('2026-10-25T08:00:00+01:00')
  })
})

describe('parameters', () => {
  test('modes limit vehicles, never walks', async () => {
    expect((await lines(G, T, 'modes=tram,bus'))[0]).toEqual(BY_B1)
    // By tram to Centre, then on foot: 1 304 m straight from CA to T, 1 695 m walked.
    expect((await lines(G, T, 'modes=tram&max_walk=2500'))[0]).toEqual([
      'a1 G 08:00:00 CA 08:05:00',
      expect.stringMatching(/^walk 17\d\d m CA 08:05:00 T 08:/),
    ])
    const none = await ask(G, T, 'modes=ferry')
    expect([none.body.data, none.body.meta.reason]).toEqual([[], 'no_connection'])
    expect((await ask(G, T, 'modes=plane')).status).toBe(400)
    // Walking is possible whatever the modes.
    expect((await lines(CA, CB, 'modes=ferry'))[0]).toEqual(['walk 35 m CA 08:00:00 CB 08:00:30'])
  })

  test('the planner: ours, or the operator’s if there is one', async () => {
    for (const planner of ['auto', 'service']) expect((await lines(G, T, `planner=${planner}`))[0]).toEqual(BY_B1)
    const { status, body } = await ask(G, T, 'planner=native')
    expect([status, body.reason]).toEqual([404, 'capability_unsupported'])
    expect((await ask(G, T, 'planner=none')).body.reason).toBe('transit_query_invalid')
  })

  test('max_walk to the meter: at the start, at the end, and on foot all the way', async () => {
    const door = '48.59065,7.76'
    expect((await lines(CB, door, 'max_walk=94'))[0]?.at(-1)).toBe('walk 94 m T 08:20:00 * 08:21:19')
    expect((await ask(CB, door, 'max_walk=93')).body.meta.reason).toBe('no_stops_in_range')
    expect((await lines(T, door, 'max_walk=94'))[0]).toEqual(['walk 94 m T 08:00:00 * 08:01:19'])
    expect((await ask(T, door, 'max_walk=93')).body.data).toEqual([])
    expect((await lines(G, P, 'max_walk=0&limit=1'))[0]).toEqual(['a1 G 08:00:00 P 08:12:00'])
    for (const value of ['2501', '-1', '1e2']) expect((await ask(G, P, `max_walk=${value}`)).status).toBe(400)
  })

  test('limit: three by default, at most six; the first is always included', async () => {
    const all = await lines(G, P, 'limit=6&when=2026-06-10T07:00:00%2B02:00')
    expect(all.length).toBeGreaterThan(2)
    for (const limit of [1, 2, 3]) {
      const { body } = await ask(G, P, `limit=${limit}&when=2026-06-10T07:00:00%2B02:00`)
      expect(body.data.length).toBe(limit)
      expect(body.meta).toMatchObject({ limit, count: limit })
      expect(body.data[0].arrival_at).toBe('2026-06-10T08:12:00+02:00')
    }
    expect((await ask(G, P)).body.meta.limit).toBe(3)
    for (const value of ['0', '7', '']) expect((await ask(G, P, `limit=${value}`)).status).toBe(400)
  })

  test('equal journeys have equal ids, different ones different ids', async () => {
    const idsOf = async (more: string) => (await ask(G, P, more)).body.data.map(({ id }: { id: string }) => id)
    const early = await idsOf('when=2026-06-10T07:00:00%2B02:00')
    expect(await idsOf('when=2026-06-10T07:30:00%2B02:00&limit=6')).toEqual(expect.arrayContaining(early))
    expect(await idsOf('arrive_by=2026-06-10T08:12:00%2B02:00')).toContain(early[0])
    expect(new Set(early).size).toBe(early.length)
    expect(await idsOf('when=2026-06-11T07:00:00%2B02:00')).not.toContain(early[0])
    const toDoor = async (door: string) => (await ask(CB, door)).body.data[0].id
    expect(await toDoor('48.59065,7.76')).not.toBe(await toDoor('48.59066,7.76'))
  })
})

describe('no journey, and why', () => {
  const reasonOf = async (from: string, to: string, more = '') => {
    const { status, body } = await ask(from, to, more)
    expect([status, body.data, body.meta.count]).toEqual([200, [], 0])
    return body.meta.reason
  }

  test('start and end are the same place', async () => {
    expect(await reasonOf(G, G)).toBe('same_location')
    expect(await reasonOf(G, '48.585,7.735')).toBe('same_location')
    // Points up to 10 m apart are one place; points 11 m apart are not.
    expect(await reasonOf(G, '48.585089,7.735')).toBe('same_location')
    expect(await lines(G, '48.585099,7.735')).toEqual([[expect.stringMatching(/^walk 14 m G 08:00:00 \* 08:00:12/)]])
  })

  test('outside the requested network', async () => {
    expect(await reasonOf(G, '48.9,7.75', 'network=ville')).toBe('outside_bounds')
    expect(await reasonOf('0,0', G, 'network=ville')).toBe('outside_bounds')
  })

  test('no stop within reach', async () => {
    expect(await reasonOf('48.5875,7.745', P, 'max_walk=300')).toBe('no_stops_in_range')
    expect(await reasonOf(P, '48.5875,7.745', 'max_walk=300')).toBe('no_stops_in_range')
  })

  test('outside the calendar', async () => {
    for (const when of [
      '2027-06-10T08:00:00Z',
      '2025-06-10T08:00:00Z',
      '9999-01-01T00:00:00Z',
      '1970-01-01T00:00:00Z',
    ]) {
      expect(await reasonOf(G, P, `when=${when}`)).toBe('outside_service_period')
      expect(await reasonOf(G, P, `arrive_by=${when}`)).toBe('outside_service_period')
    }
    // At this time on the day before the calendar begins, the first tram leaves within 24 hours.
    expect((await lines(G, P, 'when=2025-12-31T12:00:00%2B01:00'))[0]?.[0]).toStartWith('20260101:a1')
    // On the last day, the last tram is found until it leaves.
    expect((await lines(G, P, 'when=2026-12-31T23:58:00%2B01:00'))[0]?.[0]).toStartWith('20261231:a3')
    expect(await reasonOf(G, P, 'when=2026-12-31T23:58:01%2B01:00')).toMatch(/^(no_connection|outside_service_period)$/)
  })

  test('no connection', async () => {
    expect(await reasonOf(T, G)).toBe('no_connection')
  })
})
