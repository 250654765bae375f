// Watches over the connections and descriptors of the process: each second it has requests refused on connections that are
// too many for one address, and as descriptors run out it closes connections that do nothing, so that others get in.
import { countedAddress, TrustedProxies } from '../access/client-address.ts'
import { ADDRESS_CONNECTION_LIMIT, ConnectionCount } from '../access/crowded-connections.ts'
import type { WatchedListener } from '../access/watched-listener.ts'
import type { Config } from '../config/config.ts'
import { descriptorCount, descriptorLimit, SpareDescriptors } from '../system/descriptors.ts'
import { type OpenSocket, Sockets } from '../system/sockets.ts'
import { listConnections } from '../system/tcp-table.ts'

/** What the watch looks after. */
export interface ConnectionWatchParts {
  readonly listeners: readonly WatchedListener[]
  readonly say: (line: string) => void
}

/** Descriptors that only the admin port can use, of a limit that is large enough. */
const ADMIN_DESCRIPTORS = 64
const ADMIN_SHARE = 0.25
/** Shares of the limit: above the last one idle connections are closed; below the first one all is well again. */
const [CALM_SHARE, CLOSING_SHARE] = [0.8, 0.9]
/** From this share on it looks more often. */
const BUSY_SHARE = 0.7
const [CALM_MILLIS, BUSY_MILLIS, SHORT_MILLIS] = [1_000, 50, 20]
/** A pass over many connections takes this share of the thread's time at most. */
const PASS_SHARE = 0.25
/** For so long all descriptors are taken, most by requests, before the ports take no connections for a while. */
const FULL_MILLIS = 3_000
/** The share of the limit that requests without an answer take then: to close what is idle does not help. */
const ASKING_SHARE = 0.4
/** A connection on which nothing came for so long says nothing. */
const SILENT_MILLIS = 200
/** Part of a request, and nothing more for so long; a share of the limit that an address must have for this to count. */
const [STUCK_MILLIS, STUCK_SHARE] = [1_000, 1 / 8]

/** The watch of one process. */
export class ConnectionWatch {
  private readonly parts: ConnectionWatchParts
  private readonly proxies: TrustedProxies
  private readonly count: ConnectionCount
  private readonly spare = new SpareDescriptors()
  /** Most descriptors that the process may have. */
  private limit = Number.POSITIVE_INFINITY
  /** Of the listeners. */
  private ports: readonly number[] = []
  private sockets: Sockets | undefined
  private timer: ReturnType<typeof setTimeout> | undefined
  private countedAt = Number.NEGATIVE_INFINITY
  private isCrowded = false
  private isShort = false
  private isPaused = false
  /** Since when all descriptors are taken, most of them by requests. */
  private fullSince: number | undefined
  private isClosed = false
  private lastFault = ''

  constructor({ trustedProxies }: Pick<Config, 'trustedProxies'>, parts: ConnectionWatchParts) {
    this.parts = parts
    this.proxies = new TrustedProxies(trustedProxies)
    this.count = new ConnectionCount(this.proxies)
  }

  /** Begins once the ports are open. Where the system tells nothing of descriptors there is nothing to watch. */
  start(ports: readonly number[]): void {
    const limit = descriptorLimit()
    if (limit === undefined || this.isClosed) return
    this.limit = limit
    this.ports = ports
    this.keepSpare()
    this.schedule(CALM_MILLIS)
  }

  /** Believes these proxies from now on. */
  trust(proxies: readonly string[]): void {
    this.proxies.replace(proxies)
  }

  /** Leaves the listeners as they are. */
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

  /** One look; how long until the next. What fails is said once, and tried again. */
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
      const fault = `connections are not watched: ${error}; trying again`
      if (fault !== this.lastFault) this.parts.say(fault)
      this.lastFault = fault
      return CALM_MILLIS
    }
  }

  /** The kernel's tables are read only if there are descriptors enough for anybody to have too many connections. */
  private async countConnections(used: number): Promise<void> {
    const { listeners, say } = this.parts
    const isPossible = used > ADDRESS_CONNECTION_LIMIT
    const beyond = isPossible ? this.count.find(await listConnections(this.ports)) : []
    if (!isPossible) this.count.forget()
    const isCrowded = beyond.length > 0
    if (isCrowded && !this.isCrowded) {
      const whose = 'an address has more than'
      say(`${whose} ${ADDRESS_CONNECTION_LIMIT} connections; requests on ${beyond.length} of them are refused with 429`)
    }
    if (isCrowded || this.isCrowded) for (const listener of listeners) listener.turnAway(beyond)
    this.isCrowded = isCrowded
  }

  /** Makes room while descriptors are short. */
  private async relieve(used: number): Promise<void> {
    const { limit } = this
    const { listeners, say } = this.parts
    if (used + (this.isPaused ? this.adminCount : 0) < CALM_SHARE * limit) return await this.recover()
    if (used < CLOSING_SHARE * limit && !this.isPaused) return
    if (!this.isShort) say(`${used} of ${limit} file descriptors are in use; closing idle connections`)
    this.isShort = true
    for (const listener of listeners) listener.closeIdle()
    const asking = this.endSilent()
    const now = performance.now()
    this.fullSince = used >= limit - 1 && asking >= ASKING_SHARE * limit ? (this.fullSince ?? now) : undefined
    if (this.isPaused || this.fullSince === undefined || now - this.fullSince < FULL_MILLIS) return
    say('no file descriptor is left; taking no new connections but on the admin port')
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
    this.parts.say('taking new connections again')
  }

  private get adminCount(): number {
    return Math.min(ADMIN_DESCRIPTORS, Math.floor(this.limit * ADMIN_SHARE))
  }

  private keepSpare(): void {
    this.spare.hold(this.adminCount)
  }

  /**
   * Ends connections on which nothing ever came, and those of a great many of one address on which a request is stuck. How
   * many there are on which something came and nothing was ever answered.
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
