// Tests invalid requests to the account port. Fails if an invalid request is answered like a valid one, if it affects
// other connections, or if an error response is not a problem document with a reason.
import { afterAll, beforeAll, expect, spyOn, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StoreUnavailable } from '../../../src/accounts/account-store.ts'
import { ACCOUNT_PROBLEMS } from '../../../src/http/account-problem.ts'
import { AccountWorld, type Browser, GOOD_PASSWORD } from './account-world.ts'

const ADA = 'ada@example.org'

let world: AccountWorld
let member: Browser

const folder = mkdtempSync(join(tmpdir(), 'quai-messages-'))

beforeAll(async () => {
  world = await AccountWorld.open(folder)
  member = await world.member(ADA)
})

afterAll(async () => {
  await world.close()
  rmSync(folder, { recursive: true })
})

test('an error is a problem with its reason, its code and the id of its request', async () => {
  const { status, headers, body } = await world.browser().get('/v1/session', { 'x-request-id': 'mine-1' })
  expect(status).toBe(401)
  expect(headers.get('content-type')).toBe('application/problem+json')
  expect([headers.get('cache-control'), headers.get('x-request-id')]).toEqual(['no-store', 'mine-1'])
  expect(body).toEqual({
    type: 'http://localhost:8080/docs/errors#session_required',
    title: 'Session required',
    status: 401,
    detail: ACCOUNT_PROBLEMS.session_required.sentence,
    instance: 'mine-1',
    reason: 'session_required',
    code: 'ACCT3-1401',
    request_id: 'mine-1',
  })
})

test('every response has one id, even if the request had none', async () => {
  const { headers, body } = await world.browser().get('/v1/session')
  expect(headers.get('x-request-id')).toBe(String(body['request_id']))
})

test('there are as many codes as reasons', () => {
  const codes = Object.values(ACCOUNT_PROBLEMS).map(({ code }) => code)
  expect(new Set(codes).size).toBe(codes.length)
})

test.each([
  ['no JSON', '{', 'invalid_request'],
  ['nothing', '', 'invalid_request'],
  ['a list', '[]', 'invalid_request'],
  ['null', 'null', 'invalid_request'],
  ['an empty object', '{}', 'invalid_request'],
  ['a member of another type', '{"email":["a@b.c"],"password":"x"}', 'invalid_request'],
  ['an additional member', `{"email":"${ADA}","password":"x","plan":"max"}`, 'invalid_request'],
  ['a prototype', `{"email":"${ADA}","password":"x","__proto__":{"a":1}}`, 'invalid_request'],
  ['half a character', `{"email":"${ADA}","password":"\\ud83d"}`, 'invalid_request'],
  ['17 kilobytes', JSON.stringify({ email: ADA, password: 'x'.repeat(17_000) }), 'content_too_large'],
])('a body with %s is rejected', async (_, body, reason) => {
  const answer = await world.browser().post('/v1/sessions', body)
  expect([answer.body['reason'], answer.status]).toEqual([reason, reason === 'invalid_request' ? 400 : 413])
})

test('an invalid body is reported by member and expected value, and never quoted', async () => {
  const { body } = await world.browser().post('/v1/sessions', '{"email":["a@b.c"],"password":"x"}')
  expect(body['detail']).toBe(
    'The member "email" of the body is not valid: expected string. See /openapi.json for the members of the body and what they accept.',
  )
})

test('a body that is not UTF-8, or of unknown length, is rejected', async () => {
  const bytes = new Uint8Array([...Buffer.from('{"email":"'), 0xff, ...Buffer.from('","password":"x"}')])
  const post = (body: Uint8Array<ArrayBuffer> | ReadableStream) =>
    fetch(`${world.base}/v1/sessions`, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
  expect((await post(bytes)).status).toBe(400)
  const stream = new ReadableStream({
    start: (sink) => {
      sink.enqueue(new Uint8Array(9))
      sink.close()
    },
  })
  expect((await post(stream)).status).toBe(413)
})

test('a body that never arrives affects only its own connection', async () => {
  const socket = connect(world.listener.port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write('POST /v1/sessions HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{')
  expect((await world.browser().get('/v1/health')).status).toBe(200)
  const log = spyOn(world.listener.api.logger, 'error')
  socket.destroy()
  await Bun.sleep(20)
  expect(log).not.toHaveBeenCalled()
  log.mockRestore()
})

test.each([
  ['PUT', '/v1/sessions', 405, 'POST, GET, DELETE, HEAD, OPTIONS'],
  ['POST', '/v1/session', 405, 'GET, HEAD, OPTIONS'],
  ['PATCH', '/v1/password', 405, 'PUT, OPTIONS'],
  ['TRACE', '/v1/health', 405, 'GET, HEAD, OPTIONS'],
  ['OPTIONS', '/v1/password', 204, 'PUT, OPTIONS'],
  ['GET', '/v1/nothing', 404, null],
  ['GET', '/v1/session/', 404, null],
  ['GET', '/V1/session', 404, null],
  ['POST', '/', 405, 'GET, HEAD, OPTIONS'],
])('%s %s returns %d', async (method, path, status, allow) => {
  const answer = await member.send(method, path, method === 'POST' || method === 'PATCH' ? {} : undefined)
  expect([answer.status, answer.headers.get('allow')]).toEqual([status, allow])
})

test('HEAD is GET without a body', async () => {
  const [get, head] = [await member.get('/v1/session'), await member.send('HEAD', '/v1/session')]
  expect([head.status, head.text]).toEqual([get.status, ''])
  expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'))
  expect((await world.browser().send('HEAD', '/v1/session')).status).toBe(401)
})

test('the root redirects to the console', async () => {
  const answer = await world.browser().get('/')
  expect([answer.status, answer.headers.get('location')]).toEqual([302, '/console'])
  const page = await world.browser().get('/console')
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
})

test.each([
  ['GET /v1/health HTTP/1.1\r\nHost: a\r\nHost: b', 400],
  ['GET /v1/health HTTP/1.1\r\nHost: [::g]', 400],
  ['GET /v1/health HTTP/1.1\r\nHost: a%b', 400],
  ['GET /console HTTP/1.1\r\nHost: [', 400],
  ['GET /v1/health HTTP/1.0', 200],
  ['GET http://evil.example/v1/health HTTP/1.1\r\nHost: a', 200],
  ['GET //evil.example/ HTTP/1.1\r\nHost: a', 302], // redirects to our own /console
  ['GET /console HTTP/1.0', 200],
  ['GET /console/..%2f..%2fetc/passwd HTTP/1.1\r\nHost: a', 404],
  ['GET /console/%ff HTTP/1.1\r\nHost: a', 404],
  ['DELETE /v1/keys/%ff HTTP/1.1\r\nHost: a', 401],
  ['CONNECT a:1 HTTP/1.1\r\nHost: a', 405],
  ['OPTIONS * HTTP/1.1\r\nHost: a', 400],
  ['GET v1 HTTP/1.1\r\nHost: a', 400],
  ['POST /v1/sessions HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6', 400],
])('the message %j gets a %d', async (head, status) => {
  const answer = await sendRaw(`${head}\r\n\r\n`)
  expect(answer).toStartWith(`HTTP/1.1 ${status} `)
})

/** Sends a message on a new connection; returns the start of the response. */
function sendRaw(message: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(world.listener.port, '127.0.0.1')
    socket.on('error', reject)
    socket.on('data', (bytes) => {
      socket.destroy()
      resolve(bytes.toString())
    })
    socket.write(message)
  })
}

test('an overlong address is rejected', async () => {
  const answer = await world.browser().get(`/v1/session?${'x'.repeat(5_000)}`)
  expect([answer.status, answer.body['reason']]).toEqual([414, 'uri_too_long'])
})

test('an unexpected error returns an id and nothing more', async () => {
  const errors: unknown[] = []
  const { identity, logger } = world.listener.api
  const find = spyOn(identity.sessions, 'find').mockRejectedValue(new Error('a secret of the inside'))
  const log = spyOn(logger, 'error').mockImplementation((fields) => void errors.push(fields['request_id']))
  try {
    const answer = await member.get('/v1/session')
    expect([answer.status, answer.body['reason']]).toEqual([500, 'internal_error'])
    expect(answer.text).not.toContain('secret')
    expect(errors).toEqual([answer.body['request_id']])
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'self'")
    find.mockRejectedValue(new StoreUnavailable('the database is away'))
    const away = await member.get('/v1/session')
    expect([away.status, away.body['reason'], away.headers.get('retry-after')]).toEqual([503, 'store_unavailable', '5'])
  } finally {
    find.mockRestore()
    log.mockRestore()
  }
})

test('a limited number of passwords wait to be hashed; other requests get Retry-After', async () => {
  const { identity } = world.listener.api
  const signUps = Array.from({ length: 300 }, (_, at) =>
    identity.signUp({
      email: `crowd${at}@example.org`,
      password: GOOD_PASSWORD,
      client: `198.51.100.${at}`,
      language: 'en',
    }),
  )
  const ends = await Promise.allSettled(signUps)
  const refused = ends.filter((end) => end.status === 'rejected')
  expect(refused.map(({ reason }) => reason.name)).toEqual(Array(refused.length).fill('HashingOverloaded'))
  expect([ends.length - refused.length, refused.length]).toEqual([202, 98])
})
