// Tests how an operator's planner is called, and what happens if it fails. With `auto`, the service's own planner
// answers instead. If the operator's planner was requested by name, the response is 503, nothing is charged, and no
// secret is revealed. Fails if a failing planner has any other effect.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'
import { ROUTES } from '../../../src/contract/routes.ts'
import { NativePlanners } from '../../../src/journeys/native-planners.ts'
import type { JourneyQuestion } from '../../../src/journeys/planner-messages.ts'
import { itinerary, leg, openNativeApi, openPlanner, plan, SECRET } from './native-under-test.ts'

let planner: ReturnType<typeof openPlanner>
beforeEach(() => {
  planner = openPlanner()
})
afterEach(() => planner.close())

const PATH = '/v1/journeys?from=ville:stop:G&to=ville:stop:P'

/** The tram from Gare at 08:10, with this trip id. */
const tramNamed = (tripId: string) =>
  leg({
    mode: 'TRAM',
    from: { lat: 48.585, lon: 7.735, stopId: 'v_G' },
    to: { lat: 48.575, lon: 7.77, stopId: 'v_P' },
    startTime: '2026-06-10T06:10:00Z',
    endTime: '2026-06-10T06:22:00Z',
    tripId,
  })
/** The operator's planner returns only a2, at 08:10. The service's own planner would also return a1, at 08:00. */
const ITS_TRAM = itinerary(tramNamed('20260610_08:10_v_a2'))
const ITS_ARRIVALS = ['2026-06-10T08:22:00+02:00']
/** The arrival times of a1 and a2. */
const OUR_ARRIVALS = ['2026-06-10T08:12:00+02:00', '2026-06-10T08:22:00+02:00']
const arrivalsOf = (body: { data: { arrival_at: string }[] }) => body.data.map((each) => each.arrival_at)

describe('the planner of a query', () => {
  test('is the operator’s under auto and native, this service under service', async () => {
    planner.answer = plan([ITS_TRAM])
    const { get } = await openNativeApi(planner.url)
    expect(arrivalsOf((await get(PATH)).body)).toEqual(ITS_ARRIVALS)
    expect(arrivalsOf((await get(`${PATH}&planner=auto`)).body)).toEqual(ITS_ARRIVALS)
    expect(arrivalsOf((await get(`${PATH}&planner=native`)).body)).toEqual(ITS_ARRIVALS)
    expect(planner.requested).toHaveLength(3)
    expect(arrivalsOf((await get(`${PATH}&planner=service&limit=2`)).body)).toEqual(OUR_ARRIVALS)
    expect(planner.requested).toHaveLength(3)
  })

  test('is this service if the operator’s does not support the query, and none under native', async () => {
    planner.answer = plan([ITS_TRAM])
    const { get } = await openNativeApi(planner.url)
    expect(arrivalsOf((await get(`${PATH}&transfer_seconds=90&limit=2`)).body)).toEqual(OUR_ARRIVALS)
    const refused = await get(`${PATH}&planner=native&transfer_seconds=90`)
    expect([refused.status, refused.body.reason]).toEqual([404, 'capability_unsupported'])
    expect(arrivalsOf((await get(`${PATH}&wheelchair=true&limit=2`)).body)).toEqual(OUR_ARRIVALS)
    const stepFree = await get(`${PATH}&planner=native&wheelchair=true`)
    expect([stepFree.status, stepFree.body.reason]).toEqual([404, 'capability_unsupported'])
    const { meta } = (await get(PATH)).body
    expect([meta.previous_cursor, meta.next_cursor]).toEqual([null, null])
    expect(planner.requested).toHaveLength(1)
  })

  test('the capabilities name the operator’s', async () => {
    const { get } = await openNativeApi(planner.url)
    const { body, text } = await get('/v1/networks/ville')
    expect(Value.Check(ROUTES.network.answer, body)).toBe(true)
    expect(body.data.capabilities.journeys).toBe('native')
    expect(text).not.toContain('127.0.0.1')
    expect((await get('/v1/networks')).body.data[0].capabilities.journeys).toBe('native')
  })

  test('no planner is queried for places outside the network', async () => {
    const { get } = await openNativeApi(planner.url)
    const far = await get('/v1/journeys?from=ville:stop:G&to=10,10&network=ville&planner=native')
    expect(far.body.meta.reason).toBe('outside_bounds')
    expect(planner.requested).toEqual([])
  })
})

describe('the query', () => {
  test('has ends, time, walks and the number of journeys, and the configured headers', async () => {
    const { get } = await openNativeApi(planner.url)
    await get(`${PATH}&limit=4&max_walk=600&when=2026-06-10T08:15:30Z&arrive_by=true`)
    const [requested] = planner.requested
    expect(requested?.url.pathname).toBe('/api/v1/plan')
    expect(Object.fromEntries(requested?.url.searchParams ?? [])).toEqual({
      fromPlace: '48.585000,7.735000',
      toPlace: '48.575000,7.770000',
      time: '2026-06-10T08:15:30Z',
      arriveBy: 'true',
      numItineraries: '8',
      directModes: 'WALK',
      preTransitModes: 'WALK',
      postTransitModes: 'WALK',
      // Walking 600 m at 1.2 m/s takes 500 s.
      maxPreTransitTime: '500',
      maxPostTransitTime: '500',
      maxDirectTime: '500',
      joinInterlinedLegs: 'false',
    })
    expect(requested?.headers.get('x-api-key')).toBe(SECRET)
    expect(requested?.headers.get('authorization')).toBeNull()
  })

  test('has stops if the tag is known, modes if MOTIS has words for them, and omits them if the address says so', async () => {
    const url = `${planner.url}/motis/api/v5/plan?apiKey=${SECRET}`
    const { get } = await openNativeApi(url, { native: { tag: 'de_v' } })
    await get('/v1/journeys?from=ville:stop:G&to=ville:area:S&modes=rail,tram')
    await get(`${PATH}&modes=tram,funicular`)
    const [first, second] = planner.requested.map((requested) => requested.url)
    expect(first?.pathname).toBe('/motis/api/v5/plan')
    expect(first?.searchParams.get('apiKey')).toBe(SECRET)
    expect(first?.searchParams.get('fromPlace')).toBe('de_v_G')
    expect(first?.searchParams.get('toPlace')).toBe('48.580000,7.750000')
    expect(first?.searchParams.get('transitModes')).toBe('RAIL,METRO,TRAM')
    expect(second?.searchParams.get('transitModes')).toBeNull()
  })
})

/**
 * Failures of the operator's planner, each with the reason that the response gives if this planner was requested by
 * name.
 */
const FAILURES: readonly (readonly [name: string, answer: () => Response | Promise<Response>, reason: string])[] = [
  ['an error', () => new Response(`boom ${SECRET}`, { status: 500 }), 'overloaded'],
  ['a rejection of the query', () => Response.json({ error: 'no stop' }, { status: 404 }), 'overloaded'],
  ['a rejection of the key', () => new Response('', { status: 401 }), 'overloaded'],
  ['no JSON', () => new Response('<html>'), 'overloaded'],
  ['another document', () => Response.json({ plan: {} }), 'overloaded'],
  ['too much', () => new Response(new Uint8Array(5 * 1024 * 1024)), 'overloaded'],
  ['a redirect to another network', () => Response.redirect('http://169.254.169.254/plan', 302), 'overloaded'],
  ['rides from another feed', plan([itinerary(tramNamed('20260610_08:10_v_other'))]), 'overloaded'],
  ['no end', () => new Promise<Response>(() => {}), 'planner_timeout'],
]

describe('a failing planner', () => {
  for (const [name, answer, reason] of FAILURES) {
    test(`by ${name}: auto has our journeys, native 503 without a charge`, async () => {
      planner.answer = answer
      const url = `${planner.url}/api/v1/plan?apiKey=${SECRET}`
      const { get, gate, logged } = await openNativeApi(url, { native: { deadlineMillis: 300 } })
      const refused = await get(`${PATH}&planner=native`)
      expect([refused.status, refused.body.reason]).toEqual([503, reason])
      expect(refused.headers.get('retry-after')).not.toBeNull()
      expect(gate.units).toBe(0)
      const ours = await get(`${PATH}&limit=2`)
      expect(arrivalsOf(ours.body)).toEqual(OUR_ARRIVALS)
      expect(gate.units).toBe(5)
      expect(planner.requested.length).toBeLessThanOrEqual(2)
      expect(refused.text + ours.text + JSON.stringify(logged)).not.toContain(SECRET)
    })
  }

  test('without journeys: auto has our journeys, native an empty response', async () => {
    planner.answer = plan([])
    const { get, gate } = await openNativeApi(planner.url)
    expect(arrivalsOf((await get(`${PATH}&limit=2`)).body)).toEqual(OUR_ARRIVALS)
    const { status, body } = await get(`${PATH}&planner=native`)
    expect([status, body.data, body.meta.reason]).toEqual([200, [], 'no_connection'])
    expect(gate.units).toBe(10)
  })

  test('that is unreachable is logged once, by its host only, and not queried for a while', async () => {
    const { get, logged } = await openNativeApi(`${planner.url}/secret-path`)
    planner.close()
    for (let times = 0; times < 3; times++)
      expect(arrivalsOf((await get(`${PATH}&limit=2`)).body)).toEqual(OUR_ARRIVALS)
    expect(logged).toHaveLength(1)
    expect(logged[0]?.fields).toEqual({ network: 'ville', reason: 'fetch_failed' })
    expect(logged[0]?.message).not.toContain('secret-path')
  })
})

const QUESTION: JourneyQuestion = {
  from: { lat: 48.585, lon: 7.735, place: undefined, label: undefined },
  to: { lat: 48.575, lon: 7.77, place: undefined, label: undefined },
  network: 'ville',
  seconds: 1_780_000_000,
  isArriveBy: false,
  modes: undefined,
  maxWalkMeters: 1000,
  mayWalkFarther: false,
  maxTransfers: 6,
  limit: 3,
  include: undefined,
  nowSeconds: 0,
}

describe('a pause', () => {
  const settings = () => ({
    kind: 'motis' as const,
    url: planner.url,
    headers: {},
    tag: undefined,
    deadlineMillis: 2_000,
  })
  const quiet = { error: () => {} }

  test('lasts ten seconds, or as long as requested, and ends with a response to a query that names the planner', async () => {
    const clock = { now: 0 }
    const natives = new NativePlanners(quiet, () => clock.now)
    const ask = async (isRequired = false) => {
      await natives.request(settings(), QUESTION, isRequired)
      return planner.requested.length
    }
    planner.answer = () => new Response('', { status: 502 })
    expect(await ask()).toBe(1)
    clock.now = 9_999
    expect(await ask()).toBe(1)
    clock.now = 10_000
    planner.answer = () => new Response('', { status: 503, headers: { 'retry-after': '60' } })
    expect(await ask()).toBe(2)
    clock.now = 69_999
    expect(await ask()).toBe(2)
    planner.answer = plan([])
    expect(await ask(true)).toBe(3)
    expect(await ask()).toBe(4)
  })

  test('does not follow a rejected query', async () => {
    const natives = new NativePlanners(quiet)
    planner.answer = () => Response.json({ error: 'no such stop' }, { status: 400 })
    await natives.request(settings(), QUESTION, false)
    await natives.request(settings(), QUESTION, false)
    expect(planner.requested).toHaveLength(2)
  })

  test('does not follow if more than 64 queries run at once: the next is rejected', async () => {
    const natives = new NativePlanners(quiet)
    const { promise, resolve } = Promise.withResolvers<void>()
    planner.answer = async () => {
      await promise
      return Response.json({ itineraries: [] })
    }
    const many = Array.from({ length: 64 }, () => natives.request(settings(), QUESTION, false))
    expect(await natives.request(settings(), QUESTION, true)).toMatchObject({ kind: 'failed', reason: 'overloaded' })
    resolve()
    expect((await Promise.all(many)).every(({ kind }) => kind === 'answer')).toBe(true)
    expect(await natives.request(settings(), QUESTION, false)).toMatchObject({ kind: 'answer' })
  })
})
