// Starts a service to measure. The service has one network with the feed to measure, an API key, and a live feed. The
// live feed comes from a separate process (overlay-upstream.ts) and has updates for the next hours. It changes only
// after a command (`commandAgency`).
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import GtfsRealtime from 'gtfs-realtime-bindings'
import { sequencesOfTrip } from '../indexes/live/live-trip.ts'
import { TripsUnderWay } from '../indexes/live/trips-under-way.ts'
import type { StopIndex, Timetable } from '../indexes/timetable/timetable.ts'
import { textOf } from '../loaders/strings.ts'
import { below, seededRandom } from '../src/demo/seeded-random.ts'
import { findSnapshot } from '../src/networks/snapshot-store.ts'
import { busiestDay } from './busiest.ts'
import { makeConfig, type RunningService, runCommand, SOURCE_COMMAND, startService } from './service.ts'

const { FeedMessage } = GtfsRealtime.transit_realtime
const VARIANTS = 3
/** Five in the afternoon, in seconds after midnight. */
const MOMENT_SECONDS = 17 * 3600
const AHEAD_SECONDS = 12 * 3600
/** Maximum time until the service has read its live feed. */
const LIVE_MILLIS = 20_000

/** A running service to measure, with its live feed. */
export interface LiveWorld {
  readonly timetable: Timetable
  /** The time of the service's clock at its start, in seconds after 1970. */
  readonly nowSeconds: number
  readonly service: RunningService
  /** The configuration file, for further commands such as an import. */
  readonly file: string
  /**
   * Makes the live feed change every second, change every 15 seconds, stay the same, or fail. Returns how many times
   * the feed has been sent so far.
   */
  commandAgency(word: 'move' | 'pace' | 'stop' | 'fail'): Promise<number>
  close(): Promise<void>
}

/** The id of a stop in the API. */
export function stopIdOf({ strings, stops }: Timetable, stop: StopIndex): string {
  return `net:stop:${textOf(strings, stops.id[stop])}`
}

/** The settings with which `openLiveWorld` starts the service. */
export interface LiveOrder {
  readonly feed: string
  readonly port: number
  readonly workers: number
  /**
   * Number of calls that have a delay in each message. If the next hours have fewer calls, all of those calls have a
   * delay.
   */
  readonly updates: number
  /** The command that starts the service. If absent, `serviceCommand()` is used. */
  readonly command?: readonly string[] | undefined
  /** The timetable, if it is already loaded. If absent, it is read from the service's snapshot. */
  readonly timetable?: Timetable | undefined
}

/**
 * Imports the feed, and starts the service and the process that sends the live feed. Waits until the service has read
 * the live feed.
 */
export async function openLiveWorld(order: LiveOrder): Promise<LiveWorld> {
  const { feed, port, workers, updates, command } = order
  const { folder, file } = makeConfig(feed)
  const work = mkdtempSync(join(tmpdir(), 'quai-live-'))
  const forget = () => {
    for (const path of [folder, work]) rmSync(path, { recursive: true, force: true })
  }
  try {
    await runCommand(['import', '--config', file], command)
    const { timetable = timetableIn(folder) } = order
    const nowSeconds = busiestDay(timetable).zeroSeconds + MOMENT_SECONDS
    const files = makeBodies(timetable, nowSeconds, updates).map((bytes, at) => {
      const path = join(work, `${at}.pb`)
      writeFileSync(path, bytes)
      return path
    })
    const agency = `http://127.0.0.1:${port + 4}`
    writeFileSync(file, `[[networks.feeds]]\nid = "trips"\nurl = "${agency}/trips.pb"\ninterval_seconds = 1\n`, {
      flag: 'a',
    })
    const clock = new Date(nowSeconds * 1000).toISOString().replace('.000', '')
    const service = await startService(file, { clock, workers, port, command })
    // The upstream starts after the service, so that its clock is not ahead of the service's clock: the service ignores
    // messages from the future.
    const words = [join(import.meta.dir, 'overlay-upstream.ts'), String(port + 4), ...files]
    const env = { ...process.env, QUAI_CLOCK: clock }
    const upstream = Bun.spawn([process.execPath, ...words], { env, stderr: 'inherit' })
    const close = async () => {
      await service.stop()
      upstream.kill()
      await upstream.exited
      forget()
    }
    try {
      const commandAgency = async (word: string) => Number(await (await fetch(`${agency}/${word}`)).text())
      await untilAnswers(agency)
      await untilLive(service)
      return { timetable, nowSeconds, service, file, commandAgency, close }
    } catch (error) {
      await close()
      throw error
    }
  } catch (error) {
    forget()
    throw error
  }
}

/** Imports a feed with the code of this checkout, even if another build is measured, and returns its timetable. */
export async function readTimetable(feed: string): Promise<Timetable> {
  const { folder, file } = makeConfig(feed)
  // The timetable is memory-mapped, so it can be read even after its files are deleted.
  try {
    await runCommand(['import', '--config', file], SOURCE_COMMAND)
    return timetableIn(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function timetableIn(folder: string): Timetable {
  const { found } = findSnapshot(join(folder, 'data'), 'net')
  if (found === undefined) throw new Error('the import left no snapshot')
  return found.loaded.snapshot.timetable
}

/**
 * Makes message bodies, which are encoded entities without a header. Each body has the current and upcoming trips,
 * slightly late at each call. The delays differ from body to body.
 */
export function makeBodies(timetable: Timetable, nowSeconds: number, updates: number): Uint8Array[] {
  return Array.from({ length: VARIANTS }, (_, variant) =>
    makeEntities(timetable, { nowSeconds, variant, most: updates }),
  )
}

function makeEntities(
  timetable: Timetable,
  { nowSeconds, variant, most }: { nowSeconds: number; variant: number; most: number },
): Uint8Array {
  const random = seededRandom(variant, 'delays')
  const underWay = new TripsUnderWay(timetable)
  const entity: GtfsRealtime.transit_realtime.IFeedEntity[] = []
  const seen = new Set<string>()
  let updates = 0
  for (let ahead = 0; updates < most && ahead < AHEAD_SECONDS; ahead += 600) {
    for (const { trip, day, runStartSeconds } of underWay.list(nowSeconds + ahead)) {
      const tripId = textOf(timetable.strings, timetable.trips.id[trip])
      if (seen.has(tripId) || runStartSeconds >= 0 || updates >= most) continue
      seen.add(tripId)
      const delay = below(random, 600)
      const stopTimeUpdate = sequencesOfTrip(timetable, trip)
        .slice(0, most - updates)
        .map((stopSequence) => ({ stopSequence, departure: { delay: delay + below(random, 60) } }))
      updates += stopTimeUpdate.length
      const noon = timetable.serviceDays.zeroSeconds[day] + 12 * 3600
      const startDate = new Date(noon * 1000).toISOString().slice(0, 10).replaceAll('-', '')
      entity.push({ id: tripId, tripUpdate: { trip: { tripId, startDate }, stopTimeUpdate } })
    }
  }
  if (updates === 0) throw new Error('no call is within the next few hours')
  const header = { gtfsRealtimeVersion: '2.0' }
  const empty = FeedMessage.encode({ header, entity: [] }).finish().length
  return FeedMessage.encode({ header, entity }).finish().subarray(empty)
}

async function untilAnswers(base: string): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      await fetch(`${base}/stop`)
      return
    } catch (error) {
      if (tries > 200) throw error
      await Bun.sleep(25)
    }
  }
}

/**
 * Waits until the live feed has been fetched. Uses the admin port, because the public status may be half a minute old.
 */
async function untilLive({ adminBase }: RunningService): Promise<void> {
  const started = performance.now()
  for (;;) {
    const text = await (await fetch(`${adminBase}/metrics`)).text()
    if (/^quai_feed_fetched\{.*\} 1$/m.test(text)) return
    if (performance.now() - started > LIVE_MILLIS) throw new Error('the service did not read its live feed in time')
    await Bun.sleep(50)
  }
}
