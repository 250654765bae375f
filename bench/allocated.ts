// `bun run bench allocated` measures how many bytes a request allocates on the heap of its thread. The `Request` object
// counts too. The result is compared with the bytes that a two-line handler allocates to send a prepared body. There
// are no sockets, so each batch allocates the same number of bytes. QUAI_BENCH_FEED names the feed; the default is the
// demo city.
import { heapStats } from 'bun:jsc'
import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Timetable } from '../indexes/timetable/timetable.ts'
import { makeApiKey } from '../src/keys/api-key.ts'
import { findSnapshot } from '../src/networks/snapshot-store.ts'
import { type Answerer, openApi } from './api-in-process.ts'
import { busiestDay } from './busiest.ts'
import { benchFeed } from './feeds.ts'
import { showFigure } from './figures.ts'
import { listFreshRows } from './fresh-questions.ts'
import { listQuestions } from './questions.ts'
import { makeConfig, runCommand, SOURCE_COMMAND } from './service.ts'

const HOST = '127.0.0.1:8080'
const UPDATES = 20_000
/** Number of requests per round. A batch has two rounds. */
const BATCH = 2_000
/** Number of batches. */
const BATCHES = 5
/** Number of requests after which all functions are compiled. */
const WARM_UPS = 20_000
const BODY_LENGTH = 4_000
const EVENING_SECONDS = 17 * 3600
const BARS = { kept: 3, fresh: 6 }
/**
 * With these settings, no garbage collection starts during a batch, because the heap must first grow to forty times its
 * size.
 */
const NO_COLLECTIONS = {
  BUN_JSC_smallHeapGrowthFactor: '40',
  BUN_JSC_mediumHeapGrowthFactor: '40',
  BUN_JSC_largeHeapGrowthFactor: '40',
}

interface Row {
  readonly name: string
  readonly bar?: number
  /** The paths to request in one round. Each half of a batch is one round. */
  readonly paths: (round: number) => readonly string[]
}

if (Object.keys(NO_COLLECTIONS).some((name) => process.env[name] === undefined)) {
  const env = { ...process.env, ...NO_COLLECTIONS }
  const run = Bun.spawn([process.execPath, import.meta.path], { env, stdio: ['ignore', 'inherit', 'inherit'] })
  process.exit(await run.exited)
}
const feed = await benchFeed()
const { folder, file } = makeConfig(feed.path)
try {
  await runCommand(['import', '--config', file], SOURCE_COMMAND)
  const dataDir = join(dirname(file), 'data')
  const { found } = findSnapshot(dataDir, 'net')
  if (found === undefined) throw new Error('the import left no snapshot')
  const { timetable } = found.loaded.snapshot
  const { zeroSeconds } = busiestDay(timetable)
  const key = makeApiKey()
  const handlerOf = openApi({ dataDir, key, nowSeconds: zeroSeconds + EVENING_SECONDS, updates: UPDATES })
  for (const row of listRows(timetable, zeroSeconds)) measureRow(handlerOf, key, row)
} finally {
  rmSync(folder, { recursive: true })
}

function listRows(timetable: Timetable, dayStartSeconds: number): Row[] {
  const kept = listQuestions(timetable)[0]?.paths ?? []
  const fresh = listFreshRows({ timetable, dayStartSeconds, count: BATCH }).filter(
    ({ isPlanned, needsReload, name }) => !isPlanned && !needsReload && !name.startsWith('vehicles'),
  )
  const keptPaths = Array.from({ length: BATCH }, (_, at) => kept[at % kept.length] ?? '')
  return [
    { name: 'kept board', bar: BARS.kept, paths: () => keptPaths },
    ...fresh.map(({ name, paths }) => (name.startsWith('board') ? { name, paths, bar: BARS.fresh } : { name, paths })),
  ]
}

function measureRow(handlerOf: (path: string) => Answerer, key: string, { name, bar, paths }: Row): void {
  const answer = handlerOf(paths(0)[0] ?? '')
  const bare = bareAnswerer()
  const init = { headers: { host: HOST, authorization: `Bearer ${key}` } }
  const answerAll = (by: Answerer, queried: readonly string[]) => {
    for (const path of queried) {
      const response = by(new Request(`http://${HOST}${path}`, init))
      if (response instanceof Promise || response.status !== 200) throw new Error(`${path} was refused or deferred`)
    }
  }
  /**
   * Returns the number of bytes that a request allocates. Only the second half of the batch is measured, because the
   * first half fills the free space that the previous garbage collection left in the heap's blocks. In the second half,
   * every allocation makes the heap grow.
   */
  const measureBatch = (by: Answerer, batch: number): number => {
    const halves = [paths(2 * batch), paths(2 * batch + 1)] as const
    Bun.gc(true)
    answerAll(by, halves[0])
    const before = heapStats()
    answerAll(by, halves[1])
    return (heapStats().heapCapacity - before.heapCapacity) / BATCH
  }
  for (let round = 0; round < WARM_UPS / BATCH; round++) answerAll(answer, paths(1_000 + round))
  for (let round = 0; round < WARM_UPS / BATCH; round++) answerAll(bare, paths(1_000 + round))
  const bytes = Array.from({ length: BATCHES }, (_, batch) => ({
    api: measureBatch(answer, batch),
    bare: measureBatch(bare, batch),
  }))
  const [ours, theirs] = [medianOf(bytes.map(({ api }) => api)), medianOf(bytes.map((batch) => batch.bare))]
  showFigure({ name: `${feed.name}: ${name}, allocated per request`, value: ours, unit: 'bytes' })
  showFigure({ name: `${feed.name}: ${name}, allocated by the bare handler`, value: theirs, unit: 'bytes' })
  const times = { name: `${feed.name}: ${name}, compared with the bare handler`, value: ours / theirs, unit: '' }
  showFigure(bar === undefined ? times : { ...times, atMost: bar })
}

/** A handler that only takes the path from the URL and sends a prepared body, like the bare server (bare-server.ts). */
function bareAnswerer(): Answerer {
  const headers = { 'content-type': 'application/json' }
  const body = 'x'.repeat(BODY_LENGTH)
  return ({ url }) => new Response(url.slice(url.indexOf('/', 8)) === '' ? '' : body, { headers })
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
}
