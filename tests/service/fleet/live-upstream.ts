// An upstream of live feeds that records when it is requested. Also reads boards from replicas, which must show the
// published delays.
import { delayedTrip, realtimeFeed } from '../../feeds/realtime-feed.ts'
import type { FleetReplica } from './fleet.ts'

const DATE = '20260610'
/**
 * Prefix of feed names. A feed whose name starts with this prefix reports a delay for trip b2; any other feed reports a
 * delay for trip a2.
 */
export const OTHER_FEED = 'other'

/** One upstream; each of its paths is a feed. */
export class LiveUpstream {
  /** Feed → times of its requests, in milliseconds on a monotonic clock. */
  readonly calls = new Map<string, number[]>()
  private delay = 60
  /** Number of messages that were published. */
  private serial = 0
  private readonly server: ReturnType<typeof Bun.serve>
  private readonly filling: ReturnType<typeof delayedTrip>[]

  /** @param filling number of additional trips in each message, about 60 bytes each; the timetable does not have them */
  constructor(filling = 0) {
    this.filling = Array.from({ length: filling }, (_, at) =>
      delayedTrip(`unknown-${at}-of-${filling}`, DATE, { X: 60 }),
    )
    this.server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: (request) => this.answer(request) })
  }

  /** The `[[networks.feeds]]` tables that configure the given feeds. */
  tables(feeds: readonly string[], more = 'interval_seconds = 1'): string {
    return feeds.map((id) => `[[networks.feeds]]\nid = "${id}"\nurl = "${this.urlOf(id)}"\n${more}\n`).join('')
  }

  urlOf(feed: string): string {
    return `http://127.0.0.1:${this.server.port}/${feed}`
  }

  async stop(): Promise<void> {
    await this.server.stop(true)
  }

  /**
   * Publishes a delay in seconds: for trip b2 in feeds whose names start with OTHER_FEED, and for trip a2 at stop G in
   * other feeds.
   */
  set delaySeconds(delay: number) {
    this.delay = delay
    this.serial++
  }

  callsOf(feed: string): readonly number[] {
    return this.calls.get(feed) ?? []
  }

  private answer(request: Request): Response {
    const feed = new URL(request.url).pathname.slice(1)
    this.calls.set(feed, [...this.callsOf(feed), performance.now()])
    const etag = `"${this.serial}"`
    if (request.headers.get('if-none-match') === etag) return new Response(null, { status: 304 })
    const trip = feed.startsWith(OTHER_FEED)
      ? delayedTrip('b2', DATE, { CB: this.delay })
      : delayedTrip('a2', DATE, { G: this.delay })
    // The message has no timestamp in its header, so replicas use the time of the fetch. A timestamp would not work,
    // since the replicas' clock stands still.
    return new Response(realtimeFeed(0, [trip, ...this.filling]), { headers: { etag } })
  }
}

/** Requests the board of stop G from a replica. Returns the body as a string. */
export async function boardOf({ base }: Pick<FleetReplica, 'base'>, key: string): Promise<string> {
  const response = await fetch(`${base}/v1/stops/ville:stop:G/departures`, {
    headers: { authorization: `Bearer ${key}` },
  })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`the board's status is ${response.status}: ${text}`)
  return text
}

/** The delay of trip a2 on a board; undefined if the trip is not live. */
export function delayOn(board: string): number | undefined {
  const { data } = JSON.parse(board)
  const row = data.find((each: { trip_id: string }) => each.trip_id.endsWith(':a2'))
  return row?.realtime === true ? row.delay_seconds : undefined
}
