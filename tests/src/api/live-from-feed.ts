// Makes a network's live state from the bytes of a GTFS-Realtime feed, for API responses. The live thread's code writes
// this state, and the data thread's code opens it.
import { OPENED, takeLive } from '../../../src/networks/live-state.ts'
import type { Network, NetworkLive } from '../../../src/networks/network.ts'
import type { LiveFeedOrder } from '../../../src/realtime/live-messages.ts'
import { SentNetwork } from '../realtime/sent-network.ts'

/**
 * The live state of a network with one feed that has sent this message.
 * @param order settings of the feed that differ from the defaults, and the time
 */
export function liveFromFeed(
  network: Network,
  bytes: Uint8Array,
  { atMillis, ...order }: { readonly atMillis: number } & Partial<LiveFeedOrder>,
): NetworkLive {
  const sent = new SentNetwork(network, atMillis, order)
  try {
    sent.send(bytes)
    return takeLive(undefined, sent.prepare(), OPENED)
  } finally {
    sent.close()
  }
}
