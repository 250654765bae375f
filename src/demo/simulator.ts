// Publishes the demo city's GTFS-Realtime feeds over HTTP on a loopback port. The tests publish the same feeds with
// injected faults.
import type { Clock } from '../system/clock.ts'
import type { CityFeed } from './city.ts'
import { CityDays } from './simulator/city-days.ts'
import { encodeFeed, FEEDS, type FeedMessage, type FeedName, feedAt } from './simulator/feed-state.ts'

export { FEEDS, type FeedName } from './simulator/feed-state.ts'

/** Options of a simulator. */
export interface SimulatorOrder {
  readonly city: CityFeed
  /** An integer that determines all delays, cancellations and alerts. The same seed gives the same feeds. */
  readonly seed: number
  /** The clock that gives service time. */
  readonly clock: Clock
}

/** A running simulator. */
export interface Simulator {
  url(feed: FeedName): string
  stop(): void
}

/** Seconds of service time between two messages of a feed. */
export const PUBLISH_SECONDS = 10

/** Starts a simulator. */
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

/** The publishers of all feeds, without an HTTP server. */
export function openPublishers({ city, seed, clock }: SimulatorOrder): FeedPublisher[] {
  const days = new CityDays(city, seed)
  return FEEDS.map((feed) => new FeedPublisher(days, feed, clock))
}

/** Returns the URL path of a feed. */
export function pathOf(feed: FeedName): string {
  return `/${feed}.pb`
}

/** A published message: its bytes, and its HTTP validators (entity tag and date) for conditional requests. */
export interface Edition {
  readonly atSeconds: number
  readonly bytes: Uint8Array
  /** The response headers for this message. */
  readonly marks: Readonly<Record<'etag' | 'last-modified' | 'cache-control', string>>
}

/** Publishes one feed. A new message is due every `PUBLISH_SECONDS` and is rendered when it is first requested. */
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

  /** The time of the latest message, in seconds since 1970. */
  publishedSeconds(): number {
    return Math.floor(this.clock.nowMillis() / 1000 / PUBLISH_SECONDS) * PUBLISH_SECONDS
  }

  /** The message at any instant, in seconds since 1970. */
  messageAt(seconds: number): FeedMessage {
    return feedAt(this.days, this.feed, seconds)
  }

  /** The current message. */
  edition(): Edition {
    const nowSeconds = this.publishedSeconds()
    if (this.kept?.atSeconds !== nowSeconds) this.kept = toEdition(this.messageAt(nowSeconds), nowSeconds)
    return this.kept
  }
}

/**
 * Encodes a message and computes its validators.
 * @param atSeconds time of the message in seconds since 1970
 */
export function toEdition(message: FeedMessage, atSeconds: number): Edition {
  const bytes = encodeFeed(message)
  const marks = {
    etag: `"${Bun.hash(bytes).toString(36)}"`,
    'last-modified': new Date(atSeconds * 1000).toUTCString(),
    'cache-control': `max-age=${PUBLISH_SECONDS}`,
  }
  return { atSeconds, bytes, marks }
}

/** Whether the client already has this message. Compares the entity tag or, if the request has no tag, the date. */
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
