// Tests HTTP/2 over TLS, together with HTTP/1.1 on the same ports. Fails if a response depends on the protocol, if
// streams wait for each other, if a stopping service loses a request, or if a well-known attack on HTTP/2 succeeds.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import {
  type ClientHttp2Session,
  connect,
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from 'node:http2'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeCertificate } from '../feeds/test-certificate.ts'
import { dedent, SMALL_FEED } from '../feeds/text-feed.ts'
import { hasChromium, openChromium } from '../watched-page.ts'
import { commandOf, ServiceFolder, until } from './running.ts'

const PORTS = { api: 18_574, account: 18_575, admin: 18_576, explorer: 18_577 }
const ORIGIN = `https://localhost:${PORTS.api}`
const BOARD = '/v1/stops/ville:stop:CA/departures?limit=3'
const STREAM = '/v1/stops/ville:stop:CA/departures/stream'
/** Number of concurrent streams: more than the six connections that browsers open to one origin. */
const STREAMS = 8
const RESETS = 5_000
const MOST_MEGABYTES_OF_AN_ATTACK = 64
/** Headers that may differ from response to response, or that exist only in HTTP/1.1 or only in HTTP/2. */
const OWN_HEADERS = /^(:status|connection|keep-alive|date|x-request-id|ratelimit|etag|content-length)$/i

interface Heard {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

let folder = ''
let serving: ReturnType<ServiceFolder['spawn']>
let key = ''

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quai-http2-'))
  makeCertificate(folder, 'localhost')
  const config = `data_dir = "data"
port = ${PORTS.api}
account_port = ${PORTS.account}
admin_port = ${PORTS.admin}
explorer_port = ${PORTS.explorer}
workers = 1
drain_seconds = 1
[tls]
cert_file = "cert.pem"
key_file = "key.pem"
[[networks]]
id = "ville"
gtfs = "ville"
`
  const service = new ServiceFolder(commandOf('source'), config, folder)
  mkdirSync(join(folder, 'ville'))
  for (const [name, text] of Object.entries(SMALL_FEED)) writeFileSync(join(folder, 'ville', name), dedent(text))
  key = await service.makeKey('tests')
  serving = service.spawn('serve', '--explorer-port', `${PORTS.explorer}`)
  await until(async () => (await overHttp1(`${ORIGIN}${BOARD}`).catch(() => undefined))?.status === 200, 'it serves')
}, 60_000)
afterAll(async () => {
  serving.kill('SIGKILL')
  await serving.exited
  rmSync(folder, { recursive: true })
})

async function overHttp1(url: string, headers: Record<string, string> = {}): Promise<Heard> {
  const authorization = `Bearer ${key}`
  const response = await fetch(url, {
    headers: { authorization, 'accept-encoding': 'identity', ...headers },
    tls: { rejectUnauthorized: false },
  })
  return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() }
}

function openSession(origin = ORIGIN, settings = {}): ClientHttp2Session {
  const session = connect(origin, { rejectUnauthorized: false, settings })
  session.on('error', () => {}) // not needed, since each request reports its own errors
  return session
}

/** Sends one request over HTTP/2; rejects if there is no complete response. */
function overHttp2(
  session: ClientHttp2Session,
  path: string,
  more: OutgoingHttpHeaders = {},
  sent?: string,
): Promise<Heard> {
  const { promise, resolve, reject } = Promise.withResolvers<Heard>()
  const request = session.request({ ':path': path, authorization: `Bearer ${key}`, ...more })
  let headers: IncomingHttpHeaders = {}
  let body = ''
  request.on('response', (received) => {
    headers = received
  })
  request.on('data', (bytes) => {
    body += bytes
  })
  request.on('end', () => resolve({ status: Number(headers[':status']), headers, body }))
  request.on('error', reject)
  request.on('close', () => reject(new Error('closed without a response')))
  request.end(sent)
  return promise
}

/** The parts of a response that must be the same over both protocols. */
function lasting({ status, headers, body }: Heard) {
  const kept = Object.entries(headers).filter(([name]) => !OWN_HEADERS.test(name))
  return {
    status,
    headers: Object.fromEntries(kept),
    body: body.replace(/"(instance|request_id|generated_at)":"[^"]*"/g, '"$1":""'),
  }
}

test('the responses of all ports equal those over HTTP/1.1', async () => {
  const paths: [number, string, Record<string, string>?][] = [
    [PORTS.api, BOARD],
    [PORTS.api, '/v1/networks'],
    [PORTS.api, '/v1/stops/ville:stop:none'],
    [PORTS.api, BOARD, { authorization: 'Bearer wrong' }],
    [PORTS.api, '/v1/journeys'],
    [PORTS.api, '/openapi.json'],
    [PORTS.api, '/docs'],
    [PORTS.account, '/console'],
    [PORTS.account, '/account/session'],
    [PORTS.explorer, '/'],
  ]
  for (const [port, path, headers] of paths) {
    const session = openSession(`https://localhost:${port}`)
    const second = await overHttp2(session, path, headers)
    session.close()
    expect({ path, ...lasting(second) }).toEqual({
      path,
      ...lasting(await overHttp1(`https://localhost:${port}${path}`, headers)),
    })
  }
}, 60_000)

test('streams and boards share one connection and do not block each other', async () => {
  const session = openSession()
  const frames = new Array<number>(STREAMS).fill(0)
  const requests = frames.map((_, at) => {
    const request = session.request({ ':path': STREAM, authorization: `Bearer ${key}` })
    request.on('data', (bytes) => {
      if (`${bytes}`.includes('event: departures')) frames[at]++
    })
    return request
  })
  await until(() => frames.every((count) => count > 0), 'each stream has its first frame')
  const board = await overHttp2(session, BOARD)
  expect(board.status).toBe(200)
  for (const request of requests) request.close(constants.NGHTTP2_CANCEL)
  session.close()
}, 60_000)

test.skipIf(!hasChromium())(
  'a browser can open more streams than it opens connections to one origin',
  async () => {
    const chromium = await openChromium()
    try {
      const page = await (await chromium.newContext({ ignoreHTTPSErrors: true })).newPage()
      await page.goto(`https://localhost:${PORTS.explorer}/`)
      const received = await page.evaluate(
        async ({ url, authorization, count }) => {
          const open = async () => {
            const response = await fetch(url, { headers: { authorization } })
            const chunk = await response.body?.getReader().read()
            return { status: response.status, length: chunk?.value?.length ?? 0 }
          }
          return await Promise.all(Array.from({ length: count }, open))
        },
        { url: `${ORIGIN}${STREAM}`, authorization: `Bearer ${key}`, count: STREAMS },
      )
      expect(received.filter(({ status, length }) => status === 200 && length > 0)).toHaveLength(STREAMS)
    } finally {
      await chromium.close()
    }
  },
  60_000,
)

test('requests that are reset at once, large headers and readers without a window are cheap', async () => {
  const before = residentMegabytes()
  const resets = openSession()
  for (let count = 0; count < RESETS && !resets.destroyed; count++) {
    const request = resets.request({ ':path': BOARD, authorization: `Bearer ${key}` })
    request.on('error', () => {})
    request.end()
    request.close(constants.NGHTTP2_CANCEL)
    if (count % 100 === 0) await Bun.sleep(0)
  }
  const large = openSession()
  await expect(overHttp2(large, BOARD, { 'x-large': 'y'.repeat(100_000) })).rejects.toThrow()
  const windowless = openSession(ORIGIN, { initialWindowSize: 0 })
  let heads = 0
  for (let count = 0; count < 200; count++) {
    const request = windowless.request({ ':path': '/openapi.json' })
    request.on('response', () => heads++)
    request.on('error', () => {})
    request.end()
  }
  await until(() => heads === 200, 'all have their response headers')
  const grown = residentMegabytes() - before
  console.log(`${RESETS} resets, 200 readers without a window: ${grown.toFixed(0)} MB more`)
  expect(grown).toBeLessThan(MOST_MEGABYTES_OF_AN_ATTACK)
  for (const session of [resets, large, windowless]) session.destroy()
  const session = openSession()
  expect((await overHttp2(session, BOARD)).status).toBe(200)
  session.close()
}, 60_000)

test('a body that does not match its declared length ends that request; one of unknown length has a limit', async () => {
  const text = JSON.stringify({ email: 'ada@example.org', password: 'a wrong password' })
  const logIn = async (sent: string, stated: Record<string, number>) => {
    const session = openSession(`https://localhost:${PORTS.account}`)
    const headers = { ':method': 'POST', 'content-type': 'application/json', ...stated }
    const ended = await overHttp2(session, '/v1/sessions', headers, sent).then(
      ({ status }) => status,
      (error: unknown) => String(error),
    )
    session.destroy()
    return ended
  }
  expect(await logIn(text, { 'content-length': text.length })).toBe(401)
  expect(await logIn(text, {})).toBe(401)
  for (const length of [text.length - 1, text.length + 1]) {
    expect([length, await logIn(text, { 'content-length': length })]).toEqual([
      length,
      expect.stringContaining('PROTOCOL'),
    ])
  }
  expect(await logIn(text, { 'content-length': 0 })).toBe(400) // the server reads an empty body, which is invalid
  expect(await logIn(`"${'x'.repeat(20_000)}"`, {})).toBe(413)
}, 60_000)

/**
 * This is the last test, since it stops the service. A refused stream was not processed, so clients may send its
 * request again (RFC 9113, 8.7).
 */
test('a stopping service finishes the requests it has begun and lists the others as unprocessed', async () => {
  let [answers, refused] = [0, 0]
  const lost: string[] = []
  const sessions = Array.from({ length: 4 }, () => openSession())
  const clients = sessions.map(async (session) => {
    while (!session.closed && !session.destroyed) {
      try {
        const { status } = await overHttp2(session, BOARD)
        if (status === 200) answers++
        else lost.push(`status ${status}`)
      } catch (error) {
        if (`${error}`.includes('REFUSED_STREAM') || session.closed || session.destroyed) refused++
        else lost.push(`${error}`)
        return
      }
      await Bun.sleep(5)
    }
  })
  await until(() => answers > 50, 'clients are answered')
  serving.kill('SIGTERM')
  await Promise.all(clients)
  expect(await serving.exited).toBe(0)
  console.log(`${answers} responses, ${refused} rejected at the end`)
  expect(lost).toEqual([])
  expect(refused).toBeLessThanOrEqual(sessions.length)
}, 60_000)

function residentMegabytes(): number {
  const status = readFileSync(`/proc/${serving.pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024
}
