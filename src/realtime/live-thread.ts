// The live thread, a Worker. It polls the live feeds of all networks and builds the live data that the data threads
// serve.

import type { FleetLive } from '../accounts/fleet.ts'
import type { Snapshot } from '../networks/network.ts'
import type { PackedLive } from '../networks/network-messages.ts'
import { layoutSnapshot, snapshotBytes } from '../networks/snapshot-store.ts'
import { startClock, TRUE_CLOCK } from '../system/clock.ts'
import { openLog, setLogLevel } from '../system/log.ts'
import { MemorySweeper } from '../system/memory-sweeper.ts'
import { AlertBook } from './alert-book.ts'
import { FeedPoller } from './feed-poller.ts'
import type { FeedSourceParts } from './feed-source.ts'
import type {
  FromLiveThread,
  LiveNetworkOrder,
  LiveThreadStart,
  ToLiveThread,
  UnmatchedUpdates,
} from './live-messages.ts'
import { LiveNetwork } from './live-network.ts'
import { SeenBook } from './seen-book.ts'
import { BudgetBook } from './upstream-budget.ts'

declare const self: Worker

/** The networks of the live thread. */
export interface LiveThreadNetworks {
  /** Switches to new orders. A network whose order has not changed is left as it is. */
  reload(message: Extract<ToLiveThread, { kind: 'reload' }>): void
  /** The live data of a network for a snapshot; undefined if the live thread does not have the network. */
  prepare(network: string, open: () => Snapshot): PackedLive | undefined | Promise<PackedLive | undefined>
  listUnmatched(network: string): UnmatchedUpdates[]
  /** In a cluster: gives up the role of the poller, so that another replica can take it. */
  leave(): Promise<void>
}

/** Opens the networks of a replica in a cluster. */
export type OpenFleetNetworks = (
  start: LiveThreadStart & { readonly fleet: FleetLive },
  post: (message: FromLiveThread) => void,
) => Promise<LiveThreadNetworks>

/** Runs in a Worker: waits for the control thread's start message, then polls until the process ends. */
export function runLiveThread(openFleet: OpenFleetNetworks): void {
  const sweeper = new MemorySweeper()
  const post = (message: FromLiveThread) => {
    self.postMessage(message)
    if (message.kind === 'live') sweeper.sweepRegularly() // frees the garbage from building the live data
  }
  const fail = (error: unknown) =>
    post({ kind: 'failed', message: error instanceof Error ? (error.stack ?? error.message) : String(error) })
  const started = Promise.withResolvers<LiveThreadNetworks>()
  const begin = async (start: LiveThreadStart): Promise<LiveThreadNetworks> => {
    const { fleet } = start
    return fleet === undefined ? new LiveNetworks(start, post) : await openFleet({ ...start, fleet }, post)
  }
  self.onmessage = (event: MessageEvent<ToLiveThread>) => {
    const message = event.data
    if (message.kind === 'start') started.resolve(begin(message.start))
    else started.promise.then((networks) => take(networks, message, post)).catch(fail)
  }
  started.promise.catch(fail)
  post({ kind: 'awake' })
}

async function take(
  networks: LiveThreadNetworks,
  message: Exclude<ToLiveThread, { kind: 'start' }>,
  post: (message: FromLiveThread) => void,
): Promise<void> {
  switch (message.kind) {
    case 'reload':
      return networks.reload(message)
    case 'snapshot':
      return post(await prepare(networks, message))
    case 'list_unmatched':
      return post({ kind: 'unmatched', number: message.number, feeds: networks.listUnmatched(message.network) })
    case 'leave':
      await networks.leave()
      return post({ kind: 'left' })
  }
}

/**
 * Makes the live data for a snapshot. A system error, such as a temporary lack of file descriptors or memory, does not
 * end the thread, because the control thread retries.
 */
async function prepare(
  networks: LiveThreadNetworks,
  { number, network, snapshot }: Extract<ToLiveThread, { kind: 'snapshot' }>,
): Promise<FromLiveThread> {
  try {
    const open = () => layoutSnapshot('bytes' in snapshot ? snapshot.bytes : snapshotBytes(snapshot.path)).snapshot
    const live = await networks.prepare(network, open)
    return { kind: 'prepared', number, live }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    return { kind: 'not_prepared', number, problem: error.message }
  }
}

/** The networks of a service without a cluster. This process polls their feeds. */
class LiveNetworks implements LiveThreadNetworks {
  private readonly open: (order: LiveNetworkOrder) => LiveNetwork
  private list: readonly LiveNetwork[]

  constructor(start: LiveThreadStart, post: (message: FromLiveThread) => void) {
    setLogLevel(start.logLevel)
    const budgets = new BudgetBook(start.dataDir, TRUE_CLOCK)
    const log = openLog('live')
    const warn = (message: string) => log.warn(message)
    const seen = new SeenBook(start.dataDir, warn)
    const alerts = new AlertBook(start.dataDir, warn)
    const clock = startClock(start.clock)
    this.open = (order) => {
      const onChange = (live: PackedLive) => post({ kind: 'live', network: order.id, live })
      const openSource = (parts: FeedSourceParts) => {
        const { id, budget } = parts.order
        return new FeedPoller({ ...parts, budget: budget && budgets.budgetOf(`${order.id}/${id}`, budget) })
      }
      return new LiveNetwork({ order, clock, openSource, seen, alerts, log, onChange })
    }
    this.list = start.networks.map(this.open)
    for (const network of this.list) network.start()
  }

  /** Switches to new orders. A network whose order has not changed is left as it is. */
  reload({ networks: orders, logLevel }: Extract<ToLiveThread, { kind: 'reload' }>): void {
    setLogLevel(logLevel)
    const before = this.list
    this.list = orders.map((order) => {
      const known = before.find(({ id }) => id === order.id)
      if (known === undefined) {
        const opened = this.open(order)
        opened.start()
        return opened
      }
      known.replaceOrder(order)
      return known
    })
    for (const network of before) if (!this.list.includes(network)) network.close()
  }

  listUnmatched(network: string): UnmatchedUpdates[] {
    return this.list.find(({ id }) => id === network)?.listUnmatched() ?? []
  }

  prepare(id: string, open: () => Snapshot): PackedLive | undefined {
    return this.list.find((each) => each.id === id)?.prepare(open())
  }

  async leave(): Promise<void> {
    // Without a cluster, there is no other replica that could poll.
  }
}
