// `bun run bench mixed` puts a mixed load on a service with hundreds of networks and the addresses of a country, for
// twenty minutes. Meanwhile, configuration reloads add, remove and change networks, and single networks are imported
// again. No request may fail, memory must not grow, and boards may take at most twice as long as with one network. At
// the end, the service must give the same answers as a newly started one. QUAI_FEEDS, QUAI_MANY_FOLDER and
// QUAI_MANY_COUNTS are as in networks.ts, and QUAI_COUNTRY and QUAI_COUNTRY_SIZES as in country.ts. QUAI_MIXED_MINUTES
// sets the duration.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Timetable } from '../indexes/timetable/timetable.ts'
import type { Addresses } from '../loaders/ban/addresses.ts'
import { seededRandom } from '../src/demo/seeded-random.ts'
import { findSnapshot } from '../src/networks/snapshot-store.ts'
import { addressSnapshotPath, openAddresses } from '../src/places/address-store.ts'
import { makeCountry } from './country-stages.ts'
import { showFigure } from './figures.ts'
import { type MadeNetwork, makeNetworks, networkSettings } from './many-networks.ts'
import { processMemory, slopeOf, spreadOf } from './measure.ts'
import { boardPaths, otherPaths, type QueriedNetwork, queriedNetworks } from './mixed-calls.ts'
import { type PacedResult, readPaced } from './paced-sockets.ts'
import { PLAN, type RunningService, runCommand, startService } from './service.ts'

const PORT = 18_391
const FEEDS = process.env['QUAI_FEEDS']
const COUNT = Number(process.env['QUAI_MANY_COUNTS'] ?? (FEEDS === undefined ? 48 : 400))
const ADDRESSES = Number(process.env['QUAI_COUNTRY_SIZES'] ?? 26_000_000)
const MINUTES = Number(process.env['QUAI_MIXED_MINUTES'] ?? 20)
/**
 * Number of networks that change with each SIGHUP. Some of them are removed, and the same number of new networks is
 * added. The others get the feed of another network.
 */
const CHANGED = Math.max(3, COUNT >> 3)
const NEW = Math.ceil(CHANGED / 3)
const BOARDS_PER_SECOND = 30
const OTHERS_PER_SECOND = 20
const CONNECTIONS = 16
const ROUND_SECONDS = 20
const WARM_ROUNDS = 3
/** What happens during the rounds, in turn. */
const DURING = ['quiet', 'quiet', 'import', 'quiet', 'quiet', 'changes'] as const
const SLOPE_AFTER_MINUTES = 5
const POLL_MILLIS = 20
const DAY_MILLIS = 86_400_000
/** Matches paths whose responses depend on the time of the request. */
const NOW = /departures\/nearby|journeys|v1\/status|v1\/networks$/
const COMPARED = 2_000
const SEED = 11
const BARS = { boardsBesideOne: 2, reloadBesideQuiet: 1.5, slope: 1, readyMillis: 2_000 }

/** The results of one round of the load. */
interface Round {
  readonly boards: PacedResult
  readonly others: PacedResult
  readonly minute: number
  readonly megabytes: number
  readonly during: (typeof DURING)[number]
}

const roots = [process.env['QUAI_MANY_FOLDER'], process.env['QUAI_COUNTRY']]
const [manyRoot = '', countryRoot = ''] = roots.map((kept) => kept ?? mkdtempSync(join(tmpdir(), 'quai-mixed-')))
const random = seededRandom(SEED, 'mixed')
const began = performance.now()
try {
  await measure()
} finally {
  for (const [at, root] of [manyRoot, countryRoot].entries())
    if (roots[at] === undefined) rmSync(root, { recursive: true })
}

async function measure(): Promise<void> {
  const networks = await makeNetworks(manyRoot, COUNT + NEW, FEEDS)
  const country = await makeCountry(countryRoot, ADDRESSES, { postcodes: undefined, streets: undefined })
  const folder = join(manyRoot, 'mixed')
  mkdirSync(folder, { recursive: true })
  const head = `data_dir = ${JSON.stringify(country.dataDir)}
trusted_proxies = ["127.0.0.1"]
drain_seconds = 0
addresses = [{ source = ${JSON.stringify(join(country.folder, 'addresses.csv'))}, attribution = "made" }]

${PLAN}
`
  const files = { one: join(folder, 'one.toml'), all: join(folder, 'all.toml') }
  const configure = (file: string, list: readonly MadeNetwork[]) => writeFileSync(file, head + networkSettings(list))
  const served = networks.slice(0, COUNT)
  configure(files.one, served.slice(0, 1))
  configure(files.all, served)
  // After an earlier run in this folder, a changed network may still have the timetable of another network. The service
  // would then hold back the network's own timetable, so its snapshots are deleted first.
  for (const { id } of networks.slice(COUNT - CHANGED))
    rmSync(join(country.dataDir, 'snapshots', id), { recursive: true, force: true })
  await runCommand(['import', '--config', files.all])
  const addresses = openAddresses(addressSnapshotPath(country.dataDir))?.index.addresses
  if (addresses === undefined) throw new Error('the addresses were not imported')
  const queried = queriedNetworks(served.map(({ id }) => ({ id, timetable: timetableOf(country.dataDir, id) })))
  const alone = await measureOne(files.one, { networks: queried.slice(0, 1), addresses })
  const service = await startService(files.all, { clock: '', workers: 1, port: PORT })
  let [isRunning, fresh] = [true, service]
  try {
    const name = `${COUNT} networks, ${ADDRESSES} addresses`
    showFigure({
      name: `${name}: start to first answer`,
      value: service.startMillis,
      unit: 'ms',
      atMost: BARS.readyMillis,
    })
    const changed = new Set(served.slice(COUNT - CHANGED).map(({ id }) => id))
    const steady = queried.filter(({ id }) => !changed.has(id))
    const change = async (isChanged: boolean) => {
      configure(files.all, isChanged ? changedList(networks) : served)
      await recheck(service, join(folder, 'serve.log'))
    }
    const again = async (id: string) => void (await runCommand(['import', '--force', id, '--config', files.all]))
    report(name, await load(service, { networks: steady, addresses }, { change, again }), alone)
    await change(true)
    const paths = comparedPaths(queried, changedList(networks), addresses)
    const before = await readAll(service, paths)
    await service.stop()
    isRunning = false
    fresh = await startService(files.all, { clock: '', workers: 1, port: PORT })
    isRunning = true
    const after = await readAll(fresh, paths)
    const wrong = paths.filter((_, at) => before[at] !== after[at])
    for (const path of wrong.slice(0, 3)) console.log(`  a newly started service answers differently: ${path}`)
    showFigure({
      name: `${name}: answers unlike a new service's, of ${paths.length}`,
      value: wrong.length,
      unit: '',
      atMost: 0,
    })
  } finally {
    if (isRunning) await fresh.stop()
  }
}

/** The networks and addresses for which requests are made. */
interface Queried {
  readonly networks: readonly QueriedNetwork[]
  readonly addresses: Addresses
}

/** Actions that change the service's networks during the load. */
interface Changes {
  /** Writes the changed list of networks or the original one to the configuration, and sends SIGHUP. */
  readonly change: (isChanged: boolean) => Promise<void>
  /** Imports one network again, even if its feed has not changed. */
  readonly again: (id: string) => Promise<void>
}

/**
 * The changed list of networks: some of the last networks are removed, others get the feed of another network, and new
 * networks are added.
 */
function changedList(networks: readonly MadeNetwork[]): MadeNetwork[] {
  const from = COUNT - CHANGED
  const swapped = networks.slice(from + NEW, COUNT).map(({ id }, at) => ({ id, feed: networks[at]?.feed ?? raise() }))
  return [...networks.slice(0, from), ...swapped, ...networks.slice(COUNT)]
}

function raise(): never {
  throw new Error('a network or a round is missing')
}

function timetableOf(dataDir: string, network: string): Timetable {
  const { found } = findSnapshot(dataDir, network)
  if (found === undefined) throw new Error(`${network} has no snapshot`)
  return found.loaded.snapshot.timetable
}

/** Measures the same load on a service with one network. */
async function measureOne(file: string, queried: Queried): Promise<readonly Round[]> {
  const service = await startService(file, { clock: '', workers: 1, port: PORT })
  try {
    const rounds: Round[] = []
    for (let round = 0; round < WARM_ROUNDS * 2; round++) rounds.push(await readRound(service, queried, 'quiet'))
    return rounds.slice(WARM_ROUNDS)
  } finally {
    await service.stop()
  }
}

async function load(service: RunningService, queried: Queried, { change, again }: Changes): Promise<readonly Round[]> {
  const rounds: Round[] = []
  const until = performance.now() + MINUTES * 60_000
  for (let number = 0; performance.now() < until; number++) {
    const during = DURING[number % DURING.length] ?? 'quiet'
    const isChanged = Math.floor(number / DURING.length) % 2 === 0
    const beside = during === 'changes' ? change(isChanged) : during === 'import' ? again('n000') : undefined
    // The load leaves out the network that is imported again (`n000`), because only the effect on the other networks is
    // measured.
    const networks = queried.networks.filter(({ id }) => id !== 'n000')
    rounds.push(await readRound(service, { ...queried, networks }, during))
    await beside
    const { boards, others, minute, megabytes } = rounds.at(-1) ?? raise()
    const failed = boards.failures.length + others.failures.length
    const times = `boards p50 ${boards.millis.p50.toFixed(2)} p99 ${boards.millis.p99.toFixed(1)}, others p99 ${others.millis.p99.toFixed(0)} ms`
    console.log(`  minute ${minute.toFixed(1)}, ${during}: ${times}, ${megabytes.toFixed(0)} MB, ${failed} failed`)
  }
  return rounds
}

async function readRound(
  service: RunningService,
  { networks, addresses }: Queried,
  during: Round['during'],
): Promise<Round> {
  const order = { port: PORT, key: service.key, connections: CONNECTIONS, seconds: ROUND_SECONDS }
  const [boards, others] = await Promise.all([
    readPaced({
      ...order,
      paths: boardPaths(networks, BOARDS_PER_SECOND * ROUND_SECONDS, random),
      perSecond: BOARDS_PER_SECOND,
    }),
    readPaced({
      ...order,
      paths: otherPaths(networks, addresses, { count: OTHERS_PER_SECOND * ROUND_SECONDS, random }),
      perSecond: OTHERS_PER_SECOND,
    }),
  ])
  const megabytes = await processMemory(service.pid, 'Anonymous')
  return { boards, others, minute: (performance.now() - began) / 60_000, megabytes, during }
}

function report(name: string, rounds: readonly Round[], alone: readonly Round[]): void {
  const failures = rounds.flatMap(({ boards, others }) => [...boards.failures, ...others.failures])
  for (const failure of new Set(failures)) console.log(`  ${failure}`)
  const answers = rounds.reduce((sum, { boards, others }) => sum + boards.count + others.count, 0)
  showFigure({
    name: `${name}: ${MINUTES} minutes, failures of ${answers} answers`,
    value: failures.length,
    unit: '',
    atMost: 0,
  })
  const p99 = (of: readonly Round[]) => spreadOf(Float64Array.from(of, ({ boards }) => boards.millis.p99)).p50
  const settled = rounds.slice(WARM_ROUNDS)
  const quiet = settled.filter(({ during }) => during === 'quiet')
  showFigure({ name: `boards of one network, median p99 of ${ROUND_SECONDS} s rounds`, value: p99(alone), unit: 'ms' })
  showFigure({ name: `${name}: boards, p99`, value: p99(quiet), unit: 'ms' })
  const beside = { name: `${name}: boards, p99 compared with one network`, atMost: BARS.boardsBesideOne }
  showFigure({ ...beside, value: p99(quiet) / p99(alone), unit: '' })
  for (const during of ['import', 'changes'] as const) {
    const busy = settled.filter((round) => round.during === during)
    if (busy.length === 0) continue // a short run may have no busy rounds
    const figure = { name: `${name}: boards, p99 during ${during} compared with quiet`, unit: '' }
    const value = p99(busy) / p99(quiet)
    showFigure(during === 'import' ? { ...figure, value, atMost: BARS.reloadBesideQuiet } : { ...figure, value })
  }
  const settledIn = rounds.filter(({ minute }) => minute - (rounds[0]?.minute ?? 0) > SLOPE_AFTER_MINUTES)
  const later = settledIn.length > 1 ? settledIn : rounds
  showFigure({ name: `${name}: anonymous memory at the end`, value: later.at(-1)?.megabytes ?? Number.NaN, unit: 'MB' })
  showFigure({
    name: `${name}: memory growth after ${SLOPE_AFTER_MINUTES} minutes`,
    value: slopeOf(later),
    unit: 'MB/min',
    atMost: BARS.slope,
  })
}

/** Sends SIGHUP, and waits until all feeds are checked and imported. */
async function recheck({ pid }: RunningService, log: string): Promise<void> {
  const checks = async () => (await Bun.file(log).text()).split('feeds checked').length
  const before = await checks()
  process.kill(pid, 'SIGHUP')
  while ((await checks()) === before) await Bun.sleep(POLL_MILLIS)
}

/**
 * Paths for boards tomorrow, and for requests whose responses do not depend on the time. Half of the boards are in
 * networks that changed.
 */
function comparedPaths(
  queried: readonly QueriedNetwork[],
  list: readonly MadeNetwork[],
  addresses: Addresses,
): string[] {
  const when = `${new Date(Date.now() + DAY_MILLIS).toISOString().slice(0, 10)}T08:00:00Z`
  const kept = queried.filter(({ id }) => list.some((network) => network.id === id))
  const changed = kept.slice(COUNT - CHANGED)
  const others = otherPaths(kept, addresses, { count: COMPARED, random })
  return [
    ...boardPaths(kept, COMPARED / 2, random, when),
    ...boardPaths(changed.length > 0 ? changed : kept, COMPARED / 2, random, when),
    ...others.filter((path) => !NOW.test(path)),
  ]
}

/**
 * Returns the `data` member of each response, because other members depend on the time. For an error, returns the
 * status and the reason.
 */
async function readAll({ base, key }: RunningService, paths: readonly string[]): Promise<string[]> {
  const bodies: string[] = []
  for (const path of paths) {
    const answer = await fetch(base + path, { headers: { authorization: `Bearer ${key}` } })
    const body = JSON.parse(await answer.text())
    bodies.push(JSON.stringify(answer.status === 200 ? body.data : { status: answer.status, reason: body.reason }))
  }
  return bodies
}
