// Polls the live feeds on the one replica that has the poller's role. Each poll needs a permit from the database. Each
// result is passed to all replicas, including this one, through the database.

import { decodeMessage, RealtimeUnreadable } from '../../loaders/gtfs-rt/decode-message.ts'
import { mayPass } from '../accounts/account-store.ts'
import { RoleLost } from '../accounts/fleet-role.ts'
import type { UpstreamBudget } from '../networks/network.ts'
import { FeedPoller } from '../realtime/feed-poller.ts'
import type { CallBudget, FeedProblem } from '../realtime/feed-source.ts'
import type { BudgetWindow, LiveFeedOrder, LiveNetworkOrder } from '../realtime/live-messages.ts'
import { spreadMillis, windowAt } from '../realtime/upstream-budget.ts'
import { type Clock, TRUE_CLOCK } from '../system/clock.ts'
import type { Fence, LiveStore, MessageStatus } from './live-store.ts'

/** What the pollers depend on. */
export interface PollersParts {
  readonly store: Pick<LiveStore, 'permit' | 'publish'>
  /** The service clock. */
  readonly clock: Clock
  /** Returns the current token and term of the role; undefined while this replica may not poll. */
  readonly fence: () => Fence | undefined
  /** Called after a message has been stored in the database. */
  readonly onPublished: () => void
  /** Called when the database has refused a write because another replica now has the poller's role. */
  readonly onLost: () => void
  /** Called with any other database error, but not if the database is unavailable. */
  readonly onFailure: (error: unknown) => void
}

/** The pollers of all feeds. */
export class FeedPollers {
  private readonly parts: PollersParts
  private readonly pollers: FleetPoller[] = []

  constructor(parts: PollersParts) {
    this.parts = parts
  }

  /**
   * Polls the networks' feeds. The first poll of a feed comes at least one interval after the previous poller's last
   * poll of that feed.
   * @param polledAt `network/feed` → Unix milliseconds of the last poll
   */
  start(networks: readonly LiveNetworkOrder[], polledAt: Readonly<Record<string, number>>): void {
    for (const { id, feeds } of networks) {
      for (const feed of feeds) {
        const poller = new FleetPoller(id, feed, this.parts)
        this.pollers.push(poller)
        poller.start(polledAt[poller.name] ?? 0)
      }
    }
  }

  stop(): void {
    for (const poller of this.pollers.splice(0)) poller.close()
  }
}

/** Polls one feed, and stores each result in the database as a message. */
class FleetPoller {
  readonly name: string
  private readonly network: string
  private readonly order: LiveFeedOrder
  private readonly parts: PollersParts
  private readonly poller: FeedPoller
  /**
   * The result of the current fetch: `body` with a new body, or `same` if the body has not changed. Undefined if the
   * fetch failed.
   */
  private brought: { readonly kind: 'body' | 'same'; readonly body: Uint8Array | undefined } | undefined
  private beginning: ReturnType<typeof setTimeout> | undefined
  private isClosed = false

  constructor(network: string, order: LiveFeedOrder, parts: PollersParts) {
    this.name = `${network}/${order.id}`
    this.network = network
    this.order = order
    this.parts = parts
    this.poller = new FeedPoller({
      order,
      budget: new PermittedCalls(this.name, order, parts),
      clock: parts.clock,
      onBody: (bytes) => this.take(bytes),
      onSame: () => {
        this.brought = { kind: 'same', body: undefined }
      },
      onFetched: () => void this.publish(),
    })
  }

  start(polledAtMillis: number): void {
    const waitMillis = polledAtMillis + this.order.intervalSeconds * 1_000 - TRUE_CLOCK.nowMillis()
    this.beginning = setTimeout(
      () => this.poller.start(),
      Math.min(Math.max(0, waitMillis), this.order.intervalSeconds * 1_000),
    )
  }

  close(): void {
    this.isClosed = true
    clearTimeout(this.beginning)
    this.poller.close()
  }

  private take(body: Uint8Array): FeedProblem | undefined {
    try {
      decodeMessage(body)
    } catch (error) {
      if (!(error instanceof RealtimeUnreadable)) throw error
      return { reason: 'decode_error', message: `its message cannot be decoded: ${error.message}` }
    }
    this.brought = { kind: 'body', body }
    return undefined
  }

  /** Stores the result of a fetch as a message. If storing fails, the next fetch must return the whole body again. */
  private async publish(): Promise<void> {
    const { network, parts, poller } = this
    const { kind, body } = this.brought ?? { kind: 'failed', body: undefined }
    this.brought = undefined
    const fence = parts.fence()
    if (fence === undefined || this.isClosed) return this.poller.forget()
    const status: MessageStatus = { ...poller.status, kind, atMillis: parts.clock.nowMillis() }
    try {
      const seq = await parts.store.publish(fence, { network, feed: this.order.id, status, body })
      if (seq === undefined) this.poller.forget()
      else parts.onPublished()
    } catch (error) {
      this.poller.forget()
      if (error instanceof RoleLost) parts.onLost()
      else if (!mayPass(error)) parts.onFailure(error)
    }
  }
}

/** The poll budget for one feed's server. The database counts the polls by all replicas. */
class PermittedCalls implements CallBudget {
  private readonly feed: string
  private readonly budget: LiveFeedOrder['budget']
  private readonly parts: PollersParts
  /** The start of the budget window in which the last poll was made, and the number of polls in that window. */
  private counted = { startMillis: 0, used: 0 }

  constructor(feed: string, { budget }: LiveFeedOrder, parts: PollersParts) {
    this.feed = feed
    this.budget = budget
    this.parts = parts
  }

  async take(): Promise<boolean> {
    const { feed, parts, budget } = this
    const fence = parts.fence()
    if (fence === undefined) return false
    const atMillis = TRUE_CLOCK.nowMillis()
    const windowStartMillis = budget === undefined ? 0 : windowAt(budget.window, atMillis).startMillis
    try {
      const used = await parts.store.permit(fence.token, { feed, atMillis, windowStartMillis, limit: budget?.limit })
      this.counted = { startMillis: windowStartMillis, used: used ?? budget?.limit ?? 0 }
      return used !== undefined
    } catch (error) {
      if (error instanceof RoleLost) parts.onLost()
      else if (!mayPass(error)) throw error
      return false
    }
  }

  waitMillis(): number {
    if (this.budget === undefined) return 0
    const nowMillis = TRUE_CLOCK.nowMillis()
    const { used, endMillis } = this.usedAt(nowMillis, this.budget.window)
    return spreadMillis({ used, limit: this.budget.limit, leftMillis: endMillis - nowMillis })
  }

  status(): UpstreamBudget | undefined {
    if (this.budget === undefined) return undefined
    const { used, endMillis } = this.usedAt(TRUE_CLOCK.nowMillis(), this.budget.window)
    return { used, limit: this.budget.limit, resetsAtMillis: endMillis }
  }

  private usedAt(nowMillis: number, window: BudgetWindow): { used: number; endMillis: number } {
    const { startMillis, endMillis } = windowAt(window, nowMillis)
    return { used: startMillis > this.counted.startMillis ? 0 : this.counted.used, endMillis }
  }
}
