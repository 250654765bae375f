// The single table of settings: key, type, bounds, default, description. The parser, the environment names, the printed
// configuration and the JSON Schema are derived from this table.

import { type Static, Type } from '@sinclair/typebox'
import { MODES } from '../../indexes/timetable/modes.ts'
import type { Offers } from '../plans/offers.ts'
import { DEFAULT_PLANS, type Plan, type PlanTable, tableOfPlans } from '../plans/plans.ts'
import { flag, integer, table, text, texts } from './setting-forms.ts'

/** The credit that OpenStreetMap's license requires. */
export const OSM_CREDIT = '© OpenStreetMap contributors'

const PORT_BOUNDS = { minimum: 0, maximum: 65_535 }

function grams(mode: string) {
  return Type.Number({
    description: `grams of CO2 equivalent per passenger-kilometer, for the mode ${mode}`,
    minimum: 0,
    maximum: 10_000,
  })
}

function planSchema(plan: Plan) {
  const preset = DEFAULT_PLANS[plan]
  return table(`limits and price of the ${plan} plan`, {
    included_units: integer('number of units included each month', { minimum: 0, default: preset.includedUnits }),
    requests_per_second: integer('sustained rate, in requests per second; 0 for no limit', {
      minimum: 0,
      default: preset.requestsPerSecond,
    }),
    burst: integer('number of requests allowed at once, beyond the sustained rate', {
      minimum: 0,
      default: preset.burst,
    }),
    overage_available: flag('whether accounts can buy units beyond the included ones', preset.overageAvailable),
    overage_unit_amount_decimal: text('price of one extra unit in cents, as a decimal string', {
      reads: 'decimal',
      default: preset.overageUnitAmountDecimal,
    }),
    price_text: text('price of the plan as text for the console, such as "€20 a month"', { default: '' }),
    self_service: flag('whether owners can choose the plan in the console', false),
  })
}

/**
 * Converts the plan settings to a plan table. Each key, such as `included_units`, becomes a member of `PlanSettings`.
 */
export function plansOf(settings: Settings): PlanTable {
  return tableOfPlans((plan) => {
    const given = settings.plans[plan]
    return {
      includedUnits: given.included_units,
      requestsPerSecond: given.requests_per_second,
      burst: given.burst,
      overageAvailable: given.overage_available,
      overageUnitAmountDecimal: given.overage_unit_amount_decimal,
    }
  })
}

/** The currency, the price of each plan in words, and which plans owners can choose. */
export function offersOf({ currency, plans }: Settings): Offers {
  return {
    currency,
    priceTexts: tableOfPlans((plan) => plans[plan].price_text),
    selfService: tableOfPlans((plan) => plans[plan].self_service),
  }
}

const FEED = table('a GTFS-Realtime feed', {
  id: text('name of the feed, unique within its network'),
  url: text('URL or file path', { reads: 'source' }),
  interval_seconds: integer('seconds between fetches', { minimum: 1, maximum: 86_400, default: 15 }),
  headers: Type.Record(Type.String(), Type.String(), {
    description: 'headers to send with each fetch',
    default: {},
    secret: true,
    reads: 'header',
  }),
  budget: Type.Optional(
    table('the number of fetches that the provider allows', {
      limit: integer('number of fetches allowed in each window', { minimum: 1 }),
      window: Type.Union([Type.Literal('minute'), Type.Literal('hour'), Type.Literal('day'), Type.Literal('month')], {
        description: 'length of the window in which fetches are counted',
        default: 'day',
      }),
    }),
  ),
  max_age_seconds: Type.Optional(
    integer("age in seconds at which the feed's data expires", { minimum: 1, maximum: 86_400 }),
  ),
  provides: Type.Optional(
    Type.Array(Type.Union([Type.Literal('trips'), Type.Literal('vehicles'), Type.Literal('alerts')]), {
      description: 'kinds of data in the feed; detected from its messages by default',
      minItems: 1,
    }),
  ),
  prefix: Type.Optional(
    text(
      "text to put before the feed's route, stop and trip ids; detected automatically if the network's timetables have prefixes",
    ),
  ),
  derive_severity: flag("derive an alert's severity from its effect if the alert has no severity", true),
})

const PLANNER = table("the operator's own journey planner", {
  kind: Type.Literal('motis', { description: 'MOTIS 2' }),
  url: text('URL of the server, or the full URL including /plan', { reads: 'url' }),
  headers: Type.Record(Type.String(), Type.String(), {
    description: 'headers to send with each request',
    default: {},
    secret: true,
    reads: 'header',
  }),
  tag: Type.Optional(text("prefix of this network's ids in the planner, without the final _")),
  deadline_seconds: Type.Number({
    description: 'seconds to wait for a response',
    minimum: 0.1,
    maximum: 30,
    default: 2,
  }),
})

const FEED_SOURCE = table('one of several GTFS feeds in a network', {
  source: text('zip file or folder, as a path or URL', { reads: 'source' }),
  prefix: text("prefix for this feed's ids, so that feeds with the same ids can be combined", { default: '' }),
})

const NETWORK = table('a network', {
  id: text('id of the network, and the first part of every id in it', { reads: 'slug' }),
  name: Type.Optional(text('display name; defaults to the id')),
  city: text('city or region', { default: '' }),
  gtfs: Type.Union(
    [
      text('zip file or folder, as a path or URL', { reads: 'source' }),
      FEED_SOURCE,
      Type.Array(Type.Union([text('path or URL', { reads: 'source' }), FEED_SOURCE]), { minItems: 1 }),
    ],
    { description: 'a path, a URL, { source, prefix }, or a list of these' },
  ),
  refresh_seconds: Type.Optional(
    integer('seconds between checks for a new timetable; 0 for no checks; defaults to 10 for files and 3600 for URLs', {
      minimum: 0,
      maximum: 2_000_000,
    }),
  ),
  attribution: texts('credit lines that the data licenses require'),
  timezone: Type.Optional(text('IANA time zone to use instead of the one in the feed', { reads: 'zone' })),
  scheduled_vehicles: flag('show vehicles at their scheduled positions if no live position is known', false),
  transfer_walk_meters: integer('maximum length of a walk between two stops in a journey, in meters', {
    minimum: 0,
    maximum: 5_000,
    default: 500,
  }),
  co2_grams_per_km: Type.Optional(
    table('emissions by mode, in grams of CO2 equivalent per passenger-kilometer', {
      ...Object.fromEntries(MODES.map((mode) => [mode, Type.Optional(grams(mode))])),
    }),
  ),
  change_seconds: integer('seconds added to the walk at each transfer', { minimum: 0, maximum: 3_600, default: 60 }),
  streets: flag(
    'whether walks follow the streets of the extracts in `streets`; otherwise they are straight lines',
    true,
  ),
  tight_seconds: integer(
    'a transfer is tight if fewer seconds than this are left after the walk and `change_seconds`',
    {
      minimum: 0,
      maximum: 3_600,
      default: 60,
    },
  ),
  planner: Type.Optional(PLANNER),
  feeds: Type.Array(FEED, { description: 'GTFS-Realtime feeds', default: [] }),
})

const METRICS = table('the networks that have their own series at /metrics', {
  network_limit: integer('maximum number of networks with their own metric series; those with problems come first', {
    minimum: 0,
    maximum: 100_000,
    default: 30,
  }),
  networks: texts('ids of networks that always have their own metric series', { reads: 'slug' }),
})

const LOG = table('logging, as JSON lines on standard error', {
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
      description: 'least severe level of log lines to write',
      default: 'info',
    },
  ),
  requests: Type.Union([Type.Literal('off'), Type.Literal('errors'), Type.Literal('all')], {
    description: 'requests to log: none, those with a 5xx response, or all',
    default: 'off',
  }),
  request_lines_per_second: integer(
    'maximum number of request lines logged per second, over all threads; above it, requests are sampled',
    {
      minimum: 1,
      maximum: 1_000_000,
      default: 1_000,
    },
  ),
})

const CLUSTER_SNAPSHOTS = table(
  'S3-compatible store in which replicas share their timetables; without it, each replica imports them itself',
  {
    endpoint: text('URL of the store', { reads: 'source' }),
    bucket: text('name of the bucket'),
    prefix: text('text to put before object names; no separator is added', { default: '' }),
    region: text('region of the bucket', { default: 'us-east-1' }),
    access_key: text('access key of the store', { secret: true }),
    secret_key: text('secret key of the store', { secret: true }),
    virtual_hosts: flag('put the bucket name into the host name of URLs instead of their path', false),
  },
)

const CLUSTER = table('several replicas that share a PostgreSQL database; this section turns the cluster on', {
  name: text('name of this replica, shown to operators; defaults to the host name', { default: '' }),
  lease_seconds: integer(
    'seconds that a replica can serve without the database: it is granted the units for this time at the current rate of use',
    {
      minimum: 10,
      maximum: 86_400,
      default: 600,
    },
  ),
  outage_share: Type.Number({
    description:
      'share of its included units that an account may use beyond its grants while the database is unavailable; 0 for none. With any other value, an account may use at least 100 units. The limit applies per month and per `data_dir`',
    minimum: 0,
    maximum: 1,
    default: 0.01,
  }),
  lost_after_seconds: integer(
    'seconds without contact after which a replica is considered lost and its unused units are released',
    {
      minimum: 10,
      maximum: 86_400,
      default: 3_600,
    },
  ),
  ring_age_minutes: integer(
    'minutes without a response from the database after which a replica rejects every key with 503; 0 for never',
    { minimum: 0, maximum: 1_440, default: 15 },
  ),
  flush_seconds: integer(
    'seconds between flushes of counts to the database; always 5 while more than 2000 counts change between flushes',
    {
      minimum: 1,
      maximum: 60,
      default: 1,
    },
  ),
  snapshots: Type.Optional(CLUSTER_SNAPSHOTS),
  prepared_statements: flag(
    'whether to use prepared statements; false is required behind pgbouncer or another pooler in transaction mode',
    true,
  ),
})

const ADDRESS_SOURCE = Type.Union(
  [
    text('path or URL', { reads: 'source' }),
    table('one address file', {
      source: text('path or URL, plain or gzipped', { reads: 'source' }),
      attribution: text('credit line for these addresses', { default: '' }),
    }),
  ],
  { description: 'a path, a URL, or { source, attribution }' },
)

const STREET_SOURCE = Type.Union(
  [
    text('path or URL', { reads: 'source' }),
    table('one OpenStreetMap extract', {
      source: text('path or URL of an .osm.pbf file', { reads: 'source' }),
      attribution: text('credit line for this extract', { default: OSM_CREDIT }),
    }),
  ],
  { description: 'a path, a URL, or { source, attribution }' },
)

/** All settings. The environment name of a setting is `QUAI_` followed by its keys in capitals, joined by `_`. */
export const SETTINGS = table('Configuration of Quai', {
  data_dir: text('folder for snapshots, the ledger, usage slots and the control socket', {
    reads: 'path',
    default: 'data',
  }),
  bind: text('IP address on which the API, the account API and the explorer listen', { default: '127.0.0.1' }),
  port: integer('port for the API; 0 picks a free port', { ...PORT_BOUNDS, default: 8_080 }),
  account_port: integer('port for the account API and the console; 0 picks a free port', {
    ...PORT_BOUNDS,
    default: 8_081,
  }),
  admin_bind: text('IP address on which `admin_port` listens; anyone who can reach it can read the metrics', {
    default: '127.0.0.1',
  }),
  admin_port: integer('port for the operator pages, /metrics, /livez, /startupz and /readyz; 0 picks a free port', {
    ...PORT_BOUNDS,
    default: 8_082,
  }),
  admin_hosts: texts('additional host names in URLs of the admin port; IP addresses and internal names always work'),
  admin_token: Type.Optional(
    text('password for the operator pages; without one, they can only be opened from this machine', {
      secret: true,
    }),
  ),
  explorer_port: integer('port for the explorer map; 0 picks a free port', { ...PORT_BOUNDS, default: 8_083 }),
  drain_seconds: integer('seconds to keep serving after SIGTERM while /readyz reports 503', {
    minimum: 0,
    maximum: 300,
    default: 2,
  }),
  workers: Type.Optional(
    integer('number of data threads; defaults to the number of cores', { minimum: 1, maximum: 256 }),
  ),
  base_url: Type.Optional(text('public URL of the API; keys work only for its host name', { reads: 'url' })),
  account_url: Type.Optional(text('public URL of the account API', { reads: 'url' })),
  account_console_url: Type.Optional(text('public URL of the console', { reads: 'url' })),
  explorer_url: Type.Optional(text('public URL of the explorer map', { reads: 'url' })),
  explorer_tiles: Type.Optional(
    text(
      'PMTiles file with the base map for the explorer; defaults to a map drawn from `streets`, or a plain background',
      {
        reads: 'path',
      },
    ),
  ),
  tls: Type.Optional(
    table('TLS certificate and key for the API and the account API', {
      cert_file: text('file with the certificate chain in PEM format', { reads: 'path' }),
      key_file: text('file with the private key in PEM format', { reads: 'path' }),
    }),
  ),
  trusted_proxies: texts('IP addresses or CIDR ranges of proxies whose X-Forwarded-For header is trusted'),
  cors_origins: Type.Optional(
    Type.Array(text('an origin such as https://app.example.org, or "*"'), {
      description:
        'origins that browsers may call from, or "*" for any; defaults to the account console and the explorer',
    }),
  ),
  pepper_file: Type.Optional(
    text('file with the secret that keys are hashed with; defaults to `pepper` in `data_dir`', { reads: 'path' }),
  ),
  database_url: Type.Optional(
    text('postgres:// URL of the database for the accounts and the ledger; defaults to SQLite in `data_dir`', {
      secret: true,
    }),
  ),
  cluster: Type.Optional(CLUSTER),
  mail: Type.Optional(
    table('outgoing email', {
      host: text('host name of the SMTP server'),
      port: integer('port of the SMTP server', { minimum: 1, maximum: 65_535, default: 587 }),
      secure: flag('use TLS from the start of the connection (implicit TLS)', false),
      user: text('user name for the SMTP server; empty to send without logging in', { default: '' }),
      password: text('password for the SMTP server', { default: '', secret: true }),
      from: text('sender of all emails, such as "Quai <quai@example.org>"'),
    }),
  ),
  log: LOG,
  metrics: METRICS,
  currency: text('currency of all amounts, such as EUR; it must have cents', { reads: 'currency', default: 'EUR' }),
  plans: table('limits and prices of the plans', tableOfPlans(planSchema)),
  addresses: Type.Array(ADDRESS_SOURCE, {
    description: 'address files in the Base Adresse Nationale format',
    default: [],
  }),
  streets: Type.Array(STREET_SOURCE, {
    description:
      'OpenStreetMap extracts (.osm.pbf) with the streets that people walk on; several are combined into one map',
    default: [],
  }),
  ground: flag("draw the explorer's base map from the extracts in `streets`", true),
  ground_buildings: flag("draw buildings on the explorer's base map", true),
  networks: Type.Array(NETWORK, { description: 'networks to serve', default: [] }),
})

/** All settings after reading: keys as in the file, defaults applied. */
export type Settings = Static<typeof SETTINGS>

/** The environment name of a setting, from its path of keys. */
export function environmentName(path: readonly string[]): string {
  return `QUAI_${path.join('_').toUpperCase()}`
}
