// The one table of commands: words, arguments, options and the work behind each. A command's code is loaded when it
// is called, so that none pays for another.

import type { Config, ConfigSources } from '../config/config.ts'
import { PLANS } from '../plans/plans.ts'
import { type ClockStart, readClockStart, startClock } from '../system/clock.ts'
import { type CommandIo, PROCESS_IO } from './command-io.ts'

/** What was typed behind a command's words. */
export class Typed {
  readonly io: CommandIo = PROCESS_IO
  /** Arguments in order, absent ones left out. */
  readonly words: readonly string[]
  private readonly options: Readonly<Record<string, unknown>>

  constructor(words: readonly string[], options: Readonly<Record<string, unknown>>) {
    this.words = words
    this.options = options
  }

  word(index: number): string {
    return this.words[index] ?? ''
  }

  text(option: string): string | undefined {
    const value = this.options[option]
    return typeof value === 'string' ? value : undefined
  }

  has(option: string): boolean {
    return this.options[option] === true
  }

  get sources(): ConfigSources {
    const flags: Record<string, unknown> = {}
    for (const [option, setting] of SETTING_OPTIONS) {
      if (this.options[option] !== undefined) flags[setting] = this.options[option]
    }
    return { file: this.text('config'), flags }
  }

  async config(): Promise<Config> {
    const { loadConfig } = await import('../config/config.ts')
    return loadConfig(this.sources)
  }

  get clock(): ClockStart {
    return readClockStart(process.env)
  }
}

/** Options that are settings of the configuration too. */
const SETTING_OPTIONS = [
  ['port', 'port'],
  ['accountPort', 'account_port'],
  ['adminPort', 'admin_port'],
  ['explorerPort', 'explorer_port'],
  ['workers', 'workers'],
] as const

/** One command. */
export interface CommandRow {
  /** `keys create` is `create` under `keys`. */
  readonly words: string
  readonly description: string
  /** As commander writes them: `<needed>`, `[optional]`, `[many...]`. */
  readonly arguments?: readonly string[]
  /** Flags and what they mean; needed ones start with `!`. */
  readonly options?: readonly (readonly [flags: string, description: string])[]
  /** Command lines that work, most usual first: help begins with them. */
  readonly examples: readonly string[]
  /** Said below the options: what else one should know, and what the exit status means where it is special. */
  readonly notes?: string
  readonly exitStatus?: string
  /** The exit status. */
  readonly work: (typed: Typed) => Promise<number>
}

/** What the words that only group commands say of themselves. */
export const GROUPS: Readonly<Record<string, string>> = {
  keys: 'make, list and revoke API keys',
  accounts: 'list and change accounts',
  ledger: 'the ledger of units',
  config: 'the configuration',
}

const CONFIG = ['--config <file>', 'configuration file (default: quai.toml of this folder, where it is there)'] as const
const JSON_OUTPUT = ['--json', 'as JSON'] as const
const EMAIL = ['<email>']

/** Every command. */
export const COMMANDS: readonly CommandRow[] = [
  {
    words: 'serve',
    description: 'serve the configured networks',
    notes:
      'SIGHUP: settings that can change while it serves are read anew, others named; feeds are looked at. SIGTERM: ends.',
    options: [
      CONFIG,
      ['--port <port>', 'port of the API'],
      ['--account-port <port>', 'port of the account API and the console'],
      ['--admin-port <port>', 'port of /metrics, /livez, /startupz and /readyz'],
      ['--explorer-port <port>', 'port of the explorer map'],
      ['--workers <count>', 'data threads (default: the cores)'],
      ['--new-store', 'start over without accounts and keys if their database is missing, empty or damaged'],
    ],
    examples: ['quai serve', 'quai serve --config /etc/quai/quai.toml --port 8080 --workers 4'],
    work: async (typed) => {
      const [{ runServe }, { loadComparable }] = await Promise.all([
        import('./serve.ts'),
        import('../config/config.ts'),
      ])
      const read = () => loadComparable(typed.sources)
      const loaded = read()
      return await runServe(
        loaded.config,
        { clock: typed.clock, reload: { loaded, read }, isNewStore: typed.has('newStore') },
        typed.io,
      )
    },
  },
  {
    words: 'import',
    description: 'build the snapshots that are missing or out of date',
    arguments: ['[networks...]'],
    options: [
      CONFIG,
      ['--force', 'build even what is up to date'],
      ['--report <file>', 'write the reports as JSON'],
      ['--json', 'a line of JSON for each network on stdout, instead of the summary'],
    ],
    examples: [
      'quai import',
      'quai import ville --report ville.json',
      "quai import --json | jq '{network, outcome, seconds}'",
    ],
    work: async (typed) => {
      const { runImport } = await import('./import.ts')
      const options = {
        networks: typed.words,
        force: typed.has('force'),
        report: typed.text('report'),
        json: typed.has('json'),
      }
      return await runImport(await typed.config(), options, startClock(typed.clock))
    },
  },
  {
    words: 'check',
    description: 'what an import would make of a feed, and what is wrong with it',
    arguments: ['<feed>'],
    options: [
      ['--json', 'one JSON document on stdout instead of the report'],
      ['--timezone <zone>', 'take this IANA zone instead of the feed’s own'],
    ],
    notes: 'FEED is a zip, a folder, or an address on the web.',
    exitStatus: "0 it can be served, 1 it cannot, 2 the command line can't be understood",
    examples: [
      'quai check city.zip',
      "quai check --json city.zip | jq '.problems[] | [.rule, .file, .line, .count, .effect]'",
      'quai check --timezone Europe/Paris feeds/city',
    ],
    work: async (typed) => {
      const { runCheck } = await import('./check.ts')
      const options = { feed: typed.word(0), json: typed.has('json'), timezone: typed.text('timezone') }
      return await runCheck(options, startClock(typed.clock), typed.io)
    },
  },
  {
    words: 'demo',
    description: 'a made-up city, served: a key and calls to paste',
    options: [
      ['--port <port>', 'port of the API (default: 8080)'],
      ['--seed <number>', 'which city (default: 1)'],
      ['--data <folder>', 'where it keeps its files (default: data/demo)'],
    ],
    examples: ['quai demo', 'quai demo --port 9000 --seed 7'],
    work: async (typed) => {
      const { runDemo } = await import('./demo.ts')
      const options = { seed: typed.text('seed'), folder: typed.text('data'), port: typed.text('port') }
      return await runDemo(options, typed.clock, typed.io)
    },
  },
  {
    words: 'keys create',
    description: 'make a key; it alone is printed on stdout, once',
    options: [
      ['!--account <email>', 'address of the account; it is made, verified, if it is new'],
      ['--plan <plan>', `${PLANS.slice(0, -1).join(', ')} or ${PLANS.at(-1)}; needed for a new account`],
      ['!--name <name>', 'what the key is for'],
      ['--scope <scopes>', 'comma list of transit:read and account:read (default: transit:read)'],
      ['--expires <date>', 'a day (2027-01-31), through its end in UTC, or an instant'],
      CONFIG,
    ],
    examples: [
      'quai keys create --account me@example.org --plan max --name laptop',
      'quai keys create --account me@example.org --name ci --scope transit:read,account:read --expires 2027-01-31',
    ],
    work: async (typed) => {
      const { runKeysCreate } = await import('./keys.ts')
      const options = {
        account: typed.text('account') ?? '',
        plan: typed.text('plan'),
        name: typed.text('name') ?? '',
        scope: typed.text('scope'),
        expires: typed.text('expires'),
      }
      return await runKeysCreate(await typed.config(), options, typed.io)
    },
  },
  {
    words: 'keys list',
    description: 'all keys; none can be read back',
    options: [JSON_OUTPUT, CONFIG],
    examples: ['quai keys list', "quai keys list --json | jq '.[] | [.id, .name, .last_four]'"],
    work: async (typed) =>
      (await import('./keys.ts')).runKeysList(await typed.config(), { json: typed.has('json') }, typed.io),
  },
  {
    words: 'keys revoke',
    description: 'make a key useless from the next request on',
    arguments: ['<id>'],
    options: [CONFIG],
    examples: ['quai keys revoke key_…'],
    work: async (typed) =>
      (await import('./keys.ts')).runKeysRevoke(await typed.config(), { id: typed.word(0) }, typed.io),
  },
  {
    words: 'accounts list',
    description: 'all accounts',
    options: [JSON_OUTPUT, CONFIG],
    examples: ['quai accounts list', 'quai accounts list --json'],
    work: async (typed) =>
      (await import('./accounts.ts')).runAccountsList(await typed.config(), { json: typed.has('json') }, typed.io),
  },
  {
    words: 'accounts show',
    description: 'one account: its keys, its use of the month, closed months, what happened last',
    arguments: EMAIL,
    options: [JSON_OUTPUT, CONFIG],
    examples: ['quai accounts show me@example.org'],
    work: async (typed) => {
      const { runAccountsShow } = await import('./accounts.ts')
      return await runAccountsShow(await typed.config(), { email: typed.word(0), json: typed.has('json') }, typed.io)
    },
  },
  {
    words: 'accounts statements',
    description: 'closed months of all accounts, to bill from',
    options: [['--month <month>', 'one month (2026-10); all where absent'], JSON_OUTPUT, CONFIG],
    examples: ['quai accounts statements --month 2026-10', 'quai accounts statements --json'],
    work: async (typed) => {
      const { runAccountsStatements } = await import('./accounts.ts')
      const options = { month: typed.text('month'), json: typed.has('json') }
      return await runAccountsStatements(await typed.config(), options, typed.io)
    },
  },
  {
    words: 'accounts set-plan',
    description: 'put an account on a plan; the larger included units of the month count',
    arguments: ['<email>', '<plan>'],
    options: [CONFIG],
    examples: ['quai accounts set-plan me@example.org pro'],
    work: async (typed) => {
      const { runAccountsSetPlan } = await import('./accounts.ts')
      return await runAccountsSetPlan(await typed.config(), { email: typed.word(0), plan: typed.word(1) }, typed.io)
    },
  },
  {
    words: 'accounts suspend',
    description: 'make an account’s keys answer 401',
    arguments: EMAIL,
    options: [CONFIG],
    examples: ['quai accounts suspend me@example.org'],
    work: async (typed) =>
      (await import('./accounts.ts')).runAccountsSuspend(await typed.config(), { email: typed.word(0) }, typed.io),
  },
  {
    words: 'accounts resume',
    description: 'let a suspended account’s keys work again',
    arguments: EMAIL,
    options: [CONFIG],
    examples: ['quai accounts resume me@example.org'],
    work: async (typed) =>
      (await import('./accounts.ts')).runAccountsResume(await typed.config(), { email: typed.word(0) }, typed.io),
  },
  {
    words: 'accounts delete',
    description: 'delete an account; its use stays in the ledger',
    arguments: EMAIL,
    options: [CONFIG],
    examples: ['quai accounts delete me@example.org'],
    work: async (typed) =>
      (await import('./accounts.ts')).runAccountsDelete(await typed.config(), { email: typed.word(0) }, typed.io),
  },
  {
    words: 'ledger verify',
    description: 'compare the slots with the rows',
    options: [JSON_OUTPUT, CONFIG],
    examples: ['quai ledger verify', 'quai ledger verify --json | jq .faults'],
    work: async (typed) =>
      (await import('./ledger.ts')).runLedgerVerify(await typed.config(), { json: typed.has('json') }, typed.io),
  },
  {
    words: 'backup',
    description: 'write accounts, keys and the ledger to a new file, also beside a running service',
    arguments: ['<file>'],
    options: [CONFIG],
    notes: 'To restore: end the service, then `quai restore FILE`.',
    examples: ['quai backup /backups/quai-2026-11-21.db'],
    work: async (typed) =>
      (await import('./backup.ts')).runBackup(await typed.config(), { file: typed.word(0) }, typed.io),
  },
  {
    words: 'restore',
    description: 'bring accounts, keys and the ledger back from a backup; no service may run',
    arguments: ['<file>'],
    options: [CONFIG],
    notes:
      'The database that was there is kept beside it. Slot files stay: what was counted after the backup is counted.',
    examples: ['quai restore /backups/quai-2026-11-21.db'],
    work: async (typed) =>
      (await import('./restore.ts')).runRestore(await typed.config(), { file: typed.word(0) }, typed.io),
  },
  {
    words: 'kit',
    description: 'write what an operator needs: unit file, images, manifests, alerts, dashboard, notes',
    arguments: ['<folder>'],
    options: [['--force', 'replace files that are there with another text']],
    examples: ['quai kit ops', 'quai kit --force ops'],
    work: async (typed) => {
      const { runKit } = await import('./kit.ts')
      return runKit({ folder: typed.word(0), isForced: typed.has('force') }, typed.io)
    },
  },
  {
    words: 'config check',
    description: 'whether the configuration is usable',
    options: [JSON_OUTPUT, CONFIG],
    examples: ['quai config check', 'quai config check --config /etc/quai/quai.toml'],
    work: async (typed) =>
      (await import('./config.ts')).runConfigCheck(typed.sources, typed.io, { json: typed.has('json') }),
  },
  {
    words: 'config print',
    description: 'the settings in force, without their secrets',
    options: [JSON_OUTPUT, CONFIG],
    examples: ['quai config print', 'QUAI_PORT=9000 quai config print --json | jq .port'],
    work: async (typed) =>
      (await import('./config.ts')).runConfigPrint(typed.sources, { json: typed.has('json') }, typed.io),
  },
  {
    words: 'completions',
    description: 'a script that completes commands in a shell: bash, zsh or fish',
    arguments: ['<shell>'],
    examples: [
      'source <(quai completions bash)',
      'quai completions zsh > ~/.zfunc/_quai',
      'quai completions fish > ~/.config/fish/completions/quai.fish',
    ],
    work: async (typed) => (await import('./completions.ts')).runCompletions(typed.word(0), typed.io),
  },
  {
    words: 'config schema',
    description: 'the JSON Schema of the configuration',
    examples: ['quai config schema > quai.schema.json'],
    work: async (typed) => (await import('./config.ts')).runConfigSchema(typed.io),
  },
]
