// Tests the TypeScript client that the service serves, in Bun, Node and Chromium. The service runs from source and, if
// QUAI_BINARY names a binary, also from that binary. Each operation must return what a plain fetch returns. A stream
// that is cut ten times must neither lose nor repeat an event. The client must wait after a refusal, and errors and
// aborts must be as documented.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packClient } from '../../src/client/client-package.ts'
import { hasChromium, openChromium } from '../watched-page.ts'
import type { Visited, Visiting } from './client-visit.ts'
import { type CuttingProxy, startCuttingProxy } from './cutting-proxy.ts'
import { type DemoProcess, startDemo } from './demo-process.ts'
import { commandOf } from './running.ts'

const CUTS = 10
/**
 * Number of events that arrive completely. Every second cut comes after a complete event, and one more event follows
 * the last cut.
 */
const CUT_EVENTS = CUTS / 2 + 1
const MIN_NODE = 20
const RUNTIMES = ['Bun', 'Node', 'Chromium'] as const

const hasBrowser = hasChromium()
const hasNode = nodeVersion() >= MIN_NODE
if (!hasNode) console.log('left out: the client in Node (there is no Node 20 or later here)')
if (!hasBrowser) console.log('left out: the client in Chromium (there is none here)')

for (const [kind, port] of [
  ['source', 19_710],
  ['binary', 19_714],
] as const) {
  if (kind === 'source' || process.env['QUAI_BINARY'] !== undefined) describe(kind, () => describeClient(kind, port))
}

function describeClient(kind: 'source' | 'binary', port: number): void {
  const folder = mkdtempSync(join(tmpdir(), 'quai-client-'))
  let demo: DemoProcess
  let operations: string[]

  beforeAll(async () => {
    demo = await startDemo(port, { command: commandOf(kind), corsOrigins: '*' })
    await installClient(folder, demo.base)
    const document = Object(await (await fetch(`${demo.base}/openapi.json`)).json())
    const paths: Record<string, Record<string, { operationId: string }>> = document.paths
    const methods = Object.values(paths).flatMap((each) => Object.values(each))
    operations = methods.map(({ operationId }) => operationId).sort()
  }, 90_000)
  afterAll(async () => {
    await demo.stop()
    rmSync(folder, { recursive: true })
  })

  test('the package needs no key, has its version in the name, and may be cached for a day', async () => {
    const [got, head] = await Promise.all(
      ['GET', 'HEAD'].map((method) => fetch(`${demo.base}/docs/client`, { method })),
    )
    const { version } = await Bun.file(join(folder, 'node_modules/quai-client/package.json')).json()
    for (const headers of [got?.headers, head?.headers]) {
      expect(headers?.get('content-type')).toBe('application/gzip')
      expect(headers?.get('content-disposition')).toBe(`attachment; filename="quai-client-${version}.tgz"`)
      expect(headers?.get('cache-control')).toBe('public, max-age=86400')
    }
    const bytes = (await got?.bytes()) ?? new Uint8Array()
    expect(head?.headers.get('content-length')).toBe(String(bytes.length))
    expect(Buffer.from(bytes).equals(Buffer.from(await packClient()))).toBe(true)
  })

  const isHere = { Bun: true, Node: hasNode, Chromium: hasBrowser }
  for (const runtime of RUNTIMES.filter((each) => isHere[each])) {
    test.concurrent(runtime, async () => {
      const proxy = await startCuttingProxy(port, CUTS)
      // The plan `max` allows enough open streams.
      const key = await demo.makeKey(`${runtime.toLowerCase()}@client.example`, 'max')
      const slowKey = await demo.makeKey(`${runtime.toLowerCase()}-slow@client.example`, 'free')
      const place = { base: demo.base, key, slowKey, cutBase: proxy.base, cutEvents: CUT_EVENTS }
      try {
        expectVisited(await visitIn(runtime, folder, place), { proxy, operations })
      } finally {
        proxy.close()
      }
    }, 60_000)
  }
}

function expectVisited(visited: Visited, { proxy, operations }: { proxy: CuttingProxy; operations: string[] }): void {
  const { called, streamed, ...rest } = visited
  expect(rest).toEqual({
    differing: [],
    pages: [true, true],
    refused: ['not_found', 404, true, 'QuaiError', 'string'],
    wrongKey: 'invalid_token',
    limited: { refusal: 'rate_limited', succeeded: 70, hasLimits: true },
    aborted: ['AbortError', 'AbortError', 'AbortError'],
    nowhere: 'unreachable',
  })
  expect(called.toSorted()).toEqual(operations)
  expect(streamed).toEqual([...proxy.completed])
  expect(streamed).toEqual([...new Set(streamed)].sort())
  expect(proxy.cuts()).toBe(CUTS)
  // The expected `Last-Event-ID` of each stream request: the last event that was complete before the cut.
  const before = Array.from({ length: CUTS + 1 }, (_, cut) =>
    cut < 2 ? '' : (streamed[Math.floor(cut / 2) - 1] ?? ''),
  )
  expect(proxy.resumedFrom).toEqual(before)
}

/** Installs the package from the service with a package manager, and writes the programs that use it. */
async function installClient(folder: string, base: string): Promise<void> {
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  await Bun.$`bun add --no-save ${base}/docs/client`
    .cwd(folder)
    .env({ ...process.env, BUN_INSTALL_CACHE_DIR: join(folder, 'cache') })
    .quiet()
  const built = await Bun.build({ entrypoints: [join(import.meta.dir, 'client-visit.ts')], target: 'browser' })
  writeFileSync(join(folder, 'visit.js'), (await built.outputs[0]?.text()) ?? '')
  const program = `import * as client from 'quai-client'
import { visit } from './visit.js'
console.log(JSON.stringify(await visit(client, JSON.parse(process.argv[2]))))
`
  writeFileSync(join(folder, 'program.js'), program)
}

function visitIn(runtime: (typeof RUNTIMES)[number], folder: string, place: Visiting): Promise<Visited> {
  if (runtime === 'Chromium') return visitInChromium(folder, place)
  return visitInProcess(runtime === 'Bun' ? [process.execPath, 'run'] : ['node'], folder, place)
}

async function visitInProcess(program: readonly string[], folder: string, place: Visiting): Promise<Visited> {
  const child = Bun.spawn([...program, join(folder, 'program.js'), JSON.stringify(place)], {
    cwd: folder,
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  if ((await child.exited) !== 0) throw new Error(stderr)
  return JSON.parse(stdout)
}

/** Runs the visit in a web page of another origin. The page imports the installed module directly. */
async function visitInChromium(folder: string, place: Visiting): Promise<Visited> {
  const map = '{ "imports": { "quai-client": "/node_modules/quai-client/quai-client.js" } }'
  const page = `<!doctype html><title>client</title><script type="importmap">${map}</script>`
  const server = Bun.serve({
    port: 0,
    fetch: ({ url }) => {
      const { pathname } = new URL(url)
      if (pathname === '/') return new Response(page, { headers: { 'Content-Type': 'text/html' } })
      if (pathname === '/favicon.ico') return new Response(null, { status: 204 })
      return new Response(Bun.file(join(folder, pathname)))
    },
  })
  const browser = await openChromium()
  try {
    const tab = await browser.newPage()
    await tab.goto(`http://localhost:${server.port}/`)
    const program = `Promise.all([import('quai-client'), import('/visit.js')])
      .then(([client, { visit }]) => visit(client, ${JSON.stringify(place)}))`
    return await tab.evaluate<Visited>(program)
  } finally {
    await browser.close()
    await server.stop(true)
  }
}

function nodeVersion(): number {
  if (Bun.which('node') === null) return 0
  return Number(Bun.spawnSync(['node', '--print', 'process.versions.node']).stdout.toString().split('.')[0])
}
