// A service with one data thread, for `bench fresh` and `bench pairs`. The processor times of its data thread, planner
// and live thread are measured. The service is controlled only over HTTP and the command line, so that older binaries
// can be measured too.
import type { StopIndex, Timetable } from '../indexes/timetable/timetable.ts'
import { type LiveWorld, openLiveWorld, stopIdOf } from './live-world.ts'
import { readEach } from './paced-sockets.ts'
import { runCommand } from './service.ts'
import { findThread, type ThreadClock } from './thread-clock.ts'

const CONNECTIONS = 32
/** Number of requests with which a thread is identified. */
const PROBES = 1_500
const JOURNEY_PROBES = 40
/** Number of connections that request journeys. It is low because a busy planner refuses further requests. */
const JOURNEY_CONNECTIONS = 4
/** Duration of each attempt to find the live thread. The feed is fetched every second, so there are several fetches. */
const LIVE_PROBE_MILLIS = 3_000
/**
 * Minimum time between two reloads. A new import time shows that a reload is complete, and import times are reported in
 * whole seconds.
 */
const RELOAD_GAP_MILLIS = 1_100
const RELOAD_LIMIT_MILLIS = 60_000

/** The settings of a service to start. */
export interface TimedOrder {
  readonly feed: string
  /** The timetable, loaded with the code of this checkout. */
  readonly timetable: Timetable
  readonly port: number
  /** Number of calls that have a delay in each message of the live feed. */
  readonly updates: number
  /** The command that starts the service. If absent, `serviceCommand()` is used. */
  readonly command?: readonly string[]
  /** Whether journeys will be requested. If so, the processor time of the planner must be measured. True if absent. */
  readonly hasJourneys?: boolean
}

/** Processor time per response, in microseconds. */
export interface AnswerTime {
  /** Processor time of the data thread. */
  readonly micros: number
  /** Processor time of the data thread and its planner. */
  readonly withPlannerMicros: number
  /** Processor time of the thread that reads the live feed, including work that no request caused. */
  readonly liveMicros: number
  /** Lengths of the bodies, in the order of the paths. */
  readonly lengths: readonly number[]
}

/** A service whose data thread, planner and live thread have been identified. */
export interface TimedService {
  readonly world: LiveWorld
  readonly port: number
  /** Requests each path once. Returns the processor time per response. */
  time(paths: readonly string[]): Promise<AnswerTime>
  /** Imports the feed again, and waits until the new timetable is served. */
  reload(): Promise<void>
  close(): Promise<void>
}

/** Starts a service and finds its threads. */
export async function openTimedService(order: TimedOrder): Promise<TimedService> {
  const { port, command } = order
  const world = await openLiveWorld({ ...order, workers: 1 })
  const { pid, key } = world.service
  const ask = (paths: readonly string[]) => readEach({ port, key, paths, connections: CONNECTIONS })
  try {
    await world.commandAgency('stop')
    const dataThread = await findThread(pid, () => ask(new Array<string>(PROBES).fill('/v1/networks')))
    const askJourneys = (paths: readonly string[]) => readEach({ port, key, paths, connections: JOURNEY_CONNECTIONS })
    const planner =
      order.hasJourneys === false ? undefined : await findPlanner(order, { pid, ask: askJourneys, dataThread })
    await world.commandAgency('move')
    const liveThread = await findThread(pid, () => Bun.sleep(LIVE_PROBE_MILLIS), [
      dataThread,
      ...(planner === undefined ? [] : [planner]),
    ])
    await world.commandAgency('stop')
    return {
      world,
      port,
      async time(paths) {
        const [before, plannerBefore] = [dataThread.nanoseconds(), planner?.nanoseconds() ?? 0]
        const liveBefore = liveThread.nanoseconds()
        const lengths = await ask(paths)
        const micros = (dataThread.nanoseconds() - before) / 1000 / paths.length
        const plannerMicros = ((planner?.nanoseconds() ?? 0) - plannerBefore) / 1000 / paths.length
        const liveMicros = (liveThread.nanoseconds() - liveBefore) / 1000 / paths.length
        return { micros, withPlannerMicros: micros + plannerMicros, liveMicros, lengths }
      },
      reload: () => reload(world, command),
      close: () => world.close(),
    }
  } catch (error) {
    await world.close()
    throw error
  }
}

interface Probe {
  readonly pid: number
  readonly ask: (paths: readonly string[]) => Promise<unknown>
  readonly dataThread: ThreadClock
}

async function findPlanner({ timetable }: TimedOrder, { pid, ask, dataThread }: Probe): Promise<ThreadClock> {
  // Each journey is between a stop from the start of the feed and one from its end, because such stops tend to be far
  // apart.
  const count = timetable.stops.id.length
  const id = (stop: number) => encodeURIComponent(stopIdOf(timetable, stop as StopIndex))
  let round = 0
  return await findThread(pid, () => {
    round++
    const paths = Array.from({ length: JOURNEY_PROBES }, (_, at) => {
      const from = (at * 7 + round) % count
      return `/v1/journeys?from=${id(from)}&to=${id(count - 1 - from)}&max_walk=${1000 - round}`
    })
    return ask(paths)
  }, [dataThread])
}

async function reload({ service, file }: LiveWorld, command: readonly string[] | undefined): Promise<void> {
  const before = await refreshedAt(service)
  await Bun.sleep(RELOAD_GAP_MILLIS)
  await runCommand(['import', '--force', '--config', file], command)
  const started = performance.now()
  while ((await refreshedAt(service)) === before) {
    if (performance.now() - started > RELOAD_LIMIT_MILLIS) throw new Error('the service did not take the new timetable')
    await Bun.sleep(20)
  }
}

async function refreshedAt({ base, key }: LiveWorld['service']): Promise<string> {
  const answer = await fetch(`${base}/v1/networks/net`, { headers: { authorization: `Bearer ${key}` } })
  const { data } = (await answer.json()) as { data: { static_refreshed_at: string } }
  return data.static_refreshed_at
}
