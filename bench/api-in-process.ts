// Runs the API without sockets, for allocated.ts and handlers.ts. The gate, the usage meter and the snapshot of the
// feed are real. The live data comes from one generated message and does not change.
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import GtfsRealtime from 'gtfs-realtime-bindings'
import { buildOverlay, openOverlay, packOverlay } from '../indexes/live/build-overlay.ts'
import { LiveTripReader } from '../indexes/live/live-trips.ts'
import { decodeMessage } from '../loaders/gtfs-rt/decode-message.ts'
import type { Gate } from '../src/access/gate.ts'
import { allocateLimitCells, openGate } from '../src/access/open-gate.ts'
import { keyLastFour, keyPrefix } from '../src/keys/api-key.ts'
import { KeyHasher } from '../src/keys/pepper.ts'
import { segmentPath, writeSegment } from '../src/metering/segment.ts'
import { COUNTS_PER_THREAD } from '../src/metrics/count-memory.ts'
import { ThreadCounts } from '../src/metrics/thread-counts.ts'
import { type NetworkLive, Networks, type Snapshot } from '../src/networks/network.ts'
import { findSnapshot } from '../src/networks/snapshot-store.ts'
import { DEFAULT_PLANS } from '../src/plans/plans.ts'
import type { Connections, RoutedEndpoint } from '../src/requests/service.ts'
import { createServer } from '../src/server/server.ts'
import { TRUE_CLOCK } from '../src/system/clock.ts'
import { makeBodies } from './live-world.ts'

const { FeedMessage } = GtfsRealtime.transit_realtime
const DAY_MILLIS = 86_400_000
const AUDIENCE = 'api.test'

/** The settings with which `openApi` opens the API. */
export interface ApiOrder {
  readonly dataDir: string
  readonly key: string
  readonly nowSeconds: number
  /** Number of calls that have a delay in the live data. */
  readonly updates: number
}

/** A function that answers a request, like a handler in Bun's router. */
export type Answerer = (request: Request) => Response | Promise<Response>

/** Opens the API. Returns a function that finds the handler that Bun's router would call for a path. */
export function openApi({ dataDir, key, nowSeconds, updates }: ApiOrder): (path: string) => Answerer {
  const { found } = findSnapshot(dataDir, 'net')
  if (found === undefined) throw new Error('the import left no snapshot')
  const { snapshot } = found.loaded
  const nowMillis = nowSeconds * 1000
  const networks = new Networks([
    {
      settings: { id: 'net', name: 'Net', city: 'Town', attribution: [] },
      current: snapshot,
      live: liveOf(snapshot, nowSeconds, updates),
      lastError: undefined,
    },
  ])
  const app = createServer({
    networks,
    gate: gateOf(key, dataDir),
    counts: new ThreadCounts(new SharedArrayBuffer(COUNTS_PER_THREAD * 8), 0),
    clock: { nowMillis: () => nowMillis },
    baseUrl: `http://${AUDIENCE}`,
    corsOrigins: [],
    version: '1.0.0',
    logger: { error: (fields) => console.error(fields) },
  })
  // Bun's router prefers routes without an id in the path, so routes with fewer ids come first here.
  const routes = Object.entries(app.config.serve?.routes ?? {}).toSorted(
    ([a], [b]) => a.split(':').length - b.split(':').length,
  )
  return (path) => {
    const [, methods] = routes.find(([route]) => matches(route, path)) ?? []
    if (!isByMethod(methods)) throw new Error(`Bun's router does not call ${path} directly`)
    return (request) => methods.GET(request, CONNECTIONS)
  }
}

/** The gate requires this argument, but does not use it, because the key is valid. */
const CONNECTIONS: Connections = { requestIP: () => null, timeout: () => undefined }

function isByMethod(methods: unknown): methods is { readonly GET: RoutedEndpoint['direct'] } {
  return typeof methods === 'object' && methods !== null && 'GET' in methods
}

function matches(route: string, path: string): boolean {
  const [routed, requested] = [route, path.split('?')[0] ?? ''].map((each) => each.split('/'))
  return (
    routed.length === requested.length && routed.every((part, at) => part.startsWith(':') || part === requested[at])
  )
}

/** A gate whose only key is `key`. All requests in the benchmark use this key. */
function gateOf(key: string, dataDir: string): Gate {
  const pepper = { id: 'a', secret: new Uint8Array(32).fill(7) }
  const account = { id: 'acc_1', plan: 'max', isVerified: true, isSuspended: false } as const
  const record = {
    id: 'key_00000001',
    accountId: account.id,
    name: 'bench',
    prefix: keyPrefix(key),
    lastFour: keyLastFour(key),
    digest: new KeyHasher(pepper).digest(key).toHex(),
    pepperId: pepper.id,
    scopes: ['transit:read'],
    audience: AUDIENCE,
    createdAtMillis: 0,
    expiresAtMillis: null,
    revokedAtMillis: null,
  } as const
  const folder = mkdtempSync(join(dataDir, 'slots-'))
  writeSegment(segmentPath(folder, 0), { writerId: '0'.repeat(32), ordinal: 0 })
  const limits = { isOverageEnabled: false, spendCapCents: 0, cell: 0 }
  const order = {
    ring: { peppers: [pepper], accounts: [{ ...account, ...limits }], keys: [record] },
    audience: AUDIENCE,
    plans: DEFAULT_PLANS,
    folder,
    lastUtcDays: [Math.floor(TRUE_CLOCK.nowMillis() / DAY_MILLIS)],
    past: [],
    cells: allocateLimitCells(1),
  }
  return openGate(order, 0, TRUE_CLOCK).gate
}

/**
 * The live data of a network after a single GTFS-Realtime message, in the form in which the live thread publishes it.
 */
function liveOf({ id, timetable }: Snapshot, nowSeconds: number, updates: number): NetworkLive {
  const [body = new Uint8Array(0)] = makeBodies(timetable, nowSeconds, updates)
  const header = { gtfsRealtimeVersion: '2.0', timestamp: nowSeconds }
  const bytes = Buffer.concat([FeedMessage.encode({ header, entity: [] }).finish(), body])
  const { trips } = decodeMessage(bytes)
  const read = new LiveTripReader(timetable).read([{ timestampSeconds: nowSeconds, trips }], nowSeconds)
  const meta = { snapshotId: id, version: 1, baseSeconds: nowSeconds, feedIds: ['trips'] }
  const millis = nowSeconds * 1000
  return {
    capabilities: { trips: true, alerts: false, vehicles: 'none' },
    feeds: [
      {
        id: 'trips',
        fetchedAtMillis: millis,
        timestampMillis: millis,
        freshMillis: 90_000,
        maxAgeMillis: 300_000,
        carries: { trips: true, vehicles: false, alerts: false },
        matchRate: 1,
        lastError: undefined,
        budget: undefined,
      },
    ],
    overlay: openOverlay(packOverlay(buildOverlay(timetable, read.trips, meta))),
  }
}
