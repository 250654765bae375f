// `QUAI_BENCH_FEED=feed.zip bun bench/first-journeys.ts` times the first journey request after the service becomes
// ready, and the first one after its timetable is replaced. Each is sent after a pause of one second. Each start of the
// service is a new process.
import { rmSync } from 'node:fs'
import { benchFeed } from './feeds.ts'
import { showFigure } from './figures.ts'
import { type JourneyPair, loadJourneyFeed } from './journey-feeds.ts'
import { digits, spreadOf } from './measure.ts'
import { makeConfig, type RunningService, runCommand, startService } from './service.ts'

const PORT = 18_481
const STARTS = Number(process.env['QUAI_BENCH_STARTS'] ?? 10)
/** Pause before the first journey request. Begins when the service is ready or its timetable has been replaced. */
const PAUSE_MILLIS = 1000
const POLL_MILLIS = 5
const BAR_MILLIS = 40

const { name, path } = await benchFeed()
const feed = await loadJourneyFeed(path, 3 * STARTS)
const clock = new Date(feed.seconds * 1000).toISOString().replace('.000', '')
const { folder, file } = makeConfig(feed.path)
try {
  await runCommand(['import', '--config', file])
  const started = new Float64Array(STARTS)
  const next = new Float64Array(STARTS)
  const reloaded = new Float64Array(STARTS)
  for (let start = 0; start < STARTS; start++) {
    const service = await startService(file, { clock, workers: 1, port: PORT })
    try {
      const [first, second, third] = feed.questions.slice(3 * start)
      await untilReady(service)
      await Bun.sleep(PAUSE_MILLIS)
      started[start] = await ask(service, first)
      next[start] = await ask(service, second)
      const before = await snapshotTag(service)
      await runCommand(['import', '--force', '--config', file])
      while ((await snapshotTag(service)) === before) await Bun.sleep(POLL_MILLIS)
      await Bun.sleep(PAUSE_MILLIS)
      reloaded[start] = await ask(service, third)
    } finally {
      await service.stop()
    }
  }
  const rows = { 'after the start': started, 'the second one': next, 'after a reload': reloaded }
  for (const [what, millis] of Object.entries(rows)) {
    console.log(`  ${what}: ${[...millis].map(digits).join(' ')} ms`)
    showFigure({
      name: `${name}: first journey, ${what}, p50`,
      value: spreadOf(millis).p50,
      unit: 'ms',
      atMost: BAR_MILLIS,
    })
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function untilReady({ adminBase }: RunningService): Promise<void> {
  while ((await fetch(`${adminBase}/readyz`)).status !== 200) await Bun.sleep(POLL_MILLIS)
}

async function ask({ base, key }: RunningService, pair: JourneyPair | undefined): Promise<number> {
  if (pair === undefined) throw new Error('there are too few questions')
  const [from, to] = [pair.from.id, pair.to.id].map((id) => encodeURIComponent(`net:stop:${id}`))
  const started = performance.now()
  const answer = await fetch(`${base}/v1/journeys?from=${from}&to=${to}&when=${clock}`, {
    headers: { authorization: `Bearer ${key}` },
  })
  const text = await answer.text()
  const millis = performance.now() - started
  if (answer.status !== 200) throw new Error(`/v1/journeys returned ${answer.status}: ${text}`)
  return millis
}

/** The ETag of the response for a stop. It changes when the timetable is replaced. */
async function snapshotTag({ base, key }: RunningService): Promise<string | null> {
  const stop = encodeURIComponent(`net:stop:${feed.questions[0]?.from.id}`)
  const answer = await fetch(`${base}/v1/stops/${stop}`, { headers: { authorization: `Bearer ${key}` } })
  await answer.text()
  return answer.headers.get('etag')
}
