// Does what a user of the package quai-client does, in Bun, in Node or in a web page: calls each operation once, reads
// several pages of a list, and handles errors, waits, aborts and a stream whose connection is cut. Compares the results
// with plain fetches. This file imports nothing at run time, since the same code runs in all three.

/** The module that the package exports. */
export type ClientModule = typeof import('../../src/client/package/main.ts')
type Client = InstanceType<ClientModule['QuaiClient']>

/** The URLs to call, and the keys. */
export interface Visiting {
  readonly base: string
  readonly key: string
  /** A key whose plan has a low rate limit. */
  readonly slowKey: string
  /** Base URL of the same service behind a proxy that cuts streams. */
  readonly cutBase: string
  /** Number of events that the proxy passes on completely. */
  readonly cutEvents: number
}

/** The results of the visit. */
export interface Visited {
  /** Operations whose result differs from a plain fetch, each with both results. */
  readonly differing: readonly string[]
  readonly called: readonly string[]
  /**
   * Whether iterating over a list returned every item once and in order, and whether the client read as many pages as a
   * caller that follows the cursors itself.
   */
  readonly pages: readonly [items: boolean, pages: boolean]
  /**
   * The error for an unknown stop: its reason, its status, whether its detail and request id match the problem in the
   * response, its name, and the type of its request id.
   */
  readonly refused: readonly unknown[]
  readonly wrongKey: unknown
  /**
   * Names of the errors from three aborted calls: one aborted before the call, one while the call waited, and one while
   * it streamed.
   */
  readonly aborted: readonly unknown[]
  /**
   * The error from a call that may not wait, the number of calls that succeeded among those that may wait, and whether
   * the client has read the limits.
   */
  readonly limited: { readonly refusal: unknown; readonly succeeded: number; readonly hasLimits: boolean }
  readonly nowhere: unknown
  readonly streamed: readonly string[]
}

const NETWORK = 'valmont'
const AREA = 'valmont:area:gare-centrale'
const LINE = 'valmont:line:A'
const NEAR = '47.2075,0.6088'
const PATIENT_CALLS = 70
const TRIES = 4
/** Members whose values differ from call to call. */
const VOLATILE = new Set([
  'generated_at',
  'fetched_at',
  'age_seconds',
  'units',
  'remaining',
  'units_today',
  'units_period',
])
const MORE_VOLATILE = new Set(['last_used_at', 'id', 'used'])

/** Makes all calls and returns their results. */
export async function visit({ QuaiClient, QuaiError }: ClientModule, at: Visiting): Promise<Visited> {
  const quai = new QuaiClient({ baseUrl: at.base, key: at.key })
  const reasonOf = (error: unknown) => (error instanceof QuaiError ? error.reason : String(error))
  // The stream is idle most of the time. So it is started first, and read while the other calls are made.
  const streamed = cutStream(new QuaiClient({ baseUrl: at.cutBase, key: at.key }), at.cutEvents)
  const calls = await listCalls(quai)
  const differing = await Promise.all(calls.map((each) => differenceOf(each, at)))
  const slow = new QuaiClient({ baseUrl: at.base, key: at.slowKey, maxWaitSeconds: 30 })
  return {
    called: calls.map(({ name }) => name),
    differing: differing.filter((each) => each !== undefined),
    pages: await readPages(quai, at),
    refused: await refusedCall(quai, { at, QuaiError }),
    wrongKey: await thrownBy(new QuaiClient({ baseUrl: at.base, key: 'quai_p_wrong' }).listNetworks(), reasonOf),
    limited: await limitedCalls(slow, reasonOf),
    aborted: await abortedCalls(quai, slow),
    nowhere: await thrownBy(new QuaiClient({ baseUrl: 'http://127.0.0.1:9' }).getHealth(), reasonOf),
    streamed: await streamed,
  }
}

interface Call {
  readonly name: string
  readonly path: string
  readonly ask: () => Promise<unknown>
}

/** Every operation of the client, and the path at which a plain fetch gets the same result. */
async function listCalls(quai: Client): Promise<Call[]> {
  const stop_id = AREA
  const line_id = LINE
  const trip_id = (await quai.listDepartures({ stop_id, limit: 1 })).data[0]?.trip_id ?? ''
  const journeys = await quai.planJourneys({ from: AREA, to: 'hopital', limit: 1 })
  const journey_id = journeys.data[0]?.id ?? ''
  const [stop, trip, journey] = [AREA, trip_id, journey_id].map(encodeURIComponent)
  const when = '2026-06-10T09:00:00+02:00'
  const at = encodeURIComponent(when)
  const call = (name: string, path: string, ask: () => Promise<unknown>) => ({ name, path: `/v1${path}`, ask })
  const departures = { stop_id, limit: 3, horizon: 90 }
  const extras = ['calls', 'geometry'] as const
  return [
    call('getHealth', '/health', () => quai.getHealth()),
    call('getStatus', '/status', () => quai.getStatus()),
    call('listNetworks', '/networks', () => quai.listNetworks()),
    call('getNetwork', `/networks/${NETWORK}`, () => quai.getNetwork({ network: NETWORK })),
    call('listLines', `/networks/${NETWORK}/lines?modes=tram,bus&limit=7`, () =>
      quai.listLines({ network: NETWORK, modes: ['tram', 'bus'], limit: 7 }),
    ),
    call('getLine', `/lines/${LINE}?include=geometry`, () => quai.getLine({ line_id, include: ['geometry'] })),
    call('listLineStops', `/lines/${LINE}/stops`, () => quai.listLineStops({ line_id })),
    call('listLineVehicles', `/lines/${LINE}/vehicles`, () => quai.listLineVehicles({ line_id })),
    call('listLineAlerts', `/lines/${LINE}/alerts?when=${at}`, () => quai.listLineAlerts({ line_id, when })),
    call('listStops', `/networks/${NETWORK}/stops?q=gare%20cen&kind=area`, () =>
      quai.listStops({ network: NETWORK, q: 'gare cen', kind: 'area' }),
    ),
    call('getStop', `/stops/${stop}`, () => quai.getStop({ stop_id })),
    call('listStopAlerts', `/stops/${stop}/alerts?include=lines,agency`, () =>
      quai.listStopAlerts({ stop_id, include: ['lines', 'agency'] }),
    ),
    call('listDepartures', `/stops/${stop}/departures?limit=3&horizon=90`, () => quai.listDepartures(departures)),
    call('streamDepartures', `/stops/${stop}/departures?limit=3&horizon=90`, () =>
      firstOf(quai.streamDepartures({ ...departures, interval: 60 })),
    ),
    call('streamLineVehicles', `/lines/${LINE}/vehicles`, () => firstOf(quai.streamLineVehicles({ line_id }))),
    call('listNearbyStops', `/stops/nearby?near=${NEAR}&radius=800`, () =>
      quai.listNearbyStops({ near: NEAR, radius: 800 }),
    ),
    call('listNearbyDepartures', `/departures/nearby?near=${NEAR}&networks=${NETWORK}`, () =>
      quai.listNearbyDepartures({ near: NEAR, networks: [NETWORK] }),
    ),
    call('listNearbyVehicles', `/vehicles/nearby?near=${NEAR}`, () => quai.listNearbyVehicles({ near: NEAR })),
    call('planJourneys', `/journeys?from=${stop}&to=h%C3%B4pital&arrive_by=${at}&include=calls,geometry`, () =>
      quai.planJourneys({ from: AREA, to: 'hôpital', arrive_by: when, include: extras }),
    ),
    call('getJourney', `/journeys/${journey}`, () => quai.getJourney({ journey_id })),
    call('searchPlaces', '/places?q=rue%20&providers=addresses', () =>
      quai.searchPlaces({ q: 'rue ', providers: ['addresses'] }),
    ),
    call('reversePlaces', `/places/reverse?near=${NEAR}`, () => quai.reversePlaces({ near: NEAR })),
    call('listNetworkAlerts', `/networks/${NETWORK}/alerts?severity=warning`, () =>
      quai.listNetworkAlerts({ network: NETWORK, severity: ['warning'] }),
    ),
    call('listAlerts', `/alerts?networks=${NETWORK}`, () => quai.listAlerts({ networks: [NETWORK] })),
    call('listExplanations', `/stops/${stop}/explanations?line=${LINE}`, () =>
      quai.listExplanations({ stop_id, line: LINE }),
    ),
    call('getTrip', `/trips/${trip}?include=alerts`, () => quai.getTrip({ trip_id, include: ['alerts'] })),
    call('streamTrip', `/trips/${trip}`, () => firstOf(quai.streamTrip({ trip_id }))),
    call('getUsage', '/usage', () => quai.getUsage()),
  ]
}

async function firstOf(stream: AsyncIterable<{ readonly id: string }>): Promise<unknown> {
  for await (const { id, ...answer } of stream) {
    if (!/^\d+$/.test(id)) throw new Error(`the id is "${id}"`)
    return answer
  }
  throw new Error('the stream ended')
}

/**
 * Describes how an operation's result differs from that of a plain fetch; undefined if it does not. Live data may
 * change between the two requests, so both are repeated if their results differ.
 */
async function differenceOf({ name, path, ask }: Call, { base, key }: Visiting): Promise<string | undefined> {
  const settled = (value: unknown) =>
    JSON.stringify(value, (member, each) =>
      VOLATILE.has(member) || (name === 'getUsage' && MORE_VOLATILE.has(member)) ? undefined : each,
    )
  let found: string | undefined
  for (let tries = 0; tries < TRIES; tries++) {
    const called = settled(await ask())
    const plain = await fetch(base + path, { headers: { Authorization: `Bearer ${key}` } })
    const fetched = settled(await plain.json())
    if (plain.ok && called === fetched) return undefined
    found = `${name}: ${called}\nfetch: ${plain.status} ${fetched}`
  }
  return found
}

interface Listed {
  readonly data: readonly { readonly id: string }[]
  readonly meta: { readonly next_cursor: string | null }
}

async function fetchJson<Body>(url: string, key: string): Promise<Body> {
  const response = await fetch(url, { headers: { Authorization: `Bearer ${key}` } })
  return (await response.json()) as Body
}

async function readPages(quai: Client, { base, key }: Visiting): Promise<[boolean, boolean]> {
  const walked: string[] = []
  let walkedPages = 0
  for (let cursor: string | null = ''; cursor !== null; walkedPages++) {
    const path: string = `/v1/networks/${NETWORK}/stops?line=${LINE}&limit=9${cursor === '' ? '' : `&cursor=${cursor}`}`
    const body = await fetchJson<Listed>(base + path, key)
    for (const { id } of body.data) walked.push(id)
    cursor = body.meta.next_cursor
  }
  const question = { network: NETWORK, line: LINE, limit: 9 }
  const items: string[] = []
  for await (const { id } of quai.listStops(question)) items.push(id)
  let pages = 0
  for await (const page of quai.listStops(question).pages()) pages += page.data.length > 0 ? 1 : 0
  return [items.length > 9 && items.join() === walked.join(), pages === walkedPages]
}

async function refusedCall(
  quai: Client,
  { at, QuaiError }: { at: Visiting; QuaiError: ClientModule['QuaiError'] },
): Promise<unknown[]> {
  const stop_id = 'valmont:stop:nowhere'
  const problem = await fetchJson<{ detail: string }>(`${at.base}/v1/stops/${stop_id}`, at.key)
  try {
    await quai.getStop({ stop_id })
  } catch (error) {
    if (!(error instanceof QuaiError)) throw error
    const { reason, status, detail, requestId } = error
    const isWhole =
      detail === problem.detail && requestId === error.problem?.request_id && error.message.includes(detail)
    return [reason, status, isWhole, error.name, typeof requestId]
  }
  return []
}

async function limitedCalls(slow: Client, reasonOf: (error: unknown) => unknown): Promise<Visited['limited']> {
  const patient = Promise.all(
    Array.from({ length: PATIENT_CALLS }, () =>
      slow.getUsage().then(
        () => 1,
        () => 0,
      ),
    ),
  )
  // The calls above have used up the rate, so a call that may not wait is refused.
  let refusal: unknown
  for (let tries = 0; refusal === undefined && tries < PATIENT_CALLS; tries++) {
    refusal = await thrownBy(slow.getUsage({ maxWaitSeconds: 0 }), reasonOf)
  }
  const succeeded = (await patient).reduce<number>((sum, each) => sum + each, 0)
  return { refusal, succeeded, hasLimits: 'burst' in slow.limits && 'units' in slow.limits }
}

async function abortedCalls(quai: Client, slow: Client): Promise<unknown[]> {
  const nameOf = (error: unknown) => (error instanceof Error ? error.name : String(error))
  const before = await thrownBy(quai.listNetworks({}, { signal: AbortSignal.abort() }), nameOf)
  // Makes enough calls to use up the rate, so that the last calls wait.
  const waits = new AbortController()
  const waiting = Array.from({ length: PATIENT_CALLS }, () => thrownBy(slow.getUsage({ signal: waits.signal }), nameOf))
  setTimeout(() => waits.abort(), 300)
  const whileWaiting = (await Promise.all(waiting)).findLast((each) => each !== undefined)
  const leaving = new AbortController()
  const read = async () => {
    for await (const _ of quai.streamDepartures({ stop_id: AREA }, { signal: leaving.signal })) {
      setTimeout(() => leaving.abort(), 20)
    }
  }
  return [before, whileWaiting, await thrownBy(read(), nameOf)]
}

/** What `nameOf` returns for the error with which a promise rejects; undefined if the promise fulfills. */
async function thrownBy(promise: Promise<unknown>, nameOf: (error: unknown) => unknown): Promise<unknown> {
  try {
    await promise
    return undefined
  } catch (error) {
    return nameOf(error)
  }
}

async function cutStream(quai: Client, events: number): Promise<string[]> {
  const ids: string[] = []
  for await (const { id, data } of quai.streamDepartures({ stop_id: AREA, limit: 2, interval: 60 })) {
    if (data.length !== 2) throw new Error(`an event has ${data.length} departures`)
    ids.push(id)
    await quai.getHealth() // this call tells the proxy that the event has been read, and the proxy then cuts the stream
    if (ids.length === events) break
  }
  return ids
}
