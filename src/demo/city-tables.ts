// The demo city as GTFS files. Each file is a stream of chunks, so that cities of any size can be written.
import { formatDate, listExceptions, SERVICES, type ServiceWindow, WEEKDAYS_OF } from './calendar.ts'
import { CITY_NAME } from './city-names.ts'
import type { Departures } from './departures.ts'
import type { Pattern } from './patterns.ts'
import { OPERATORS, type RosterLine } from './roster.ts'
import type { ListedStops } from './stop-list.ts'
import { toDegrees } from './terrain.ts'

/** One file of the feed. */
export interface CityFile {
  /** Name of the file, such as `stops.txt`. */
  readonly name: string
  /**
   * Yields the contents of the file, in chunks of at most a few hundred kilobytes. Can be called again, with the same
   * result.
   */
  chunks(): Iterable<string>
}

/** The data from which the GTFS tables are written. */
export interface CityParts {
  readonly seed: number
  readonly window: ServiceWindow
  readonly roster: readonly RosterLine[]
  readonly stops: ListedStops
  readonly patterns: readonly Pattern[]
  readonly departures: Departures
}

/** Mode → GTFS route_type. */
const ROUTE_TYPES: Readonly<Record<RosterLine['mode'], number>> = { tram: 0, metro: 1, bus: 3, ferry: 4 }
const ROWS_PER_CHUNK = 4000
/** The city's time zone. */
export const TIMEZONE = 'Europe/Paris'
const PUBLISHER_URL = 'https://valmont.example/'

/** A file with a header and rows. */
export function toFile(name: string, header: string, rows: () => Iterable<string>): CityFile {
  return {
    name,
    *chunks() {
      let chunk = `${header}\n`
      let count = 0
      for (const row of rows()) {
        chunk += `${row}\n`
        if (++count % ROWS_PER_CHUNK !== 0) continue
        yield chunk
        chunk = ''
      }
      if (chunk !== '') yield chunk
    },
  }
}

/** A row of a CSV file. Fields are quoted if necessary. */
export function toRow(...fields: readonly (string | number)[]): string {
  return fields
    .map((field) => (typeof field === 'string' && /[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field))
    .join(',')
}

/** The route_id of a line: the line's id without spaces. */
export function toRouteId(line: RosterLine): string {
  return line.id.replaceAll(' ', '')
}

/** The small tables: agencies, lines, calendars, fares. */
export function listPlanTables(parts: CityParts): CityFile[] {
  const { roster, window } = parts
  const start = formatDate(window.firstDay)
  const end = formatDate(window.firstDay + window.dayCount - 1)
  return [
    toFile('agency.txt', 'agency_id,agency_name,agency_url,agency_timezone,agency_lang,agency_phone', () =>
      OPERATORS.map(({ id, name, url, phone }) => toRow(id, name, url, TIMEZONE, 'fr', phone)),
    ),
    toFile(
      'routes.txt',
      'route_id,agency_id,route_short_name,route_long_name,route_type,route_color,route_text_color,route_sort_order',
      () =>
        roster.map((line, index) =>
          toRow(
            toRouteId(line),
            OPERATORS[line.operator].id,
            line.id,
            longName(parts, index),
            ROUTE_TYPES[line.mode],
            line.color,
            line.textColor,
            index + 1,
          ),
        ),
    ),
    toFile(
      'calendar.txt',
      'service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date',
      () => SERVICES.map((service) => toRow(service, ...WEEKDAYS_OF[service], start, end)),
    ),
    toFile('calendar_dates.txt', 'service_id,date,exception_type', () =>
      listExceptions(window).map(({ service, date, type }) => toRow(service, date, type)),
    ),
    toFile(
      'fare_attributes.txt',
      'fare_id,price,currency_type,payment_method,transfers,agency_id,transfer_duration',
      () => OPERATORS.map(({ id }) => toRow(`ticket-${id}`, '2.10', 'EUR', 0, '', id, 3600)),
    ),
    toFile('fare_rules.txt', 'fare_id,route_id', () =>
      roster.map((line) => toRow(`ticket-${OPERATORS[line.operator].id}`, toRouteId(line))),
    ),
    toFile(
      'feed_info.txt',
      'feed_publisher_name,feed_publisher_url,feed_lang,feed_start_date,feed_end_date,feed_version',
      () => [toRow(`${CITY_NAME}, ville imaginaire`, PUBLISHER_URL, 'fr', start, end, `seed-${parts.seed}`)],
    ),
    toFile('attributions.txt', 'organization_name,is_producer,is_operator,is_authority,attribution_url', () => [
      toRow(`${CITY_NAME}, ville imaginaire`, 1, 0, 1, PUBLISHER_URL),
      ...OPERATORS.map(({ name, url }) => toRow(name, 0, 1, 0, url)),
    ]),
  ]
}

/**
 * A line's long name: the names of its first and last stops, including the last stops of its branches. For a loop: its
 * headsign.
 */
function longName(parts: CityParts, line: number): string {
  const ways = parts.patterns.filter((each) => each.line === line && each.direction === 0 && each.kind !== 'short')
  const nameOf = (area: number): string => parts.stops.areas[area].name
  const [full] = ways
  if (full.firstArea === full.lastArea) return full.headsign
  return `${nameOf(full.firstArea)} / ${[...new Set(ways.map((each) => nameOf(each.lastArea)))].join(' ou ')}`
}

/** The tables of trips, headways and shapes. */
export function listTripTables(parts: CityParts): CityFile[] {
  const { roster, patterns, departures } = parts
  const shapeIds = nameShapes(roster, patterns)
  return [
    toFile(
      'trips.txt',
      'route_id,service_id,trip_id,trip_headsign,direction_id,block_id,shape_id,wheelchair_accessible,bikes_allowed',
      function* () {
        const heads = patterns.map((each) => toRow(each.headsign, each.direction))
        const tails = patterns.map((each, index) => {
          const { mode } = roster[each.line]
          return toRow(shapeIds[index], 1, mode === 'bus' ? 2 : 1)
        })
        const routeIds = roster.map(toRouteId)
        for (const { id, pattern, service, block } of departures.trips) {
          const route = routeIds[patterns[pattern].line]
          yield `${route},${service},${id},${heads[pattern]},${block},${tails[pattern]}`
        }
      },
    ),
    toFile('frequencies.txt', 'trip_id,start_time,end_time,headway_secs,exact_times', () =>
      departures.headways.map((run) =>
        toRow(run.trip, formatTime(run.startSeconds), formatTime(run.endSeconds), run.headwaySeconds, 0),
      ),
    ),
    toFile('shapes.txt', 'shape_id,shape_pt_lat,shape_pt_lon,shape_pt_sequence,shape_dist_traveled', function* () {
      for (const [index, pattern] of patterns.entries()) {
        for (const [place, point] of pattern.points.entries()) {
          const { lat, lon } = toDegrees(point)
          yield `${shapeIds[index]},${lat},${lon},${place + 1},${pattern.pointMeters[place]}`
        }
      }
    }),
  ]
}

/** The shape id of each pattern, made of line, direction and a number. */
function nameShapes(roster: readonly RosterLine[], patterns: readonly Pattern[]): string[] {
  const counts = new Map<string, number>()
  return patterns.map(({ line, direction }) => {
    const name = `${toRouteId(roster[line])}-${direction}`
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    return `${name}-${count}`
  })
}

/** Formats seconds since the service day's zero (local noon minus 12 hours) as HH:MM:SS. The hours may exceed 24. */
export function formatTime(seconds: number): string {
  return `${TWO_DIGITS[Math.floor(seconds / 3600)]}:${TWO_DIGITS[Math.floor(seconds / 60) % 60]}:${TWO_DIGITS[seconds % 60]}`
}

const TWO_DIGITS = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, '0'))
