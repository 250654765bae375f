// The planner of a data thread: a Worker that plans journeys one at a time. Planning takes milliseconds, and in a
// separate thread it never delays departure boards.
import { setPriority } from 'node:os'
import { JourneyPlanning } from '../journeys/journey-planning.ts'
import { LayoutExchange } from '../journeys/layout-exchange.ts'
import { PlanPreparation } from '../journeys/plan-preparation.ts'
import type { FromPlanner, ToPlanner } from '../journeys/planner-messages.ts'
import type { NetworkMessage } from '../networks/network-messages.ts'
import { type Clock, startClock } from '../system/clock.ts'
import { MemorySweeper, sweepThread } from '../system/memory-sweeper.ts'
import { ThreadNetworks } from './thread-networks.ts'

declare const self: Worker

/** Size of a planner's cache of rendered stops and lines, which are parts of journeys. */
const TEXT_CACHE_BYTES = 1024 * 1024
/**
 * Added to the planner's niceness, so that data threads run first if there are too few cores. On Linux, niceness is per
 * thread.
 */
const NICENESS = 10
/** Number of responses that leave about as much garbage as one planned request. */
const WORK_PER_PLAN = 25
/** Garbage is collected whenever the layouts prepared since the last collection reach this size. */
const SWEPT_BYTES = 24 * 1024 * 1024

/** Runs in a Worker: waits for the data thread's start message, then plans until the process ends. */
export function runPlannerThread(): void {
  const post = (message: FromPlanner) => self.postMessage(message)
  if (process.platform === 'linux') setPriority(0, NICENESS)
  let clock: Clock | undefined
  let isAlone = false
  let planner: PlannerThread | undefined
  self.onmessage = (event: MessageEvent<ToPlanner>) => {
    const message = event.data
    try {
      if (message.kind === 'clock') {
        clock = startClock(message.clock)
        isAlone = message.isAlone
      } else if (message.kind === 'start') {
        const exchange = isAlone ? undefined : new LayoutExchange()
        planner = new PlannerThread(openNetworks(message.start.networks), { clock, exchange }, post)
      } else planner?.obey(message, post)
    } catch (error) {
      post(failureOf(error))
    }
  }
  post({ kind: 'awake' })
}

/**
 * Opens the networks. A snapshot is opened only on the first journey request for its network, because most networks of
 * a large service never get such a request.
 */
function openNetworks(messages: readonly NetworkMessage[]): ThreadNetworks {
  return new ThreadNetworks(messages, { textCacheBytes: TEXT_CACHE_BYTES, opens: 'when_used' })
}

function failureOf(error: unknown): FromPlanner {
  return { kind: 'failed', message: error instanceof Error ? (error.stack ?? error.message) : String(error) }
}

type PlanMessage = Extract<ToPlanner, { kind: 'plan' }>

class PlannerThread {
  private readonly networks: ThreadNetworks
  private readonly planning: JourneyPlanning
  private readonly preparation: PlanPreparation
  private readonly exchange: LayoutExchange | undefined
  private readonly sweeper = new MemorySweeper()
  private plannedCount = 0
  /** Total bytes of all layouts that were prepared before the last garbage collection. */
  private sweptBytes = 0

  /**
   * @param clock service time; if undefined, no layouts are prepared ahead of requests
   * @param exchange shares layouts with other planners; undefined if this is the only planner
   */
  constructor(
    networks: ThreadNetworks,
    { clock, exchange }: { readonly clock: Clock | undefined; readonly exchange: LayoutExchange | undefined },
    post: (message: FromPlanner) => void,
  ) {
    this.networks = networks
    this.exchange = exchange
    this.planning = new JourneyPlanning(networks.views, {
      exchange,
      open: (network) => networks.open(network),
      warn: (message) => post({ kind: 'warned', message }),
    })
    this.preparation = new PlanPreparation(this.planning, networks.networks, clock)
    this.preparation.begin()
    sweepThread(() => this.plannedCount * WORK_PER_PLAN)
  }

  obey(message: Exclude<ToPlanner, { kind: 'start' | 'clock' }>, post: (message: FromPlanner) => void): void {
    switch (message.kind) {
      case 'prepare': {
        // The result is not checked here: the data thread prepares the same network and reports any reason why it
        // cannot be served.
        this.networks.prepare(message.number, message.network)
        break
      }
      case 'commit':
        this.networks.commit(message.number)
        this.forgetReplaced()
        this.preparation.begin()
        break
      case 'discard':
        this.networks.discard(message.number)
        break
      case 'select':
        this.networks.select(message.networks)
        this.forgetReplaced()
        break
      case 'live':
        this.networks.replaceLive(message.network, message.live)
        break
      case 'digest_live':
        post({ kind: 'live_digested', digests: this.networks.digestLive() })
        break
      case 'plan':
        this.plan(message, post)
        break
    }
  }

  private plan(message: PlanMessage, post: (message: FromPlanner) => void): void {
    const { number, question, millis, hasWaited } = message
    if (!this.planning.canRead(question)) {
      const again = () => this.plan(message, post)
      void this.planning
        .loadReader()
        .then(again)
        .catch((error) => post(failureOf(error)))
    } else if (!hasWaited && !this.planning.isReady(question)) {
      post({ kind: 'waits', number })
      this.preparation.layOutFor(question, () => post({ kind: 'ready', number }))
    } else {
      post({ kind: 'planned', number, outcome: this.planning.answer(question, millis) })
      this.plannedCount++
    }
    this.sweepLaidOut()
  }

  /**
   * Collects garbage after many layouts have been prepared. Dropped layouts are few but large objects, so the garbage
   * collector would not run soon on its own.
   */
  private sweepLaidOut(): void {
    const { laidBytes } = this.planning.grounds
    if (laidBytes - this.sweptBytes < SWEPT_BYTES) return
    this.sweptBytes = laidBytes
    this.sweeper.sweepNext() // the answer has been posted, so no layout is in use
  }

  /** Removes layouts of replaced snapshots. */
  private forgetReplaced(): void {
    this.exchange?.keepOnly(this.networks.snapshotIds())
    this.planning.grounds.forgetReplaced()
  }
}
