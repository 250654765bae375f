// GET the stops near a place, and the next departures of the stops near a place, across networks.
import { Elysia } from 'elysia'
import { type BoardRow, isLiveRow, listBoard } from '../../indexes/live/live-boards.ts'
import { modeWord } from '../../indexes/timetable/modes.ts'
import { documented } from '../contract/documented.ts'
import { ROUTES } from '../contract/routes.ts'
import { Problem } from '../http/problem.ts'
import { ENVELOPE_START, envelopeEnd, namedNetwork, writeEnvelope } from '../rendering/envelope.ts'
import { JsonBytes } from '../rendering/json-bytes.ts'
import { attributionOf, overlayOf, snapshotTagOf } from '../rendering/snapshot-view.ts'
import { linesOf, placeText, placeTextAt } from '../rendering/stop-text.ts'
import { endpoint, StaticAnswer } from '../requests/endpoint.ts'
import type { Service } from '../requests/service.ts'
import { departureWindow, stopsOf } from './departures.ts'
import { type NearPlace, nearPlaces } from './near-places.ts'

/** Departures of one stop in a nearby answer. */
const DEPARTURES_PER_STOP = 8
/** The answer under construction. */
const answer = new JsonBytes()

/** Stops and departures near a place. */
export const nearbyApi = (service: Service) =>
  new Elysia({ name: 'api.nearby' })
    .get(
      ROUTES.nearbyStops.path,
      endpoint(service, ROUTES.nearbyStops, ({ values, nowMillis }) => {
        const views = service.views.select(values.networks)
        if (views instanceof Problem) return views
        return new StaticAnswer(snapshotTagOf(views), () => {
          const circle = { ...values.near, radiusMeters: values.radius }
          const places = nearPlaces(views, circle, values.modes).slice(0, values.limit)
          const stops = places.map(({ view, place, distanceMeters }) => placeTextAt(view, place, distanceMeters))
          const body = writeEnvelope(`[${stops.join(',')}]`, {
            nowMillis,
            units: ROUTES.nearbyStops.cost,
            freshness: 'scheduled',
            count: places.length,
            limit: values.limit,
            ...namedNetwork(values.networks),
            attribution: attributionOf(views),
            reason: places.length === 0 ? 'no_stops_in_range' : undefined,
          })
          return { body }
        })
      }),
      documented(ROUTES.nearbyStops),
    )
    .get(ROUTES.nearbyDepartures.path, nearbyDepartures(service), documented(ROUTES.nearbyDepartures))

const nearbyDepartures = (service: Service) =>
  endpoint(service, ROUTES.nearbyDepartures, ({ values, nowMillis }) => {
    const views = service.views.select(values.networks)
    if (views instanceof Problem) return views
    const places = nearPlaces(views, { ...values.near, radiusMeters: values.radius }, values.modes)
    const window = departureWindow('now', values.horizon, nowMillis)
    const out = answer.clear()
    out.pushText(`${ENVELOPE_START}[`)
    let groupCount = 0
    let isLive = false
    for (const near of places) {
      if (groupCount === values.limit) break
      const departures = departuresOf(near, window, values.modes)
      if (departures.length === 0) continue
      if (groupCount > 0) out.pushText(',')
      writeGroup(out, near, departures)
      isLive ||= departures.some((row) => isLiveRow(overlayOf(near.view), row))
      groupCount++
    }
    out.pushText(
      `]${envelopeEnd({
        nowMillis,
        units: ROUTES.nearbyDepartures.cost,
        freshness: isLive ? 'realtime' : 'scheduled',
        count: groupCount,
        limit: values.limit,
        ...namedNetwork(values.networks),
        attribution: attributionOf(views),
        reason: groupCount > 0 ? undefined : places.length === 0 ? 'no_stops_in_range' : 'no_departures',
      })}`,
    )
    return { body: out.view() }
  })

/** The next departures of a stop or area, of the lines of some modes. */
function departuresOf(
  { view, place }: NearPlace,
  window: { readonly fromSeconds: number; readonly toSeconds: number },
  modes: readonly string[] | undefined,
): readonly BoardRow[] {
  const { timetable } = view
  const lines =
    modes === undefined
      ? undefined
      : new Set(linesOf(view, place).filter((line) => modes.includes(modeWord(timetable.lines.mode[line]))))
  return listBoard(timetable, overlayOf(view), {
    stops: stopsOf(view, place),
    ...window,
    lines,
    limit: DEPARTURES_PER_STOP,
  })
}

function writeGroup(out: JsonBytes, near: NearPlace, departures: readonly BoardRow[]): void {
  const { view, place, distanceMeters } = near
  out.pushText(`{"stop":${placeText(view, place)},"distance_meters":${Math.round(distanceMeters)},"departures":[`)
  for (let row = 0; row < departures.length; row++) {
    if (row > 0) out.pushText(',')
    view.departures.writeReduced(out, departures[row], overlayOf(view))
  }
  out.pushText(']}')
}
