// Tests responses that decode to far more bytes than were sent, and that are read by a busy thread. Fails if memory
// grows with the decoded size, if decoding continues beyond the limit, or if a coding is not understood.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { DownloadFailed } from '../../../src/sources/download-failed.ts'
import { type FetchOrder, fetchGuarded } from '../../../src/sources/guarded-fetch.ts'
import { BOMB_CODINGS, type BombCoding, bombAnswer, packedBomb } from '../../feeds/bombs.ts'

const MODULE = join(import.meta.dir, '../../../src/sources/guarded-fetch.ts')
const MEGABYTE = 1024 ** 2
/** By how many bytes a fetch with a limit of 64 MB may increase the memory of its process. */
const MAX_GROWTH_BYTES = 100 * MEGABYTE

let server: ReturnType<typeof Bun.serve>
let answer: () => Response | Promise<Response> = () => new Response('')
beforeAll(() => {
  server = Bun.serve({ port: 0, hostname: '127.0.0.1', idleTimeout: 60, fetch: () => answer() })
})
afterAll(() => server.stop(true))

/**
 * A program whose thread is busy most of the time. It reads a response, and prints the result and how much its memory
 * has grown at most.
 */
const LATE_READER = `
  const { fetchGuarded } = await import(process.env.MODULE)
  setInterval(() => { const until = performance.now() + 400; while (performance.now() < until); }, 450)
  const before = process.memoryUsage.rss()
  const bounds = { deadlineMillis: 20_000, idleMillis: 20_000, maxBytes: 64 * 1024 ** 2 }
  let reason = 'nothing'
  const began = performance.now()
  try {
    const answer = await fetchGuarded({ url: process.env.URL, headers: {}, headersFor: () => ({}), ...bounds })
    const chunks = []
    for await (const chunk of answer.chunks()) chunks.push(chunk)
  } catch (error) { reason = error.reason ?? String(error) }
  const millis = performance.now() - began
  await Bun.sleep(1_000)
  const peak = Number(/VmHWM:\\s+(\\d+)/.exec(await Bun.file('/proc/self/status').text())[1]) * 1024
  console.log(JSON.stringify({ reason, millis, growth: peak - before }))
  process.exit(0)`

async function readLate(): Promise<{ reason: string; millis: number; growth: number }> {
  const env = { ...process.env, MODULE, URL: `http://127.0.0.1:${server.port}/` }
  const child = Bun.spawn([process.execPath, '-e', LATE_READER], { env, stdout: 'pipe', stderr: 'inherit' })
  return JSON.parse(await new Response(child.stdout).text())
}

for (const coding of BOMB_CODINGS) {
  test(`a bomb in ${coding} is rejected, and a late reader pays no more than its limit`, async () => {
    if (coding !== 'identity') await packedBomb(coding)
    answer = () => bombAnswer(coding)
    const { reason, growth } = await readLate()
    expect(reason).toBe(coding === 'zstd' ? 'unknown_coding' : 'too_large') // zstd is not decoded at all
    expect(growth).toBeLessThan(MAX_GROWTH_BYTES)
  }, 60_000)
}

const TEXT = 'stop_id,stop_name\n'.repeat(20_000)
const PACKED: Readonly<Record<string, (text: string) => Uint8Array<ArrayBuffer>>> = {
  gzip: gzipSync,
  'x-gzip': gzipSync,
  deflate: deflateSync,
  'deflate, without its header': deflateRawSync,
  br: brotliCompressSync,
  identity: (text) => new TextEncoder().encode(text),
}

async function readAll(more: Partial<FetchOrder> = {}): Promise<string> {
  const url = `http://127.0.0.1:${server.port}/`
  const bounds = { deadlineMillis: 5_000, idleMillis: 5_000, maxBytes: MEGABYTE }
  const fetched = await fetchGuarded({ url, headers: {}, headersFor: () => ({}), ...bounds, ...more })
  let text = ''
  for await (const chunk of fetched.chunks()) text += Buffer.from(chunk).toString()
  return text
}

async function refusalOf(run: Promise<unknown>): Promise<DownloadFailed> {
  const error = await run.catch((thrown: unknown) => thrown)
  if (!(error instanceof DownloadFailed))
    throw new Error(`expected a DownloadFailed, got ${error instanceof Error ? error : typeof error}`)
  return error
}

test('every coding is read to its end, and a truncated one is not taken as complete', async () => {
  for (const [name, pack] of Object.entries(PACKED)) {
    const headers = { 'content-encoding': name.split(',')[0] ?? '' }
    const bytes = pack(TEXT)
    answer = () => new Response(bytes, { headers })
    expect(await readAll()).toBe(TEXT)
    answer = () => new Response(bytes.subarray(0, bytes.length - 9), { headers })
    if (name !== 'identity') expect(await refusalOf(readAll())).toMatchObject({ reason: 'fetch_failed' })
  }
})

test('an empty body is empty in every coding', async () => {
  for (const coding of ['gzip', 'deflate', 'br', 'identity']) {
    answer = () => new Response('', { headers: { 'content-encoding': coding } })
    expect(await readAll()).toBe('')
  }
})

test('unknown and nested codings are rejected by name', async () => {
  for (const coding of ['compress', 'gzip, br', 'zstd', 'x']) {
    answer = () => new Response('text', { headers: { 'content-encoding': coding } })
    const { reason, message } = await refusalOf(readAll())
    expect([reason, message]).toEqual(['unknown_coding', expect.stringContaining(`"${coding}"`)])
  }
})

test('the limit is exact to the byte, declared or not', async () => {
  const body = TEXT.slice(0, 5_000)
  for (const pack of Object.values({ gzip: PACKED['gzip'], plain: undefined })) {
    const headers = pack === undefined ? undefined : { 'content-encoding': 'gzip' }
    answer = () => new Response(pack?.(body) ?? body, headers && { headers })
    expect(await readAll({ maxBytes: 5_000 })).toBe(body)
    expect(await refusalOf(readAll({ maxBytes: 4_999 }))).toMatchObject({ reason: 'too_large' })
  }
})

test('data that unpacks to 200 times its size is a bomb long before the limit', async () => {
  const headers = { 'content-encoding': 'gzip' }
  const bytes = gzipSync(new Uint8Array(40 * MEGABYTE))
  answer = () => new Response(bytes, { headers })
  const { reason, message } = await refusalOf(readAll({ maxBytes: 1024 * MEGABYTE }))
  expect([reason, message]).toEqual(['too_large', expect.stringContaining('200 times')])
})

test('a deadline also ends the decoding, however late the timers are', async () => {
  await packedBomb('br' satisfies BombCoding)
  answer = () => bombAnswer('br')
  const url = `http://127.0.0.1:${server.port}/`
  const bounds = { deadlineMillis: 50, idleMillis: 5_000, maxBytes: 1024 * MEGABYTE }
  const fetched = await fetchGuarded({ url, headers: {}, headersFor: () => ({}), ...bounds })
  const reading = (async () => {
    for await (const _ of fetched.chunks()) {
      const until = performance.now() + 60
      while (performance.now() < until);
    }
  })()
  expect(await refusalOf(reading)).toMatchObject({ reason: 'fetch_timeout' })
})
