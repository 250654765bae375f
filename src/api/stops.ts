// GET the stops of a network, and one stop or area with its lines.
import { Elysia } from 'elysia'
import { documented } from '../contract/documented.ts'
import type { Values } from '../contract/parameters.ts'
import { ROUTES } from '../contract/routes.ts'
import { Problem } from '../http/problem.ts'
import { LastingAnswer } from '../rendering/answer-cache.ts'
import { ENVELOPE_START, pushMeta } from '../rendering/envelope.ts'
import { fragment, JsonBytes } from '../rendering/json-bytes.ts'
import { type LineFilter, resolveLineFilter, resolvePlace } from '../rendering/public-ids.ts'
import type { SnapshotView } from '../rendering/snapshot-view.ts'
import { endpoint, StaticAnswer } from '../requests/endpoint.ts'
import type { Service } from '../requests/service.ts'
import { decodeCursor, encodeCursor, filterHash } from './cursor.ts'
import { keyShape, pageOfStops, type StopPage, type StopQuestion } from './stop-list.ts'

const DATA_START = fragment(ENVELOPE_START)
/** A buffer for the response that is being written. */
const answer = new JsonBytes()

/** The routes for stops and areas. */
export const stopsApi = (service: Service) =>
  new Elysia({ name: 'api.stops' })
    .get(ROUTES.networkStops.path, networkStops(service), documented(ROUTES.networkStops))
    .get(
      ROUTES.stop.path,
      endpoint(service, ROUTES.stop, ({ pathId, nowMillis, isKept }) => {
        const found = resolvePlace(service.views, pathId)
        if (found instanceof Problem) return found
        const { view, place } = found
        return new StaticAnswer(view.tag, () => {
          const out = answer.clear()
          out.push(DATA_START)
          view.places.writeDetail(out, place)
          if (isKept) return new LastingAnswer({ basis: view, start: out.view(), end: endOf(view), nowMillis })
          endOf(view)(out, nowMillis)
          return { body: out.view() }
        })
      }),
      documented(ROUTES.stop),
    )

function endOf(view: SnapshotView): (out: JsonBytes, nowMillis: number) => void {
  return (out, nowMillis) =>
    pushMeta(out, {
      nowMillis,
      units: ROUTES.stop.cost,
      network: view.slug,
      freshness: 'scheduled',
      attribution: view.attributionText,
    })
}

const networkStops = (service: Service) =>
  endpoint(service, ROUTES.networkStops, ({ pathId, values, nowMillis }) => {
    const view = service.views.find(pathId)
    if (view instanceof Problem) return view
    const line = resolveLineFilter(service.views, view, values.line)
    if (line instanceof Problem) return line
    const question = toQuestion(values, line)
    const scope = {
      route: ROUTES.networkStops.name,
      filter: filterHash([view.slug, { ...question, line: values.line }]),
    }
    const start = decodeCursor(values.cursor, scope, keyShape(question))
    if (start instanceof Problem) return start
    return new StaticAnswer(view.tag, () => {
      const page = pageOfStops(view, question, { limit: values.limit, start })
      const nextCursor = page.end === null ? null : encodeCursor(scope, page.end)
      const out = answer.clear()
      writePage(out, view, page)
      pushMeta(out, {
        nowMillis,
        units: ROUTES.networkStops.cost,
        network: view.slug,
        freshness: 'scheduled',
        count: page.items.length,
        limit: values.limit,
        nextCursor,
        attribution: view.attributionText,
        reason: page.items.length === 0 ? 'no_matches' : undefined,
      })
      return { body: out.view(), nextCursor }
    })
  })

function toQuestion(values: Values<typeof ROUTES.networkStops.parameters>, line: LineFilter): StopQuestion {
  const { q, near, radius, bbox, kind } = values
  return { q, near, radiusMeters: radius, box: bbox, line, kind }
}

function writePage(out: JsonBytes, view: SnapshotView, page: StopPage): void {
  out.push(DATA_START)
  out.pushText('[')
  for (const [at, { place, distanceMeters }] of page.items.entries()) {
    if (at > 0) out.pushText(',')
    if (distanceMeters === undefined) view.places.write(out, place)
    else view.places.writeAt(out, place, distanceMeters)
  }
  out.pushText(']')
}
