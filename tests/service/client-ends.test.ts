// Tests how streams and calls of the TypeScript client end. The service restarts (a stream must then continue without
// another charge), a key is revoked, or a network is not ready. A simulated proxy sends HTML pages, redirects,
// Retry-After as a date, or a RateLimit header without Retry-After. Fails if a stream is lost or if a key is sent to
// another host.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { QuaiClient, QuaiError } from '../../src/client/package/main.ts'
import { commandOf, end, ServiceFolder, type Serving } from './running.ts'

const PORT = 19_718
const STOP = { stop_id: 'ville:stop:CA', interval: 5 }

const END = 'event: end\nretry: 500\ndata: {"reason":"trip_ended"}\n\n'

/** Returns the error with which a call rejects. */
async function errorOf(call: Promise<unknown>): Promise<QuaiError> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (error instanceof QuaiError) return error
  throw new Error(`it ended with ${error}`)
}

describe('against the service', () => {
  const service = new ServiceFolder(commandOf('source'))
  let serving: Serving
  let key = ''

  beforeAll(async () => {
    key = await service.makeKey('ends')
    serving = await service.serve({ workers: 1, port: PORT })
  }, 60_000)
  afterAll(async () => {
    await end(serving)
    rmSync(service.folder, { recursive: true })
  })

  test('a stream continues after a restart without another charge', async () => {
    const quai = new QuaiClient({ baseUrl: serving.base, key })
    const seen: [units: number, isLater: boolean][] = []
    let lastId = 0
    let restarting: Promise<unknown> | undefined
    for await (const { id, meta } of quai.streamDepartures(STOP)) {
      seen.push([meta.units, Number(id) > lastId])
      lastId = Number(id)
      if (seen.length === 2) break
      restarting = end(serving).then(async () => {
        serving = await service.serve({ workers: 1, port: PORT })
      })
    }
    await restarting
    expect(seen).toEqual([
      [1, true],
      [0, true],
    ])
  }, 60_000)

  test('a revoked key ends its streams without a retry', async () => {
    const revoked = await service.makeKey('revoked')
    const quai = new QuaiClient({ baseUrl: serving.base, key: revoked })
    const listed = await service.run('keys', 'list', '--json')
    const { id } = JSON.parse(listed.stdout).find(({ name }: { name: string }) => name === 'revoked')
    const reading = (async () => {
      for await (const _ of quai.streamDepartures(STOP)) await service.run('keys', 'revoke', id)
    })()
    const { reason, status } = await errorOf(reading)
    expect([reason, status]).toEqual(['key_revoked', 401])
    expect((await errorOf(quai.listNetworks())).reason).toBe('invalid_token')
  }, 60_000)

  test('a network that is not ready: an error with the time to wait, at once if the call may not wait that long', async () => {
    const quai = new QuaiClient({ baseUrl: serving.base, key, maxWaitSeconds: 9 })
    const started = performance.now()
    const { reason, status, retryAfterSeconds, problem, detail } = await errorOf(quai.getNetwork({ network: 'late' }))
    expect([reason, status, retryAfterSeconds, problem?.detail]).toEqual(['not_ready', 503, 10, detail])
    expect(performance.now() - started).toBeLessThan(5_000)
  })

  test('an invalid parameter is named', async () => {
    const quai = new QuaiClient({ baseUrl: serving.base, key })
    const { reason, problem } = await errorOf(quai.listStops({ network: 'ville', limit: 1_000 }))
    expect([reason, problem?.param, problem?.errors?.length]).toEqual(['transit_query_invalid', 'limit', 1])
  })
})

describe.concurrent('behind a proxy', () => {
  /**
   * Runs a client against a server that sends the given responses one after the other, and then keeps repeating the
   * last one.
   */
  async function behind<Result>(
    responses: readonly (() => Response)[],
    use: (quai: QuaiClient, requests: readonly Request[]) => Promise<Result>,
  ): Promise<Result> {
    const requests: Request[] = []
    const proxy = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: (request) => {
        requests.push(request)
        return (responses[requests.length - 1] ?? responses.at(-1))?.() ?? Response.error()
      },
    })
    try {
      return await use(new QuaiClient({ baseUrl: `http://127.0.0.1:${proxy.port}`, key: 'quai_p_x' }), requests)
    } finally {
      await proxy.stop(true)
    }
  }
  const answer = () => Response.json({ data: { status: 'ok' }, meta: { units: 0 } })
  const refused = (status: number, headers: Record<string, string>) => () => new Response('busy', { status, headers })

  test('a page instead of a response is an error with its status and its first characters', async () => {
    const page = () => new Response('<h1>Bad gateway</h1>', { status: 502, headers: { 'X-Request-Id': 'r-1' } })
    const error = await behind([page], (quai) => errorOf(quai.getHealth()))
    expect([error.reason, error.status, error.requestId]).toEqual(['unexpected_response', 502, 'r-1'])
    expect(error.detail).toContain('<h1>Bad gateway</h1>')
    const fine = await behind([() => new Response('<p>Log in</p>')], (quai) => errorOf(quai.getHealth()))
    expect([fine.reason, fine.status]).toEqual(['unexpected_response', 200])
    const stream = await behind([answer], (quai) => errorOf(quai.streamDepartures(STOP).next()))
    expect([stream.reason, stream.status]).toEqual(['unexpected_response', 200])
  })

  test('a redirect is not followed, so that no other host gets the key', async () => {
    let requested = 0
    const fetch = () => {
      requested++
      return answer()
    }
    const elsewhere = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch })
    try {
      const redirect = () => Response.redirect(elsewhere.url.href, 302)
      const error = await behind([redirect], (quai) => errorOf(quai.listNetworks()))
      expect([error.reason, error.status, requested]).toEqual(['unreachable', 0, 0])
    } finally {
      await elsewhere.stop(true)
    }
  })

  test.each([
    ['Retry-After in seconds', refused(503, { 'Retry-After': '1' })],
    ['Retry-After as a date', () => refused(503, { 'Retry-After': new Date(Date.now() + 1_900).toUTCString() })()],
    ['the reset of an exhausted limit', refused(429, { RateLimit: '"burst";r=0;t=1, "units";r=90;t=4000' })],
  ])('%s is waited for', async (_, refusal) => {
    await behind([refusal, answer], async (quai, requests) => {
      const started = performance.now()
      expect((await quai.getHealth()).data.status).toBe('ok')
      expect(requests).toHaveLength(2)
      expect(performance.now() - started).toBeGreaterThan(800)
    })
  })

  test.each([
    ['no time to wait', refused(503, {})],
    ['a limit that is not exhausted', refused(429, { RateLimit: '"burst";r=1;t=1' })],
    ['a longer time than the call may wait', refused(429, { 'Retry-After': '61' })],
    ['another status', refused(500, { 'Retry-After': '1' })],
  ])('%s is not waited for', async (_, refusal) => {
    await behind([refusal, answer], async (quai, requests) => {
      await errorOf(quai.getHealth())
      expect(requests).toHaveLength(1)
    })
  })

  /** Creates a response whose body arrives in pieces of `length` bytes. */
  const streamed = (text: string, length: number) => () => {
    const bytes = Buffer.from(text)
    const pieces = Array.from({ length: Math.ceil(bytes.length / length) }, (_, at) => {
      return bytes.subarray(at * length, (at + 1) * length)
    })
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const piece = pieces.shift()
        if (piece === undefined) return controller.close()
        controller.enqueue(piece)
        await Bun.sleep(0)
      },
    })
    return new Response(body, { headers: { 'Content-Type': 'text/event-stream' } })
  }
  const event = (id: number, name: string) => `id: ${id}\nevent: departures\ndata: {"data":["${name}"],"meta":{}}\n\n`

  test.each([1, 2, 7, 1_000])('events are complete and arrive once, in pieces of %d bytes', async (length) => {
    const first = `retry: 10\n\n: \n\n${event(7, 'Gué\u2028Île')}event: other\ndata: 1\n\n${event(8, 'Öl').slice(0, -2)}`
    const second = `${event(7, 'Gué').replaceAll('\n', '\r\n')}${event(8, 'Öl')}: \n\n`
    const third = `id: 9\nevent: departures\ndata: {"data":[],\ndata: "meta":{}}\n\n${END}`
    const responses = [first, second, third].map((text) => streamed(text, length))
    await behind(responses, async (quai, requests) => {
      const got: unknown[] = []
      for await (const { id, data } of quai.streamDepartures(STOP)) got.push([id, ...data])
      expect(got).toEqual([['7', 'Gué\u2028Île'], ['8', 'Öl'], ['9']])
      expect(requests.map(({ headers }) => headers.get('last-event-id'))).toEqual([null, '7', '8'])
    })
  })

  test('a stream continues after error pages from a proxy, but not after a rejection', async () => {
    const lost = streamed(`retry: 10\n\n${event(7, 'Gué')}`, 1_000)
    const page = () => new Response('<h1>No server</h1>', { status: 503 })
    const gone = () => Response.json({ reason: 'not_found', detail: 'gone', request_id: 'r-1' }, { status: 404 })
    const responses = [lost, page, page, streamed(event(8, 'Öl'), 1_000), gone]
    await behind(responses, async (quai, requests) => {
      const ids: string[] = []
      const { reason, requestId } = await errorOf(
        (async () => {
          for await (const { id } of quai.streamDepartures(STOP)) ids.push(id)
        })(),
      )
      expect([ids, reason, requestId, requests.length]).toEqual([['7', '8'], 'not_found', 'r-1', 5])
    })
  })

  test('a stream that cannot reconnect in time ends with the reason', async () => {
    const lost = streamed(`retry: 10\n\n${event(7, 'Gué')}`, 1_000)
    await behind([lost, () => new Response('<h1>No server</h1>', { status: 503 })], async (quai, requests) => {
      const stream = quai.streamDepartures(STOP, { maxWaitSeconds: 0.5 })
      expect((await stream.next()).value?.id).toBe('7')
      const { reason, status } = await errorOf(stream.next())
      expect([reason, status, requests.length > 1]).toEqual(['unexpected_response', 503, true])
    })
  })

  test('the time limit covers all waits of a call', async () => {
    await behind([refused(503, { 'Retry-After': '1' })], async (quai, requests) => {
      const error = await errorOf(quai.getHealth({ maxWaitSeconds: 2 }))
      expect([error.status, error.retryAfterSeconds]).toEqual([503, 1])
      expect(requests).toHaveLength(2)
    })
  })
})
