// `quai demo`: generates a city, imports it like any feed, serves it, and prints a key and example calls.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { writePbf } from '../../loaders/osm/pbf-writer.ts'
import { type Config, loadConfig } from '../config/config.ts'
import { writeAddresses } from '../demo/addresses.ts'
import { CITY_NAME, type CityFeed, makeCity, writeCity } from '../demo/city.ts'
import { FEEDS, type FeedName, PUBLISH_SECONDS, type Simulator, startSimulator } from '../demo/simulator.ts'
import { importInChild } from '../imports/import-runner.ts'
import { prepareAddresses } from '../places/prepared-addresses.ts'
import { groundOrder, streetOrder } from '../streets/streets-order.ts'
import { runChildJob } from '../system/child-job.ts'
import { type ClockStart, startClock } from '../system/clock.ts'
import { VERSION } from '../system/version.ts'
import type { CommandIo } from './command-io.ts'
import { parseReplicas, runDemoReplicas } from './demo-replicas.ts'
import { type OpenService, runServe } from './serve.ts'

/** Options of `quai demo`. */
export interface DemoOptions {
  readonly seed: string | undefined
  readonly folder: string | undefined
  readonly port: string | undefined
  /** Number of replicas; undefined for a single service. */
  readonly replicas: string | undefined
}

const NETWORK = 'valmont'
const AREA = `${NETWORK}:area:gare-centrale`
const ACCOUNT = 'demo@localhost.example'
const ADDRESS_FILE = 'addresses.csv.gz'
const STREET_FILE = 'streets.osm.pbf'
const CREDIT = 'A made-up city: use it as you like'
const MILLIS_PER_DAY = 86_400_000
/** The city's calendar covers two months. It starts yesterday, because some of yesterday's trips run past midnight. */
const CITY_DAYS = 62
const USAGE = 2

/** Runs the demo until it is stopped; returns the exit status. */
export async function runDemo(options: DemoOptions, clock: ClockStart, io: CommandIo): Promise<number> {
  const seed = Number(options.seed ?? 1)
  if (!Number.isInteger(seed) || seed < 0) {
    io.stderr(`quai demo: --seed is "${options.seed}"; expected a whole number, 0 or more\n`)
    return USAGE
  }
  const replicaCount = options.replicas === undefined ? 1 : parseReplicas(options.replicas)
  if (replicaCount === undefined) {
    io.stderr(`quai demo: --replicas is "${options.replicas}"; expected a whole number from 2 to 20\n`)
    return USAGE
  }
  const folder = resolve(options.folder ?? join('data', 'demo'))
  const serviceClock = startClock(clock)
  const city = await makeFeed(folder, { seed, nowMillis: serviceClock.nowMillis() }, io)
  const simulator = startSimulator({ city, seed, clock: serviceClock })
  if (replicaCount > 1) return await runReplicas(replicaCount, { options, folder, simulator }, io)
  const file = writeConfig(folder, simulator)
  const config = loadConfig({ file, flags: options.port === undefined ? {} : { port: options.port } })
  const imported = await importInChild({
    network: NETWORK,
    feeds: config.networks.flatMap(({ gtfs }) => gtfs),
    timezone: undefined,
    dataDir: config.dataDir,
    force: false,
  })
  if (imported.kind === 'failed') {
    io.stderr(`quai demo: importing the city failed: ${imported.message}\n`)
    return 1
  }
  await Promise.all([prepareAddresses(config), prepareStreets(config)])
  try {
    return await runServe(config, { clock, isQuiet: true, onReady: (opened) => greet(opened, { file, io }) }, io)
  } finally {
    simulator.stop()
  }
}

/**
 * Prepares the streets and the base map before the explorer's address is printed. A failure is reported later, when the
 * service runs.
 */
async function prepareStreets(config: Config): Promise<void> {
  await runChildJob('streets-child', streetOrder(config))
  const ground = groundOrder(config)
  if (ground !== undefined) await runChildJob('ground-child', ground)
}

async function runReplicas(
  count: number,
  of: { readonly options: DemoOptions; readonly folder: string; readonly simulator: Simulator },
  io: CommandIo,
): Promise<number> {
  const { port } = loadConfig({ flags: of.options.port === undefined ? {} : { port: of.options.port } })
  const networks = networkText(join(of.folder, 'city'), of.simulator)
  try {
    const streets = `[{ source = "${join(of.folder, STREET_FILE)}", attribution = "${CREDIT}" }]`
    return await runDemoReplicas({ count, port }, { networks, streets, area: AREA, account: ACCOUNT }, io)
  } finally {
    of.simulator.stop()
  }
}

/** Writes the configuration at each start, because the ports of the simulator's feeds change. */
function writeConfig(folder: string, simulator: Simulator): string {
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'quai.toml')
  const text = `# Written by "quai demo". Serve it again with: quai serve --config ${file}
data_dir = "."
addresses = [{ source = "${ADDRESS_FILE}", attribution = "${CREDIT}" }]
streets = [{ source = "${STREET_FILE}", attribution = "${CREDIT}" }]

[log]
level = "error"

# Prices for the console. The account can choose plans that have self_service, so that you can try them.
[plans.free]
price_text = "€0"

[plans.pay_as_you_go]
price_text = "€0"
self_service = true

[plans.starter]
price_text = "€29"

[plans.pro]
price_text = "€199"

[plans.max]
price_text = "€990"
self_service = true
${networkText('city', simulator)}`
  if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text)
  return file
}

function networkText(gtfs: string, simulator: Simulator): string {
  return `
[[networks]]
id = "${NETWORK}"
name = "Valmont Mobilités"
city = "${CITY_NAME}"
gtfs = "${gtfs}"
attribution = ["${CREDIT}"]
${FEEDS.map((feed) => feedText(feed, simulator.url(feed))).join('')}`
}

function feedText(feed: FeedName, url: string): string {
  return `
[[networks.feeds]]
id = "${feed}"
url = "${url}"
interval_seconds = ${PUBLISH_SECONDS}
`
}

async function makeFeed(folder: string, of: { seed: number; nowMillis: number }, io: CommandIo): Promise<CityFeed> {
  const day = new Date(of.nowMillis - MILLIS_PER_DAY).toISOString().slice(0, 10)
  const stamp = `seed ${of.seed}, from ${day}, quai ${VERSION}`
  const stampFile = join(folder, 'city.stamp')
  const city = makeCity({ seed: of.seed, scale: 1, firstDate: Number(day.replaceAll('-', '')), days: CITY_DAYS })
  const addressFile = join(folder, ADDRESS_FILE)
  if (
    existsSync(stampFile) &&
    readFileSync(stampFile, 'utf8') === stamp &&
    existsSync(addressFile) &&
    existsSync(join(folder, STREET_FILE))
  )
    return city
  io.stderr(`quai: generating the city of ${CITY_NAME} (${stamp})\n`)
  await writeCity(city, join(folder, 'city'))
  writeFileSync(addressFile, Bun.gzipSync(writeAddresses(of.seed, city.streets)))
  const pieces = writePbf(city.ground(), { isSorted: true, timestampSeconds: Math.floor(of.nowMillis / 1000) })
  writeFileSync(join(folder, STREET_FILE), Buffer.concat([...pieces]))
  writeFileSync(stampFile, stamp)
  return city
}

/** Creates a key and a password for this run, prints how to use both, and revokes the keys of earlier runs. */
async function greet(
  { port, adminPort, account, explorer }: OpenService,
  parts: { readonly file: string; readonly io: CommandIo },
) {
  const { file, io } = parts
  const { accounts, addresses, identity } = account.api
  const { operations } = accounts
  const old = (await operations.listKeys({})).filter((key) => key.account === ACCOUNT && key.state === 'active')
  const made = await operations.createKey({
    email: ACCOUNT,
    plan: 'max',
    name: 'demo',
    scopes: ['transit:read'],
    expiresAtMillis: null,
  })
  for (const key of old) await operations.revokeKey({ id: key.id })
  const holder = await accounts.store.findAccount(ACCOUNT)
  if (holder === undefined) throw new Error(`a key was created for ${ACCOUNT}, but this account does not exist`)
  const password = makePassword()
  await identity.setPassword(holder, password)
  const base = `http://localhost:${port}`
  const call = (path: string) => `  curl -s -H "Authorization: Bearer $KEY" "${base}/v1${path}"`
  const [bold, plain] = process.stdout.isTTY ? ['\u001b[1m', '\u001b[0m'] : ['', '']
  io.stdout(`
${bold}  ${CITY_NAME} is running. See it move:

    ${explorer.url}/#key=${made.key}${plain}


  Console    ${addresses.consoleUrl}/console
             email ${ACCOUNT}, password ${password}; emails are printed here
  API        ${base}/v1, described at ${base}/docs
  Status     ${base}/status; for operators, with all feeds and the traffic: http://localhost:${adminPort}
  Settings   ${file}

A key on the max plan, valid until the next demo run:

  KEY=${made.key}

Calls to paste:

${call('/networks')}
${call(`/networks/${NETWORK}/lines?modes=tram`)}
${call(`/networks/${NETWORK}/stops?q=gare&kind=area`)}
${call(`/stops/${AREA}/departures?limit=5`)}
${call('/departures/nearby?near=47.2075,0.6088&radius=800&limit=2')}
${call(`/lines/${NETWORK}:line:A?include=geometry`)}
${call(`/lines/${NETWORK}:line:A/vehicles`)}
${call('/journeys?from=gare+centrale&to=hopital')}
${call('/places?q=12+rue')}
${call('/places/reverse?near=47.2075,0.6088')}
${call('/usage')}

Press Ctrl-C to stop.
`)
}

/** A password of 60 random bits: three groups of letters and digits, short enough to type. */
function makePassword(): string {
  const letters = 'abcdefghijkmnpqrstuvwxyz23456789'
  const bytes = crypto.getRandomValues(new Uint8Array(12))
  const text = Array.from(bytes, (byte) => letters[byte % letters.length]).join('')
  return `${text.slice(0, 4)}-${text.slice(4, 8)}-${text.slice(8)}`
}
