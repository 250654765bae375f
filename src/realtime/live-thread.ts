// The live thread, a Worker: polls the live feeds of all networks and builds the live data that data threads serve.

import type { PackedLive } from '../networks/network-messages.ts'
import { layoutSnapshot, snapshotBytes } from '../networks/snapshot-store.ts'
import { startClock, TRUE_CLOCK } from '../system/clock.ts'
import { openLog, setLogLevel } from '../system/log.ts'
import { AlertBook } from './alert-book.ts'
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

/** Runs in a Worker: waits for the control thread's start message, then polls until the process ends. */
export function runLiveThread(): void {
  const post = (message: FromLiveThread) => self.postMessage(message)
  let networks: LiveNetworks | undefined
  self.onmessage = (event: MessageEvent<ToLiveThread>) => {
    const message = event.data
    try {
      if (message.kind === 'start') networks = new LiveNetworks(message.start, post)
      else if (message.kind === 'reload') networks?.reload(message)
      else if (message.kind === 'snapshot') {
        post(prepare(networks, message))
      } else post({ kind: 'unmatched', number: message.number, feeds: networks?.listUnmatched(message.network) ?? [] })
    } catch (error) {
      post({ kind: 'failed', message: error instanceof Error ? (error.stack ?? error.message) : String(error) })
    }
  }
  post({ kind: 'awake' })
}

/** A temporary lack of files or memory does not end the thread: the control thread retries. */
function prepare(
  networks: LiveNetworks | undefined,
  message: Extract<ToLiveThread, { kind: 'snapshot' }>,
): FromLiveThread {
  const { number } = message
  try {
    return { kind: 'prepared', number, live: networks?.prepare(message) }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    return { kind: 'not_prepared', number, problem: error.message }
  }
}

/** The networks with live feeds. */
class LiveNetworks {
  private readonly open: (order: LiveNetworkOrder) => LiveNetwork
  private list: readonly LiveNetwork[]

  constructor(start: LiveThreadStart, post: (message: FromLiveThread) => void) {
    setLogLevel(start.logLevel)
    const budgets = new BudgetBook(start.dataDir, TRUE_CLOCK)
    const seen = new SeenBook(start.dataDir)
    const alerts = new AlertBook(start.dataDir)
    const clock = startClock(start.clock)
    const log = openLog('live')
    this.open = (order) => {
      const onChange = (live: PackedLive) => post({ kind: 'live', network: order.id, live })
      return new LiveNetwork({ order, clock, budgets, seen, alerts, log, onChange })
    }
    this.list = start.networks.map(this.open)
    for (const network of this.list) network.start()
  }

  /** Switches to new orders; unchanged networks are not touched. */
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

  prepare({ network: id, snapshot }: Extract<ToLiveThread, { kind: 'snapshot' }>): PackedLive | undefined {
    const network = this.list.find((each) => each.id === id)
    if (network === undefined) return undefined
    const bytes = 'bytes' in snapshot ? snapshot.bytes : snapshotBytes(snapshot.path)
    return network.prepare(layoutSnapshot(bytes).snapshot)
  }
}
