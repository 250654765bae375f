// GET the alerts of a line, a stop, a network, several networks. No network has a feed of alerts yet, so that every
// well-formed question has the same true answer: there are none.
import { Elysia } from 'elysia'
import { Problem } from '../problem.ts'
import { decodeCursor, filterHash } from './cursor.ts'
import { endpoint, type Rendered } from './endpoint.ts'
import { type Meta, writeEnvelope } from './envelope.ts'
import { resolveLine, resolveLineFilter, resolvePlace } from './public-ids.ts'
import { ROUTES } from './routes.ts'
import type { Service } from './service.ts'
import { attributionOf } from './snapshot-view.ts'

/** Alerts. */
export const alertsApi = (service: Service) =>
  new Elysia({ name: 'api.alerts' })
    .get(
      ROUTES.lineAlerts.path,
      endpoint(service, ROUTES.lineAlerts, ({ pathId, nowMillis }) => {
        const found = resolveLine(service.views, pathId)
        if (found instanceof Problem) return found
        const { slug, attributionText } = found.view
        return noAlerts({ nowMillis, units: ROUTES.lineAlerts.cost, network: slug, attribution: attributionText })
      }),
    )
    .get(
      ROUTES.stopAlerts.path,
      endpoint(service, ROUTES.stopAlerts, ({ pathId, nowMillis }) => {
        const found = resolvePlace(service.views, pathId)
        if (found instanceof Problem) return found
        const { slug, attributionText } = found.view
        return noAlerts({ nowMillis, units: ROUTES.stopAlerts.cost, network: slug, attribution: attributionText })
      }),
    )
    .get(ROUTES.networkAlerts.path, networkAlerts(service))
    .get(ROUTES.alerts.path, alertsOfNetworks(service))

const networkAlerts = (service: Service) =>
  endpoint(service, ROUTES.networkAlerts, ({ pathId, values, nowMillis }) => {
    const view = service.views.find(pathId)
    if (view instanceof Problem) return view
    const line = resolveLineFilter(service.views, view, values.line)
    if (line instanceof Problem) return line
    const bad = findBadCursor(ROUTES.networkAlerts.name, values.cursor, [
      view.slug,
      values.severity,
      values.line,
      values.when,
    ])
    return (
      bad ??
      noAlerts({
        nowMillis,
        units: ROUTES.networkAlerts.cost,
        network: view.slug,
        limit: values.limit,
        nextCursor: null,
        attribution: view.attributionText,
      })
    )
  })

const alertsOfNetworks = (service: Service) =>
  endpoint(service, ROUTES.alerts, ({ values, nowMillis }) => {
    const views = service.views.select(values.networks)
    if (views instanceof Problem) return views
    for (const view of views) {
      const line = resolveLineFilter(service.views, view, values.line)
      if (line instanceof Problem) return line
    }
    const bad = findBadCursor(ROUTES.alerts.name, values.cursor, [
      values.networks,
      values.severity,
      values.line,
      values.when,
    ])
    return (
      bad ??
      noAlerts({
        nowMillis,
        units: ROUTES.alerts.cost,
        limit: values.limit,
        nextCursor: null,
        attribution: attributionOf(views),
      })
    )
  })

function findBadCursor(route: string, cursor: string | undefined, filters: readonly unknown[]): Problem | undefined {
  const end = decodeCursor(cursor, { route, filter: filterHash(filters) }, ['number', 'number'])
  return end instanceof Problem ? end : undefined
}

function noAlerts(meta: Meta): Rendered {
  return { body: writeEnvelope('[]', { ...meta, freshness: 'scheduled', count: 0, reason: 'no_alerts' }) }
}
