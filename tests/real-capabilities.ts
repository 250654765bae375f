// Checks the capabilities of networks whose live feeds are all empty, late or failing from the start. One service has
// the timetable of every capture three times, once for each fault. Run it with `QUAI_FEEDS=folder bun
// tests/real-capabilities.ts [seconds]`.
import { existsSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { realtimeFeed } from './feeds/realtime-feed.ts'
import { CAPTURES, type Capture, capturePaths } from './real-realtime.ts'
import { listOf, objectOf } from './replayed-boards.ts'
import { commandOf, end, ServiceFolder, type Serving } from './service/running.ts'

const PORT = 19_180
const CLOCK = '2026-11-20T08:00:00Z'
const INTERVAL_SECONDS = 5
const BETWEEN_MILLIS = 10_000
/** How long a late feed waits before its first response. */
const LATE_MILLIS = 120_000
const FAULTS = ['empty', 'late', 'failing'] as const
type Fault = (typeof FAULTS)[number]

/** How much was checked, and the differences that were found. */
export interface CapabilityVerdict {
  readonly networks: number
  readonly rounds: number
  readonly answers: number
  /** Network → its health in `/v1/status` at the end. */
  readonly health: Readonly<Record<string, string>>
  readonly differences: readonly string[]
}

interface Faulty {
  readonly id: string
  readonly capture: Capture
  readonly gtfs: string
  readonly feeds: readonly string[]
}

/** Runs the service for a while and queries each network repeatedly. @param folder the folder of real feeds */
export async function checkCapabilities(folder: string, seconds: number): Promise<CapabilityVerdict> {
  const networks = FAULTS.flatMap((fault) =>
    CAPTURES.flatMap((capture): Faulty[] => {
      const { gtfs, captures } = capturePaths(folder, capture)
      if (!existsSync(gtfs) || !existsSync(captures)) return []
      return [{ id: `${capture.name}-${fault}`, capture, gtfs, feeds: Object.keys(capture.moments[0] ?? {}) }]
    }),
  )
  const upstream = serveFaults()
  const settings = networks.map(({ id, gtfs, feeds }) => {
    const live = feeds.map(
      (feed) =>
        `[[networks.feeds]]\nid = "${feed}"\ninterval_seconds = ${INTERVAL_SECONDS}\nurl = "http://127.0.0.1:${upstream.port}/${id}/${feed}"\n`,
    )
    return `[[networks]]\nid = "${id}"\ngtfs = ${JSON.stringify(resolve(gtfs))}\n${live.join('')}`
  })
  const service = new ServiceFolder(commandOf('source'), `data_dir = "data"\n${settings.join('')}`)
  let serving: Serving | undefined
  try {
    const key = await service.makeKey('capabilities')
    const imported = await service.run('import')
    if (imported.status !== 0) throw new Error(imported.stderr)
    serving = await service.serve({ workers: 1, port: PORT, clock: CLOCK })
    return await probeUntil(networks, { base: serving.base, key, untilMillis: Date.now() + seconds * 1000 })
  } finally {
    if (serving !== undefined) await end(serving)
    await upstream.stop(true)
    rmSync(service.folder, { recursive: true, force: true })
  }
}

/**
 * Serves live feeds that are empty, late or failing, depending on the end of the network's name in the path. Late feeds
 * are silent for two minutes.
 */
function serveFaults() {
  let startedMillis: number | undefined
  return Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    fetch: async (request) => {
      startedMillis ??= Date.now()
      const network = new URL(request.url).pathname.split('/')[1] ?? ''
      if (network.endsWith('-failing')) return new Response('no', { status: 500 })
      if (network.endsWith('-late')) await Bun.sleep(Math.max(0, startedMillis + LATE_MILLIS - Date.now()))
      const now = Math.floor((Date.parse(CLOCK) + Date.now() - startedMillis) / 1000)
      return new Response(realtimeFeed(now, []))
    },
  })
}

interface ProbeOptions {
  readonly base: string
  readonly key: string
  readonly untilMillis: number
}

async function probeUntil(networks: readonly Faulty[], options: ProbeOptions): Promise<CapabilityVerdict> {
  const lines = new Map<string, string>()
  const differences = new Set<string>()
  let rounds = 0
  let answers = 0
  const get = async (path: string) => {
    answers++
    const response = await fetch(options.base + path, { headers: { authorization: `Bearer ${options.key}` } })
    return { status: response.status, body: objectOf(JSON.parse(await response.text())) }
  }
  do {
    for (const { id } of networks) {
      const line = lines.get(id) ?? (await firstLine(get, id))
      lines.set(id, line)
      for (const difference of await differencesOf(get, id, line)) differences.add(difference)
    }
    rounds++
    await Bun.sleep(BETWEEN_MILLIS)
  } while (Date.now() < options.untilMillis)
  const status = listOf((await get('/v1/status')).body['data']).map(objectOf)
  const health = Object.fromEntries(status.map(({ network, realtime }) => [String(network), String(realtime)]))
  return { networks: networks.length, rounds, answers, health, differences: [...differences] }
}

type Get = (path: string) => Promise<{ readonly status: number; readonly body: Readonly<Record<string, unknown>> }>

async function firstLine(get: Get, network: string): Promise<string> {
  const { body } = await get(`/v1/networks/${network}/lines?limit=1`)
  return String(objectOf(listOf(body['data'])[0])['id'])
}

/**
 * The differences between a network's responses and the expected ones. Before the first message, trips and alerts are
 * assumed to be supported, and vehicles are estimated. This must stay so when messages are empty, late or missing.
 */
async function differencesOf(get: Get, network: string, line: string): Promise<string[]> {
  const found: string[] = []
  const expect = (what: string, is: unknown, should: unknown) => {
    if (JSON.stringify(is) !== JSON.stringify(should)) found.push(`${network}: ${what} is ${JSON.stringify(is)}`)
  }
  const own = await get(`/v1/networks/${network}`)
  const capabilities = objectOf(objectOf(own.body['data'])['capabilities'])
  const { realtime_departures, vehicles, alerts } = capabilities
  expect('capabilities', [realtime_departures, vehicles, alerts], [true, 'estimated', true])
  const local = encodeURIComponent(line)
  for (const [path, reason] of [
    [`/v1/lines/${local}/vehicles`, 'no_vehicles'],
    [`/v1/vehicles/nearby?near=40.7,-74&networks=${network}`, 'no_vehicles_in_range'],
    [`/v1/networks/${network}/alerts`, 'no_alerts'],
    [`/v1/lines/${local}/alerts`, 'no_alerts'],
  ] as const) {
    const { status, body } = await get(path)
    expect(path, [status, body['data'], objectOf(body['meta'])['reason']], [200, [], reason])
  }
  return found
}

/** The result as readable text. */
export function describeCapabilities({ networks, rounds, answers, health, differences }: CapabilityVerdict): string {
  const byFault = FAULTS.map((fault: Fault) => {
    const states = Object.entries(health).filter(([network]) => network.endsWith(`-${fault}`))
    return `${fault} ${[...new Set(states.map(([, state]) => state))].join(', ')}`
  })
  return [
    `${networks} networks, ${rounds} rounds, ${answers} answers: ${differences.length} differences; health: ${byFault.join('; ')}`,
    ...differences,
  ].join('\n')
}

if (import.meta.main) {
  const folder = process.env['QUAI_FEEDS']
  if (folder === undefined || !existsSync(folder)) {
    console.error('QUAI_FEEDS must name a folder of GTFS zips and captures')
    process.exit(2)
  }
  const verdict = await checkCapabilities(folder, Number(process.argv[2] ?? 300))
  console.log(describeCapabilities(verdict))
  process.exit(verdict.differences.length > 0 ? 1 : 0)
}
