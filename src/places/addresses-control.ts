// Manages the addresses on the control thread. Imports them when their sources change, or fetches the files that
// another replica has imported. Then passes them to the data threads.
import type { Config } from '../config/config.ts'
import type { LastError } from '../networks/network.ts'
import { SHARED_ADDRESSES, type Sharer, type SnapshotExchange, sharedTimetable } from '../networks/snapshot-exchange.ts'
import type { Clock } from '../system/clock.ts'
import { Rerun } from '../system/rerun.ts'
import { openAddresses } from './address-store.ts'
import { prepareAddresses, presentAddresses } from './prepared-addresses.ts'
import type { AddressesMessage } from './served-addresses.ts'

/** Reason code of the error that is reported if the addresses cannot be imported. */
const FAILED = 'addresses_import_failed'

/** An empty report, used if another replica imported the addresses. */
const NOTHING = { summary: '', problems: [] }

/** What `AddressesControl` needs. */
export interface AddressesControlOptions {
  readonly config: Pick<Config, 'addresses' | 'dataDir' | 'networks'>
  readonly clock: Clock
  /**
   * Serves new addresses on every data thread. Resolves to an error message if they cannot be served, otherwise to
   * undefined.
   */
  readonly onChange: (addresses: AddressesMessage) => Promise<string | undefined>
  /** Logs a problem. */
  readonly log: (line: string) => void
  /** Logs the result of an import. */
  readonly welcome: (line: string) => void
  /** Only in a cluster, where one replica imports and the other replicas fetch its files. */
  readonly exchange?: SnapshotExchange | undefined
}

/** Keeps the addresses up to date. */
export class AddressesControl implements Sharer {
  private readonly options: AddressesControlOptions
  private readonly importing = new Rerun((begin) => this.import(begin))
  private servedId: string | undefined
  private lastError: LastError | undefined

  constructor(options: AddressesControlOptions) {
    this.options = options
  }

  /** The names of the shared address files; empty if no addresses are configured. */
  get sharedNames(): readonly string[] {
    return this.options.config.addresses.length === 0 ? [] : [SHARED_ADDRESSES.name]
  }

  /** The addresses on this machine, with which the data threads start. */
  present(): AddressesMessage | undefined {
    const message = presentAddresses(this.options.config)
    this.servedId = message && openAddresses(message.path)?.id
    return message
  }

  /** Imports the addresses if their sources have changed. Never throws. */
  async refresh(): Promise<void> {
    if (this.options.config.addresses.length > 0) await this.importing.request()
  }

  async recheck(): Promise<void> {
    await this.refresh()
  }

  /** Serves the addresses on disk, unless they are already served. Resolves to an error message if that fails. */
  async serveShared(): Promise<string | undefined> {
    const message = presentAddresses(this.options.config)
    const id = message && openAddresses(message.path)?.id
    if (message === undefined || id === this.servedId) return undefined
    const problem = await this.options.onChange(message)
    if (problem === undefined) this.servedId = id
    return problem
  }

  /**
   * Makes this replica show the error that the importing replica reports. @param error undefined if the import
   * succeeded
   */
  async showError(_: string, error: LastError | undefined): Promise<void> {
    if (Bun.deepEquals(this.lastError, error)) return
    this.lastError = error
    if (error !== undefined) this.options.log(error.message)
  }

  private async import(begin: () => void): Promise<void> {
    begin()
    const { config, exchange, log, welcome } = this.options
    try {
      const obtained = await exchange?.obtain(SHARED_ADDRESSES, true)
      const isHere = obtained === undefined || obtained === 'import'
      const { summary, problems } = isHere ? await prepareAddresses(config) : NOTHING
      if (isHere) await this.share(summary === '' ? problems[0] : undefined)
      const problem = await this.serveShared()
      if (summary !== '') welcome(summary) // logged only after the addresses are served
      for (const line of problems) log(line)
      if (problem !== undefined) log(`addresses: ${problem}`)
    } catch (error) {
      log(`addresses: import failed: ${error instanceof Error ? error.message : String(error)}`)
    }
  }

  /**
   * In a cluster, shares the files that this replica has imported. The stop indexes, which contain the new towns, are
   * shared before the addresses. A replica that serves the new addresses therefore already has the new stop indexes.
   */
  private async share(failure: string | undefined): Promise<void> {
    const { config, clock, exchange, log } = this.options
    if (exchange === undefined) return
    this.lastError = failure === undefined ? undefined : toError(failure, clock)
    await exchange.announceError(SHARED_ADDRESSES, this.lastError)
    if (failure !== undefined) return
    for (const { id } of config.networks) {
      const unshared = await exchange.offer(sharedTimetable(id))
      if (unshared !== undefined) log(`${id}: its stops cannot be shared with other replicas: ${unshared}`)
    }
    const unshared = await exchange.offer(SHARED_ADDRESSES)
    if (unshared !== undefined) log(`addresses cannot be shared with other replicas: ${unshared}`)
  }
}

function toError(message: string, clock: Clock): LastError {
  return { atMillis: clock.nowMillis(), source: 'addresses', reason: FAILED, message }
}
