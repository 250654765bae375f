// Uses of the client that are type-checked but never run. The type checker must accept the correct uses and reject each
// of the wrong ones. client-package.test.ts also checks all of them against the package's declarations.
import type {
  Alert,
  Departure,
  ErrorReason,
  Journey,
  ListDeparturesParameters,
  Mode,
  Network,
  Problem,
  Stop,
  StreamEvent,
  TransitSection,
  TripAnswer,
  Usage,
} from '../../../src/client/package/main.ts'
import { QuaiClient, QuaiError } from '../../../src/client/package/main.ts'

const baseUrl = 'https://api.example.org'
const stop_id = 'valmont:area:gare-centrale'
const line_id = 'valmont:line:A'

export async function rightUses(key: string | undefined, signal: AbortSignal): Promise<unknown[]> {
  const quai = new QuaiClient({ baseUrl, key, maxWaitSeconds: 10, allowHttp: false })
  const keyless: QuaiClient = new QuaiClient({ baseUrl })
  const health: 'ok' = (await keyless.getHealth({ signal })).data.status
  const networks: readonly Network[] = (await quai.listNetworks()).data
  const modes: readonly Mode[] = networks[0]?.modes ?? []
  const parameters: ListDeparturesParameters = { stop_id, limit: 3, direction: '0', when: 'now' }
  const rows: readonly Departure[] = (await quai.listDepartures(parameters, { signal, maxWaitSeconds: 0 })).data
  const delay: number | null = rows[0]?.delay_seconds ?? null
  const stops: Stop[] = []
  for await (const stop of quai.listStops({ network: 'valmont', kind: 'area' })) stops.push(stop)
  for await (const { meta } of quai.listLines({ network: 'valmont', modes: ['tram', 'bus'] }).pages()) {
    const cursor: string | null = meta.next_cursor
    if (cursor === null) break
  }
  const journeys = quai.planJourneys({ from: stop_id, to: 'hôpital', arrive_by: true, include: ['calls', 'steps'] })
  const [journey]: readonly Journey[] = (await journeys).data
  const rides: TransitSection[] = (journey?.sections ?? []).filter((section) => section.kind === 'transit')
  for await (const event of quai.streamTrip({ trip_id: 'x', interval: 5, include: ['alerts'] }, { signal })) {
    const whole: StreamEvent<TripAnswer> = event
    const id: string = whole.id
    if (id === '') break
  }
  const alerts: readonly Alert[] = (await quai.listAlerts({ networks: ['valmont'], severity: ['warning'] })).data
  const usage: Usage = (await quai.getUsage()).data
  const left: number | undefined = quai.limits['units']?.remaining
  try {
    await quai.getTrip({ trip_id: 'x' })
  } catch (error) {
    if (!(error instanceof QuaiError)) throw error
    const reason: ErrorReason = error.reason
    const problem: Problem | undefined = error.problem
    if (error.reason === 'rate_limited' || error.reason === 'unreachable') return [reason, problem?.param]
  }
  return [health, modes, delay, rides, alerts, usage, left]
}

export async function wrongOptions(quai: QuaiClient, error: QuaiError): Promise<void> {
  // @ts-expect-error
  new QuaiClient()
  // @ts-expect-error
  new QuaiClient({ key: 'quai_p_x' })
  // @ts-expect-error
  new QuaiClient({ baseUrl: new URL(baseUrl) })
  // @ts-expect-error
  new QuaiClient({ baseUrl, apiKey: 'quai_p_x' })
  // @ts-expect-error
  new QuaiClient({ baseUrl, key: null })
  // @ts-expect-error
  new QuaiClient({ baseUrl, maxWaitSeconds: '10' })
  // @ts-expect-error
  QuaiClient({ baseUrl })
  // @ts-expect-error
  await quai.getHealth({ timeout: 5 })
  // @ts-expect-error
  await quai.getHealth({ signal: new AbortController() })
  // @ts-expect-error
  await quai.getUsage({}, {})
  // @ts-expect-error
  quai.limits = {}
  // @ts-expect-error
  quai.limits['units'].remaining.toFixed()
  // @ts-expect-error
  error.reason = 'not_found'
  // @ts-expect-error
  if (error.reason === 'quota') return
  // @ts-expect-error
  error.requestId.slice(1)
  // @ts-expect-error
  error.status.startsWith('4')
  // @ts-expect-error
  new QuaiError('not_found')
}

export async function wrongParameters(quai: QuaiClient): Promise<void> {
  // @ts-expect-error
  await quai.listDepartures()
  // @ts-expect-error
  await quai.listDepartures({})
  // @ts-expect-error
  await quai.listDepartures(stop_id)
  // @ts-expect-error
  await quai.listDepartures({ stop_id: 7 })
  // @ts-expect-error
  await quai.listDepartures({ stopId: stop_id })
  // @ts-expect-error
  await quai.listDepartures({ stop_id, limit: '3' })
  // @ts-expect-error
  await quai.listDepartures({ stop_id, direction: 0 })
  // @ts-expect-error
  await quai.listDepartures({ stop_id, direction: '2' })
  // @ts-expect-error
  await quai.listDepartures({ stop_id, when: new Date() })
  // @ts-expect-error
  await quai.listDepartures({ stop_id, interval: 5 })
  // @ts-expect-error
  await quai.getLine({ line_id, include: 'geometry' })
  // @ts-expect-error
  await quai.getLine({ line_id, include: ['stops'] })
  // @ts-expect-error
  await quai.listLines({ network: 'valmont', modes: 'tram,bus' })
  // @ts-expect-error
  await quai.listLines({ network: 'valmont', modes: ['car'] })
  // @ts-expect-error
  await quai.listStops({ network: 'valmont', kind: 'station' })
  // @ts-expect-error
  await quai.listStops({ network: ['valmont'] })
  // @ts-expect-error
  await quai.listAlerts({})
  // @ts-expect-error
  await quai.listAlerts({ networks: 'valmont' })
  // @ts-expect-error
  await quai.listNearbyStops({ near: [47.2, 0.6] })
  // @ts-expect-error
  await quai.planJourneys({ from: stop_id })
  // @ts-expect-error
  await quai.planJourneys({ from: stop_id, to: 'x', planner: 'fast' })
  // @ts-expect-error
  await quai.planJourneys({ from: stop_id, to: 'x', wheelchair: true })
  // @ts-expect-error
  quai.streamDepartures({ stop_id, when: 'now' })
  // @ts-expect-error
  quai.streamDepartures({ stop_id, interval: '5' })
}

export async function wrongAnswers(quai: QuaiClient): Promise<void> {
  // @ts-expect-error
  await quai.getDepartures({ stop_id })
  // @ts-expect-error
  quai.listDepartures({ stop_id }).data
  // @ts-expect-error
  ;(await quai.listDepartures({ stop_id })).data[0].delay_seconds.toFixed()
  // @ts-expect-error
  ;(await quai.listDepartures({ stop_id })).data.push()
  // @ts-expect-error
  ;(await quai.listDepartures({ stop_id })).meta.next_cursor
  // @ts-expect-error
  ;(await quai.getStop({ stop_id })).data.distance_meters
  // @ts-expect-error
  ;(await quai.getStop({ stop_id })).data.name = 'x'
  // @ts-expect-error
  ;(await quai.getJourney({ journey_id: 'x' })).data.sections[0]?.line
  // @ts-expect-error
  for await (const line of quai.listLineStops({ line_id })) return line
  // @ts-expect-error
  for await (const line of quai.listLines({ network: 'valmont' })) line.parent_id
  // @ts-expect-error
  for await (const { cursor } of quai.listStops({ network: 'valmont' }).pages()) return cursor
  // @ts-expect-error
  await quai.streamTrip({ trip_id: 'x' }).data
  // @ts-expect-error
  for (const event of quai.streamTrip({ trip_id: 'x' })) return event
  // @ts-expect-error
  for await (const { reason } of quai.streamTrip({ trip_id: 'x' })) return reason
}
