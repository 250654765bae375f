// The demo agency's realtime: publishes the made-up city's GTFS-Realtime over HTTP on a loopback port, as an agency
// would. The tests publish the same feeds in their own way, with every fault that a reader has to survive.
import type { Clock } from '../system/clock.ts'
import type { CityFeed } from './city.ts'
import { CityDays } from './simulator/city-days.ts'
import { encodeFeed, FEEDS, type FeedMessage, type FeedName, feedAt } from './simulator/feed-state.ts'

export { FEEDS, type FeedName } from './simulator/feed-state.ts'

/** What to publish. */
export interface SimulatorOrder {
  readonly city: CityFeed
  /** Decides all delays, cancellations and alerts; a whole number. */
  readonly seed: number
  /** Service time. */
  readonly clock: Clock
}

/** A running simulator. */
export interface Simulator {
  url(feed: FeedName): string
  stop(): void
}

/** How often the feeds change, in seconds of service time. */
export const PUBLISH_SECONDS = 10

/** Starts it. */
export function startSimulator(order: SimulatorOrder): Simulator {
  const publishers = openPublishers(order)
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    development: false,
    fetch: (request) => {
      const { pathname } = new URL(request.url)
      const publisher = publishers.find(({ feed }) => pathname === pathOf(feed))
      if (publisher === undefined) return new Response(null, { status: 404 })
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        return new Response(null, { status: 405, headers: { allow: 'GET, HEAD' } })
      }
      return answerWith(publisher.edition(), request.headers)
    },
  })
  return {
    url: (feed) => `http://127.0.0.1:${server.port}${pathOf(feed)}`,
    stop: () => void server.stop(true),
  }
}

/** The feeds, ready to be published in whatever way. */
export function openPublishers({ city, seed, clock }: SimulatorOrder): FeedPublisher[] {
  const days = new CityDays(city, seed)
  return FEEDS.map((feed) => new FeedPublisher(days, feed, clock))
}

/** The path of a feed's address. */
export function pathOf(feed: FeedName): string {
  return `/${feed}.pb`
}

/** What is published at an instant: bytes and their marks. */
export interface Edition {
  readonly atSeconds: number
  readonly bytes: Uint8Array
  /** The headers that describe it. */
  readonly marks: Readonly<Record<'etag' | 'last-modified' | 'cache-control', string>>
}

/** One feed; makes an edition when it is first asked for, once for each publishing instant. */
export class FeedPublisher {
  readonly feed: FeedName
  private readonly days: CityDays
  private readonly clock: Clock
  private kept: Edition | undefined

  constructor(days: CityDays, feed: FeedName, clock: Clock) {
    this.days = days
    this.feed = feed
    this.clock = clock
  }

  /** The last publishing instant, in seconds after 1970. */
  publishedSeconds(): number {
    return Math.floor(this.clock.nowMillis() / 1000 / PUBLISH_SECONDS) * PUBLISH_SECONDS
  }

  /** The message of any instant, in seconds after 1970. */
  messageAt(seconds: number): FeedMessage {
    return feedAt(this.days, this.feed, seconds)
  }

  /** What is published now. */
  edition(): Edition {
    const nowSeconds = this.publishedSeconds()
    if (this.kept?.atSeconds !== nowSeconds) this.kept = toEdition(this.messageAt(nowSeconds), nowSeconds)
    return this.kept
  }
}

/** A message as it is published at an instant, in seconds after 1970. */
export function toEdition(message: FeedMessage, atSeconds: number): Edition {
  const bytes = encodeFeed(message)
  const marks = {
    etag: `"${Bun.hash(bytes).toString(36)}"`,
    'last-modified': new Date(atSeconds * 1000).toUTCString(),
    'cache-control': `max-age=${PUBLISH_SECONDS}`,
  }
  return { atSeconds, bytes, marks }
}

/** Whether the reader has an edition already: by its tag or, if the request names none, by its date. */
export function isHeld({ marks }: Edition, headers: Pick<Headers, 'get'>): boolean {
  const tags = headers.get('if-none-match')
  if (tags !== null) return hasTag(tags, marks.etag)
  return Date.parse(headers.get('if-modified-since') ?? '') >= Date.parse(marks['last-modified'])
}

function answerWith(edition: Edition, headers: Headers): Response {
  const { bytes, marks } = edition
  if (isHeld(edition, headers)) return new Response(null, { status: 304, headers: marks })
  return new Response(new Uint8Array(bytes), { headers: { 'content-type': 'application/x-protobuf', ...marks } })
}

function hasTag(list: string, etag: string): boolean {
  const tags = list.split(',').map((each) => each.trim().replace(/^W\//, ''))
  return tags.includes('*') || tags.includes(etag)
}
