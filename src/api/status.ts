// GET /v1/health and /v1/status: liveness, and the health of each network. Public, uncharged.
import { Elysia } from 'elysia'
import { documented } from '../contract/documented.ts'
import { ROUTES } from '../contract/routes.ts'
import type { FeedStatus, LastError, Network } from '../networks/network.ts'
import { writeEnvelope } from '../rendering/envelope.ts'
import { utcText } from '../rendering/timestamps.ts'
import { endpoint } from '../requests/endpoint.ts'
import type { Service } from '../requests/service.ts'
import { publicMessage } from './public-error.ts'

/** How long a response from `/v1/status` is reused for all clients. */
const STATUS_KEPT_MILLIS = 30_000
const HEALTH = '{"status":"ok","service":"service-api"}'

/** The health and status routes. */
export const statusApi = (service: Service) => {
  const status = new KeptStatus(service)
  return new Elysia({ name: 'api.status' })
    .get(
      ROUTES.health.path,
      endpoint(service, ROUTES.health, ({ nowMillis }) => ({
        body: writeEnvelope(HEALTH, { nowMillis, units: ROUTES.health.cost }),
      })),
      documented(ROUTES.health),
    )
    .get(
      ROUTES.status.path,
      endpoint(service, ROUTES.status, ({ nowMillis }) => ({ body: status.text(nowMillis) })),
      documented(ROUTES.status),
    )
}

/** The last rendered status. Its age is measured with `trueClock`, because the service clock may be stopped. */
class KeptStatus {
  private readonly service: Service
  private body = ''
  private renderedAtMillis = Number.NEGATIVE_INFINITY

  constructor(service: Service) {
    this.service = service
  }

  text(nowMillis: number): string {
    const trueMillis = this.service.trueClock.nowMillis()
    const ageMillis = trueMillis - this.renderedAtMillis
    if (!(ageMillis >= 0 && ageMillis < STATUS_KEPT_MILLIS)) {
      const entries = this.service.networks.list.map((network) => statusEntry(this.service, network, nowMillis))
      const reason = entries.length === 0 ? 'no_networks' : undefined
      const streets = streetsStatus(this.service.networks.list)
      this.body = writeEnvelope(JSON.stringify(entries), { nowMillis, units: ROUTES.status.cost, reason, streets })
      this.renderedAtMillis = trueMillis
    }
    return this.body
  }
}

/**
 * If less than this share of a feed's trips match the timetable, the network is degraded, even if the feed is fresh.
 */
const LEAST_MATCH_RATE = 0.5
/** How long an error is shown after it last occurred, even if the network has recovered. */
const ERROR_SHOWN_MILLIS = 3_600_000

type Health = 'ok' | 'degraded' | 'down'

/** The public status of a network, for the status page. */
export interface NetworkStatus {
  readonly id: string
  readonly name: string
  readonly city: string
  readonly health: Health
  readonly feeds: readonly FeedStatus[]
  /** When the timetable was imported, as a timestamp; undefined before the first import. */
  readonly refreshedAt: string | undefined
  readonly error: { readonly at: string; readonly source: string; readonly message: string } | undefined
}

/** The status of every network, as in /v1/status. */
export function listStatus(service: Service, nowMillis: number): NetworkStatus[] {
  return service.networks.list.map((network) => {
    const { id, name, city } = network.settings
    const entry = statusEntry(service, network, nowMillis)
    return {
      id,
      name,
      city,
      health: entry.realtime,
      feeds: network.live?.feeds ?? [],
      refreshedAt: entry.static_refreshed_at ?? undefined,
      error: entry.last_error ?? undefined,
    }
  })
}

function statusEntry(service: Service, network: Network, nowMillis: number) {
  const view = service.views.viewOf(network)
  const timestamp = (millis: number) => {
    if (view !== undefined) return view.localTime.text(Math.floor(millis / 1000))
    return utcText(millis).replace('Z', '+00:00')
  }
  const feeds = network.live?.feeds ?? []
  const error = newestError([network.lastError, ...feeds.map((feed) => feed.lastError)], nowMillis)
  return {
    network: network.settings.id,
    static_refreshed_at: view === undefined ? null : timestamp(view.snapshot.refreshedAtMillis),
    realtime: view === undefined ? 'down' : healthOf(feeds, nowMillis),
    budgets: Object.fromEntries(
      feeds.flatMap(({ id, budget }) =>
        budget === undefined
          ? []
          : [[id, { used: budget.used, limit: budget.limit, resets_at: timestamp(budget.resetsAtMillis) }]],
      ),
    ),
    mismatched_feeds: feeds.flatMap(({ id, matches }) =>
      matches?.mismatch === undefined
        ? []
        : [{ id, trip_updates: matches.total, matched: matches.matched, reasons: matches.mismatch }],
    ),
    last_error: error === undefined ? null : { at: timestamp(error.atMillis), ...errorMembers(error) },
  }
}

/** The state of the street maps of all networks, as JSON; undefined if no network has streets. */
function streetsStatus(networks: readonly Network[]): string | undefined {
  const walked = networks.filter(({ settings }) => settings.hasStreets === true)
  if (walked.length === 0) return undefined
  const meta = walked.find(({ streets }) => streets !== undefined)?.streets?.meta
  const links = walked.flatMap(({ streets }) => streets?.links?.meta ?? [])
  const error = walked.find(({ streetsError }) => streetsError !== undefined)?.streetsError
  const extractMillis = meta?.extractSeconds === undefined ? undefined : meta.extractSeconds * 1000
  return JSON.stringify({
    built_at: meta === undefined ? null : utcText(meta.madeAtMillis),
    extract_timestamp: extractMillis === undefined ? null : utcText(extractMillis),
    kilometers: Math.round(meta?.kilometers ?? 0),
    stops_linked: links.reduce((sum, { linkedStops }) => sum + linkedStops, 0),
    stops_unlinked: links.reduce((sum, { unlinkedStops }) => sum + unlinkedStops, 0),
    last_error: error === undefined ? null : { at: utcText(error.atMillis), ...errorMembers(error) },
  })
}

function errorMembers(error: LastError) {
  return { source: error.source, reason: error.reason, message: publicMessage(error) }
}

/** The health of a network, from the age and match rate of its feeds. A network without live feeds is healthy. */
function healthOf(feeds: readonly FeedStatus[], nowMillis: number): Health {
  if (feeds.length === 0) return 'ok'
  const ages = feeds.map(({ timestampMillis }) =>
    timestampMillis === undefined ? Infinity : nowMillis - timestampMillis,
  )
  if (feeds.every((feed, at) => ages[at] > feed.maxAgeMillis)) return 'down'
  const isWell = feeds.every((feed, at) => ages[at] <= feed.freshMillis && (feed.matchRate ?? 1) >= LEAST_MATCH_RATE)
  return isWell ? 'ok' : 'degraded'
}

function newestError(errors: readonly (LastError | undefined)[], nowMillis: number): LastError | undefined {
  return errors
    .filter((error) => error !== undefined)
    .filter(({ atMillis }) => nowMillis - atMillis < ERROR_SHOWN_MILLIS)
    .sort((a, b) => b.atMillis - a.atMillis)[0]
}
