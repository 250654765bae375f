// The control thread's hold on the data threads: starts them, opens the port once all are ready, brings every change to
// each, puts a new one in the place of one that dies, and drains them at the end.
import type { RingChange } from '../access/key-ring.ts'
import type { AccessStart } from '../access/open-gate.ts'
import type { Forwarder } from '../access/untrusted-forwarders.ts'
import { mayPass } from '../accounts/account-store.ts'
import { KeptNetworks } from '../networks/kept-networks.ts'
import type { NetworkMessage, PackedLive } from '../networks/network-messages.ts'
import type { AddressesMessage } from '../places/served-addresses.ts'
import type { DataThreadStart, ThreadReload, ToDataThread } from '../server/thread-messages.ts'
import type { EndedStream } from '../streams/free-reconnects.ts'
import { type InTurn, makeTurns } from '../system/turns.ts'
import { DataThreadHandle, ThreadDied } from './data-thread-handle.ts'

/** Longest that a drain waits for answers under way. */
const DRAIN_MILLIS = 9_000
/** More deaths than these within a minute are no accident: the process ends, so that whoever watches it sees. */
const MOST_DEATHS = 5
const DEATHS_WITHIN_MILLIS = 60_000
/** Between two tries to read accounts and keys from a store that can't be reached. */
const ACCESS_RETRY_MILLIS = 1_000

/** What the threads need of the rest. */
export interface DataThreadsParts {
  /** The service cannot go on. */
  readonly onFailure: (error: Error) => void
  /** A thread has died: what it held has to be given back before the next one starts in its place. */
  readonly onDeath: (ordinal: number, error: Error) => void
  /** The next one can't start before accounts and keys can be read again. Told once of each. */
  readonly onWait: (ordinal: number, error: Error) => void
  /** An address forwards for others and is not trusted: once of each thread. */
  readonly onForwarder: (forwarder: Forwarder) => void
  /** Accounts and keys as they are now. */
  readonly openAccess: () => Promise<AccessStart>
}

/** The place of one data thread, in which others may follow it. */
interface Seat {
  readonly ordinal: number
  thread: DataThreadHandle
  /** Whether the thread was told what to start with: from then on it is told of every change. */
  isTold: boolean
  /** Changes of access since its predecessor died. */
  readonly missed: ToDataThread[]
}

/** All data threads of the process. */
export class DataThreads {
  private readonly parts: DataThreadsParts
  private readonly seats: readonly Seat[]
  private starts: readonly DataThreadStart[] = []
  private networks = new KeptNetworks()
  /** What the last reload of settings changed. */
  private latestReload: ThreadReload | undefined
  private port = 0
  private changeNumber = 0
  private isEnding = false
  private readonly deaths: number[] = []
  /** A new thread starts between two changes of the networks, never within one. */
  private readonly inTurn: InTurn = makeTurns()

  private constructor(count: number, parts: DataThreadsParts) {
    this.parts = parts
    this.seats = Array.from({ length: count }, (_, ordinal) => this.openSeat(ordinal))
  }

  /** Wakes the threads: they load their code while the control thread makes ready what they start with. */
  static wake(count: number, parts: DataThreadsParts): DataThreads {
    return new DataThreads(count, parts)
  }

  /** Threads that died and were replaced. */
  get replacedCount(): number {
    return this.deaths.length
  }

  /** Whether some thread knows the keys, and answers. */
  get isAnswering(): boolean {
    return this.port > 0 && this.seats.some(({ isTold }) => isTold)
  }

  /** Starts the threads; they map snapshots and open their gates, and do not listen yet. */
  async start(starts: readonly DataThreadStart[]): Promise<void> {
    this.starts = starts
    this.networks = new KeptNetworks(starts[0]?.networks)
    await Promise.all(
      this.seats.map(async (seat) => {
        await seat.thread.ask({ kind: 'start', start: this.startOf(seat) }, 'ready')
        seat.isTold = true
      }),
    )
  }

  /** Opens the port on every thread; the first one's choice where the port is 0. The port. */
  async listen(port: number): Promise<number> {
    let opened = port
    for (const { thread } of this.seats) opened = (await thread.ask({ kind: 'listen', port: opened }, 'listening')).port
    this.port = opened
    return opened
  }

  /**
   * Has every thread make a network's state ready, then all of them serve it: no thread begins before each one can.
   * Why it cannot be served, where some thread says so; all then go on with what they have.
   */
  replaceNetwork(network: NetworkMessage): Promise<string | undefined> {
    return this.inTurn(async () => {
      const number = ++this.changeNumber
      const threads = this.told()
      const prepared = await Promise.all(
        threads.map((thread) => unlessDead(thread.ask({ kind: 'prepare', network, number }, 'prepared', number))),
      )
      const problem = prepared.find((each) => each?.problem !== undefined)?.problem
      if (problem !== undefined) {
        for (const thread of threads) thread.post({ kind: 'discard', number })
        return problem
      }
      this.networks.keep(network)
      await Promise.all(
        threads.map((thread) => unlessDead(thread.ask({ kind: 'commit', number }, 'committed', number))),
      )
      return undefined
    })
  }

  /** Has every thread answer from what live feeds say now. */
  replaceLive(network: string, live: PackedLive): void {
    this.networks.replaceLive(network, live)
    for (const thread of this.told()) thread.post({ kind: 'live', network, live })
  }

  /** What each thread, and its planner, has of live data now. */
  async digestLive() {
    const number = ++this.changeNumber
    const answers = this.told().map((thread) =>
      unlessDead(thread.ask({ kind: 'digest_live', number }, 'live_digested', number)),
    )
    const digests = await Promise.all(answers)
    return digests.flatMap((each) => (each === undefined ? [] : [{ serving: each.serving, planning: each.planning }]))
  }

  /** Has every thread serve other addresses. Why some thread does not, where it does not. */
  replaceAddresses(addresses: AddressesMessage): Promise<string | undefined> {
    return this.inTurn(async () => {
      const number = ++this.changeNumber
      this.starts = this.starts.map((start) => ({ ...start, addresses }))
      const replaced = await Promise.all(
        this.told().map((thread) =>
          unlessDead(thread.ask({ kind: 'addresses', addresses, number }, 'addresses_replaced', number)),
        ),
      )
      return replaced.find((each) => each?.problem !== undefined)?.problem
    })
  }

  /** Settles once the settings hold on every thread that answers requests. */
  reload(reload: ThreadReload): Promise<void> {
    return this.inTurn(async () => {
      const number = ++this.changeNumber
      this.latestReload = reload
      this.networks.select(reload.networks)
      const message: ToDataThread = { kind: 'reload', reload, number }
      await Promise.all(this.told().map((thread) => unlessDead(thread.ask(message, 'reloaded', number))))
    })
  }

  /** Settles once the change holds on every thread that answers requests. */
  async changeAccess(change: RingChange): Promise<void> {
    const number = ++this.changeNumber
    const message: ToDataThread = { kind: 'access', change, number }
    for (const seat of this.seats) if (!seat.isTold) seat.missed.push(message)
    await Promise.all(this.told().map((thread) => unlessDead(thread.ask(message, 'applied', number))))
  }

  /** Has requests refused on these connections, and on no others. */
  turnAway(connections: readonly string[]): void {
    for (const thread of this.told()) thread.post({ kind: 'turn_away', connections })
  }

  /** Closes connections on which nothing is under way. */
  closeIdle(): void {
    for (const thread of this.told()) thread.post({ kind: 'close_idle' })
  }

  /** Settles once no thread takes connections; a thread that starts meanwhile does. */
  async pause(): Promise<void> {
    await Promise.all(this.told().map((thread) => unlessDead(thread.ask({ kind: 'pause' }, 'paused'))))
  }

  /** Settles once all threads take connections again. */
  async resume(): Promise<void> {
    const { port } = this
    await Promise.all(this.told().map((thread) => unlessDead(thread.ask({ kind: 'resume', port }, 'listening'))))
  }

  /** Has clients go elsewhere: each answer is the last of its connection. The streams ended. */
  async closeConnections(): Promise<EndedStream[]> {
    this.isEnding = true
    const answers = await Promise.all(
      this.told().map((thread) => unlessDead(thread.ask({ kind: 'drain' }, 'draining'))),
    )
    return answers.flatMap((answer) => answer?.ended ?? [])
  }

  /** Ends streams, refuses new connections, lets answers under way end, then ends the threads. The streams ended. */
  async drain(): Promise<EndedStream[]> {
    this.isEnding = true
    const ended: EndedStream[] = []
    const stopped = Promise.all(
      this.told().map(async (thread) => {
        ended.push(...((await unlessDead(thread.ask({ kind: 'end_streams' }, 'streams_ended')))?.ended ?? []))
        await unlessDead(thread.ask({ kind: 'stop' }, 'stopped'))
      }),
    )
    await Promise.race([stopped, Bun.sleep(DRAIN_MILLIS)])
    for (const { thread } of this.seats) thread.terminate()
    return ended
  }

  private told(): DataThreadHandle[] {
    return this.seats.filter(({ isTold }) => isTold).map(({ thread }) => thread)
  }

  private openSeat(ordinal: number): Seat {
    return { ordinal, thread: this.openThread(ordinal), isTold: false, missed: [] }
  }

  private openThread(ordinal: number): DataThreadHandle {
    return new DataThreadHandle((error) => this.mourn(ordinal, error), this.parts.onForwarder)
  }

  private startOf({ ordinal }: Seat): DataThreadStart {
    const start = this.starts[ordinal]
    if (start === undefined) throw new Error(`there is no start of data thread ${ordinal}`)
    return start
  }

  /** A thread that dies once the port is open is replaced; before, or too often, that is a failure. */
  private mourn(ordinal: number, error: ThreadDied): void {
    const seat = this.seats[ordinal]
    if (this.isEnding || seat === undefined) return
    const now = performance.now()
    this.deaths.push(now)
    const isOften = this.deaths.filter((at) => at > now - DEATHS_WITHIN_MILLIS).length > MOST_DEATHS
    if (this.port === 0 || isOften) return this.parts.onFailure(error)
    seat.isTold = false
    this.parts.onDeath(ordinal, error)
    seat.thread = this.openThread(ordinal)
    this.replace(seat).catch((problem: unknown) => {
      // Where the new one died as well, that was told and dealt with.
      if (!(problem instanceof ThreadDied)) this.parts.onFailure(new Error(`no new data thread starts: ${problem}`))
    })
  }

  /** Starts a seat's new thread from how things are now, tells it what changed meanwhile, and opens the port on it. */
  private async replace(seat: Seat): Promise<void> {
    const { thread } = seat
    await thread.isAwake
    const access = await this.awaitAccess(seat, thread)
    if (access === undefined) return
    await this.inTurn(async () => {
      if (this.isEnding || seat.thread !== thread) return
      const start = { ...this.startOf(seat), access, networks: this.networks.list() }
      const ready = thread.askNow({ kind: 'start', start }, 'ready')
      seat.isTold = true
      if (this.latestReload !== undefined) {
        thread.post({ kind: 'reload', reload: this.latestReload, number: ++this.changeNumber })
      }
      for (const message of seat.missed.splice(0)) thread.post(message)
      await ready
      await thread.ask({ kind: 'listen', port: this.port }, 'listening')
    })
  }

  /**
   * Accounts and keys as they are once the store can be read: until then the other threads serve on with what they
   * know, which a restart would lose. Undefined where the seat's thread has died, or all end, before.
   */
  private async awaitAccess(seat: Seat, thread: DataThreadHandle): Promise<AccessStart | undefined> {
    let isWaiting = false
    while (!this.isEnding && seat.thread === thread) {
      try {
        return await this.parts.openAccess()
      } catch (error) {
        if (!mayPass(error)) throw error
        if (!isWaiting) this.parts.onWait(seat.ordinal, error)
        isWaiting = true
      }
      await Bun.sleep(ACCESS_RETRY_MILLIS)
    }
    return undefined
  }
}

/** An answer, or undefined where the thread died first: whoever takes its place starts from how things are then. */
async function unlessDead<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof ThreadDied) return undefined
    throw error
  }
}
