// Tests which responses of the data API are counted for a key's owner, and under which route. Fails if a response is
// not counted or counted twice, if it is counted under the wrong route or class, or if a request without a key is
// counted.
import { expect, test } from 'bun:test'
import type { AnswerCounts } from '../../../src/metering/route-counts.ts'
import { openApi } from '../api/api-under-test.ts'

const STOP = '/v1/stops/ville:stop:nowhere'

test('every response to a key is counted once, including cached ones, 304s and errors', async () => {
  const { get, call, tally, gate } = await openApi()
  const countsOf = (): Record<string, AnswerCounts> =>
    Object.fromEntries(tally.take().map(({ keyId, route, answers }) => [`${keyId} ${route}`, answers]))
  const first = await get('/v1/networks')
  await get('/v1/networks', { 'if-none-match': first.headers.get('etag') ?? '' })
  for (let again = 0; again < 3; again++) await get('/v1/networks')
  await call('HEAD', '/v1/networks', { authorization: 'Bearer good' })
  expect((await get('/v1/networks/ville/stops?limit=0')).status).toBe(400)
  expect((await get(STOP)).status).toBe(404)
  expect((await get('/v1/nothing')).status).toBe(404)
  expect((await call('POST', '/v1/networks', { authorization: 'Bearer good' })).status).toBe(405)
  expect((await call('GET', '/v1/networks')).status).toBe(401)
  expect((await call('GET', '/v1/networks', { authorization: 'Bearer other' })).status).toBe(401)
  expect((await call('GET', '/v1/health')).status).toBe(200)
  expect((await call('OPTIONS', '/v1/networks')).status).toBe(204)
  expect(countsOf()).toEqual({
    'k1 /v1/networks': [6, 0, 0, 0],
    'k1 /v1/networks/{network}/stops': [0, 1, 0, 0],
    'k1 /v1/stops/{stop_id}': [0, 1, 0, 0],
    'k1 other': [0, 2, 0, 0],
  })
  gate.reserve = () => ({ reason: 'quota_exhausted', retryAfterSeconds: 9 })
  expect((await get(STOP)).status).toBe(429)
  gate.reserve = () => ({ reason: 'metering_unavailable', retryAfterSeconds: 9 })
  expect((await get(STOP)).status).toBe(503)
  expect(countsOf()).toEqual({ 'k1 /v1/stops/{stop_id}': [0, 0, 1, 1] })
})

test('a failure of the service is counted as one, immediate or later', async () => {
  const { get, tally, gate, service } = await openApi({ planners: { plan: () => Promise.reject(new Error('broken')) } })
  expect((await get('/v1/journeys?from=gare&to=port')).status).toBe(500)
  Object.defineProperty(service, 'nowMillis', {
    get: () => {
      throw new Error('no clock')
    },
  })
  expect((await get(STOP)).status).toBe(500)
  expect(tally.take().map(({ route, answers }) => [route, answers])).toEqual([
    ['/v1/stops/{stop_id}', [0, 0, 0, 1]],
    ['/v1/journeys', [0, 0, 0, 1]],
  ])
  expect(gate.held).toBe(0)
})
