// `bun bench/streams.ts` measures 5 000 streams on one data thread: memory, processor time, the latency of other
// requests, how punctual frames are, and how soon all resources are released when the clients crash.
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { StopIndex, Timetable } from '../indexes/timetable/timetable.ts'
import { textOf } from '../loaders/strings.ts'
import { openAccounts } from '../src/accounts/open-accounts.ts'
import { loadConfig } from '../src/config/config.ts'
import { Problem } from '../src/http/problem.ts'
import { findSnapshot } from '../src/networks/snapshot-store.ts'
import { FreeReconnects, noReconnects } from '../src/streams/free-reconnects.ts'
import { StreamHub } from '../src/streams/stream-hub.ts'
import { allocateStreamSlots, StreamSlots } from '../src/streams/stream-slots.ts'
import { benchFeed } from './feeds.ts'
import { showFigure } from './figures.ts'
import { digits, processMemory, processorSeconds, spreadOf } from './measure.ts'
import { readPaced } from './paced-sockets.ts'
import { makeConfig, runCommand, startService } from './service.ts'
import type { CrowdFigures, CrowdOrder } from './stream-crowd.ts'

const STREAMS = Number(process.env['QUAI_BENCH_STREAMS'] ?? 5_000)
const INTERVAL_SECONDS = 5
const SECONDS = Number(process.env['QUAI_BENCH_SECONDS'] ?? 20)
const PORT = 18_085
const STREAMS_OF_KEY = 10
const BAR_KILOBYTES = 20
const KEYS_OF_ACCOUNT = 5
/** Number of different boards to stream. */
const BOARDS = 500
const CONNECTIONS = 32
const PER_SECOND = 320
/** Number of further crowds that connect and crash after the measured crowd, to reveal leaks. */
const ROUNDS = 4
/** Maximum time for which the process may keep the resources of crashed clients. */
const GONE_SECONDS = 60

await measureTick()
const feed = await benchFeed()
const { folder, file } = makeConfig(feed.path)
try {
  await runCommand(['import', '--config', file])
  const { found } = findSnapshot(join(folder, 'data'), 'net')
  if (found === undefined) throw new Error('the import left no snapshot')
  console.log(`feed ${feed.name}, ${STREAMS} streams of ${BOARDS} boards every ${INTERVAL_SECONDS} s`)
  await measureService(found.loaded.snapshot.timetable)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/**
 * Runs the stream hub in this process, and times ticks in which every stream is due. Frames have 5 kB, and each topic
 * has ten listeners.
 */
async function measureTick(): Promise<void> {
  const time = { millis: 0 }
  const hub = new StreamHub({
    gate: { holds: () => true },
    slots: new StreamSlots(allocateStreamSlots()),
    reconnects: new FreeReconnects(noReconnects()),
    clock: { nowMillis: () => time.millis },
    steady: () => time.millis,
  })
  const body = new TextEncoder().encode(JSON.stringify({ data: 'x'.repeat(5_000) }))
  for (let at = 0; at < STREAMS; at++) {
    const stream = hub.open({
      topic: `topic ${at % BOARDS}`,
      event: 'departures',
      render: () => body,
      intervalSeconds: INTERVAL_SECONDS,
      caller: { keyId: `key_${Math.floor(at / 10)}`, accountId: `acc_${Math.floor(at / 50)}`, plan: 'max' },
      cost: 1,
      charge: () => undefined,
      connection: undefined,
    })
    if (stream instanceof Problem) throw new Error(stream.detail)
    void drain(stream)
  }
  const ticks = new Float64Array(30)
  for (let tick = 0; tick < ticks.length; tick++) {
    await Bun.sleep(10)
    time.millis += INTERVAL_SECONDS * 1000
    const started = performance.now()
    hub.advance()
    ticks[tick] = performance.now() - started
  }
  const { p50, p99 } = spreadOf(ticks)
  showFigure({ name: `a tick in which all ${STREAMS} streams are due, slowest`, value: p99, unit: 'ms' })
  console.log(`a tick in which all ${STREAMS} streams are due: p50 ${digits(p50)} ms, slowest ${digits(p99)}`)
  hub.close()
}

async function drain(stream: ReadableStream<Uint8Array>): Promise<void> {
  for await (const _ of stream);
}

/**
 * Creates the API keys in this process, while no service is running. With one command per key, this would take a
 * minute.
 */
async function makeKeys(): Promise<string[]> {
  const accounts = await openAccounts(loadConfig({ file, flags: {} }), { onProblem: console.error })
  try {
    const keys: string[] = []
    for (let at = 0; at < Math.ceil(STREAMS / STREAMS_OF_KEY); at++) {
      const email = `crowd${Math.floor(at / KEYS_OF_ACCOUNT)}@localhost.example`
      const { key } = await accounts.operations.createKey({
        email,
        plan: 'max',
        name: `crowd ${at}`,
        scopes: ['transit:read'],
        expiresAtMillis: null,
      })
      keys.push(key)
    }
    return keys
  } finally {
    await accounts.close()
  }
}

/** Noon on the day with the most trips. */
function busyNoon({ serviceDays }: Timetable): Date {
  let day = 0
  for (let each = 0; each < serviceDays.tripCount.length; each++) {
    if ((serviceDays.tripCount[each] as number) > (serviceDays.tripCount[day] as number)) day = each
  }
  return new Date(((serviceDays.zeroSeconds[day] as number) + 12 * 3600) * 1000)
}

/** The ids of the stops with the most departures, encoded for a path. */
function busiestStops({ stops, strings }: Timetable): string[] {
  return Array.from({ length: stops.id.length }, (_, stop) => stop as StopIndex)
    .sort((a, b) => stops.dailyDepartures[b] - stops.dailyDepartures[a])
    .slice(0, BOARDS)
    .map((stop) => encodeURIComponent(`net:stop:${textOf(strings, stops.id[stop])}`))
}

async function measureService(timetable: Timetable): Promise<void> {
  const keys = await makeKeys()
  const clock = busyNoon(timetable)
  const stops = busiestStops(timetable)
  const service = await startService(file, { clock: clock.toISOString().replace('.000', ''), workers: 1, port: PORT })
  const order = {
    port: PORT,
    key: service.key,
    paths: stops.map((stop) => `/v1/stops/${stop}/departures?limit=10`),
    connections: CONNECTIONS,
    perSecond: PER_SECOND,
    seconds: SECONDS,
  }
  const requests = Array.from({ length: STREAMS }, (_, at) => {
    const path = `/v1/stops/${stops[at % stops.length]}/departures/stream?interval=${INTERVAL_SECONDS}`
    const key = keys[Math.floor(at / STREAMS_OF_KEY)]
    return `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${PORT}\r\nauthorization: Bearer ${key}\r\n\r\n`
  })
  try {
    await readPaced({ ...order, seconds: 3 })
    const quiet = await readPaced(order)
    const files = openFiles(service.pid)
    const memory = await processMemory(service.pid, 'Pss')
    const crowd = await openCrowd({ port: PORT, requests, intervalSeconds: INTERVAL_SECONDS })
    await Bun.sleep(INTERVAL_SECONDS * 1000)
    const held = await processMemory(service.pid, 'Pss')
    const processor = await processorSeconds(service.pid)
    const busy = await readPaced(order)
    const share = ((await processorSeconds(service.pid)) - processor) / SECONDS
    const seen = await crowd.figures()
    showFigure({
      name: `${feed.name}: memory per stream`,
      value: ((held - memory) * 1024) / STREAMS,
      unit: 'kB',
      atMost: BAR_KILOBYTES,
    })
    console.log(
      `opened in ${digits(crowd.openedSeconds)} s; ${digits(((held - memory) * 1024) / STREAMS)} kB per stream ` +
        `(Pss ${digits(memory)} → ${digits(held)} MB); processor ${digits(share * 100)}% with ${PER_SECOND} requests a second`,
    )
    console.log(
      `${seen.frames} frames, ${digits(seen.bytes / 1e6)} MB; deviation from the interval: p99 ${digits(seen.unpunctualP99Millis)} ms, ` +
        `maximum ${digits(seen.unpunctualMostMillis)}`,
    )
    for (const [name, { millis, slowestMillis, failures }] of [
      ['without', quiet],
      ['with', busy],
    ] as const) {
      showFigure({
        name: `${feed.name}: departures at ${PER_SECOND} a second, ${name} ${STREAMS} streams, p99`,
        value: millis.p99,
        unit: 'ms',
      })
      console.log(
        `API ${name}: p50 ${digits(millis.p50)} ms, p99 ${digits(millis.p99)}, slowest ${digits(slowestMillis)}; ${failures.length} failed`,
      )
    }
    if (seen.open !== STREAMS)
      throw new Error(`only ${seen.open} of ${STREAMS} streams are open: ${seen.failures.join('; ')}`)
    if (busy.failures.length > 0) throw new Error(busy.failures.slice(0, 3).join('; '))
    await crowd.kill()
    console.log(`all clients killed: ${await goneFigures(service.pid, files)}`)
    for (let round = 1; round <= ROUNDS; round++) {
      const again = await openCrowd({ port: PORT, requests, intervalSeconds: INTERVAL_SECONDS })
      await Bun.sleep(INTERVAL_SECONDS * 1000)
      await again.kill()
      console.log(`${STREAMS} more opened and killed: ${await goneFigures(service.pid, files)}`)
    }
  } finally {
    await service.stop()
  }
}

function openFiles(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length
}

async function goneFigures(pid: number, files: number): Promise<string> {
  const seconds = await untilGone(pid, files)
  return `sockets gone after ${digits(seconds)} s, Pss ${digits(await processMemory(pid, 'Pss'))} MB`
}

async function untilGone(pid: number, files: number): Promise<number> {
  const started = performance.now()
  // The connections of the paced requests can stay open, so `CONNECTIONS` more files may be open than before.
  while (openFiles(pid) > files + CONNECTIONS) {
    if (performance.now() - started > GONE_SECONDS * 1000)
      throw new Error(`${openFiles(pid)} files are open, but ${files} were open before`)
    await Bun.sleep(20)
  }
  return (performance.now() - started) / 1000
}

async function openCrowd(order: CrowdOrder) {
  const opened = Promise.withResolvers<void>()
  let figures = Promise.withResolvers<CrowdFigures>()
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'stream-crowd.ts')], {
    stderr: 'inherit',
    ipc: (message: 'opened' | CrowdFigures) => (message === 'opened' ? opened.resolve() : figures.resolve(message)),
  })
  const started = performance.now()
  child.send(order)
  await opened.promise
  return {
    openedSeconds: (performance.now() - started) / 1000,
    figures: (): Promise<CrowdFigures> => {
      figures = Promise.withResolvers<CrowdFigures>()
      child.send('figures')
      return figures.promise
    },
    kill: async () => {
      child.kill('SIGKILL')
      await child.exited
    },
  }
}
