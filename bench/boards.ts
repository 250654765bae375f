// `bun bench/boards.ts` compares Quai with node-gtfs (the npm package `gtfs`), which uses SQLite. The two take turns
// listing the next ten departures from the same 200 stops in one feed. node-gtfs is installed into a separate folder
// and runs under Node. If it cannot be installed, only Quai is measured.
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { listDepartures } from '../indexes/timetable/boards.ts'
import { serviceDate } from '../indexes/timetable/service-dates.ts'
import { findStop } from '../indexes/timetable/stops.ts'
import { type StopIndex, stopTimeAt, type Timetable } from '../indexes/timetable/timetable.ts'
import { stopHeadsign } from '../indexes/timetable/trips.ts'
import { textOf } from '../loaders/strings.ts'
import { pick, seededRandom } from '../src/demo/seeded-random.ts'
import { findSnapshot } from '../src/networks/snapshot-store.ts'
import type { BoardLine, BoardQuestions, CheckedLine, PeerAnswer, PeerOrder, PeerWay } from './board-peer.ts'
import { busiestDay } from './busiest.ts'
import { benchFeed } from './feeds.ts'
import { showFigure } from './figures.ts'
import { digits, type Spread, spreadOf } from './measure.ts'
import { makeConfig, runCommand } from './service.ts'

const PEER = { name: 'gtfs', version: '4.21.0' }
/**
 * `least` is the lowest major version of Node under which node-gtfs does not crash. If the machine has no version that
 * is new enough, `version` is downloaded.
 */
const NODE = { least: 22, version: '22.23.3' }
const STOPS = 200
const LIMIT = 10
/** Length of the time window, which is the service's default. */
const WINDOW_SECONDS = 3600
const FROM_SECONDS = 17 * 3600
const TURNS = 5
const WARM_MILLIS = 500
/** Minimum ratio of node-gtfs's time to Quai's time. */
const PEER_BAR = 10
const SHOWN_DIFFERENCES = 5

/** The queries for Quai and node-gtfs: the stops, the service day and the window, with Quai's timetable. */
interface Queried extends BoardQuestions {
  readonly timetable: Timetable
  readonly day: number
  readonly zeroSeconds: number
}

/** The paths needed to run node-gtfs: the Node executable, the program (board-peer.ts) and the SQLite database. */
interface Peer {
  readonly node: string
  readonly program: string
  readonly database: string
}

/** The shortest time of each query so far, in microseconds. */
type Quickest = Float64Array

const feed = await benchFeed()
const { folder, file } = makeConfig(feed.path)
try {
  const { seconds, peakMegabytes } = await runCommand(['import', '--force', '--config', file])
  const { timetable, bytes } = openSnapshot()
  const queried = drawQuestions(timetable)
  console.log(
    `${feed.name}: ${queried.stops.length} stops at 17:00 of ${queried.date}, ${timetable.stopTimes.departureSeconds.length} stop times`,
  )
  const peer = await fetchPeer(join(folder, 'peer'))
  showFigure({ name: `${feed.name}: import`, value: seconds, unit: 's' })
  showFigure({ name: `${feed.name}: snapshot`, value: bytes / 1e6, unit: 'MB' })
  console.log(`  peak memory of the import ${digits(peakMegabytes)} MB`)
  if (typeof peer === 'string') {
    console.log(`left out: node-gtfs, ${peer}`)
    const ours = newQuickest(queried)
    for (let turn = 0; turn < TURNS; turn++) measureOurs(queried, ours)
    showSpread('ours', spreadOf(ours))
  } else {
    await importByPeer(peer, seconds)
    await measureBeside(peer, queried)
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function openSnapshot(): { timetable: Timetable; bytes: number } {
  const { found } = findSnapshot(`${folder}/data`, 'net')
  if (found === undefined) throw new Error('the import left no snapshot')
  return { timetable: found.loaded.snapshot.timetable, bytes: found.bytes.byteLength }
}

/**
 * Randomly chooses stops with departures between 17:00 and 18:00. Stops with frequency trips are left out, because
 * node-gtfs keeps frequencies in a separate table that its stop times do not include.
 */
function drawQuestions(timetable: Timetable): Queried {
  const { day, zeroSeconds } = busiestDay(timetable)
  const { boards, stops, strings } = timetable
  const queried: Queried = {
    timetable,
    day,
    zeroSeconds,
    stops: [],
    date: Number(serviceDate(timetable, day)),
    fromSeconds: FROM_SECONDS,
    toSeconds: FROM_SECONDS + WINDOW_SECONDS,
    limit: LIMIT,
  }
  const used: string[] = []
  let byFrequency = 0
  for (let stop = 0 as StopIndex; stop < stops.id.length; stop++) {
    const id = textOf(strings, stops.id[stop])
    if (boards.frequencyOffset[stop] < boards.frequencyOffset[(stop + 1) as StopIndex]) byFrequency++
    else if (askOurs(queried, id).length > 0) used.push(id)
  }
  if (byFrequency > 0) console.log(`left out: ${byFrequency} stops with frequency-based trips`)
  if (used.length === 0) throw new Error('no stop has departures in the requested hour')
  const random = seededRandom(1, 'boards')
  return { ...queried, stops: Array.from({ length: STOPS }, () => pick(random, used)) }
}

/** Quai's board for a stop, in the form in which it is compared with the board from node-gtfs. */
function askOurs({ timetable, zeroSeconds, fromSeconds, toSeconds, limit }: Queried, id: string): BoardLine[] {
  const stop = findStop(timetable, id)
  if (stop === undefined) throw new Error(`there is no stop ${id}`)
  const { strings, trips, patterns, lines } = timetable
  const window = { fromSeconds: zeroSeconds + fromSeconds, toSeconds: zeroSeconds + toSeconds }
  return listDepartures(timetable, { stops: [stop], ...window, limit }).map(({ trip, position, departureSeconds }) => ({
    trip: textOf(strings, trips.id[trip]),
    seconds: departureSeconds - zeroSeconds,
    line: textOf(strings, lines.code[patterns.line[trips.pattern[trip]]]),
    headsign: stopHeadsign(timetable, trip, position),
  }))
}

function newQuickest({ stops }: Queried): Quickest {
  return new Float64Array(stops.length).fill(Number.POSITIVE_INFINITY)
}

function measureOurs(queried: Queried, quickest: Quickest): void {
  const started = performance.now()
  do for (const stop of queried.stops) askOurs(queried, stop)
  while (performance.now() - started < WARM_MILLIS)
  for (const [at, stop] of queried.stops.entries()) {
    const before = Bun.nanoseconds()
    askOurs(queried, stop)
    quickest[at] = Math.min(quickest[at] as number, (Bun.nanoseconds() - before) / 1000)
  }
}

/**
 * Installs node-gtfs into a folder, and writes the compiled `board-peer.ts` next to it. If the installation fails,
 * returns the reason. The packages' install scripts do not run.
 */
async function fetchPeer(home: string): Promise<Peer | string> {
  const ownNode = await findNode()
  const nodePackage = `node-${process.platform}-${process.arch}`
  const dependencies = {
    [PEER.name]: PEER.version,
    ...(ownNode === undefined ? { [nodePackage]: NODE.version } : {}),
  }
  mkdirSync(home)
  writeFileSync(join(home, 'package.json'), JSON.stringify({ private: true, dependencies }))
  const install = Bun.spawn([process.execPath, 'install', '--ignore-scripts'], {
    cwd: home,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [talk] = await Promise.all([new Response(install.stderr).text(), install.exited])
  if (install.exitCode !== 0) return `which the npm registry does not provide: ${talk.trim()}`
  const source = await Bun.file(join(import.meta.dir, 'board-peer.ts')).text()
  const program = join(home, 'board-peer.mjs')
  writeFileSync(program, new Bun.Transpiler({ loader: 'ts', target: 'node' }).transformSync(source))
  const node = ownNode ?? join(home, 'node_modules', nodePackage, 'bin', 'node')
  return { node, program, database: join(home, 'gtfs.db') }
}

/** Path of the Node executable on this machine, if its version is new enough. */
async function findNode(): Promise<string | undefined> {
  const path = Bun.which('node')
  if (path === null) return undefined
  const version = await new Response(Bun.spawn([path, '--version']).stdout).text()
  return Number(/^v(\d+)\./.exec(version)?.[1] ?? 0) >= NODE.least ? path : undefined
}

async function importByPeer({ node, program, database }: Peer, ourSeconds: number): Promise<void> {
  const started = performance.now()
  const child = Bun.spawn([node, program, 'import', feed.path, database], { stdio: ['ignore', 'pipe', 'pipe'] })
  const talks = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  await child.exited
  const talk = Bun.stripANSI(talks.join('')).trim()
  if (child.exitCode !== 0) throw new Error(`node-gtfs could not import the feed: ${talk}`)
  const seconds = (performance.now() - started) / 1000
  showFigure({ name: `${feed.name}: import by node-gtfs`, value: seconds, unit: 's' })
  showFigure({ name: `${feed.name}: import, node-gtfs compared to Quai`, value: seconds / ourSeconds, unit: '×' })
  showFigure({ name: `${feed.name}: node-gtfs database`, value: statSync(database).size / 1e6, unit: 'MB' })
  console.log(`  peak memory of its import ${digits((child.resourceUsage()?.maxRSS ?? 0) / 1e6)} MB`)
  if (talk !== '') console.log(`  node-gtfs output: ${talk}`)
}

async function measureBeside(peer: Peer, queried: Queried): Promise<void> {
  const running = startPeer(peer)
  try {
    const { stops, date, fromSeconds, toSeconds, limit } = queried
    const questions = { stops, date, fromSeconds, toSeconds, limit }
    const ready = await running.order({ kind: 'questions', questions })
    if (ready.kind === 'ready' && ready.untimed > 0) {
      console.log(`  ${ready.untimed} stop times without a time, which Quai interpolates and node-gtfs does not`)
    }
    await measureWays(running, queried, {
      'as in its guide': 'guide',
      'with its functions, services first': 'services',
      'handwritten SQL': 'sql',
    })
    const made = await running.order({ kind: 'index' })
    if (made.kind === 'index') console.log(`  added an index of stops by departure in ${digits(made.millis)} ms`)
    await measureWays(running, queried, { 'handwritten SQL, with an added index': 'sql' })
  } finally {
    await running.stop()
  }
}

/** Times Quai's boards and the given ways of using node-gtfs, in alternation. */
async function measureWays(
  running: RunningPeer,
  queried: Queried,
  ways: Readonly<Record<string, PeerWay>>,
): Promise<void> {
  const ours = newQuickest(queried)
  const theirs = new Map<string, Quickest>()
  for (const [name, way] of Object.entries(ways)) {
    const answer = await running.order({ kind: 'boards', way })
    if (answer.kind !== 'boards') throw new Error(`node-gtfs answered a request for boards with ${answer.kind}`)
    compareBoards(queried, `node-gtfs, ${name}`, answer.boards)
    theirs.set(name, newQuickest(queried))
  }
  for (let turn = 0; turn < TURNS; turn++) {
    measureOurs(queried, ours)
    for (const [name, quickest] of theirs) {
      const answer = await running.order({ kind: 'pass', way: ways[name] as PeerWay, warmMillis: WARM_MILLIS })
      if (answer.kind !== 'pass') throw new Error(`node-gtfs answered a request for a pass with ${answer.kind}`)
      for (const [at, micros] of answer.micros.entries()) quickest[at] = Math.min(quickest[at], micros)
    }
  }
  const own = spreadOf(ours)
  showSpread(`Quai, alternating with ${Object.keys(ways).at(-1)}`, own)
  for (const [name, quickest] of theirs) {
    const spread = spreadOf(quickest)
    showSpread(`node-gtfs, ${name}`, spread)
    for (const share of ['p50', 'p99'] as const) {
      showFigure({
        name: `${feed.name}: node-gtfs, ${name}, compared to Quai, ${share}`,
        value: spread[share] / own[share],
        unit: '×',
        atLeast: PEER_BAR,
      })
    }
  }
}

function showSpread(name: string, { p50, p99 }: Spread): void {
  showFigure({ name: `${feed.name}: board of ${LIMIT}, ${name}, p50`, value: p50, unit: 'µs' })
  showFigure({ name: `${feed.name}: board of ${LIMIT}, ${name}, p99`, value: p99, unit: 'µs' })
}

/**
 * Compares the trips and times of the first ten departures. If several trips depart at the time of the last row on a
 * board, the board may show any of them. Two kinds of differences are expected and counted. First, node-gtfs lists all
 * stop times, including the last call of a trip and calls at which riders cannot board. Second, node-gtfs compares
 * arrivals with the window, so it leaves out a vehicle that arrives before the window and departs within it.
 */
function compareBoards(queried: Queried, name: string, boards: readonly (readonly CheckedLine[])[]): void {
  const counts = { same: 0, unboardable: 0, standing: 0, lines: 0 }
  const differences: string[] = []
  for (const [at, id] of queried.stops.entries()) {
    const all = boards[at] ?? []
    const theirs = all.filter(({ isBoardable }) => isBoardable)
    if (theirs.length < all.length) counts.unboardable++
    counts.lines += all.length
    const end = all.length < LIMIT ? Number.POSITIVE_INFINITY : (all.at(-1)?.seconds ?? 0)
    const listed = new Set(theirs.map(keyOf))
    const ours = askWhole(queried, id)
    const known = new Set(ours.map(keyOf))
    const missing = ours.filter((line) => line.seconds < end && !listed.has(keyOf(line)))
    const strange = theirs.filter((line) => !known.has(keyOf(line)))
    const standing = missing.filter(({ arrives }) => arrives < queried.fromSeconds)
    if (standing.length > 0) counts.standing++
    if (missing.length === standing.length && strange.length === 0) counts.same++
    else
      differences.push(
        `${id}: only ours ${missing.map(keyOf).join(', ')}; only theirs ${strange.map(keyOf).join(', ')}`,
      )
  }
  if (counts.lines === 0) throw new Error('no board had a line')
  showFigure({
    name: `${feed.name}: boards that match ours, ${name}`,
    value: (100 * counts.same) / queried.stops.length,
    unit: '%',
    atLeast: 100,
  })
  console.log(
    `  ${counts.lines} lines; ${counts.unboardable} boards list calls that nobody can board, ${counts.standing} lack a vehicle that waits at the stop`,
  )
  for (const difference of differences.slice(0, SHOWN_DIFFERENCES)) console.log(`  ${difference}`)
}

function keyOf({ trip, seconds }: { readonly trip: string; readonly seconds: number }): string {
  return `${trip} at ${seconds}`
}

/** All of Quai's departures from a stop in the window, without the limit, and the arrival of each. */
function askWhole(
  { timetable, day, zeroSeconds, fromSeconds, toSeconds }: Queried,
  id: string,
): { trip: string; seconds: number; arrives: number }[] {
  const stop = findStop(timetable, id)
  if (stop === undefined) throw new Error(`there is no stop ${id}`)
  const window = { fromSeconds: zeroSeconds + fromSeconds, toSeconds: zeroSeconds + toSeconds }
  return listDepartures(timetable, { stops: [stop], ...window, limit: Number.MAX_SAFE_INTEGER })
    .filter((departure) => departure.day === day)
    .map(({ trip, position, departureSeconds }) => ({
      trip: textOf(timetable.strings, timetable.trips.id[trip]),
      seconds: departureSeconds - zeroSeconds,
      arrives: timetable.stopTimes.arrivalSeconds[stopTimeAt(timetable, trip, position)],
    }))
}

/** The process that runs node-gtfs. It takes one command at a time. */
interface RunningPeer {
  order(order: PeerOrder): Promise<PeerAnswer>
  stop(): Promise<void>
}

function startPeer({ node, program, database }: Peer): RunningPeer {
  let waiting: PromiseWithResolvers<PeerAnswer> | undefined
  const child = Bun.spawn([node, program, 'answer', database], {
    stdio: ['ignore', 'inherit', 'inherit'],
    serialization: 'json',
    ipc: (answer: PeerAnswer) => waiting?.resolve(answer),
    onExit: (_, code) => waiting?.reject(new Error(`node-gtfs ended with ${code}`)),
  })
  return {
    order(order) {
      waiting = Promise.withResolvers<PeerAnswer>()
      child.send(order)
      return waiting.promise
    },
    async stop() {
      waiting = undefined
      child.kill()
      await child.exited
    },
  }
}
