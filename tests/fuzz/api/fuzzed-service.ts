// The service that receives the generated requests: the whole server, with its real access gate and meter. It serves a
// generated city, a feed whose ids and names are as odd as GTFS allows, and a network that has no data yet.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FeedSource } from '../../../loaders/gtfs/feed.ts'
import type { RingAccount, RingKey } from '../../../src/access/key-ring.ts'
import { allocateLimitCells, openGate } from '../../../src/access/open-gate.ts'
import { makeCity } from '../../../src/demo/city.ts'
import { keyLastFour, keyPrefix, makeApiKey } from '../../../src/keys/api-key.ts'
import { KeyHasher } from '../../../src/keys/pepper.ts'
import { openSegment, segmentPath, writeSegment } from '../../../src/metering/segment.ts'
import { FIRST_SLOT } from '../../../src/metering/slots.ts'
import { Networks } from '../../../src/networks/network.ts'
import { DEFAULT_PLANS } from '../../../src/plans/plans.ts'
import { createServer } from '../../../src/server/server.ts'
import { smallFeed } from '../../feeds/text-feed.ts'
import { openNetwork } from '../../src/api/api-under-test.ts'
import { showAlerts } from './fuzzed-alerts.ts'

/** The service's fixed time: a Wednesday morning that the feeds cover, 08:00:20 in Paris. */
const NOW_MILLIS = Date.parse('2026-06-10T06:00:20Z')
const DAY_MILLIS = 86_400_000
const AUDIENCE = 'api.test'
/** The beginning of the URLs in responses. */
const BASE_URL = 'http://api.test'

const encoder = new TextEncoder()

/** A generated city as a feed source; scale 1 is 40 lines and about 1 500 platforms. */
export function cityFeed(scale: number): FeedSource {
  const { files } = makeCity({ seed: 5, scale, firstDate: 20260601, days: 30 })
  return {
    names: files.map(({ name }) => name),
    open: (name) => {
      const file = files.find((each) => each.name === name)
      if (file === undefined) return undefined
      return (async function* () {
        for (const chunk of file.chunks()) yield encoder.encode(chunk)
      })()
    },
  }
}

/**
 * Ids of stops, lines and trips that need escaping in URLs or JSON, or are unusual in other ways, such as names of
 * built-in members of JavaScript objects.
 */
export const ODD_IDS = [
  'a/b',
  'a:b:c',
  ':',
  '100%',
  '%2F',
  'é ü',
  'e\u0301',
  '..',
  '.',
  '?x=1&y#z',
  '"quoted"',
  '__proto__',
  'constructor',
  '🚋',
  '\u05d0\u200f',
  'a+b',
  ';',
  '\\',
  '0',
  '<b>',
]

/** A valid feed whose stops and lines have odd ids and names. */
export function oddFeed(): FeedSource {
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`
  const stops = ODD_IDS.map((id, order) => `${quoted(id)},${quoted(`Arrêt ${id}`)},${48.6 + order / 1e4},7.75`)
  const lines = ODD_IDS.map((id, order) => `${quoted(id)},${quoted(id.slice(0, 3))},Ligne,${order % 8}`)
  const trips = ODD_IDS.map((id) => `${quoted(id)},daily,${quoted(`t${id}`)}`)
  const calls = ODD_IDS.flatMap((id, order) => [
    `${quoted(`t${id}`)},08:00:${10 + order},08:00:${10 + order},${quoted(id)},1`,
    `${quoted(`t${id}`)},08:20:00,08:20:00,${quoted(ODD_IDS[(order + 1) % ODD_IDS.length] ?? '')},2`,
  ])
  return smallFeed({
    'stops.txt': ['stop_id,stop_name,stop_lat,stop_lon', ...stops].join('\n'),
    'routes.txt': ['route_id,route_short_name,route_long_name,route_type', ...lines].join('\n'),
    'trips.txt': ['route_id,service_id,trip_id', ...trips].join('\n'),
    'stop_times.txt': ['trip_id,arrival_time,departure_time,stop_id,stop_sequence', ...calls].join('\n'),
  })
}

/** The network that has no data yet. */
export const LATE = 'late'

/** The API keys for the fuzzed service. Each key's name says why requests with it are accepted or refused. */
export interface FuzzKeys {
  readonly good: string
  readonly revoked: string
  readonly expired: string
  readonly otherAudience: string
  readonly unverified: string
  /** A well-formed key that belongs to no account. */
  readonly unknown: string
}

const PEPPER = { id: 'a', secret: new Uint8Array(32).fill(7) }
const ACCOUNT: RingAccount = {
  id: 'acc_1',
  plan: 'max',
  isVerified: true,
  isSuspended: false,
  isOverageEnabled: false,
  spendCapCents: 0,
  cell: 0,
}

function makeKeys(): { readonly keys: FuzzKeys; readonly records: readonly RingKey[] } {
  const records: RingKey[] = []
  const make = (members: Partial<RingKey> = {}): string => {
    const text = makeApiKey()
    records.push({
      id: `key_0000000${records.length + 1}`,
      accountId: ACCOUNT.id,
      name: 'fuzz',
      prefix: keyPrefix(text),
      lastFour: keyLastFour(text),
      digest: new KeyHasher(PEPPER).digest(text).toHex(),
      pepperId: PEPPER.id,
      scopes: ['transit:read'],
      audience: AUDIENCE,
      createdAtMillis: 0,
      expiresAtMillis: null,
      revokedAtMillis: null,
      ...members,
    })
    return text
  }
  const keys: FuzzKeys = {
    good: make(),
    revoked: make({ revokedAtMillis: 1 }),
    expired: make({ expiresAtMillis: NOW_MILLIS - DAY_MILLIS }),
    otherAudience: make({ audience: 'another.test' }),
    unverified: make({ accountId: 'acc_2' }),
    unknown: makeApiKey(),
  }
  return { keys, records }
}

/** Opens the service. The result also gives access to the data that responses are compared with. */
export async function openFuzzedService() {
  const folder = mkdtempSync(join(tmpdir(), 'quai-api-fuzz-'))
  writeSegment(segmentPath(folder, 0), { writerId: '0'.repeat(32), ordinal: 0 })
  const { keys, records } = makeKeys()
  const { gate } = openGate(
    {
      ring: { peppers: [PEPPER], accounts: [ACCOUNT, { ...ACCOUNT, id: 'acc_2', isVerified: false }], keys: records },
      audience: AUDIENCE,
      plans: DEFAULT_PLANS,
      folder,
      lastUtcDays: [Math.floor(NOW_MILLIS / DAY_MILLIS)],
      past: [],
      cells: allocateLimitCells(1),
    },
    0,
    { nowMillis: () => NOW_MILLIS },
  )
  const networks = new Networks([
    await openNetwork({ id: 'ville', feed: cityFeed(0.05) }),
    await openNetwork({ id: 'odd', feed: oddFeed() }),
    await openNetwork({ id: LATE }),
  ])
  for (const network of networks.list) showAlerts(network, NOW_MILLIS, ODD_IDS)
  const bugs: unknown[] = []
  const app = createServer({
    networks,
    gate,
    clock: { nowMillis: () => NOW_MILLIS },
    baseUrl: BASE_URL,
    corsOrigins: ['http://console.test'],
    version: '1.0.0',
    logger: { error: (fields) => void bugs.push(fields['error']) },
  })
  app.listen({ port: 0, hostname: '127.0.0.1' })
  return {
    app,
    networks,
    keys,
    /** Exceptions that were thrown while requests were answered. */
    bugs,
    origin: `http://127.0.0.1:${app.server?.port}`,
    /** The units of all keys together, as recorded in the meter's slot file. */
    meteredUnits: (): number => {
      const segment = openSegment(folder, 0)
      let units = 0
      for (let slot = FIRST_SLOT; !segment.isFree(slot); slot++) units += segment.read(slot)?.units ?? Number.NaN
      return units
    },
    close: async () => {
      await app.server?.stop(true)
      rmSync(folder, { recursive: true })
    },
  }
}

/** The result of `openFuzzedService`. */
export type FuzzedService = Awaited<ReturnType<typeof openFuzzedService>>
