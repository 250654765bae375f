// Tests the rules for all routes: keys, methods, headers, entity tags, charges, and unknown and malformed URLs.
import { afterAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { FormatRegistry } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { ROUTE_LIST } from '../../../src/contract/routes.ts'
import { smallFeed } from '../../feeds/text-feed.ts'
import { KEY, openApi } from './api-under-test.ts'

FormatRegistry.Set('date-time', (text) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)$/.test(text))

const api = await openApi({ networks: [{ id: 'ville', feed: smallFeed() }, { id: 'late' }] })
api.app.listen({ port: 0, hostname: '127.0.0.1' })
const port = api.app.server?.port ?? 0
const origin = `http://127.0.0.1:${port}`
afterAll(() => api.app.stop())

const QUERIES: Readonly<Record<string, string>> = {
  '/v1/stops/nearby': '?near=48.58,7.75',
  '/v1/departures/nearby': '?near=48.58,7.75',
  '/v1/vehicles/nearby': '?near=48.58,7.75',
  '/v1/places': '?q=centre',
  '/v1/places/reverse': '?near=48.58,7.75',
  '/v1/journeys': '?from=gare&to=ville:stop:P',
  '/v1/alerts': '?networks=ville',
  '/v1/stops/:stop_id/explanations': '?line=ville:line:A',
}
const IDS: Readonly<Record<string, string>> = {
  ':network': 'ville',
  ':line_id': 'ville:line:A',
  ':stop_id': 'ville%3Astop%3ACA',
  ':trip_id': 'ville:trip:20260610:a1',
  ':journey_id': 'ville:journey:BwAAAAFHYAAC0OSqLoCrsAcAAGAA',
}
/** A URL for each route. The response is 200, or 404 for the vehicles of a line without live vehicles. */
const ADDRESSES = ROUTE_LIST.map((route) => ({
  route,
  address: route.path.replace(/:\w+/, (name) => IDS[name] ?? '') + (QUERIES[route.path] ?? ''),
}))

/**
 * Sends raw bytes that no client would send. Returns the first line of the response; an empty string if the connection
 * was closed without one.
 */
function rawStatus(requestLine: string, header = 'Host: localhost'): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let received = ''
  const socket = connect(port, '127.0.0.1', () =>
    socket.write(`${requestLine}\r\n${header}\r\nConnection: close\r\n\r\n`, 'latin1'),
  )
  socket.on('data', (bytes) => {
    received += bytes.toString('latin1')
    if (received.includes('\r\n')) socket.destroy()
  })
  socket.on('close', () => resolve(received.split('\r\n')[0] ?? ''))
  socket.on('error', reject)
  return promise
}

describe('every route', () => {
  for (const { route, address } of ADDRESSES) {
    const isVehicles = /lines.*vehicles/.test(route.path)
    const okStatus = isVehicles ? 404 : 200

    test(`${route.name}: key, cost, and headers`, async () => {
      const bare = await api.call('GET', address)
      expect(bare.status).toBe(route.access === 'public' ? 200 : 401)
      const before = api.gate.units
      const answer = await api.get(address, { 'x-request-id': 'my-id.1' })
      expect(answer.status).toBe(okStatus)
      const cost = okStatus === 200 ? route.cost : 0
      expect(api.gate.units - before).toBe(cost)
      expect(answer.headers.get('x-request-id')).toBe('my-id.1')
      const isStream = route.event !== undefined
      const isByKey = route.caching === 'static' && route.access === 'keyed'
      const varies = isByKey ? 'Authorization, Accept-Encoding, Origin' : 'Accept-Encoding, Origin'
      expect(answer.headers.get('vary')).toBe(isStream || isVehicles ? 'Origin' : varies)
      if (isVehicles) return
      expect(answer.headers.get('content-type')).toBe(isStream ? 'text/event-stream' : 'application/json')
      expect(answer.body.meta.units).toBe(route.cost)
      expect(answer.body.meta.generated_at).toBe('2026-06-10T06:00:00Z')
      expect([...Value.Errors(route.answer, answer.body)]).toEqual([])
      const caching = { static: 'private, max-age=60', live: 'no-store', status: 'public, max-age=30' }[route.caching]
      expect(answer.headers.get('cache-control')).toBe(caching)
      expect(answer.headers.has('etag')).toBe(route.caching === 'static')
      if (Array.isArray(answer.body.data) && route.path !== '/v1/status') {
        expect(answer.body.meta.count).toBe(answer.body.data.length)
        expect(answer.body.meta.reason === undefined).toBe(answer.body.data.length > 0)
      }
    })

    test(`${route.name}: HEAD is GET without a body, at the same cost`, async () => {
      const headers = { authorization: KEY, 'x-request-id': 'same', 'accept-encoding': 'identity' }
      const get = await fetch(`${origin}${address}`, { headers })
      const isStream = get.headers.get('content-type') === 'text/event-stream'
      const length = isStream ? null : String((await get.arrayBuffer()).byteLength)
      if (isStream) await get.body?.cancel()
      const before = api.gate.units
      const head = await fetch(`${origin}${address}`, { method: 'HEAD', headers })
      expect(head.status).toBe(get.status)
      expect((await head.arrayBuffer()).byteLength).toBe(0)
      expect(head.headers.get('content-length')).toBe(length)
      for (const name of ['content-type', 'cache-control', 'etag', 'vary', 'x-request-id']) {
        expect({ name, value: head.headers.get(name) }).toEqual({ name, value: get.headers.get(name) })
      }
      expect(api.gate.units - before).toBe(okStatus === 200 ? route.cost : 0)
    })

    test(`${route.name}: other methods are rejected, bodies ignored`, async () => {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
        const refused = await fetch(`${origin}${address}`, { method, headers: { authorization: KEY }, body: 'x' })
        expect(refused.status).toBe(405)
        expect(refused.headers.get('allow')).toBe('GET, HEAD')
        expect(await refused.json()).toMatchObject({ reason: 'method_not_allowed', code: 'TRNS3-1405' })
        if (route.access === 'keyed') expect((await fetch(`${origin}${address}`, { method })).status).toBe(401)
      }
      expect(
        await rawStatus(`GET ${address} HTTP/1.1`, `Host: a\r\nAuthorization: ${KEY}\r\nContent-Length: 3\r\n\r\nabc`),
      ).toBe(`HTTP/1.1 ${okStatus === 200 ? '200 OK' : '404 Not Found'}`)
    })

    if (route.caching === 'static') {
      test(`${route.name}: an unmodified response is not sent again, and costs the same`, async () => {
        const tag = (await api.get(address)).headers.get('etag') ?? ''
        expect(tag).toMatch(/^W\/"[\w-]+-\w+"$/)
        for (const held of [tag, tag.slice(2), `"other", ${tag}`, '*', ` ${tag} `]) {
          const before = api.gate.units
          const answer = await api.get(address, { 'if-none-match': held })
          expect({ held, status: answer.status, text: answer.text, tag: answer.headers.get('etag') }).toEqual({
            held,
            status: 304,
            text: '',
            tag,
          })
          expect(api.gate.units - before).toBe(route.cost)
        }
        for (const held of ['"other"', 'W/""', tag.replace('"', '"x')]) {
          expect((await api.get(address, { 'if-none-match': held })).status).toBe(200)
        }
      })
    }
  }
})

test('a preflight needs no key, is free, and allows only configured origins', async () => {
  const before = api.gate.calls
  for (const address of ['/v1/networks', '/v1/stops/x/departures', '/v1/nothing']) {
    const granted = await api.call('OPTIONS', address, {
      origin: 'http://console.test',
      'access-control-request-method': 'GET',
    })
    expect(granted.status).toBe(204)
    expect(granted.headers.get('access-control-allow-origin')).toBe('http://console.test')
    expect(granted.headers.get('access-control-allow-methods')).toBe('GET, HEAD')
    expect(granted.headers.get('access-control-allow-headers')).toContain('Authorization')
    expect(granted.headers.get('vary')).toContain('Origin')
    const refused = await api.call('OPTIONS', address, { origin: 'http://elsewhere.test' })
    expect(refused.status).toBe(204)
    expect(refused.headers.has('access-control-allow-origin')).toBe(false)
  }
  expect(api.gate.calls).toBe(before)
})

test('pages of allowed origins may read responses, including errors', async () => {
  for (const address of ['/v1/networks', '/v1/networks/none', '/v1/health']) {
    const allowed = await api.get(address, { origin: 'http://console.test' })
    expect(allowed.headers.get('access-control-allow-origin')).toBe('http://console.test')
    for (const name of ['RateLimit', 'RateLimit-Policy', 'Retry-After', 'X-Request-Id', 'ETag']) {
      expect(allowed.headers.get('access-control-expose-headers')).toContain(name)
    }
    const other = await api.get(address, { origin: 'http://elsewhere.test' })
    expect(other.headers.has('access-control-allow-origin')).toBe(false)
  }
  const open = await openApi({ corsOrigins: ['*'] })
  const answer = await open.get('/v1/networks', { origin: 'http://elsewhere.test' })
  expect(answer.headers.get('access-control-allow-origin')).toBe('*')
  expect(answer.headers.get('vary')).toBe('Authorization, Accept-Encoding')
})

test('credentials are rejected with their reason, code and challenge, before any other check', async () => {
  const cases = [
    [undefined, 401, 'authentication_required', 'SCTY3-1401', 'Bearer realm="transit"'],
    ['Basic eDp5', 401, 'invalid_token', 'SCTY3-2401', 'Bearer realm="transit", error="invalid_token"'],
    ['Bearer revoked', 401, 'invalid_token', 'SCTY3-2401', 'Bearer realm="transit", error="invalid_token"'],
    [
      'Bearer other-audience',
      403,
      'insufficient_scope',
      'SCTY3-2403',
      'Bearer realm="transit", error="insufficient_scope", scope="transit:read"',
    ],
    [
      'Bearer unverified',
      403,
      'email_verification_required',
      'MAIL3-1403',
      'Bearer realm="transit", error="insufficient_scope"',
    ],
  ] as const
  for (const [authorization, status, reason, code, challenge] of cases) {
    for (const address of [
      '/v1/networks',
      '/v1/networks/none',
      '/v1/stops/nearby?near=x',
      '/v1/nothing',
      '/nothing',
      '/favicon.ico',
    ]) {
      const answer = await api.call('GET', address, authorization === undefined ? {} : { authorization })
      expect({ address, status: answer.status, reason: answer.body.reason, code: answer.body.code }).toEqual({
        address,
        status,
        reason,
        code,
      })
      expect(answer.headers.get('www-authenticate')).toBe(challenge)
    }
  }
})

test('a key in the URL is ignored', async () => {
  for (const query of ['key=good', 'api_key=good', 'access_token=good', 'authorization=Bearer+good']) {
    const answer = await api.call('GET', `/v1/networks?${query}`)
    expect(answer.body.reason).toBe('authentication_required')
    expect(answer.text).not.toContain('good')
  }
})

test('an error is a problem document with everything that the interface promises', async () => {
  const answer = await api.get('/v1/networks/none', { 'x-request-id': 'r-7' })
  expect(answer.headers.get('content-type')).toBe('application/problem+json')
  expect(answer.body).toEqual({
    type: 'http://api.test/docs/errors#not_found',
    title: 'Not found',
    status: 404,
    detail: 'No network has the id "none". The networks are listed at /v1/networks.',
    instance: 'r-7',
    reason: 'not_found',
    code: 'TRNS3-1404',
    request_id: 'r-7',
  })
})

test('request ids: valid ones are kept, others replaced by distinct ones', async () => {
  const seen = new Set<string>()
  for (const given of ['', 'a b', 'x'.repeat(129), '<script>', 'é']) {
    const answer = await api.get('/v1/networks/none', { 'x-request-id': given })
    const id = answer.headers.get('x-request-id') ?? ''
    expect(id).toMatch(/^[\w.~-]{1,128}$/)
    expect(id).not.toBe(given)
    expect(answer.body.request_id).toBe(id)
    seen.add(id)
  }
  expect(seen.size).toBe(5)
})

test('unknown addresses are not found, and neither are ids of the wrong kind', async () => {
  const unknown = [
    '/v1/nothing',
    '/v2/networks',
    '/v1',
    '/nothing',
    '/v1/networks/',
    '/v1/stops/ville:stop:CA/',
    '/v1/stops/CA',
    '/v1/stops/ville:stop:XX',
    '/v1/stops/ville:area:CA',
    '/v1/stops/ville:line:A',
    '/v1/lines/ville:stop:CA',
    '/v1/stops/ville:stop:',
    '/v1/stops/:stop:CA',
    '/v1/stops/other:stop:CA/departures',
    '/v1/lines/ville:line:a',
    '/v1/stops/ville:stop:CA%00',
    '/v1/stops/%zz',
    '/v1/stops/%c0%af/departures',
    '/v1/stops/ville%3Astop%3A..%2F..%2Fx',
    '/v1/stops/ville:stop:CA/departures/x',
    '/v1/networks/%E0%A4%A',
    '/v1/stops/ville:stop:__proto__',
    '/v1/networks/__proto__',
    '/v1/networks/constructor',
  ]
  for (const address of unknown) {
    const { status, body } = await api.get(address)
    expect({ address, status, reason: body.reason }).toEqual({ address, status: 404, reason: 'not_found' })
  }
})

test('a network without a snapshot is not ready, and the response has Retry-After', async () => {
  for (const address of [
    '/v1/networks/late',
    '/v1/lines/late:line:A',
    '/v1/stops/late:stop:CA/departures',
    '/v1/stops/nearby?near=48,7&networks=late',
  ]) {
    const answer = await api.get(address)
    expect({ address, status: answer.status, reason: answer.body.reason, code: answer.body.code }).toEqual({
      address,
      status: 503,
      reason: 'not_ready',
      code: 'TRNS3-1503',
    })
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  }
})

test('a client that excludes JSON gets 406; any other accepts it', async () => {
  for (const accept of [
    'application/xml',
    'text/html, application/xhtml+xml',
    'application/json;q=0',
    'application/json;q=0.0, */*',
    'application/*;q=0',
  ]) {
    const { status, body } = await api.get('/v1/networks', { accept })
    expect({ accept, status, reason: body?.reason }).toEqual({ accept, status: 406, reason: 'not_acceptable' })
  }
  for (const accept of [
    '',
    '*/*',
    'application/*',
    'APPLICATION/JSON',
    'application/json; charset=utf-8',
    'text/html, */*;q=0.1',
    'application/json;q=x',
  ]) {
    expect({ accept, status: (await api.get('/v1/networks', { accept })).status }).toEqual({ accept, status: 200 })
  }
})

test('path and query may have at most 4096 characters', async () => {
  const path = '/v1/networks?x='
  expect((await api.get(path + 'y'.repeat(4096 - path.length))).status).toBe(200)
  const { status, body } = await api.get(path + 'y'.repeat(4097 - path.length))
  expect([status, body.reason, body.code]).toEqual([414, 'uri_too_long', 'TRNS3-1414'])
})

test('no raw request causes an internal error', async () => {
  const lines = [
    'GET /v1/stops/%2e%2e/departures HTTP/1.1',
    'GET /v1/stops/../stops/x HTTP/1.1',
    'GET //v1//networks HTTP/1.1',
    'GET /v1/stops/\xe9\xff HTTP/1.1',
    'GET /v1/networks#x?limit=0 HTTP/1.1',
    'GET /v1/networks/ville/lines?limit=1&\xff=<> HTTP/1.1',
    'GET http://elsewhere/v1/networks HTTP/1.1',
    'PROPFIND /v1/networks HTTP/1.1',
    'TRACE /v1/networks HTTP/1.1',
    'GET /v1/stops/a\\b HTTP/1.1',
    'GET /v1/networks/ville/lines?limit=1&q=%00 HTTP/1.1',
    'GET ?x HTTP/1.1',
    'GET /v1/stops/ville:stop:CA/departures?when=%F0%9F%9A%8B HTTP/1.1',
  ]
  for (const line of lines) {
    for (const host of ['Host: localhost', 'Host: bad host[]%']) {
      const status = await rawStatus(line, `${host}\r\nAuthorization: ${KEY}`)
      expect({ line, host, status }).toEqual({ line, host, status: expect.not.stringMatching(/^HTTP\/1.1 5/) })
    }
  }
  expect(api.logged).toEqual([])
})

test('a bug returns 500 with the logged request id, and nothing about its cause', async () => {
  const broken = await openApi()
  broken.gate.usage = () => {
    throw new Error('secret inside')
  }
  const answer = await broken.get('/v1/usage', { 'x-request-id': 'r-9' })
  expect(answer.status).toBe(500)
  expect(answer.headers.get('content-type')).toBe('application/problem+json')
  expect(answer.body).toMatchObject({ reason: 'internal_error', code: 'TRNS3-1500', request_id: 'r-9' })
  expect(answer.text).not.toContain('secret')
  expect(broken.logged).toHaveLength(1)
  expect(broken.logged[0]?.fields).toMatchObject({ request_id: 'r-9', path: '/v1/usage' })
  expect(broken.gate.calls).toBe(0)
})
