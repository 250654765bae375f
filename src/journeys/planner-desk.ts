// A data thread's client for its planner. Queries wait here and are sent to the planner one at a time. The API keys
// take turns, with one query each. A query that is not answered in time fails. A planner that does not respond is
// terminated and restarted.

import { Problem } from '../http/problem.ts'
import { KeptNetworks } from '../networks/kept-networks.ts'
import type { LiveDigests } from '../networks/live-state.ts'
import type { NetworkMessage, PackedLive } from '../networks/network-messages.ts'
import { FairQueue } from './fair-queue.ts'
import type { FromPlanner, JourneyOutcome, PlannerQuestion, ToPlanner } from './planner-messages.ts'

/** Maximum time from query to answer, including the wait in the queue. */
const DEADLINE_MILLIS = 5_000
/** A planner that exceeds a query's deadline by this much is considered hung. */
const GRACE_MILLIS = 100
/** The longest time that a query waits for days to be laid out. */
const LAYOUT_MILLIS = 30_000
/**
 * Maximum number of waiting queries, per key and in total. Further queries are rejected, because they would not be
 * answered in time.
 */
const WAITING_OF_KEY = 512
const WAITING_OF_ALL = 2_048

/** A started planner, as PlannerDesk uses it. */
export interface PlannerWorker {
  post(message: ToPlanner): void
  end(): void
}

/** Starts a planner that sends its messages to `onMessage`. */
export type PlannerStarter = (onMessage: (message: FromPlanner) => void) => PlannerWorker

/** Plans journeys for API keys; fails with `planner_timeout` or `overloaded`. */
export interface Planners {
  plan(key: string, question: PlannerQuestion, signal: AbortSignal): Promise<JourneyOutcome | Problem>
}

/** A query that is waiting or in progress. */
interface Waiting {
  readonly number: number
  readonly question: PlannerQuestion
  /** The query fails if it is not answered by this time, in milliseconds of `performance.now`. */
  deadline: number
  /** Whether the query has already waited for its days to be laid out. */
  hasWaited: boolean
  readonly settle: (outcome: JourneyOutcome | Problem) => void
  /** Called if the query crashed the planner, which is a bug in Quai's code. */
  readonly fail: (error: Error) => void
}

/** One data thread's client for its planner. */
export class PlannerDesk implements Planners {
  private readonly start: PlannerStarter
  private readonly deadlineMillis: number
  private readonly queue = new FairQueue<Waiting>({ ofKey: WAITING_OF_KEY, ofAll: WAITING_OF_ALL })
  /** Number → query that waits for days to be laid out. */
  private readonly aside = new Map<number, Waiting>()
  /** Queries to send again, because their days are now laid out or the planner was replaced. */
  private ready: readonly Waiting[] = []
  /** The query that the planner is working on. */
  private current: Waiting | undefined
  private readonly networks: KeptNetworks
  private readonly prepared = new Map<number, NetworkMessage>()
  private worker: PlannerWorker | undefined
  private isAwake = false
  private digested: PromiseWithResolvers<LiveDigests | undefined> | undefined
  private number = 0
  /** Number of the current planner. The planners of this thread are numbered in the order in which they started. */
  private generation = 0
  private timer: ReturnType<typeof setTimeout> | undefined

  constructor(networks: readonly NetworkMessage[], start: PlannerStarter, deadlineMillis = DEADLINE_MILLIS) {
    this.start = start
    this.deadlineMillis = deadlineMillis
    this.networks = new KeptNetworks(networks)
    this.open()
  }

  /**
   * Plans journeys for an API key. Fails with `planner_timeout` if planning takes too long, and with `overloaded` if
   * too many queries are waiting.
   * @param signal aborts the query if the client disconnects
   */
  async plan(key: string, question: PlannerQuestion, signal: AbortSignal): Promise<JourneyOutcome | Problem> {
    const { promise, resolve, reject } = Promise.withResolvers<JourneyOutcome | Problem>()
    const deadline = performance.now() + this.deadlineMillis
    const waiting: Waiting = {
      number: ++this.number,
      question,
      deadline,
      hasWaited: false,
      settle: resolve,
      fail: reject,
    }
    if (this.aside.size >= WAITING_OF_ALL || !this.queue.add(key, waiting))
      return new Problem(
        'overloaded',
        'Too many journeys are being planned. Wait for the number of seconds in Retry-After, then try again.',
      )
    const onAbort = () => {
      if (this.queue.remove(key, waiting) || this.aside.delete(waiting.number))
        resolve(new Problem('planner_timeout', 'The client disconnected.'))
    }
    signal.addEventListener('abort', onAbort, { once: true })
    this.send()
    this.watch()
    return await promise
  }

  /** Announces that the snapshot of a network will be replaced. */
  prepare(number: number, network: NetworkMessage): void {
    this.prepared.set(number, network)
    this.post({ kind: 'prepare', network, number })
  }

  commit(number: number): void {
    const network = this.prepared.get(number)
    if (network === undefined) return
    this.prepared.delete(number)
    this.networks.keep(network)
    this.post({ kind: 'commit', number })
  }

  discard(number: number): void {
    this.prepared.delete(number)
    this.post({ kind: 'discard', number })
  }

  /** From now on, plans for these networks only. New networks are added by `prepare` and `commit`. */
  select(networks: readonly string[]): void {
    this.networks.select(networks)
    this.post({ kind: 'select', networks })
  }

  replaceLive(network: string, live: PackedLive): void {
    this.networks.replaceLive(network, live)
    this.post({ kind: 'live', network, live })
  }

  /** Digests of the planner's live data; undefined while the planner is starting. */
  async digestLive(): Promise<LiveDigests | undefined> {
    if (!this.isAwake) return undefined
    this.digested ??= Promise.withResolvers()
    this.post({ kind: 'digest_live' })
    return await this.digested.promise
  }

  close(): void {
    clearTimeout(this.timer)
    this.worker?.end()
  }

  private open(): void {
    this.isAwake = false
    this.digested?.resolve(undefined)
    this.digested = undefined
    const generation = ++this.generation
    this.worker = this.start((message) => {
      // Ignores messages that a planner sent before it was terminated.
      if (generation === this.generation) this.take(message)
    })
  }

  private post(message: ToPlanner): void {
    if (this.isAwake) this.worker?.post(message)
  }

  private take(message: FromPlanner): void {
    switch (message.kind) {
      case 'awake':
        this.greet()
        break
      case 'waits':
        this.putAside(message.number)
        break
      case 'ready':
        this.takeBack(message.number)
        break
      case 'planned':
        if (this.current?.number !== message.number) break
        this.current.settle(message.outcome)
        this.current = undefined
        this.send()
        break
      case 'live_digested':
        this.digested?.resolve(message.digests)
        this.digested = undefined
        break
      case 'failed':
        this.fail(new Error(`the planner failed: ${message.message}`))
        break
    }
  }

  /** Sends the full current state to a planner that has just started. */
  private greet(): void {
    this.isAwake = true
    this.post({ kind: 'start', start: { networks: this.networks.list() } })
    if (this.networks.selected !== undefined) this.post({ kind: 'select', networks: this.networks.selected })
    for (const [number, network] of this.prepared) this.post({ kind: 'prepare', network, number })
    this.send()
  }

  /**
   * Sets a query aside while the planner lays out the days that the query needs. Other queries run meanwhile. When the
   * days are laid out, the query gets the full time limit again.
   */
  private putAside(number: number): void {
    const { current } = this
    if (current?.number !== number) return
    this.current = undefined
    current.deadline = performance.now() + LAYOUT_MILLIS
    this.aside.set(number, current)
    this.send()
  }

  private takeBack(number: number): void {
    const waiting = this.aside.get(number)
    if (waiting === undefined) return
    this.aside.delete(number)
    waiting.deadline = performance.now() + this.deadlineMillis
    waiting.hasWaited = true
    this.ready = [...this.ready, waiting]
    this.send()
    this.watch()
  }

  private nextWaiting(): Waiting | undefined {
    const [first, ...others] = this.ready
    if (first === undefined) return this.queue.take()
    this.ready = others
    return first
  }

  private send(): void {
    while (this.isAwake && this.current === undefined) {
      const waiting = this.nextWaiting()
      if (waiting === undefined) return
      const { number, question, deadline, hasWaited, settle } = waiting
      const millis = deadline - performance.now()
      if (millis <= 0) {
        settle(new Problem('planner_timeout'))
        continue
      }
      this.current = waiting
      this.post({ kind: 'plan', number, question, millis, hasWaited })
    }
  }

  /** Rejects queries that have waited too long, and restarts a planner that hangs. Runs while there are queries. */
  private watch(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined
      const now = performance.now()
      for (const waiting of this.queue.takeWhile(({ deadline }) => deadline <= now)) {
        waiting.settle(new Problem('planner_timeout'))
      }
      for (const waiting of this.aside.values()) {
        if (waiting.deadline > now) continue
        this.aside.delete(waiting.number)
        waiting.settle(new Problem('planner_timeout'))
      }
      if (this.current !== undefined && this.current.deadline + GRACE_MILLIS <= now) this.restart()
      if (this.current !== undefined || this.queue.size + this.aside.size > 0) this.watch()
    }, GRACE_MILLIS)
  }

  /**
   * If the planner crashes during a query, only that query fails. If it crashes without a query, this thread ends, too,
   * because a new planner would crash in the same way.
   */
  private fail(error: Error): void {
    const { current } = this
    if (current === undefined) throw error
    current.fail(error)
    this.replace()
  }

  private restart(): void {
    this.current?.settle(new Problem('planner_timeout'))
    this.replace()
  }

  private replace(): void {
    this.worker?.end()
    this.current = undefined
    // The new planner has not received the queries that were set aside, so they are sent again.
    for (const waiting of this.aside.values()) waiting.deadline = performance.now() + this.deadlineMillis
    this.ready = [...this.ready, ...this.aside.values()]
    this.aside.clear()
    this.open()
  }
}
