// The control thread's handle on all data threads. It starts them, opens the port when all are ready, sends every
// change to them, restarts threads that have crashed, and drains all threads at the end.
import type { FleetNotice, FleetRequest } from '../access/fleet-talk.ts'
import type { RingChange } from '../access/key-ring.ts'
import type { AccessStart } from '../access/open-gate.ts'
import type { Forwarder } from '../access/untrusted-forwarders.ts'
import { mayPass } from '../accounts/account-store.ts'
import type { RouteReport } from '../metering/route-counts.ts'
import { KeptNetworks } from '../networks/kept-networks.ts'
import type { NetworkMessage, PackedLive } from '../networks/network-messages.ts'
import type { AddressesMessage } from '../places/served-addresses.ts'
import type { DataThreadStart, ThreadReload, ToDataThread } from '../server/thread-messages.ts'
import type { EndedStream } from '../streams/free-reconnects.ts'
import { type InTurn, makeTurns } from '../system/turns.ts'
import { DataThreadHandle, ThreadDied } from './data-thread-handle.ts'

/** The longest wait for pending responses during draining. */
const DRAIN_MILLIS = 9_000
/** If more threads than this crash within a minute, the process ends, so that its supervisor can react. */
const MOST_DEATHS = 5
const DEATHS_WITHIN_MILLIS = 60_000
/** Delay between attempts to read accounts and keys from an unreachable store. */
const ACCESS_RETRY_MILLIS = 1_000

/** Allows clients to reopen streams at no cost. Called before the streams end, because clients may reconnect at once. */
export type AnnounceStreams = (streams: readonly EndedStream[]) => Promise<void>

/** The parts of the service that the data threads need. */
export interface DataThreadsParts {
  /** Called on a fatal error. */
  readonly onFailure: (error: Error) => void
  /** Called when a thread has crashed, to release the thread's reservations before a new thread replaces it. */
  readonly onDeath: (ordinal: number, error: Error) => void
  /** Called once for each new thread that has to wait because accounts and keys cannot be read. */
  readonly onWait: (ordinal: number, error: Error) => void
  /** Called once per thread for an address that sends forwarding headers but is not a trusted proxy. */
  readonly onForwarder: (forwarder: Forwarder) => void
  /** Called every ten seconds with the number of responses by key and route. */
  readonly onRoutes: (report: RouteReport) => void
  /** Called with a data thread's request for data from the database or from other replicas. */
  readonly onFleetRequest: (request: FleetRequest, ordinal: number) => void
  /** Reads the current accounts and keys. */
  readonly openAccess: () => Promise<AccessStart>
}

/** The place of one data thread. A thread that replaces it after a crash takes over the same place and number. */
interface Seat {
  readonly ordinal: number
  thread: DataThreadHandle
  /** Whether the thread has received its initial state. Every later change is sent to it. */
  isInitialized: boolean
  /** Changes to accounts and keys since the previous thread crashed. They are sent to the new thread. */
  readonly missed: ToDataThread[]
}

/** All data threads of the process. */
export class DataThreads {
  private readonly parts: DataThreadsParts
  private readonly seats: readonly Seat[]
  private starts: readonly DataThreadStart[] = []
  private networks = new KeptNetworks()
  private latestReload: ThreadReload | undefined
  private port = 0
  private changeNumber = 0
  private isEnding = false
  private readonly deaths: number[] = []
  /** Queue that keeps thread starts from overlapping with changes of networks, addresses and settings. */
  private readonly inTurn: InTurn = makeTurns()

  private constructor(count: number, parts: DataThreadsParts) {
    this.parts = parts
    this.seats = Array.from({ length: count }, (_, ordinal) => this.openSeat(ordinal))
  }

  /** Creates the threads. They load their code while the control thread prepares their initial state. */
  static wake(count: number, parts: DataThreadsParts): DataThreads {
    return new DataThreads(count, parts)
  }

  /** Number of crashed threads that were restarted. */
  get replacedCount(): number {
    return this.deaths.length
  }

  /** Whether at least one thread has the keys and answers requests. */
  get isAnswering(): boolean {
    return this.port > 0 && this.seats.some(({ isInitialized }) => isInitialized)
  }

  /** Starts the threads. They map snapshots and prepare the checks of keys and limits, but do not listen yet. */
  async start(starts: readonly DataThreadStart[]): Promise<void> {
    this.starts = starts
    this.networks = new KeptNetworks(starts[0]?.networks)
    await Promise.all(
      this.seats.map(async (seat) => {
        await seat.thread.request({ kind: 'start', start: this.startOf(seat) }, 'ready')
        seat.isInitialized = true
      }),
    )
  }

  /** Opens the port on every thread and returns it. If the port is 0, the first thread chooses one. */
  async listen(port: number): Promise<number> {
    let opened = port
    for (const { thread } of this.seats)
      opened = (await thread.request({ kind: 'listen', port: opened }, 'listening')).port
    this.port = opened
    return opened
  }

  /**
   * Prepares a network's new state on every thread, then activates it on all threads at once. If a thread cannot prepare it,
   * returns an error message, and all threads keep the current state.
   */
  replaceNetwork(network: NetworkMessage): Promise<string | undefined> {
    return this.inTurn(async () => {
      const number = ++this.changeNumber
      const threads = this.initialized()
      const prepared = await Promise.all(
        threads.map((thread) => unlessDead(thread.request({ kind: 'prepare', network, number }, 'prepared', number))),
      )
      const problem = prepared.find((each) => each?.problem !== undefined)?.problem
      if (problem !== undefined) {
        for (const thread of threads) thread.post({ kind: 'discard', number })
        return problem
      }
      this.networks.keep(network)
      await Promise.all(
        threads.map((thread) => unlessDead(thread.request({ kind: 'commit', number }, 'committed', number))),
      )
      return undefined
    })
  }

  /** Publishes new live data to every thread. */
  replaceLive(network: string, live: PackedLive): void {
    this.networks.replaceLive(network, live)
    for (const thread of this.initialized()) thread.post({ kind: 'live', network, live })
  }

  /** Digests of the live data on each data thread and on its planner thread. */
  async digestLive() {
    const number = ++this.changeNumber
    const answers = this.initialized().map((thread) =>
      unlessDead(thread.request({ kind: 'digest_live', number }, 'live_digested', number)),
    )
    const digests = await Promise.all(answers)
    return digests.flatMap((each) => (each === undefined ? [] : [{ serving: each.serving, planning: each.planning }]))
  }

  /** Publishes new addresses to every thread. Returns an error message if a thread cannot load them. */
  replaceAddresses(addresses: AddressesMessage): Promise<string | undefined> {
    return this.inTurn(async () => {
      const number = ++this.changeNumber
      this.starts = this.starts.map((start) => ({ ...start, addresses }))
      const replaced = await Promise.all(
        this.initialized().map((thread) =>
          unlessDead(thread.request({ kind: 'addresses', addresses, number }, 'addresses_replaced', number)),
        ),
      )
      return replaced.find((each) => each?.problem !== undefined)?.problem
    })
  }

  /** Sends changed settings to the threads. Resolves when the settings apply on every running thread. */
  reload(reload: ThreadReload): Promise<void> {
    return this.inTurn(async () => {
      const number = ++this.changeNumber
      this.latestReload = reload
      this.networks.select(reload.networks)
      const message: ToDataThread = { kind: 'reload', reload, number }
      await Promise.all(this.initialized().map((thread) => unlessDead(thread.request(message, 'reloaded', number))))
    })
  }

  /**
   * Sends the threads a change of accounts, keys or plans. Resolves when the change applies on every running thread.
   */
  async changeAccess(change: RingChange): Promise<void> {
    const number = ++this.changeNumber
    const message: ToDataThread = { kind: 'access', change, number }
    for (const seat of this.seats) if (!seat.isInitialized) seat.missed.push(message)
    await Promise.all(this.initialized().map((thread) => unlessDead(thread.request(message, 'applied', number))))
  }

  /**
   * Sends a notice, such as the response to a request, to data thread `ordinal`, or to all threads if `ordinal` is
   * undefined.
   */
  notifyThreads(notice: FleetNotice, ordinal?: number): void {
    for (const seat of this.seats) {
      if (seat.isInitialized && (ordinal === undefined || seat.ordinal === ordinal)) {
        seat.thread.post({ kind: 'fleet', notice })
      }
    }
  }

  /** Makes all threads refuse requests on these connections. The list replaces the list from the previous call. */
  turnAway(connections: readonly string[]): void {
    for (const thread of this.initialized()) thread.post({ kind: 'turn_away', connections })
  }

  /** Makes all threads close idle connections. */
  closeIdle(): void {
    for (const thread of this.initialized()) thread.post({ kind: 'close_idle' })
  }

  /**
   * Makes all threads stop accepting connections, and resolves when they have stopped. A thread that starts later
   * accepts connections.
   */
  async pause(): Promise<void> {
    await Promise.all(this.initialized().map((thread) => unlessDead(thread.request({ kind: 'pause' }, 'paused'))))
  }

  /** Makes all threads accept connections again, and resolves when they do. */
  async resume(): Promise<void> {
    const { port } = this
    await Promise.all(
      this.initialized().map((thread) => unlessDead(thread.request({ kind: 'resume', port }, 'listening'))),
    )
  }

  /**
   * Ends all streams, and closes each connection after its next response.
   * @param announce called before the streams end
   */
  async closeConnections(announce: AnnounceStreams): Promise<void> {
    this.isEnding = true
    await this.endStreams('drain', announce)
  }

  /**
   * Refuses new streams and ends all open streams. Then refuses new connections, waits for pending responses, and ends
   * the threads.
   * @param announce called before the streams end
   */
  async drain(announce: AnnounceStreams): Promise<void> {
    this.isEnding = true
    const stop = async () => {
      await this.endStreams('refuse_streams', announce)
      await Promise.all(this.initialized().map((thread) => unlessDead(thread.request({ kind: 'stop' }, 'stopped'))))
    }
    await Promise.race([stop(), Bun.sleep(DRAIN_MILLIS)])
    for (const { thread } of this.seats) thread.terminate()
  }

  private async endStreams(kind: 'drain' | 'refuse_streams', announce: AnnounceStreams): Promise<void> {
    const threads = this.initialized()
    const answers = await Promise.all(threads.map((thread) => unlessDead(thread.request({ kind }, 'ending'))))
    await announce(answers.flatMap((answer) => answer?.streams ?? []))
    await Promise.all(threads.map((thread) => unlessDead(thread.request({ kind: 'end_streams' }, 'streams_ended'))))
  }

  private initialized(): DataThreadHandle[] {
    return this.seats.filter(({ isInitialized }) => isInitialized).map(({ thread }) => thread)
  }

  private openSeat(ordinal: number): Seat {
    return { ordinal, thread: this.openThread(ordinal), isInitialized: false, missed: [] }
  }

  private openThread(ordinal: number): DataThreadHandle {
    const { onForwarder, onRoutes, onFleetRequest } = this.parts
    return new DataThreadHandle({
      death: (error) => this.handleThreadExit(ordinal, error),
      forwarder: onForwarder,
      routes: onRoutes,
      fleetRequest: (request) => onFleetRequest(request, ordinal),
    })
  }

  private startOf({ ordinal }: Seat): DataThreadStart {
    const start = this.starts[ordinal]
    if (start === undefined) throw new Error(`data thread ${ordinal} has no initial state`)
    return start
  }

  /**
   * Replaces a crashed thread with a new one. If the port is not open yet, or too many threads have crashed, the
   * process ends instead.
   */
  private handleThreadExit(ordinal: number, error: ThreadDied): void {
    const seat = this.seats[ordinal]
    if (this.isEnding || seat === undefined) return
    const now = performance.now()
    this.deaths.push(now)
    const isOften = this.deaths.filter((at) => at > now - DEATHS_WITHIN_MILLIS).length > MOST_DEATHS
    if (this.port === 0 || isOften) return this.parts.onFailure(error)
    seat.isInitialized = false
    this.parts.onDeath(ordinal, error)
    seat.thread = this.openThread(ordinal)
    this.replace(seat).catch((problem: unknown) => {
      // If the new thread crashes too, this function is called again for that crash, so nothing is reported here.
      if (!(problem instanceof ThreadDied))
        this.parts.onFailure(new Error(`data thread ${ordinal} could not be restarted: ${problem}`))
    })
  }

  /**
   * Starts the new thread with the current state, sends it the settings and changes that it missed, and opens its port.
   */
  private async replace(seat: Seat): Promise<void> {
    const { thread } = seat
    await thread.isAwake
    const access = await this.awaitAccess(seat, thread)
    if (access === undefined) return
    await this.inTurn(async () => {
      if (this.isEnding || seat.thread !== thread) return
      const start = { ...this.startOf(seat), access, networks: this.networks.list() }
      const ready = thread.requestNow({ kind: 'start', start }, 'ready')
      seat.isInitialized = true
      if (this.latestReload !== undefined) {
        thread.post({ kind: 'reload', reload: this.latestReload, number: ++this.changeNumber })
      }
      for (const message of seat.missed.splice(0)) thread.post(message)
      await ready
      await thread.request({ kind: 'listen', port: this.port }, 'listening')
    })
  }

  /**
   * Waits until accounts and keys can be read. Meanwhile, the other threads serve with the keys that they have in
   * memory. A restart of the process would lose these keys. Returns undefined if the new thread crashes or the service
   * ends first.
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

/**
 * Resolves with the thread's answer, or with undefined if the thread crashes first. A crash needs no error here,
 * because the thread that replaces it starts from the current state.
 */
async function unlessDead<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof ThreadDied) return undefined
    throw error
  }
}
