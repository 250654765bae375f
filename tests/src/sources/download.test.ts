// Tests downloads from a server with all kinds of faults. Fails if a file contains part of another file, if a fetch is
// not conditional, if a download waits forever, if a forbidden redirect is followed, or if a message contains a secret.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DownloadBounds, downloadSource } from '../../../src/sources/download.ts'
import { DownloadFailed, describeSource } from '../../../src/sources/download-failed.ts'
import { readRetryAfter } from '../../../src/sources/guarded-fetch.ts'

/** The module under test, for child processes that run with a limit or are killed. */
const MODULE = join(import.meta.dir, '../../../src/sources/download.ts')

type Answer = (request: Request) => Response | Promise<Response>

let server: ReturnType<typeof Bun.serve>
let folder: string
/** The server's responses. When only one is left, it is repeated. */
let answers: Answer[] = []
/** Copies of each request's headers, since Bun keeps the original ones only until the response is sent. */
let requests: Headers[] = []
let waits: number[] = []

beforeAll(() => {
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request) => {
      requests.push(new Headers(request.headers))
      const answer = answers.length > 1 ? answers.shift() : answers[0]
      return answer?.(request) ?? new Response('', { status: 404 })
    },
  })
})
afterAll(() => server.stop(true))
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quai-download-'))
  requests = []
  waits = []
})
afterEach(() => rmSync(folder, { recursive: true }))

const address = (path = '/feed.zip?key=SECRET') => `http://user:SECRET@127.0.0.1:${server.port}${path}`
const download = (more: DownloadBounds = {}, url = address()) =>
  downloadSource(
    { url, folder, name: 'feed', headers: { 'x-token': 'SECRET' } },
    { sleep: async (millis) => void waits.push(millis), idleMillis: 500, ...more },
  )
const content = () => readFileSync(join(folder, 'feed'), 'utf8')
const body =
  (text: string, headers: Record<string, string> = {}) =>
  () =>
    new Response(text, { headers })

async function failureOf(run: Promise<unknown>): Promise<DownloadFailed> {
  const error = await run.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof DownloadFailed)) throw new Error(`expected a DownloadFailed, got ${error}`)
  expect(error.message).not.toContain('SECRET')
  expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([])
  return error
}

/** A server that sends raw bytes, since HTTP servers would not send invalid responses. */
function rawServer(bytes: string, isClosing: boolean) {
  return Bun.listen({
    port: 0,
    hostname: '127.0.0.1',
    socket: {
      data(socket) {
        socket.write(bytes)
        if (isClosing) socket.end()
      },
    },
  })
}

describe('what is requested', () => {
  test('everything at first, then only changes, by entity tag', async () => {
    answers = [body('one', { etag: '"1"' }), () => new Response(null, { status: 304 }), body('two', { etag: '"2"' })]
    expect((await download()).isNew).toBe(true)
    expect((await download()).isNew).toBe(false)
    expect(requests.map((headers) => headers.get('if-none-match'))).toEqual([null, '"1"'])
    expect(requests.map((headers) => headers.get('x-token'))).toEqual(['SECRET', 'SECRET'])
    expect((await download()).isNew).toBe(true)
    expect(content()).toBe('two')
  })

  test('everything at first, then only changes, by date', async () => {
    const date = 'Wed, 10 Jun 2026 06:00:00 GMT'
    answers = [body('one', { 'last-modified': date }), () => new Response(null, { status: 304 })]
    await download()
    expect((await download()).isNew).toBe(false)
    expect(requests[1]?.get('if-modified-since')).toBe(date)
  })

  test('identical bytes are not a change', async () => {
    answers = [body('one')]
    await download()
    expect((await download()).isNew).toBe(false)
  })

  test('everything, if the file is missing or truncated, or the address changed', async () => {
    answers = [body('one', { etag: '"1"' })]
    await download()
    rmSync(join(folder, 'feed'))
    await download()
    writeFileSync(join(folder, 'feed'), 'o')
    await download()
    await download({}, address('/other.zip'))
    expect(requests.map((headers) => headers.get('if-none-match'))).toEqual([null, null, null, null])
    expect(content()).toBe('one')
  })

  test('everything, if the note of the last download is damaged or cannot be sent back', async () => {
    answers = [body('one', { etag: '"1"' })]
    for (const note of ['', 'null', '[]', '{"bytes":3}', '{"address":']) {
      await download()
      writeFileSync(join(folder, 'feed.json'), note)
      expect(await download()).toMatchObject({ isNew: true })
      expect(requests.at(-1)?.get('if-none-match')).toBeNull()
    }
    const note = JSON.parse(readFileSync(join(folder, 'feed.json'), 'utf8'))
    for (const mark of ['日', 'a\r\nb: c']) {
      writeFileSync(join(folder, 'feed.json'), JSON.stringify({ ...note, etag: mark, lastModified: mark }))
      expect(await download()).toMatchObject({ isNew: false })
      expect(requests.at(-1)?.get('if-none-match')).toBeNull()
    }
  })

  test('a page instead of a feed is fetched unchanged: the zip reader rejects it', async () => {
    answers = [body('<html>', { 'content-type': 'text/html' })]
    const before = Date.now()
    const { path, fetchedAtMillis } = await download()
    expect(path).toBe(join(folder, 'feed'))
    expect(content()).toBe('<html>')
    expect(fetchedAtMillis).toBeWithin(before, Date.now() + 1)
  })

  test('only http and https', async () => {
    for (const url of ['file:///etc/SECRET', 'data:text/plain,SECRET', 's3://bucket/SECRET', 'SECRET']) {
      expect(await failureOf(download({}, url))).toMatchObject({ reason: 'fetch_failed' })
    }
    expect(waits).toEqual([])
  })

  test('a compressed transfer yields the original file', async () => {
    answers = [() => new Response(Bun.gzipSync('plain'), { headers: { 'content-encoding': 'gzip' } })]
    await download()
    expect(content()).toBe('plain')
  })
})

describe('a failure', () => {
  test('is tried three times, with growing waits', async () => {
    answers = [() => new Response('', { status: 500 })]
    expect(await failureOf(download())).toMatchObject({ reason: 'http_500' })
    expect(requests.length).toBe(3)
    expect(waits.length).toBe(2)
    expect(waits[0]).toBeWithin(500, 1501)
    expect(waits[1]).toBeWithin(2000, 6001)
  })

  test('may be followed by success', async () => {
    answers = [() => new Response('', { status: 503 }), body('one')]
    await download()
    expect(content()).toBe('one')
  })

  test('waits as long as requested, within limits', async () => {
    const busy = (seconds: string) => () => new Response('', { status: 429, headers: { 'retry-after': seconds } })
    answers = [busy('7'), busy('100000'), body('one')]
    await download()
    expect(waits).toEqual([7_000, 60_000])
  })

  test('of an unexpected 304', async () => {
    answers = [() => new Response(null, { status: 304 })]
    expect(await failureOf(download())).toMatchObject({ reason: 'http_304' })
  })

  test('is not tried again if that cannot help', async () => {
    for (const status of [401, 403, 404, 410]) {
      requests = []
      answers = [() => new Response('', { status })]
      expect(await failureOf(download())).toMatchObject({ reason: `http_${status}` })
      expect(requests.length).toBe(1)
    }
  })

  test('leaves the previous file', async () => {
    answers = [body('one', { etag: '"1"' })]
    await download()
    answers = [() => new Response('', { status: 500 })]
    await failureOf(download())
    expect(content()).toBe('one')
  })

  test('without a response, with a slow one, or one that stops', async () => {
    answers = [() => Bun.sleep(5_000).then(() => new Response('late'))]
    expect(await failureOf(download({ idleMillis: 100 }))).toMatchObject({ reason: 'fetch_timeout' })
    const drip = async function* () {
      for (let number = 0; number < 100; number++) {
        yield 'x'
        await Bun.sleep(40)
      }
    }
    answers = [() => new Response(drip())]
    expect(await failureOf(download({ deadlineMillis: 300 }))).toMatchObject({ reason: 'fetch_timeout' })
    const stalling = rawServer('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc', false)
    const url = `http://127.0.0.1:${stalling.port}/`
    expect(await failureOf(download({ idleMillis: 100 }, url))).toMatchObject({ reason: 'fetch_timeout' })
    stalling.stop(true)
  })

  test('of a body that breaks off', async () => {
    for (const bytes of [
      'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab',
      'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nPKabc', // declared as gzip, but plain
      '',
    ]) {
      const broken = rawServer(bytes, true)
      expect(await failureOf(download({}, `http://127.0.0.1:${broken.port}/`))).toMatchObject({
        reason: 'fetch_failed',
      })
      broken.stop(true)
    }
  })

  test('of a connection reset once in the middle', async () => {
    let connections = 0
    const resetting = Bun.listen({
      port: 0,
      hostname: '127.0.0.1',
      socket: {
        data(socket) {
          const isFirst = ++connections === 1
          socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n${isFirst ? 'abc' : 'abcdefghij'}`)
          if (isFirst) setTimeout(() => socket.terminate(), 20)
        },
      },
    })
    await download({}, `http://127.0.0.1:${resetting.port}/`)
    expect(content()).toBe('abcdefghij')
    expect(connections).toBe(2)
    resetting.stop(true)
  })

  test('for lack of space: the previous file stays, and nothing partial', async () => {
    answers = [body('one', { etag: '"1"' })]
    await download()
    const code = `
      process.on('SIGXFSZ', () => {})
      const { downloadSource } = await import(process.env.MODULE)
      const order = { url: process.env.URL, folder: process.env.FOLDER, name: 'feed' }
      console.log((await downloadSource(order).catch((error) => error)).reason)`
    answers = [body('x'.repeat(100_000))]
    const env = { ...process.env, MODULE, URL: address(), FOLDER: folder }
    const limited = Bun.spawn(['sh', '-c', 'ulimit -f 20; exec "$0" -e "$1"', process.execPath, code], { env })
    expect(await limited.stdout.text()).toBe('disk_full\n')
    expect(content()).toBe('one')
    expect(readdirSync(folder).sort()).toEqual(['feed', 'feed.json'])
  })

  test('of an overlarge file, compressed or not', async () => {
    answers = [body('x'.repeat(1001))]
    expect(await failureOf(download({ maxBytes: 1000 }))).toMatchObject({ reason: 'too_large' })
    const packed = Bun.gzipSync(new Uint8Array(50_000_000))
    answers = [() => new Response(packed, { headers: { 'content-encoding': 'gzip' } })]
    expect(await failureOf(download({ maxBytes: 1_000_000 }))).toMatchObject({ reason: 'too_large' })
    expect(requests.length).toBe(2)
  })

  test('without a server', async () => {
    expect(await failureOf(download({}, 'http://127.0.0.1:1/SECRET'))).toMatchObject({ reason: 'fetch_failed' })
    expect(await failureOf(download({}, 'http://nobody.invalid/'))).toMatchObject({ reason: 'fetch_failed' })
  })
})

describe('redirects', () => {
  const to = (location: string) => () => new Response(null, { status: 302, headers: { location } })

  test('are followed three times, not four', async () => {
    answers = [to('/a'), to('/b'), to('/c'), body('there')]
    await download()
    expect(content()).toBe('there')
    answers = [to('/around')]
    expect(await failureOf(download())).toMatchObject({ reason: 'redirect_refused' })
  })

  test('validators go to the responding address only', async () => {
    const paths: [string, string | null][] = []
    const date = 'Wed, 10 Jun 2026 06:00:00 GMT'
    const redirecting =
      (there: string): Answer =>
      (request) => {
        const { pathname } = new URL(request.url)
        paths.push([pathname, request.headers.get('if-modified-since')])
        if (pathname === '/feed.zip') return to(there)()
        return request.headers.has('if-modified-since')
          ? new Response(null, { status: 304 })
          : body(pathname, { 'last-modified': date })()
      }
    answers = [redirecting('/may.zip')]
    await download()
    expect((await download()).isNew).toBe(false)
    // When June's file is requested with any date, this server responds with 304. So the date of May's file must not be
    // sent.
    answers = [redirecting('/june.zip')]
    expect((await download()).isNew).toBe(true)
    expect(content()).toBe('/june.zip')
    expect(paths).toEqual([
      ['/feed.zip', null],
      ['/may.zip', null],
      ['/feed.zip', null],
      ['/may.zip', date],
      ['/feed.zip', null],
      ['/june.zip', null],
    ])
  })

  test('headers stay with their own origin', async () => {
    const other = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: (request) => {
        requests.push(new Headers(request.headers))
        return new Response('there')
      },
    })
    answers = [to(`http://127.0.0.1:${other.port}/x`)]
    await download()
    expect(requests.at(-1)?.get('x-token')).toBeNull()
    expect(requests.at(-1)?.get('authorization')).toBeNull()
    await other.stop(true)
  })

  test('a name and password stay with their own origin, in any spelling', async () => {
    const names: (string | null)[] = []
    const note: (answer: Answer) => Answer = (answer) => (request) => {
      names.push(request.headers.get('authorization'))
      return answer(request)
    }
    answers = [to('/a'), to(`http://127.0.0.1:${server.port}/b`), body('there')].map(note)
    await download()
    const name = `Basic ${btoa('user:SECRET')}`
    expect(names).toEqual([name, name, name])
  })

  test('to other schemes and to invalid addresses are rejected', async () => {
    for (const location of ['file:///etc/passwd', 'ftp://127.0.0.1/x', 'http://[', 'data:text/plain,x']) {
      answers = [to(location)]
      expect(await failureOf(download())).toMatchObject({ reason: 'redirect_refused' })
    }
  })
})

test('remains of a killed download are removed', async () => {
  const stalling = rawServer('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc', false)
  const code = `
    const { downloadSource } = await import(process.env.MODULE)
    await downloadSource({ url: process.env.URL, folder: process.env.FOLDER, name: 'feed' })`
  const env = { ...process.env, MODULE, URL: `http://127.0.0.1:${stalling.port}/`, FOLDER: folder }
  const child = Bun.spawn([process.execPath, '-e', code], { env })
  const aside = `feed.${child.pid}.part`
  while (!readdirSync(folder).includes(aside)) await Bun.sleep(5)
  child.kill('SIGKILL')
  await child.exited
  stalling.stop(true)
  expect(readdirSync(folder)).toEqual([aside])
  answers = [body('one')]
  await download()
  expect(readdirSync(folder).sort()).toEqual(['feed', 'feed.json'])
})

test('an address without its secrets', () => {
  expect(describeSource('https://user:pass@feeds.example:8443/gtfs/SECRET.zip?key=SECRET#x')).toBe(
    'https://feeds.example:8443/…',
  )
  expect(describeSource('https://feeds.example')).toBe('https://feeds.example')
  expect(describeSource('SECRET')).toBe('an invalid URL')
})

test('Retry-After in seconds and as a date', () => {
  const now = Date.parse('2026-06-10T06:00:00Z')
  expect(readRetryAfter('120', now)).toBe(120_000)
  expect(readRetryAfter('Wed, 10 Jun 2026 06:00:30 GMT', now)).toBe(30_000)
  expect(readRetryAfter('Wed, 10 Jun 2026 05:00:00 GMT', now)).toBe(0)
  expect(readRetryAfter('soon', now)).toBeUndefined()
  expect(readRetryAfter(null, now)).toBeUndefined()
})
