// The one table of settings: key, type, bounds, default, what it means. The parser, the environment's names, the
// printed configuration and the JSON Schema are all made from it.
import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox'
import { MODES } from '../../indexes/timetable/modes.ts'
import { DEFAULT_PLANS, type Plan, tableOfPlans } from '../plans/plans.ts'

/**
 * What a text is read as, besides its JSON type. `path`: relative to the configuration file. `source`: a path or an
 * address on the web. `url`: an address on the web. `decimal`: a decimal number as text. `zone`: an IANA time zone.
 * `header`: the value of an HTTP header.
 */
export type TextKind = 'path' | 'source' | 'url' | 'decimal' | 'zone' | 'slug' | 'header'

interface TextOptions {
  readonly reads?: TextKind
  /** Never printed. */
  readonly secret?: true
  readonly default?: string
}

const PORT_BOUNDS = { minimum: 0, maximum: 65_535 }

function text(description: string, options: TextOptions = {}) {
  return Type.String({ description, minLength: options.default === '' ? 0 : 1, ...options })
}

function texts(description: string, options: TextOptions = {}) {
  return Type.Array(text('one of them', options), { description, default: [] })
}

function integer(description: string, bounds: { minimum: number; maximum?: number; default?: number }) {
  return Type.Integer({ description, maximum: Number.MAX_SAFE_INTEGER, ...bounds })
}

function flag(description: string, preset: boolean) {
  return Type.Boolean({ description, default: preset })
}

function table<Fields extends Record<string, TSchema>>(description: string, fields: Fields): TObject<Fields> {
  return Type.Object(fields, { description, additionalProperties: false })
}

function grams(mode: string) {
  return Type.Number({ description: `grams of ${mode}`, minimum: 0, maximum: 10_000 })
}

function planTable(plan: Plan) {
  const preset = DEFAULT_PLANS[plan]
  return table(`what the plan ${plan} grants`, {
    included_units: integer('units of a month that cost nothing more', { minimum: 0, default: preset.includedUnits }),
    requests_per_second: integer('sustained rate; 0 is no limit', { minimum: 0, default: preset.requestsPerSecond }),
    burst: integer('requests that may come at once', { minimum: 0, default: preset.burst }),
    overage_available: flag('whether units beyond the included ones can be bought', preset.overageAvailable),
    overage_unit_amount_decimal: text('price of one such unit in cents, a decimal number as text', {
      reads: 'decimal',
      default: preset.overageUnitAmountDecimal,
    }),
  })
}

const FEED = table('a GTFS-Realtime feed', {
  id: text('name of the feed, unique in its network'),
  url: text('where it is: an address on the web or a file', { reads: 'source' }),
  interval_seconds: integer('seconds between two fetches', { minimum: 1, maximum: 86_400, default: 15 }),
  headers: Type.Record(Type.String(), Type.String(), {
    description: 'headers sent with each fetch',
    default: {},
    secret: true,
    reads: 'header',
  }),
  budget: Type.Optional(
    table('how often the provider allows a fetch', {
      limit: integer('fetches in a window', { minimum: 1 }),
      window: Type.Union([Type.Literal('minute'), Type.Literal('hour'), Type.Literal('day'), Type.Literal('month')], {
        description: '"minute", "hour", "day" or "month"',
        default: 'day',
      }),
    }),
  ),
  max_age_seconds: Type.Optional(integer('age at which its data is dropped', { minimum: 1, maximum: 86_400 })),
  provides: Type.Optional(
    Type.Array(Type.Union([Type.Literal('trips'), Type.Literal('vehicles'), Type.Literal('alerts')]), {
      description: 'what it carries: "trips", "vehicles", "alerts"; told from its messages if absent',
      minItems: 1,
    }),
  ),
  derive_severity: flag('tell the severity of an alert that gives none from its effect', true),
})

const PLANNER = table("the operator's own planner of journeys", {
  kind: Type.Literal('motis', { description: '"motis": MOTIS 2' }),
  url: text('where it is: the server, or the whole path up to /plan', { reads: 'url' }),
  headers: Type.Record(Type.String(), Type.String(), {
    description: 'headers sent with each question',
    default: {},
    secret: true,
    reads: 'header',
  }),
  tag: Type.Optional(text("what it puts before the ids of this network's feed, without the _ between")),
  deadline_seconds: Type.Number({
    description: 'longest wait for an answer, in seconds',
    minimum: 0.1,
    maximum: 30,
    default: 2,
  }),
})

const FEED_SOURCE = table('one GTFS feed of a network made of several', {
  source: text('zip or folder, a path or an address on the web', { reads: 'source' }),
  prefix: text('put before each id of this feed, so that several fit together', { default: '' }),
})

const NETWORK = table('one network', {
  id: text('slug: the first part of every id', { reads: 'slug' }),
  name: Type.Optional(text('name shown to people; the id where absent')),
  city: text('city or region', { default: '' }),
  gtfs: Type.Union(
    [
      text('zip or folder, a path or an address on the web', { reads: 'source' }),
      FEED_SOURCE,
      Type.Array(Type.Union([text('a path or an address', { reads: 'source' }), FEED_SOURCE]), { minItems: 1 }),
    ],
    { description: 'a path or an address on the web, { source, prefix }, or a list of these' },
  ),
  refresh_seconds: Type.Optional(
    integer('seconds between two looks at the feeds; 0 for none; 10 for paths, 3600 for the web where absent', {
      minimum: 0,
      maximum: 2_000_000,
    }),
  ),
  attribution: texts('data-licence credit lines'),
  timezone: Type.Optional(text("IANA time zone that replaces the feed's own", { reads: 'zone' })),
  scheduled_vehicles: flag('show vehicles at their timetable positions where no live ones are known', false),
  transfer_walk_meters: integer('longest walk between two stops of a journey', {
    minimum: 0,
    maximum: 5_000,
    default: 500,
  }),
  co2_grams_per_km: Type.Optional(
    table('what rides emit, in grams of CO2 equivalent a passenger and kilometer, by mode', {
      ...Object.fromEntries(MODES.map((mode) => [mode, Type.Optional(grams(mode))])),
    }),
  ),
  change_seconds: integer('time kept on top of the walk at a change', { minimum: 0, maximum: 3_600, default: 60 }),
  tight_seconds: integer('a change that leaves less time than this beyond the walk and change_seconds is tight', {
    minimum: 0,
    maximum: 3_600,
    default: 60,
  }),
  planner: Type.Optional(PLANNER),
  feeds: Type.Array(FEED, { description: 'GTFS-Realtime feeds', default: [] }),
})

const LOG = table('what is logged, as JSON lines on standard error', {
  level: Type.Union(
    [
      Type.Literal('error'),
      Type.Literal('warn'),
      Type.Literal('info'),
      Type.Literal('debug'),
      Type.Literal('trace'),
      Type.Literal('silent'),
    ],
    {
      description: '"error", "warn", "info", "debug", "trace" or "silent": the least that is written',
      default: 'info',
    },
  ),
  requests: Type.Union([Type.Literal('off'), Type.Literal('errors'), Type.Literal('all')], {
    description: '"off", "errors" or "all": a line for no request, for those we failed (5xx), or for each',
    default: 'off',
  }),
  request_lines_per_second: integer('beyond so many a second, of all threads, a line stands for several requests', {
    minimum: 1,
    maximum: 1_000_000,
    default: 1_000,
  }),
})

const ADDRESS_SOURCE = Type.Union(
  [
    text('a path or an address on the web', { reads: 'source' }),
    table('addresses of one source', {
      source: text('a path or an address on the web, plain or gzipped', { reads: 'source' }),
      attribution: text('credit line of the addresses', { default: '' }),
    }),
  ],
  { description: 'a path or an address on the web, or { source, attribution }' },
)

/** Every setting there is. Each also has an environment name: `QUAI_` and its key in capitals, tables joined by `_`. */
export const SETTINGS = table('configuration of Quai', {
  data_dir: text('snapshots, ledger, slots, control socket', { reads: 'path', default: 'data' }),
  bind: text('address the API and the account listener bind to', { default: '127.0.0.1' }),
  port: integer('port of the API; 0 takes a free one', { ...PORT_BOUNDS, default: 8_080 }),
  account_port: integer('port of the account API and the console; 0 takes a free one', {
    ...PORT_BOUNDS,
    default: 8_081,
  }),
  admin_bind: text('address that admin_port binds to; whoever reaches it reads the metrics', { default: '127.0.0.1' }),
  admin_port: integer('port of the pages for operators, /metrics, /livez, /startupz and /readyz; 0 takes a free one', {
    ...PORT_BOUNDS,
    default: 8_082,
  }),
  admin_hosts: texts(
    'names by which /metrics is asked, if they are names of the web: addresses and internal names always work',
  ),
  admin_token: Type.Optional(
    text('password of the pages for operators on admin_port; without one they answer this machine alone', {
      secret: true,
    }),
  ),
  explorer_port: integer('port of the explorer map; 0 takes a free one', { ...PORT_BOUNDS, default: 8_083 }),
  drain_seconds: integer('time after SIGTERM in which the service still answers, though it is not ready any more', {
    minimum: 0,
    maximum: 300,
    default: 2,
  }),
  workers: Type.Optional(
    integer('data threads; as many as the machine has cores where absent', { minimum: 1, maximum: 256 }),
  ),
  base_url: Type.Optional(text("address the API is reached at; a key's audience is its host name", { reads: 'url' })),
  account_url: Type.Optional(text('address the account API is reached at', { reads: 'url' })),
  account_console_url: Type.Optional(text('address the console is reached at', { reads: 'url' })),
  explorer_url: Type.Optional(text('address the explorer map is reached at', { reads: 'url' })),
  explorer_tiles: Type.Optional(
    text('PMTiles file that the explorer draws under the network; a plain ground where absent', { reads: 'path' }),
  ),
  tls: Type.Optional(
    table('certificate and key of the API and the account listener', {
      cert_file: text('certificate chain, PEM', { reads: 'path' }),
      key_file: text('private key, PEM', { reads: 'path' }),
    }),
  ),
  trusted_proxies: texts('addresses or ranges (CIDR) whose X-Forwarded-For is believed'),
  cors_origins: Type.Optional(
    Type.Array(text('an origin such as https://app.example.org, or "*"'), {
      description: 'origins that browsers may call from; "*" is any; the account and explorer addresses where absent',
    }),
  ),
  pepper_file: Type.Optional(text('secret that keys are hashed with; data_dir/pepper where absent', { reads: 'path' })),
  database_url: Type.Optional(
    text('postgres:// address of accounts and ledger; SQLite in data_dir where absent', { secret: true }),
  ),
  mail: Type.Optional(
    table('how mail is sent', {
      host: text('SMTP host'),
      port: integer('SMTP port', { minimum: 1, maximum: 65_535, default: 587 }),
      secure: flag('TLS from the first byte', false),
      user: text('SMTP user', { default: '' }),
      password: text('SMTP password', { default: '', secret: true }),
      from: text('sender, as "Quai <quai@example.org>"'),
    }),
  ),
  log: LOG,
  plans: table('what each plan grants', tableOfPlans(planTable)),
  addresses: Type.Array(ADDRESS_SOURCE, { description: 'address files (Base Adresse Nationale)', default: [] }),
  networks: Type.Array(NETWORK, { description: 'the networks that are served', default: [] }),
})

/** All settings as they are read: keys as in the file, defaults filled in. */
export type Settings = Static<typeof SETTINGS>

/** The environment's name of a setting, from its path of keys. */
export function environmentName(path: readonly string[]): string {
  return `QUAI_${path.join('_').toUpperCase()}`
}
