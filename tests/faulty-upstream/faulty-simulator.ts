// The demo agency's live feeds, which can be made to fail in every way that a reader must survive. Each feed has its
// own port, so that a single feed can refuse connections.
import {
  type Edition,
  FEEDS,
  type FeedName,
  type FeedPublisher,
  isHeld,
  openPublishers,
  pathOf,
  type Simulator,
  type SimulatorOrder,
  toEdition,
} from '../../src/demo/simulator.ts'
import { type Fault, faultyMessage, faultyReply, isMessageFault } from './faults.ts'
import { plainReply, RawHttpPort, type RawReply, type RawRequest, toHead } from './raw-http.ts'

/** A simulator whose feeds can be made to fail. */
export interface FaultySimulator extends Simulator {
  /**
   * Sets the fault of one feed, or of all feeds if `feed` is absent. Undefined ends the fault. If the old fault is
   * `refused`, the closed port is opened again.
   */
  setFault(fault: Fault | undefined, feed?: FeedName): void
  /** Number of requests for a feed so far, whatever the responses were. */
  requestCount(feed: FeedName): number
}

/** Starts the simulator. If `order.fault` is present, all feeds start with this fault. */
export function startFaultySimulator(order: SimulatorOrder & { readonly fault?: Fault }): FaultySimulator {
  const desks = openPublishers(order).map((publisher) => new FaultyFeed(publisher))
  const deskOf = (feed: FeedName): FaultyFeed => desks[FEEDS.indexOf(feed)]
  const setFault = (fault: Fault | undefined, feed?: FeedName): void => {
    for (const each of FEEDS) if (feed === undefined || feed === each) deskOf(each).setFault(fault)
  }
  setFault(order.fault)
  return {
    url: (feed) => deskOf(feed).url,
    setFault,
    requestCount: (feed) => deskOf(feed).requestCount,
    stop: () => {
      for (const desk of desks) desk.close()
    },
  }
}

/** One feed and its port. */
class FaultyFeed {
  requestCount = 0
  private readonly publisher: FeedPublisher
  private readonly port: RawHttpPort
  private fault: Fault | undefined
  private faultSinceSeconds = 0
  /** The latest edition (bytes and HTTP validators) of the faulty message, reused until the publishing time changes. */
  private kept: Edition | undefined

  constructor(publisher: FeedPublisher) {
    this.publisher = publisher
    this.port = new RawHttpPort((request) => this.answer(request))
  }

  get url(): string {
    return `http://127.0.0.1:${this.port.port}${pathOf(this.publisher.feed)}`
  }

  setFault(fault: Fault | undefined): void {
    this.fault = fault
    this.faultSinceSeconds = this.publisher.publishedSeconds()
    this.kept = undefined
    if (fault === 'refused') this.port.close()
    else this.port.reopen()
  }

  close(): void {
    this.port.close()
  }

  private answer(request: RawRequest): RawReply {
    if (request.target.split('?', 1)[0] !== pathOf(this.publisher.feed)) return plainReply('404 Not Found')
    this.requestCount++
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return plainReply('405 Method Not Allowed', undefined, { allow: 'GET, HEAD' })
    }
    const { fault } = this
    if (fault !== undefined && !isMessageFault(fault)) {
      return faultyReply(fault, () => this.publisher.edition().bytes, request.target)
    }
    return answerWith(this.edition(), request)
  }

  private edition(): Edition {
    const { fault, publisher, faultSinceSeconds: sinceSeconds } = this
    if (!isMessageFault(fault)) return publisher.edition()
    // With `header_frozen`, the feed behaves like a file that is no longer updated, so its ETag and Last-Modified do
    // not change either.
    const nowSeconds = fault === 'header_frozen' ? sinceSeconds : publisher.publishedSeconds()
    if (this.kept?.atSeconds !== nowSeconds) {
      const at = (seconds: number) => publisher.messageAt(seconds)
      this.kept = toEdition(faultyMessage(fault, at, { nowSeconds, sinceSeconds }), nowSeconds)
    }
    return this.kept
  }
}

function answerWith(edition: Edition, { method, headers }: RawRequest): RawReply {
  const { bytes, marks } = edition
  if (isHeld(edition, headers))
    return { head: toHead('304 Not Modified', marks), body: [], pauseMillis: 0, ending: 'end' }
  const full = plainReply('200 OK', bytes, { 'content-type': 'application/x-protobuf', ...marks })
  return method === 'HEAD' ? { ...full, body: [] } : full
}
