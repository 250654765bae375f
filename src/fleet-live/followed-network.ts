// The live state of one network on a replica, built from the poller's messages in the order of their numbers. The state
// takes its time from the messages, so that replicas with the same messages have the same live data. A network's memory
// is this state in packed form, stored in the database.
import { deserialize, serialize } from 'bun:jsc'
import type { Snapshot } from '../networks/network.ts'
import type { PackedLive } from '../networks/network-messages.ts'
import type { SourceStatus } from '../realtime/feed-source.ts'
import type { LiveNetworkOrder } from '../realtime/live-messages.ts'
import { type LiveMemory, LiveNetwork, type LiveNetworkParts } from '../realtime/live-network.ts'
import type { Clock } from '../system/clock.ts'
import { VERSION } from '../system/version.ts'
import type { KeptMemory, LiveMessage } from './live-store.ts'
import { RelayedFeed } from './relayed-feed.ts'

/** Vehicles with estimated positions move each time the service clock passes a multiple of this interval. */
const MOVE_MILLIS = 5_000
/** Identifies the version that stored a memory. Other versions ignore the memory, because their format may differ. */
const FORMAT = `${VERSION} ${Bun.version}`

/** What a followed network depends on. */
export interface FollowedParts extends Omit<LiveNetworkParts, 'openSource' | 'memory' | 'version'> {
  /** Version of this network's live data that was last sent to the data threads. */
  readonly version: number
}

/** The content of a network's memory. */
interface Remembered {
  readonly atMillis: number
  readonly live: LiveMemory
  readonly sources: ReadonlyMap<string, SourceStatus>
}

/** The live state of one network on this replica. */
export class FollowedNetwork {
  readonly id: string
  readonly order: LiveNetworkOrder
  /** Sequence number of the last applied message. */
  applied = 0
  /** Whether messages were missed. If so, the network must start from its stored memory. */
  isBehind = true
  private readonly parts: FollowedParts
  private readonly service: Clock
  private network: LiveNetwork
  private sources = new Map<string, RelayedFeed>()
  private snapshot: Snapshot | undefined
  /**
   * The time for which live data is computed, in Unix milliseconds. It is the time of the last message, or a later time
   * if the data has been advanced since then.
   */
  private atMillis: number
  private expiry: ReturnType<typeof setTimeout> | undefined
  private moving: ReturnType<typeof setTimeout> | undefined

  constructor(parts: FollowedParts) {
    this.parts = parts
    this.order = parts.order
    this.id = parts.order.id
    this.service = parts.clock
    this.atMillis = this.service.nowMillis()
    this.network = this.open(undefined, parts.version)
    this.scheduleMove()
  }

  get lastVersion(): number {
    return this.network.lastVersion
  }

  /** Whether the network has a snapshot and has missed no message. Without a snapshot, messages are not read. */
  get isReading(): boolean {
    return !this.isBehind && this.snapshot !== undefined
  }

  /**
   * Starts from a memory and the messages after it. If this program cannot read the memory, `messages` must contain all
   * stored messages.
   */
  load(memory: KeptMemory, messages: readonly LiveMessage[]): void {
    this.restore(memory)
    for (const message of messages) this.read(message, true)
    this.isBehind = false
    if (this.snapshot !== undefined) this.parts.onChange(this.makeWhole())
  }

  /**
   * The number after which `load` needs all messages: the memory's own number, or 0 if this program cannot read the
   * memory.
   */
  static firstSeqAfter({ format, seq }: KeptMemory): number {
    return format === FORMAT ? seq : 0
  }

  /** Whether no message is missing between the last applied message and these messages. */
  follows([first]: readonly LiveMessage[]): boolean {
    return first === undefined || first.before <= this.applied
  }

  /** Reads messages and publishes their content. */
  apply(messages: readonly LiveMessage[]): void {
    for (const [at, message] of messages.entries()) this.read(message, at < messages.length - 1)
    this.network.publish()
    this.keepTime()
  }

  /** Switches to the snapshot that will be served next. */
  adopt(snapshot: Snapshot): void {
    // Messages are not read without a snapshot, so the network must start from its stored memory.
    this.isBehind ||= this.snapshot === undefined
    this.snapshot = snapshot
    this.network.adopt(snapshot)
  }

  makeWhole(): PackedLive {
    const live = this.network.makeWhole()
    this.keepTime()
    return live
  }

  listUnmatched() {
    return this.network.listUnmatched()
  }

  /**
   * Packs the network's memory for the database.
   * @param seq the number of the last message that the memory includes
   */
  pack(seq = this.applied): KeptMemory {
    const sources = new Map([...this.sources].map(([id, { status }]) => [id, status] as const))
    const remembered: Remembered = { atMillis: this.atMillis, live: this.network.memory, sources }
    return { seq, format: FORMAT, bytes: new Uint8Array(serialize(remembered)) }
  }

  close(): void {
    this.network.close()
    clearTimeout(this.expiry)
    clearTimeout(this.moving)
  }

  private restore(memory: KeptMemory): void {
    this.network.close()
    const remembered: Remembered | undefined = memory.format === FORMAT ? deserialize(memory.bytes) : undefined
    this.atMillis = remembered?.atMillis ?? this.service.nowMillis()
    this.applied = FollowedNetwork.firstSeqAfter(memory)
    this.network = this.open(remembered, this.network.lastVersion)
    if (this.snapshot !== undefined) this.network.adopt(this.snapshot)
  }

  private open(remembered: Remembered | undefined, version: number): LiveNetwork {
    const sources = new Map<string, RelayedFeed>()
    this.sources = sources
    return new LiveNetwork({
      ...this.parts,
      clock: { nowMillis: () => this.atMillis },
      memory: remembered?.live,
      version,
      openSource: (parts) => {
        const source = new RelayedFeed(parts, remembered?.sources.get(parts.order.id))
        sources.set(parts.order.id, source)
        return source
      },
    })
  }

  private read(message: LiveMessage, isFollowed: boolean): void {
    this.atMillis = message.status.atMillis
    this.sources.get(message.feed)?.take(message)
    this.applied = message.seq
    if (isFollowed) this.network.absorb()
  }

  /** Moves estimated vehicles to their latest positions, and schedules the removal of content that becomes too old. */
  private keepTime(): void {
    const moveMillis = this.lastMoveMillis()
    if (moveMillis > this.atMillis) this.moveTo(moveMillis)
    clearTimeout(this.expiry)
    const end = this.network.expiryAfter(this.atMillis)
    if (end === undefined) return
    this.expiry = setTimeout(
      () => {
        this.atMillis = Math.max(this.atMillis, end + 1)
        this.network.publish()
        this.keepTime()
      },
      Math.max(0, end + 1 - this.service.nowMillis()),
    )
  }

  private moveTo(millis: number): void {
    const before = this.atMillis
    this.atMillis = millis
    this.network.move()
    this.atMillis = before
  }

  private lastMoveMillis(): number {
    return Math.floor(this.service.nowMillis() / MOVE_MILLIS) * MOVE_MILLIS
  }

  private scheduleMove(): void {
    const waitMillis = MOVE_MILLIS - (this.service.nowMillis() % MOVE_MILLIS)
    this.moving = setTimeout(() => {
      this.scheduleMove()
      const moveMillis = this.lastMoveMillis()
      if (moveMillis > this.atMillis) this.moveTo(moveMillis)
    }, waitMillis)
  }
}
