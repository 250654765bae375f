// Shared by the tests of the numbered checks (checks-*.test.ts). Each network has a few trips, written call by call. A
// service reads the networks and their live feeds at a fixed time. Each departure is written as a short line, and
// boards are compared as a whole.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type GtfsRealtime from 'gtfs-realtime-bindings'
import { realtimeFeed } from '../feeds/realtime-feed.ts'
import { dedent, type FeedTexts } from '../feeds/text-feed.ts'
import { commandOf, end, ServiceFolder, type Serving, until } from './running.ts'

export type Entity = GtfsRealtime.transit_realtime.IFeedEntity

/** The time at which the service runs in the checks: 08:00:00 on a Wednesday in Paris, in seconds since 1970. */
export const NOW_SECONDS = Date.parse('2026-06-10T06:00:00Z') / 1000
/** The service date at NOW_SECONDS. */
export const TODAY = '20260610'

/**
 * A time of day in Paris on the date `TODAY`, in seconds since 1970.
 * @param time `HH:MM` or `HH:MM:SS`
 */
export function today(time: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number)
  return NOW_SECONDS + (hours - 8) * 3600 + minutes * 60 + seconds
}

/** A trip that runs daily. By default, its line is named after the trip. */
export interface CheckedTrip {
  readonly id: string
  readonly line?: string
  readonly direction?: 0 | 1
  readonly headsign?: string
  /**
   * One string per call: `<stop> <HH:MM>`, optionally followed by a pickup type (`pickup=1`) and a headsign
   * (`headsign=Port`).
   */
  readonly calls: readonly string[]
}

/** A timetable with a few trips. Consecutive stops are 400 m apart. */
export interface CheckedTimetable {
  readonly trips: readonly CheckedTrip[]
  /** Station → its platforms. A platform's code is the stop's id in lower case. */
  readonly stations?: Readonly<Record<string, readonly string[]>>
  /** Further GTFS files; they replace generated files with the same name. */
  readonly more?: FeedTexts
}

/**
 * What a feed serves before a test publishes a message: a message without entities whose header is an hour old. An HTTP
 * error instead would make the service fetch the feed less often.
 */
const SILENCE = realtimeFeed(NOW_SECONDS - 3600, [])

interface CheckedNetwork {
  readonly timetable: CheckedTimetable
  /** Ids of the network's live feeds. */
  readonly feeds: readonly string[]
}

/** The members of a departure that the tests read. */
export interface Row {
  readonly stop_id: string
  readonly trip_id: string
  readonly headsign: string
  readonly platform: string
  readonly status: string
  readonly realtime: boolean
  readonly scheduled_at: string
  readonly expected_at: string | null
  readonly delay_seconds: number | null
}

/** A service with some networks, and the upstream server of their live feeds. */
export class CheckedService {
  private readonly messages = new Map<string, Uint8Array<ArrayBuffer>>()
  private readonly upstream: ReturnType<typeof Bun.serve>
  private readonly service: ServiceFolder
  private serving: Serving | undefined
  private key = ''
  private secondsAhead = 0
  private readonly fetches = new Map<string, number>()

  constructor(networks: Readonly<Record<string, CheckedNetwork>>) {
    this.upstream = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: (request) => {
        const feed = new URL(request.url).pathname.slice(1)
        this.fetches.set(feed, (this.fetches.get(feed) ?? 0) + 1)
        return new Response(this.messages.get(feed) ?? SILENCE)
      },
    })
    const settings = Object.entries(networks).flatMap(([id, { feeds }]) => [
      `[[networks]]\nid = "${id}"\ngtfs = "${id}"\n`,
      ...feeds.map(
        (feed) =>
          `[[networks.feeds]]\nid = "${feed}"\ninterval_seconds = 1\nurl = "http://127.0.0.1:${this.upstream.port}/${id}/${feed}"\n`,
      ),
    ])
    this.service = new ServiceFolder(commandOf('source'), `data_dir = "data"\n${settings.join('')}`)
    for (const [id, { timetable }] of Object.entries(networks)) {
      mkdirSync(join(this.service.folder, id))
      for (const [name, text] of Object.entries(textsOf(timetable)))
        writeFileSync(join(this.service.folder, id, name), text)
    }
  }

  /** @param clock value of QUAI_CLOCK; if absent, the clock is stopped at 08:00:00 */
  async start(port: number, clock?: string): Promise<void> {
    this.key = await this.service.makeKey('checks')
    this.serving = await this.service.serve({ workers: 1, port, ...(clock === undefined ? {} : { clock }) })
  }

  async stop(): Promise<void> {
    if (this.serving !== undefined) await end(this.serving)
    await this.upstream.stop(true)
    rmSync(this.service.folder, { recursive: true })
  }

  /**
   * Makes the upstream serve a message from now on. By default, each message has a newer header than the one before.
   * @param feed `<network>/<feed>`
   * @param headerSeconds header time, for tests that depend on it
   */
  publish(feed: string, entities: readonly Entity[], headerSeconds = NOW_SECONDS + this.secondsAhead++): void {
    this.messages.set(feed, realtimeFeed(headerSeconds, entities))
  }

  /** Waits until the service has fetched a feed again. */
  async untilFetched(feed: string): Promise<void> {
    const before = this.fetches.get(feed) ?? 0
    await until(() => (this.fetches.get(feed) ?? 0) > before, `${feed} was fetched`)
  }

  /** Requests a path with the key. Returns the status and the body. */
  async get(path: string): Promise<{ readonly status: number; readonly body: { data: never; meta: never } }> {
    const base = this.serving?.base ?? ''
    const response = await fetch(base + path, { headers: { authorization: `Bearer ${this.key}` } })
    return { status: response.status, body: JSON.parse(await response.text()) }
  }

  /**
   * Requests all departures in the next three hours.
   * @param place `<network>:stop:<id>`, or an area id
   * @param when value of the query parameter `when`
   */
  async rows(place: string, when = 'now'): Promise<readonly Row[]> {
    const { status, body } = await this.get(`/v1/stops/${place}/departures?horizon=180&limit=50&when=${when}`)
    if (status !== 200) throw new Error(`${status} for the board of ${place}: ${JSON.stringify(body)}`)
    return body.data
  }

  /** The departures in the short form that `briefly` returns. */
  async board(place: string): Promise<readonly string[]> {
    return (await this.rows(place)).map(briefly)
  }

  /** Waits until a stop's board has a live row, which shows that the service has read the network's live feeds. */
  async untilLive(place: string): Promise<void> {
    await until(async () => (await this.rows(place)).some(({ realtime }) => realtime), `${place} is live`)
  }
}

/**
 * A departure as `<trip> <scheduled> <expected> <status>`. The times are times of day; `-` stands for a missing
 * expected time. Throws if the row contradicts itself: its delay must be the difference between its times, and it must
 * be live if and only if its status is not `unknown`.
 */
export function briefly(row: Row): string {
  const { scheduled_at, expected_at, delay_seconds, realtime, status, trip_id } = row
  const delay = expected_at === null ? null : (Date.parse(expected_at) - Date.parse(scheduled_at)) / 1000
  if (delay !== delay_seconds || realtime !== (status !== 'unknown'))
    throw new Error(`a row that contradicts itself: ${JSON.stringify(row)}`)
  return `${trip_id.split(':').slice(3).join(':')} ${timeOf(scheduled_at)} ${expected_at === null ? '-' : timeOf(expected_at)} ${status}`
}

function timeOf(timestamp: string): string {
  return timestamp.slice(11, 19).replace(/:00$/, '')
}

function textsOf({ trips, stations = {}, more = {} }: CheckedTimetable): FeedTexts {
  const stops = [...new Set(trips.flatMap(({ calls }) => calls.map((call) => call.split(' ')[0] ?? '')))]
  const stationOf = new Map(
    Object.entries(stations).flatMap(([station, platforms]) => platforms.map((stop) => [stop, station])),
  )
  const all = [...new Set([...stops, ...stationOf.keys()])]
  const lines = [...new Set(trips.map(({ id, line }) => line ?? id))]
  const latOf = (at: number) => (48.5 + at * 0.0036).toFixed(4)
  const files: Record<string, string> = {
    'agency.txt': 'agency_id,agency_name,agency_url,agency_timezone\nV,Ville,https://ville.example,Europe/Paris',
    'stops.txt': [
      'stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station,platform_code',
      ...Object.keys(stations).map((id, at) => `${id},Station ${id},${latOf(at)},7.8,1,,`),
      ...all.map((id, at) => {
        const station = stationOf.get(id)
        const code = station === undefined ? '' : id.toLowerCase()
        return `${id},Stop ${id},${latOf(at)},7.75,0,${station ?? ''},${code}`
      }),
    ].join('\n'),
    'routes.txt': [
      'route_id,route_short_name,route_type,route_sort_order',
      ...lines.map((line, at) => `${line},${line},3,${at}`),
    ].join('\n'),
    'calendar.txt': `service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
      daily,1,1,1,1,1,1,1,20260101,20261231`,
    'trips.txt': [
      'route_id,service_id,trip_id,trip_headsign,direction_id',
      ...trips.map(
        ({ id, line, direction, headsign }) => `${line ?? id},daily,${id},${headsign ?? ''},${direction ?? 0}`,
      ),
    ].join('\n'),
    'stop_times.txt': [
      'trip_id,arrival_time,departure_time,stop_id,stop_sequence,pickup_type,stop_headsign',
      ...trips.flatMap(({ id, calls }) => calls.map((call, at) => callText(id, call, at + 1))),
    ].join('\n'),
    ...more,
  }
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [name, dedent(text)]))
}

function callText(trip: string, call: string, sequence: number): string {
  const [stop, time, ...more] = call.split(' ')
  const given = new Map(more.map((each) => [each.split('=')[0], each.split('=')[1] ?? '']))
  return `${trip},${time}:00,${time}:00,${stop},${sequence},${given.get('pickup') ?? ''},${given.get('headsign') ?? ''}`
}
