// Manages the networks on the control thread: finds or imports each snapshot, verifies it in the background, watches
// the feeds, retries failures, and publishes new snapshots to the data threads.
import { layoutRulesOf } from '../journeys/layout-files.ts'
import type { LastError } from '../networks/network.ts'
import type { NetworkMessage } from '../networks/network-messages.ts'
import { type Sharer, type SnapshotExchange, sharedTimetable } from '../networks/snapshot-exchange.ts'
import { findSnapshot, listSnapshots, setAsideCorrupt } from '../networks/snapshot-store.ts'
import { verifyFile } from '../networks/verified-file.ts'
import { wordsOfNetwork } from '../places/stop-store.ts'
import { stampSources } from '../sources/source-stamp.ts'
import type { Clock } from '../system/clock.ts'
import { MemorySweeper } from '../system/memory-sweeper.ts'
import { BackgroundImports } from './background-imports.ts'
import { type Held, holdNetwork, RETRY_SHORTEST_MILLIS, servedStamp } from './held-network.ts'
import { IMPORT_FAILED } from './import-runner.ts'
import {
  type ControlledNetwork,
  type NetworkInside,
  type NetworkState,
  type Served,
  toState,
} from './network-states.ts'
import { SourceWatch } from './source-watch.ts'

/** Longest delay before a failed import is retried. */
const RETRY_LONGEST_MILLIS = 15 * 60_000
/** Reason of a network's error if its feeds cannot be watched. */
const UNWATCHED = 'sources_unreadable'
/** Reason of a network's error if its snapshot was made but cannot be offered to the other replicas. */
const NOT_SHARED = 'snapshot_not_shared'

/** Dependencies of NetworksControl. */
export interface NetworksControlOptions {
  readonly dataDir: string
  /** Whether addresses are configured. */
  readonly hasAddresses?: boolean
  readonly networks: readonly ControlledNetwork[]
  readonly clock: Clock
  /** Called with each change after `open`. Resolves to the reason why the change cannot be served; undefined if it can. */
  readonly onChange: (message: NetworkMessage) => Promise<string | undefined>
  /** Logs one line for the operator. */
  readonly log: (line: string) => void
  /** Returns additional members for the message about a network: its streets, which depend on the served snapshot. */
  readonly membersOf?: (network: string, served: Served | undefined) => Partial<NetworkMessage>
  /** Called after a network has started to serve a new snapshot, even if it is the first. */
  readonly onServed?: (network: string) => void
  /**
   * Exchanges snapshots with other replicas. Present only in a cluster, where one replica imports and the others fetch
   * its snapshots.
   */
  readonly exchange?: SnapshotExchange | undefined
}

/** Makes sure that every configured network is served, or has an error with a reason. */
export class NetworksControl implements Sharer {
  private readonly options: NetworksControlOptions
  private held: readonly Held[]
  private readonly sweeper = new MemorySweeper()
  private isWatching = false
  private isClosed = false
  private readonly imports = new BackgroundImports()

  constructor(options: NetworksControlOptions) {
    this.options = options
    this.held = options.networks.map((network) => holdNetwork(network, (held, begin) => this.import(held, begin)))
  }

  /** Finds the networks that can be served without an import. */
  open(): void {
    for (const held of this.held) this.takeNewest(held)
  }

  /** Imports the networks without a snapshot; resolves when each import has been tried once. */
  async importMissing(): Promise<void> {
    await Promise.all(this.held.filter(({ served }) => served === undefined).map((held) => held.importing.request()))
  }

  messages(): NetworkMessage[] {
    return this.held.map((held) => this.toMessage(held))
  }

  /** Publishes the messages about all networks again, because additional members of these messages have changed. */
  async announceAll(): Promise<void> {
    await Promise.all(this.held.map((held) => this.announceReload(held)))
  }

  get count(): number {
    return this.held.length
  }

  /** Number of networks that every data thread serves. */
  get servedCount(): number {
    return this.held.filter(({ served, isComing }) => served !== undefined && !isComing).length
  }

  /** Health of each network. */
  states(): NetworkState[] {
    return this.held.map(toState)
  }

  /** A network and its served snapshot; undefined if the network is not configured. */
  find(network: string): NetworkInside | undefined {
    const held = this.held.find((each) => each.network.settings.id === network)
    if (held === undefined) return undefined
    const { served, lastError, network: found } = held
    const { settings, sources } = found
    return { ...toState(held), settings, sources, served, lastError, isQueued: held.importing.isWaiting }
  }

  /** Starts watching the feeds for changes. */
  watch(): void {
    this.isWatching = true
    for (const held of this.held) this.watchOne(held)
  }

  /**
   * Applies a changed configuration: a different list of networks, or different settings. The data threads must already
   * have that list. Resolves when all changes are published, except those that need an import first.
   * @param changed ids of new or changed networks
   */
  async reload(networks: readonly ControlledNetwork[], changed: ReadonlySet<string>): Promise<void> {
    const before = this.held
    await this.options.exchange?.begin(
      'timetable',
      networks.map(({ settings }) => settings.id),
    )
    const added: Held[] = []
    this.held = networks.map((network) => {
      const known = before.find((each) => each.network.settings.id === network.settings.id)
      if (known !== undefined) {
        known.network = network
        return known
      }
      const held = holdNetwork(network, (held, begin) => this.import(held, begin))
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

  /** Imports all changed feeds now, and logs how many networks had no new data. */
  async recheck(): Promise<void> {
    const before = this.upToDateCount()
    await Promise.all(this.held.map((held) => held.importing.request()))
    this.options.log(`feeds checked: ${this.upToDateCount() - before} of ${this.count} networks had no new data`)
  }

  private upToDateCount(): number {
    return this.held.reduce((sum, { imports }) => sum + imports.up_to_date, 0)
  }

  /**
   * Serves the newest snapshot of a network, after an import by another process. Resolves to the reason why the network
   * cannot be served; undefined if it is served.
   */
  async refresh(network: string): Promise<string | undefined> {
    const held = this.held.find((each) => each.network.settings.id === network)
    if (held === undefined) return `the server has no network "${network}"; send SIGHUP to reload its configuration`
    const { exchange } = this.options
    if (exchange?.isImporter === false)
      return "another replica imports for all replicas; run the import on that replica's machine (see `quai roles`)"
    return (await exchange?.offer(sharedTimetable(network))) ?? (await this.serveNewest(held))
  }

  /** Sets the error that the importing replica reports for a network. @param error undefined if the import succeeded */
  async showError(network: string, error: LastError | undefined): Promise<void> {
    const held = this.held.find((each) => each.network.settings.id === network)
    if (held === undefined || Bun.deepEquals(held.lastError, error)) return
    held.lastError = error
    await this.announceReload(held)
  }

  /**
   * Serves the newest snapshot that another replica has made for a network. Resolves to the reason why the network
   * cannot be served; undefined if it is served.
   */
  async serveShared(network: string): Promise<string | undefined> {
    const held = this.held.find((each) => each.network.settings.id === network)
    return held === undefined ? undefined : await this.serveNewest(held)
  }

  /**
   * Verifies the checksums of every served snapshot. A corrupt snapshot is replaced by the previous one, and the network
   * is imported again.
   */
  async verifyAll(): Promise<void> {
    for (const held of this.held) await this.verify(held)
  }

  /**
   * Verifies one snapshot and replaces it if it is corrupt. If files cannot be read or written now, tries again later.
   */
  private async verify(held: Held): Promise<void> {
    try {
      while (held.served !== undefined && !this.isClosed && !held.isGone) {
        const { served } = held
        const corrupt = await verifyFile(served.path, served.loaded.opened)
        if (held.served !== served || this.isClosed || held.isGone) continue // replaced or removed in the meantime
        if (corrupt.length === 0) break
        await this.replaceCorrupt(held, served, corrupt)
      }
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error
      this.options.log(`${held.network.settings.id}: verifying the snapshot failed (${String(error.code)})`)
      held.verifyTimer = setTimeout(() => void this.verify(held), RETRY_SHORTEST_MILLIS)
    }
  }

  close(): void {
    this.isClosed = true
    for (const held of this.held) this.letGo(held)
    this.imports.close()
  }

  private letGo(held: Held): void {
    held.isGone = true
    held.watch?.close()
    clearTimeout(held.retryTimer)
    clearTimeout(held.verifyTimer)
  }

  private watchOne(held: Held): void {
    held.watch?.close()
    held.watch = new SourceWatch({
      sources: held.network.sources,
      refreshSeconds: held.network.refreshSeconds,
      importedStamp: () => held.importedStamp,
      onChange: () => void held.importing.request(),
      onProblem: (problem) => this.noteWatch(held, problem),
    })
  }

  /** Reports that the files of the feeds cannot be read, or can be read again. The files are still watched. */
  private noteWatch(held: Held, problem: string | undefined): void {
    const { id } = held.network.settings
    if (problem === undefined) {
      this.options.log(`${id}: its timetable files are readable again`)
      if (held.lastError?.reason === UNWATCHED) this.clearError(held)
    } else {
      this.options.log(`${id}: ${problem}; retrying`)
      if (held.lastError === undefined) this.setError(held, UNWATCHED, problem)
    }
    void this.announceReload(held)
  }

  private async announceReload(held: Held): Promise<void> {
    const problem = await this.announce(held)
    if (problem === undefined) return
    this.options.log(`${held.network.settings.id}: ${problem}`)
    this.setError(held, 'snapshot_unusable', problem)
  }

  private async replaceCorrupt(held: Held, served: Served, corrupt: readonly string[]): Promise<void> {
    const { id } = held.network.settings
    this.options.log(`${id}: the snapshot does not match its checksums in ${corrupt.join(', ')}; importing again`)
    setAsideCorrupt(served.path)
    held.served = undefined
    this.takeNewest(held)
    this.setError(
      held,
      'snapshot_corrupt',
      `the snapshot is damaged (columns with a wrong checksum: ${corrupt.length})`,
    )
    // If there is no previous snapshot, the network is not ready until the import ends. Responses from a corrupt
    // snapshot would be worse.
    await this.announce(held)
    await held.importing.request()
  }

  /** Makes the newest usable snapshot the served one. Returns whether the served snapshot has changed. */
  private takeNewest(held: Held): boolean {
    const [newest] = listSnapshots(this.options.dataDir, held.network.settings.id)
    if (newest !== undefined && newest === held.served?.path) return false
    const { found, passed } = findSnapshot(this.options.dataDir, held.network.settings.id)
    for (const each of passed) {
      this.options.log(`${held.network.settings.id}: skipped an unusable snapshot: ${each.message}`)
    }
    if (found === undefined || found.path === held.served?.path) return false
    const isShared = found.bytes.buffer instanceof SharedArrayBuffer
    const { id } = found.loaded.snapshot
    const message = isShared ? { id, bytes: found.bytes } : { id, path: found.path }
    if (held.served !== undefined) this.sweeper.sweepSoon()
    const takenAtMillis = this.options.clock.nowMillis()
    held.served = { path: found.path, takenAtMillis, message, loaded: found.loaded }
    held.importedStamp = found.loaded.making.sourceStamp
    this.clearError(held)
    return true
  }

  private async serveNewest(held: Held): Promise<string | undefined> {
    const before = held.served
    if (!this.takeNewest(held)) return held.served === undefined ? 'the network has no usable snapshot' : undefined
    held.isComing = before === undefined
    const problem = await this.announce(held).catch((error: unknown) => String(error))
    held.isComing = false
    if (problem === undefined) {
      this.options.log(`${held.network.settings.id}: serving ${held.served?.path}`)
      this.options.onServed?.(held.network.settings.id)
      return undefined
    }
    held.served = before
    this.setError(held, 'snapshot_unusable', problem)
    return problem
  }

  private announce(held: Held): Promise<string | undefined> {
    return this.options.onChange(this.toMessage(held))
  }

  private toMessage({ network, served, lastError }: Held): NetworkMessage {
    const { settings } = network
    const members = this.options.membersOf?.(settings.id, served)
    return { settings, snapshot: served?.message, lastError, ...members }
  }

  /** Imports a network and serves the result. Any failure becomes the network's error and is retried. */
  private async import(held: Held, begin: () => void): Promise<void> {
    if (this.isClosed || held.isGone) return
    const errorBefore = held.lastError
    try {
      await this.importOrThrow(held, begin)
      if (held.lastError !== errorBefore) await this.announce(held)
      if (held.lastError !== errorBefore)
        await this.options.exchange?.announceError(sharedTimetable(held.network.settings.id), held.lastError)
    } catch (error) {
      this.failed(held, { reason: IMPORT_FAILED, message: error instanceof Error ? error.message : String(error) })
    }
  }

  private async importOrThrow(held: Held, begin: () => void): Promise<void> {
    const { settings, feeds, timezone } = held.network
    const { dataDir, hasAddresses = false, exchange } = this.options
    clearTimeout(held.retryTimer)
    const obtained = await exchange?.obtain(sharedTimetable(settings.id), held.served !== undefined)
    if (obtained === 'shared' || obtained === 'none') {
      begin()
      return void (await this.serveNewest(held))
    }
    const stopWords = wordsOfNetwork(settings)
    const layoutRules = layoutRulesOf(settings.journeys, settings.hasStreets)
    const order = { network: settings.id, feeds, timezone, dataDir, hasAddresses, stopWords, layoutRules, force: false }
    let isBegun = false
    const onBegin = () => {
      begin()
      isBegun = true
      held.importedStamp = stampSources(held.network.sources)
      this.options.log(`${settings.id}: importing`)
    }
    const outcome = await this.imports.run(order, { onBegin, knownStamp: () => servedStamp(held) })
    if (this.isClosed || held.isGone) return
    held.imports[outcome.kind]++
    if (outcome.kind === 'failed') return this.failed(held, outcome)
    if (outcome.kind === 'imported') held.importSeconds = outcome.report.seconds
    for (const warning of outcome.report?.warnings ?? []) this.options.log(`${settings.id}: ${warning}`)
    const unshared = await exchange?.offer(sharedTimetable(settings.id))
    if (unshared !== undefined && held.served !== undefined)
      return this.failed(held, { reason: NOT_SHARED, message: unshared })
    const problem = await this.serveNewest(held)
    if (problem !== undefined) return this.failed(held, { reason: IMPORT_FAILED, message: problem })
    if (unshared !== undefined) return this.failed(held, { reason: NOT_SHARED, message: unshared })
    this.clearError(held)
    if (outcome.kind === 'imported')
      this.options.log(`${settings.id}: imported in ${outcome.report.seconds.toFixed(1)} s`)
    else if (isBegun) this.options.log(`${settings.id}: up to date`)
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
    held.retryTimer = setTimeout(() => void held.importing.request(), held.retryMillis)
    held.retryMillis = Math.min(held.retryMillis * 2, RETRY_LONGEST_MILLIS)
  }
}
