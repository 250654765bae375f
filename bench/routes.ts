// `bun bench/routes.ts`: what each route, and a mix of all, costs beside a bare server that sends the same bytes, in
// processor time a request, taken in turns; then how long answers take at a third of the full speed. Realtime is on,
// the key is checked, units are charged. QUAI_BENCH_FEED names the feed; QUAI_BENCH_SHORT has the routes with bars only.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { benchFeed } from './feeds.ts'
import { tell } from './figures.ts'
import { type LiveWorld, openLiveWorld } from './live-world.ts'
import { load } from './load.ts'
import { processMemory, processorSeconds } from './measure.ts'
import { readPaced } from './paced-sockets.ts'
import { listQuestions, mixOf } from './questions.ts'
import type { RunningService } from './service.ts'

const PORT = 18_101
const BARE_PORT = 18_109
const CONNECTIONS = 32
const isShort = process.env['QUAI_BENCH_SHORT'] !== undefined
const ROUNDS = isShort ? 2 : 3
const SECONDS = isShort ? 1 : 2
const UPDATES = 20_000
const PACED_RUNS = isShort ? 1 : 5
const PACED_SECONDS = isShort ? 3 : 10
/** At a third of the full speed; half as much again where a short run takes but one sample. */
const PACED_BAR_MILLIS = 5
/** A short run is on any machine, however busy: it finds what got twice as slow, not a tenth slower. */
const SHORT_SHARE = 0.55

const feed = await benchFeed()
const world = await openLiveWorld({ feed: feed.path, port: PORT, workers: 1, updates: UPDATES })
try {
  const questions = listQuestions(world.timetable)
  const rates = new Map<string, number>()
  for (const { route, paths, bar } of questions) {
    if (isShort && bar === undefined) continue
    rates.set(route, await measureRoute(world, `${feed.name}: ${route}`, paths, bar))
  }
  await measureRoute(world, `${feed.name}: mix of all`, mixOf(questions))
  const [departures] = questions
  if (departures !== undefined) {
    await measurePaced(world, `${feed.name}: departures`, departures.paths, rates.get(departures.route) ?? Number.NaN)
  }
  tell({
    name: `${feed.name}: memory after all that (Pss)`,
    value: await processMemory(world.service.pid, 'Pss'),
    unit: 'MB',
  })
} finally {
  await world.close()
}

/** The most answers a second that were reached. */
async function measureRoute(
  { service }: LiveWorld,
  name: string,
  paths: readonly string[],
  bar?: number,
): Promise<number> {
  const bodies = await readBodies(service, paths)
  const folder = mkdtempSync(join(tmpdir(), 'quai-bare-'))
  writeFileSync(join(folder, 'bodies.json'), JSON.stringify(bodies))
  const words = [join(import.meta.dir, 'bare-server.ts'), String(BARE_PORT), join(folder, 'bodies.json')]
  const bare = Bun.spawn([process.execPath, ...words], { stderr: 'inherit' })
  try {
    const bareBase = `http://127.0.0.1:${BARE_PORT}`
    await untilOpen(bareBase + (paths[0] ?? '/'))
    const order = { key: service.key, paths, connections: CONNECTIONS, seconds: SECONDS }
    const best = { service: Number.POSITIVE_INFINITY, bare: Number.POSITIVE_INFINITY }
    let most = 0
    for (let round = 0; round < ROUNDS; round++) {
      for (const [which, pid, base] of [
        ['service', service.pid, service.base],
        ['bare', bare.pid, bareBase],
      ] as const) {
        const before = await processorSeconds(pid)
        const answers = await load({ ...order, base })
        const micros = ((await processorSeconds(pid)) - before) * (1e6 / answers)
        best[which] = Math.min(best[which], micros)
        if (which === 'service') most = Math.max(most, answers / SECONDS)
      }
    }
    const ratio = { name: `${name}, share of a bare server's speed`, value: best.bare / best.service, unit: '' }
    tell(bar === undefined ? ratio : { ...ratio, atLeast: isShort ? bar * SHORT_SHARE : bar })
    tell({ name: `${name}, processor time an answer`, value: best.service, unit: 'µs' })
    tell({ name: `${name}, answers a second`, value: most, unit: '/s' })
    return most
  } finally {
    bare.kill()
    await bare.exited
    rmSync(folder, { recursive: true })
  }
}

/** The answers by path; a route is warm then. */
async function readBodies({ base, key }: RunningService, paths: readonly string[]): Promise<Record<string, string>> {
  const bodies: Record<string, string> = {}
  for (const path of paths) {
    const answer = await fetch(base + path, { headers: { authorization: `Bearer ${key}` } })
    bodies[path] = await answer.text()
    if (answer.status !== 200) throw new Error(`${path} answers ${answer.status}: ${bodies[path]}`)
  }
  return bodies
}

async function untilOpen(url: string): Promise<void> {
  for (let tries = 0; tries < 400; tries++) {
    const isOpen = await fetch(url).then(
      () => true,
      () => false,
    )
    if (isOpen) return
    await Bun.sleep(10)
  }
  throw new Error(`${url} does not answer`)
}

/** Latency without coordinated omission: a call's time counts from when it was due. */
async function measurePaced({ service }: LiveWorld, name: string, paths: readonly string[], most: number) {
  const perSecond = Math.max(100, Math.floor(most / 3))
  const order = { port: PORT, key: service.key, paths, connections: CONNECTIONS, perSecond }
  await readPaced({ ...order, seconds: 2 })
  const runs: { p50: number; p99: number }[] = []
  for (let run = 0; run < PACED_RUNS; run++) {
    const { millis, failures } = await readPaced({ ...order, seconds: PACED_SECONDS })
    if (failures.length > 0) throw new Error(`${failures.length} failed: ${failures[0]}`)
    runs.push(millis)
  }
  const median = (of: 'p50' | 'p99') => runs.map((run) => run[of]).sort((a, b) => a - b)[PACED_RUNS >> 1] as number
  const at = `${name} at ${perSecond} a second, median of ${PACED_RUNS} runs`
  tell({ name: `${at}, p50`, value: median('p50'), unit: 'ms' })
  const p99 = { name: `${at}, p99`, value: median('p99'), unit: 'ms' }
  tell(isShort ? p99 : { ...p99, atMost: PACED_BAR_MILLIS })
}
