// The demo agency's realtime: publishes the made-up city's GTFS-Realtime over HTTP on loopback ports, as an agency would,
// and fails on demand in every way that a reader has to survive.
import type { Clock } from '../system/clock.ts'
import type { CityFeed } from './city.ts'
import { CityDays } from './simulator/city-days.ts'
import { type Fault, faultyMessage, faultyReply, isMessageFault } from './simulator/faults.ts'
import { encodeFeed, FEEDS, type FeedName, feedAt } from './simulator/feed-state.ts'
import { plainReply, RawHttpPort, type RawReply, type RawRequest, toHead } from './simulator/raw-http.ts'

export { FAULTS, type Fault } from './simulator/faults.ts'
export { FEEDS, type FeedName } from './simulator/feed-state.ts'

/** What to publish, and where. */
export interface SimulatorOrder {
  readonly city: CityFeed
  /** Decides all delays, cancellations and alerts; a whole number. */
  readonly seed: number
  /** Service time. */
  readonly clock: Clock
  /** The first of three ports, one a feed; absent or 0 for any that are free. */
  readonly port?: number
  /** For all feeds, from the start. */
  readonly fault?: Fault
}

/** A running simulator. Every port serves all three paths; `url` gives each feed its own, so that it can fail alone. */
export interface Simulator {
  /** The first feed's port. */
  readonly port: number
  url(feed: FeedName): string
  /** Sets or, with undefined, ends a fault of one feed, or of all. A port that is closed for it opens again. */
  setFault(fault: Fault | undefined, feed?: FeedName): void
  /** How many requests for a feed have come, whatever came of them. */
  requestCount(feed: FeedName): number
  stop(): void
}

/** How often the feeds change, in seconds of service time. */
export const PUBLISH_SECONDS = 10

/** Starts it. Throws where a port is taken. */
export function startSimulator(order: SimulatorOrder): Simulator {
  const days = new CityDays(order.city, order.seed)
  const desks = FEEDS.map((feed) => new FeedDesk(days, feed, order.clock))
  const deskOf = (feed: FeedName): FeedDesk => desks[FEEDS.indexOf(feed)]
  const answer = (request: RawRequest): RawReply => {
    const path = request.target.split('?', 1)[0]
    const desk = desks.find((each) => path === pathOf(each.feed))
    return desk === undefined ? plainReply('404 Not Found') : desk.answer(request)
  }
  const ports: RawHttpPort[] = []
  try {
    for (const index of FEEDS.keys()) ports.push(new RawHttpPort(order.port ? order.port + index : 0, answer))
  } catch (error) {
    for (const port of ports) port.close()
    throw error
  }
  const setFault = (fault: Fault | undefined, feed?: FeedName): void => {
    for (const [index, each] of FEEDS.entries()) {
      if (feed !== undefined && feed !== each) continue
      deskOf(each).setFault(fault)
      if (fault === 'refused') ports[index].close()
      else ports[index].reopen()
    }
  }
  setFault(order.fault)
  return {
    port: ports[0].port,
    url: (feed) => `http://127.0.0.1:${ports[FEEDS.indexOf(feed)].port}${pathOf(feed)}`,
    setFault,
    requestCount: (feed) => deskOf(feed).requestCount,
    stop: () => {
      for (const port of ports) port.close()
    },
  }
}

function pathOf(feed: FeedName): string {
  return `/${feed}.pb`
}

/** What is published now: bytes and their marks. */
interface Edition {
  readonly key: string
  readonly bytes: Uint8Array
  readonly etag: string
  /** An HTTP date. */
  readonly lastModified: string
}

/** Answers for one feed; makes an edition when it is asked for, once for each publishing instant and fault. */
class FeedDesk {
  readonly feed: FeedName
  requestCount = 0
  private readonly days: CityDays
  private readonly clock: Clock
  private fault: Fault | undefined
  private faultSinceSeconds = 0
  private kept: Edition | undefined

  constructor(days: CityDays, feed: FeedName, clock: Clock) {
    this.days = days
    this.feed = feed
    this.clock = clock
  }

  setFault(fault: Fault | undefined): void {
    this.fault = fault
    this.faultSinceSeconds = this.publishedAt()
  }

  answer(request: RawRequest): RawReply {
    this.requestCount++
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return plainReply('405 Method Not Allowed', undefined, { allow: 'GET, HEAD' })
    }
    const { fault } = this
    if (fault !== undefined && !isMessageFault(fault)) {
      return faultyReply(fault, () => this.edition().bytes, request.target)
    }
    return answerWith(this.edition(), request)
  }

  /** The last publishing instant, in seconds after 1970. */
  private publishedAt(): number {
    return Math.floor(this.clock.nowMillis() / 1000 / PUBLISH_SECONDS) * PUBLISH_SECONDS
  }

  private edition(): Edition {
    const fault = isMessageFault(this.fault) ? this.fault : undefined
    const sinceSeconds = this.faultSinceSeconds
    // A frozen feed is a file that nobody writes any more: its marks stand still too.
    const nowSeconds = fault === 'header_frozen' ? sinceSeconds : this.publishedAt()
    const key = `${nowSeconds} ${fault ?? ''}`
    if (this.kept?.key === key) return this.kept
    const at = (seconds: number) => feedAt(this.days, this.feed, seconds)
    const message = fault === undefined ? at(nowSeconds) : faultyMessage(fault, at, { nowSeconds, sinceSeconds })
    const bytes = encodeFeed(message)
    const etag = `"${Bun.hash(bytes).toString(36)}"`
    this.kept = { key, bytes, etag, lastModified: new Date(nowSeconds * 1000).toUTCString() }
    return this.kept
  }
}

/** 304 where the reader has it already: by its tag, or, where it names none, by its date. */
function answerWith(edition: Edition, { method, headers }: RawRequest): RawReply {
  const { bytes, etag, lastModified } = edition
  const marks = { etag, 'last-modified': lastModified, 'cache-control': `max-age=${PUBLISH_SECONDS}` }
  const tags = headers.get('if-none-match')
  const date = Date.parse(headers.get('if-modified-since') ?? '')
  const hasIt = tags === undefined ? date >= Date.parse(lastModified) : hasTag(tags, etag)
  if (hasIt) return { head: toHead('304 Not Modified', marks), body: [], pauseMillis: 0, ending: 'end' }
  const full = plainReply('200 OK', bytes, { 'content-type': 'application/x-protobuf', ...marks })
  return method === 'HEAD' ? { ...full, body: [] } : full
}

function hasTag(list: string, etag: string): boolean {
  const tags = list.split(',').map((each) => each.trim().replace(/^W\//, ''))
  return tags.includes('*') || tags.includes(etag)
}
