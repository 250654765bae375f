// Tests the demo city's feed. This file reads the tables with its own parser. Fails if an id refers to nothing, if
// times decrease, if a vehicle is too fast, if a line leaves its shape, or if the same seed gives two different cities.
import { expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadFeed } from '../../../loaders/gtfs/load-feed.ts'
import { type CityFeed, makeCity, writeCity } from '../../../src/demo/city.ts'

type Row = Readonly<Record<string, string>>

/**
 * The city in all tests. Checks of single rows throw errors instead of calling `expect`, since an `expect` for each row
 * would take longer than generating the city.
 */
const ORDER = { seed: 1, scale: 1, firstDate: 20260401, days: 92 }
const PLATFORM_REACH_METERS = 60
const FASTEST_KILOMETERS_PER_HOUR = 120

const city = makeCity(ORDER)
const stops = readTable(city, 'stops.txt')
const routes = readTable(city, 'routes.txt')
const trips = readTable(city, 'trips.txt')
const stopById = new Map(stops.map((stop) => [stop['stop_id'], stop]))
const tripById = new Map(trips.map((trip) => [trip['trip_id'], trip]))
const routeById = new Map(routes.map((route) => [route['route_id'], route]))
const callsOf = groupBy(readTable(city, 'stop_times.txt'), 'trip_id')
const pointsOf = groupBy(readTable(city, 'shapes.txt'), 'shape_id')

function textOf(feed: CityFeed, name: string): string {
  const file = feed.files.find((each) => each.name === name)
  if (file === undefined) throw new Error(`the city has no ${name}`)
  return [...file.chunks()].join('')
}

function readTable(feed: CityFeed, name: string): Row[] {
  const [header, ...lines] = textOf(feed, name).trimEnd().split('\n').map(splitRow)
  return lines.map((fields) => {
    expect(fields.length).toBe(header.length)
    return Object.fromEntries(header.map((column, index) => [column, fields[index]]))
  })
}

function splitRow(line: string): string[] {
  if (!line.includes('"')) return line.split(',')
  return [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)]
    .slice(0, line.endsWith(',') ? undefined : -1)
    .map(([, field]) => (field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field))
}

function groupBy(rows: readonly Row[], column: string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const group = groups.get(row[column])
    if (group === undefined) groups.set(row[column], [row])
    else group.push(row)
  }
  return groups
}

function secondsOf(time: string): number {
  const [hours, minutes, seconds] = time.split(':').map(Number)
  return hours * 3600 + minutes * 60 + seconds
}

/**
 * The distance in meters on a plane that touches the earth at the first place. Within a city, it is accurate to 0.1%.
 */
function metersApart(a: { lat: number; lon: number }, b: { lat: number; lon: number }): number {
  const north = (b.lat - a.lat) * 111_195
  return Math.hypot(north, (b.lon - a.lon) * 111_195 * Math.cos((a.lat * Math.PI) / 180))
}

function stopPlace(id: string): { lat: number; lon: number } {
  const stop = stopById.get(id)
  return { lat: Number(stop?.['stop_lat']), lon: Number(stop?.['stop_lon']) }
}

function pointPlace(point: Row): { lat: number; lon: number } {
  return { lat: Number(point['shape_pt_lat']), lon: Number(point['shape_pt_lon']) }
}

function routeOf(trip: string): Row | undefined {
  return routeById.get(tripById.get(trip)?.['route_id'] ?? '')
}

test('equal seeds give equal cities, different seeds different ones', () => {
  const hashes = (feed: CityFeed) => feed.files.map((file) => Bun.hash([...file.chunks()].join('')))
  expect(hashes(makeCity(ORDER))).toEqual(hashes(city))
  expect(hashes(city)).toEqual(hashes(city)) // a file can be read twice
  expect(textOf(makeCity({ ...ORDER, seed: 2 }), 'stops.txt')).not.toBe(textOf(city, 'stops.txt'))
})

test('the loader finds nothing wrong with it', async () => {
  const { problems, feed } = await loadFeed({
    names: city.files.map((file) => file.name),
    open(name) {
      const file = city.files.find((each) => each.name === name)
      return file === undefined ? undefined : encode(file.chunks())
    },
  })
  expect(problems.list()).toEqual([])
  expect(feed.trips.count).toBe(trips.length)
  expect(feed.stops.count).toBe(stops.length)
})

async function* encode(chunks: Iterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  for (const chunk of chunks) yield encoder.encode(chunk)
}

test('it has as many lines, stops and stop times as a city of its size', () => {
  const countOf = (type: string) => routes.filter((route) => route['route_type'] === type).length
  expect([countOf('1'), countOf('0'), countOf('3'), countOf('4')]).toEqual([2, 6, 30, 2])
  const platforms = stops.filter((stop) => stop['location_type'] === '0')
  expect(platforms.length).toBeGreaterThan(1200)
  expect(platforms.length).toBeLessThan(1800)
  const calls = [...callsOf.values()].reduce((sum, each) => sum + each.length, 0)
  expect(calls).toBeGreaterThan(100_000)
  expect(calls).toBeLessThan(250_000)
})

test('a larger scale multiplies the number of lines', () => {
  const twice = makeCity({ ...ORDER, scale: 2 })
  expect(readTable(twice, 'routes.txt').length).toBe(80)
  expect(readTable(twice, 'stops.txt').length).toBeGreaterThan(stops.length * 1.6)
  const small = makeCity({ ...ORDER, scale: 0.2 })
  expect(readTable(small, 'routes.txt').length).toBeLessThan(12)
})

test('ids are distinct, and so are the names of areas and the colors of lines', () => {
  for (const [rows, column] of [
    [stops, 'stop_id'],
    [routes, 'route_id'],
    [trips, 'trip_id'],
    [routes, 'route_color'],
    [routes, 'route_short_name'],
    [stops.filter((stop) => stop['location_type'] === '1'), 'stop_name'],
    [stops.filter((stop) => stop['stop_code'] !== ''), 'stop_code'],
  ] as const) {
    expect(new Set(rows.map((row) => row[column])).size).toBe(rows.length)
  }
  expect(stops.filter((stop) => /[éèêàâîôûç]/i.test(stop['stop_name'])).length).toBeGreaterThan(100)
})

test('every reference resolves', () => {
  const services = new Set(readTable(city, 'calendar.txt').map((row) => row['service_id']))
  const agencies = new Set(readTable(city, 'agency.txt').map((row) => row['agency_id']))
  const fares = new Set(readTable(city, 'fare_attributes.txt').map((row) => row['fare_id']))
  const levels = new Set(['', ...readTable(city, 'levels.txt').map((row) => row['level_id'])])
  const stations = new Set(stops.filter((row) => row['location_type'] === '1').map((row) => row['stop_id']))
  const references: [string, { has(key: string): boolean }, readonly string[]][] = [
    ['agency of route', agencies, routes.map((row) => row['agency_id'])],
    ['route of trip', routeById, trips.map((row) => row['route_id'])],
    ['service of trip', services, trips.map((row) => row['service_id'])],
    ['shape of trip', pointsOf, trips.map((row) => row['shape_id'])],
    ['calls of trip', callsOf, trips.map((row) => row['trip_id'])],
    ['trip of calls', tripById, [...callsOf.keys()]],
    ['parent', stations, stops.map((row) => row['parent_station']).filter((id) => id !== '')],
    ['level', levels, stops.map((row) => row['level_id'])],
    ['service of exception', services, readTable(city, 'calendar_dates.txt').map((row) => row['service_id'])],
    ['trip of headway', tripById, readTable(city, 'frequencies.txt').map((row) => row['trip_id'])],
    ['fare', fares, readTable(city, 'fare_rules.txt').map((row) => row['fare_id'])],
    ['route of fare', routeById, readTable(city, 'fare_rules.txt').map((row) => row['route_id'])],
  ]
  for (const table of ['transfers.txt', 'pathways.txt']) {
    const rows = readTable(city, table)
    references.push([table, stopById, rows.flatMap((row) => [row['from_stop_id'], row['to_stop_id']])])
  }
  for (const [what, known, ids] of references) {
    expect([what, ids.filter((id) => !known.has(id))]).toEqual([what, []])
    expect([what, ids.length > 0]).toEqual([what, true])
  }
  // Vehicles call at platforms, not at stations, and every platform has calls.
  const called = new Set([...callsOf.values()].flat().map((call) => call['stop_id']))
  const platforms = stops.filter((row) => row['location_type'] === '0').map((row) => row['stop_id'])
  expect([...called].sort()).toEqual(platforms.sort())
})

test('times increase and speeds are possible', () => {
  for (const calls of callsOf.values()) {
    expect(calls.length).toBeGreaterThan(1)
    let before = calls[0]
    for (const [index, call] of calls.entries()) {
      const arrival = secondsOf(call['arrival_time'])
      const isInOrder = Number(call['stop_sequence']) === index + 1 && secondsOf(call['departure_time']) >= arrival
      if (!isInOrder) throw new Error(`out of order: ${JSON.stringify(call)}`)
      if (index > 0) {
        const seconds = arrival - secondsOf(before['departure_time'])
        const meters = Number(call['shape_dist_traveled']) - Number(before['shape_dist_traveled'])
        const straight = metersApart(stopPlace(before['stop_id']), stopPlace(call['stop_id']))
        const speed = (Math.max(meters, straight) / seconds) * 3.6
        const isPlausible = seconds > 0 && meters > 0 && speed < FASTEST_KILOMETERS_PER_HOUR
        if (!isPlausible) throw new Error(`${speed} km/h to ${JSON.stringify(call)}`)
      }
      before = call
    }
  }
})

test('each line runs in both directions, and its shapes pass its platforms', () => {
  const ways = new Set(trips.map((trip) => `${trip['route_id']} ${trip['direction_id']}`))
  expect(ways.size).toBe(routes.length * 2)
  const seen = new Set<string>()
  for (const trip of trips) {
    if (seen.has(trip['shape_id'])) continue
    seen.add(trip['shape_id'])
    const points = pointsOf.get(trip['shape_id']) ?? []
    const calls = callsOf.get(trip['trip_id']) ?? []
    const meters = points.map((point) => Number(point['shape_dist_traveled']))
    expect(meters).toEqual(meters.toSorted((a, b) => a - b))
    expect([Number(calls[0]['shape_dist_traveled']), Number(calls[calls.length - 1]['shape_dist_traveled'])]).toEqual([
      meters[0],
      meters[meters.length - 1],
    ])
    for (const call of calls) {
      const point = points[meters.indexOf(Number(call['shape_dist_traveled']))]
      expect(metersApart(stopPlace(call['stop_id']), pointPlace(point))).toBeLessThan(PLATFORM_REACH_METERS)
    }
  }
  expect(seen.size).toBe(pointsOf.size)
})

test('every day of the window has service, and public holidays have Sunday service', () => {
  const services = readTable(city, 'calendar.txt')
  const exceptions = readTable(city, 'calendar_dates.txt')
  const names = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']
  for (let day = 0; day < ORDER.days; day++) {
    const date = new Date(Date.UTC(2026, 3, 1 + day))
    const text = date.toISOString().slice(0, 10).replaceAll('-', '')
    const running = services
      .filter((row) => row['start_date'] <= text && text <= row['end_date'] && row[names[date.getUTCDay()]] === '1')
      .map((row) => row['service_id'])
    expect([text, running.length > 0]).toEqual([text, true])
  }
  expect(services[0]['end_date']).toBe('20260701')
  // Easter was on 5 April 2026, Easter Monday on 6 April, Ascension on 14 May, and Whit Monday on 25 May.
  const added = exceptions.filter((row) => row['exception_type'] === '1').map((row) => row['date'])
  expect(added).toEqual(['20260406', '20260501', '20260508', '20260514', '20260525'])
})

test('it has the features of real feeds that simple ones lack', () => {
  const calls = [...callsOf.values()]
  const every = calls.flat()
  const endsOf = (each: readonly Row[]) => [each[0]['stop_id'], each[each.length - 1]['stop_id']]
  expect(every.filter((call) => secondsOf(call['departure_time']) > 28 * 3600).length).toBeGreaterThan(100)
  expect(calls.filter((each) => new Set(endsOf(each)).size === 1).length).toBeGreaterThan(10) // the city has a loop
  expect(every.filter((call) => call['pickup_type'] === '1').length).toBeGreaterThan(100)
  expect(every.filter((call) => call['drop_off_type'] === '1').length).toBeGreaterThan(100)
  const repeated = new Set(readTable(city, 'frequencies.txt').map((row) => routeOf(row['trip_id'])?.['route_id']))
  expect(repeated.size).toBe(1)
  const mostWays = new Map<string, Set<string>>()
  for (const trip of trips) {
    const line = trip['route_id']
    mostWays.set(line, (mostWays.get(line) ?? new Set()).add(trip['shape_id']))
  }
  expect([...mostWays.values()].filter((ways) => ways.size > 2).length).toBeGreaterThan(3) // branches and short runs exist
})

test('no vehicle is in two places at once', () => {
  for (const [block, ofBlock] of groupBy(trips, 'block_id')) {
    if (block === '') continue
    const runs = ofBlock
      .map((trip) => callsOf.get(trip['trip_id']) ?? [])
      .map((calls) => ({
        from: secondsOf(calls[0]['departure_time']),
        until: secondsOf(calls[calls.length - 1]['arrival_time']),
      }))
      .sort((a, b) => a.from - b.from)
    for (let i = 1; i < runs.length; i++) expect(runs[i].from).toBeGreaterThanOrEqual(runs[i - 1].until)
  }
})

test('streets have names, unique in their commune, and are near the stops', () => {
  expect(city.streets.length).toBeGreaterThan(300)
  expect(new Set(city.streets.map((street) => `${street.commune}|${street.name}`)).size).toBe(city.streets.length)
  const areas = stops.filter((stop) => stop['location_type'] === '1')
  const corners = city.streets.flatMap((street) => street.points)
  for (const area of areas) {
    const place = stopPlace(area['stop_id'])
    expect(Math.min(...corners.map((corner) => metersApart(place, corner)))).toBeLessThan(1)
  }
})

test('the written feed equals the generated one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quai-test-'))
  const small = makeCity({ ...ORDER, scale: 0.1 })
  await writeCity(small, join(folder, 'city'))
  expect(readdirSync(join(folder, 'city')).sort()).toEqual(small.files.map((file) => file.name).sort())
  for (const { name } of small.files) {
    expect(readFileSync(join(folder, 'city', name), 'utf8')).toBe(textOf(small, name))
  }
  rmSync(folder, { recursive: true })
})

test('an impossible city is rejected', () => {
  expect(() => makeCity({ ...ORDER, scale: 0 })).toThrow(RangeError)
  expect(() => makeCity({ ...ORDER, firstDate: 20260230 })).toThrow(RangeError)
  expect(() => makeCity({ ...ORDER, days: 0 })).toThrow(RangeError)
})
