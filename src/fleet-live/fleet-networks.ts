// A replica's live thread in a cluster. One replica polls the feeds and stores each message in the database. All
// replicas, including the poller, read the messages there. While the database is down, feeds are not polled. Live data
// then ages, and is dropped when it is too old.
import { mayPass } from '../accounts/account-store.ts'
import type { FleetLive } from '../accounts/fleet.ts'
import { RoleLost } from '../accounts/fleet-role.ts'
import type { Snapshot } from '../networks/network.ts'
import type { PackedLive } from '../networks/network-messages.ts'
import { AlertBook } from '../realtime/alert-book.ts'
import type {
  FromLiveThread,
  LiveNetworkOrder,
  LiveThreadStart,
  ToLiveThread,
  UnmatchedUpdates,
} from '../realtime/live-messages.ts'
import type { LiveThreadNetworks } from '../realtime/live-thread.ts'
import { SeenBook } from '../realtime/seen-book.ts'
import { type Clock, startClock, TRUE_CLOCK } from '../system/clock.ts'
import { openLog, setLogLevel } from '../system/log.ts'
import { FeedPollers } from './feed-pollers.ts'
import { FollowedNetwork } from './followed-network.ts'
import { type LiveHead, type LiveMessage, LiveStore } from './live-store.ts'
import { PollerRole } from './poller-role.ts'

/** Interval between checks for new messages. */
const LOOK_MILLIS = 100
/** A starting replica waits at most this long for its live data. After that, it serves without live data. */
const LOAD_MILLIS = 3_000
/**
 * Interval at which the poller stores each network's memory. A memory is the network's live state, from which a replica
 * can start.
 */
const MEMORY_MILLIS = 60_000
/**
 * Maximum number of times that a memory is loaded if messages after it are missing. After that, the gap is accepted.
 */
const LOADS = 3
/** A database outage is reported to operators after this long. */
const AWAY_MILLIS = 3_000

type Post = (message: FromLiveThread) => void

/** The networks in a replica's live thread. */
export class FleetNetworks implements LiveThreadNetworks {
  private readonly store: LiveStore
  private readonly role: PollerRole
  private readonly pollers: FeedPollers
  private readonly post: Post
  private readonly clock: Clock
  private readonly memoryMillis: number
  private readonly openNetwork: (order: LiveNetworkOrder, version: number) => FollowedNetwork
  private list: readonly FollowedNetwork[]
  private term: number | undefined
  /** The number of the last message that this replica has read. */
  private seq = 0
  /**
   * Network → the time at which this replica next stores the network's `LiveMemory`, in milliseconds of the monotonic
   * clock. Applies to the current term only.
   */
  private readonly memories = new Map<string, number>()
  private readonly keptSeq = new Map<string, number>()
  private lagSeconds: number | undefined
  private heardMillis = performance.now()
  private awaySince: number | undefined
  private isClosed = false
  private nudged = Promise.withResolvers<void>()

  /** @param memoryMillis interval at which the poller stores the networks' memories */
  constructor(start: LiveThreadStart & { readonly fleet: FleetLive }, post: Post, memoryMillis = MEMORY_MILLIS) {
    this.memoryMillis = memoryMillis
    setLogLevel(start.logLevel)
    this.post = post
    this.clock = startClock(start.clock)
    this.store = new LiveStore(start.fleet)
    this.role = new PollerRole(this.store.role)
    this.pollers = new FeedPollers({
      store: this.store,
      clock: this.clock,
      fence: () => this.role.fence,
      onPublished: () => this.nudge(),
      onLost: () => this.stopPolling(),
      onFailure: (error) => this.fail(error),
    })
    const log = openLog('live')
    const warn = (message: string) => log.warn(message)
    const books = { seen: new SeenBook(start.dataDir, warn), alerts: new AlertBook(start.dataDir, warn) }
    this.openNetwork = (order, version) => {
      const onChange = (live: PackedLive) => post({ kind: 'live', network: order.id, live })
      return new FollowedNetwork({ ...books, order, clock: this.clock, log, onChange, version })
    }
    this.list = start.networks.map((order) => this.openNetwork(order, 0))
    void this.loop()
  }

  reload({ networks: orders, logLevel }: Extract<ToLiveThread, { kind: 'reload' }>): void {
    setLogLevel(logLevel)
    const before = this.list
    this.list = orders.map((order) => {
      const known = before.find(({ id }) => id === order.id)
      const isSame = known !== undefined && Bun.deepEquals(known.order, order, true)
      return isSame ? known : this.openNetwork(order, known?.lastVersion ?? 0)
    })
    for (const network of before) if (!this.list.includes(network)) network.close()
    this.stopPolling() // the next check starts polling again, with the new feeds
  }

  async prepare(id: string, open: () => Snapshot): Promise<PackedLive | undefined> {
    const network = this.list.find((each) => each.id === id)
    if (network === undefined) return undefined
    network.adopt(open())
    const giveUp = Bun.sleep(LOAD_MILLIS)
    while (network.isBehind && !this.isClosed) {
      this.nudge()
      const isLate = await Promise.race([giveUp.then(() => true), Bun.sleep(LOOK_MILLIS / 4).then(() => false)])
      if (isLate) break
    }
    return network.makeWhole()
  }

  listUnmatched(network: string): UnmatchedUpdates[] {
    return this.list.find(({ id }) => id === network)?.listUnmatched() ?? []
  }

  async leave(): Promise<void> {
    this.pollers.stop()
    await this.role.leave()
  }

  /** Stops polling and reading messages, and closes the connection to the database. */
  async close(): Promise<void> {
    this.isClosed = true
    this.pollers.stop()
    for (const network of this.list) network.close()
    this.nudge()
    await this.store.close()
  }

  private async loop(): Promise<void> {
    while (!this.isClosed) {
      try {
        await this.look()
        this.noteAnswer()
      } catch (error) {
        if (error instanceof RoleLost) this.stopPolling()
        else if (mayPass(error)) this.noteSilence(error)
        else return this.fail(error)
      }
      if (this.role.held === undefined) this.pollers.stop()
      await Promise.race([Bun.sleep(LOOK_MILLIS), this.nudged.promise])
      this.nudged = Promise.withResolvers<void>()
    }
  }

  private async look(): Promise<void> {
    const sentMillis = TRUE_CLOCK.nowMillis()
    const head = await this.store.look()
    const aheadMillis = head.at - (sentMillis + TRUE_CLOCK.nowMillis()) / 2
    const isNew = await this.role.look(head)
    const { held } = this.role
    if (held === undefined) this.pollers.stop()
    else if (isNew || this.isTermOver(head) || this.role.fence === undefined) return await this.beginPolling(head, held)
    await this.read(head, aheadMillis)
    await this.keepMemories()
  }

  /** Whether the database has lost the messages of this term, or has been restored to a state with fewer messages. */
  private isTermOver({ term, seq }: LiveHead): boolean {
    return term === null || (term === this.term && (seq ?? 0) < this.seq)
  }

  /**
   * Starts polling as the new poller. Continues the previous poller's term or, if that term is over, begins another.
   */
  private async beginPolling(head: LiveHead, token: number): Promise<void> {
    this.pollers.stop()
    const term = head.term === null || this.isTermOver(head) ? await this.store.beginTerm(token) : head.term
    for (const network of this.list) {
      if ((await this.store.memoryOf(network.id)) !== undefined) continue
      const isTerm = await this.store.keepMemory({ token, term }, network.id, network.pack(0))
      if (!isTerm) return
    }
    const polledAt = await this.store.polledAt()
    await this.store.prune(token)
    this.role.write(term)
    this.memories.clear()
    this.keptSeq.clear()
    this.pollers.start(
      this.list.map(({ order }) => order),
      polledAt,
    )
    this.nudge()
  }

  private stopPolling(): void {
    this.pollers.stop()
    this.role.lose()
    this.nudge()
  }

  private async read(head: LiveHead, aheadMillis: number): Promise<void> {
    if (head.term === null) return // there is no message before a poller begins a term
    if (head.term !== this.term || this.isTermOver(head)) {
      this.term = head.term
      this.seq = head.seq ?? 0
      for (const network of this.list) network.isBehind = true
    }
    for (const network of this.list) if (network.isBehind) await this.load(network)
    while (this.seq < (head.seq ?? 0)) {
      const messages = await this.store.messagesAfter(this.seq)
      const last = messages.at(-1)
      if (last === undefined) break
      await this.apply(messages)
      this.seq = last.seq
      this.lagSeconds = Math.max(0, TRUE_CLOCK.nowMillis() + aheadMillis - last.committedMillis) / 1_000
    }
  }

  private async apply(messages: readonly LiveMessage[]): Promise<void> {
    for (const network of this.list) {
      const own = messages.filter((each) => each.network === network.id && each.seq > network.applied)
      if (network.isBehind || own.length === 0) continue
      if (network.follows(own)) network.apply(own)
      else await this.load(network)
    }
  }

  /** Starts a network from its stored memory. If there is none, the network waits until the poller stores one. */
  private async load(network: FollowedNetwork): Promise<void> {
    network.isBehind = true
    for (let loads = 1; ; loads++) {
      const memory = await this.store.memoryOf(network.id)
      if (memory === undefined) return
      const firstSeq = FollowedNetwork.firstSeqAfter(memory)
      const messages = await this.listMessages(network.id, firstSeq)
      const isWhole = firstSeq === 0 || messages.length === 0 || messages[0].before <= firstSeq
      if (!isWhole && loads < LOADS) continue
      if (!isWhole) this.problem(`live data for ${network.id}: some messages are missing; continuing with the others`)
      network.load(memory, messages)
      return
    }
  }

  private async listMessages(network: string, firstSeq: number): Promise<LiveMessage[]> {
    const messages: LiveMessage[] = []
    for (let seq = firstSeq; ; ) {
      const some = await this.store.messagesAfter(seq, network)
      messages.push(...some)
      const last = some.at(-1)
      if (last === undefined) return messages
      seq = last.seq
    }
  }

  /**
   * Stores the networks' memories if this replica is the poller. A starting replica then loads a memory and reads only
   * the messages after it.
   */
  private async keepMemories(): Promise<void> {
    for (const network of this.list) {
      const { fence } = this.role
      if (fence === undefined || fence.term !== this.term) return
      const nowMillis = performance.now()
      const due = this.memories.get(network.id) ?? nowMillis + Math.random() * this.memoryMillis
      this.memories.set(network.id, due)
      const isNew = network.applied !== this.keptSeq.get(network.id)
      if (nowMillis < due || !network.isReading || !isNew || network.applied === 0) continue
      this.memories.set(network.id, nowMillis + this.memoryMillis)
      this.keptSeq.set(network.id, network.applied)
      if (!(await this.store.keepMemory(fence, network.id, network.pack()))) return this.stopPolling()
      await this.store.prune(fence.token)
    }
  }

  private noteAnswer(): void {
    const { awaySince } = this
    this.awaySince = undefined
    this.heardMillis = performance.now()
    if (awaySince !== undefined) this.problem('live data: the database responds again')
    this.post({
      kind: 'fleet',
      figures: {
        isPoller: this.role.held !== undefined,
        lagSeconds: this.lagSeconds,
      },
    })
  }

  private noteSilence(error: Error): void {
    if (this.awaySince !== undefined || performance.now() - this.heardMillis < AWAY_MILLIS) return
    this.awaySince = this.heardMillis
    this.problem(`live data: ${error.message}; feeds are not polled until the database responds`)
  }

  private problem(message: string): void {
    this.post({ kind: 'problem', message })
  }

  private fail(error: unknown): void {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
    this.post({ kind: 'failed', message })
  }

  private nudge(): void {
    this.nudged.resolve()
  }
}
