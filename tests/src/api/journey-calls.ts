// Compares journeys for random queries with the rest of the API: each call of a ride with the board of its stop, each
// journey with the same journey when it is requested again, and the ends of each polyline with the ends of its section.
import { greatCircleMeters } from '../../../indexes/spatial/great-circle.ts'
import type { openApi } from './api-under-test.ts'

/** How far the ends of a ride's polyline may be from the ride's stops, since shapes follow the road. */
const DRAWN_ASIDE_METERS = 300

/** The members of a call that are compared. */
interface ReportedCall {
  readonly stop_id: string
  readonly status: string
  readonly platform: string
  readonly lat: number
  readonly lon: number
  readonly arrival: ReportedTime | null
  readonly departure: ReportedTime | null
}

interface ReportedTime {
  readonly scheduled_at: string
  readonly expected_at: string | null
  readonly delay_seconds: number | null
}

/** The result of the comparison. */
export interface CallsVerdict {
  journeys: number
  calls: number
  /** Number of calls that were found on their boards. */
  boarded: number
  /** Number of these calls for which the board has live data. */
  live: number
  seated: number
  readonly faults: string[]
}

/** A verdict before any check. */
export function emptyCallsVerdict(): CallsVerdict {
  return { journeys: 0, calls: 0, boarded: 0, live: 0, seated: 0, faults: [] }
}

type Api = Awaited<ReturnType<typeof openApi>>
const ALL = 'include=calls,geometry,alerts'

/**
 * Requests journeys. Compares each with the boards of its stops, and with the same journey when it is requested again.
 * Adds the results to `verdict`.
 * @param query query string for `/v1/journeys`
 */
export async function checkCalls(api: Api, query: string, verdict: CallsVerdict): Promise<void> {
  let answer = await api.get(`/v1/journeys?${query}&${ALL}`)
  // Repeated, since a busy machine may take longer than the planner's deadline.
  while (answer.body.reason === 'planner_timeout') answer = await api.get(`/v1/journeys?${query}&${ALL}`)
  const { status, body, text } = answer
  if (status !== 200) throw new Error(text)
  for (const journey of body.data) {
    verdict.journeys++
    const report = (fault: string) => verdict.faults.push(`${query} ${journey.id}: ${fault}`)
    const again = await api.get(`/v1/journeys/${journey.id}?${ALL}`)
    // A journey on foot always leaves now, so its times may differ.
    const hasRide = journey.sections.some(({ kind }: { kind: string }) => kind === 'transit')
    const isSame = hasRide ? Bun.deepEquals(again.body.data, journey) : again.body.data?.id === journey.id
    if (again.status !== 200 || !isSame) report(`requested again, it is ${again.text}\nnot ${JSON.stringify(journey)}`)
    for (const section of journey.sections) {
      const drawn = findDrawingFault(section)
      if (drawn !== undefined) report(drawn)
      if (section.kind === 'transit') await checkRide(api, section, { verdict, report })
    }
  }
}

// biome-ignore lint/suspicious/noExplicitAny: tests read members of any shape from a section.
type AnySection = any

function findDrawingFault({ geometry, from_place: from, to_place: to }: AnySection): string | undefined {
  const { coordinates } = geometry
  if (geometry.type !== 'LineString' || coordinates.length < 2) return 'a drawing is a line'
  const isLong = coordinates.flat().some((degrees: number) => Number(degrees.toFixed(6)) !== degrees)
  if (isLong) return `more than six decimals: ${JSON.stringify(coordinates)}`
  const asideOf = (at: readonly [number, number], place: { lat: number; lon: number }) =>
    greatCircleMeters(at[1], at[0], place.lat, place.lon)
  const aside = Math.max(asideOf(coordinates[0], from), asideOf(coordinates.at(-1), to))
  return aside > DRAWN_ASIDE_METERS ? `drawn ${aside} m from its end` : undefined
}

async function checkRide(
  api: Api,
  ride: AnySection,
  { verdict, report }: { readonly verdict: CallsVerdict; readonly report: (fault: string) => void },
): Promise<void> {
  const calls: readonly ReportedCall[] = ride.calls
  if (ride.stay_seated) verdict.seated++
  if (
    !Bun.deepEquals(
      calls.map(({ stop_id }) => stop_id),
      ride.stop_ids,
    )
  )
    report('its calls are not its stop_ids')
  const [first, last] = [calls[0], calls.at(-1)]
  if (first?.departure?.scheduled_at !== ride.scheduled_departure_at) report('scheduled_departure_at is not its call')
  if (first?.departure?.delay_seconds !== ride.delay_seconds) report('delay_seconds is not its call')
  if (first?.status !== ride.status || first?.platform !== ride.platform) report('status or platform is not its call')
  if (last?.arrival?.scheduled_at !== ride.scheduled_arrival_at) report('scheduled_arrival_at is not its call')
  await checkTrip(api, ride, report)
  const expected = first?.departure?.expected_at
  if (typeof expected === 'string' && expected !== ride.departure_at) report(`expected ${expected}, not departure_at`)
  for (const [at, call] of calls.entries()) {
    verdict.calls++
    if ((call.arrival === null && at > 0) || (call.departure === null && at < calls.length - 1))
      report('a call in between needs both times')
    const row = call.departure && (await findRow(api, ride, { ...call, departure: call.departure }))
    // The board does not list calls at which nobody can board.
    if (!row) {
      if (at === 0) report(`boarding is on no board: ${JSON.stringify(call)}`)
      continue
    }
    verdict.boarded++
    if (row.realtime) verdict.live++
    const reported = [row.expected_at, row.delay_seconds, row.status, row.platform]
    const own = [call.departure?.expected_at, call.departure?.delay_seconds, call.status, call.platform]
    if (!Bun.deepEquals(reported, own))
      report(`call ${at} is ${JSON.stringify(own)}, on its board ${JSON.stringify(reported)}`)
    if (at === 0 && row.vehicle_id !== ride.vehicle_id)
      report(`vehicle ${ride.vehicle_id}, on its board ${row.vehicle_id}`)
  }
}

/** Reports a fault unless the whole trip has the calls of the ride, with only skipped calls in between. */
async function checkTrip(api: Api, ride: AnySection, report: (fault: string) => void): Promise<void> {
  const { status, body } = await api.get(`/v1/trips/${encodeURIComponent(ride.trip_id)}?include=geometry`)
  if (status !== 200) return report(`its trip returns ${status}`)
  const trip = body.data
  const all: readonly string[] = trip.calls.map((call: AnySection) => JSON.stringify(call))
  const own: readonly string[] = ride.calls.map((call: AnySection) => JSON.stringify(call))
  const from = all.indexOf(own[0] ?? '')
  const between = all.slice(from, all.indexOf(own.at(-1) ?? '', from) + 1)
  const ridden = between.filter((call, at) => JSON.parse(call).status !== 'skipped' || own.includes(between[at] ?? ''))
  if (from < 0 || !Bun.deepEquals(ridden, own)) report(`its calls ${own.join()} are not in its trip, ${all.join()}`)
  if (!Bun.deepEquals(trip.line, ride.line) || trip.id !== ride.trip_id) report(`its trip is on ${trip.line.id}`)
  if (trip.geometry_source === 'shape' && ride.geometry_source !== 'shape') report('only its trip has a shape')
}

/** Finds the departure of a call on the board of its stop. */
async function findRow(
  api: Api,
  ride: AnySection,
  { stop_id, departure }: ReportedCall & { readonly departure: ReportedTime },
): Promise<AnySection | undefined> {
  const moments = [departure.scheduled_at, departure.expected_at ?? departure.scheduled_at, ride.departure_at]
  const when = new Date(Math.min(...moments.map((text) => Date.parse(text)))).toISOString()
  const path = `/v1/stops/${encodeURIComponent(stop_id)}/departures?limit=50&horizon=180`
  const { body } = await api.get(`${path}&when=${when}&line=${encodeURIComponent(ride.line.id)}`)
  return body.data.find(
    (row: AnySection) => row.trip_id === ride.trip_id && row.scheduled_at === departure.scheduled_at,
  )
}
