// `bun bench/overlays.ts` measures how changing live data affects clients. Each second, the live thread publishes a new
// overlay with 100 000 stop time updates, while 64 connections send requests at a steady rate. The latency is compared
// with the latency at the same rate while the live data does not change. Also measures what it costs the data thread to
// change to a new overlay.
import GtfsRealtime from 'gtfs-realtime-bindings'
import { buildOverlay, openOverlay, packOverlay } from '../indexes/live/build-overlay.ts'
import { FeedState } from '../indexes/live/feed-state.ts'
import { listBoard } from '../indexes/live/live-boards.ts'
import { LiveTripReader } from '../indexes/live/live-trips.ts'
import type { StopIndex, Timetable } from '../indexes/timetable/timetable.ts'
import { decodeMessage } from '../loaders/gtfs-rt/decode-message.ts'
import { benchFeed } from './feeds.ts'
import { showFigure } from './figures.ts'
import { type LiveWorld, makeBodies, openLiveWorld } from './live-world.ts'
import { digits, spreadOf } from './measure.ts'
import { type PacedResult, readPaced } from './paced-sockets.ts'
import { listQuestions } from './questions.ts'

const { FeedMessage, FeedHeader } = GtfsRealtime.transit_realtime
const UPDATES = Number(process.env['QUAI_BENCH_UPDATES'] ?? 100_000)
const CONNECTIONS = 64
const PER_SECOND = 640
const SECONDS = Number(process.env['QUAI_BENCH_SECONDS'] ?? 20)
const PORT = 18_083
const SWAPS = 40
const BARS = { swapMillis: 5, p99Millis: 10 }

const feed = await benchFeed()
const world = await openLiveWorld({ feed: feed.path, port: PORT, workers: 1, updates: UPDATES })
try {
  const { timetable, nowSeconds } = world
  measureSwaps(timetable, nowSeconds, makeBodies(timetable, nowSeconds, UPDATES))
  await measureReaders(world)
} finally {
  await world.close()
}

/**
 * Runs the work of the live thread and of the data thread in this process. Times each stage of the live thread, and the
 * data thread's first board after the change to a new overlay.
 */
function measureSwaps(timetable: Timetable, nowSeconds: number, bodies: readonly Uint8Array[]): void {
  const state = new FeedState()
  const reader = new LiveTripReader(timetable)
  const stages = { decode: [] as number[], read: [] as number[], build: [] as number[], swap: [] as number[] }
  const timed = <T>(stage: keyof typeof stages, work: () => T): T => {
    const started = performance.now()
    const result = work()
    stages[stage].push(performance.now() - started)
    return result
  }
  let matched = 0
  for (let round = 0; round < SWAPS; round++) {
    const now = nowSeconds + round
    const timestamp = {
      gtfsRealtimeVersion: '2.0',
      timestamp: now,
      incrementality: FeedHeader.Incrementality.FULL_DATASET,
    }
    const head = FeedMessage.encode({ header: timestamp, entity: [] }).finish()
    const bytes = Buffer.concat([head, bodies[round % bodies.length] ?? new Uint8Array(0)])
    timed('decode', () => state.apply(decodeMessage(bytes), now))
    const { current } = state
    if (current === undefined) throw new Error('the message was not applied')
    const { trips, matches } = timed('read', () => reader.read([current], now))
    matched = matches[0]?.matched ?? 0
    const meta = { snapshotId: 'bench', version: round, baseSeconds: now, feedIds: ['trips'] }
    const packed = timed('build', () => packOverlay(buildOverlay(timetable, trips, meta)))
    const sent = structuredClone(packed)
    timed('swap', () => {
      const overlay = openOverlay(sent)
      const stop = (round * 37) % timetable.stops.id.length
      listBoard(timetable, overlay, { stops: [stop as StopIndex], fromSeconds: now, toSeconds: now + 3600, limit: 10 })
    })
  }
  console.log(
    `${matched} trips matched by ${UPDATES} stop-time updates in ${digits((bodies[0]?.length ?? 0) / 1e6)} MB`,
  )
  for (const [stage, values] of Object.entries(stages)) {
    const settled = values.slice(5)
    const { p50 } = spreadOf(Float64Array.from(settled))
    showFigure({ name: `${feed.name}: overlay of ${UPDATES} updates, ${stage}, p50`, value: p50, unit: 'ms' })
    const slowest = {
      name: `${feed.name}: overlay of ${UPDATES} updates, ${stage}, slowest`,
      value: Math.max(...settled),
      unit: 'ms',
    }
    showFigure(stage === 'swap' ? { ...slowest, atMost: BARS.swapMillis } : slowest)
  }
}

async function measureReaders({ service, timetable, commandAgency }: LiveWorld): Promise<void> {
  const paths = (listQuestions(timetable)[0]?.paths ?? []).map((path) => `${path}?limit=10`)
  const order = { port: PORT, key: service.key, paths, connections: CONNECTIONS, perSecond: PER_SECOND }
  await readPaced({ ...order, seconds: 3 })
  const quiet = await readPaced({ ...order, seconds: SECONDS })
  const before = await commandAgency('move')
  await Bun.sleep(1500)
  const busy = await readPaced({ ...order, seconds: SECONDS })
  const swaps = (await commandAgency('stop')) - before
  report('quiet', quiet)
  report(`${swaps} overlays in ${SECONDS} s`, busy, Math.max(2 * quiet.millis.p99, BARS.p99Millis))
  if (swaps < SECONDS * 0.7) throw new Error(`only ${swaps} overlays in ${SECONDS} s`)
}

function report(state: string, { millis, slowestMillis, failures }: PacedResult, bar?: number): void {
  if (failures.length > 0) throw new Error(`${failures.length} failed: ${failures.slice(0, 3).join('; ')}`)
  const name = `${feed.name}: departures at ${PER_SECOND} a second over ${CONNECTIONS} connections, ${state}`
  const p99 = { name: `${name}, p99`, value: millis.p99, unit: 'ms' }
  showFigure({ name: `${name}, p50`, value: millis.p50, unit: 'ms' })
  showFigure(bar === undefined ? p99 : { ...p99, atMost: bar })
  showFigure({ name: `${name}, slowest`, value: slowestMillis, unit: 'ms' })
}
