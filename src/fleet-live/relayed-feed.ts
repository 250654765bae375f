// A feed on a replica in a cluster. Its messages come from the replica that polls the feed.
import type { FeedSource, FeedSourceParts, SourceStatus } from '../realtime/feed-source.ts'
import type { LiveMessage } from './live-store.ts'

const NOTHING_YET: SourceStatus = {
  fetchedAtMillis: undefined,
  lastError: undefined,
  isWell: true,
  backOffMillis: 0,
  budget: undefined,
}

/** A feed that gets its content from the poller's messages. */
export class RelayedFeed implements FeedSource {
  status: SourceStatus
  private readonly parts: FeedSourceParts

  /** @param before the feed's last known status, from the network's memory */
  constructor(parts: FeedSourceParts, before: SourceStatus = NOTHING_YET) {
    this.parts = parts
    this.status = before
  }

  take({ status, body }: Pick<LiveMessage, 'status' | 'body'>): void {
    const { kind, atMillis: _, ...rest } = status
    this.status = { ...NOTHING_YET, ...rest }
    if (body !== undefined) this.parts.onBody(body)
    else if (kind === 'same') this.parts.onSame()
  }

  start(): void {
    // Nothing to do, because the poller fetches the feed.
  }

  async poll(): Promise<void> {
    // Nothing to do, because the poller fetches the feed.
  }

  close(): void {
    // Nothing to close.
  }
}
