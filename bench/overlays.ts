// `bun bench/overlays.ts`: what live data costs readers. An overlay of 100 000 updates of stop times each second, under 64
// connections at a steady pace, beside the same pace without it; and what one swap costs the thread that serves.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import GtfsRealtime from 'gtfs-realtime-bindings'
import { buildOverlay, openOverlay, packOverlay } from '../indexes/live/build-overlay.ts'
import { FeedState } from '../indexes/live/feed-state.ts'
import { listBoard } from '../indexes/live/live-boards.ts'
import { sequencesOfTrip } from '../indexes/live/live-trip.ts'
import { LiveTripReader } from '../indexes/live/live-trips.ts'
import { TripsUnderWay } from '../indexes/live/trips-under-way.ts'
import type { StopIndex, Timetable } from '../indexes/timetable/timetable.ts'
import { decodeMessage } from '../loaders/gtfs-rt/decode-message.ts'
import { textOf } from '../loaders/strings.ts'
import { below, seededRandom } from '../src/demo/seeded-random.ts'
import { findSnapshot } from '../src/networks/snapshot-store.ts'
import { benchFeed } from './feeds.ts'
import { digits, spreadOf } from './measure.ts'
import { type PacedResult, readPaced } from './paced-sockets.ts'
import { makeConfig, runCommand, startService } from './service.ts'

const { FeedMessage, FeedHeader } = GtfsRealtime.transit_realtime
const UPDATES = Number(process.env['QUAI_BENCH_UPDATES'] ?? 100_000)
const CONNECTIONS = 64
const PER_SECOND = 640
const SECONDS = Number(process.env['QUAI_BENCH_SECONDS'] ?? 20)
const PORT = 18_083
const UPSTREAM_PORT = 18_087
const VARIANTS = 3
const SWAPS = 40

const feed = await benchFeed()
const { folder, file } = makeConfig(feed.path)
const work = mkdtempSync(join(tmpdir(), 'quai-overlays-'))
try {
  await runCommand(['import', '--config', file])
  const { found } = findSnapshot(`${folder}/data`, 'net')
  if (found === undefined) throw new Error('the import left no snapshot')
  const { timetable } = found.loaded.snapshot
  const nowSeconds = busyMoment(timetable)
  const bodies = Array.from({ length: VARIANTS }, (_, variant) => makeEntities(timetable, nowSeconds, variant))
  console.log(`feed ${feed.name}: ${UPDATES} updates of stop times in ${digits((bodies[0]?.length ?? 0) / 1e6)} MB`)
  measureSwaps(timetable, nowSeconds, bodies)
  await measureReaders(timetable, nowSeconds, bodies)
} finally {
  rmSync(folder, { recursive: true, force: true })
  rmSync(work, { recursive: true, force: true })
}

/** Five in the afternoon of the day with most trips, about. */
function busyMoment({ serviceDays }: Timetable): number {
  let day = 0
  for (let each = 0; each < serviceDays.tripCount.length; each++) {
    if ((serviceDays.tripCount[each] as number) > (serviceDays.tripCount[day] as number)) day = each
  }
  return (serviceDays.zeroSeconds[day] as number) + 17 * 3600
}

/** So many updates as the encoded entities of trips under way and to come, all of their calls a bit late. */
function makeEntities(timetable: Timetable, nowSeconds: number, variant: number): Uint8Array {
  const random = seededRandom(variant, 'delays')
  const underWay = new TripsUnderWay(timetable)
  const entity: GtfsRealtime.transit_realtime.IFeedEntity[] = []
  const seen = new Set<string>()
  let updates = 0
  for (let ahead = 0; updates < UPDATES && ahead < 12 * 3600; ahead += 600) {
    for (const { trip, day, runStartSeconds } of underWay.list(nowSeconds + ahead)) {
      const tripId = textOf(timetable.strings, timetable.trips.id[trip])
      if (seen.has(tripId) || runStartSeconds >= 0 || updates >= UPDATES) continue
      seen.add(tripId)
      const delay = below(random, 600)
      const stopTimeUpdate = sequencesOfTrip(timetable, trip)
        .slice(0, UPDATES - updates)
        .map((stopSequence) => ({ stopSequence, departure: { delay: delay + below(random, 60) } }))
      updates += stopTimeUpdate.length
      const noon = (timetable.serviceDays.zeroSeconds[day] as number) + 12 * 3600
      const startDate = new Date(noon * 1000).toISOString().slice(0, 10).replaceAll('-', '')
      entity.push({ id: tripId, tripUpdate: { trip: { tripId, startDate }, stopTimeUpdate } })
    }
  }
  if (updates < UPDATES) throw new Error(`only ${updates} calls are in the next hours`)
  const header = { gtfsRealtimeVersion: '2.0' }
  const empty = FeedMessage.encode({ header, entity: [] }).finish().length
  return FeedMessage.encode({ header, entity }).finish().subarray(empty)
}

/** In process: each stage of the live thread, and what the serving thread does at a swap until its first board. */
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
    if (current === undefined) throw new Error('the feed says nothing')
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
  const parts = Object.entries(stages).map(([stage, values]) => {
    const { p50 } = spreadOf(Float64Array.from(values.slice(5)))
    return `${stage} p50 ${digits(p50)} ms, slowest ${digits(Math.max(...values.slice(5)))}`
  })
  console.log(`${matched} trips matched; live thread and serving thread: ${parts.join('; ')}`)
}

async function measureReaders(timetable: Timetable, nowSeconds: number, bodies: readonly Uint8Array[]): Promise<void> {
  const clock = new Date(nowSeconds * 1000).toISOString().replace('.000', '')
  const files = bodies.map((bytes, at) => {
    const path = join(work, `${at}.pb`)
    writeFileSync(path, bytes)
    return path
  })
  writeFileSync(
    file,
    `[[networks.feeds]]\nid = "trips"\nurl = "http://127.0.0.1:${UPSTREAM_PORT}/trips.pb"\ninterval_seconds = 1\n`,
    { flag: 'a' },
  )
  const upstream = Bun.spawn(
    [process.execPath, join(import.meta.dir, 'overlay-upstream.ts'), String(UPSTREAM_PORT), ...files],
    {
      env: { ...process.env, QUAI_CLOCK: clock },
      stderr: 'inherit',
    },
  )
  await Bun.sleep(1000)
  const service = await startService(file, { clock, workers: 1, port: PORT })
  try {
    const paths = Array.from({ length: 200 }, (_, at) => {
      const stop = ((at * 7919) % timetable.stops.id.length) as StopIndex
      return `/v1/stops/${encodeURIComponent(`net:stop:${textOf(timetable.strings, timetable.stops.id[stop])}`)}/departures?limit=10`
    })
    const order = { port: PORT, key: service.key, paths, connections: CONNECTIONS, perSecond: PER_SECOND }
    await Bun.sleep(4000)
    await readPaced({ ...order, seconds: 3 })
    const tell = async (word: string) => Number(await (await fetch(`http://127.0.0.1:${UPSTREAM_PORT}/${word}`)).text())
    await tell('stop')
    await Bun.sleep(2000)
    const quiet = await readPaced({ ...order, seconds: SECONDS })
    const before = await tell('move')
    await Bun.sleep(1500)
    const busy = await readPaced({ ...order, seconds: SECONDS })
    const swaps = (await tell('stop')) - before
    report('quiet', quiet)
    report(`${swaps} overlays`, busy)
    if (swaps < SECONDS * 0.7) throw new Error(`only ${swaps} overlays in ${SECONDS} s`)
  } finally {
    await service.stop()
    upstream.kill()
    await upstream.exited
  }
}

function report(name: string, { millis, slowestMillis, count, failures }: PacedResult): void {
  console.log(
    `${name}: ${count} answers over ${CONNECTIONS} connections at ${PER_SECOND}/s, p50 ${digits(millis.p50)} ms, ` +
      `p95 ${digits(millis.p95)}, p99 ${digits(millis.p99)}, slowest ${digits(slowestMillis)}; ${failures.length} failed`,
  )
  if (failures.length > 0) throw new Error(failures.slice(0, 3).join('; '))
}
