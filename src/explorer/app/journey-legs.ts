// Draws a journey on the map: rides follow the shapes of their lines, walks are dotted and follow streets, and rings
// show where to board and alight.
import type { Atlas } from './atlas.ts'
import type { Coordinate, Journey, Section } from './contract.ts'
import { legibleColor, safeColor } from './map/colors.ts'
import type { MapFeature } from './map/map-feature.ts'
import { type Bounds, toCoordinate, toPlane } from './map/mercator.ts'
import { footOn, stretchOf } from './map/paths.ts'

/** A ride is drawn along its line's shape only if its first and last stops are closer to the shape than this. */
const BESIDE_METERS = 250

/** Returns a journey's legs as map features. Loads the shapes of lines that are not loaded yet. */
export async function legsOf(journey: Journey, atlas: Atlas, isDark: boolean): Promise<readonly MapFeature[]> {
  const strings = await Promise.all(journey.sections.map((section) => stringOf(section, atlas)))
  const legs = strings.map((coordinates, index): MapFeature => {
    const section = journey.sections[index]
    const color = section.kind === 'transit' ? legibleColor(safeColor(section.line.color), isDark) : ''
    return feature({ kind: section.kind, color, order: index }, 'LineString', coordinates)
  })
  const rings = strings.flatMap((coordinates, index) =>
    journey.sections[index].kind === 'transit' ? [coordinates[0], coordinates[coordinates.length - 1]] : [],
  )
  return [...legs, ...rings.map((at) => feature({ kind: 'ring' }, 'Point', at))]
}

/** The bounding box of a journey's legs; undefined if no leg has coordinates. */
export function boundsOfLegs(legs: readonly MapFeature[]): Bounds | undefined {
  const all = legs.flatMap(({ geometry }) =>
    geometry.type === 'LineString' ? (geometry.coordinates as Coordinate[]) : [],
  )
  if (all.length === 0) return undefined
  const lons = all.map(([lon]) => lon)
  const lats = all.map(([, lat]) => lat)
  return [Math.min(...lons), Math.min(...lats), Math.max(...lons), Math.max(...lats)]
}

async function stringOf(section: Section, atlas: Atlas): Promise<readonly Coordinate[]> {
  const ends: readonly Coordinate[] = [
    [section.from_place.lon, section.from_place.lat],
    [section.to_place.lon, section.to_place.lat],
  ]
  if (section.kind === 'walk') return section.geometry?.coordinates ?? ends
  const shape = await atlas.shapeOf(section.line.id).catch(() => undefined)
  for (const path of shape?.pathsByDirection.get(section.direction_id) ?? []) {
    const [from, to] = ends.map(toPlane)
    const start = footOn(path, from)
    const end = footOn(path, to, start.along)
    const isOn = start.besideMeters < BESIDE_METERS && end.besideMeters < BESIDE_METERS && end.along > start.along
    if (isOn) return stretchOf(path, start.along, end.along).map(toCoordinate)
  }
  const stops = await atlas.stopsOf(section.line.id).catch(() => [])
  const known = new Map(stops.flatMap((each) => each.stops).map((stop) => [stop.id, stop]))
  const calls = section.stop_ids.map((id) => known.get(id)).filter((stop) => stop !== undefined)
  return calls.length < 2 ? ends : calls.map((stop): Coordinate => [stop.lon, stop.lat])
}

function feature(properties: MapFeature['properties'], type: string, coordinates: unknown): MapFeature {
  return { type: 'Feature', properties, geometry: { type, coordinates } }
}
