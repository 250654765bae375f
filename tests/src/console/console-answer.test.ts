// Tests the console's files as they are served. Fails if they are too large, if the page contains inline scripts or
// styles, if a file loads anything from another origin, if a file is sent again although the browser already has it, or
// if a file that may change is cached.
import { expect, test } from 'bun:test'
import { consoleAnswer } from '../../../src/console/console-answer.ts'

/** Maximum compressed size of the console's page and all its files. */
const MOST_BYTES = 70_000
const BASE = 'http://localhost:8090'

async function ask(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const answer = await consoleAnswer(new Request(BASE + path, { method, headers }))
  if (answer === undefined) return undefined
  const bytes = await answer.bytes()
  return { status: answer.status, headers: answer.headers, bytes, text: new TextDecoder().decode(bytes) }
}

async function page() {
  const answer = await ask('/console')
  if (answer === undefined) throw new Error('there is no page')
  const paths = [...answer.text.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? '')
  return { ...answer, paths }
}

test('the page names only its own files, and has nothing inline', async () => {
  const { text, paths, headers } = await page()
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(paths.map((path) => path.replace(/-[0-9a-z]+\./, '-HASH.'))).toEqual([
    '/console/mark-HASH.svg',
    '/console/console-HASH.css',
    '/console/console-HASH.js',
  ])
  expect(text).not.toMatch(/<style|style=|\son\w+=|<script(?![^>]*\ssrc=)/)
})

test('all of it is at most 70 kB as sent', async () => {
  const { paths } = await page()
  let sum = 0
  for (const path of ['/console', ...paths]) {
    const packed = await ask(path, { 'accept-encoding': 'gzip' })
    const plain = await ask(path, { 'accept-encoding': 'gzip;q=0' })
    expect([packed?.headers.get('content-encoding'), plain?.headers.get('content-encoding')]).toEqual(['gzip', null])
    expect(Bun.gunzipSync(Buffer.from(packed?.bytes ?? []))).toEqual(Buffer.from(plain?.bytes ?? []))
    sum += packed?.bytes.byteLength ?? Number.NaN
  }
  expect(sum).toBeLessThanOrEqual(MOST_BYTES)
})

test('styles load nothing, and scripts name no other origin except namespaces and their authors', async () => {
  const { paths } = await page()
  for (const path of paths) {
    const text = (await ask(path))?.text ?? ''
    expect(text).not.toMatch(/@import|url\(\s*['"]?(?:https?:)?\/\//)
    const named = [...text.matchAll(/https?:\/\/[^/"'`\s)]+/g)].map(([origin]) => origin)
    expect(new Set([...named, 'http://www.w3.org'])).toEqual(new Set(['http://www.w3.org']))
  }
})

test('hashed files are cached permanently; the page is revalidated, and not sent again', async () => {
  const { paths, headers } = await page()
  expect(headers.get('cache-control')).toBe('no-cache')
  for (const path of ['/console', ...paths]) {
    const first = await ask(path)
    if (path !== '/console') expect(first?.headers.get('cache-control')).toContain('immutable')
    const again = await ask(path, { 'if-none-match': first?.headers.get('etag') ?? '' })
    expect([again?.status, again?.bytes.byteLength, again?.headers.get('etag')]).toEqual([
      304,
      0,
      first?.headers.get('etag') ?? '',
    ])
  }
})

test('other paths are left to other handlers', async () => {
  for (const path of ['/', '/consolex', '/console/none.js', '/console/../v1/keys', '/console/%2e%2e/package.json']) {
    expect(await ask(path)).toBeUndefined()
  }
  expect(await ask('/console', {}, 'POST')).toBeUndefined()
  expect((await ask('/console', {}, 'HEAD'))?.status).toBe(200)
})
