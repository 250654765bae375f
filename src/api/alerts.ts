// GET the alerts for a line, a stop, a network or several networks. alert-list.ts selects them. The routes for networks
// return pages.
import { Elysia } from 'elysia'
import { documented } from '../contract/documented.ts'
import type { Moment } from '../contract/parameters.ts'
import { ROUTES } from '../contract/routes.ts'
import { Problem } from '../http/problem.ts'
import { alertSourcesText, type Meta, namedNetwork, writeEnvelope } from '../rendering/envelope.ts'
import { resolveLine, resolveLineFilter, resolvePlace } from '../rendering/public-ids.ts'
import { attributionOf, type SnapshotView } from '../rendering/snapshot-view.ts'
import { endpoint, type Rendered } from '../requests/endpoint.ts'
import type { Service } from '../requests/service.ts'
import {
  ALERT_KEYS,
  type AlertMoments,
  type AlertSubject,
  type ListedAlert,
  listAlerts,
  listedAlertText,
} from './alert-list.ts'
import { compareEnds, decodeCursor, encodeCursor, filterHash } from './cursor.ts'

/** The alert routes. */
export const alertsApi = (service: Service) =>
  new Elysia({ name: 'api.alerts' })
    .get(
      ROUTES.lineAlerts.path,
      endpoint(service, ROUTES.lineAlerts, ({ pathId, values, nowMillis }) => {
        const found = resolveLine(service.views, pathId)
        if (found instanceof Problem) return found
        const { view, line } = found
        return alertsOfOne(
          view,
          { kind: 'line', line },
          { when: values.when, nowMillis, units: ROUTES.lineAlerts.cost },
        )
      }),
      documented(ROUTES.lineAlerts),
    )
    .get(
      ROUTES.stopAlerts.path,
      endpoint(service, ROUTES.stopAlerts, ({ pathId, values, nowMillis }) => {
        const found = resolvePlace(service.views, pathId)
        if (found instanceof Problem) return found
        const { view, place } = found
        return alertsOfOne(
          view,
          { kind: 'place', place, also: alsoOf(values.include) },
          { when: values.when, nowMillis, units: ROUTES.stopAlerts.cost },
        )
      }),
      documented(ROUTES.stopAlerts),
    )
    .get(ROUTES.networkAlerts.path, networkAlerts(service), documented(ROUTES.networkAlerts))
    .get(ROUTES.alerts.path, alertsOfNetworks(service), documented(ROUTES.alerts))

/** The alerts to list in addition to those of the place itself; see `AlertSubject`. */
function alsoOf(include: readonly string[] | undefined): readonly ('lines' | 'agency')[] {
  return (['lines', 'agency'] as const).filter((word) => include?.includes(word))
}

/** A response with all alerts for one line, stop or area. */
function alertsOfOne(
  view: SnapshotView,
  subject: AlertSubject,
  { when, nowMillis, units }: { when: Moment; nowMillis: number; units: number },
): Rendered {
  const moments = momentsOf(when, nowMillis)
  const alerts = listAlerts(view, subject, moments)
  return { body: writeAlerts(alerts, moments, { ...metaOf(view, nowMillis), units }) }
}

const networkAlerts = (service: Service) =>
  endpoint(service, ROUTES.networkAlerts, ({ pathId, values, nowMillis }) => {
    const view = service.views.find(pathId)
    if (view instanceof Problem) return view
    const { name, cost } = ROUTES.networkAlerts
    return pageOfAlerts(service, {
      views: [view],
      values,
      route: name,
      meta: { ...metaOf(view, nowMillis), units: cost },
    })
  })

const alertsOfNetworks = (service: Service) =>
  endpoint(service, ROUTES.alerts, ({ values, nowMillis }) => {
    const views = service.views.select(values.networks)
    if (views instanceof Problem) return views
    const { name, cost } = ROUTES.alerts
    const sources = alertSourcesText(views, nowMillis)
    const meta = { nowMillis, units: cost, ...namedNetwork(values.networks), sources }
    return pageOfAlerts(service, { views, values, route: name, meta })
  })

/** The `meta` of responses about one network. If there are no alerts, `sources` shows whether live data is missing. */
function metaOf(view: SnapshotView, nowMillis: number): Omit<Meta, 'units'> {
  const sources = alertSourcesText([view], nowMillis)
  return { nowMillis, network: view.slug, attribution: view.attributionText, sources }
}

/** A request for a page of alerts. */
interface PageQuestion {
  readonly views: readonly SnapshotView[]
  readonly values: {
    readonly severity: readonly string[] | undefined
    readonly line: string | undefined
    readonly when: Moment
    readonly limit: number
    readonly cursor: string | undefined
  }
  readonly route: string
  readonly meta: Meta
}

function pageOfAlerts(service: Service, { views, values, route, meta }: PageQuestion): Rendered | Problem {
  const { severity, when, limit } = values
  const moments = momentsOf(when, meta.nowMillis)
  const alerts: ListedAlert[] = []
  for (const view of views) {
    const line = resolveLineFilter(service.views, view, values.line)
    if (line instanceof Problem) return line
    alerts.push(...listAlerts(view, { kind: 'line', line }, moments))
  }
  const scope = { route, filter: filterHash([views.map(({ slug }) => slug), severity, values.line, when]) }
  const start = decodeCursor(values.cursor, scope, ALERT_KEYS)
  if (start instanceof Problem) return start
  const left = alerts
    .filter(({ row }) => severity === undefined || severity.includes(row.severity))
    .filter(({ end }) => start === undefined || compareEnds(end, start) > 0)
    .sort((a, b) => compareEnds(a.end, b.end))
  const shown = left.slice(0, limit)
  const last = left.length > limit ? shown.at(-1) : undefined
  const nextCursor = last === undefined ? null : encodeCursor(scope, last.end)
  const credited = views.length === 1 ? views : [...new Set(shown.map(({ view }) => view))]
  const attribution = attributionOf(credited)
  return { body: writeAlerts(shown, moments, { ...meta, attribution, limit, nextCursor }), nextCursor }
}

function momentsOf(when: Moment, nowMillis: number): AlertMoments {
  const nowSeconds = Math.floor(nowMillis / 1000)
  return { nowSeconds, seconds: when === 'now' ? nowSeconds : Math.floor(when / 1000) }
}

function writeAlerts(alerts: readonly ListedAlert[], { seconds }: AlertMoments, meta: Meta): string {
  return writeEnvelope(`[${alerts.map((alert) => listedAlertText(alert, seconds)).join(',')}]`, {
    ...meta,
    freshness: alerts.length > 0 ? 'realtime' : 'scheduled',
    count: alerts.length,
    reason: alerts.length === 0 ? 'no_alerts' : undefined,
  })
}
