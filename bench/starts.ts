// `bun bench/starts.ts` measures the time from the start of a service to its first response, in twenty starts. It also
// measures the memory of a service with one data thread after a minute of requests for boards. Run it on a quiet
// machine. QUAI_BENCH_FEED names the feed. QUAI_BINARY names the binary; without it, the source is run.
import { writeFileSync } from 'node:fs'
import { benchFeed } from './feeds.ts'
import { showFigure } from './figures.ts'
import { openLiveWorld, readTimetable } from './live-world.ts'
import { processMemory, spreadOf } from './measure.ts'
import { readPaced } from './paced-sockets.ts'
import { listQuestions } from './questions.ts'
import { makeConfig, runCommand, startService } from './service.ts'

const PORT = 18_281
const STARTS = 20
const CONNECTIONS = 32
const PER_SECOND = 2_000
const MEMORY_SECONDS = 60
const UPDATES = 20_000
const isBinary = process.env['QUAI_BINARY'] !== undefined
const BARS = { startMillis: isBinary ? 100 : 200, megabytes: 120 }

const feed = await benchFeed()
const name = `${feed.name}, ${isBinary ? 'binary' : 'source'}`
const { file } = makeConfig(feed.path)
writeFileSync(file, `drain_seconds = 0\n${await Bun.file(file).text()}`)
await runCommand(['import', '--config', file])
const millis = new Float64Array(STARTS)
for (let start = 0; start < STARTS; start++) {
  const service = await startService(file, { clock: '', workers: 1, port: PORT })
  millis[start] = service.startMillis
  await service.stop()
}
const { min, p50, p95 } = spreadOf(millis)
showFigure({
  name: `${name}: start to first answer, p50 of ${STARTS}`,
  value: p50,
  unit: 'ms',
  atMost: BARS.startMillis,
})
showFigure({ name: `${name}: start to first answer, quickest`, value: min, unit: 'ms' })
showFigure({ name: `${name}: start to first answer, p95`, value: p95, unit: 'ms' })

const timetable = await readTimetable(feed.path)
const world = await openLiveWorld({ feed: feed.path, timetable, port: PORT, workers: 1, updates: UPDATES })
try {
  const { pid, key } = world.service
  showFigure({ name: `${name}: memory after the start (Pss)`, value: await processMemory(pid, 'Pss'), unit: 'MB' })
  await world.commandAgency('pace')
  const paths = listQuestions(timetable)[0]?.paths ?? []
  const order = { port: PORT, key, paths, connections: CONNECTIONS, perSecond: PER_SECOND, seconds: MEMORY_SECONDS }
  const { failures } = await readPaced(order)
  if (failures.length > 0) throw new Error(`${failures.length} failed: ${failures[0]}`)
  const megabytes = await processMemory(pid, 'Pss')
  const after = `memory after a minute of boards, ${PER_SECOND} a second (Pss)`
  showFigure({ name: `${name}: ${after}`, value: megabytes, unit: 'MB', atMost: BARS.megabytes })
} finally {
  await world.close()
}
