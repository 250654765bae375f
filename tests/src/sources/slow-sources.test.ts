// Tests downloads from very slow sources. Fails if a download goes on merely because bytes still arrive, if a download
// that is fast enough is given up, or if all attempts together exceed the total time.
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DownloadBounds, downloadSource } from '../../../src/sources/download.ts'
import { DownloadFailed } from '../../../src/sources/download-failed.ts'

const SLOWEST = { bytesPerSecond: 4_000, overMillis: 300 }

let folder: string
let source: ReturnType<typeof Bun.serve>
let answer: () => Response = () => new Response('')
let requestCount = 0

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quai-slow-'))
  requestCount = 0
  source = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => {
      requestCount++
      return answer()
    },
  })
})
afterEach(async () => {
  await source.stop(true)
  rmSync(folder, { recursive: true })
})

/** A response that sends one of these pieces every 50 ms. */
function dripping(pieces: readonly string[]): () => Response {
  const drip = async function* () {
    for (const piece of pieces) {
      yield piece
      await Bun.sleep(50)
    }
  }
  return () => new Response(drip())
}

const download = (bounds: DownloadBounds) =>
  downloadSource(
    { url: `http://127.0.0.1:${source.port}/`, folder, name: 'feed' },
    { sleep: async () => {}, ...bounds },
  )

async function failureOf(run: Promise<unknown>): Promise<DownloadFailed> {
  const error = await run.catch((thrown: unknown) => thrown)
  if (!(error instanceof DownloadFailed)) throw new Error(`expected a DownloadFailed, got ${error}`)
  return error
}

test('a source that sends slowly is abandoned, whether it is slow from the start or after much data', async () => {
  const drops = Array.from({ length: 60 }, () => 'x'.repeat(100))
  for (const pieces of [drops, ['x'.repeat(100_000), ...drops]]) {
    answer = dripping(pieces)
    const began = performance.now()
    const { reason, message } = await failureOf(download({ slowest: SLOWEST }))
    expect([reason, message]).toEqual(['fetch_timeout', expect.stringContaining('less than 4000 bytes a second')])
    expect(performance.now() - began).toBeLessThan(3 * 900)
  }
}, 15_000)

test('a slow source that is fast enough is read to its end', async () => {
  answer = dripping(Array.from({ length: 20 }, () => 'x'.repeat(1_000)))
  expect((await download({ slowest: SLOWEST })).isNew).toBe(true)
})

test('no attempt starts after the total time is over', async () => {
  answer = () => new Response('', { status: 500 })
  expect(await failureOf(download({ deadlineMillis: 400 }))).toMatchObject({ reason: 'http_500' })
  expect(requestCount).toBe(1)
})
