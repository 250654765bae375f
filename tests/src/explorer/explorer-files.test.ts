// Tests the explorer's port without a browser: the size of its page, its policies, and byte ranges of an operator's
// tiles. Fails if the page is too large, or if a header or a byte is missing.
import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { readByteRange } from '../../../src/explorer/byte-range.ts'
import { bundleExplorer } from '../../../src/explorer/explorer-files.ts'
import { ExplorerAnswers } from '../../../src/explorer/explorer-listener.ts'

/** Maximum total size of all files, compressed with gzip. A page without a base map loads 10 kB less. */
const MOST_BYTES = 408_000
const ADDRESSES = {
  apiUrl: 'https://api.example.org/transit',
  consoleUrl: 'https://account.example.org/console?a="b"<c>',
  explorerUrl: 'https://map.example.org',
  network: 'valmont',
}

const folder = mkdtempSync(join(tmpdir(), 'quai-tiles-'))
const tiles = join(folder, 'city.pmtiles')
writeFileSync(tiles, '0123456789')
const answers = new ExplorerAnswers(ADDRESSES, { file: tiles, groundPath: () => undefined })
const get = (path: string, init: RequestInit = {}) =>
  answers.answer(new Request(`https://map.example.org${path}`, init))

afterAll(() => rmSync(folder, { recursive: true }))

test('all of it is at most 408 kB', async () => {
  const { files } = await bundleExplorer()
  const bytes = files.reduce((sum, file) => sum + Buffer.from(file.packed, 'base64').length, 0)
  expect([bytes > 300_000, bytes <= MOST_BYTES]).toEqual([true, true])
})

test('what the panel needs before the map is at most 120 kB', async () => {
  const { files, named } = await bundleExplorer()
  const codeOf = (path: string) => files.find((file) => file.path === path)?.packed ?? ''
  const paths = new Set([named.script, named.style, named.mark])
  // Adds the scripts that are imported immediately, directly or indirectly, but not those that `import()` loads.
  for (const path of paths) {
    const code = Buffer.from(Bun.gunzipSync(Buffer.from(codeOf(path), 'base64'))).toString()
    for (const [, next] of code.matchAll(/(?:from|import)"\.\/([\w.-]+\.js)"/g)) if (next !== undefined) paths.add(next)
  }
  const bytes = [...paths].reduce((sum, path) => sum + Buffer.from(codeOf(path), 'base64').length, 0)
  expect([bytes > 25_000, bytes <= 120_000]).toEqual([true, true])
})

test('the page names existing files, and has the service’s settings, escaped', async () => {
  const page = await get('/')
  const html = await page.text()
  const named = [...html.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map((match) => match[1] ?? '')
  const statuses = await Promise.all(named.map(async (path) => (await get(path)).status))
  expect([named.length, new Set(statuses)]).toEqual([4, new Set([200])])
  expect(html).toContain('<link rel="preconnect" href="https://api.example.org" crossorigin>')
  expect(html).toContain('<meta name="quai-api" content="https://api.example.org/transit">')
  expect(html).toContain('content="https://account.example.org/console?a=&quot;b&quot;&lt;c&gt;"')
  expect(html).not.toMatch(/<script(?![^>]*src=)|<style| style=| on\w+=/)
})

test('every response has security headers', async () => {
  const requested = [get('/'), get('/nowhere'), get('/', { method: 'POST' }), get('/tiles.pmtiles')]
  for (const response of await Promise.all(requested)) {
    const policy = response.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'self'; connect-src 'self' https://api.example.org;")
    expect(policy).toContain("worker-src 'self'")
    expect(policy).not.toContain('unsafe')
    expect(response.headers.get('permissions-policy')).toContain('geolocation=(self)')
    expect(response.headers.get('set-cookie')).toBeNull()
    expect(response.headers.get('strict-transport-security')).toContain('max-age=')
  }
  expect((await Promise.all(requested)).map(({ status }) => status)).toEqual([200, 404, 405, 200])
})

test('files are cached permanently, the page is revalidated each time', async () => {
  const page = await get('/')
  const script = /src="([^"]+)"/.exec(await page.text())?.[1] ?? ''
  expect(page.headers.get('cache-control')).toBe('no-cache')
  const again = await get('/', { headers: { 'if-none-match': page.headers.get('etag') ?? '' } })
  expect(again.status).toBe(304)
  const packed = await get(script, { headers: { 'accept-encoding': 'br, gzip' } })
  expect([packed.headers.get('cache-control'), packed.headers.get('content-encoding')]).toEqual([
    'public, max-age=31536000, immutable',
    'br',
  ])
  const gzip = await get(script, { headers: { 'accept-encoding': 'gzip' } })
  const plain = await (await get(script)).text()
  expect(gunzipSync(Buffer.from(await gzip.bytes())).toString()).toBe(plain)
  expect(brotliDecompressSync(Buffer.from(await packed.bytes())).toString()).toBe(plain)
})

describe('ranges of the tiles', () => {
  test('each form of a range, and ranges outside the file', () => {
    const read = (header: string | null) => readByteRange(header, 10)
    expect(read(null)).toEqual({ kind: 'whole' })
    expect(read('bytes=2-4')).toEqual({ kind: 'part', start: 2, end: 5 })
    expect(read('bytes=7-')).toEqual({ kind: 'part', start: 7, end: 10 })
    expect(read('bytes=-3')).toEqual({ kind: 'part', start: 7, end: 10 })
    expect(read('bytes=-30')).toEqual({ kind: 'part', start: 0, end: 10 })
    expect(read('bytes=9-99')).toEqual({ kind: 'part', start: 9, end: 10 })
    expect(read('bytes=10-')).toEqual({ kind: 'unsatisfiable' })
    expect(read('bytes=-0')).toEqual({ kind: 'unsatisfiable' })
    // Invalid ranges are ignored (RFC 9110, section 14.2), as are requests for more than one range.
    for (const odd of ['bytes=4-2', 'bytes=-', 'bytes=a-b', 'bytes=1-2,4-5', 'lines=1-2']) {
      expect(read(odd)).toEqual({ kind: 'whole' })
    }
  })

  test('the requested bytes, by GET', async () => {
    const part = await get('/tiles.pmtiles', { headers: { range: 'bytes=2-4' } })
    expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([206, 'bytes 2-4/10', '234'])
    const beyond = await get('/tiles.pmtiles', { headers: { range: 'bytes=10-' } })
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, 'bytes */10'])
    expect(await (await get('/tiles.pmtiles')).text()).toBe('0123456789')
  })
})
