// The API on small feeds, with a gate for three keys and a stopped clock, for the tests in this folder.
import { buildTimetable } from '../../../indexes/timetable/build-timetable.ts'
import type { FeedSource } from '../../../loaders/gtfs/feed.ts'
import { loadFeed } from '../../../loaders/gtfs/load-feed.ts'
import type {
  AccessRefusal,
  Authentication,
  Caller,
  Gate,
  LimitFields,
  LimitRefusal,
  Reservation,
  UsageReport,
} from '../../../src/access/gate.ts'
import type { Planners } from '../../../src/journeys/planner-desk.ts'
import { COUNTED_ROUTES, RouteTally } from '../../../src/metrics/thread-counts.ts'
import { type LastError, type Network, Networks } from '../../../src/networks/network.ts'
import type { ServedAddresses } from '../../../src/places/served-addresses.ts'
import { makeSnapshotTexts, type Towns } from '../../../src/rendering/snapshot-view.ts'
import type { PageAddresses } from '../../../src/requests/service.ts'
import { createServer } from '../../../src/server/server.ts'
import { readBody } from '../../event-stream.ts'
import { smallFeed } from '../../feeds/text-feed.ts'

/** The Authorization header with the key that is admitted. */
export const KEY = 'Bearer good'
const CALLER: Caller = { keyId: 'k1', accountId: 'a1', plan: 'free' }
const REFUSED_KEYS: ReadonlyMap<string, AccessRefusal> = new Map([
  ['Bearer other-audience', 'insufficient_scope'],
  ['Bearer unverified', 'email_verification_required'],
])

/** A gate with one valid key and some refused keys. The gate adds up the charged units. */
export class CountingGate implements Gate {
  units = 0
  calls = 0
  /** Units that are reserved and neither charged nor released. */
  held = 0
  /** The part of `held` whose responses are not ready yet. */
  heldForLater = 0

  authenticate(authorization: string | null): Authentication {
    if (authorization === null) return { kind: 'refused', reason: 'authentication_required' }
    if (authorization === KEY) return { kind: 'accepted', caller: CALLER }
    return { kind: 'refused', reason: REFUSED_KEYS.get(authorization) ?? 'invalid_token' }
  }

  keyIdOf(authorization: string | null): string | undefined {
    return authorization === KEY ? CALLER.keyId : undefined
  }

  holds(_caller: Caller): boolean {
    return true
  }

  reserve(caller: Caller, units: number): Reservation | LimitRefusal {
    this.held += units
    return { caller, units, atMillis: 0, month: 0n }
  }

  hold({ units }: Reservation): void {
    this.heldForLater += units
  }

  settle({ units }: Reservation): void {
    this.heldForLater -= units
  }

  release({ units }: Reservation): LimitFields {
    this.held -= units
    return this.limitFields()
  }

  limitFields(): LimitFields {
    return { policy: '"units";q=10000;w=2592000', limit: '"units";r=9999;t=1000' }
  }

  charge({ units }: Reservation): LimitRefusal | undefined {
    this.held -= units
    this.units += units
    this.calls++
    return undefined
  }

  usage(caller: Caller): UsageReport {
    return {
      plan: caller.plan,
      period: '2026-06',
      included_units: 10_000,
      units: this.units,
      remaining: Math.max(0, 10_000 - this.units),
      overage_available: false,
      overage_enabled: false,
      overage_unit_amount_decimal: '0',
      billable_units: 0,
      spent_cents: 0,
      spend_cap_cents: 0,
      resets_at: '2026-07-01T00:00:00+00:00',
      keys: [],
    }
  }
}

/** A network for a test: its feed, or the reason why it could not be imported. */
export interface TestNetwork {
  readonly id: string
  readonly name?: string
  readonly feed?: FeedSource
  readonly lastError?: LastError
  /**
   * If given, the snapshot has the strings that are rendered at import, with these towns. Otherwise, each string is
   * rendered at its first use.
   */
  readonly texts?: { readonly towns: Towns | undefined }
}

/** When the snapshots of the tests were imported: three minutes before 06:00:00 UTC. */
export const REFRESHED_AT_MILLIS = Date.parse('2026-06-10T05:57:00Z')

/** A network with its snapshot, as in a data thread. */
export async function openNetwork({ id, name, feed, lastError, texts }: TestNetwork): Promise<Network> {
  const settings = { id, name: name ?? `${id} name`, city: 'Ville', attribution: [`${id} data, open licence`] }
  if (feed === undefined) return { settings, current: undefined, lastError }
  const timetable = buildTimetable((await loadFeed(feed)).feed)
  const made = texts && { texts: makeSnapshotTexts(timetable, id, texts.towns) }
  return {
    settings,
    current: { id: `snap-${id}`, refreshedAtMillis: REFRESHED_AT_MILLIS, timetable, ...made },
    lastError,
  }
}

/** Options for opening the API. */
export interface TestOptions {
  /** By default, one network `ville` with the small feed. */
  readonly networks?: readonly TestNetwork[]
  /** Service time; by default 2026-06-10 08:00:00 in Paris, a Wednesday. */
  readonly now?: string
  readonly corsOrigins?: readonly string[]
  /** Addresses that can be searched; none if absent. */
  readonly addresses?: ServedAddresses
  /** The URLs of pages on other ports. */
  readonly pages?: PageAddresses
  /** Planners that replace the service's own. */
  readonly planners?: Planners
  /** Maximum size of cached responses and rendered strings, in bytes; 0 caches none. */
  readonly textCacheBytes?: number
}

/** A response that has been read. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read members of any shape from the body.
  readonly body: any
}

/** Opens the API; also returns its parts, so that tests can inspect and change them. */
export async function openApi(options: TestOptions = {}) {
  const networks = new Networks(
    await Promise.all((options.networks ?? [{ id: 'ville', feed: smallFeed() }]).map(openNetwork)),
  )
  const gate = new CountingGate()
  const tally = new RouteTally(COUNTED_ROUTES)
  const service = { nowMillis: Date.parse(options.now ?? '2026-06-10T06:00:00Z') }
  const truth = { nowMillis: 0 }
  const logged: { fields: Readonly<Record<string, unknown>>; message: string }[] = []
  const app = createServer({
    networks,
    gate,
    tally,
    clock: { nowMillis: () => service.nowMillis },
    trueClock: { nowMillis: () => truth.nowMillis },
    baseUrl: 'http://api.test',
    addresses: options.addresses,
    ...(options.pages === undefined ? {} : { pages: options.pages }),
    corsOrigins: options.corsOrigins ?? ['http://console.test'],
    version: '1.0.0',
    logger: { error: (fields, message) => void logged.push({ fields, message }) },
    ...(options.planners === undefined ? {} : { planners: options.planners }),
    ...(options.textCacheBytes === undefined ? {} : { textCacheBytes: options.textCacheBytes }),
  })
  const call = async (method: string, path: string, headers: Record<string, string> = {}): Promise<Answer> => {
    const response = await app.handle(new Request(`http://localhost${path}`, { method, headers }))
    const text = await readBody(response)
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: text === '' || response.headers.get('content-type')?.includes('html') ? undefined : JSON.parse(text),
    }
  }
  const get = (path: string, headers: Record<string, string> = {}) =>
    call('GET', path, { authorization: KEY, ...headers })
  return { app, call, get, gate, tally, networks, service, truth, logged }
}
