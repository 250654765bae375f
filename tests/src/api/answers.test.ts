// Tests complete responses of every route for the small feed of tests/feeds, in which each value can be checked by eye.
// Fails if a member is missing, additional, misspelled or misplaced.
import { describe, expect, test } from 'bun:test'
import { smallFeed } from '../../feeds/text-feed.ts'
import { openApi, REFRESHED_AT_MILLIS } from './api-under-test.ts'
import {
  AREA,
  ATTRIBUTION,
  CENTRE_A,
  CENTRE_B,
  COMPACT_7,
  COMPACT_A,
  FIRST_BUS,
  FIRST_TRAM,
  FIRST_TRAM_BACK,
  GARE,
  INBOUND,
  LINE_7,
  LINE_A,
  META,
  NETWORK,
  NOT_LIVE,
  OUTBOUND,
  PORT,
  SECOND_TRAM,
  SECOND_TRAM_BACK,
  SOURCES,
  STADE,
  TO_STADE,
} from './small-feed-answers.ts'

const api = await openApi()
/** Checks a complete response: a missing or additional member is an error. */
async function expectAnswer(path: string, expected: { data: unknown; meta: unknown }): Promise<void> {
  const answer = await api.get(path)
  expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: expected })
}

describe('networks', () => {
  test('the list', async () => {
    await expectAnswer('/v1/networks', {
      data: [NETWORK],
      meta: { generated_at: META.generated_at, units: 1, freshness: 'scheduled', count: 1, attribution: ATTRIBUTION },
    })
  })

  test('one, with its statistics', async () => {
    await expectAnswer('/v1/networks/ville', {
      data: { ...NETWORK, stats: { lines: 2, stops: 5, areas: 1, shapes: 0 } },
      meta: META,
    })
  })
})

describe('lines', () => {
  test('the list, by sort order', async () => {
    await expectAnswer('/v1/networks/ville/lines', {
      data: [
        { ...LINE_A, directions: [OUTBOUND, INBOUND] },
        { ...LINE_7, directions: [TO_STADE] },
      ],
      meta: { ...META, count: 2, limit: 20, next_cursor: null },
    })
  })

  test('the list, filtered by mode and by words of code and name', async () => {
    const codes = async (query: string) =>
      (await api.get(`/v1/networks/ville/lines?${query}`)).body.data.map((line: { code: string }) => line.code)
    expect(await codes('modes=bus')).toEqual(['7'])
    expect(await codes('modes=bus,tram')).toEqual(['A', '7'])
    expect(await codes('q=PORT%20gar')).toEqual(['A'])
    expect(await codes('q=7')).toEqual(['7'])
    expect(await codes('q=st%C3%A0de')).toEqual(['7'])
    expect(await codes('q=ort')).toEqual([])
    expect(await codes('q=port&modes=bus')).toEqual([])
    expect((await api.get('/v1/networks/ville/lines?q=zzz')).body.meta).toMatchObject({
      count: 0,
      reason: 'no_matches',
    })
  })

  test('one, with the stops of its directions', async () => {
    await expectAnswer('/v1/lines/ville:line:A', {
      data: {
        ...LINE_A,
        directions: [
          { ...OUTBOUND, stops: ['ville:stop:G', 'ville:stop:CA', 'ville:stop:P'] },
          { ...INBOUND, stops: ['ville:stop:P', 'ville:stop:CB', 'ville:stop:G'] },
        ],
      },
      meta: META,
    })
  })

  test('one, drawn from stop to stop without shapes', async () => {
    const { body } = await api.get('/v1/lines/ville:line:7?include=geometry')
    expect(body.data.shapes).toEqual([
      {
        line_id: 'ville:line:7',
        direction_id: '0',
        geometry: {
          type: 'LineString',
          coordinates: [
            [7.7499, 48.5799],
            [7.76, 48.59],
          ],
        },
      },
    ])
  })

  test('the stops, by direction, in travel order', async () => {
    await expectAnswer('/v1/lines/ville:line:A/stops', {
      data: [
        { direction_id: '0', stops: [GARE, CENTRE_A, PORT] },
        { direction_id: '1', stops: [PORT, CENTRE_B, GARE] },
      ],
      meta: { ...META, count: 2 },
    })
  })

  test('drawn by its shapes, with separate branches', async () => {
    const drawn = await openApi({
      networks: [
        {
          id: 'ville',
          feed: smallFeed({
            'trips.txt': `
              route_id,service_id,trip_id,trip_headsign,direction_id,shape_id
              A,daily,a1,Port,0,main
              A,daily,a2,Port,0,main
              7,daily,b1,Stade,0,`,
            'shapes.txt': `
              shape_id,shape_pt_lat,shape_pt_lon,shape_pt_sequence
              main,48.585,7.735,1
              main,48.58,7.75,2
              main,48.575,7.77,3`,
          }),
        },
      ],
    })
    const { body } = await drawn.get('/v1/lines/ville:line:A?include=geometry')
    expect(body.data.shapes).toEqual([
      {
        line_id: 'ville:line:A',
        direction_id: '0',
        geometry: {
          type: 'LineString',
          coordinates: [
            [7.735, 48.585],
            [7.75, 48.58],
            [7.77, 48.575],
          ],
        },
      },
    ])
    expect((await drawn.get('/v1/lines/ville:line:7?include=geometry')).body.data.shapes).toEqual([])
    expect((await drawn.get('/v1/networks/ville')).body.data).toMatchObject({
      capabilities: { shapes: true },
      stats: { shapes: 1 },
    })
  })
})

describe('stops', () => {
  test('the list, by name, areas before their stops', async () => {
    await expectAnswer('/v1/networks/ville/stops', {
      data: [AREA, CENTRE_A, CENTRE_B, GARE, PORT, STADE],
      meta: { ...META, count: 6, limit: 20, next_cursor: null },
    })
  })

  test('the list, by all filters together and one by one', async () => {
    const ids = async (query: string) =>
      (await api.get(`/v1/networks/ville/stops?${query}`)).body.data.map((stop: { id: string }) => stop.id.slice(6))
    expect(await ids('kind=area')).toEqual(['area:S'])
    expect(await ids('kind=stop&line=ville:line:7')).toEqual(['stop:CB', 'stop:T'])
    expect(await ids('q=elan')).toEqual(['stop:T'])
    expect(await ids('q=ce')).toEqual(['area:S', 'stop:CB', 'stop:CA'])
    expect(await ids('q=102')).toEqual(['stop:CB'])
    expect(await ids('bbox=7.7499,48.5799,7.75,48.58')).toEqual(['area:S', 'stop:CB'])
    expect(await ids('near=48.5801,7.7501&radius=50')).toEqual(['stop:CA', 'area:S', 'stop:CB'])
    expect(await ids('near=48.5801,7.7501&radius=5000&q=ga')).toEqual(['stop:G'])
    expect(await ids('near=48.58,7.75&bbox=7.75,48.58,7.76,48.6&kind=stop&line=ville:line:A')).toEqual(['stop:CA'])
    expect(await ids('radius=5000&kind=area')).toEqual(['area:S'])
  })

  test('by distance, with the distance', async () => {
    const { body } = await api.get('/v1/networks/ville/stops?near=48.58,7.75&radius=50')
    expect(body.data).toEqual([
      { ...AREA, distance_meters: 0 },
      { ...CENTRE_A, distance_meters: 13 },
      { ...CENTRE_B, distance_meters: 13 },
    ])
  })

  test('one, with its lines', async () => {
    await expectAnswer('/v1/stops/ville:stop:CB', { data: { ...CENTRE_B, lines: [COMPACT_A, COMPACT_7] }, meta: META })
    await expectAnswer('/v1/stops/ville%3Aarea%3AS', { data: { ...AREA, lines: [COMPACT_A, COMPACT_7] }, meta: META })
  })

  test('near a place: the area for its two platforms', async () => {
    const meta = { generated_at: META.generated_at, units: 1, freshness: 'scheduled', attribution: ATTRIBUTION }
    await expectAnswer('/v1/stops/nearby?near=48.58,7.75', {
      data: [{ ...AREA, distance_meters: 0 }],
      meta: { ...meta, count: 1, limit: 20 },
    })
    await expectAnswer('/v1/stops/nearby?near=48.59,7.76&modes=tram', {
      data: [],
      meta: { ...meta, count: 0, limit: 20, reason: 'no_stops_in_range' },
    })
  })

  test('near a place: a stop instead of an area with only that stop', async () => {
    const { body } = await api.get('/v1/stops/nearby?near=48.58,7.75&modes=bus')
    expect(body.data).toEqual([{ ...CENTRE_B, distance_meters: 13 }])
  })
})

describe('departures', () => {
  test('of a stop', async () => {
    await expectAnswer('/v1/stops/ville:stop:CA/departures', {
      data: [FIRST_TRAM, SECOND_TRAM],
      meta: { ...META, count: 2, limit: 10, sources: SOURCES },
    })
  })

  test('of an area: of all its stops, soonest first', async () => {
    await expectAnswer('/v1/stops/ville:area:S/departures', {
      data: [FIRST_TRAM, FIRST_TRAM_BACK, FIRST_BUS, SECOND_TRAM, SECOND_TRAM_BACK],
      meta: { ...META, count: 5, limit: 10, sources: SOURCES },
    })
  })

  test('filtered before the limit applies', async () => {
    const board = async (query: string) => (await api.get(`/v1/stops/ville:area:S/departures?${query}`)).body.data
    expect(await board('line=ville:line:7&limit=1')).toEqual([FIRST_BUS])
    expect(await board('direction=1&limit=2')).toEqual([FIRST_TRAM_BACK, SECOND_TRAM_BACK])
    expect(await board('line=ville:line:A&direction=0&horizon=10')).toEqual([FIRST_TRAM])
  })

  test('in a window that includes its start and excludes its end', async () => {
    const trips = async (query: string) =>
      (await api.get(`/v1/stops/ville:stop:CA/departures?${query}`)).body.data.map(
        (departure: { trip_id: string; scheduled_at: string }) => `${departure.trip_id} ${departure.scheduled_at}`,
      )
    const a1 = 'ville:trip:20260610:a1 2026-06-10T08:05:30+02:00'
    const a2 = 'ville:trip:20260610:a2 2026-06-10T08:15:30+02:00'
    expect(await trips('when=2026-06-10T08:05:30%2B02:00&horizon=10')).toEqual([a1])
    expect(await trips('when=2026-06-10T06:05:30.001Z&horizon=10')).toEqual([a2])
    // Trip a3 of 10 June calls here at 24:03:30. On the morning of 11 June, the board shows it as a trip of 10 June.
    expect(await trips('when=2026-06-11T00:00:00%2B02:00&horizon=5')).toEqual([
      'ville:trip:20260610:a3 2026-06-11T00:03:30+02:00',
    ])
  })

  test('none: with the reason', async () => {
    const reason = async (query: string) => (await api.get(`/v1/stops/${query}`)).body.meta.reason
    expect(await reason('ville:stop:T/departures')).toBe('terminus')
    expect(await reason('ville:stop:CA/departures?when=2027-03-01T08:00:00Z')).toBe('outside_service_period')
    expect(await reason('ville:stop:CA/departures?when=2026-06-10T10:00:00Z')).toBe('no_more_service_today')
    expect(await reason('ville:stop:CA/departures?line=ville:line:7')).toBe('no_boarding')
  })

  test('near a place: by stop or area, with fewer members', async () => {
    const reduced = ({ stop_id, line_id, line_code, mode, headsign, scheduled_at, source }: typeof FIRST_TRAM) => ({
      stop_id,
      line_id,
      line_code,
      mode,
      headsign,
      scheduled_at,
      ...NOT_LIVE,
      source,
    })
    await expectAnswer('/v1/departures/nearby?near=48.58,7.75&horizon=15', {
      data: [{ stop: AREA, distance_meters: 0, departures: [FIRST_TRAM, FIRST_TRAM_BACK, FIRST_BUS].map(reduced) }],
      meta: {
        generated_at: META.generated_at,
        units: 1,
        freshness: 'scheduled',
        count: 1,
        limit: 5,
        attribution: ATTRIBUTION,
      },
    })
    const buses = await api.get('/v1/departures/nearby?near=48.58,7.75&modes=bus')
    expect(buses.body.data).toEqual([{ stop: CENTRE_B, distance_meters: 13, departures: [reduced(FIRST_BUS)] }])
    const stade = await api.get('/v1/departures/nearby?near=48.59,7.76')
    expect(stade.body).toMatchObject({ data: [], meta: { count: 0, reason: 'no_departures' } })
  })
})

describe('what no network has', () => {
  test('alerts: an empty list', async () => {
    const none = { ...META, count: 0, reason: 'no_alerts' }
    const ofOne = { ...none, sources: [] }
    await expectAnswer('/v1/lines/ville:line:A/alerts', { data: [], meta: ofOne })
    await expectAnswer('/v1/stops/ville:area:S/alerts', { data: [], meta: ofOne })
    await expectAnswer('/v1/networks/ville/alerts', { data: [], meta: { ...ofOne, limit: 20, next_cursor: null } })
    const across = { ...ofOne, limit: 20, next_cursor: null }
    await expectAnswer('/v1/alerts?networks=ville', { data: [], meta: across })
  })

  test('vehicles: not supported', async () => {
    for (const path of ['/v1/lines/ville:line:A/vehicles', '/v1/vehicles/nearby?near=48.58,7.75&networks=ville']) {
      const { status, body } = await api.get(path)
      expect({ status, reason: body.reason, code: body.code }).toEqual({
        status: 404,
        reason: 'capability_unsupported',
        code: 'TRNS3-2404',
      })
    }
  })
})

describe('the service itself', () => {
  test('health and usage', async () => {
    await expectAnswer('/v1/health', {
      data: { status: 'ok', service: 'service-api' },
      meta: { generated_at: META.generated_at, units: 0 },
    })
    const { body } = await api.get('/v1/usage')
    expect(body).toEqual({
      data: api.gate.usage({ keyId: 'k1', accountId: 'a1', plan: 'free' }),
      meta: { generated_at: META.generated_at, units: 0 },
    })
  })

  test('status: served and failed networks, cached for thirty real seconds', async () => {
    const lastError = {
      atMillis: REFRESHED_AT_MILLIS,
      source: 'gtfs',
      reason: 'static_import_failed',
      message: 'there is no /srv/feeds/late.zip (ENOENT)',
    }
    const mixed = await openApi({
      networks: [
        { id: 'ville', feed: smallFeed() },
        { id: 'late', lastError },
      ],
    })
    const first = await mixed.get('/v1/status')
    expect(first.body).toEqual({
      data: [
        {
          network: 'ville',
          static_refreshed_at: '2026-06-10T07:57:00+02:00',
          realtime: 'ok',
          budgets: {},
          mismatched_feeds: [],
          last_error: null,
        },
        {
          network: 'late',
          static_refreshed_at: null,
          realtime: 'down',
          budgets: {},
          mismatched_feeds: [],
          last_error: {
            at: '2026-06-10T05:57:00+00:00',
            source: 'gtfs',
            reason: 'static_import_failed',
            message: 'the timetable could not be imported', // not the original text, which may contain a path
          },
        },
      ],
      meta: { generated_at: META.generated_at, units: 0 },
    })
    const late = mixed.networks.list[1]
    if (late !== undefined) late.current = mixed.networks.list[0]?.current
    mixed.service.nowMillis += 29_999
    mixed.truth.nowMillis += 29_999
    expect((await mixed.get('/v1/status')).text).toBe(first.text)
    mixed.truth.nowMillis += 1
    const fresh = await mixed.get('/v1/status')
    expect(fresh.body.data[1]).toMatchObject({ realtime: 'ok', static_refreshed_at: '2026-06-10T07:57:00+02:00' })
    expect(fresh.body.meta.generated_at).toBe('2026-06-10T06:00:29Z')
  })

  test('the next request uses a new snapshot', async () => {
    const swapped = await openApi()
    const tag = (await swapped.get('/v1/stops/ville:stop:CA')).headers.get('etag') ?? ''
    const agency = 'agency_name,agency_url,agency_timezone\nNew,https://x.example,Europe/Paris'
    const renamed = await openApi({ networks: [{ id: 'ville', feed: smallFeed({ 'agency.txt': agency }) }] })
    const [network, other] = [swapped.networks.list[0], renamed.networks.list[0]]
    if (network === undefined || other?.current === undefined) throw new Error('a network has no snapshot')
    network.current = { ...other.current, id: 'snap-new' }
    const after = await swapped.get('/v1/stops/ville:stop:CA', { 'if-none-match': tag })
    expect(after.status).toBe(200)
    expect(after.headers.get('etag')).toStartWith('W/"snap-new-')
    expect((await swapped.get('/v1/lines/ville:line:A')).body.data.operator).toBe('New')
  })
})
