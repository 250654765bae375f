// `quai import`: builds missing or outdated snapshots, with progress and a summary.
import { writeFileSync } from 'node:fs'
import { Listr } from 'listr2'
import { FeedRefused } from '../../loaders/feed-problems.ts'
import type { Config } from '../config/config.ts'
import { connectControl } from '../control/control-socket.ts'
import { BackgroundImports } from '../imports/background-imports.ts'
import { type ImportOrder, type ImportProgress, importNetwork } from '../imports/import-network.ts'
import { emptyReport, type ImportReport } from '../imports/import-report.ts'
import { layoutRulesOf } from '../journeys/layout-files.ts'
import { importAddresses } from '../places/address-store.ts'
import { refreshStops, toWorded, wordsOfNetwork } from '../places/stop-store.ts'
import { DownloadFailed } from '../sources/download-failed.ts'
import { nameSource } from '../sources/feed-sources.ts'
import { type GroundReport, importGround } from '../streets/ground-import.ts'
import { importStreets } from '../streets/street-import.ts'
import type { StreetReport } from '../streets/street-report.ts'
import { groundOrder, streetOrder } from '../streets/streets-order.ts'
import type { Clock } from '../system/clock.ts'
import { isErrno } from '../system/errno.ts'
import { refuseOtherOwner } from '../system/folder-owner.ts'
import { toPrintable } from './printable.ts'

/** Options of `quai import`. */
export interface ImportOptions {
  /** Network ids; empty for all configured networks. */
  readonly networks: readonly string[]
  readonly force: boolean
  /** Path of the file to which all import reports are written as JSON. */
  readonly report: string | undefined
  /** Whether to print one JSON line per network instead of the summary. */
  readonly json: boolean
}

/** Maximum number of problems that the summary of an import lists. The report file lists all of them. */
const PROBLEMS_SHOWN = 8

/** Exit status if an import failed. */
const REFUSED = 1
/** Exit status for an invalid command line. */
const USAGE = 2

function importOrder(config: Config, network: Config['networks'][number], force: boolean): ImportOrder {
  const { dataDir, addresses } = config
  const { id, gtfs: feeds, timezone, journeys, streets } = network
  const stopWords = wordsOfNetwork(network)
  const hasAddresses = addresses.length > 0
  const layoutRules = layoutRulesOf(journeys, streets)
  return { network: id, feeds, timezone, dataDir, hasAddresses, stopWords, layoutRules, force }
}

/** Runs the command and returns the exit status. */
export async function runImport(config: Config, options: ImportOptions, clock: Clock): Promise<number> {
  const unknown = options.networks.filter((id) => !config.networks.some((network) => network.id === id))
  if (unknown.length > 0) {
    const known = config.networks.map((network) => network.id).join(', ')
    console.error(`quai import: unknown network "${unknown[0]}"; the configuration has: ${known || 'none'}`)
    return USAGE
  }
  if (config.networks.length === 0) {
    console.error('quai import: the configuration has no [[networks]]; add at least one')
    return USAGE
  }
  refuseOtherOwner(config.dataDir)
  const chosen = config.networks.filter(
    (network) => options.networks.length === 0 || options.networks.includes(network.id),
  )
  // Addresses are imported first, because a network import uses them to find the town of each stop.
  const isOfAll = options.networks.length === 0
  const addressFailures = isOfAll ? await bringAddresses(config, options.json) : []
  const reports: ImportReport[] = []
  const failures: string[] = []
  const beside = chosen.length > 1 ? new BackgroundImports() : undefined
  const tasks = chosen.map((network) => ({
    title: network.id,
    task: async (_context: unknown, task: { output: string; title: string }) => {
      const order = importOrder(config, network, options.force)
      const onProgress: ImportProgress = (step, detail) => {
        task.output = `${step} ${detail}`
      }
      const report = await (beside === undefined
        ? importNetwork(order, clock, { onProgress })
        : importBeside(beside, order, onProgress))
      reports.push(report)
      task.title = headline(report)
      if (report.refusal !== undefined) throw new Error(`${network.id}: ${report.refusal}`)
    },
  }))
  const runner = new Listr(tasks, {
    concurrent: true, // all downloads run at once, and as many builds as cores and memory allow
    exitOnError: false,
    collectErrors: true,
    renderer: options.json ? 'silent' : process.stderr.isTTY ? 'default' : 'silent',
  })
  await runner.run()
  beside?.close()
  const place = ({ network }: ImportReport) => chosen.findIndex(({ id }) => id === network)
  reports.sort((a, b) => place(a) - place(b))
  for (const error of runner.errors ?? []) failures.push(error.message)
  for (const report of reports) console.log(options.json ? JSON.stringify(report) : summarize(report))
  failures.push(...(await showServer(config, reports)))
  failures.push(...addressFailures)
  if (isOfAll) failures.push(...(await bringStreets(config, options.json)))
  for (const failure of failures) console.error(`quai import: ${toPrintable(failure)}`)
  if (options.report !== undefined) writeFileSync(options.report, `${JSON.stringify(reports, null, 2)}\n`)
  return failures.length > 0 ? REFUSED : 0
}

/** Runs one import in a separate process, in parallel with other imports. */
async function importBeside(
  imports: BackgroundImports,
  order: ImportOrder,
  onProgress: ImportProgress,
): Promise<ImportReport> {
  const name = order.feeds.map(({ source }) => nameSource(source)).join(', ')
  onProgress('waiting', name)
  const outcome = await imports.run(order, { onBegin: () => onProgress('reading', name) })
  if (outcome.report !== undefined) return outcome.report
  const { reason, message } = outcome.kind === 'failed' ? outcome : { reason: undefined, message: undefined }
  return { ...emptyReport(order.network, name), outcome: outcome.kind, refusal: message, reason }
}

/**
 * Imports the configured addresses if they changed. A running server loads them at its next start. Returns one sentence
 * for each failure.
 */
async function bringAddresses({ dataDir, addresses, networks }: Config, isQuiet: boolean): Promise<string[]> {
  if (addresses.length === 0) return []
  try {
    const sources = addresses.map(({ source }) => source)
    const { outcome, houseCount, problems } = await importAddresses({ dataDir, sources })
    if (outcome === 'imported') refreshStops(dataDir, networks.map(toWorded))
    if (isQuiet) return []
    console.log(`addresses: ${number(houseCount)} ${outcome === 'imported' ? 'imported' : 'up to date'}`)
    for (const { rule, file, line, count, action } of problems) {
      console.log(toPrintable(`  ${rule} ×${number(count)} ${action} (${file}:${line})`))
    }
    return []
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const isExpected = error instanceof FeedRefused || error instanceof DownloadFailed
    if (isExpected || isErrno(error, 'ENOENT', 'EACCES')) return [`addresses: ${error.message}`]
    throw error
  }
}

/**
 * Imports the configured OpenStreetMap extracts if they changed, connects the networks' stops to the streets, and
 * builds the base map. Returns one sentence for each failure.
 */
async function bringStreets(config: Config, isQuiet: boolean): Promise<string[]> {
  if (config.streets.length === 0) return []
  const report = await importStreets(streetOrder(config))
  const order = groundOrder(config)
  const ground = order === undefined ? undefined : await importGround(order)
  if (!isQuiet) {
    for (const line of describeStreets(report)) console.log(toPrintable(line))
    for (const line of describeGround(ground)) console.log(toPrintable(line))
  }
  return [
    ...(report.problem === undefined ? [] : [`streets: ${report.problem.message}`]),
    ...(ground?.problem === undefined ? [] : [`map: ${ground.problem.message}`]),
  ]
}

function describeGround(ground: GroundReport | undefined): string[] {
  if (ground?.path === undefined) return []
  const how = ground.outcome === 'imported' ? `built in ${ground.seconds.toFixed(1)} s` : 'kept'
  const size = `${(ground.bytes / 1e6).toFixed(1)} MB`
  return [`map: ${size} ${how}`, ...ground.warnings.map((warning) => `  warning: ${warning}`)]
}

function describeStreets({ outcome, streets, networks, seconds }: StreetReport): string[] {
  if (streets === undefined) return []
  const how = outcome === 'imported' ? `read in ${seconds.toFixed(1)} s` : 'kept'
  return [
    `streets: ${number(Math.round(streets.kilometers))} km ${how}`,
    ...networks.flatMap(({ id, linkedStops, unlinkedStops, unlinkedIds, warnings }) => [
      `  ${id}: ${number(linkedStops)} of ${number(linkedStops + unlinkedStops)} stops on streets`,
      ...(unlinkedStops > 0
        ? [`  ${id}: not on streets: ${unlinkedIds.join(', ')}${unlinkedStops > unlinkedIds.length ? ' …' : ''}`]
        : []),
      ...warnings.map((warning) => `  warning: ${id}: ${warning}`),
    ]),
  ]
}

/** Makes a running server load the imported snapshots. Returns one sentence for each failure. */
async function showServer(config: Config, reports: readonly ImportReport[]): Promise<string[]> {
  const imported = reports.filter(({ outcome }) => outcome === 'imported')
  const server = imported.length === 0 ? undefined : await connectControl(config.dataDir)
  const failures: string[] = []
  for (const { network } of server === undefined ? [] : imported) {
    const { problem } = (await server?.refreshNetwork({ network })) ?? {}
    if (problem !== undefined)
      failures.push(`${network}: the running server could not load the new snapshot: ${problem}`)
  }
  return failures
}

function headline(report: ImportReport): string {
  if (report.refusal !== undefined) return `${report.network}: ${report.outcome}`
  if (report.outcome === 'up_to_date') return `${report.network}: up to date`
  return `${report.network}: ${number(report.counts['stopTimes'] ?? 0)} stop times in ${report.seconds.toFixed(1)} s`
}

function number(value: number): string {
  return value.toLocaleString('en-US').replaceAll(',', ' ')
}

/** The summary of an import: lines of plain text, without a newline at the end. */
export function summarize(report: ImportReport): string {
  const lines = [headline(report)]
  if (report.refusal !== undefined) return lines.concat(`  ${toPrintable(report.refusal)}`).join('\n')
  const { counts } = report
  lines.push(
    `  ${['lines', 'stops', 'areas', 'trips', 'patterns', 'shapes'].map((name) => `${number(counts[name] ?? 0)} ${name}`).join(', ')}`,
    report.firstDate === '' ? '  no service on any day' : `  service from ${report.firstDate} to ${report.lastDate}`,
    `  ${number(report.snapshotBytes)} bytes in ${report.snapshotPath}`,
  )
  for (const [file, { rows, dropped }] of Object.entries(report.files)) {
    if (dropped > 0) lines.push(`  ${file}: ${number(dropped)} of ${number(rows)} rows dropped`)
  }
  for (const problem of report.problems.slice(0, PROBLEMS_SHOWN)) {
    const at = problem.line > 0 ? `${problem.file}:${problem.line}` : problem.file
    lines.push(
      `  ${problem.severity} ${problem.rule} ×${number(problem.count)} ${problem.action} (${at} ${problem.field} "${problem.example}")`,
    )
  }
  const hidden = report.problems.length - PROBLEMS_SHOWN
  if (hidden > 0) lines.push(`  … and ${hidden} more kinds of problem: see --report`)
  for (const warning of report.warnings) lines.push(`  warning: ${warning}`)
  return lines.map(toPrintable).join('\n')
}
