// Makes a network's live state from the bytes of a GTFS-Realtime feed, for API responses. The live thread's code writes
// this state, and the data thread's code opens it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { OPENED, takeLive } from '../../../src/networks/live-state.ts'
import type { Network, NetworkLive } from '../../../src/networks/network.ts'
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

/**
 * The live state of a network with one feed that has sent this message.
 * @param order settings of the feed that differ from the defaults, and the time
 */
export function liveFromFeed(
  network: Network,
  bytes: Uint8Array,
  { atMillis, ...order }: { readonly atMillis: number } & Partial<LiveFeedOrder>,
): NetworkLive {
  if (network.current === undefined) throw new Error('the network has no snapshot')
  const folder = mkdtempSync(join(tmpdir(), 'quai-live-'))
  try {
    const sources: SentSource[] = []
    const live = new LiveNetwork({
      order: { id: network.settings.id, feeds: [{ ...ORDER, ...order }], scheduledVehicles: false },
      clock: { nowMillis: () => atMillis },
      seen: new SeenBook(folder, failOnProblem),
      alerts: new AlertBook(folder, failOnProblem),
      onChange: () => undefined,
      log: { info: () => undefined, warn: () => undefined },
      openSource: (parts) => {
        const source = new SentSource(parts, atMillis)
        sources.push(source)
        return source
      },
    })
    for (const source of sources) source.send(bytes)
    const packed = live.prepare(network.current)
    live.close()
    return takeLive(undefined, packed, OPENED)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** A feed source that returns the messages that the caller sends. */
class SentSource implements FeedSource {
  readonly status
  private readonly parts: FeedSourceParts

  constructor(parts: FeedSourceParts, atMillis: number) {
    this.parts = parts
    this.status = { fetchedAtMillis: atMillis, lastError: undefined, isWell: true, backOffMillis: 0, budget: undefined }
  }

  start(): void {}

  async poll(): Promise<void> {}

  close(): void {}

  /** Delivers a message, as if it had been fetched. Throws if the message cannot be read. */
  send(bytes: Uint8Array): void {
    const problem = this.parts.onBody(bytes)
    if (problem !== undefined) throw new Error(problem.message)
  }
}
