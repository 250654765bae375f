// The live thread, a Worker: polls the live feeds of all networks and makes of them what the data threads serve.
import { startClock, TRUE_CLOCK } from '../clock.ts'
import { openLog } from '../log.ts'
import { layoutSnapshot, snapshotBytes } from '../networks/snapshot-store.ts'
import type { FromLiveThread, LiveThreadStart, ToLiveThread } from './live-messages.ts'
import { LiveNetwork } from './live-network.ts'
import { BudgetBook } from './upstream-budget.ts'

declare const self: Worker

/** Runs in a Worker: waits for the control thread's start, then polls until the process ends. */
export function runLiveThread(): void {
  const post = (message: FromLiveThread) => self.postMessage(message)
  let networks: readonly LiveNetwork[] = []
  self.onmessage = (event: MessageEvent<ToLiveThread>) => {
    const message = event.data
    try {
      if (message.kind === 'start') networks = openNetworks(message.start, post)
      else if (message.kind === 'snapshot')
        post({ kind: 'prepared', number: message.number, live: prepare(networks, message) })
      else {
        const feeds = networks.find(({ id }) => id === message.network)?.listUnmatched() ?? []
        post({ kind: 'unmatched', number: message.number, feeds })
      }
    } catch (error) {
      post({ kind: 'failed', message: error instanceof Error ? (error.stack ?? error.message) : String(error) })
    }
  }
  post({ kind: 'awake' })
}

function openNetworks(start: LiveThreadStart, post: (message: FromLiveThread) => void): LiveNetwork[] {
  const budgets = new BudgetBook(start.dataDir, TRUE_CLOCK)
  const clock = startClock(start.clock)
  const log = openLog('live')
  const networks = start.networks.map(
    (order) =>
      new LiveNetwork({
        order,
        clock,
        budgets,
        log,
        onChange: (live) => post({ kind: 'live', network: order.id, live }),
      }),
  )
  for (const network of networks) network.start()
  return networks
}

function prepare(networks: readonly LiveNetwork[], message: Extract<ToLiveThread, { kind: 'snapshot' }>) {
  const network = networks.find(({ id }) => id === message.network)
  if (network === undefined) return undefined
  const { snapshot } = message
  const bytes = 'bytes' in snapshot ? snapshot.bytes : snapshotBytes(snapshot.path)
  return network.prepare(layoutSnapshot(bytes).snapshot)
}
