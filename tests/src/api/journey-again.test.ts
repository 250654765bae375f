// Tests journeys that are requested again by their ids: with newer live data, with ids that no longer exist, entirely
// on foot, or from addresses. Also tests the members that `include` adds. Fails if another journey is returned, if live
// data is missing, or if the status is 500.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { ServedAddresses } from '../../../src/places/served-addresses.ts'
import { readJourneyRef } from '../../../src/rendering/journey-id.ts'
import { indexOf } from '../../feeds/address-file.ts'
import { canceledTrip, delayedTrip } from '../../feeds/realtime-feed.ts'
import { textFeed } from '../../feeds/text-feed.ts'
import { alert, descriptor, period, selector } from '../../indexes/live/alert-reports.ts'
import type { FeedEntity } from '../../random-updates.ts'
import { bySize, SEED } from '../../size.ts'
import { openNetwork, type TestOptions } from './api-under-test.ts'
import { type JourneyFeed, journeyFeed, latOf, openJourneys, pointAt, sectionText } from './journey-lines.ts'
import { publishedAlerts } from './published-alerts.ts'
import { publishedTrips } from './published-trips.ts'

const FEED: JourneyFeed = {
  stops: { A: 0, B1: '5000 B', B2: '5030 B', C: 9000, Z: 20_000 },
  stations: { B: 5015 },
  trips: {
    'in-1': 'A 08:05, B1 08:10, C 08:20',
    'in-2': 'A 08:06, B1 08:12',
    'out-1': 'B1 08:15, C 08:25, Z 08:40',
    'night-1': 'A 23:00, Z 23:30',
    'freq-1': 'C 00:00, Z 00:10',
  },
  files: {
    'frequencies.txt': 'trip_id,start_time,end_time,headway_secs\nfreq-1,12:00:00,13:00:00,600',
    'transfers.txt': 'from_stop_id,to_stop_id,transfer_type,min_transfer_time\nB1,B1,2,100\nB1,B2,2,100\nB2,B1,2,100',
  },
}

/** Opens the API on a feed, with functions that publish live data and request journeys by query and by id. */
async function open(feed: JourneyFeed = FEED, options: TestOptions = {}) {
  const api = await openJourneys(feed, options)
  const [network] = api.networks.list
  if (network === undefined) throw new Error('there is no network')
  const publish = (...entities: readonly FeedEntity[]) => {
    network.live = publishedTrips(network, entities, api.service.nowMillis)
  }
  const first = async (from: string, to: string, more = '') => {
    const { body, text } = await api.ask(from, to, `limit=1${more}`)
    if (body.data?.[0] === undefined) throw new Error(text)
    return body.data[0]
  }
  const again = (id: string, more = '') => api.get(`/v1/journeys/${encodeURIComponent(id)}${more}`)
  const linesAgain = async (id: string): Promise<string[]> => {
    const { status, body, text } = await again(id)
    if (status !== 200) throw new Error(text)
    expect(body.data.id).toBe(id)
    return body.data.sections.map(sectionText)
  }
  return { ...api, network, publish, first, again, linesAgain }
}

const update = (tripId: string, calls: Readonly<Record<string, object>>): FeedEntity => ({
  id: `update-${tripId}`,
  tripUpdate: {
    trip: { tripId, startDate: '20260610' },
    stopTimeUpdate: Object.entries(calls).map(([stopId, call]) => ({ stopId, ...call })),
  },
})
const SKIPPED = { scheduleRelationship: 1 }

describe('requested again', () => {
  test('a journey is the same, for one unit', async () => {
    const { first, again, gate } = await open()
    const journey = await first('A', 'Z')
    const before = gate.units
    const { status, body } = await again(journey.id)
    expect([status, body.data]).toEqual([200, journey])
    expect(gate.units).toBe(before + 1)
    expect(body.meta).toEqual({
      generated_at: '2026-06-10T06:00:00Z',
      units: 1,
      network: 'ville',
      freshness: 'scheduled',
      attribution: ['ville data, open licence'],
    })
    expect((await again(journey.id, '?include=stops')).body.reason).toBe('transit_query_invalid')
  })

  test('late vehicles are late, and a missed transfer is marked', async () => {
    const { first, again, linesAgain, publish } = await open()
    const { id, slack_seconds } = await first('A', 'Z')
    expect(slack_seconds).toBe(80)
    publish(delayedTrip('in-2', '20260610', { A: 60 }))
    expect(await linesAgain(id)).toEqual(['in-2 A 08:07:00 B1 08:13:00 live', 'out-1 B1 08:15:00 Z 08:40:00'])
    expect((await again(id)).body).toMatchObject({
      data: { slack_seconds: 20, at_risk: true },
      meta: { freshness: 'realtime' },
    })
    publish(delayedTrip('in-2', '20260610', { A: 300 }))
    const late = (await again(id)).body.data
    expect([late.slack_seconds, late.at_risk, late.departure_at]).toEqual([-220, true, '2026-06-10T08:11:00+02:00'])
    expect(late.sections[0]).toMatchObject({
      scheduled_departure_at: '2026-06-10T08:06:00+02:00',
      scheduled_arrival_at: '2026-06-10T08:12:00+02:00',
      delay_seconds: 300,
      status: 'delayed',
    })
  })

  test('a canceled trip and a skipped stop are shown', async () => {
    const { first, again, publish } = await open()
    const { id } = await first('A', 'Z')
    publish(canceledTrip('in-2', '20260610'))
    const canceled = (await again(id, '?include=calls')).body.data
    expect(canceled.realtime).toBe(true)
    expect(canceled.sections[0]).toMatchObject({
      status: 'canceled',
      delay_seconds: null,
      departure_at: '2026-06-10T08:06:00+02:00',
    })
    expect(canceled.sections[0].calls.map(({ status }: { status: string }) => status)).toEqual(['canceled', 'canceled'])
    publish(update('out-1', { B1: { departure: { delay: 0 } }, C: SKIPPED, Z: { arrival: { delay: 30 } } }))
    const passing = (await again(id, '?include=calls')).body.data.sections[1]
    expect(passing.stop_ids).toEqual(['ville:stop:B1', 'ville:stop:Z'])
    publish(update('out-1', { B1: SKIPPED, C: { departure: { delay: 0 } } }))
    expect((await again(id)).body.data.sections[1]).toMatchObject({ status: 'skipped', realtime: true })
    publish(update('out-1', { B1: { departure: { delay: 0 } }, Z: SKIPPED }))
    const ends = (await again(id, '?include=calls')).body.data.sections[1]
    expect([ends.status, ends.calls.at(-1).status]).toEqual(['on_time', 'skipped'])
  })

  test('the walk leads to a new platform, under the same id', async () => {
    const { first, linesAgain, publish } = await open()
    const { id } = await first('A', 'Z')
    publish(
      update('in-2', {
        A: { departure: { delay: 0 } },
        B1: { stopTimeProperties: { assignedStopId: 'B2' }, arrival: { delay: 0 } },
      }),
    )
    expect(await linesAgain(id)).toEqual([
      'in-2 A 08:06:00 B2 08:12:00 live',
      'walk 39 m B2 08:12:00 B1 08:12:33',
      'out-1 B1 08:15:00 Z 08:40:00',
    ])
  })

  test('trips known only from feeds work as long as those report them', async () => {
    const { first, again, publish } = await open()
    const times = [
      ['A', '08:01'],
      ['Z', '08:09'],
    ].map(([stopId, time]) => ({
      stopId,
      arrival: { time: Date.parse(`2026-06-10T${time}:00+02:00`) / 1000 },
    }))
    const trip = { tripId: 'extra', routeId: 'in', startDate: '20260610', scheduleRelationship: 1 }
    publish({ id: 'extra', tripUpdate: { trip, stopTimeUpdate: times } })
    const journey = await first('A', 'Z', '&include=calls')
    expect(journey.sections[0]).toMatchObject({ trip_id: 'ville:trip:20260610:extra', status: 'added' })
    expect((await again(journey.id, '?include=calls')).body.data).toEqual(journey)
    publish()
    expect((await again(journey.id)).body.reason).toBe('not_found')
  })

  test('a trip on another path follows that path’s stops', async () => {
    const { first, again, publish, get } = await open()
    const after = '&when=2026-06-10T08:05:30%2B02:00&include=calls,geometry'
    const { id } = await first('A', 'B1', after)
    const calls = Object.entries({ A: '08:06', C: '08:10', B1: '08:14' }).map(([stopId, time]) => {
      const at = { time: Date.parse(`2026-06-10T${time}:00+02:00`) / 1000 }
      return { stopId, arrival: at, departure: at }
    })
    const trip = { tripId: 'in-2', startDate: '20260610', scheduleRelationship: 5 }
    publish({ id: 'detour', tripUpdate: { trip, stopTimeUpdate: calls } })
    const journey = (await again(id, '?include=calls,geometry')).body.data
    expect(journey.id).toBe(id)
    const [ride] = journey.sections
    expect(ride.stop_ids).toEqual(['A', 'C', 'B1'].map((stop) => `ville:stop:${stop}`))
    expect([ride.geometry_source, ride.geometry.coordinates.length]).toEqual(['stops', 3])
    const { data } = (await get('/v1/stops/ville:stop:C/departures?limit=5')).body
    const row = data.find(({ trip_id }: { trip_id: string }) => trip_id === ride.trip_id)
    expect(row).toMatchObject({ ...ride.calls[1].departure, status: ride.calls[1].status })
    expect(ride.calls[2]).toMatchObject({ status: 'delayed', departure: null })
    expect(await first('A', 'B1', after)).toEqual(journey)
  })

  test('runs by frequency, while they run', async () => {
    const { first, again, linesAgain, network } = await open()
    const { id } = await first('C', 'Z', '&when=2026-06-10T12:05:00%2B02:00')
    expect(await linesAgain(id)).toEqual(['freq-1@12:10:00 C 12:10:00 Z 12:20:00'])
    const rarer = 'trip_id,start_time,end_time,headway_secs\nfreq-1,12:00:00,13:00:00,1200'
    const feed = textFeed(journeyFeed({ ...FEED, files: { ...FEED.files, 'frequencies.txt': rarer } }))
    network.current = (await openNetwork({ id: 'ville', feed })).current
    expect((await again(id)).status).toBe(404)
  })

  test('a journey on foot leaves now', async () => {
    const { first, linesAgain, service } = await open()
    const { id } = await first('B1', pointAt(5400))
    expect(await linesAgain(id)).toEqual(['walk 520 m B1 08:00:00 * 08:07:14'])
    service.nowMillis += 60_000
    expect(await linesAgain(id)).toEqual(['walk 520 m B1 08:01:00 * 08:08:14'])
  })
})

describe('an id without a journey', () => {
  test('is not found: other kinds, other networks, invented ones', async () => {
    const { first, again } = await open()
    const { id } = await first('A', 'Z')
    const local = id.slice('ville:journey:'.length)
    for (const wrong of [
      'ville:journey:',
      'ville:stop:A',
      `elsewhere:journey:${local}`,
      `ville:journey:${local}A`,
      `ville:journey:${local}=`,
      `ville:journey:${local.slice(0, -2)}`,
      `ville:journey:A${local}`,
      'ville:journey:3lq9sugfn65yy',
      'ville:journey:%00',
      `ville:journey:${'A'.repeat(4000)}`,
      'journey',
    ]) {
      const { status, body } = await again(wrong)
      expect([wrong.slice(0, 40), status, body.reason]).toEqual([wrong.slice(0, 40), 404, 'not_found'])
    }
  })

  test('causes no error, whatever its text', () => {
    fc.assert(
      fc.property(fc.base64String({ maxLength: 120 }), (text) => {
        readJourneyRef(text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', ''))
      }),
      { numRuns: bySize({ quick: 2_000, ci: 20_000, full: 500_000 }), seed: SEED },
    )
  })

  test('a trip, a call or a stop that is no longer in the timetable', async () => {
    const { first, again, network, service } = await open()
    const ids = {
      direct: (await first('A', 'Z')).id,
      walked: (await first('A', pointAt(20_100))).id,
      night: (await first('A', 'Z', '&when=2026-06-10T22:00:00%2B02:00')).id,
    }
    const statuses = async (feed: JourneyFeed) => {
      const { current } = await openNetwork({ id: 'ville', feed: textFeed(journeyFeed(feed)) })
      network.current = current && { ...current, id: JSON.stringify(feed) }
      const answers = await Promise.all(Object.values(ids).map((id) => again(id)))
      return answers.map(({ status }) => status)
    }
    service.nowMillis += 86_400_000
    expect(await statuses(FEED)).toEqual([200, 200, 200])
    const { 'in-2': _, ...others } = FEED.trips
    expect(await statuses({ ...FEED, trips: others })).toEqual([404, 404, 200])
    expect(await statuses({ ...FEED, trips: { ...FEED.trips, 'night-1': 'A 23:00, C 23:30' } })).toEqual([
      200, 200, 404,
    ])
    // If a trip has an additional stop, its later calls have other positions. The journey must still be found.
    const longer = await statuses({ ...FEED, trips: { ...FEED.trips, 'in-2': 'Z 08:00, A 08:06, B2 08:09, B1 08:12' } })
    expect(longer).toEqual([200, 200, 200])
    const days = `service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
      daily,1,1,1,1,1,1,1,20260611,20261231`
    expect(await statuses({ ...FEED, files: { ...FEED.files, 'calendar.txt': days } })).toEqual([404, 404, 404])
  })

  test('ids have at most 1 kB; trips with longer names cannot be requested again', async () => {
    const long = (letter: string) => `${letter}-${letter.repeat(600)}`
    const { first, again } = await open({
      ...FEED,
      trips: { [long('i')]: 'A 08:05, B1 08:10', [long('o')]: 'B1 08:15, Z 08:40' },
    })
    const { id } = await first('A', 'Z')
    expect(id.length).toBeLessThan(1000)
    expect((await again(id)).status).toBe(404)
    const one = (await first('A', 'B1')).id
    expect(one.length).toBeLessThan(1000)
    expect((await again(one)).status).toBe(200)
  })
})

describe('a point’s name', () => {
  const row = {
    streetId: '1_1',
    number: 12,
    street: 'Rue du Sport',
    postcode: '67000',
    communeCode: '67482',
    commune: 'Ville',
    lon: 7.5,
  }
  const rows = [5100, 5110].map((meters, at) => ({ ...row, number: 12 + at, lat: Number(latOf(meters)) }))
  const addresses = async () => new ServedAddresses({ index: await indexOf(rows), id: 'a', madeAtMillis: 0 }, [])

  test('is its nearest address within 200 m, else its coordinates, even when requested again', async () => {
    const { first, again } = await open(FEED, { addresses: await addresses() })
    const labels = async (to: string) => {
      const journey = await first('A', to)
      const same = (await again(journey.id)).body.data
      expect(same.sections.at(-1).to_place).toEqual(journey.sections.at(-1).to_place)
      return journey.sections.at(-1).to_place.label
    }
    expect(await labels(pointAt(5090))).toBe('12 Rue du Sport 67000 Ville')
    expect(await labels(pointAt(5308))).toBe('13 Rue du Sport 67000 Ville')
    expect(await labels(pointAt(5312))).toMatch(/^48\.\d+,7\.5$/)
    // These words mean the whole street, so the label must not name a house.
    expect(await labels('rue du sport')).toBe('Rue du Sport 67000 Ville')
  })
})

describe('include', () => {
  test('only what is requested', async () => {
    const { first } = await open()
    const added = async (include: string) => {
      const [ride] = (await first('A', 'Z', include)).sections
      return ['calls', 'geometry', 'geometry_source', 'alert_ids'].filter((member) => member in ride)
    }
    expect(await added('')).toEqual([])
    expect(await added('&include=calls')).toEqual(['calls'])
    expect(await added('&include=geometry,geometry')).toEqual(['geometry', 'geometry_source'])
    expect(await added('&include=alerts')).toEqual(['alert_ids'])
  })

  test('alerts on the trip, the line and both stops at the time of the ride', async () => {
    const { first, network, service } = await open()
    const at = (time: string) => Date.parse(`2026-06-10T${time}:00+02:00`) / 1000
    const of = (id: string, named: Parameters<typeof selector>[0], from = '00:00', to = '23:59') =>
      alert(id, { selectors: [selector(named)], activePeriods: [period(at(from), at(to))] })
    network.live = publishedAlerts(
      network,
      [
        of('line', { routeId: 'in' }),
        of('trip', { trip: descriptor({ tripId: 'in-2' }) }),
        of('that-day', { trip: descriptor({ tripId: 'in-2', startDate: '20260610' }) }),
        of('other-trip', { trip: descriptor({ tripId: 'in-1' }) }),
        of('other-day', { trip: descriptor({ tripId: 'in-2', startDate: '20260611' }) }),
        of('later', { routeId: 'in' }, '09:00'),
        of('station', { stopId: 'B' }),
        of('passed', { stopId: 'C' }),
        of('when-one-comes', { stopId: 'Z' }, '08:40', '08:41'),
        of('before', { stopId: 'Z' }, '08:00', '08:39'),
        of('mode', { routeType: 3 }),
      ],
      { atMillis: service.nowMillis },
    )
    const { sections } = await first('A', 'Z', '&include=alerts')
    const ids = sections.map(({ alert_ids }: { alert_ids: string[] }) =>
      alert_ids.join(' ').replaceAll('ville:alert:', ''),
    )
    expect(ids).toEqual(['line trip that-day mode station', 'mode station when-one-comes'])
    // An hour later, the feed is stale, and its alerts no longer have an effect.
    service.nowMillis += 3_600_000
    const late = await first('A', 'Z', '&include=alerts&when=2026-06-10T08:00:00%2B02:00')
    expect(late.sections[0].alert_ids).toEqual([])
  })

  test('the part of the shape that is ridden; straight lines without a shape', async () => {
    const shapes = `shape_id,shape_pt_lat,shape_pt_lon,shape_pt_sequence
      s,${latOf(0)},7.5,1
      s,${latOf(2500)},7.51,2
      s,${latOf(5000)},7.5,3
      s,${latOf(9000)},7.5,4`
    const files = {
      ...FEED.files,
      'shapes.txt': shapes,
      'trips.txt': 'route_id,service_id,trip_id,shape_id\nin,daily,in-1,s\nout,daily,out-1,',
    }
    const { first } = await open({
      ...FEED,
      trips: { 'in-1': 'A 08:05, B1 08:10, C 08:26', 'out-1': 'B1 08:15, C 08:25, Z 08:40' },
      files,
    })
    const lat = (meters: number) => Math.round(Number(latOf(meters)) * 1e6) / 1e6
    const [ride, on, walk] = (await first('A', pointAt(20_100), '&include=geometry')).sections
    expect([ride.geometry_source, ride.geometry.coordinates]).toEqual([
      'shape',
      [
        [7.5, lat(0)],
        [7.51, lat(2500)],
        [7.5, lat(5000)],
      ],
    ])
    expect([on.geometry_source, on.geometry.coordinates]).toEqual([
      'stops',
      [
        [7.5, lat(5000)],
        [7.5, lat(9000)],
        [7.5, lat(20_000)],
      ],
    ])
    expect(walk.geometry).toEqual({
      type: 'LineString',
      coordinates: [
        [7.5, lat(20_000)],
        [7.5, lat(20_100)],
      ],
    })
    expect('geometry_source' in walk).toBe(false)
  })
})
