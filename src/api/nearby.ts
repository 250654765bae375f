// GET the stops near a point, and the next departures from these stops, across networks.
import { Elysia } from 'elysia'
import { BoardRows } from '../../indexes/live/board-rows.ts'
import { fillBoard } from '../../indexes/live/live-boards.ts'
import { modeWord } from '../../indexes/timetable/modes.ts'
import { documented } from '../contract/documented.ts'
import { ROUTES } from '../contract/routes.ts'
import { Problem } from '../http/problem.ts'
import { ENVELOPE_START, namedNetwork, pushMeta } from '../rendering/envelope.ts'
import { COMMA, fragment, JsonBytes, LIST_END } from '../rendering/json-bytes.ts'
import { linesOf } from '../rendering/place-lines.ts'
import { attributionOf, overlayOf, type SnapshotView, snapshotTagOf, stopsOf } from '../rendering/snapshot-view.ts'
import { endpoint, StaticAnswer } from '../requests/endpoint.ts'
import type { Service } from '../requests/service.ts'
import { windowStart } from './departures.ts'
import { type NearPlace, NearPlaces } from './near-places.ts'

/** Maximum number of departures per stop in an answer. */
const DEPARTURES_PER_STOP = 8
/** Size in bytes of the buffer that keeps rendered rows for later responses. */
const KEPT_BYTES = 1 << 23
const LIST_START = fragment(`${ENVELOPE_START}[`)
const GROUP_START = fragment('{"stop":')
const DISTANCE = fragment(',"distance_meters":')
const DEPARTURES = fragment(',"departures":[')
const GROUP_END = fragment(']}')
/** A buffer for the bytes of a response, reused for every response. */
const answer = new JsonBytes(KEPT_BYTES)
/** The rows of one stop. This object is reused for every stop. */
const rows = new BoardRows()

/** The nearby routes. */
export const nearbyApi = (service: Service) =>
  new Elysia({ name: 'api.nearby' })
    .get(
      ROUTES.nearbyStops.path,
      endpoint(service, ROUTES.nearbyStops, ({ values, nowMillis }) => {
        const circle = { ...values.near, radiusMeters: values.radius }
        const views = service.views.selectAround(values.networks, circle)
        if (views instanceof Problem) return views
        return new StaticAnswer(snapshotTagOf(views), () => {
          const shown = new Set<SnapshotView>()
          const near = new NearPlaces(views, { ...circle, modes: values.modes }).take(values.limit)
          const count = near.length
          const out = answer.clear()
          out.push(LIST_START)
          for (const [at, { view, place, distanceMeters }] of near.entries()) {
            if (at > 0) out.pushByte(COMMA)
            view.places.writeAt(out, place, distanceMeters)
            shown.add(view)
          }
          out.pushByte(LIST_END)
          pushMeta(out, {
            nowMillis,
            units: ROUTES.nearbyStops.cost,
            freshness: 'scheduled',
            count,
            limit: values.limit,
            ...namedNetwork(values.networks),
            attribution: attributionOf(service.views.credited(values.networks, views, shown)),
            reason: count === 0 ? 'no_stops_in_range' : undefined,
          })
          return { body: out.view() }
        })
      }),
      documented(ROUTES.nearbyStops),
    )
    .get(ROUTES.nearbyDepartures.path, nearbyDepartures(service), documented(ROUTES.nearbyDepartures))

const nearbyDepartures = (service: Service) =>
  endpoint(service, ROUTES.nearbyDepartures, ({ values, nowMillis }) => {
    const circle = { ...values.near, radiusMeters: values.radius }
    const views = service.views.selectAround(values.networks, circle)
    if (views instanceof Problem) return views
    const shown = new Set<SnapshotView>()
    const places = new NearPlaces(views, { ...circle, modes: values.modes })
    const fromSeconds = windowStart('now', nowMillis)
    const window = { fromSeconds, toSeconds: fromSeconds + values.horizon * 60 }
    const out = answer.clear()
    out.push(LIST_START)
    let groupCount = 0
    let isLive = false
    while (groupCount < values.limit) {
      const near = places.next()
      if (near === undefined) break
      fillDepartures(near, window, values.modes)
      if (rows.length === 0) continue
      if (groupCount > 0) out.pushByte(COMMA)
      writeGroup(out, near)
      shown.add(near.view)
      isLive ||= rows.hasLiveData
      groupCount++
    }
    out.pushByte(LIST_END)
    pushMeta(out, {
      nowMillis,
      units: ROUTES.nearbyDepartures.cost,
      freshness: isLive ? 'realtime' : 'scheduled',
      count: groupCount,
      limit: values.limit,
      ...namedNetwork(values.networks),
      attribution: attributionOf(service.views.credited(values.networks, views, shown)),
      reason: groupCount > 0 ? undefined : places.count === 0 ? 'no_stops_in_range' : 'no_departures',
    })
    return { body: out.view() }
  })

/** Fills `rows` with the next departures from a stop or area, on lines of the given modes. */
function fillDepartures(
  { view, place }: NearPlace,
  window: { readonly fromSeconds: number; readonly toSeconds: number },
  modes: readonly string[] | undefined,
): void {
  const { timetable } = view
  const lines =
    modes === undefined
      ? undefined
      : new Set(linesOf(view, place).filter((line) => modes.includes(modeWord(timetable.lines.mode[line]))))
  const query = { stops: stopsOf(view, place), ...window, lines, limit: DEPARTURES_PER_STOP }
  fillBoard(timetable, overlayOf(view), { query, rows })
}

function writeGroup(out: JsonBytes, { view, place, distanceMeters }: NearPlace): void {
  out.push(GROUP_START)
  view.places.write(out, place)
  out.push(DISTANCE)
  out.pushNumber(Math.round(distanceMeters))
  out.push(DEPARTURES)
  view.departures.writeReducedRows(out, rows, overlayOf(view))
  out.push(GROUP_END)
}
