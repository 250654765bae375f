// The environment of a storm: a folder with the generated city and, if there are real feeds, one of them; the process
// that publishes the city's live feeds; and the service. The service has a small disk if one can be mounted, a clock
// that can be set, and threads that can be killed.
import { Database } from 'bun:sqlite'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FEEDS } from '../../src/demo/simulator.ts'
import { readTextBoards, type TextBoards } from '../oracles/text-boards.ts'
import { dateOf } from '../oracles/text-dates.ts'
import { listRealFeeds } from '../real-feeds.ts'
import { end, ServiceFolder, type Serving } from '../service/running.ts'
import { SimulatorProcess, simulatedCity } from '../service/simulator-process.ts'
import { makeSmallDisk, type SmallDisk } from '../service/small-disk.ts'
import { weeksToMiddle, writeShiftedFeed } from '../shifted-feed.ts'
import { REAL_FEEDS } from '../size.ts'
import { LiveModel } from './live-model.ts'
import type { StormNetwork } from './storm-client.ts'

/**
 * The ports are below the range from which the system takes ports for outgoing connections. Otherwise, such a
 * connection could take the service's port while the service restarts.
 */
const FIRST_PORT = 19_470
const PORTS = 30
const WORKERS = 2
/**
 * Maximum number of data threads to kill within a minute. If a sixth crashes, the service exits, so that its supervisor
 * notices.
 */
const MOST_THREAD_KILLS = 5
const THREAD_KILLS_WITHIN_MILLIS = 65_000
const DISK_MEGABYTES = 800
const POLL_SECONDS = 4
const REAL_FEED = 'strasbourg'
const STREAM_KEYS = 4
const DAY_SECONDS = 86_400
/** Boards up to two days after today can have live data. */
const LIVE_DAYS = 2
/** Maximum number of days for which scheduled boards are requested. */
const MOST_DAYS = 20
const MAIN = join(import.meta.dir, 'stormy-main.ts')

/** Settings with such high limits for the plan that no call is refused because of a rate or a quota. */
const HEAD = `data_dir = "data"
drain_seconds = 0
trusted_proxies = ["127.0.0.1"]
[plans.max]
included_units = 1_000_000_000
requests_per_second = 100_000
burst = 1_000_000
`

interface Parts {
  readonly networks: readonly StormNetwork[]
  readonly agency: SimulatorProcess
  readonly service: ServiceFolder
  readonly disk: SmallDisk
  readonly shift: Float64Array
  readonly port: number
}

/** A service in a storm, and the data that its responses are checked against. */
export class StormWorld {
  readonly networks: readonly StormNetwork[]
  readonly agency: SimulatorProcess
  readonly disk: SmallDisk
  readonly base: string
  readonly keys: { calls: string; streams: string[] } = { calls: '', streams: [] }
  private readonly service: ServiceFolder
  private readonly shift: Float64Array
  private readonly port: number
  private serving: Serving | undefined
  /** The process that was last killed or stopped. */
  private ending: Serving | undefined
  private readonly crash = Promise.withResolvers<never>()
  private threadKills: number[] = []

  private constructor({ networks, agency, service, disk, shift, port }: Parts) {
    this.port = port
    this.base = `http://127.0.0.1:${port}`
    this.networks = networks
    this.agency = agency
    this.service = service
    this.disk = disk
    this.shift = shift
  }

  /** Creates the folder and the city, and starts the service. */
  static async open(): Promise<StormWorld> {
    const disk = makeSmallDisk(DISK_MEGABYTES)
    const { folder } = disk
    const city = simulatedCity(Date.now())
    const agency = await SimulatorProcess.start(join(folder, 'city'), '')
    const boards = await readTextBoards(join(folder, 'city'), 'city')
    const networks = [networkOf('city', boards, new LiveModel(boards, 'city', city))]
    if (REAL_FEEDS === undefined)
      console.log('left out: a real feed (QUAI_FEEDS is not set); only the generated city is used')
    else networks.push(await realNetwork(join(folder, 'real')))
    const shiftFile = join(folder, 'shift')
    writeFileSync(shiftFile, new Uint8Array(8))
    process.env['QUAI_TEST_SHIFT'] = shiftFile
    process.env['QUAI_TEST_DEATH'] = join(folder, 'death')
    const feeds = FEEDS.map(
      (feed) => `[[networks.feeds]]
id = "${feed}"
url = "${agency.urls[feed]}"
interval_seconds = ${POLL_SECONDS}
`,
    )
    const tables = networks.map(
      ({ id, live }) =>
        `[[networks]]\nid = "${id}"\nname = "${id}"\ncity = "${id}"\ngtfs = "${id}"\n${live ? feeds.join('') : ''}`,
    )
    mkdirSync(join(folder, 'data'), { recursive: true })
    const service = new ServiceFolder([process.execPath, MAIN], HEAD + tables.join('\n'), folder)
    const shift = new Float64Array(Bun.mmap(shiftFile, { shared: true }).buffer, 0, 1)
    const world = new StormWorld({ networks, agency, service, disk, shift, port: findPort() })
    world.keys.calls = await service.makeKey('calls')
    for (let at = 0; at < STREAM_KEYS; at++) world.keys.streams.push(await service.makeKey(`streams ${at}`))
    await world.start()
    return world
  }

  get pid(): number | undefined {
    return this.serving?.child.exitCode === null ? this.serving.child.pid : undefined
  }

  /** By how many milliseconds the service's clock is off. It can be set while the service runs. */
  get shiftMillis(): number {
    return this.shift[0] ?? 0
  }

  set shiftMillis(millis: number) {
    this.shift[0] = millis
  }

  /** A promise that rejects if the service exits without being killed or stopped. */
  get crashed(): Promise<never> {
    return this.crash.promise
  }

  /** Kills the process, or stops it in an orderly way, and restarts it immediately. */
  async restart(signal: 'SIGKILL' | 'SIGTERM', onKilled: () => void): Promise<void> {
    const { serving } = this
    if (serving === undefined) throw new Error('the service does not run')
    const ended = this.end(serving, signal)
    onKilled()
    await ended
    await this.start()
  }

  /**
   * Kills one data thread, unless so many were killed within a minute that another kill would make the service exit.
   * Returns whether a thread is killed.
   */
  killThread(): boolean {
    const now = performance.now()
    this.threadKills = this.threadKills.filter((at) => at > now - THREAD_KILLS_WITHIN_MILLIS)
    if (this.threadKills.length === MOST_THREAD_KILLS) return false
    this.threadKills.push(now)
    writeFileSync(join(this.disk.folder, 'death'), '')
    return true
  }

  /** Runs a command while the service is running. */
  async run(...words: string[]): Promise<void> {
    const { status, stderr } = await this.service.run(...words)
    if (status !== 0) throw new Error(`quai ${words.join(' ')} ended with ${status}: ${stderr}`)
  }

  reload(): void {
    this.serving?.child.kill('SIGHUP')
  }

  /**
   * Stops the service in an orderly way. Returns the units in the ledger: `calls` for the key that makes calls, and
   * `streams` for all keys that open streams.
   */
  async finish(): Promise<{ calls: number; streams: number }> {
    if (this.serving !== undefined) await this.end(this.serving, 'SIGTERM')
    const database = new Database(join(this.disk.folder, 'data', 'quai.db'), { readonly: true })
    try {
      const rows = database
        .query<{ name: string; units: number }, []>(
          'SELECT keys.name AS name, sum(usage.units) AS units FROM usage JOIN keys ON keys.id = usage.key_id GROUP BY keys.id',
        )
        .all()
      const sum = (isStream: boolean) =>
        rows.filter(({ name }) => name.startsWith('streams') === isStream).reduce((all, { units }) => all + units, 0)
      return { calls: sum(false), streams: sum(true) }
    } finally {
      database.close()
    }
  }

  async close(): Promise<void> {
    if (this.pid !== undefined && this.serving !== undefined) await this.end(this.serving, 'SIGKILL')
    await this.agency.stop()
    this.disk.remove()
    rmSync(this.disk.folder, { recursive: true, force: true })
  }

  /** What the service has printed since its last start. */
  output(): string {
    return this.serving?.output() ?? ''
  }

  private async start(): Promise<void> {
    const serving = await this.service.serve({ workers: WORKERS, port: this.port, clock: '' })
    this.serving = serving
    void serving.child.exited.then((status) => {
      if (this.ending === serving) return
      this.crash.reject(
        new Error(`the service ended by itself with status ${status}: ${serving.output().slice(-2_000)}`),
      )
    })
  }

  private async end(serving: Serving, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    this.ending = serving
    await end(serving, signal)
  }
}

/**
 * Finds a free port. Two services can listen on the same port without an error, so two storms with the same port would
 * answer each other's calls.
 */
function findPort(): number {
  for (let port = FIRST_PORT; port < FIRST_PORT + PORTS; port++) {
    try {
      void Bun.serve({ hostname: '127.0.0.1', port, reusePort: false, fetch: () => new Response() }).stop(true)
      return port
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    }
  }
  throw new Error(`all ports from ${FIRST_PORT} to ${FIRST_PORT + PORTS - 1} are in use`)
}

async function realNetwork(folder: string): Promise<StormNetwork> {
  const [feed] = listRealFeeds(REAL_FEEDS ?? '', REAL_FEED)
  if (feed === undefined) throw new Error(`QUAI_FEEDS has no feed named ${REAL_FEED}`)
  const { firstDate = '', lastDate = '' } = await readTextBoards(feed, 'real')
  await writeShiftedFeed(feed, folder, weeksToMiddle(firstDate, lastDate, Date.now() / 1000))
  return networkOf('real', await readTextBoards(folder, 'real'), undefined)
}

function networkOf(id: string, boards: TextBoards, live: LiveModel | undefined): StormNetwork {
  const stopIds = [...new Set(boards.boardings.map(({ trip, call }) => trip.stopIds[call] ?? ''))]
  const today = Math.floor(Date.now() / 1000 / DAY_SECONDS)
  const days = Array.from({ length: MOST_DAYS }, (_, at) => today + LIVE_DAYS + 1 + at)
    .filter((day) => dateOf(day * DAY_SECONDS) < (boards.lastDate ?? ''))
    .map((day) => day * DAY_SECONDS)
  if (days.length === 0) throw new Error(`${id} has no days ahead`)
  return {
    id,
    boards,
    stopIds,
    live,
    days,
    names: [...boards.stops.names.values()].filter((name) => name.length > 1),
    points: [...boards.stops.points.values()].map(({ lat, lon }) => `${lat},${lon}`),
  }
}
