// `bun bench/handlers.ts OLD NEW` measures whether the handlers of one checkout are slower than those of another. No
// response comes from the cache. The handlers of both checkouts run alternately in this process, without sockets. The
// shortest time of each URL counts, so other work on the machine hardly matters. With QUAI_BENCH_COLD=1, the
// processor's caches are emptied before each request by writing to memory. In a running service, the work of the kernel
// empties them. QUAI_BENCH_FEED names the feed; the default is the demo city.
import { readFileSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Timetable } from '../indexes/timetable/timetable.ts'
import { makeApiKey } from '../src/keys/api-key.ts'
import { findSnapshot } from '../src/networks/snapshot-store.ts'
import type { Answerer } from './api-in-process.ts'
import { busiestDay } from './busiest.ts'
import { benchFeed } from './feeds.ts'
import { showFigure } from './figures.ts'
import { type FreshRow, listFreshRows } from './fresh-questions.ts'
import { makeConfig, runCommand } from './service.ts'

const HOST = '127.0.0.1:8080'
const URLS = Number(process.env['QUAI_BENCH_URLS'] ?? 1_000)
const TURNS = Number(process.env['QUAI_BENCH_ROUNDS'] ?? 12)
/** Pattern for the names of the rows to run. By default, all rows run. */
const CHOSEN = new RegExp(process.env['QUAI_BENCH_ROWS'] ?? '')
const isCold = process.env['QUAI_BENCH_COLD'] !== undefined
const WARM_UPS = 8
const UPDATES = 20_000
const EVENING_SECONDS = 17 * 3600
/** Number of bytes to write to empty the caches: the size of a second-level cache. */
const COLD_BYTES = 1 << 20
const LINE_BYTES = 64

const roots = process.argv.slice(2).map((path) => resolve(path))
if (roots.length !== 2) {
  console.error('usage: bun bench/handlers.ts OLD NEW; each is a checkout with installed packages')
  process.exit(2)
}
const feed = await benchFeed()
const key = makeApiKey()
const init = { headers: { host: HOST, authorization: `Bearer ${key}` } }
const colds = new Uint8Array(COLD_BYTES)
const folders: string[] = []
try {
  const opened = []
  for (const root of roots) opened.push(await openCheckout(root))
  const [{ timetable }] = opened
  const { zeroSeconds: dayStartSeconds } = busiestDay(timetable)
  for (const row of listFreshRows({ timetable, dayStartSeconds, count: URLS })) {
    if (row.isPlanned || row.name.startsWith('vehicles') || !CHOSEN.test(row.name)) continue
    measureRow(
      row,
      opened.map(({ handlerOf }) => handlerOf(row.paths(0)[0] ?? '')),
    )
  }
} finally {
  for (const folder of folders) rmSync(folder, { recursive: true })
}

/** Opens the API of a checkout, with its own snapshot. */
async function openCheckout(root: string): Promise<{ timetable: Timetable; handlerOf: (path: string) => Answerer }> {
  const { folder, file } = makeConfig(feed.path)
  folders.push(folder)
  await runCommand(['import', '--config', file], [process.execPath, join(root, 'src', 'main.ts')])
  const dataDir = join(dirname(file), 'data')
  const { found } = findSnapshot(dataDir, 'net')
  if (found === undefined) throw new Error(`the snapshot of ${root} cannot be read`)
  const { timetable } = found.loaded.snapshot
  const nowSeconds = busiestDay(timetable).zeroSeconds + EVENING_SECONDS
  const api: typeof import('./api-in-process.ts') = await import(join(root, 'bench', 'api-in-process.ts'))
  return { timetable, handlerOf: api.openApi({ dataDir, key, nowSeconds, updates: UPDATES }) }
}

function measureRow({ name, paths }: FreshRow, answerers: readonly Answerer[]): void {
  for (let round = 0; round < WARM_UPS; round++) {
    for (const answer of answerers) for (const path of paths(round)) timeAnswer(answer, path)
  }
  const queried = paths(WARM_UPS)
  const best = answerers.map(() => new Float64Array(queried.length).fill(Number.POSITIVE_INFINITY))
  for (let turn = 0; turn < TURNS; turn++) {
    for (const [at, path] of queried.entries()) {
      // An unknown parameter makes each URL different, so that no response comes from the cache.
      const fresh = `${path}${path.includes('?') ? '&' : '?'}turn=${turn}`
      for (let order = 0; order < answerers.length; order++) {
        const side = (order + turn) % answerers.length
        best[side][at] = Math.min(best[side][at], timeAnswer(answerers[side], fresh))
      }
    }
  }
  const [before, after] = best.map((micros) => micros.reduce((sum, each) => sum + each, 0) / queried.length)
  const what = `${feed.name}: ${name}, handler${isCold ? ' with empty caches' : ''}`
  showFigure({ name: `${what}, old`, value: before, unit: 'µs' })
  showFigure({ name: `${what}, new`, value: after, unit: 'µs' })
}

/** Runs a handler once and returns its duration in microseconds. */
function timeAnswer(answer: Answerer, path: string): number {
  const request = new Request(`http://${HOST}${path}`, init)
  if (isCold) emptyCaches()
  const started = performance.now()
  const response = answer(request)
  const micros = (performance.now() - started) * 1000
  if (response instanceof Promise || response.status !== 200) throw new Error(`${path} was refused or deferred`)
  return micros
}

function emptyCaches(): void {
  readFileSync('/proc/self/status')
  for (let at = 0; at < colds.length; at += LINE_BYTES) colds[at]++
}
