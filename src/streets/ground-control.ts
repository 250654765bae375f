// Manages the explorer's base map on the control thread. After the streets have changed, a child process makes a new
// map file. The explorer serves the file at `GroundControl.path`. If making the map fails, nothing else is affected.

import type { Config } from '../config/config.ts'
import { runChildJob } from '../system/child-job.ts'
import { Rerun } from '../system/rerun.ts'
import type { GroundReport } from './ground-import.ts'
import { dropDamagedGrounds, dropOldGrounds, groundName, listGrounds } from './ground-store.ts'
import type { OpenedStreets } from './street-store.ts'
import { groundOrder } from './streets-order.ts'

type GroundConfig = Pick<Config, 'dataDir' | 'streets' | 'ground'>

/** The state of the base map, for operators. */
export interface GroundState {
  readonly path: string | undefined
  readonly bytes: number | undefined
  readonly problem: string | undefined
  readonly warnings: readonly string[]
}

/** Keeps the base map up to date. */
export class GroundControl {
  /** The served file; undefined if there is none. */
  path: string | undefined
  private config: GroundConfig
  private readonly log: (line: string) => void
  private report: GroundReport | undefined
  private readonly making = new Rerun((begin) => this.make(begin))

  constructor(config: GroundConfig, log: (line: string) => void) {
    this.config = config
    this.log = log
  }

  /** The state of the base map, for operators; undefined if no base map is configured. */
  get state(): GroundState | undefined {
    const { config, path, report } = this
    if (config.ground === undefined) return undefined
    const isCurrent = report?.path === path
    return {
      path,
      bytes: isCurrent ? report?.bytes : undefined,
      problem: report?.problem?.message,
      warnings: report?.warnings ?? [],
    }
  }

  /** Finds a map to serve: preferably the map made from these streets, otherwise a map made from earlier streets. */
  find(config: GroundConfig, streets: OpenedStreets | undefined): void {
    this.config = config
    const { ground, dataDir } = config
    if (ground === undefined || streets === undefined) {
      this.path = undefined
      return
    }
    for (const line of dropDamagedGrounds(dataDir)) this.log(`map: ${line}`)
    const name = groundName(streets.meta, ground.hasBuildings)
    const paths = listGrounds(dataDir)
    const before = paths.find((path) => path === this.path)
    this.path = paths.find((path) => path.endsWith(name)) ?? before ?? paths[0]
  }

  /** Makes the map from the newest streets, unless that map exists. Never throws. */
  async refresh(): Promise<void> {
    if (this.config.ground !== undefined && this.config.streets.length > 0) await this.making.request()
  }

  private async make(begin: () => void): Promise<void> {
    begin()
    const { config } = this
    const order = groundOrder(config)
    if (order === undefined) return
    const report = await makeInChild(order)
    this.report = report
    if (report.problem !== undefined) this.log(`map: ${report.problem.message}`)
    if (report.path === undefined) return
    // The previous file is kept too, because open pages still read it.
    dropOldGrounds(config.dataDir, [report.path, this.path])
    this.path = report.path
    if (report.outcome !== 'imported') return
    for (const warning of report.warnings) this.log(`map: ${warning}`)
    this.log(`map: ${(report.bytes / 1e6).toFixed(1)} MB built in ${report.seconds.toFixed(1)} s`)
  }
}

async function makeInChild(order: NonNullable<ReturnType<typeof groundOrder>>): Promise<GroundReport> {
  const failed = (message: string): GroundReport => {
    const problem = { reason: 'ground_import_failed', message, isPassing: true }
    return { outcome: 'failed', path: undefined, bytes: 0, problem, warnings: [], seconds: 0 }
  }
  try {
    const result = await runChildJob('ground-child', order)
    if (result.kind === 'failed') return failed(result.message)
    const report: GroundReport = JSON.parse(result.line) // written by `runStreetJob` in a child process of this program
    return report
  } catch (error) {
    return failed(`starting the import failed: ${error instanceof Error ? error.message : String(error)}`)
  }
}
