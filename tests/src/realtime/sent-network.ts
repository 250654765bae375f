// A network's live state as the live thread builds it from messages. A test sends the messages and sets the time.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Network } from '../../../src/networks/network.ts'
import type { PackedLive } from '../../../src/networks/network-messages.ts'
import { AlertBook } from '../../../src/realtime/alert-book.ts'
import type { FeedSource, FeedSourceParts } from '../../../src/realtime/feed-source.ts'
import type { LiveFeedOrder } from '../../../src/realtime/live-messages.ts'
import { LiveNetwork } from '../../../src/realtime/live-network.ts'
import { SeenBook } from '../../../src/realtime/seen-book.ts'
import { failOnProblem } from '../../fail-on-problem.ts'

const ORDER: LiveFeedOrder = {
  id: 'live',
  url: 'live.pb',
  intervalSeconds: 30,
  headers: {},
  budget: undefined,
  maxAgeSeconds: undefined,
  provides: undefined,
}

/** Live data of one feed, for the snapshot of a network. */
export class SentNetwork {
  /** All messages that the live thread would have sent to the data threads. */
  readonly published: PackedLive[] = []
  nowMillis: number
  private readonly network: Network
  private readonly live: LiveNetwork
  private readonly folder = mkdtempSync(join(tmpdir(), 'quai-live-'))
  private source: SentSource | undefined

  /** @param order settings of the feed that differ from the defaults */
  constructor(network: Network, nowMillis: number, order: Partial<LiveFeedOrder> = {}) {
    this.network = network
    this.nowMillis = nowMillis
    this.live = new LiveNetwork({
      order: { id: network.settings.id, feeds: [{ ...ORDER, ...order }], scheduledVehicles: false },
      clock: { nowMillis: () => this.nowMillis },
      seen: new SeenBook(this.folder, failOnProblem),
      alerts: new AlertBook(this.folder, failOnProblem),
      onChange: (live) => this.published.push(live),
      log: { info: () => undefined, warn: () => undefined },
      openSource: (parts) => {
        this.source = new SentSource(parts, () => this.nowMillis)
        return this.source
      },
    })
  }

  /** Delivers a message of the feed, as if it had been fetched now. Throws if the message cannot be read. */
  send(bytes: Uint8Array): void {
    this.source?.send(bytes)
  }

  /** All live data for the network's snapshot. */
  prepare(): PackedLive {
    if (this.network.current === undefined) throw new Error('the network has no snapshot')
    return this.live.prepare(this.network.current)
  }

  /** Publishes the live data, as after each fetch, and returns the message. */
  publish(): PackedLive {
    this.live.publish()
    const last = this.published.at(-1)
    if (last === undefined) throw new Error('nothing was published')
    return last
  }

  close(): void {
    this.live.close()
    rmSync(this.folder, { recursive: true })
  }
}

/** A feed source that returns the messages that the caller sends. */
class SentSource implements FeedSource {
  private readonly parts: FeedSourceParts
  private readonly nowMillis: () => number
  private fetchedAtMillis: number

  constructor(parts: FeedSourceParts, nowMillis: () => number) {
    this.parts = parts
    this.nowMillis = nowMillis
    this.fetchedAtMillis = nowMillis()
  }

  get status() {
    const { fetchedAtMillis } = this
    return { fetchedAtMillis, lastError: undefined, isWell: true, backOffMillis: 0, budget: undefined }
  }

  start(): void {}

  async poll(): Promise<void> {}

  close(): void {}

  send(bytes: Uint8Array): void {
    this.fetchedAtMillis = this.nowMillis()
    const problem = this.parts.onBody(bytes)
    if (problem !== undefined) throw new Error(problem.message)
  }
}
