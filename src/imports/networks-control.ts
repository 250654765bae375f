// The control thread's side of the networks: finds or imports each one's snapshot, checks its bytes in the background,
// watches its feeds, retries what failed, and has the data threads serve what is new.

import type { LastError, NetworkSettings } from '../networks/network.ts'
import type { NetworkMessage, SnapshotMessage } from '../networks/network-messages.ts'
import {
  findSnapshot,
  type LoadedSnapshot,
  listSnapshots,
  setAsideCorrupt,
  verifySnapshot,
} from '../networks/snapshot-store.ts'
import type { FeedOrder } from '../sources/feed-sources.ts'
import { stampSources } from '../sources/source-stamp.ts'
import type { Clock } from '../system/clock.ts'
import { MemorySweeper } from '../system/memory-sweeper.ts'
import { type ImportOutcome, importInChild } from './import-runner.ts'
import { serviceSpan } from './service-span.ts'
import { SourceWatch } from './source-watch.ts'

/** Wait before a failed import is tried again; doubled each time up to the longest. */
const RETRY_SHORTEST_MILLIS = 30_000
const RETRY_LONGEST_MILLIS = 15 * 60_000
const DAY_SECONDS = 86_400

/** A network and where its data comes from. */
export interface ControlledNetwork {
  readonly settings: NetworkSettings
  readonly feeds: readonly FeedOrder[]
  /** Replaces the time zone of the feeds. */
  readonly timezone: string | undefined
  /** Paths and addresses of its feeds. */
  readonly sources: readonly string[]
  readonly refreshSeconds: number | undefined
}

interface Served {
  readonly path: string
  /** When it was taken, in service time; milliseconds after 1970. */
  readonly takenAtMillis: number
  readonly message: SnapshotMessage
  readonly loaded: LoadedSnapshot
}

/** How a network fares, for metrics. */
export interface NetworkState {
  readonly id: string
  /** What serves; undefined where nothing does. */
  readonly snapshot:
    | {
        readonly madeAtMillis: number
        /** Start (UTC) of the day behind the last with service, in seconds after 1970; undefined without any. */
        readonly serviceEndSeconds: number | undefined
      }
    | undefined
  readonly isFailing: boolean
  /** What the last import took that made a snapshot. */
  readonly importSeconds: number | undefined
  readonly imports: ImportCounts
}

/** A network as an operator looks at it. */
export interface NetworkInside extends NetworkState {
  readonly settings: NetworkSettings
  /** Paths and addresses of its feeds; they may hold secrets. */
  readonly sources: readonly string[]
  readonly served: Served | undefined
  readonly lastError: LastError | undefined
  /** An import waits for its turn. */
  readonly isQueued: boolean
}

/** Imports since the start, by what they came to. */
export type ImportCounts = Readonly<Record<ImportOutcome['kind'], number>>

interface Held {
  network: ControlledNetwork
  watch: SourceWatch | undefined
  /** The configuration has it no more: whatever is under way for it is let go. */
  isGone: boolean
  served: Served | undefined
  lastError: LastError | undefined
  /** How the local feeds looked at the last import that was tried. */
  importedStamp: string
  /** An import waits for its turn: it will see whatever changes until it begins. */
  isQueued: boolean
  retryMillis: number
  retryTimer: ReturnType<typeof setTimeout> | undefined
  importSeconds: number | undefined
  readonly imports: Record<ImportOutcome['kind'], number>
}

/** What the networks need of the process around them. */
export interface NetworksControlOptions {
  readonly dataDir: string
  readonly networks: readonly ControlledNetwork[]
  readonly clock: Clock
  /** Has every change after `open` served; why it cannot be, where it cannot. */
  readonly onChange: (message: NetworkMessage) => Promise<string | undefined>
  /** One line for the operator. */
  readonly log: (line: string) => void
}

/** Keeps every configured network served, or failing with a reason. */
export class NetworksControl {
  private readonly options: NetworksControlOptions
  private held: readonly Held[]
  private readonly sweeper = new MemorySweeper()
  private isWatching = false
  private isClosed = false
  /** Imports run one after the other. */
  private importing: Promise<void> = Promise.resolve()

  constructor(options: NetworksControlOptions) {
    this.options = options
    this.held = options.networks.map(hold)
  }

  /** Settles once each network is served or has failed. */
  async open(): Promise<void> {
    for (const held of this.held) {
      this.takeNewest(held)
      if (held.served === undefined) await this.import(held)
    }
  }

  messages(): NetworkMessage[] {
    return this.held.map(toMessage)
  }

  get count(): number {
    return this.held.length
  }

  get servedCount(): number {
    return this.held.filter(({ served }) => served !== undefined).length
  }

  /** How each network fares. */
  states(): NetworkState[] {
    return this.held.map(toState)
  }

  /** A network with what it serves; undefined where it is not configured. */
  find(network: string): NetworkInside | undefined {
    const held = this.held.find((each) => each.network.settings.id === network)
    return held && { ...held, settings: held.network.settings, sources: held.network.sources, ...toState(held) }
  }

  /** Begins to look at the feeds for changes. */
  watch(): void {
    this.isWatching = true
    for (const held of this.held) this.watchOne(held)
  }

  /**
   * Goes on with other networks, or others of their settings. The data threads must have been told which there are; what
   * has changed is with them when this settles, but for what has to be imported first.
   * @param changed ids of those that are new, or of which something is other than it was
   */
  async reload(networks: readonly ControlledNetwork[], changed: ReadonlySet<string>): Promise<void> {
    const before = this.held
    const added: Held[] = []
    this.held = networks.map((network) => {
      const known = before.find((each) => each.network.settings.id === network.settings.id)
      if (known !== undefined) {
        known.network = network
        return known
      }
      const held = hold(network)
      this.takeNewest(held)
      added.push(held)
      return held
    })
    for (const held of before) if (!this.held.includes(held)) this.letGo(held)
    const altered = this.held.filter(({ network }) => changed.has(network.settings.id))
    for (const held of altered) if (this.isWatching) this.watchOne(held)
    await Promise.all(altered.map((held) => this.announceReload(held)))
    for (const held of added) await this.verify(held)
  }

  /** Imports what has changed of every network, now. */
  async recheck(): Promise<void> {
    await Promise.all(this.held.map((held) => this.reimport(held)))
  }

  /**
   * Serves the newest snapshot of a network: called when an import beside the server has made one. Why it is not
   * served, where it is not.
   */
  async refresh(network: string): Promise<string | undefined> {
    const held = this.held.find((each) => each.network.settings.id === network)
    if (held === undefined) return `the server has no network "${network}"; SIGHUP has it read its configuration anew`
    return await this.serveNewest(held)
  }

  /** Reads every served snapshot against its checksums; one that fails gives way to the one before, and to an import. */
  async verifyAll(): Promise<void> {
    for (const held of this.held) await this.verify(held)
  }

  private async verify(held: Held): Promise<void> {
    while (held.served !== undefined && !this.isClosed) {
      const corrupt = verifySnapshot(held.served.loaded)
      if (corrupt.length === 0) break
      await this.replaceCorrupt(held, held.served, corrupt)
    }
  }

  close(): void {
    this.isClosed = true
    for (const held of this.held) this.letGo(held)
  }

  private letGo(held: Held): void {
    held.isGone = true
    held.watch?.close()
    clearTimeout(held.retryTimer)
  }

  private watchOne(held: Held): void {
    held.watch?.close()
    held.watch = new SourceWatch({
      sources: held.network.sources,
      refreshSeconds: held.network.refreshSeconds,
      importedStamp: () => held.importedStamp,
      onChange: () => void this.reimport(held),
    })
  }

  private async announceReload(held: Held): Promise<void> {
    const problem = await this.announce(held)
    if (problem === undefined) return
    this.options.log(`${held.network.settings.id}: ${problem}`)
    this.setError(held, 'snapshot_unusable', problem)
  }

  private async replaceCorrupt(held: Held, served: Served, corrupt: readonly string[]): Promise<void> {
    const { id } = held.network.settings
    this.options.log(`${id}: the snapshot does not match its checksums in ${corrupt.join(', ')}; importing anew`)
    setAsideCorrupt(served.path)
    held.served = undefined
    this.takeNewest(held)
    this.setError(held, 'snapshot_corrupt', `checksum mismatch in ${corrupt.length} columns of the snapshot`)
    // With none before, the network is not ready until the import ends: no answer is better than a wrong one.
    await this.announce(held)
    await this.reimport(held)
  }

  /** Finds the newest usable snapshot; whether it is another one than was served. */
  private takeNewest(held: Held): boolean {
    const [newest] = listSnapshots(this.options.dataDir, held.network.settings.id)
    if (newest !== undefined && newest === held.served?.path) return false
    const { found, passed } = findSnapshot(this.options.dataDir, held.network.settings.id)
    for (const each of passed) {
      this.options.log(`${held.network.settings.id}: a snapshot was passed over: ${each.message}`)
    }
    if (found === undefined || found.path === held.served?.path) return false
    const isShared = found.bytes.buffer instanceof SharedArrayBuffer
    const message = isShared ? { bytes: found.bytes } : { path: found.path }
    if (held.served !== undefined) this.sweeper.sweepSoon()
    const takenAtMillis = this.options.clock.nowMillis()
    held.served = { path: found.path, takenAtMillis, message, loaded: found.loaded }
    held.importedStamp = found.loaded.making.sourceStamp
    this.clearError(held)
    return true
  }

  private async serveNewest(held: Held): Promise<string | undefined> {
    const before = held.served
    if (!this.takeNewest(held)) return held.served === undefined ? 'it has no usable snapshot' : undefined
    const problem = await this.announce(held)
    if (problem === undefined) {
      this.options.log(`${held.network.settings.id}: serving ${held.served?.path}`)
      return undefined
    }
    held.served = before
    this.setError(held, 'snapshot_unusable', problem)
    return problem
  }

  private announce(held: Held): Promise<string | undefined> {
    return this.options.onChange(toMessage(held))
  }

  /** Imports a network behind those that are waiting, and serves what came of it. */
  private reimport(held: Held): Promise<void> {
    if (held.isQueued) return this.importing
    held.isQueued = true
    this.importing = this.importing.then(async () => {
      if (this.isClosed || held.isGone) return
      const errorBefore = held.lastError
      await this.import(held)
      if (held.lastError !== errorBefore) await this.announce(held)
    })
    return this.importing
  }

  private async import(held: Held): Promise<void> {
    const { settings } = held.network
    clearTimeout(held.retryTimer)
    held.isQueued = false
    held.importedStamp = stampSources(held.network.sources)
    this.options.log(`${settings.id}: importing`)
    const { feeds, timezone } = held.network
    const { dataDir } = this.options
    const outcome = await importInChild({ network: settings.id, feeds, timezone, dataDir, force: false })
    if (held.isGone) return
    held.imports[outcome.kind]++
    if (outcome.kind === 'failed') return this.failed(held, outcome)
    if (outcome.kind === 'imported') held.importSeconds = outcome.report.seconds
    for (const warning of outcome.report.warnings) this.options.log(`${settings.id}: ${warning}`)
    const problem = await this.serveNewest(held)
    if (problem !== undefined) return this.failed(held, { reason: 'static_import_failed', message: problem })
    this.clearError(held)
    const { seconds } = outcome.report
    const how = outcome.kind === 'imported' ? `imported in ${seconds.toFixed(1)} s` : 'up to date'
    this.options.log(`${settings.id}: ${how}`)
  }

  private failed(held: Held, { reason, message }: { readonly reason: string; readonly message: string }): void {
    this.options.log(`${held.network.settings.id}: ${message}`)
    this.setError(held, reason, message)
    this.retryLater(held)
  }

  private setError(held: Held, reason: string, message: string): void {
    held.lastError = { atMillis: this.options.clock.nowMillis(), source: 'gtfs', reason, message }
  }

  private clearError(held: Held): void {
    held.lastError = undefined
    held.retryMillis = RETRY_SHORTEST_MILLIS
  }

  private retryLater(held: Held): void {
    if (this.isClosed || held.isGone) return
    held.retryTimer = setTimeout(() => void this.reimport(held), held.retryMillis)
    held.retryMillis = Math.min(held.retryMillis * 2, RETRY_LONGEST_MILLIS)
  }
}

/** A network of which nothing is known yet. */
function hold(network: ControlledNetwork): Held {
  return {
    network,
    watch: undefined,
    isGone: false,
    served: undefined,
    lastError: undefined,
    importedStamp: '',
    isQueued: false,
    retryMillis: RETRY_SHORTEST_MILLIS,
    retryTimer: undefined,
    importSeconds: undefined,
    imports: { imported: 0, up_to_date: 0, failed: 0 },
  }
}

function toState({ network: { settings }, served, lastError, importSeconds, imports }: Held): NetworkState {
  return {
    id: settings.id,
    snapshot: served === undefined ? undefined : describeServed(served),
    isFailing: lastError !== undefined,
    importSeconds,
    imports,
  }
}

function describeServed({ loaded }: Served): NetworkState['snapshot'] {
  const { refreshedAtMillis, timetable } = loaded.snapshot
  const span = serviceSpan(timetable)
  return { madeAtMillis: refreshedAtMillis, serviceEndSeconds: span && (span.last + 1) * DAY_SECONDS }
}

function toMessage({ network, served, lastError }: Held): NetworkMessage {
  return { settings: network.settings, snapshot: served?.message, lastError }
}
