// GET /v1/networks and /v1/networks/{network}: the networks, their capabilities and statistics.
import { Elysia } from 'elysia'
import { documented } from '../contract/documented.ts'
import { ROUTES } from '../contract/routes.ts'
import { Problem } from '../http/problem.ts'
import { writeEnvelope } from '../rendering/envelope.ts'
import { attributionOf, type SnapshotView } from '../rendering/snapshot-view.ts'
import { endpoint, StaticAnswer } from '../requests/endpoint.ts'
import type { Service } from '../requests/service.ts'

/** The network routes. They leave out networks that have no snapshot yet. `/v1/status` lists those too. */
export const networksApi = (service: Service) =>
  new Elysia({ name: 'api.networks' })
    .get(
      ROUTES.networks.path,
      endpoint(service, ROUTES.networks, ({ nowMillis }) => {
        const { list: views, tag } = service.views.ready()
        return new StaticAnswer(tag + capabilityTags(views), () => ({
          body: writeEnvelope(`[${views.map(networkText).join(',')}]`, {
            nowMillis,
            units: ROUTES.networks.cost,
            freshness: 'scheduled',
            count: views.length,
            attribution: attributionOf(views),
            ...(views.length === 0 ? { reason: 'not_ready' } : {}),
          }),
        }))
      }),
      documented(ROUTES.networks),
    )
    .get(
      ROUTES.network.path,
      endpoint(service, ROUTES.network, ({ pathId, nowMillis }) => {
        const view = service.views.find(pathId)
        if (view instanceof Problem) return view
        return new StaticAnswer(view.tag + capabilityTag(view) + (walksOf(view)?.walks ?? ''), () => ({
          body: writeEnvelope(JSON.stringify({ ...networkMembers(view), stats: statsOf(view), ...walksOf(view) }), {
            nowMillis,
            units: ROUTES.network.cost,
            network: view.slug,
            freshness: 'scheduled',
            attribution: view.attributionText,
          }),
        }))
      }),
      documented(ROUTES.network),
    )

/** The rendered JSON of each network, and the tag of the capabilities for which it was rendered. */
const knownTexts = new WeakMap<SnapshotView, { readonly tag: string; readonly text: string }>()

/** Renders a network as JSON. The JSON is rendered again only if the network has changed. */
function networkText(view: SnapshotView): string {
  const tag = capabilityTag(view)
  const known = knownTexts.get(view)
  if (known !== undefined && known.tag === tag) return known.text
  const text = JSON.stringify(networkMembers(view))
  knownTexts.set(view, { tag, text })
  return text
}

function networkMembers(view: SnapshotView) {
  const { settings, timetable, snapshot } = view
  return {
    id: view.slug,
    name: settings.name,
    city: settings.city,
    timezone: timetable.meta.timezone,
    modes: timetable.meta.modes,
    capabilities: capabilitiesOf(view),
    static_refreshed_at: view.localTime.text(Math.floor(snapshot.refreshedAtMillis / 1000)),
  }
}

/** The capabilities of a network. */
function capabilitiesOf(view: SnapshotView) {
  const live = view.network.live?.capabilities
  return {
    realtime_departures: live?.trips ?? false,
    vehicles: live?.vehicles ?? 'none',
    alerts: live?.alerts ?? false,
    journeys: plannerOf(view),
    shapes: view.timetable.meta.hasShapes,
    places: true,
    streams: true,
  }
}

/** The planner that finds journeys if the request does not choose one. */
function plannerOf({ settings }: SnapshotView): 'native' | 'service' {
  return settings.journeys?.native === undefined ? 'service' : 'native'
}

function capabilityTags(views: readonly SnapshotView[]): string {
  const tags = views.map(capabilityTag).join('')
  return tags.length > MOST_TAG_LENGTH ? Bun.hash.wyhash(tags).toString(36) : tags
}

/** Maximum length of the joined tags, in characters. Longer ones are hashed. */
const MOST_TAG_LENGTH = 40

/** A tag that changes when a network's capabilities change, which can happen without a new snapshot. */
function capabilityTag(view: SnapshotView): string {
  const live = view.network.live?.capabilities
  const planner = plannerOf(view) === 'native' ? '.native' : ''
  if (live === undefined) return planner
  return `.${Number(live.trips) + 2 * Number(live.alerts)}${live.vehicles}${planner}`
}

/** How walks to and from stops are measured; undefined if the network has no streets. */
function walksOf({ settings, network }: SnapshotView): { readonly walks: string } | undefined {
  if (settings.hasStreets !== true) return undefined
  const { linkedStops = 0, unlinkedStops = 0 } = network.streets?.links?.meta ?? {}
  return { walks: linkedStops === 0 ? 'straight' : unlinkedStops === 0 ? 'streets' : 'mixed' }
}

function statsOf(view: SnapshotView) {
  const { lines, stops, areas, shapes } = view.timetable
  return {
    lines: lines.id.length,
    stops: stops.id.length,
    areas: areas.id.length,
    shapes: shapes.id.length,
  }
}
