// routes.txt: the routes, which riders see as lines.
import { GrowingColumn, sealColumns } from '../columns.ts'
import type { LoadedAgencies } from './agencies.ts'
import { NO_SORT_ORDER, type RouteTable } from './feed.ts'
import { type FeedReading, RowsById, readTable, refuse, type TableRow } from './table-reader.ts'

const FILE = 'routes.txt'
const COLUMNS = [
  'route_id',
  'agency_id',
  'route_short_name',
  'route_long_name',
  'route_type',
  'route_color',
  'route_text_color',
  'route_sort_order',
  'network_id',
] as const

const WHITE = 0xffffff
const BLACK = 0x000000
const COLOR = /^#?([0-9a-fA-F]{6})$/

/** The routes, and their row numbers by id. load-feed.ts adds the column `hasFlexTrips`, which depends on trips. */
export interface LoadedRoutes {
  readonly table: Omit<RouteTable, 'hasFlexTrips'>
  readonly byId: RowsById
}

/** Reads routes.txt. Throws FeedRefused if it is missing or has no usable row. */
export async function loadRoutes(reading: FeedReading, agencies: LoadedAgencies): Promise<LoadedRoutes> {
  const id = new GrowingColumn(Uint32Array)
  const agency = new GrowingColumn(Uint32Array)
  const shortName = new GrowingColumn(Uint32Array)
  const longName = new GrowingColumn(Uint32Array)
  const type = new GrowingColumn(Uint16Array)
  const color = new GrowingColumn(Uint32Array)
  const textColor = new GrowingColumn(Uint32Array)
  const sortOrder = new GrowingColumn(Uint32Array)
  const networkId = new GrowingColumn(Uint32Array)
  const byId = new RowsById()
  const isThere = await readTable(
    reading,
    { file: FILE, columns: COLUMNS, required: ['route_id', 'route_type'] },
    (row) => {
      if (row.lacks('route_id', 'route_type')) return
      const routeId = row.string('route_id')
      const routeType = row.integer('route_type')
      if (byId.find(routeId) >= 0) return row.drop('duplicate_key', 'route_id')
      if (Number.isNaN(routeType)) return row.drop('invalid_integer', 'route_type')
      if (routeType < 0 || routeType > 0xffff) return row.drop('number_out_of_range', 'route_type')
      byId.add(routeId, id.length)
      id.push(routeId)
      agency.push(findAgency(row, agencies))
      if (row.isEmpty('route_short_name') && row.isEmpty('route_long_name')) {
        row.repair('route_both_short_and_long_name_missing', 'route_id')
        shortName.push(routeId)
      } else shortName.push(row.string('route_short_name'))
      longName.push(row.string('route_long_name'))
      type.push(routeType)
      color.push(readColor(row, 'route_color', WHITE))
      textColor.push(readColor(row, 'route_text_color', BLACK))
      sortOrder.push(row.choice('route_sort_order', { min: 0, max: NO_SORT_ORDER, fallback: NO_SORT_ORDER }))
      networkId.push(row.string('network_id'))
    },
  )
  if (!isThere) refuse(FILE, { rule: 'missing_required_file', example: FILE })
  if (id.length === 0) refuse(FILE, { rule: 'empty_file', example: 'no usable route' })
  return {
    byId,
    table: {
      count: id.length,
      ...sealColumns<Omit<RouteTable, 'count' | 'hasFlexTrips'>>({
        id,
        agency,
        shortName,
        longName,
        type,
        color,
        textColor,
        sortOrder,
        networkId,
      }),
    },
  }
}

function findAgency(row: TableRow<(typeof COLUMNS)[number]>, agencies: LoadedAgencies): number {
  const agency = agencies.byId.find(row.string('agency_id'))
  if (agency >= 0) return agency
  if (!row.isEmpty('agency_id')) row.repair('foreign_key_violation', 'agency_id')
  else if (agencies.table.count > 1) row.repair('missing_required_agency_id', 'agency_id')
  return 0
}

function readColor(
  row: TableRow<(typeof COLUMNS)[number]>,
  name: 'route_color' | 'route_text_color',
  fallback: number,
): number {
  if (row.isEmpty(name)) return fallback
  const digits = COLOR.exec(row.text(name))?.[1]
  if (digits !== undefined) return Number.parseInt(digits, 16)
  row.repair('invalid_color', name)
  return fallback
}
