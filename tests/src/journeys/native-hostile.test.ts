// Tests planner responses with an error in any single place. Whatever replaces a member, the journey route must return
// either a response that complies with its schema, or 503. Fails if any part of a planner's response is used without a
// check.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { bySize, SEED } from '../../size.ts'
import { itinerary, leg, openNativeApi, openPlanner, plan } from './native-under-test.ts'

let planner: ReturnType<typeof openPlanner>
beforeAll(() => {
  planner = openPlanner()
})
afterAll(() => planner.close())

const GARE = { lat: 48.585, lon: 7.735, stopId: 'v_G' }
const CENTRE = { lat: 48.5801, lon: 7.7501, stopId: 'v_CA' }
const instant = (minute: string) => `2026-06-10T${minute}:00Z`
const walk = leg({
  mode: 'WALK',
  from: CENTRE,
  to: { lat: 48.581, lon: 7.751 },
  startTime: instant('06:05'),
  endTime: instant('06:08'),
  distance: 200,
})
const tram = leg({
  mode: 'TRAM',
  from: GARE,
  to: CENTRE,
  startTime: instant('06:00'),
  endTime: instant('06:05'),
  tripId: '20260610_08:00_v_a1',
  headsign: 'Port',
})

/** Values that replace a member of a planner's response. */
const strange = fc.oneof(
  fc.constantFrom(
    null,
    true,
    '',
    [],
    {},
    0,
    -1,
    1e308,
    -1e308,
    '9999-12-31T23:59:59Z',
    '0000-01-01',
    'WALK',
    '__proto__',
  ),
  fc.string({ unit: 'binary' }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.jsonValue(),
)

/**
 * A copy of a value in which one member is replaced.
 * @param choices numbers that select the member, one for each level
 */
function spoil(value: unknown, choices: readonly number[], by: unknown): unknown {
  const [choice, ...rest] = choices
  if (choice === undefined || typeof value !== 'object' || value === null) return by
  const keys = Object.keys(value)
  const key = keys[choice % Math.max(1, keys.length)]
  if (key === undefined) return by
  if (Array.isArray(value)) return value.with(Number(key), spoil(value[Number(key)], rest, by))
  return { ...value, [key]: spoil(Reflect.get(value, key), rest, by) }
}

test('one wrong member in a response is omitted or rejected, never passed on', async () => {
  const api = await openNativeApi(planner.url)
  const sound = { itineraries: [itinerary(tram, walk)], direct: [itinerary(walk)] }
  planner.answer = plan(sound.itineraries, sound.direct)
  const path = '/v1/journeys?from=ville:stop:G&to=48.581,7.751&planner=native'
  expect((await api.get(path)).body.data).toHaveLength(1)
  let answeredCount = 0
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(40), { minLength: 1, maxLength: 6 }), strange, async (choices, by) => {
      planner.answer = () => Response.json(spoil(sound, choices, by))
      // `get` throws if a response violates the schema.
      const { status, body } = await api.get(path)
      if (status === 200) answeredCount++
      else expect([status, body.reason]).toEqual([503, 'overloaded'])
    }),
    { seed: SEED, numRuns: bySize({ quick: 400, ci: 3_000, full: 20_000 }) },
  )
  expect(answeredCount).toBeGreaterThan(0)
  expect(api.logged).toEqual([])
}, 120_000)
