// The API for a small feed whose network has an operator's planner: a server on loopback whose responses the test sets.
import { Value } from '@sinclair/typebox/value'
import type { FeedSource } from '../../../loaders/gtfs/feed.ts'
import { ROUTES } from '../../../src/contract/routes.ts'
import { DEFAULT_JOURNEYS, type NativePlannerSettings, Networks } from '../../../src/networks/network.ts'
import { createServer } from '../../../src/server/server.ts'
import { readBody } from '../../event-stream.ts'
import { smallFeed } from '../../feeds/text-feed.ts'
import { CountingGate, KEY, openNetwork } from '../api/api-under-test.ts'

/** A credential that only the planner may receive. */
export const SECRET = 'hush-4711'

/** Starts a planner on loopback that records the requests it receives. */
export function openPlanner() {
  const requested: { url: URL; headers: Headers }[] = []
  const planner = { answer: (): Response | Promise<Response> => Response.json({ itineraries: [], direct: [] }) }
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request) => {
      requested.push({ url: new URL(request.url), headers: new Headers(request.headers) })
      return planner.answer()
    },
  })
  return Object.assign(planner, { requested, url: `http://127.0.0.1:${server.port}`, close: () => server.stop(true) })
}

/** What a test may change: the feed, the time and the planner's settings. */
export interface NativeOptions {
  readonly feed?: FeedSource
  readonly now?: string
  readonly native?: Partial<NativePlannerSettings>
}

/** Opens the API with one network, `ville`. Every successful journey response is checked against the route's schema. */
export async function openNativeApi(url: string, { feed = smallFeed(), now, native }: NativeOptions = {}) {
  const network = await openNetwork({ id: 'ville', feed })
  const planner: NativePlannerSettings = {
    kind: 'motis',
    url,
    headers: { 'x-api-key': SECRET },
    tag: undefined,
    deadlineMillis: 2_000,
    ...native,
  }
  const settings = { ...network.settings, journeys: { ...DEFAULT_JOURNEYS, native: planner } }
  const gate = new CountingGate()
  const logged: { fields: Readonly<Record<string, unknown>>; message: string }[] = []
  const app = createServer({
    networks: new Networks([{ ...network, settings }]),
    gate,
    clock: { nowMillis: () => Date.parse(now ?? '2026-06-10T05:50:00Z') },
    baseUrl: 'http://api.test',
    corsOrigins: [],
    version: '1.0.0',
    logger: { error: (fields, message) => void logged.push({ fields, message }) },
  })
  const get = async (path: string) => {
    const request = new Request(`http://localhost${path}`, { headers: { authorization: KEY } })
    const response = await app.handle(request)
    const text = await readBody(response)
    const body = JSON.parse(text)
    if (response.status === 200 && path.startsWith('/v1/journeys?')) {
      const faults = [...Value.Errors(ROUTES.journeys.answer, body)]
      if (faults.length > 0) throw new Error(`wrong response members: ${faults.map((each) => each.path).join(' ')}`)
    }
    return { status: response.status, headers: response.headers, text, body }
  }
  return { get, gate, logged }
}

/** A place in a MOTIS response. */
export interface PlaceGiven {
  readonly lat: number
  readonly lon: number
  readonly stopId?: string
}

/**
 * A leg as MOTIS returns it, with the members that MOTIS's openapi.yaml requires. By default, the scheduled times are
 * the expected times.
 */
export function leg(given: {
  readonly mode: string
  readonly from: PlaceGiven
  readonly to: PlaceGiven
  readonly startTime: string
  readonly endTime: string
  readonly [member: string]: unknown
}) {
  const { from, to, startTime, endTime } = given
  return {
    duration: (Date.parse(endTime) - Date.parse(startTime)) / 1000,
    scheduledStartTime: startTime,
    scheduledEndTime: endTime,
    realTime: false,
    legGeometry: { points: '', length: 0 },
    ...given,
    from: { name: '', level: 0, vertexType: from.stopId === undefined ? 'NORMAL' : 'TRANSIT', ...from },
    to: { name: '', level: 0, vertexType: to.stopId === undefined ? 'NORMAL' : 'TRANSIT', ...to },
  }
}

/** An itinerary that consists of these legs. */
export function itinerary(...legs: readonly ReturnType<typeof leg>[]) {
  const [startTime, endTime] = [legs[0]?.startTime ?? '', legs.at(-1)?.endTime ?? '']
  return { duration: (Date.parse(endTime) - Date.parse(startTime)) / 1000, startTime, endTime, transfers: 0, legs }
}

/** A function that returns MOTIS's response to a `plan` request. */
export function plan(itineraries: readonly unknown[], direct: readonly unknown[] = []): () => Response {
  const rest = { requestParameters: {}, debugOutput: {}, previousPageCursor: 'EARLIER|0', nextPageCursor: 'LATER|0' }
  return () => Response.json({ ...rest, direct, itineraries })
}
