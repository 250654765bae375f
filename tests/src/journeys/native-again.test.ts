// Tests a second request for a journey that an operator's planner returned. The rides and walks must be the same as
// before, even if the planner's walks differ from the service's. Fails if the second request returns another journey or
// none.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'
import { ROUTES } from '../../../src/contract/routes.ts'
import { itinerary, leg, openNativeApi, openPlanner, plan } from './native-under-test.ts'

let planner: ReturnType<typeof openPlanner>
beforeAll(() => {
  planner = openPlanner()
})
afterAll(() => planner.close())

const at = (time: string) => `2026-06-10T${time}:00Z`
const G = { lat: 48.585, lon: 7.735, stopId: 'v_G' }
const CA = { lat: 48.5801, lon: 7.7501, stopId: 'v_CA' }
const CB = { lat: 48.5799, lon: 7.7499, stopId: 'v_CB' }
const T = { lat: 48.59, lon: 7.76, stopId: 'v_T' }

/**
 * A journey on foot to the stop, by tram, on foot to the other platform, by bus, and on foot to the end.
 * @param meters length of the walk between the platforms
 * @param there time at which this walk ends
 */
const journey = (meters: number, there: string) =>
  itinerary(
    leg({
      mode: 'WALK',
      from: { lat: 48.586, lon: 7.735 },
      to: G,
      startTime: at('05:57'),
      endTime: at('06:00'),
      distance: 171,
    }),
    leg({ mode: 'TRAM', from: G, to: CA, startTime: at('06:00'), endTime: at('06:05'), tripId: '20260610_08:00_v_a1' }),
    leg({ mode: 'WALK', from: CA, to: CB, startTime: at('06:05'), endTime: at(there), distance: meters }),
    leg({ mode: 'BUS', from: CB, to: T, startTime: at('06:10'), endTime: at('06:20'), tripId: '20260610_08:10_v_b1' }),
    leg({
      mode: 'WALK',
      from: T,
      to: { lat: 48.5905, lon: 7.76 },
      startTime: at('06:20'),
      endTime: at('06:22'),
      distance: 66,
    }),
  )

test.each([
  [35, '06:06'],
  [140, '06:08'],
  [300, '06:10'],
] as const)('walks of %d m', async (meters, there) => {
  planner.answer = plan([journey(meters, there)])
  const { get } = await openNativeApi(planner.url)
  const planned = await get('/v1/journeys?from=48.586,7.735&to=48.5905,7.76&planner=native')
  const [first] = planned.body.data
  expect(first.sections.map(({ distance_meters }: { distance_meters?: number }) => distance_meters)).toEqual([
    171,
    undefined,
    meters,
    undefined,
    66,
  ])
  const again = await get(`/v1/journeys/${first.id}`)
  expect(again.status).toBe(200)
  expect(Value.Check(ROUTES.journey.answer, again.body)).toBe(true)
  expect(again.body.data.id).toBe(first.id)
  expect(again.body.data.sections).toEqual(first.sections)
})
