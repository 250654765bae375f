// The ground of the demo city: metres east and north of its centre, the river, the stations and their platforms.

import type { Chance } from './random.ts'
import { CityNames, HUB_NAMES } from './stop-names.ts'

/** A place in metres east (x) and north (y) of the centre. */
export interface Point {
  readonly x: number
  readonly y: number
}

/** A station with its platforms. */
export interface Station {
  readonly id: string
  readonly name: string
  readonly at: Point
  readonly isHub: boolean
  readonly isAccessible: boolean
  readonly platforms: Platform[]
}

/** Where vehicles of one kind stop in one direction. */
export interface Platform {
  readonly id: string
  readonly code: string
  /** Stop code that passengers type. */
  readonly stopCode: string
  readonly at: Point
  readonly key: string
}

const CENTER_LAT = 47.1042
const CENTER_LON = 1.0518
const METERS_PER_DEGREE = 111_195
/** Lines share a station where they come as near to one as this. */
const SNAP_METERS = 190
/** Side of the squares by which near stations are found. */
const CELL_METERS = 400

/** Degrees, WGS 84. */
export function toLatLon(point: Point): { lat: number; lon: number } {
  return {
    lat: CENTER_LAT + point.y / METERS_PER_DEGREE,
    lon: CENTER_LON + point.x / (METERS_PER_DEGREE * Math.cos((CENTER_LAT * Math.PI) / 180)),
  }
}

/** The river's bank line at an easting. */
export function riverNorthing(x: number): number {
  return -1300 + 420 * Math.sin(x / 2600) + 130 * Math.sin(x / 900)
}

export function distanceBetween(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y)
}

/** The stations of a city; lines ask for one at a place and get a near one where there is. */
export class CityMap {
  readonly stations: Station[] = []
  readonly hubs: readonly Station[]
  private readonly cells = new Map<string, Station[]>()
  private readonly names: CityNames
  private readonly chance: Chance
  private platformCount = 0

  constructor(chance: Chance) {
    this.chance = chance
    this.names = new CityNames(chance)
    this.hubs = HUB_NAMES.map((name, index) => {
      const angle = (index / HUB_NAMES.length) * 2 * Math.PI + 0.3
      const radius = index === 0 ? 0 : index < 5 ? 620 : 2100
      return this.add(name, { x: radius * Math.cos(angle), y: radius * Math.sin(angle) }, true)
    })
  }

  /** The station nearest to a place within reach of snapping, or a new one there. */
  stationAt(place: Point): Station {
    let best: Station | undefined
    let bestMeters = SNAP_METERS
    for (let dx = -1; dx <= 1; dx++) {
      for (let dy = -1; dy <= 1; dy++) {
        for (const station of this.cells.get(cellOf(place, dx, dy)) ?? []) {
          const meters = distanceBetween(station.at, place)
          if (meters < bestMeters) {
            best = station
            bestMeters = meters
          }
        }
      }
    }
    return best ?? this.add(this.names.next(), place, false)
  }

  /** The platform of a station for vehicles of one kind heading one way. */
  platformOf(station: Station, kind: string, heading: number): Platform {
    const key = `${kind}:${heading}`
    const known = station.platforms.find((platform) => platform.key === key)
    if (known !== undefined) return known
    const place = station.platforms.length
    const angle = place * 2.4
    const meters = 9 + 5 * place
    const platform: Platform = {
      id: `${station.id}-${String.fromCharCode(65 + (place % 26))}${place >= 26 ? Math.floor(place / 26) : ''}`,
      code: station.isHub || kind === 'metro' ? String.fromCharCode(65 + (place % 26)) : '',
      stopCode: String(1000 + this.platformCount++),
      at: { x: station.at.x + meters * Math.cos(angle), y: station.at.y + meters * Math.sin(angle) },
      key,
    }
    station.platforms.push(platform)
    return platform
  }

  private add(name: string, at: Point, isHub: boolean): Station {
    const station: Station = {
      id: `S${String(this.stations.length + 1).padStart(4, '0')}`,
      name,
      at,
      isHub,
      isAccessible: isHub || this.chance.next() < 0.8,
      platforms: [],
    }
    this.stations.push(station)
    const cell = cellOf(at, 0, 0)
    const there = this.cells.get(cell)
    if (there === undefined) this.cells.set(cell, [station])
    else there.push(station)
    return station
  }
}

function cellOf(place: Point, dx: number, dy: number): string {
  return `${Math.floor(place.x / CELL_METERS) + dx}:${Math.floor(place.y / CELL_METERS) + dy}`
}
