// Watches the connections and file descriptors of the process. Every second, it finds addresses with too many
// connections. Requests on the connections over the limit are refused. When descriptors run short, idle connections are
// closed.
import { countedAddress, TrustedProxies } from '../access/client-address.ts'
import { ADDRESS_CONNECTION_LIMIT, ConnectionCount } from '../access/crowded-connections.ts'
import type { WatchedListener } from '../access/watched-listener.ts'
import type { Config } from '../config/config.ts'
import { countText } from '../system/count-text.ts'
import { descriptorCount, descriptorLimit, SpareDescriptors } from '../system/descriptors.ts'
import { type OpenSocket, Sockets } from '../system/sockets.ts'
import { listConnections } from '../system/tcp-table.ts'

/** The parts of the process that the watch uses. */
export interface ConnectionWatchParts {
  readonly listeners: readonly WatchedListener[]
  readonly log: (line: string) => void
}

/** Descriptors reserved for the admin port, if the limit is large enough. */
const ADMIN_DESCRIPTORS = 64
const ADMIN_SHARE = 0.25
/**
 * Shares of the descriptor limit. If at least `CLOSING_SHARE` is in use, idle connections are closed. Once less than
 * `CALM_SHARE` is in use, descriptors are no longer considered short.
 */
const [CALM_SHARE, CLOSING_SHARE] = [0.8, 0.9]
/** If at least this share of the descriptor limit is in use, the watch checks more often. */
const BUSY_SHARE = 0.7
const [CALM_MILLIS, BUSY_MILLIS, SHORT_MILLIS] = [1_000, 50, 20]
/** The largest share of the thread's time that checks may take. Each check reads the state of many connections. */
const PASS_SHARE = 0.25
/**
 * The public ports stop accepting connections when, for this long, all descriptors have been in use and pending
 * requests have used at least `PENDING_SHARE` of them.
 */
const FULL_MILLIS = 3_000
/**
 * The public ports stop accepting connections only if pending requests use at least this share of the descriptor limit.
 * If they use less, closing idle connections is enough.
 */
const PENDING_SHARE = 0.4
/**
 * When descriptors run short, the watch closes each connection that has been open this long and on which nothing has
 * arrived.
 */
const SILENT_MILLIS = 200
/**
 * A connection is stuck if part of a request has arrived, no response was sent, and nothing more has arrived for
 * `STUCK_MILLIS`. It is closed only if the connections from its address use more than `STUCK_SHARE` of the descriptor
 * limit.
 */
const [STUCK_MILLIS, STUCK_SHARE] = [1_000, 1 / 8]

/** Watches the connections of one process. */
export class ConnectionWatch {
  private readonly parts: ConnectionWatchParts
  private readonly proxies: TrustedProxies
  private readonly count: ConnectionCount
  private readonly spare = new SpareDescriptors()
  /** The process's descriptor limit. */
  private limit = Number.POSITIVE_INFINITY
  private ports: readonly number[] = []
  private sockets: Sockets | undefined
  private timer: ReturnType<typeof setTimeout> | undefined
  private countedAt = Number.NEGATIVE_INFINITY
  private isCrowded = false
  private isShort = false
  private isPaused = false
  /**
   * Start of the current period in which all descriptors are in use and pending requests use at least `PENDING_SHARE`
   * of them; undefined outside such a period.
   */
  private fullSince: number | undefined
  private isClosed = false
  private lastFault = ''

  constructor({ trustedProxies }: Pick<Config, 'trustedProxies'>, parts: ConnectionWatchParts) {
    this.parts = parts
    this.proxies = new TrustedProxies(trustedProxies)
    this.count = new ConnectionCount(this.proxies)
  }

  /**
   * Starts the watch. Must be called after the ports are open. Does nothing if the system reports no descriptor limit.
   */
  start(ports: readonly number[]): void {
    const limit = descriptorLimit()
    if (limit === undefined || this.isClosed) return
    this.limit = limit
    this.ports = ports
    this.keepSpare()
    this.schedule(CALM_MILLIS)
  }

  /** Replaces the list of trusted proxies. */
  trust(proxies: readonly string[]): void {
    this.proxies.replace(proxies)
  }

  /** Stops watching. Ports that have stopped accepting connections do not start again. */
  close(): void {
    this.isClosed = true
    clearTimeout(this.timer)
    this.spare.release()
  }

  private schedule(millis: number): void {
    if (this.isClosed) return
    this.timer = setTimeout(() => {
      void this.look().then((next) => this.schedule(next))
    }, millis)
  }

  /**
   * Runs one check and returns the delay until the next check. If the check fails, the failure is logged once, and the
   * check is retried.
   */
  private async look(): Promise<number> {
    const began = performance.now()
    try {
      const used = descriptorCount(this.limit)
      if (began - this.countedAt >= CALM_MILLIS) {
        this.countedAt = began
        await this.countConnections(used)
      }
      await this.relieve(used)
      this.lastFault = ''
      const least = used < BUSY_SHARE * this.limit ? CALM_MILLIS : this.isShort ? SHORT_MILLIS : BUSY_MILLIS
      return Math.max(least, (performance.now() - began) / PASS_SHARE)
    } catch (error) {
      const fault = `watching connections failed: ${error}; retrying`
      if (fault !== this.lastFault) this.parts.log(fault)
      this.lastFault = fault
      return CALM_MILLIS
    }
  }

  /**
   * Counts connections by address. Reads the kernel's connection table only if enough descriptors are open for an
   * address to exceed its limit.
   */
  private async countConnections(used: number): Promise<void> {
    const { listeners, log } = this.parts
    const isPossible = used > ADDRESS_CONNECTION_LIMIT
    const beyond = isPossible ? this.count.find(await listConnections(this.ports)) : []
    if (!isPossible) this.count.forget()
    const isCrowded = beyond.length > 0
    if (isCrowded && !this.isCrowded)
      log(
        `${countText(beyond.length, 'connection')} over the limit of ${ADDRESS_CONNECTION_LIMIT} per address; their requests get status 429`,
      )
    if (isCrowded || this.isCrowded) for (const listener of listeners) listener.turnAway(beyond)
    this.isCrowded = isCrowded
  }

  /** Closes connections if descriptors run short, and stops accepting new connections if that is not enough. */
  private async relieve(used: number): Promise<void> {
    const { limit } = this
    const { listeners, log } = this.parts
    if (used + (this.isPaused ? this.adminCount : 0) < CALM_SHARE * limit) return await this.recover()
    if (used < CLOSING_SHARE * limit && !this.isPaused) return
    if (!this.isShort) log(`${used} of ${limit} file descriptors are in use; closing idle connections`)
    this.isShort = true
    for (const listener of listeners) listener.closeIdle()
    const pending = this.endSilent()
    const now = performance.now()
    this.fullSince = used >= limit - 1 && pending >= PENDING_SHARE * limit ? (this.fullSince ?? now) : undefined
    if (this.isPaused || this.fullSince === undefined || now - this.fullSince < FULL_MILLIS) return
    log('all file descriptors are in use; accepting new connections only on the admin port')
    this.isPaused = true
    await Promise.all(listeners.map((listener) => listener.pause()))
    this.spare.release()
  }

  private async recover(): Promise<void> {
    this.isShort = false
    this.fullSince = undefined
    this.keepSpare()
    if (!this.isPaused || this.isClosed) return
    await Promise.all(this.parts.listeners.map((listener) => listener.resume()))
    this.isPaused = false
    this.parts.log('accepting new connections again')
  }

  private get adminCount(): number {
    return Math.min(ADMIN_DESCRIPTORS, Math.floor(this.limit * ADMIN_SHARE))
  }

  private keepSpare(): void {
    this.spare.hold(this.adminCount)
  }

  /**
   * Closes connections on which no byte has arrived, and stuck connections from addresses with very many connections.
   * Returns the number of connections on which bytes have arrived but no response was sent.
   */
  private endSilent(): number {
    const { limit, ports } = this
    this.sockets ??= new Sockets()
    const open: OpenSocket[] = []
    const counts = new Map<string, number>()
    for (let descriptor = 0; descriptor < limit; descriptor++) {
      const socket = this.sockets.find(descriptor)
      if (socket === undefined || !ports.includes(socket.nearPort)) continue
      open.push(socket)
      const address = countedAddress(socket.farAddress)
      counts.set(address, (counts.get(address) ?? 0) + 1)
    }
    for (const socket of open) {
      const { receivedBytes, sentBytes, quietMillis, farAddress } = socket
      const isMany = (counts.get(countedAddress(farAddress)) ?? 0) > STUCK_SHARE * limit
      const isStuck = sentBytes === 0 && quietMillis >= STUCK_MILLIS && isMany && !this.proxies.isTrusted(farAddress)
      if ((receivedBytes === 0 && quietMillis >= SILENT_MILLIS) || isStuck) this.sockets.end(socket)
    }
    return open.filter(({ receivedBytes, sentBytes }) => receivedBytes > 0 && sentBytes === 0).length
  }
}
