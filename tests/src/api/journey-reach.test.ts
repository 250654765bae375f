// Tests how far riders walk to a stop (src/journeys/walk-reach.ts). If the query has no limit, and no stop is within
// the usual distance of the origin or the destination, riders may walk farther. Fails if no journey is found because a
// stop is slightly farther away, or if a walk exceeds the query's limit.
import { describe, expect, test } from 'bun:test'
import { openJourneys, pointAt } from './journey-lines.ts'

const service = openJourneys({
  // No trip calls at U and V.
  stops: { A: 0, B: 20_000, C: 21_000, U: 60_000, V: -40_000 },
  trips: { 'x-1': 'A 08:30, B 08:40, C 08:45' },
})

/**
 * Requests a journey from a point `south` meters south of A. Returns the meters of its first walk, and parts of `meta`.
 */
async function requested(south: number, more = '', to = 'B') {
  const { ask } = await service
  const { status, body } = await ask(pointAt(-south), to, `limit=1&${more}`)
  if (status !== 200) return { status, reason: body.reason }
  const [walk] = body.data[0]?.sections ?? []
  return { walk: walk?.distance_meters, max_walk: body.meta.max_walk, reason: body.meta.reason }
}

describe('without max_walk', () => {
  test('the first of 1000, 1250, 1500, 2000 and 2500 within which an end reaches a stop', async () => {
    for (const [south, walk, max] of [
      [769, 1000, 1000],
      [770, 1001, 1250],
      [961, 1249, 1250],
      [962, 1251, 1500],
      [1153, 1499, 1500],
      [1154, 1500, 1500],
      [1156, 1503, 2000],
      [1539, 2001, 2500],
      [1923, 2500, 2500],
    ] as const) {
      expect({ south, ...(await requested(south)) }).toEqual({ south, walk, max_walk: max, reason: undefined })
    }
  })

  test('an end that needs a longer walk allows it for the other too', async () => {
    const { best, ask } = await service
    const answer = await ask(pointAt(-1000), pointAt(22_500), 'limit=1')
    expect(answer.body.meta.max_walk).toBe(2000)
    expect(await best(pointAt(-1000), pointAt(22_500), 'limit=1')).toEqual([
      expect.stringMatching(/^walk 1300 m \* 08:11:/),
      'x-1 A 08:30:00 C 08:45:00',
      expect.stringMatching(/^walk 1950 m C 08:45:00 \*/),
    ])
  })

  test('an end slightly outside the network', async () => {
    const { best, ask } = await openJourneys({ stops: { A: 0, B: 20_000 }, trips: { 'x-1': 'A 08:30, B 08:40' } })
    expect((await best(pointAt(-1900), 'B'))[0]).toStartWith('walk 2470 m *')
    expect((await best('A', pointAt(21_900))).at(-1)).toStartWith('walk 2470 m B')
    expect((await ask(pointAt(-1900), 'B', 'max_walk=1000')).status).toBe(400)
  })

  test('the nearest stops are named if even that reaches none', async () => {
    const { ask } = await service
    const far = await ask(pointAt(-1924), 'B', 'network=ville')
    expect(far.body.data).toEqual([])
    expect(far.body.meta).toMatchObject({
      max_walk: 2500,
      reason: 'no_stops_in_range',
      nearest_stops: {
        from: { stop_id: 'ville:stop:A', name: 'Name of A', distance_meters: 1924 },
        to: { stop_id: 'ville:stop:B', name: 'Name of B', distance_meters: 0 },
      },
    })
    // Stops without calls do not count, and stops beyond 10 km are not looked for.
    for (const [meters, nearest] of [
      [30_999, { stop_id: 'ville:stop:C', distance_meters: 9999 }],
      [31_001, null],
      [9_999, { stop_id: 'ville:stop:A', distance_meters: 9999 }],
    ] as const) {
      const { body } = await ask(pointAt(meters), 'B', 'network=ville')
      expect([body.meta.reason, body.meta.nearest_stops.from]).toEqual([
        'no_stops_in_range',
        nearest === null ? null : expect.objectContaining(nearest),
      ])
    }
  })
})

describe('with max_walk', () => {
  test('never farther than that, even if it is the default', async () => {
    expect(await requested(769, 'max_walk=1000&network=ville')).toEqual({
      walk: 1000,
      max_walk: 1000,
      reason: undefined,
    })
    for (const [south, max] of [
      [770, 1000],
      [400, 300],
      [1924, 2500],
    ] as const) {
      const reason = 'no_stops_in_range'
      expect(await requested(south, `max_walk=${max}&network=ville`)).toEqual({
        walk: undefined,
        max_walk: max,
        reason,
      })
    }
    const { ask } = await service
    const { body } = await ask(pointAt(-770), 'B', 'max_walk=1000&network=ville')
    expect(body.meta.nearest_stops.from).toEqual({
      stop_id: 'ville:stop:A',
      name: 'Name of A',
      distance_meters: 770,
    })
  })

  test('appears in every response', async () => {
    const { ask } = await service
    for (const more of ['', 'max_walk=1000', 'max_walk=40']) {
      const max = more === 'max_walk=40' ? 40 : 1000
      for (const [from, to] of [
        ['A', 'B'],
        ['A', 'A'],
      ] as const) {
        expect((await ask(from, to, more)).body.meta.max_walk).toBe(max)
      }
    }
    expect((await ask('0,0', 'B', 'network=ville')).body.meta).toMatchObject({
      max_walk: 1000,
      reason: 'outside_bounds',
    })
  })
})
