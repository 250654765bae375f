// Tests a running service over raw connections: admin paths on the API's port, HEAD compared with GET, pipelined
// requests, unexpected bodies, and which origins may read responses. Fails if an origin that is not listed may read a
// response, if a response is out of order, or if a response to HEAD has a body.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { dedent, SMALL_FEED } from '../feeds/text-feed.ts'
import { headerOf, type RawAnswer, RawConnection, type Sent } from './raw-http-client.ts'
import { credentials, request, STOP_PATH } from './raw-http-corpus.ts'
import { ANSWER_MILLIS, makeProbe } from './raw-http-exchange.ts'
import { commandOf, end, ServiceFolder, type Serving } from './running.ts'

/**
 * The tests use the binary if there is one. Testing the sources too is not needed, since these rules do not depend on
 * how the program was built.
 */
const KIND = process.env['QUAI_BINARY'] === undefined ? 'source' : 'binary'
const PORT = 18_740
const STAR_PORT = 18_744
const DEFAULT_PORT = 18_748
const PAGE_ORIGIN = 'https://console.example'
const PORT_ORIGIN = 'http://localhost:5173'

/**
 * Starts a service with one network.
 * @param head lines for its configuration, before the network
 */
async function startService(
  port: number,
  head: string,
): Promise<{ serving: Serving; key: string; remove: () => void }> {
  const networks = '[[networks]]\nid = "ville"\nname = "Ville"\ngtfs = "ville"\n'
  const service = new ServiceFolder(commandOf(KIND), `data_dir = "data"\n${head}${networks}`)
  mkdirSync(join(service.folder, 'ville'))
  for (const [name, text] of Object.entries(SMALL_FEED)) {
    writeFileSync(join(service.folder, 'ville', name), dedent(text))
  }
  const key = await service.makeKey('raw')
  const serving = await service.serve({ workers: 1, port })
  return { serving, key, remove: () => rmSync(service.folder, { recursive: true }) }
}

/** Sends a request on a new connection; returns the response. */
async function ask(port: number, sent: Sent, isHead = false): Promise<RawAnswer> {
  const connection = await RawConnection.open(port)
  try {
    await connection.send(sent)
    const answer = await connection.read({ millis: ANSWER_MILLIS, isHead })
    if (typeof answer === 'string') throw new Error(`${answer} after ${JSON.stringify(sent).slice(0, 200)}`)
    return answer
  } finally {
    connection.drop()
  }
}

const reasonOf = (answer: RawAnswer): string => JSON.parse(answer.body).reason

describe('one service', () => {
  let started: Awaited<ReturnType<typeof startService>>
  let key = ''

  beforeAll(async () => {
    started = await startService(PORT, `cors_origins = ["${PAGE_ORIGIN}", "${PORT_ORIGIN}"]\n`)
    key = started.key
  }, 60_000)
  afterAll(async () => {
    expect(await end(started.serving)).toBe(0)
    started.remove()
  })

  /**
   * The paths are those of the admin port, and others that an attacker might guess. The API's port must not serve them,
   * and must not show clients without a key which paths exist.
   */
  test('admin addresses are unknown', async () => {
    const paths = ['/metrics', '/livez', '/readyz', '/healthz', '/admin', '/admin/', '/debug', '/debug/pprof']
    paths.push('/.env', '/.git/config', '/server-status', '/v1/admin', '/v1/metrics', '/v1/keys', '/console')
    paths.push('/v1', '/v1/', '/v2/health', '/favicon.ico', '/robots.txt', '/%6detrics', '/v1/../metrics', '//metrics')
    const wrong: string[] = []
    for (const path of paths) {
      for (const method of ['GET', 'POST', 'DELETE']) {
        const line = `${method} ${path} HTTP/1.1`
        const bare = await ask(PORT, `${line}\r\nHost: localhost\r\n\r\n`)
        const keyed = await ask(PORT, request({ key }, line))
        const seen = `${bare.status} ${reasonOf(bare)}, ${keyed.status} ${reasonOf(keyed)}`
        if (seen !== '401 authentication_required, 404 not_found') wrong.push(`${line}: ${seen}`)
      }
    }
    expect(wrong).toEqual([])
  })

  /**
   * HEAD has the same headers as GET (RFC 9110, 9.3.2). If a response to HEAD had a body, clients would read the body
   * as the next response.
   */
  test('HEAD is GET without a body', async () => {
    const targets = [
      STOP_PATH,
      `${STOP_PATH}/departures`,
      '/v1/lines/ville:line:T1',
      '/v1/networks/ville/stops?limit=1',
    ]
    targets.push('/v1/health', '/v1/status', '/v1/networks', '/v1/usage', '/v1/nothing', '/v1/stops/none')
    targets.push(
      '/docs',
      '/docs/errors',
      '/docs/start.js',
      '/docs/scalar.js',
      '/openapi.json',
      `/v1/health?${'a'.repeat(5_000)}`,
    )
    targets.push('/v1/departures/nearby', '/v1/networks/ville/stops?limit=x', '/v1/departures/nearby?near=48,7')
    const conditions = ['', 'If-None-Match: *\r\n', `Origin: ${PAGE_ORIGIN}\r\n`]
    for (const accept of ['', 'Accept: text/plain\r\n']) conditions.push(`${accept}Accept-Encoding: gzip\r\n`)
    const wrong: string[] = []
    for (const target of targets) {
      for (const condition of conditions) {
        const more = `${condition}X-Request-Id: one\r\n`
        const got = await ask(PORT, request({ key }, `GET ${target} HTTP/1.1`, more))
        const connection = await RawConnection.open(PORT)
        const probe = makeProbe(key)
        await connection.send([request({ key }, `HEAD ${target} HTTP/1.1`, more), probe.sent])
        const head = await connection.read({ millis: ANSWER_MILLIS, isHead: true })
        const next = probe.check(await connection.read({ millis: ANSWER_MILLIS }))
        connection.drop()
        if (next !== undefined) wrong.push(`${target}: behind HEAD, ${next}`)
        if (typeof head === 'string' || headText(head) !== headText(got)) {
          wrong.push(
            `${target} ${condition}: ${typeof head === 'string' ? head : headText(head)}, not ${headText(got)}`,
          )
        }
      }
    }
    expect(wrong).toEqual([])
  })

  test.each([
    { size: 7, count: 5 },
    { size: 1_000, count: 100 },
    { size: 1_000_000, count: 1_000 },
  ])('$count requests in pieces of $size bytes are answered in order', async ({ size, count }) => {
    const probes = Array.from({ length: count }, () => makeProbe(key))
    const text = probes.map(({ sent }) => sent).join('')
    const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, i) => text.slice(i * size, (i + 1) * size))
    const connection = await RawConnection.open(PORT)
    const sending = connection.send(pieces)
    for (const probe of probes) expect(probe.check(await connection.read({ millis: ANSWER_MILLIS }))).toBeUndefined()
    await sending
    connection.drop()
  })

  /**
   * Between valid requests, sends other requests that do not end the connection: refused ones, and ones whose responses
   * have very different sizes.
   */
  test('rejected requests keep their place in the order', async () => {
    const settings = { key }
    const others: readonly (readonly [sent: string, status: number])[] = [
      [request(settings, 'POST /v1/health HTTP/1.1', 'Content-Length: 5\r\n', 'hello'), 405],
      [request(settings, 'GET /docs HTTP/1.1'), 200],
      [request(settings, 'OPTIONS /v1/health HTTP/1.1'), 204],
      [request(settings, `GET ${STOP_PATH} HTTP/1.1`, 'If-None-Match: *\r\n'), 304],
      [request(settings, 'GET /nothing HTTP/1.1', 'Content-Length: 19\r\n', 'GET / HTTP/1.1\r\n\r\n '), 404],
      ['GET /v1/usage HTTP/1.1\r\nHost: a\r\n\r\n', 401],
    ]
    const steps = others.flatMap((other) => [{ probe: makeProbe(key) }, { other }, { probe: makeProbe(key) }])
    const connection = await RawConnection.open(PORT)
    await connection.send(steps.map((step) => ('probe' in step ? step.probe?.sent : step.other?.[0]) ?? '').join(''))
    for (const step of steps) {
      const answer = await connection.read({ millis: ANSWER_MILLIS })
      if ('probe' in step) expect(step.probe?.check(answer)).toBeUndefined()
      else expect(answer).toMatchObject({ status: step.other?.[1] })
    }
    connection.drop()
  })

  /** On any route and method, a body up to the limit is read and ignored; a larger one is refused. */
  test('bodies', async () => {
    const limit = 65_536
    const wrong: string[] = []
    const places = [
      `GET ${STOP_PATH}`,
      'GET /v1/usage',
      'GET /v1/health',
      'POST /v1/usage',
      'PUT /v1/nothing',
      'GET /docs',
    ]
    for (const place of [...places, 'POST /docs', 'DELETE /nothing', 'OPTIONS /v1/usage']) {
      for (const size of [1, 4_096, limit, limit + 1, 1_000_000]) {
        const connection = await RawConnection.open(PORT)
        const body = 'x'.repeat(size)
        await connection.send(request({ key }, `${place} HTTP/1.1`, `Content-Length: ${size}\r\n`, body))
        const answer = await connection.read({ millis: ANSWER_MILLIS })
        const status = typeof answer === 'string' ? 0 : answer.status
        if ((status === 413) !== size > limit || status === 0) wrong.push(`${place}, ${size} bytes: ${status}`)
        if (size <= limit) {
          const probe = makeProbe(key)
          await connection.send(probe.sent)
          const next = probe.check(await connection.read({ millis: ANSWER_MILLIS }))
          if (next !== undefined) wrong.push(`${place}, ${size} bytes: then ${next}`)
        } else if (!(await connection.closes(ANSWER_MILLIS))) wrong.push(`${place}, ${size} bytes: stays open`)
        connection.drop()
      }
    }
    expect(wrong).toEqual([])
  })

  /** Only origins that are exactly in the list are allowed; similar ones are not. */
  test('pages from other origins are not allowed', async () => {
    const others = ['null', '', '*', 'https://evil.example', 'https://console.example.evil.example', 'console.example']
    others.push('https://evilconsole.example', 'https://console.example:8443', 'http://console.example', 'file://')
    others.push('https://console.example/', 'https://CONSOLE.example', 'https://console.example, https://evil.example')
    others.push(
      'https://evil.example https://console.example',
      'https://console.example\xff',
      '__proto__',
      'constructor',
    )
    others.push(`${PAGE_ORIGIN}\r\nOrigin: ${PAGE_ORIGIN}`, `https://evil.example\r\nOrigin: ${PAGE_ORIGIN}`)
    const wrong = await corsFaults(PORT, key, [
      ...[PAGE_ORIGIN, PORT_ORIGIN].map((origin) => ({ origin, granted: origin })),
      ...others.map((origin) => ({ origin, granted: undefined })),
    ])
    expect(wrong).toEqual([])
  })

  /** The pages `/` and `/status` are public. On the API's port, these paths must not show the admin port's pages. */
  test('the front page and the public status are readable without a key, and read-only', async () => {
    await Bun.sleep(2_000) // the tests above have used up this address's rate limit for requests without a key
    for (const path of ['/', '/status']) {
      const page = await ask(PORT, `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
      expect([page.status, page.body.slice(0, 15)]).toEqual([200, '<!doctype html>'])
      for (const method of ['POST', 'DELETE']) {
        const answer = await ask(PORT, `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
        expect([method, path, answer.status, reasonOf(answer)]).toEqual([method, path, 405, 'method_not_allowed'])
      }
    }
  })
})

test.concurrent('with "*" every page is allowed, and none with credentials of its own', async () => {
  const { serving, key, remove } = await startService(STAR_PORT, 'cors_origins = ["*"]\n')
  const origins = ['null', PAGE_ORIGIN, 'https://evil.example', '']
  expect(
    await corsFaults(
      STAR_PORT,
      key,
      origins.map((origin) => ({ origin, granted: '*' })),
    ),
  ).toEqual([])
  expect(await end(serving)).toBe(0)
  remove()
})

test.concurrent('by default, only the account page and the explorer are allowed', async () => {
  const lines = 'account_url = "https://account.example"\nexplorer_url = "https://map.example"\n'
  const { serving, key, remove } = await startService(DEFAULT_PORT, lines)
  const allowed = ['https://account.example', 'https://map.example'].map((origin) => ({ origin, granted: origin }))
  const refused = ['null', 'https://evil.example', '*'].map((origin) => ({ origin, granted: undefined }))
  expect(await corsFaults(DEFAULT_PORT, key, [...allowed, ...refused])).toEqual([])
  expect(await end(serving)).toBe(0)
  remove()
})

/** The status and the sorted headers, one per line, without those that change from call to call. */
function headText({ status, headers }: RawAnswer): string {
  // The date and the remaining quota change from call to call.
  const lasting = headers.filter(([name]) => name !== 'date' && name !== 'ratelimit')
  const lines = lasting.map(([name, value]) => `${name}: ${value}`)
  return [`${status}`, ...lines.sort()].join('\n')
}

/**
 * For each origin in the table, sends a request for every kind of response, as a page from that origin would. Returns a
 * description of each response that does not grant access to exactly the expected origin.
 */
async function corsFaults(
  port: number,
  key: string,
  table: readonly { origin: string; granted: string | undefined }[],
): Promise<string[]> {
  const wrong: string[] = []
  const preflight = 'Access-Control-Request-Method: GET\r\nAccess-Control-Request-Headers: authorization\r\n'
  const keyed = credentials({ key })
  const bare = 'Host: localhost\r\n'
  const requested: readonly (readonly [line: string, head: string])[] = [
    [`GET ${STOP_PATH}`, keyed],
    [`GET ${STOP_PATH}`, `${keyed}If-None-Match: *\r\n`],
    [`GET ${STOP_PATH}/departures`, keyed],
    ['GET /v1/networks/ville/stops', keyed],
    ['GET /v1/usage', keyed],
    ['GET /v1/usage', bare],
    ['GET /v1/health', bare],
    ['GET /v1/networks/ville/stops?limit=x', keyed],
    ['GET /nothing', keyed],
    ['POST /v1/usage', keyed],
    ['GET /v1/health', 'Host: a b\r\n'],
    ['OPTIONS /v1/usage', bare + preflight],
    ['OPTIONS /nothing', bare + preflight],
  ]
  for (const { origin, granted } of table) {
    for (const [line, head] of requested) {
      const answer = await ask(port, `${line} HTTP/1.1\r\n${head}Origin: ${origin}\r\n\r\n`)
      const reported = `${line} from ${JSON.stringify(origin)}`
      const seen = headerOf(answer, 'access-control-allow-origin')
      if (seen !== granted) wrong.push(`${reported}: ${answer.status} grants ${seen}, not ${granted}`)
      if (headerOf(answer, 'access-control-allow-credentials') !== undefined)
        wrong.push(`${reported}: with credentials`)
      // If the response is not for all origins, `Vary` must make caches store one response per origin.
      const varies = headerOf(answer, 'vary')?.includes('Origin') ?? false
      if (varies !== (granted !== '*'))
        wrong.push(`${reported}: ${answer.status} varies by ${headerOf(answer, 'vary')}`)
      const methods = headerOf(answer, 'access-control-allow-methods')
      const isPreflight = line.startsWith('OPTIONS') && granted !== undefined
      if (methods !== (isPreflight ? 'GET, HEAD' : undefined)) wrong.push(`${reported}: allows ${methods}`)
    }
  }
  return wrong
}
