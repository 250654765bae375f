// The table of commands: names, arguments, options and implementation. A command's code is loaded only when it runs.

import { PLANS } from '../plans/plans.ts'
import { startClock } from '../system/clock.ts'
import { CLUSTER_COMMANDS } from './cluster-commands.ts'
import { CONFIG, type CommandRow, JSON_OUTPUT } from './command-row.ts'

/** Descriptions of command groups. */
export const GROUPS: Readonly<Record<string, string>> = {
  keys: 'create, list and revoke API keys',
  accounts: 'list and manage accounts',
  ledger: 'check the unit ledger, and bill or waive late units',
  pepper: 'create the secret that keys are hashed with',
  plans: "change a cluster's plans",
  replicas: 'list and forget replicas in a cluster',
  config: 'check and print the configuration',
}

const EMAIL = ['<email>']

/** Every command. */
export const COMMANDS: readonly CommandRow[] = [
  {
    words: 'serve',
    description: 'serve the configured networks',
    notes:
      'SIGHUP reloads the configuration and checks the feeds; changes that need a restart are logged. SIGTERM shuts the service down.',
    options: [
      CONFIG,
      ['--port <port>', 'port for the API'],
      ['--account-port <port>', 'port for the account API and the console'],
      ['--admin-port <port>', 'port for /metrics, /livez, /startupz and /readyz'],
      ['--explorer-port <port>', 'port for the explorer map'],
      ['--workers <count>', 'number of data threads (default: number of cores)'],
      ['--new-store', 'if the accounts and keys database is missing, empty or damaged, start with a new one'],
    ],
    examples: ['quai serve', 'quai serve --config /etc/quai/quai.toml --port 8080 --workers 4'],
    work: async (typed) => {
      const [{ runServe }, { loadComparable }, { describeMissingFile }] = await Promise.all([
        import('./serve.ts'),
        import('../config/config.ts'),
        import('./missing-file.ts'),
      ])
      const read = () => loadComparable(typed.sources)
      const loaded = read()
      const { file, networks } = loaded.config
      if (file === undefined && networks.length === 0) typed.io.stderr(describeMissingFile(process.cwd()))
      return await runServe(
        loaded.config,
        { clock: typed.clock, reload: { loaded, read }, isNewStore: typed.has('newStore') },
        typed.io,
      )
    },
  },
  {
    words: 'init',
    description: 'check a feed and write a configuration that serves it',
    arguments: ['[feed]'],
    options: [
      ['--id <id>', 'id of the network (default: made from its name)'],
      ['--name <name>', "name of the network (default: the feed's first agency)"],
      ['--file <file>', 'file to write (default: quai.toml in the current folder)'],
    ],
    notes:
      'FEED is a zip file, a folder or a URL; if it is omitted on a terminal, the command asks for it. The command never overwrites a file.',
    exitStatus: '0 written, 1 the feed cannot be served or the file exists, 2 invalid command line',
    examples: ['quai init city.zip', 'quai init https://operator.example/gtfs.zip --id city --name "City buses"'],
    work: async (typed) => {
      const { runInit } = await import('./init.ts')
      const options = {
        feed: typed.words[0],
        id: typed.text('id'),
        name: typed.text('name'),
        file: typed.text('file') ?? 'quai.toml',
      }
      const ask = (question: string) =>
        process.stdin.isTTY === true ? prompt(question)?.trim() || undefined : undefined
      return await runInit(options, { clock: startClock(typed.clock), ask }, typed.io)
    },
  },
  {
    words: 'doctor',
    description: 'check the machine, the settings and everything else that the service needs',
    options: [CONFIG, JSON_OUTPUT],
    notes:
      'The command changes nothing. It sends one request to each source, and logs in to the mail server without sending an email.',
    exitStatus: '0 no faults, 1 some faults, 2 invalid command line or configuration',
    examples: ['quai doctor', 'quai doctor --json | jq -r \'.findings[] | select(.state != "ok").message\''],
    work: async (typed) => {
      const { runDoctor } = await import('./doctor.ts')
      return await runDoctor(typed.sources, { json: typed.has('json') }, typed.io)
    },
  },
  {
    words: 'import',
    description: 'import networks whose snapshot is missing or out of date',
    arguments: ['[networks...]'],
    options: [
      CONFIG,
      ['--force', 'also import networks that are up to date, and serve a timetable that would be held back'],
      ['--report <file>', 'write the reports as JSON'],
      ['--json', 'print one line of JSON per network instead of the summary'],
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
    description: 'check a feed: its contents, its problems, and whether it can be served',
    arguments: ['<feed>'],
    options: [
      ['--json', 'print one JSON document instead of the report'],
      ['--timezone <zone>', 'use this IANA time zone instead of the one in the feed'],
    ],
    notes: 'FEED is a zip file, a folder, or a URL.',
    exitStatus: '0 the feed can be served, 1 it cannot, 2 invalid command line',
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
    description: 'serve a fictional city, and print a key and calls to paste',
    options: [
      ['--port <port>', 'port for the API (default: 8080)'],
      ['--seed <number>', 'seed of the city; each seed gives a different city (default: 1)'],
      ['--data <folder>', 'folder for its files (default: data/demo)'],
      ['--replicas <number>', 'number of replicas behind a load balancer; requires an installed PostgreSQL server'],
    ],
    examples: ['quai demo', 'quai demo --port 9000 --seed 7', 'quai demo --replicas 3'],
    work: async (typed) => {
      const { runDemo } = await import('./demo.ts')
      const [seed, folder, port, replicas] = ['seed', 'data', 'port', 'replicas'].map((name) => typed.text(name))
      return await runDemo({ seed, folder, port, replicas }, typed.clock, typed.io)
    },
  },
  {
    words: 'keys create',
    description: 'create a key and print it on stdout; it is shown only once',
    options: [
      ['!--account <email>', 'email address of the account; a new account is created as verified'],
      ['--plan <plan>', `${PLANS.slice(0, -1).join(', ')} or ${PLANS.at(-1)}; required for a new account`],
      ['!--name <name>', 'name of the key, such as its purpose'],
      ['--scope <scopes>', 'transit:read, account:read, or both, separated by a comma (default: transit:read)'],
      ['--expires <date>', 'last day of validity in UTC (2027-01-31), or a timestamp with an offset'],
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
    description: 'list all keys, without their secrets',
    options: [JSON_OUTPUT, CONFIG],
    examples: ['quai keys list', "quai keys list --json | jq '.[] | [.id, .name, .last_four]'"],
    work: async (typed) =>
      (await import('./keys.ts')).runKeysList(await typed.config(), { json: typed.has('json') }, typed.io),
  },
  {
    words: 'keys revoke',
    description: 'revoke a key; requests with it fail from then on',
    arguments: ['<id>'],
    options: [CONFIG],
    examples: ['quai keys revoke key_…'],
    work: async (typed) =>
      (await import('./keys.ts')).runKeysRevoke(await typed.config(), { id: typed.word(0) }, typed.io),
  },
  {
    words: 'accounts list',
    description: 'list all accounts',
    options: [JSON_OUTPUT, CONFIG],
    examples: ['quai accounts list', 'quai accounts list --json'],
    work: async (typed) =>
      (await import('./accounts.ts')).runAccountsList(await typed.config(), { json: typed.has('json') }, typed.io),
  },
  {
    words: 'accounts show',
    description: 'show an account: its keys, usage, statements and latest events',
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
    description: 'list the statements of all accounts, for billing',
    options: [['--month <month>', 'one month, such as 2026-10 (default: all)'], JSON_OUTPUT, CONFIG],
    examples: ['quai accounts statements --month 2026-10', 'quai accounts statements --json'],
    work: async (typed) => {
      const { runAccountsStatements } = await import('./accounts.ts')
      const options = { month: typed.text('month'), json: typed.has('json') }
      return await runAccountsStatements(await typed.config(), options, typed.io)
    },
  },
  {
    words: 'accounts set-plan',
    description: 'change the plan of an account; this month, the higher number of included units applies',
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
    description: 'suspend an account; its keys get 401 responses',
    arguments: EMAIL,
    options: [CONFIG],
    examples: ['quai accounts suspend me@example.org'],
    work: async (typed) =>
      (await import('./accounts.ts')).runAccountsSuspend(await typed.config(), { email: typed.word(0) }, typed.io),
  },
  {
    words: 'accounts resume',
    description: 'resume a suspended account; its keys work again',
    arguments: EMAIL,
    options: [CONFIG],
    examples: ['quai accounts resume me@example.org'],
    work: async (typed) =>
      (await import('./accounts.ts')).runAccountsResume(await typed.config(), { email: typed.word(0) }, typed.io),
  },
  {
    words: 'accounts remove-factor',
    description: 'turn off the second factor of an owner who has lost the app and the recovery codes',
    arguments: EMAIL,
    options: [CONFIG],
    examples: ['quai accounts remove-factor me@example.org'],
    work: async (typed) =>
      (await import('./accounts.ts')).runAccountsRemoveFactor(await typed.config(), { email: typed.word(0) }, typed.io),
  },
  {
    words: 'accounts delete',
    description: 'delete an account; its usage stays in the ledger',
    arguments: EMAIL,
    options: [CONFIG],
    examples: ['quai accounts delete me@example.org'],
    work: async (typed) =>
      (await import('./accounts.ts')).runAccountsDelete(await typed.config(), { email: typed.word(0) }, typed.io),
  },
  {
    words: 'ledger verify',
    description: 'check that the usage slots match the ledger rows',
    options: [JSON_OUTPUT, CONFIG],
    examples: ['quai ledger verify', 'quai ledger verify --json | jq .faults'],
    work: async (typed) =>
      (await import('./ledger.ts')).runLedgerVerify(await typed.config(), { json: typed.has('json') }, typed.io),
  },
  {
    words: 'ledger late',
    description: 'list, bill or waive units that arrived after their month was closed',
    arguments: ['<action>', '[account]', '[month]'],
    options: [JSON_OUTPUT, CONFIG],
    notes:
      'ACTION is list, bill or waive. ACCOUNT is an email address or an id. MONTH is a month such as 2026-10. Statements never change: billed units are added to the month that is still open.',
    examples: [
      'quai ledger late list',
      'quai ledger late bill me@example.org 2026-10',
      'quai ledger late waive me@example.org 2026-10',
    ],
    work: async (typed) => {
      const { runLedgerLate } = await import('./late-usage.ts')
      const options = { action: typed.word(0), account: typed.words[1], month: typed.words[2], json: typed.has('json') }
      return await runLedgerLate(await typed.config(), options, typed.io)
    },
  },
  {
    words: 'backup',
    description: 'back up accounts, keys and the ledger to a new file; the service may be running',
    arguments: ['<file>'],
    options: [CONFIG],
    notes: 'To restore: stop the service, then run `quai restore FILE`.',
    examples: ['quai backup /backups/quai-2026-11-21.db'],
    work: async (typed) =>
      (await import('./backup.ts')).runBackup(await typed.config(), { file: typed.word(0) }, typed.io),
  },
  {
    words: 'restore',
    description: 'restore accounts, keys and the ledger from a backup; stop the service first',
    arguments: ['<file>'],
    options: [CONFIG],
    notes:
      'The previous database is kept next to the restored one. Slot files are kept, so units counted after the backup are not lost. With database_url, the backup is copied into PostgreSQL, which must be empty.',
    examples: ['quai restore /backups/quai-2026-11-21.db'],
    work: async (typed) =>
      (await import('./restore.ts')).runRestore(await typed.config(), { file: typed.word(0) }, typed.io),
  },
  {
    words: 'kit',
    description: 'write files for operators: systemd unit, Docker and Kubernetes files, alerts, dashboard, notes',
    arguments: ['<folder>'],
    options: [['--force', 'overwrite existing files that differ']],
    examples: ['quai kit ops', 'quai kit --force ops'],
    work: async (typed) => {
      const { runKit } = await import('./kit.ts')
      return runKit({ folder: typed.word(0), isForced: typed.has('force') }, typed.io)
    },
  },
  {
    words: 'licenses',
    description: 'print the licenses of Quai and of everything in it',
    examples: ['quai licenses', 'quai licenses | less'],
    work: async (typed) => {
      const { licensesText } = await import('../build/licenses.ts')
      typed.io.stdout(await licensesText())
      return 0
    },
  },
  ...CLUSTER_COMMANDS,
  {
    words: 'config check',
    description: 'check the configuration',
    options: [JSON_OUTPUT, CONFIG],
    examples: ['quai config check', 'quai config check --config /etc/quai/quai.toml'],
    work: async (typed) =>
      (await import('./config.ts')).runConfigCheck(typed.sources, typed.io, { json: typed.has('json') }),
  },
  {
    words: 'config print',
    description: 'print the current settings, without secrets',
    options: [JSON_OUTPUT, CONFIG],
    examples: ['quai config print', 'QUAI_PORT=9000 quai config print --json | jq .port'],
    work: async (typed) =>
      (await import('./config.ts')).runConfigPrint(typed.sources, { json: typed.has('json') }, typed.io),
  },
  {
    words: 'completions',
    description: 'print a completion script for bash, zsh or fish',
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
    description: 'print the JSON Schema of the configuration',
    examples: ['quai config schema > quai.schema.json'],
    work: async (typed) => (await import('./config.ts')).runConfigSchema(typed.io),
  },
]
