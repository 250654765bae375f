// Tests the poller with a realistic upstream. Fails if a fetch is not conditional, if its condition refers to data that
// the poller does not have, if a fetch never ends, if an upstream is called before the time in its Retry-After or
// beyond its budget, or if a secret is revealed.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BudgetBook } from '../../../src/realtime/upstream-budget.ts'
import { type Answer, pollerOf, Upstream } from './poller-under-test.ts'

const MAX_BYTES = 64 * 1024 * 1024

let upstream: Upstream
let folder: string
beforeEach(() => {
  upstream = new Upstream()
  folder = mkdtempSync(join(tmpdir(), 'quai-poller-'))
})
afterEach(async () => {
  await upstream.close()
  rmSync(folder, { recursive: true, force: true })
})

const body =
  (text: string, headers: Record<string, string> = {}): Answer =>
  () =>
    new Response(text, { headers })
const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  () =>
    new Response(null, { status: code, headers })
const redirect = (location: string): Answer => status(302, { location })

/** Polls once for each response. */
async function pollThrough(notes: ReturnType<typeof pollerOf>, ...answers: Answer[]) {
  for (const answer of answers) {
    upstream.answers = [answer]
    await notes.poller.poll()
  }
  return notes
}

describe('conditions', () => {
  test('validators are sent back; an unchanged feed is not passed on again', async () => {
    const marks = { etag: '"1"', 'last-modified': 'Wed, 10 Jun 2026 06:00:00 GMT' }
    const notes = await pollThrough(
      pollerOf(upstream.address),
      body('one', marks),
      status(304),
      body('two'),
      body('two'),
    )
    expect(upstream.sent('if-none-match')).toEqual([null, '"1"', '"1"', null])
    expect(upstream.sent('if-modified-since')).toEqual([null, marks['last-modified'], marks['last-modified'], null])
    expect(notes).toMatchObject({ bodies: ['one', 'two'], same: 2, fetched: 4 })
    expect(notes.poller).toMatchObject({ isWell: true, lastError: undefined, fetchedAtMillis: 1_000_000 })
  })

  test('after a failure, everything is requested, and read even if unchanged', async () => {
    const notes = pollerOf(upstream.address)
    notes.problem = { reason: 'decode_error', message: 'it cannot be read' }
    await pollThrough(notes, body('bad', { etag: '"1"' }), body('bad', { etag: '"1"' }))
    expect(upstream.sent('if-none-match')).toEqual([null, null])
    expect(notes.bodies).toEqual(['bad', 'bad'])
    notes.problem = undefined
    await pollThrough(notes, body('good', { etag: '"2"' }), status(500), body('good', { etag: '"2"' }))
    expect(notes).toMatchObject({ bodies: ['bad', 'bad', 'good'], same: 1 })
    expect(notes.poller).toMatchObject({ isWell: true, lastError: { reason: 'http_500' } })
  })

  test('an unexpected 304 is a failure', async () => {
    const { poller, same } = await pollThrough(pollerOf(upstream.address), status(304))
    expect({ same, reason: poller.lastError?.reason, at: poller.fetchedAtMillis }).toEqual({
      same: 0,
      reason: 'http_304',
      at: undefined,
    })
  })

  test('validators from one address are not sent to another', async () => {
    const notes = pollerOf(upstream.address)
    upstream.answers = [body('one', { etag: '"1"' })]
    await notes.poller.poll()
    upstream.answers = [redirect('/elsewhere'), body('two')]
    await notes.poller.poll()
    expect(upstream.requests.map(({ path }) => path)).toEqual(['/feed.pb', '/feed.pb', '/elsewhere'])
    expect(upstream.sent('if-none-match')).toEqual([null, '"1"', null])
    expect(notes.bodies).toEqual(['one', 'two'])
  })
})

describe('limits', () => {
  test('one deadline for headers and body: a slow body is abandoned after the interval', async () => {
    const drip: Answer = () =>
      new Response(
        new ReadableStream({
          async pull(controller) {
            await Bun.sleep(100)
            controller.enqueue(new Uint8Array(1))
          },
        }),
      )
    const began = performance.now()
    const { poller } = await pollThrough(pollerOf(upstream.address, { intervalSeconds: 1 }), drip)
    expect(poller.lastError?.reason).toBe('fetch_timeout')
    expect(performance.now() - began).toBeLessThan(2_000)
  })

  test('decoding stops at the limit, however small the compressed data is', async () => {
    const bomb = Bun.gzipSync(new Uint8Array(MAX_BYTES + 1))
    const sound = Bun.gzipSync(Buffer.from('packed'))
    const packed = (bytes: Uint8Array<ArrayBuffer>) => () =>
      new Response(bytes, { headers: { 'content-encoding': 'gzip' } })
    const notes = await pollThrough(pollerOf(upstream.address), packed(bomb))
    expect(notes.poller.lastError?.reason).toBe('too_large')
    // The feed is polled at its interval, neither immediately nor after growing pauses.
    await pollThrough(notes, packed(bomb), packed(bomb))
    expect(notes.poller.waitMillis(0.5)).toBe(15_000)
    await pollThrough(notes, packed(sound))
    expect(notes.bodies).toEqual(['packed'])
    expect(upstream.sent('accept-encoding')).toEqual(['gzip', 'gzip', 'gzip', 'gzip'])
  })

  test('three redirects are followed; a loop or a redirect to another scheme is not', async () => {
    const notes = pollerOf(upstream.address)
    upstream.answers = [redirect('/1'), redirect('/2'), redirect('/3'), body('there')]
    await notes.poller.poll()
    expect(notes.bodies).toEqual(['there'])
    for (const place of ['/again', 'file:///etc/passwd', 'ftp://127.0.0.1/']) {
      await pollThrough(notes, redirect(place))
      expect(notes.poller.lastError?.reason).toBe('redirect_refused')
    }
    expect(upstream.requests).toHaveLength(4 + 4 + 1 + 1)
  })

  test('secrets go only to their own origin', async () => {
    const other = new Upstream()
    other.answers = [body('there')]
    const notes = await pollThrough(pollerOf(upstream.address), redirect(`${other.origin}/feed.pb`))
    expect(notes.bodies).toEqual(['there'])
    expect(JSON.stringify(other.requests.map(({ headers }) => [...headers]))).not.toContain('SECRET')
    expect(other.sent('authorization')).toEqual([null])
    expect(upstream.sent('x-token')).toEqual(['SECRET'])
    await other.close()
  })
})

describe('waits', () => {
  const wait = (notes: ReturnType<typeof pollerOf>) => notes.poller.waitMillis(0)

  test('longer with each failure, normal again after a success', async () => {
    const notes = await pollThrough(pollerOf(upstream.address), status(500))
    expect(wait(notes)).toBe(2_000)
    await pollThrough(notes, status(502), body('<html>'))
    expect(wait(notes)).toBe(14_250)
    await pollThrough(notes, status(404))
    expect(wait(notes)).toBe(2_000)
  })

  test('as long as the upstream requests, in seconds or until a date, and no longer than its last request', async () => {
    const notes = await pollThrough(pollerOf(upstream.address), status(429, { 'retry-after': '120' }))
    expect(wait(notes)).toBe(120_000)
    await pollThrough(notes, status(503, { 'retry-after': new Date(Date.now() + 600_000).toUTCString() }))
    expect(wait(notes)).toBeGreaterThan(590_000)
    notes.problem = { reason: 'decode_error', message: 'it cannot be read' }
    await pollThrough(notes, body('bad'))
    expect(wait(notes)).toBe(8_000)
  })
})

describe('budgets', () => {
  const clock = { nowMillis: () => Date.parse('2026-06-10T06:30:00Z') }
  const budgetOf = (limit: number) => new BudgetBook(folder, clock).budgetOf('ville/trips', { limit, window: 'hour' })

  test('each call counts, including redirects; beyond the limit, nothing is requested', async () => {
    const notes = pollerOf(upstream.address, {}, budgetOf(4))
    upstream.answers = [redirect('/there'), body('one')]
    await notes.poller.poll()
    upstream.answers = [body('two')]
    await notes.poller.poll()
    upstream.answers = [redirect('/there')]
    await notes.poller.poll()
    expect(notes.poller.lastError?.reason).toBe('redirect_refused')
    for (let round = 0; round < 5; round++) await notes.poller.poll()
    expect(upstream.requests).toHaveLength(4)
    expect(notes).toMatchObject({ bodies: ['one', 'two'], fetched: 3 })
    // The budget's window ends in half an hour.
    expect(notes.poller.waitMillis(0)).toBe(30 * 60_000)
  })

  test('without counting there is no request, and there is one when counting works again', async () => {
    const notes = pollerOf(upstream.address, {}, budgetOf(4))
    rmSync(folder, { recursive: true })
    await pollThrough(notes, body('one'))
    expect(upstream.requests).toHaveLength(0)
    expect(notes.poller.lastError?.message).toBe(
      'feed trips: its count of requests cannot be saved (ENOENT), so the feed is not fetched',
    )
    mkdirSync(folder)
    await pollThrough(notes, body('one'))
    expect(notes.bodies).toEqual(['one'])
  })

  test('calls that could not be counted, and were not made, do not use the budget', async () => {
    const notes = pollerOf(upstream.address, {}, budgetOf(4))
    rmSync(folder, { recursive: true })
    await pollThrough(notes, ...Array.from({ length: 10 }, () => body('none')))
    mkdirSync(folder)
    await pollThrough(notes, body('1'), body('2'), body('3'), body('4'), body('5'))
    expect(notes.bodies).toEqual(['1', '2', '3', '4'])
  })
})

test('no failure reveals a secret', async () => {
  const notes = pollerOf(upstream.address)
  const answers: Answer[] = [
    status(500),
    status(304),
    status(429, { 'retry-after': 'SECRET' }),
    redirect('http://127.0.0.1:1/SECRET'),
    redirect('file:///SECRET'),
    redirect('http://user:SECRET@[/'),
    () => new Response(Buffer.from('no gzip'), { headers: { 'content-encoding': 'gzip' } }),
  ]
  for (const answer of answers) {
    await pollThrough(notes, answer)
    expect(notes.poller.isWell).toBe(false)
    expect(JSON.stringify(notes.poller.lastError)).not.toContain('SECRET')
  }
  await upstream.close()
  await notes.poller.poll()
  expect(JSON.stringify(notes.poller.lastError)).not.toContain('SECRET')
  expect(notes.poller.lastError).toMatchObject({ reason: 'fetch_failed', source: 'trips' })
  for (const url of ['http://127.0.0.1:1/?key=SECRET', 'http://user:SECRET@[/', join(folder, 'SECRET')]) {
    const { poller } = pollerOf(url)
    await poller.poll()
    expect(JSON.stringify(poller.lastError)).not.toContain('SECRET')
    expect(poller.isWell).toBe(false)
  }
})

test('a body that arrives after the end is not passed on', async () => {
  const notes = pollerOf(upstream.address)
  upstream.answers = [
    () => {
      notes.poller.close()
      return new Response('late')
    },
  ]
  await notes.poller.poll()
  expect(notes).toMatchObject({ bodies: [], fetched: 0 })
})
