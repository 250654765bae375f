// Tests which requests have a line in the log. Fails if a request has no line although the limit is not reached, if
// there are more lines than the limit, if the lines don't account for all requests, or if a 5xx response has no line.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { ROUTES } from '../../../src/contract/routes.ts'
import { Networks } from '../../../src/networks/network.ts'
import { LineSampling, RequestLog } from '../../../src/requests/request-log.ts'
import { bySize, SEED } from '../../size.ts'

const RUNS = bySize({ quick: 200, ci: 1_000, full: 20_000 })

test('up to the limit, each request has its own line', () => {
  const sampling = new LineSampling(100)
  for (let second = 0; second < 5; second++) {
    for (let number = 0; number < 100; number++) expect(sampling.take(second * 1000 + number * 10)).toBe(1)
  }
})

test(`at any pace, no second has more lines, and the lines represent all requests (seed ${SEED})`, () => {
  const pace = fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(pace, fc.integer({ min: 1, max: 120 }), (requestsOfSecond, limit) => {
      const sampling = new LineSampling(limit)
      let [seen, represented] = [0, 0]
      for (const [second, requests] of requestsOfSecond.entries()) {
        let lines = 0
        for (let number = 0; number < requests; number++) {
          const standsFor = sampling.take(second * 1000 + (number * 999) / requests)
          seen++
          represented += standsFor
          if (standsFor > 0) {
            lines++
            // Each line counts its own request and all requests without a line since the previous line.
            expect(represented).toBe(seen)
          }
        }
        expect(lines).toBeLessThanOrEqual(limit)
      }
    }),
    { seed: SEED, numRuns: RUNS },
  )
})

test('a steady pace above the limit is sampled evenly, not only at the beginning of each second', () => {
  const sampling = new LineSampling(10)
  const at: number[] = []
  for (let millis = 0; millis < 10_000; millis++) if (sampling.take(millis) > 0) at.push(millis)
  const ofLastSecond = at.filter((millis) => millis >= 9_000)
  expect(ofLastSecond).toHaveLength(10)
  expect(Math.max(...ofLastSecond)).toBeGreaterThan(9_800)
})

/** A request log whose lines are recorded, and a function that makes routes with a given status. */
function keptLog(requests: 'off' | 'errors' | 'all', linesPerSecond = 1_000) {
  const lines: Record<string, unknown>[] = []
  const keep = (level: string) => (fields: Readonly<Record<string, unknown>>) => void lines.push({ level, ...fields })
  const gate = {
    keyIdOf: (authorization: string | null) => (authorization === 'Bearer good' ? 'key_1' : undefined),
  }
  let units = 0
  const log = new RequestLog(
    {
      log: { error: keep('error') },
      gathering: { info: keep('info') },
      gate,
      networks: new Networks([
        { settings: { id: 'ville', name: '', city: '', attribution: [] }, current: undefined, lastError: undefined },
      ]),
      chargedUnits: () => units,
    },
    { requests, requestLinesPerSecond: linesPerSecond },
  )
  const answer = (status: number) => () => {
    if (status < 400) units++
    return new Response(null, { status, headers: { 'x-request-id': 'r1' } })
  }
  return { log, lines, answer }
}

const ask = (path: string, authorization = 'Bearer good') =>
  new Request(`http://quai.example${path}`, { headers: { authorization } })

test('a line has the template, the network and the key’s id, and nothing that was sent', () => {
  const { log, lines, answer } = keptLog('all')
  const respond = log.logged(ROUTES.stopDepartures, answer(200))
  respond(ask('/v1/stops/ville%3Astop%3AG/departures?limit=3&token=abc'))
  respond(ask('/v1/stops/secret:stop:G/departures', 'Bearer wrong'))
  const whole = {
    level: 'info',
    request_id: 'r1',
    method: 'GET',
    route: ROUTES.stopDepartures.path.replace(/:([a-z_]+)/, '{$1}'),
    status: 200,
    duration_ms: expect.any(Number),
    units: 1,
  }
  expect(lines).toEqual([{ ...whole, key: 'key_1', network: 'ville' }, whole])
})

test('off logs nothing; errors are 5xx and always have a line, even if others are sampled away', async () => {
  const of = (kind: 'off' | 'errors' | 'all', linesPerSecond?: number) => {
    const { log, lines, answer } = keptLog(kind, linesPerSecond)
    for (const status of [200, 404, 503, 200, 503]) log.logged(ROUTES.networks, answer(status))(ask('/v1/networks'))
    return lines.map(({ status, stands_for = 1 }) => `${status}×${stands_for}`)
  }
  expect(of('off')).toEqual([])
  expect(of('errors')).toEqual(['503×1', '503×1'])
  expect(of('all')).toEqual(['200×1', '404×1', '503×1', '200×1', '503×1'])
  expect(of('all', 1)).toEqual(['200×1', '503×1', '503×1'])
  const { log, lines, answer } = keptLog('errors')
  const respond = log.logged(ROUTES.journeys, async () => answer(200)())
  await respond(ask('/v1/journeys'))
  log.set({ requests: 'all', requestLinesPerSecond: 5 })
  await respond(ask('/v1/journeys?from=home&to=work'))
  expect(lines).toMatchObject([{ route: '/v1/journeys', units: ROUTES.journeys.cost, key: 'key_1' }])
})
