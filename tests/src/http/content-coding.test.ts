// Tests compressed responses: a client must get its preferred coding, and the same bytes after decoding. A response
// must not be compressed if the client does not accept a coding, or if compression would not be worthwhile.
import { afterAll, describe, expect, test } from 'bun:test'
import { COMPRESSED_FROM_BYTES } from '../../../src/http/content-coding.ts'
import { chooseCoding } from '../../../src/http/request-head.ts'
import { smallFeed } from '../../feeds/text-feed.ts'
import { KEY, openApi } from '../api/api-under-test.ts'

test('a client gets its preferred available coding', () => {
  const choices: readonly (readonly [string | null, 'zstd' | 'gzip' | undefined])[] = [
    [null, undefined],
    ['', undefined],
    ['identity', undefined],
    ['br, deflate', undefined],
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['gzip, deflate, br, zstd', 'zstd'],
    ['gzip;q=1.0, zstd;q=0.5', 'gzip'],
    ['gzip;q=0', undefined],
    ['zstd;q=0, *', 'gzip'],
    ['*', 'zstd'],
    ['*;q=0', undefined],
    ['gzip;q=0.3, identity;q=0.9', undefined],
    ['gzip;q=none', undefined],
  ]
  for (const [header, coding] of choices) expect({ header, coding: chooseCoding(header) }).toEqual({ header, coding })
  for (let other = 0; other < 1000; other++) chooseCoding(`x-${other}, gzip`)
  expect(chooseCoding('gzip')).toBe('gzip')
})

describe('a response', async () => {
  const api = await openApi({ networks: [{ id: 'ville', feed: smallFeed() }] })
  api.app.listen({ port: 0, hostname: '127.0.0.1' })
  const origin = `http://127.0.0.1:${api.app.server?.port}`
  afterAll(() => api.app.stop())

  const ask = async (path: string, more: Record<string, string>, method = 'GET') => {
    const headers = { authorization: KEY, 'x-request-id': 'same', ...more }
    const answer = await fetch(origin + path, { method, headers, decompress: false })
    return { status: answer.status, headers: answer.headers, bytes: new Uint8Array(await answer.arrayBuffer()) }
  }
  const DECODE = {
    gzip: (bytes: Uint8Array<ArrayBuffer>) => Bun.gunzipSync(bytes),
    zstd: (bytes: Uint8Array<ArrayBuffer>) => new Uint8Array(Bun.zstdDecompressSync(bytes)),
  }
  /** A list, a cached response, a departure board, and a response that is computed asynchronously. */
  const PATHS = [
    '/v1/networks/ville/stops',
    '/v1/lines/ville:line:A/stops',
    '/v1/stops/ville:stop:CA/departures?limit=20',
    '/v1/journeys?from=gare&to=ville:stop:P',
  ]

  for (const path of PATHS) {
    test(`${path} is the same in each coding, new and cached`, async () => {
      const plain = await ask(path, { 'accept-encoding': 'identity' })
      expect(plain.status).toBe(200)
      expect(plain.headers.get('content-encoding')).toBeNull()
      expect(plain.headers.get('vary')).toContain('Accept-Encoding')
      const isLarge = plain.bytes.length >= COMPRESSED_FROM_BYTES
      for (const coding of ['zstd', 'gzip', 'zstd', 'gzip'] as const) {
        const coded = await ask(path, { 'accept-encoding': coding })
        expect(coded.headers.get('content-encoding')).toBe(isLarge ? coding : null)
        const bytes = isLarge ? DECODE[coding](coded.bytes) : coded.bytes
        expect(JSON.parse(new TextDecoder().decode(bytes))).toEqual(JSON.parse(new TextDecoder().decode(plain.bytes)))
        expect(coded.headers.get('etag')).toBe(plain.headers.get('etag'))
        expect(coded.bytes.length).toBeLessThanOrEqual(plain.bytes.length)
        const head = await ask(path, { 'accept-encoding': coding }, 'HEAD')
        expect(head.headers.get('content-encoding')).toBe(coded.headers.get('content-encoding'))
      }
      const again = await ask(path, { 'accept-encoding': 'identity' })
      expect(again.headers.get('content-encoding')).toBeNull()
    })
  }

  test('some of these are large; errors and 304 responses have no coding', async () => {
    const stops = await ask('/v1/networks/ville/stops', { 'accept-encoding': 'gzip' })
    expect(stops.headers.get('content-encoding')).toBe('gzip')
    const tag = stops.headers.get('etag') ?? ''
    const unchanged = await ask('/v1/networks/ville/stops', { 'accept-encoding': 'gzip', 'if-none-match': tag })
    expect({ status: unchanged.status, coding: unchanged.headers.get('content-encoding') }).toEqual({
      status: 304,
      coding: null,
    })
    const refused = await ask('/v1/stops/ville:stop:NONE', { 'accept-encoding': 'gzip' })
    expect({ status: refused.status, coding: refused.headers.get('content-encoding') }).toEqual({
      status: 404,
      coding: null,
    })
  })
})
