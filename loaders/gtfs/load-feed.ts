// Loads a feed file by file. Each file is read after the files that it refers to. Dropped rows and repairs are reported
// as problems; a feed that cannot be served is refused.

import { sealColumn } from '../columns.ts'
import { FeedProblems, FeedRefused } from '../feed-problems.ts'
import { type StringIndex, StringPoolBuilder } from '../strings.ts'
import { loadAgencies } from './agencies.ts'
import { loadAttributions } from './attributions.ts'
import { checkBlocks } from './blocks.ts'
import { loadServices } from './calendars.ts'
import { loadCarriedTables } from './carried-tables.ts'
import type { Feed, FeedSource, FeedTables, RouteTable } from './feed.ts'
import { loadFeedInfo } from './feed-info.ts'
import { loadFrequencies } from './frequencies.ts'
import { loadCalls } from './mend-calls.ts'
import { loadPathways } from './pathways.ts'
import { type LoadedRoutes, loadRoutes } from './routes.ts'
import { loadShapes } from './shapes.ts'
import { loadStops } from './stops.ts'
import type { FeedReading } from './table-reader.ts'
import { loadTransfers } from './transfers.ts'
import { type LoadedTrips, loadTrips } from './trips.ts'

/** Options for loading a feed. */
export interface LoadOptions {
  readonly onProgress?: (file: string, rows: number) => void
  /** IANA time zone to use instead of the agencies' time zones, even if those are invalid or differ. */
  readonly timezone?: string
}

/** A feed and its problems. */
export interface LoadedFeed {
  readonly feed: Feed
  readonly problems: FeedProblems
}

/** Loads a feed. Throws FeedRefused if it cannot be served. */
export async function loadFeed(source: FeedSource, options: LoadOptions = {}): Promise<LoadedFeed> {
  const strings = new StringPoolBuilder()
  const { tables, problems } = await readFeed(source, strings, options)
  return { problems, feed: { ...tables, strings: strings.seal() } }
}

/** Loads a feed into a string pool that other feeds may share. Throws FeedRefused if it cannot be served. */
export async function readFeed(
  source: FeedSource,
  strings: StringPoolBuilder,
  options: LoadOptions,
): Promise<{ readonly tables: FeedTables; readonly problems: FeedProblems }> {
  const problems = new FeedProblems()
  const { onProgress = () => {}, timezone } = options
  try {
    const tables = await readTables({ source, strings, problems, onProgress, timezone })
    return { tables, problems }
  } catch (error) {
    if (error instanceof FeedRefused) error.found = problems.list()
    throw error
  }
}

async function readTables(reading: FeedReading): Promise<FeedTables> {
  const { source, problems } = reading
  reportSubfolder(source, problems)
  const agencies = await loadAgencies(reading)
  const stops = await loadStops(reading)
  const routes = await loadRoutes(reading, agencies)
  const services = await loadServices(reading)
  const shapes = await loadShapes(reading)
  const rawTrips = await loadTrips(reading, { routes: routes.byId, services: services.byId, shapes: shapes.byId })
  const ground = { trips: rawTrips, stops, shapes: shapes.table }
  const { calls, trips, tripOfRow, rowOfTrip, flexTrips } = await loadCalls(reading, ground)
  checkBlocks(reading, {
    trips,
    calls,
    services: services.table,
    lineOf: (trip) => rawTrips.line.at(rowOfTrip[trip]),
  })
  const findTrip = (id: StringIndex) => {
    const row = rawTrips.byId.find(id)
    return row < 0 ? -1 : tripOfRow[row]
  }
  const frequencies = await loadFrequencies(reading, findTrip)
  const transfers = await loadTransfers(reading, { stops, routes: routes.byId, findTrip, trips, calls })
  const pathways = await loadPathways(reading, stops)
  const info = await loadFeedInfo(reading)
  const attributions = await loadAttributions(reading)
  const carried = await loadCarriedTables(reading)
  return {
    stopOffsetOfFeed: [0, stops.table.count],
    agencies: agencies.table,
    stops: stops.table,
    routes: withFlexTrips(routes, rawTrips, flexTrips),
    trips,
    calls,
    services: services.table,
    shapes: shapes.table,
    frequencies,
    transfers,
    pathways,
    info,
    publishers: info === undefined || info.publisherName === '' ? [] : [info.publisherName],
    attributions,
    carried,
  }
}

function reportSubfolder(source: FeedSource, problems: FeedProblems): void {
  if (source.folder === undefined || source.folder === '') return
  const example = 'the files are in a subfolder and were read from there'
  problems.report({
    rule: 'invalid_input_files_in_subfolder',
    file: source.folder,
    line: 0,
    example,
    action: 'repaired',
  })
}

function withFlexTrips(routes: LoadedRoutes, trips: LoadedTrips, flexTrips: ReadonlySet<number>): RouteTable {
  const hasFlexTrips = new Uint8Array(routes.table.count)
  for (const trip of flexTrips) hasFlexTrips[trips.route.at(trip)] = 1
  return { ...routes.table, hasFlexTrips: sealColumn(hasFlexTrips) }
}

/** If a core file loses a larger share of its rows than this, an operator must check the feed. */
const EXCESSIVE_SHARE = 0.05
const CORE_FILES = [
  'agency.txt',
  'stops.txt',
  'routes.txt',
  'trips.txt',
  'stop_times.txt',
  'calendar.txt',
  'calendar_dates.txt',
]

/** The core files that lost more than EXCESSIVE_SHARE of their rows. */
export function excessiveDrops(problems: FeedProblems): { file: string; rows: number; dropped: number }[] {
  return [...problems.files].flatMap(([file, counts]) => {
    // In a network with several feeds, file names start with the label of the feed.
    const isCore = CORE_FILES.includes(file.slice(file.lastIndexOf('/') + 1))
    return isCore && counts.dropped > counts.rows * EXCESSIVE_SHARE ? [{ file, ...counts }] : []
  })
}
