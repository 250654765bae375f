// Tests the conversion of MOTIS responses to the service's journeys. The first response is the one that a test of MOTIS
// itself expects (test/routing_test.cc), in the form that MOTIS's openapi.yaml describes. The other responses are for
// the small feed. Fails if an id, a time or a walk is not the network's own.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { textFeed } from '../../feeds/text-feed.ts'
import { itinerary, leg, openNativeApi, openPlanner, plan } from './native-under-test.ts'

let planner: ReturnType<typeof openPlanner>
beforeAll(() => {
  planner = openPlanner()
})
afterAll(() => planner.close())

const RHINE_MAIN = textFeed({
  'agency.txt': `
    agency_id,agency_name,agency_url,agency_timezone
    DB,Deutsche Bahn,https://deutschebahn.com,Europe/Berlin`,
  'stops.txt': `
    stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station,platform_code
    DA,DA Hbf,49.87260,8.63085,1,,
    DA_10,DA Hbf,49.87336,8.62926,0,DA,10
    FFM,FFM Hbf,50.10701,8.66341,1,,
    FFM_101,FFM Hbf,50.10739,8.66333,0,FFM,101
    FFM_10,FFM Hbf,50.10593,8.66118,0,FFM,10
    FFM_12,FFM Hbf,50.10658,8.66178,0,FFM,12
    FFM_HAUPT,FFM Hauptwache,50.11403,8.67835,1,,
    FFM_HAUPT_S,FFM Hauptwache S,50.11404,8.67824,0,FFM_HAUPT,`,
  'routes.txt': `
    route_id,agency_id,route_short_name,route_long_name,route_type
    S3,DB,S3,,109
    ICE,DB,ICE,,101`,
  'trips.txt': `
    route_id,service_id,trip_id
    S3,S1,S3
    ICE,S1,ICE`,
  'stop_times.txt': `
    trip_id,arrival_time,departure_time,stop_id,stop_sequence
    S3,01:15:00,01:15:00,FFM_101,1
    S3,01:20:00,01:20:00,FFM_HAUPT_S,2
    ICE,00:35:00,00:35:00,DA_10,0
    ICE,00:45:00,00:45:00,FFM_10,1`,
  'calendar_dates.txt': `
    service_id,date,exception_type
    S1,20190501,1`,
  'frequencies.txt': `
    trip_id,start_time,end_time,headway_secs
    S3,01:15:00,25:15:00,3600
    ICE,00:35:00,24:35:00,3600`,
})

const DA_10 = { lat: 49.87336, lon: 8.62926, stopId: 'test_DA_10' }
const FFM_12 = { lat: 50.10658, lon: 8.66178, stopId: 'test_FFM_12' }
const FFM_101 = { lat: 50.10739, lon: 8.66333, stopId: 'test_FFM_101' }
const HAUPT_S = { lat: 50.11404, lon: 8.67824, stopId: 'test_FFM_HAUPT_S' }
const at = (time: string) => `2019-05-01T${time}:00Z`

/** The ICE is ten minutes late and leaves from platform 12 instead of 10. */
const LATE_ICE = itinerary(
  leg({
    mode: 'WALK',
    from: { lat: 49.87263, lon: 8.63127 },
    to: DA_10,
    startTime: at('01:29'),
    endTime: at('01:35'),
    distance: 301.4,
  }),
  leg({
    mode: 'HIGHSPEED_RAIL',
    from: DA_10,
    to: FFM_12,
    startTime: at('01:35'),
    endTime: at('01:55'),
    scheduledEndTime: at('01:45'),
    realTime: true,
    tripId: '20190501_03:35_test_ICE',
    routeShortName: 'ICE ',
    headsign: 'FFM Hbf',
    intermediateStops: [],
  }),
  leg({
    mode: 'WALK',
    from: FFM_12,
    to: FFM_101,
    startTime: at('01:55'),
    endTime: at('02:01'),
    distance: 160,
  }),
  leg({
    mode: 'METRO',
    from: FFM_101,
    to: HAUPT_S,
    startTime: at('02:15'),
    endTime: at('02:20'),
    tripId: '20190501_04:15_test_S3',
    routeShortName: 'S3',
    headsign: 'FFM Hauptwache S',
    intermediateStops: [],
  }),
  leg({
    mode: 'WALK',
    from: HAUPT_S,
    to: { lat: 50.11347, lon: 8.67664 },
    startTime: at('02:20'),
    endTime: at('02:28'),
    distance: 402.6,
  }),
)

describe('the response that MOTIS expects of itself', () => {
  test('becomes a journey of our stops, lines and trips, with its delay', async () => {
    planner.answer = plan([LATE_ICE])
    const { get, logged } = await openNativeApi(planner.url, { feed: RHINE_MAIN, now: '2019-05-01T01:25:00Z' })
    const { status, body } = await get('/v1/journeys?from=49.87263,8.63127&to=50.11347,8.67664&planner=native')
    expect(status).toBe(200)
    expect(body.meta).toMatchObject({ network: 'ville', count: 1, units: 5, freshness: 'realtime' })
    const place = (stop: string, name: string, lat: number, lon: number) => {
      return { kind: 'stop', lat, lon, stop_id: `ville:stop:${stop}`, name }
    }
    const scheduled = (departure: string, arrival: string, boarding: object) => {
      const { departure_at, arrival_at } = times(departure, arrival, 0)
      return { scheduled_departure_at: departure_at, scheduled_arrival_at: arrival_at, vehicle_id: null, ...boarding }
    }
    const da10 = place('DA_10', 'DA Hbf', 49.87336, 8.62926)
    const ffm12 = place('FFM_12', 'FFM Hbf', 50.10658, 8.66178)
    const ffm101 = place('FFM_101', 'FFM Hbf', 50.10739, 8.66333)
    const hauptwache = place('FFM_HAUPT_S', 'FFM Hauptwache S', 50.11404, 8.67824)
    const times = (departure: string, arrival: string, minutes: number) => ({
      departure_at: `2019-05-01T${departure}:00+02:00`,
      arrival_at: `2019-05-01T${arrival}:00+02:00`,
      duration_seconds: minutes * 60,
    })
    const [journey] = body.data
    expect(journey).toMatchObject({
      ...times('03:29', '04:28', 59),
      transfers: 1,
      walking_seconds: 20 * 60,
      walking_meters: 301 + 160 + 403,
      fare: null,
      source: 'ville',
      realtime: true,
    })
    expect(journey.sections).toEqual([
      {
        kind: 'walk',
        ...times('03:29', '03:35', 6),
        realtime: false,
        distance_meters: 301,
        from_place: { kind: 'address', lat: 49.87263, lon: 8.63127, label: '49.87263,8.63127' },
        to_place: da10,
      },
      {
        kind: 'transit',
        ...times('03:35', '03:55', 20),
        realtime: true,
        line: expect.objectContaining({ id: 'ville:line:ICE', code: 'ICE', mode: 'rail' }),
        headsign: 'FFM Hbf',
        direction_id: expect.any(String),
        stop_ids: ['ville:stop:DA_10', 'ville:stop:FFM_12'],
        trip_id: 'ville:trip:20190501:ICE@03:35:00',
        from_place: da10,
        to_place: ffm12,
        ...scheduled('03:35', '03:45', { delay_seconds: 0, status: 'on_time', platform: '10' }),
      },
      {
        kind: 'walk',
        ...times('03:55', '04:01', 6),
        realtime: false,
        distance_meters: 160,
        from_place: ffm12,
        to_place: ffm101,
      },
      {
        kind: 'transit',
        ...times('04:15', '04:20', 5),
        realtime: false,
        line: expect.objectContaining({ id: 'ville:line:S3', code: 'S3' }),
        headsign: 'FFM Hauptwache S',
        direction_id: expect.any(String),
        stop_ids: ['ville:stop:FFM_101', 'ville:stop:FFM_HAUPT_S'],
        trip_id: 'ville:trip:20190501:S3@04:15:00',
        from_place: ffm101,
        to_place: hauptwache,
        ...scheduled('04:15', '04:20', { delay_seconds: null, status: 'unknown', platform: '101' }),
      },
      {
        kind: 'walk',
        ...times('04:20', '04:28', 8),
        realtime: false,
        distance_meters: 403,
        from_place: hauptwache,
        to_place: { kind: 'address', lat: 50.11347, lon: 8.67664, label: '50.11347,8.67664' },
      },
    ])
    expect(logged).toEqual([])
  })

  test('is omitted if its walk is too long or its mode excluded; with another tag, it is identified by line and place', async () => {
    planner.answer = plan([LATE_ICE])
    const requested = '/v1/journeys?from=49.87263,8.63127&to=50.11347,8.67664&planner=native'
    const of = (tag: string) =>
      openNativeApi(planner.url, { feed: RHINE_MAIN, now: '2019-05-01T01:25:00Z', native: { tag } })
    const own = await of('test')
    expect((await own.get(requested)).body.meta.count).toBe(1)
    expect((await (await of('other')).get(requested)).body.meta.count).toBe(1)
    expect((await own.get(`${requested}&max_walk=400`)).body.meta).toMatchObject({ count: 0, reason: 'no_connection' })
    expect((await own.get(`${requested}&modes=bus`)).body.meta).toMatchObject({ count: 0, reason: 'no_connection' })
  })
})

const GARE = { lat: 48.585, lon: 7.735 }
const CENTRE_A = { lat: 48.5801, lon: 7.7501 }
const CENTRE_B = { lat: 48.5799, lon: 7.7499 }
const STADE = { lat: 48.59, lon: 7.76 }
const PORT = { lat: 48.575, lon: 7.77 }
const on = (time: string) => `2026-06-10T${time}:00Z`

/** Two legs: tram a1 from Gare at 08:00 to Centre at 08:05, then bus b1 from there at 08:10 to Stade at 08:20. */
const tram = (more: Record<string, unknown> = {}) =>
  leg({
    mode: 'TRAM',
    from: { ...GARE, stopId: 'v_G' },
    to: { ...CENTRE_A, stopId: 'v_CA' },
    startTime: on('06:00'),
    endTime: on('06:05'),
    tripId: '20260610_08:00_v_a1',
    ...more,
  })
const bus = (more: Record<string, unknown> = {}) =>
  leg({
    mode: 'BUS',
    from: { ...CENTRE_B, stopId: 'v_CB' },
    to: { ...STADE, stopId: 'v_T' },
    startTime: on('06:10'),
    endTime: on('06:20'),
    tripId: '20260610_08:10_v_b1',
    ...more,
  })
const REQUESTED = '/v1/journeys?from=ville:stop:G&to=ville:stop:T&planner=native&limit=6'

/** Each ride's trip and stops, and the length of each walk in meters. */
async function sectionsOf(api: Awaited<ReturnType<typeof openNativeApi>>, path = REQUESTED): Promise<unknown[]> {
  const { status, body } = await api.get(path)
  if (status !== 200) return [status, body.reason]
  return body.data.flatMap(
    (journey: { sections: { trip_id?: string; stop_ids?: string[]; distance_meters?: number }[] }) =>
      journey.sections.map(({ trip_id: trip, stop_ids: stops, distance_meters: meters }) =>
        trip === undefined
          ? meters
          : `${trip.slice('ville:trip:'.length)} ${stops?.map((stop) => stop.slice('ville:stop:'.length)).join('-')}`,
      ),
  )
}

describe('rides of the small feed', () => {
  test('have the stops of our trip, without a walk from the stop itself', async () => {
    const api = await openNativeApi(planner.url)
    const toStop = leg({
      mode: 'WALK',
      from: GARE,
      to: { ...GARE, stopId: 'v_G' },
      startTime: on('05:59'),
      endTime: on('06:00'),
      distance: 4,
    })
    const change = leg({ mode: 'WALK', from: CENTRE_A, to: CENTRE_B, startTime: on('06:05'), endTime: on('06:06') })
    planner.answer = plan([itinerary(toStop, tram(), change, bus())])
    // The straight-line distance is 27 m, and the walk is 35 m long.
    expect(await sectionsOf(api)).toEqual(['20260610:a1 G-CA', 35, '20260610:b1 CB-T'])
  })

  test('are identified by line and time if the trip has another name, and by neither if that differs', async () => {
    const api = await openNativeApi(planner.url)
    const renamed = { tripId: '20260610_08:00_v_old' }
    planner.answer = plan([itinerary(tram({ ...renamed, routeShortName: 'A ' }), bus())])
    expect(await sectionsOf(api)).toEqual(['20260610:a1 G-CA', '20260610:b1 CB-T'])
    planner.answer = plan([itinerary(tram({ ...renamed, routeId: 'v_A' }), bus())])
    expect(await sectionsOf(api)).toEqual(['20260610:a1 G-CA', '20260610:b1 CB-T'])
    for (const other of [{ routeShortName: 'B' }, { routeId: 'v_B', routeShortName: 'A' }, {}]) {
      planner.answer = plan([itinerary(tram({ ...renamed, ...other }), bus())])
      expect(await sectionsOf(api)).toEqual([503, 'overloaded'])
    }
  })

  test('are identified by place if stops have other names, unless another feed’s stop has the same one', async () => {
    const api = await openNativeApi(planner.url)
    planner.answer = plan([itinerary(tram({ from: { ...GARE, stopId: 'v_gare' } }), bus())])
    expect(await sectionsOf(api)).toEqual(['20260610:a1 G-CA', '20260610:b1 CB-T'])
    // This stop has the position of Gare but the id of Port.
    planner.answer = plan([itinerary(tram({ from: { ...GARE, stopId: 'v_P' } }), bus())])
    expect(await sectionsOf(api)).toEqual(['20260610:a1 G-CA', '20260610:b1 CB-T'])
    planner.answer = plan([itinerary(tram({ from: { lat: 48, lon: 7, stopId: 'v_G' } }), bus())])
    expect(await sectionsOf(api)).toEqual([503, 'overloaded'])
  })

  test('start and end at the seconds of the feed, and the walk fits between them', async () => {
    const api = await openNativeApi(planner.url)
    // The tram leaves Centre at 08:05:30, but MOTIS only returns 08:05.
    const ride = leg({
      mode: 'TRAM',
      from: { ...CENTRE_A, stopId: 'v_CA' },
      to: { ...PORT, stopId: 'v_P' },
      startTime: on('06:07'),
      scheduledStartTime: on('06:05'),
      endTime: on('06:14'),
      scheduledEndTime: on('06:12'),
      realTime: true,
      tripId: '20260610_08:00_v_a1',
    })
    planner.answer = plan([itinerary(ride)])
    const { body } = await api.get('/v1/journeys?from=ville:area:S&to=ville:stop:P&planner=native')
    expect(body.data[0]).toMatchObject({
      departure_at: '2026-06-10T08:07:30+02:00',
      arrival_at: '2026-06-10T08:14:00+02:00',
      realtime: true,
    })
    expect(body.data[0].sections).toHaveLength(1)
  })

  test('have the previous service day if they run past midnight', async () => {
    const api = await openNativeApi(planner.url, { now: '2026-06-10T21:50:00Z' })
    const night = leg({
      mode: 'TRAM',
      from: { ...CENTRE_A, stopId: 'v_CA' },
      to: { ...PORT, stopId: 'v_P' },
      startTime: '2026-06-10T22:03:00Z',
      endTime: '2026-06-10T22:10:00Z',
      tripId: '20260610_23:58_v_a3',
    })
    planner.answer = plan([itinerary(night)])
    expect(await sectionsOf(api, '/v1/journeys?from=ville:area:S&to=ville:stop:P&planner=native')).toEqual([
      '20260610:a3 CA-P',
    ])
  })

  test('that do not run, have impossible transfers, or are not public transport remove their itinerary', async () => {
    const api = await openNativeApi(planner.url)
    const sound = itinerary(tram(), bus())
    const bike = leg({
      mode: 'BIKE',
      from: GARE,
      to: GARE,
      startTime: on('05:55'),
      endTime: on('06:00'),
      distance: 500,
    })
    const late = tram({ endTime: on('06:16'), scheduledEndTime: on('06:05'), realTime: true })
    const backwards = { ...tram(), startTime: on('06:30') }
    const spoilt = [
      itinerary(tram({ cancelled: true }), bus()),
      itinerary(late, bus()),
      itinerary(bike, tram(), bus()),
      itinerary(backwards, bus()),
      { ...sound, legs: [] },
      { ...sound, legs: [{ mode: 'TRAM' }] },
      { ...sound, legs: [{ ...tram(), startTime: 'soon' }, bus()] },
      null,
    ]
    planner.answer = plan([...spoilt, sound])
    expect(await sectionsOf(api)).toEqual(['20260610:a1 G-CA', '20260610:b1 CB-T'])
    for (const one of spoilt) {
      planner.answer = plan([one])
      expect(await sectionsOf(api)).toEqual([503, 'overloaded'])
    }
  })

  test('in one vehicle do not change vehicles', async () => {
    const api = await openNativeApi(planner.url)
    planner.answer = plan([itinerary(tram(), bus({ interlineWithPreviousLeg: true }))])
    const { body } = await api.get(REQUESTED)
    expect(body.data[0].transfers).toBe(0)
    expect(body.data[0].sections[1].stay_seated).toBe(true)
  })

  test('may be absent: walking all the way starts at the requested time, or ends then', async () => {
    const api = await openNativeApi(planner.url)
    const walk = leg({
      mode: 'WALK',
      from: GARE,
      to: CENTRE_A,
      startTime: on('05:50'),
      endTime: on('06:05'),
      distance: 900.2,
    })
    const ridden = leg({
      mode: 'BIKE',
      from: GARE,
      to: CENTRE_A,
      startTime: on('05:50'),
      endTime: on('05:55'),
      distance: 900,
    })
    planner.answer = plan([], [itinerary(walk), itinerary(ridden)])
    const path = '/v1/journeys?from=48.585,7.735&to=48.5801,7.7501&planner=native'
    const { body } = await api.get(path)
    expect(body.data).toHaveLength(1)
    expect(body.data[0]).toMatchObject({ departure_at: '2026-06-10T07:50:00+02:00', walking_meters: 900, co2_grams: 0 })
    const before = await api.get(`${path}&when=2026-06-10T09:00:00Z&arrive_by=true`)
    expect(before.body.data[0].arrival_at).toBe('2026-06-10T11:00:00+02:00')
  })
})
