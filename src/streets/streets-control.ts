// Manages the streets on the control thread: finds the graph and links on disk, and publishes them with each network. A
// child process updates the streets when extracts, stops or settings change. After a failure, the previous streets are
// kept.
import type { StreetMeta } from '../../indexes/streets/street-graph.ts'
import type { Config } from '../config/config.ts'
import { SourceWatch } from '../imports/source-watch.ts'
import type { LastError } from '../networks/network.ts'
import type { NetworkMessage } from '../networks/network-messages.ts'
import { SHARED_STREETS, type Sharer, type SnapshotExchange } from '../networks/snapshot-exchange.ts'
import { findSnapshot } from '../networks/snapshot-store.ts'
import { nameSource } from '../sources/feed-sources.ts'
import { isWebAddress, stampSources } from '../sources/source-stamp.ts'
import { runChildJob } from '../system/child-job.ts'
import type { Clock } from '../system/clock.ts'
import { Rerun } from '../system/rerun.ts'
import { readJsonFile } from '../system/whole-file.ts'
import { GroundControl, type GroundState } from './ground-control.ts'
import { describeLinks, type LinkedNetwork, type StreetReport } from './street-report.ts'
import { findLinks, findStreets, type OpenedStreets, streetReportPath } from './street-store.ts'
import { streetOrder } from './streets-order.ts'

/** Delay before a failed download is tried again. It doubles after each failure, up to the maximum. */
const RETRY_SHORTEST_MILLIS = 30_000
const RETRY_LONGEST_MILLIS = 15 * 60_000
/** Interval at which extracts on the web are checked. They are published at most once a day. */
const WEB_SECONDS = 86_400
/** Error reason if the child process fails without a report. */
const FAILED = 'streets_import_failed'

type StreetConfig = Pick<Config, 'dataDir' | 'streets' | 'networks' | 'ground'>

/** Dependencies of StreetsControl. */
export interface StreetsControlOptions {
  readonly config: StreetConfig
  readonly clock: Clock
  /** Publishes every network again. */
  readonly onChange: () => Promise<unknown>
  /** Writes one line to the log, for the operator. */
  readonly log: (line: string) => void
  /** Only in a cluster, where one replica imports the streets and the other replicas fetch them. */
  readonly exchange?: SnapshotExchange | undefined
}

/** A network and its snapshot. The network is served with links only if they were made for this snapshot. */
export interface LinkedSnapshot {
  readonly network: string
  /** Id of the snapshot; undefined if the network has none. */
  readonly snapshot: string | undefined
}

/** The state of the streets, for operators. */
export interface StreetsState {
  /** The extracts, as names without secrets. */
  readonly sources: readonly string[]
  /** Metadata of the graph; undefined if there is none. */
  readonly meta: StreetMeta | undefined
  /** The networks whose stops were linked by the last import. */
  readonly networks: readonly LinkedNetwork[]
  readonly lastError: LastError | undefined
  /** The base map made from the same extracts; undefined if none is configured. */
  readonly ground: GroundState | undefined
}

/** Keeps the streets up to date. */
export class StreetsControl implements Sharer {
  readonly ground: GroundControl
  private readonly options: StreetsControlOptions
  private config: StreetConfig
  private current: OpenedStreets | undefined
  private lastError: LastError | undefined
  private lastReport: StreetReport | undefined
  private readonly importing = new Rerun((begin) => this.import(begin))
  private watches: readonly SourceWatch[] = []
  private importedStamp = ''
  private retryMillis = RETRY_SHORTEST_MILLIS
  private retryTimer: ReturnType<typeof setTimeout> | undefined
  private isWatching = false
  private isClosed = false

  constructor(options: StreetsControlOptions) {
    this.options = options
    this.config = options.config
    this.ground = new GroundControl(options.config, options.log)
  }

  /** Finds streets on disk that can be served without an import. */
  open(): void {
    this.current = this.config.streets.length === 0 ? undefined : findStreets(this.config.dataDir)
    this.ground.find(this.config, this.current)
  }

  /** The state for operators; undefined if no extract is configured. */
  get state(): StreetsState | undefined {
    const { config, current, lastError, lastReport } = this
    if (config.streets.length === 0) return undefined
    const report: StreetReport | undefined = lastReport ?? readJsonFile(streetReportPath(config.dataDir))
    const sources = config.streets.map(({ source }) => nameSource(source))
    return { sources, meta: current?.meta, networks: report?.networks ?? [], lastError, ground: this.ground.state }
  }

  /** The street members of the message about a network. */
  membersOf({ network, snapshot }: LinkedSnapshot): Pick<NetworkMessage, 'streets' | 'streetsError'> {
    const settings = this.config.networks.find(({ id }) => id === network)
    if (settings?.streets !== true) return {}
    const { current, lastError: streetsError } = this
    if (current === undefined || snapshot === undefined) return { streetsError }
    const { transferWalkMeters } = settings.journeys
    const links = findLinks(this.config.dataDir, network, { graph: current.id, snapshot, transferWalkMeters })
    const attribution = this.config.streets.map((each) => each.attribution).filter((line) => line !== '')
    return {
      streets: { graph: current.path, links: links?.path, attribution: [...new Set(attribution)] },
      streetsError,
    }
  }

  /**
   * Watches the extracts, and imports the streets when an extract changes.
   * @param ready resolves when there are stops to link
   */
  async watch(ready: Promise<void>): Promise<void> {
    await ready
    this.isWatching = true
    this.watchSources()
    await this.refresh()
  }

  /** Imports the streets in a child process, if they are not up to date. Never throws. */
  async refresh(): Promise<void> {
    if (this.isWatching && this.config.streets.length > 0 && !this.isClosed) await this.importing.request()
  }

  /** The names of the street data that replicas share; empty if no extract is configured. */
  get sharedNames(): readonly string[] {
    return this.config.streets.length === 0 ? [] : [SHARED_STREETS.name]
  }

  /** Serves the streets that another replica has made. */
  async serveShared(): Promise<undefined> {
    const before = this.current?.id
    this.current = findStreets(this.config.dataDir)
    const networks = this.listLinked()
    const isChanged = this.current?.id !== before || !Bun.deepEquals(networks, this.lastReport?.networks)
    this.lastReport = { outcome: 'up_to_date', problem: undefined, streets: undefined, networks, seconds: 0 }
    if (isChanged) await this.options.onChange()
    void this.ground.refresh()
  }

  async recheck(): Promise<void> {
    await this.refresh()
  }

  /** Keeps the error of the last import on the replica that runs imports, to show it to operators. */
  async showError(_: string, error: LastError | undefined): Promise<void> {
    if (Bun.deepEquals(this.lastError, error)) return
    this.lastError = error
    await this.options.onChange()
  }

  /** Applies changed settings. The caller has to publish the networks again. */
  async reload(config: StreetConfig): Promise<void> {
    const isSame = Bun.deepEquals(this.config.streets, config.streets)
    this.config = config
    this.ground.find(config, this.current)
    if (isSame) {
      // The extracts are the same, so only the base map may have to be made again.
      void this.ground.refresh()
      return
    }
    await this.options.exchange?.begin(SHARED_STREETS.kind, this.sharedNames)
    this.lastError = undefined
    this.current = config.streets.length === 0 ? undefined : (this.current ?? findStreets(config.dataDir))
    this.ground.find(config, this.current)
    this.watchSources()
  }

  close(): void {
    this.isClosed = true
    clearTimeout(this.retryTimer)
    for (const watch of this.watches) watch.close()
  }

  private watchSources(): void {
    for (const watch of this.watches) watch.close()
    const sources = this.config.streets.map(({ source }) => source)
    const order = { importedStamp: () => this.importedStamp, onChange: () => void this.refresh() }
    const onProblem = (problem: string | undefined) => {
      if (problem !== undefined) this.options.log(`streets: ${problem}; retrying`)
    }
    this.watches = [
      new SourceWatch({
        ...order,
        onProblem,
        sources: sources.filter((source) => !isWebAddress(source)),
        refreshSeconds: undefined,
      }),
      new SourceWatch({ ...order, onProblem, sources: sources.filter(isWebAddress), refreshSeconds: WEB_SECONDS }),
    ]
  }

  private async import(begin: () => void): Promise<void> {
    begin()
    clearTimeout(this.retryTimer)
    if (this.isClosed || this.config.streets.length === 0) return
    const { exchange } = this.options
    const order = streetOrder(this.config)
    this.importedStamp = stampSources(order.sources)
    const obtained = await exchange?.obtain(SHARED_STREETS, true)
    if (obtained !== undefined && obtained !== 'import') return void (await this.serveShared())
    const errorBefore = this.lastError
    const report = await this.importInChild(order)
    if (this.isClosed || order.sources.length !== this.config.streets.length) return
    this.lastReport = report
    const { problem, streets } = report
    const unshared = problem === undefined ? await exchange?.offer(SHARED_STREETS) : undefined
    if (unshared !== undefined) this.options.log(`streets cannot be shared with other replicas: ${unshared}`)
    const isNew = streets !== undefined && streets.path !== this.current?.path
    if (isNew) this.current = findStreets(this.config.dataDir)
    this.lastError = problem && { atMillis: this.options.clock.nowMillis(), source: 'streets', ...problem }
    if (this.lastError !== errorBefore) await exchange?.announceError(SHARED_STREETS, this.lastError)
    if (problem?.isPassing === true || unshared !== undefined) this.retryLater()
    else this.retryMillis = RETRY_SHORTEST_MILLIS
    for (const line of linesOf(report)) this.options.log(`streets: ${line}`)
    const isChanged = isNew || report.networks.some((network) => network.isNew) || this.lastError !== errorBefore
    if (isChanged) await this.options.onChange()
    void this.ground.refresh()
  }

  private async importInChild(order: ReturnType<typeof streetOrder>): Promise<StreetReport> {
    const failed = (message: string): StreetReport => {
      const problem = { reason: FAILED, message, isPassing: true }
      return { outcome: 'failed', problem, streets: undefined, networks: [], seconds: 0 }
    }
    try {
      const result = await runChildJob('streets-child', order)
      return result.kind === 'done' ? (JSON.parse(result.line) as StreetReport) : failed(result.message)
    } catch (error) {
      return failed(`starting the import failed: ${error instanceof Error ? error.message : String(error)}`)
    }
  }

  /** Describes the links from each network's stops to the current graph. */
  private listLinked(): LinkedNetwork[] {
    const { current, config } = this
    if (current === undefined) return []
    return config.networks.flatMap(({ id, streets, journeys: { transferWalkMeters } }) => {
      const snapshot = streets ? findSnapshot(config.dataDir, id).found?.loaded.snapshot.id : undefined
      if (snapshot === undefined) return []
      const links = findLinks(config.dataDir, id, { graph: current.id, snapshot, transferWalkMeters })
      return links === undefined ? [] : [describeLinks(id, { ...links, isNew: false })]
    })
  }

  private retryLater(): void {
    this.retryTimer = setTimeout(() => void this.refresh(), this.retryMillis)
    this.retryMillis = Math.min(this.retryMillis * 2, RETRY_LONGEST_MILLIS)
  }
}

/** The log lines for a report: what changed, and warnings for operators. */
function linesOf({ outcome, problem, streets, networks, seconds }: StreetReport): string[] {
  const warnings = networks.flatMap((network) => network.warnings.map((warning) => `${network.id}: ${warning}`))
  if (problem !== undefined) return [problem.message, ...warnings]
  if (outcome !== 'imported' || streets === undefined) return []
  return [`${Math.round(streets.kilometers)} km read in ${seconds.toFixed(1)} s`, ...warnings]
}
