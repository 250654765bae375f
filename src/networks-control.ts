// The control thread's side of the networks: finds or imports each one's snapshot, checks its bytes in the
// background, retries what failed, and tells the data threads what to serve.
import type { Clock } from './clock.ts'
import { importInChild } from './import-runner.ts'
import type { LastError, NetworkSettings } from './network.ts'
import { findSnapshot, type LoadedSnapshot, verifySnapshot } from './snapshot-store.ts'
import type { NetworkMessage, SnapshotMessage } from './thread-messages.ts'

/** Wait before a failed import is tried again; doubled each time up to the longest. */
const RETRY_SHORTEST_MILLIS = 30_000
const RETRY_LONGEST_MILLIS = 15 * 60_000

interface Held {
  readonly settings: NetworkSettings
  snapshot: SnapshotMessage | undefined
  loaded: LoadedSnapshot | undefined
  lastError: LastError | undefined
  retryMillis: number
  timer: ReturnType<typeof setTimeout> | undefined
}

/** What the networks need of the process around them. */
export interface NetworksControlOptions {
  readonly dataDir: string
  readonly networks: readonly NetworkSettings[]
  /** The words that give a child process the same configuration. */
  readonly configArguments: readonly string[]
  readonly clock: Clock
  /** Called with every change after `open`. */
  readonly onChange: (message: NetworkMessage) => void
  /** One line for the operator. */
  readonly log: (line: string) => void
}

/** Keeps every configured network served or failing with a reason. */
export class NetworksControl {
  private readonly options: NetworksControlOptions
  private readonly held: readonly Held[]
  private isClosed = false

  constructor(options: NetworksControlOptions) {
    this.options = options
    this.held = options.networks.map((settings) => ({
      settings,
      snapshot: undefined,
      loaded: undefined,
      lastError: undefined,
      retryMillis: RETRY_SHORTEST_MILLIS,
      timer: undefined,
    }))
  }

  /** Settles once each network is served or has failed. Imports run one after the other. */
  async open(): Promise<void> {
    for (const held of this.held) {
      this.takeSnapshot(held)
      if (held.snapshot === undefined) await this.import(held)
    }
  }

  messages(): NetworkMessage[] {
    return this.held.map(toMessage)
  }

  get servedCount(): number {
    return this.held.filter((held) => held.snapshot !== undefined).length
  }

  /** Serves the newest snapshot of a network: called when an import beside the server has made one. */
  refresh(network: string): void {
    const held = this.held.find((each) => each.settings.id === network)
    if (held === undefined) return
    this.takeSnapshot(held)
    this.options.onChange(toMessage(held))
  }

  /** Reads every served snapshot against its checksums; one that fails is taken out and its network imported anew. */
  async verifyAll(): Promise<void> {
    for (const held of this.held) {
      if (held.loaded === undefined || this.isClosed) continue
      const corrupt = verifySnapshot(held.loaded)
      if (corrupt.length > 0) await this.replaceCorrupt(held, corrupt)
    }
  }

  close(): void {
    this.isClosed = true
    for (const held of this.held) clearTimeout(held.timer)
  }

  private async replaceCorrupt(held: Held, corrupt: readonly string[]): Promise<void> {
    this.options.log(
      `${held.settings.id}: the snapshot does not match its checksums in ${corrupt.join(', ')}; importing anew`,
    )
    this.setError(held, 'snapshot_corrupt', `checksum mismatch in ${corrupt.length} columns`)
    await this.import(held, ['--force'])
    this.options.onChange(toMessage(held))
  }

  private takeSnapshot(held: Held): void {
    const { found, passed } = findSnapshot(this.options.dataDir, held.settings.id)
    for (const each of passed) {
      this.options.log(`${held.settings.id}: a snapshot was passed over: ${each.message}`)
    }
    if (found === undefined) return
    const isShared = found.bytes.buffer instanceof SharedArrayBuffer
    held.snapshot = isShared ? { bytes: found.bytes } : { path: found.path }
    held.loaded = found.loaded
    held.lastError = undefined
    held.retryMillis = RETRY_SHORTEST_MILLIS
  }

  private async import(held: Held, more: readonly string[] = []): Promise<void> {
    const { settings } = held
    this.options.log(`${settings.id}: importing`)
    const outcome = await importInChild(settings.id, [...this.options.configArguments, ...more])
    if (outcome.kind === 'imported') {
      this.takeSnapshot(held)
      for (const warning of outcome.report.warnings) this.options.log(`${settings.id}: ${warning}`)
      if (held.snapshot !== undefined) {
        this.options.log(`${settings.id}: imported in ${outcome.report.seconds.toFixed(1)} s`)
        return
      }
      this.setError(held, 'static_import_failed', 'the import left no usable snapshot')
    } else {
      this.options.log(`${settings.id}: ${outcome.message}`)
      this.setError(held, outcome.reason, outcome.message)
    }
    this.retryLater(held)
  }

  private setError(held: Held, reason: string, message: string): void {
    held.lastError = { atMillis: this.options.clock.nowMillis(), source: 'gtfs', reason, message }
  }

  private retryLater(held: Held): void {
    if (this.isClosed) return
    held.timer = setTimeout(() => {
      void this.import(held).then(() => this.options.onChange(toMessage(held)))
    }, held.retryMillis)
    held.retryMillis = Math.min(held.retryMillis * 2, RETRY_LONGEST_MILLIS)
  }
}

function toMessage(held: Held): NetworkMessage {
  return { settings: held.settings, snapshot: held.snapshot, lastError: held.lastError }
}
