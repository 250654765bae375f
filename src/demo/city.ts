// The demo city: a made-up network as a GTFS Schedule feed, repeatable by its seed and of any scale.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { MODE_PLANS, makeLines } from './city-lines.ts'
import { CityMap, type Point, toLatLon } from './city-map.ts'
import { DAY_KINDS, type LineService, serveLine, timesOf } from './city-trips.ts'
import { Chance } from './random.ts'

/** Which city, and for which days. */
export interface CityOrder {
  readonly seed: number
  /** 1 has forty lines; the number of lines and trips grows with it. */
  readonly scale: number
  /** First service date, yyyymmdd. */
  readonly firstDate: number
  readonly days: number
}

/** One file of the feed, in pieces. */
export interface CityFile {
  readonly name: string
  chunks(): Iterable<string>
}

/** A made city. */
export interface City {
  readonly name: string
  readonly files: readonly CityFile[]
  readonly services: readonly LineService[]
}

/** Name of the city; there is no such place. */
export const CITY_NAME = 'Valmont-sur-Loire'
const MILLIS_PER_DAY = 86_400_000

/** Makes a city. */
export function makeCity(order: CityOrder): City {
  const chance = new Chance(order.seed)
  const map = new CityMap(chance)
  const services = makeLines(map, chance, order.scale).map((line) => serveLine(map, line))
  const days = listDays(order)
  const [firstDay, lastDay] = [days[0]?.date ?? 0, days.at(-1)?.date ?? 0]
  const files: CityFile[] = [
    text('agency.txt', AGENCIES),
    table('stops.txt', STOPS_HEADER, () => stopRows(map)),
    table('routes.txt', ROUTES_HEADER, () => routeRows(services)),
    table('trips.txt', TRIPS_HEADER, () => tripRows(services)),
    table('stop_times.txt', STOP_TIMES_HEADER, () => stopTimeRows(services)),
    table('calendar.txt', CALENDAR_HEADER, () =>
      DAY_KINDS.map((kind, i) => `${kind},${WEEKDAYS[i]},${firstDay},${lastDay}`),
    ),
    table('calendar_dates.txt', ['service_id,date,exception_type'], () => holidayRows(days)),
    table('shapes.txt', ['shape_id,shape_pt_lat,shape_pt_lon,shape_pt_sequence,shape_dist_traveled'], () =>
      shapeRows(services),
    ),
    table('frequencies.txt', ['trip_id,start_time,end_time,headway_secs,exact_times'], () => frequencyRows(services)),
    table('transfers.txt', ['from_stop_id,to_stop_id,transfer_type,min_transfer_time'], () =>
      map.hubs.map((hub) => `${hub.id},${hub.id},2,180`),
    ),
    text('fare_attributes.txt', [
      'fare_id,price,currency_type,payment_method,transfers,agency_id,transfer_duration',
      'unite,2.10,EUR,0,,VMU,3600',
      'bac,3.00,EUR,0,0,BAC,',
    ]),
    text('fare_rules.txt', [
      'fare_id,route_id',
      ...services.map(({ line }) => `${line.mode === 'ferry' ? 'bac' : 'unite'},${line.id}`),
    ]),
    text('attributions.txt', [
      'organization_name,is_producer,is_operator,attribution_url',
      'Ville imaginaire de Valmont-sur-Loire,1,0,https://valmont.example',
    ]),
    text('feed_info.txt', [
      'feed_publisher_name,feed_publisher_url,feed_lang,feed_start_date,feed_end_date,feed_version',
      `Valmont Mobilités,https://valmont.example,fr,${firstDay},${lastDay},seed ${order.seed}`,
    ]),
  ]
  return { name: CITY_NAME, files, services }
}

/** Writes the feed's files into a folder. */
export async function writeCity(city: City, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  for (const file of city.files) {
    const writer = Bun.file(join(folder, file.name)).writer()
    for (const chunk of file.chunks()) {
      writer.write(chunk)
      await writer.flush()
    }
    await writer.end()
  }
}

/** Rows gathered into one piece of text. */
const ROWS_PER_CHUNK = 5_000

function text(name: string, lines: readonly string[]): CityFile {
  return { name, chunks: () => [`${lines.join('\n')}\n`] }
}

function table(name: string, header: readonly string[], rows: () => Iterable<string>): CityFile {
  return {
    name,
    *chunks() {
      let lines = [...header]
      for (const row of rows()) {
        lines.push(row)
        if (lines.length < ROWS_PER_CHUNK) continue
        yield `${lines.join('\n')}\n`
        lines = []
      }
      if (lines.length > 0) yield `${lines.join('\n')}\n`
    },
  }
}

const AGENCIES = [
  'agency_id,agency_name,agency_url,agency_timezone,agency_lang,agency_phone',
  'VMU,Valmont Mobilités,https://valmont.example,Europe/Paris,fr,+33 2 00 00 00 00',
  'BAC,Les Bacs de Loire,https://bacs.example,Europe/Paris,fr,+33 2 00 00 00 01',
]
const STOPS_HEADER = [
  'stop_id,stop_code,stop_name,stop_lat,stop_lon,location_type,parent_station,wheelchair_boarding,platform_code',
]
const ROUTES_HEADER = [
  'route_id,agency_id,route_short_name,route_long_name,route_type,route_color,route_text_color,route_sort_order',
]
const TRIPS_HEADER = ['route_id,service_id,trip_id,trip_headsign,direction_id,block_id,shape_id,wheelchair_accessible']
const STOP_TIMES_HEADER = [
  'trip_id,arrival_time,departure_time,stop_id,stop_sequence,pickup_type,drop_off_type,shape_dist_traveled',
]
const CALENDAR_HEADER = ['service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date']
const WEEKDAYS = ['1,1,1,1,1,0,0', '0,0,0,0,0,1,0', '0,0,0,0,0,0,1']

function coordinates(point: Point): string {
  const { lat, lon } = toLatLon(point)
  return `${lat.toFixed(6)},${lon.toFixed(6)}`
}

function* stopRows(map: CityMap): Generator<string> {
  for (const station of map.stations) {
    if (station.platforms.length === 0) continue
    const accessible = station.isAccessible ? 1 : 2
    yield `${station.id},,${station.name},${coordinates(station.at)},1,,${accessible},`
    for (const platform of station.platforms) {
      yield `${platform.id},${platform.stopCode},${station.name},${coordinates(platform.at)},0,${station.id},,${platform.code}`
    }
  }
}

function* routeRows(services: readonly LineService[]): Generator<string> {
  for (const { line } of services) {
    const name = line.isLoop
      ? `Circulaire ${line.stations[0]?.name}`
      : `${line.stations[0]?.name} - ${line.stations.at(-1)?.name}`
    yield `${line.id},${line.agencyId},${line.code},${name},${MODE_PLANS[line.mode].routeType},${line.color},${line.textColor},${line.sortOrder}`
  }
}

function* tripRows(services: readonly LineService[]): Generator<string> {
  for (const { line, trips } of services) {
    const isAccessible = line.mode === 'ferry' ? 2 : 1
    for (const { id, variant, dayKind, blockId } of trips) {
      yield `${line.id},${dayKind},${id},${variant.headsign},${variant.direction},${blockId},${variant.shapeId},${isAccessible}`
    }
  }
}

/** H:MM:SS with two digits of hours, past 24 for trips after midnight. */
export function clockText(seconds: number): string {
  const pad = (value: number) => String(value).padStart(2, '0')
  return `${pad(Math.floor(seconds / 3600))}:${pad(Math.floor(seconds / 60) % 60)}:${pad(seconds % 60)}`
}

function* stopTimeRows(services: readonly LineService[]): Generator<string> {
  for (const { line, trips } of services) {
    for (const { id, variant, startSeconds } of trips) {
      const last = variant.stations.length - 1
      for (const [index, call] of timesOf(line, variant, startSeconds).entries()) {
        const exchange = index === 0 ? '0,1' : index === last ? '1,0' : '0,0'
        const meters = (variant.stationMeters[index] as number).toFixed(1)
        yield `${id},${clockText(call.arrivalSeconds)},${clockText(call.departureSeconds)},${variant.platforms[index]?.id},${index + 1},${exchange},${meters}`
      }
    }
  }
}

function* shapeRows(services: readonly LineService[]): Generator<string> {
  for (const { variants } of services) {
    for (const { shapeId, way, wayMeters } of variants) {
      for (const [index, point] of way.entries())
        yield `${shapeId},${coordinates(point)},${index + 1},${(wayMeters[index] as number).toFixed(1)}`
    }
  }
}

function* frequencyRows(services: readonly LineService[]): Generator<string> {
  for (const { frequencies } of services) {
    for (const { tripId, startSeconds, endSeconds, headwaySeconds } of frequencies) {
      yield `${tripId},${clockText(startSeconds)},${clockText(endSeconds)},${headwaySeconds},0`
    }
  }
}

interface CityDay {
  readonly date: number
  /** 0 is Sunday. */
  readonly weekday: number
  readonly isHoliday: boolean
}

/** French public holidays of fixed date, month and day; Easter's are found from the year. */
const FIXED_HOLIDAYS = new Set([101, 501, 508, 714, 815, 1101, 1111, 1225])

function listDays(order: CityOrder): CityDay[] {
  const start = Date.UTC(
    Math.floor(order.firstDate / 10_000),
    (Math.floor(order.firstDate / 100) % 100) - 1,
    order.firstDate % 100,
  )
  return Array.from({ length: order.days }, (_, index) => {
    const day = new Date(start + index * MILLIS_PER_DAY)
    const monthDay = (day.getUTCMonth() + 1) * 100 + day.getUTCDate()
    const sinceEaster = Math.round((day.getTime() - easterOf(day.getUTCFullYear())) / MILLIS_PER_DAY)
    return {
      date: day.getUTCFullYear() * 10_000 + monthDay,
      weekday: day.getUTCDay(),
      isHoliday: FIXED_HOLIDAYS.has(monthDay) || [1, 39, 50].includes(sinceEaster),
    }
  })
}

/** Easter Sunday of a year, by Gauss's rule for the Gregorian calendar as Meeus gives it. */
function easterOf(year: number): number {
  const a = year % 19
  const b = Math.floor(year / 100)
  const c = year % 100
  const h = (19 * a + b - Math.floor(b / 4) - Math.floor((b - Math.floor((b + 8) / 25) + 1) / 3) + 15) % 30
  const l = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - h - (c % 4)) % 7
  const m = Math.floor((a + 11 * h + 22 * l) / 451)
  const month = Math.floor((h + l - 7 * m + 114) / 31)
  return Date.UTC(year, month - 1, ((h + l - 7 * m + 114) % 31) + 1)
}

function* holidayRows(days: readonly CityDay[]): Generator<string> {
  for (const { date, weekday, isHoliday } of days) {
    if (!isHoliday || weekday === 0) continue
    yield `${weekday === 6 ? 'SAM' : 'SEM'},${date},2`
    yield `DIM,${date},1`
  }
}
