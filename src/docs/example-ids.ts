// Ids and places for the examples of the served API document. They belong to a served network and to a trip within the
// next day, so the first call that a reader tries gets a response with data.
import { stopOfTrip, stopsOfTrip } from '../../indexes/live/live-trip.ts'
import { findTripByRef } from '../../indexes/live/trip-by-ref.ts'
import { type Departure, listDepartures } from '../../indexes/timetable/boards.ts'
import type { StopIndex, Timetable } from '../../indexes/timetable/timetable.ts'
import { tripRef } from '../../indexes/timetable/trips.ts'
import { textOf } from '../../loaders/strings.ts'
import { PATH_EXAMPLES } from '../contract/documented.ts'
import { plannedRideRef } from '../rendering/journey-id.ts'
import { lineId, stopId } from '../rendering/public-ids.ts'
import { overlayOf, type SnapshotView } from '../rendering/snapshot-view.ts'
import type { Service } from '../requests/service.ts'

/** Name of a path parameter or of a required query parameter → its value in examples. */
export type ExampleValues = Readonly<Record<string, string | readonly string[]>>

/**
 * For operations that need at least one of several optional parameters: operation → the parameter that gets an example.
 */
export const ALSO_NEEDED: Readonly<Record<string, string>> = { listExplanations: 'line' }

/** Example values for the API documents stored in the repository, and for a service without a network. */
export const KEPT_VALUES: ExampleValues = {
  ...PATH_EXAMPLES,
  line: PATH_EXAMPLES.line_id,
  trip: PATH_EXAMPLES.trip_id,
  from: 'cts:stop:HOFER_04',
  to: '48.5839,7.7455',
  near: '48.5839,7.7455',
  q: 'homme de fer',
  networks: ['cts'],
}

const WINDOW_SECONDS = 86_400
/** Maximum number of departures to try at each stop. */
const MOST_TRIED = 5

/** A string that changes when the example values must be chosen again: with each new snapshot, and each day. */
export function exampleEpoch(service: Service): string {
  const day = Math.floor(service.clock.nowMillis() / 1000 / WINDOW_SECONDS)
  return [day, ...service.views.ready().list.map(({ snapshot }) => snapshot.id)].join(' ')
}

/** The example values for the first network that has a departure within a day; KEPT_VALUES if no network has one. */
export function exampleValues(service: Service): ExampleValues {
  const fromSeconds = Math.floor(service.clock.nowMillis() / 1000)
  for (const view of service.views.ready().list) {
    const departure = firstDeparture(view, fromSeconds)
    if (departure !== undefined) return valuesOf(view, departure)
  }
  return KEPT_VALUES
}

/**
 * The next departure within a day, at the first stop that has one. Departures of trips that live data has deleted are
 * skipped.
 */
function firstDeparture(view: SnapshotView, fromSeconds: number): Departure | undefined {
  const { timetable } = view
  const window = { fromSeconds, toSeconds: fromSeconds + WINDOW_SECONDS, lines: undefined, directionId: undefined }
  const isThere = (departure: Departure) =>
    findTripByRef(timetable, overlayOf(view), tripRef(timetable, departure)) !== undefined
  for (const stop of new Set(Array.from(timetable.directions.stopAt))) {
    const departure = listDepartures(timetable, { ...window, stops: [stop], limit: MOST_TRIED }).find(isThere)
    if (departure !== undefined) return departure
  }
  return undefined
}

function valuesOf(view: SnapshotView, departure: Departure): ExampleValues {
  const { timetable, slug } = view
  const { trip, position, stop } = departure
  const last = stopsOfTrip(timetable, trip).length - 1
  const from = stopId(view, stop)
  const ref = `${slug}:trip:${tripRef(timetable, departure)}`
  const line = lineId(view, timetable.patterns.line[timetable.trips.pattern[trip]])
  return {
    network: slug,
    networks: [slug],
    line_id: line,
    line,
    stop_id: from,
    trip_id: ref,
    trip: ref,
    journey_id: `${slug}:journey:${plannedRideRef(timetable, departure, { from: position, to: last })}`,
    from,
    to: pointOf(timetable, stopOfTrip(timetable, trip, last)),
    near: pointOf(timetable, stop),
    q: textOf(timetable.strings, timetable.stops.name[stop]),
  }
}

function pointOf({ stops }: Timetable, stop: StopIndex): string {
  return `${stops.lat[stop].toFixed(4)},${stops.lon[stop].toFixed(4)}`
}
