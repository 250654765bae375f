// A planner, a Worker beside each data thread: what takes milliseconds is worked out here, one question after the other,
// and never where departures are answered.
import { setPriority } from 'node:os'
import { JourneyPlanning } from '../journeys/journey-planning.ts'
import { LayoutExchange } from '../journeys/layout-exchange.ts'
import { PlanPreparation } from '../journeys/plan-preparation.ts'
import type { FromPlanner, ToPlanner } from '../journeys/planner-messages.ts'
import { type Clock, startClock } from '../system/clock.ts'
import { sweepWhenIdle } from '../system/memory-sweeper.ts'
import { ThreadNetworks } from './thread-networks.ts'

declare const self: Worker

/** Text that a planner keeps: stops and lines are rendered into journeys piece by piece. */
const TEXT_CACHE_BYTES = 1024 * 1024
/** On Linux this is the thread's own: where cores are short, the data threads go first. */
const NICENESS = 10

/** Runs in a Worker: waits for the data thread's start, then plans until the process ends. */
export function runPlannerThread(): void {
  const post = (message: FromPlanner) => self.postMessage(message)
  if (process.platform === 'linux') setPriority(0, NICENESS)
  let clock: Clock | undefined
  let planner: PlannerThread | undefined
  self.onmessage = (event: MessageEvent<ToPlanner>) => {
    const message = event.data
    try {
      if (message.kind === 'clock') clock = startClock(message.clock)
      else if (message.kind === 'start') {
        planner = new PlannerThread(new ThreadNetworks(message.start.networks, TEXT_CACHE_BYTES), clock)
      } else planner?.obey(message, post)
    } catch (error) {
      post({ kind: 'failed', message: error instanceof Error ? (error.stack ?? error.message) : String(error) })
    }
  }
  post({ kind: 'awake' })
}

class PlannerThread {
  private readonly networks: ThreadNetworks
  private readonly planning: JourneyPlanning
  private readonly preparation: PlanPreparation
  private readonly exchange = new LayoutExchange()
  private plannedCount = 0

  /** @param clock undefined if nothing is to be made ready before it is asked for */
  constructor(networks: ThreadNetworks, clock: Clock | undefined) {
    this.networks = networks
    this.planning = new JourneyPlanning(networks.views, this.exchange)
    this.preparation = new PlanPreparation(this.planning, networks.networks, clock)
    this.preparation.begin()
    sweepWhenIdle(() => this.plannedCount)
  }

  obey(message: Exclude<ToPlanner, { kind: 'start' | 'clock' }>, post: (message: FromPlanner) => void): void {
    switch (message.kind) {
      case 'prepare': {
        // The data thread prepares the same and says why where it cannot; the planner then has nothing to serve either.
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
      case 'plan': {
        const { number, question, millis, hasWaited } = message
        if (!hasWaited && !this.planning.isReady(question)) {
          post({ kind: 'waits', number })
          this.preparation.layOutFor(question, () => post({ kind: 'ready', number }))
          break
        }
        post({ kind: 'planned', number, outcome: this.planning.answer(question, millis) })
        this.plannedCount++
        break
      }
    }
  }

  /** Layouts go with the snapshots they are of. */
  private forgetReplaced(): void {
    const served = this.networks.networks.list.flatMap(({ current }) => (current === undefined ? [] : [current.id]))
    this.exchange.keepOnly(new Set(served))
  }
}
