// `quai init [FEED]`: checks a feed and writes a configuration that serves the feed, with the settings that an operator
// needs first.
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { loadConfig } from '../config/config.ts'
import type { FeedCheck } from '../imports/check-feed.ts'
import { isWebAddress } from '../sources/source-stamp.ts'
import type { Clock } from '../system/clock.ts'
import { typedCommand } from '../system/own-command.ts'
import { checkAsCommand } from './check.ts'
import { describeContents } from './check-report.ts'
import type { CommandIo } from './command-io.ts'
import { toPrintable } from './printable.ts'

/** Arguments and options of `quai init`. */
export interface InitOptions {
  /** A zip file, a folder or a URL. If undefined, the command prompts for the feed on a terminal. */
  readonly feed: string | undefined
  /** Id of the network. If undefined, it is derived from the name. */
  readonly id: string | undefined
  /** Name of the network. If undefined, it is the name of the feed's first agency. */
  readonly name: string | undefined
  /** Path of the file to write. */
  readonly file: string
}

interface Written {
  readonly file: string
  readonly id: string
  readonly name: string
}

/** Prints a question on the terminal and returns the answer; undefined without a terminal or an answer. */
export type Ask = (question: string) => string | undefined

const REFUSED = 1
const USAGE = 2
const LONGEST_ID = 24
/** The id of a network if its name contains no letter or digit that is allowed in an id. */
const DEFAULT_ID = 'network'
/**
 * A configuration below `/etc/` belongs to an installed service. The systemd unit of an installed service sets the data
 * directory to `/var/lib/quai`.
 */
const SYSTEM_SETTINGS = '/etc/'
const SYSTEM_DATA = '/var/lib/quai'
const DEFAULT_FILE = 'quai.toml'
const QUESTION = 'Timetable, as a zip file, a folder or a URL:'

/** Runs the command and returns the exit status. */
export async function runInit(options: InitOptions, { clock, ask }: { clock: Clock; ask: Ask }, io: CommandIo) {
  const file = resolve(options.file)
  if (existsSync(file)) {
    io.stderr(`quai init: ${file} already exists. Choose another file with --file\n`)
    return REFUSED
  }
  let feed = options.feed ?? ask(QUESTION)
  let check = feed === undefined ? undefined : await checkServable(feed, clock, io)
  // On a terminal, prompt again after a mistyped path.
  while (options.feed === undefined && feed !== undefined && check === undefined) {
    feed = ask(QUESTION)
    check = feed === undefined ? undefined : await checkServable(feed, clock, io)
  }
  if (feed === undefined) {
    io.stderr('quai init: name a feed: quai init FEED, where FEED is a zip file, a folder or a URL\n')
    return USAGE
  }
  if (check === undefined) return REFUSED
  const name = options.name ?? check.agencies[0] ?? 'My network'
  const id = options.id ?? toId(name)
  writeFileSync(file, configurationText({ id, name, gtfs: toSource(feed, file) }, dataFolder(file)), { flag: 'wx' })
  try {
    loadConfig({ file, flags: {} })
  } catch (error) {
    rmSync(file)
    throw error
  }
  io.stdout(describeOutcome(check, { file, id, name }))
  return 0
}

/** Checks the feed; undefined, with a message on stderr, if it cannot be served. */
async function checkServable(feed: string, clock: Clock, io: CommandIo): Promise<FeedCheck | undefined> {
  if (!isWebAddress(feed) && !existsSync(feed)) {
    io.stderr(
      `quai init: there is no file or folder ${toPrintable(resolve(feed))}. A URL starts with http:// or https://\n`,
    )
    return undefined
  }
  const isQuiet = process.stderr.isTTY !== true
  const check = await checkAsCommand('init', { source: feed, timezone: undefined }, { clock, io, isQuiet })
  if (check === undefined || check.canBeServed) return check
  io.stderr(`quai init: ${toPrintable(check.feed)} ${toPrintable(check.verdict)}\n`)
  io.stderr(`Nothing was written. To list all problems of the feed, run: quai check ${toPrintable(check.feed)}\n`)
  return undefined
}

/** Converts a name to a network id, which consists of a to z, 0 to 9 and -. */
export function toId(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  const words = plain.split(/[^a-z0-9]+/).filter((word) => word !== '')
  let id = ''
  for (const word of words) {
    if (id !== '' && id.length + word.length >= LONGEST_ID) break
    id += id === '' ? word.slice(0, LONGEST_ID) : `-${word}`
  }
  return id === '' ? DEFAULT_ID : id
}

/**
 * The feed's source as written in the configuration. A path below the folder of the configuration file becomes
 * relative, and any other path absolute. A URL stays as it is.
 */
function toSource(feed: string, file: string): string {
  if (isWebAddress(feed)) return feed
  const path = relative(dirname(file), resolve(feed))
  return path.startsWith('..') ? resolve(feed) : path
}

function isOfSystem(file: string): boolean {
  return file.startsWith(SYSTEM_SETTINGS)
}

function dataFolder(file: string): string {
  return isOfSystem(file) ? SYSTEM_DATA : 'data'
}

interface WrittenNetwork {
  readonly id: string
  readonly name: string
  readonly gtfs: string
}

function configurationText({ id, name, gtfs }: WrittenNetwork, dataDir: string): string {
  // The values are written with JSON.stringify, because a JSON string is also a valid TOML string.
  return `# Settings for Quai. \`quai config check\` finds mistakes in this file; \`quai config schema\` lists all settings.
# Paths are relative to this file. \${NAME} in a value is replaced by the environment variable NAME, or by the line
# NAME=value of a file "environment" next to this one.

# The folder for timetable snapshots, accounts, keys and the unit ledger. To back up everything but the snapshots:
# \`quai backup FILE\`.
data_dir = ${JSON.stringify(dataDir)}

# The public address of the API. Keys work only for its host name: set it before you create keys for others.
# base_url = "https://api.example.org"
# The public address of the console, where developers get keys.
# account_url = "https://accounts.example.org"
# account_console_url = "https://accounts.example.org"
# Addresses of the proxies in front of the service, which send the client's address.
# trusted_proxies = ["127.0.0.1"]

# French addresses for search and journeys: Base Adresse Nationale files.
# addresses = ["adresses-67.csv.gz"]
# Streets for walks: OpenStreetMap extracts.
# streets = ["alsace-latest.osm.pbf"]

# Without a mail server, emails are written to the log.
# [mail]
# host = "smtp.example.org"
# user = "quai"
# password = "\${SMTP_PASSWORD}"
# from = "Quai <quai@example.org>"

[[networks]]
# The first part of every id in the API. Clients keep these ids, so don't change it later.
id = ${JSON.stringify(id)}
name = ${JSON.stringify(name)}
# city = "Ville"
gtfs = ${JSON.stringify(gtfs)}
# attribution = ["Timetable: Ville, open license"]

# Live data of this network: any number of GTFS-Realtime feeds.
# [[networks.feeds]]
# id = "trips"
# url = "https://operator.example/trip-updates.pb"
# headers = { "x-api-key" = "\${OPERATOR_KEY}" }
# interval_seconds = 20

# For another network, add another [[networks]].
`
}

function describeOutcome(check: FeedCheck, { file, id, name }: Written): string {
  const [contents, span] = describeContents(check)
  const lines = [
    `${check.feed} ${check.verdict}`,
    `  ${name}: ${contents}`,
    `  ${span}`,
    ...check.warnings.map((warning) => `  warning: ${warning}`),
    `wrote ${file}`,
    '',
    'Next:',
    ...nextCommands(file).map((command) => `  ${command}`),
    '',
    'When the service is running, in another terminal:',
    `  curl -H "Authorization: Bearer KEY" http://localhost:8080/v1/networks/${id}`,
    '',
    'The map is at http://localhost:8083: open it and paste the key.',
  ]
  return `${lines.map(toPrintable).join('\n')}\n`
}

/**
 * The commands that an operator runs next. The data of an installed service belongs to the user `quai`, so commands run as
 * `quai`.
 */
function nextCommands(file: string): string[] {
  const isDefault = file === resolve(DEFAULT_FILE)
  const quai = isOfSystem(file) ? 'runuser -u quai -- quai' : typedCommand()
  const config = isDefault && !isOfSystem(file) ? '' : ` --config ${file}`
  return [
    `${quai} doctor${config}`,
    `${quai} keys create --account you@example.org --plan max --name first${config}`,
    isOfSystem(file) ? 'systemctl enable --now quai' : `${quai} serve${config}`,
  ]
}
