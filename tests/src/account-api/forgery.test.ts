// Tests requests from pages of other sites. Numbers in test titles refer to OWASP ASVS 5.0, chapter V3. Fails if a
// change is possible without the session's own token, or if a response lacks a header that keeps other sites out.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { makeFolder } from '../account-fixture.ts'
import { AccountWorld, type Browser, GOOD_PASSWORD, type SentHeaders } from './account-world.ts'

const ADA = 'ada@example.org'
const OTHER_PASSWORD = 'siebzehn gelbe Fahrkarten'

let world: AccountWorld

beforeEach(async () => {
  world = await AccountWorld.open(makeFolder())
})

afterEach(() => world.close())

/** Every change that needs a session. */
const CHANGES: readonly (readonly [method: string, path: string, body: unknown])[] = [
  ['DELETE', '/v1/sessions/current', undefined],
  ['DELETE', '/v1/sessions', undefined],
  ['DELETE', '/v1/sessions/others', undefined],
  ['POST', '/v1/sessions/current/confirmations', { password: GOOD_PASSWORD }],
  ['PUT', '/v1/password', { current_password: GOOD_PASSWORD, password: OTHER_PASSWORD }],
]

/** Every change that needs no session. */
const OPEN_CHANGES: readonly (readonly [path: string, body: unknown])[] = [
  ['/v1/sign-up', { email: 'eve@example.org', password: GOOD_PASSWORD }],
  ['/v1/sessions', { email: ADA, password: GOOD_PASSWORD }],
  ['/v1/verifications', { token: 'x' }],
  ['/v1/password-resets', { email: ADA }],
  ['/v1/password-resets/confirm', { token: 'x', password: OTHER_PASSWORD }],
]

describe('3.5.1: a change within a session', () => {
  test.each([
    ['without a token', () => ({ 'x-csrf-token': undefined })],
    ['with an empty token', () => ({ 'x-csrf-token': '' })],
    ['with a token that is almost right', ({ csrf = '' }) => ({ 'x-csrf-token': `${csrf.slice(0, -1)}_` })],
    ['with the token of another session', (_, other) => ({ 'x-csrf-token': other.csrf })],
    ["with the session's own token", ({ token }) => ({ 'x-csrf-token': token })],
    ['from another site', () => ({ 'sec-fetch-site': 'cross-site' })],
    ['from another host of the same site', () => ({ 'sec-fetch-site': 'same-site' })],
    ['from another origin, in the form of older browsers', () => foreign('https://evil.example')],
    ['from a page without an origin', () => foreign('null')],
    ['from this machine at another port', () => foreign('http://localhost:1')],
  ] satisfies [string, (browser: Browser, other: Browser) => SentHeaders][])('%s is rejected', async (_, headers) => {
    const browser = await world.member(ADA)
    const other = await world.member('eve@example.org')
    for (const [method, path, body] of CHANGES) {
      const answer = await browser.send(method, path, body, headers(browser, other))
      expect([path, answer.status, answer.body['reason']]).toEqual([path, 403, 'csrf_failed'])
    }
    expect((await browser.get('/v1/session')).status).toBe(200)
  })

  test('from the console works, with the headers that every browser sends', async () => {
    const origins = [
      { origin: `http://localhost:${world.listener.port}`, 'sec-fetch-site': undefined },
      { origin: `http://127.0.0.1:${world.listener.port}`, 'sec-fetch-site': 'same-origin' },
      { origin: undefined, 'sec-fetch-site': undefined },
    ]
    for (const [at, headers] of origins.entries()) {
      const browser = await world.member(`ada${at}@example.org`)
      expect((await browser.delete('/v1/sessions/current', headers)).status).toBe(204)
    }
  })
})

describe('3.5.1, 3.5.2: a change without a session', () => {
  test('from another site is rejected, so that nobody is logged in as somebody else', async () => {
    await world.member(ADA)
    for (const [path, body] of OPEN_CHANGES) {
      for (const headers of [{ 'sec-fetch-site': 'cross-site' }, foreign('https://evil.example')]) {
        const answer = await world.browser().post(path, body, headers)
        expect([path, answer.status, answer.body['reason']]).toEqual([path, 403, 'csrf_failed'])
      }
    }
  })

  test('as a form, which needs no preflight, is rejected', async () => {
    const types = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', undefined]
    for (const [path, body] of OPEN_CHANGES) {
      for (const type of types) {
        const answer = await world.browser().post(path, body, { 'content-type': type })
        expect([path, answer.status, answer.body['reason']]).toEqual([path, 415, 'unsupported_media_type'])
      }
    }
  })

  test('3.4.2: a preflight names no origin, and neither does any response', async () => {
    const preflight = { origin: 'https://evil.example', 'access-control-request-method': 'POST' }
    const answers = [
      await world.browser().send('OPTIONS', '/v1/sessions', undefined, preflight),
      await world.browser().get('/v1/session', { origin: 'https://evil.example' }),
      await world.browser().get('/v1/health', { origin: `http://localhost:${world.listener.port}` }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([204, 401, 200])
    for (const { headers } of answers) {
      expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
    }
  })
})

test('3.5.3: GET and HEAD change nothing', async () => {
  const browser = await world.member(ADA)
  for (const [, path] of CHANGES) {
    for (const method of ['GET', 'HEAD']) {
      // Only one of these paths can be read: the list of sessions.
      expect((await browser.send(method, path)).status).toBe(path === '/v1/sessions' ? 200 : 405)
    }
  }
  expect((await browser.get('/v1/session')).status).toBe(200)
})

describe('a cookie', () => {
  test('3.3.2, 3.3.4: over http, on this machine, is SameSite and HttpOnly', async () => {
    await world.member(ADA)
    const answer = await world.browser().post('/v1/sessions', { email: ADA, password: GOOD_PASSWORD })
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^quai_session=[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax$/),
      expect.stringMatching(/^quai_device=[\w.-]{71}; Path=\/; Max-Age=15552000; HttpOnly; SameSite=Strict$/),
    ])
    // The token is in the cookie, and nowhere else in the response.
    expect(answer.text).not.toContain(/=([\w-]{43});/.exec(answer.headers.getSetCookie()[0] ?? '')?.[1] ?? 'none')
  })

  test('3.3.1, 3.3.3: over https is Secure and limited to this host, and the plain one is ignored', async () => {
    await world.close()
    world = await AccountWorld.open(makeFolder(), { flags: { account_url: 'https://accounts.example.org' } })
    const browser = await world.member(ADA)
    const answer = await browser.post('/v1/sessions', { email: ADA, password: GOOD_PASSWORD })
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Host-quai_session=[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax; Secure$/),
      expect.stringMatching(
        /^__Host-quai_device=[\w.-]{71}; Path=\/; Max-Age=15552000; HttpOnly; SameSite=Strict; Secure$/,
      ),
    ])
    expect((await browser.get('/v1/session')).status).toBe(200)
    expect((await browser.get('/v1/session', { cookie: `quai_session=${browser.token}` })).status).toBe(401)
    expect(answer.headers.get('strict-transport-security')).toBe('max-age=31536000; includeSubDomains') // ASVS 3.4.1
  })
})

test('3.2.1, 3.4.3 to 3.4.8, 3.5.8: every response has headers that keep other sites out', async () => {
  const browser = await world.member(ADA)
  const answers = [
    await browser.get('/v1/session'),
    await browser.get('/console'),
    await browser.get('/nowhere'),
    await browser.post('/v1/sessions', {}),
    await browser.put('/v1/password', '{'),
    await browser.send('OPTIONS', '/v1/session'),
    await browser.delete('/v1/sessions/current'),
  ]
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 404, 400, 400, 204, 204])
  for (const { headers } of answers) {
    const policy = headers.get('content-security-policy') ?? ''
    for (const rule of ["default-src 'self'", "object-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"]) {
      expect(policy).toContain(rule)
    }
    expect(policy).not.toContain('unsafe')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
  }
  // Responses about an account are never cached.
  expect(answers[0].headers.get('cache-control')).toBe('no-store')
})

/** Headers that name the origin of a page the way browsers did before 2020. */
function foreign(origin: string): SentHeaders {
  return { 'sec-fetch-site': undefined, origin }
}
