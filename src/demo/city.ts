// Generates the demo city as a GTFS Schedule feed from a seed: terrain, streets, lines, stops and trips, and then the
// files. Each step uses the results of the earlier steps. The same options always give the same city: the code uses no
// clock and no network, and all random numbers come from the seed.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { OsmElement } from '../../loaders/osm/pbf-writer.ts'
import { toServiceWindow } from './calendar.ts'
import { CITY_NAME } from './city-names.ts'
import { type CityFile, type CityParts, listPlanTables, listTripTables } from './city-tables.ts'
import { scheduleTrips } from './departures.ts'
import { listGround } from './ground.ts'
import { drawItineraries } from './itineraries.ts'
import { makePatterns } from './patterns.ts'
import { makeRoster } from './roster.ts'
import { StopBook } from './stop-book.ts'
import { listStops, listStopTables } from './stop-list.ts'
import { stopTimeFile } from './stop-time-table.ts'
import { makeStreetMap } from './street-map.ts'
import { nameStreets } from './streets.ts'
import { makeTerrain, toDegrees } from './terrain.ts'

export { CITY_NAME }

/** Options of a city. */
export interface CityOrder {
  /** An integer; the same seed gives the same city. */
  readonly seed: number
  /**
   * Size of the city, above 0. At 1, the city has 40 lines and about 1 500 platforms. Larger values give a larger city,
   * and smaller values a town.
   */
  readonly scale: number
  /** First service day, YYYYMMDD. */
  readonly firstDate: number
  /** Number of service days, at least 1. */
  readonly days: number
}

/** A street of the city and its course. */
export interface CityStreet {
  readonly name: string
  readonly commune: string
  /** 2 for an avenue, 1 for a boulevard, 0 for any other street. */
  readonly rank: number
  /** The course of the street in degrees (WGS 84), from one end to the other. */
  readonly points: readonly { readonly lat: number; readonly lon: number }[]
}

/** A generated city. */
export interface CityFeed {
  readonly name: string
  /** The files of the feed, each as chunks of its contents. */
  readonly files: readonly CityFile[]
  readonly streets: readonly CityStreet[]
  /** Generates the city as OpenStreetMap elements. */
  readonly ground: () => OsmElement[]
  /** The data from which the files were written. */
  readonly parts: CityParts
}

/** File contents are written to disk when this many characters are buffered. */
const FLUSH_CHARACTERS = 1_000_000

/** Generates a city. Throws a RangeError if the options are invalid. */
export function makeCity({ seed, scale, firstDate, days }: CityOrder): CityFeed {
  if (!(scale > 0 && Number.isFinite(scale))) throw new RangeError(`the scale is ${scale}; expected a number above 0`)
  const window = toServiceWindow(firstDate, days)
  const terrain = makeTerrain(seed, scale)
  const map = makeStreetMap(seed, terrain)
  const named = nameStreets(seed, map, terrain)
  const book = new StopBook(seed, map, named, terrain)
  const roster = makeRoster(scale, terrain.centers.length)
  const itineraries = drawItineraries({ seed, terrain, map, book }, roster)
  const patterns = makePatterns(itineraries, roster, book)
  const departures = scheduleTrips(seed, roster, patterns)
  const parts = { seed, window, roster, stops: listStops(book), patterns, departures }
  return {
    name: CITY_NAME,
    files: [...listPlanTables(parts), ...listStopTables(parts.stops), ...listTripTables(parts), stopTimeFile(parts)],
    streets: named.streets.map(({ name, commune, rank, points }) => ({
      name,
      commune,
      rank,
      points: points.map(toDegrees),
    })),
    ground: () => listGround({ seed, terrain, map, named }),
    parts,
  }
}

/** Writes the city's feed into a folder, which is created if needed. */
export async function writeCity(city: CityFeed, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  for (const file of city.files) {
    const writer = Bun.file(join(folder, file.name)).writer()
    let waiting = 0
    for (const chunk of file.chunks()) {
      writer.write(chunk)
      waiting += chunk.length
      if (waiting < FLUSH_CHARACTERS) continue
      await writer.flush()
      waiting = 0
    }
    await writer.end()
  }
}
