// A feed's stops with their names and positions, and the platforms that boarding areas belong to. Part of the text
// oracle.
import { eachRow, type FeedText } from './feed-text.ts'

/** The stops in stops.txt. */
export interface TextStops {
  /** Stop of location_type 0 → its name, or its id if it has no name. */
  readonly names: ReadonlyMap<string, string>
  /** The positions of the same stops, in degrees. */
  readonly points: ReadonlyMap<string, { readonly lat: number; readonly lon: number }>
  /** stop_id in stop_times.txt → the stop. For a boarding area, this is its platform. */
  readonly platformOf: ReadonlyMap<string, string>
  /** parent_station → its stops of location_type 0. */
  readonly childrenOf: ReadonlyMap<string, readonly string[]>
}

/**
 * Reads stops.txt. A stop without a plausible position is left out. If two stops have the same id, the first counts.
 */
export async function readStops(feed: FeedText): Promise<TextStops> {
  const names = new Map<string, string>()
  const points = new Map<string, { lat: number; lon: number }>()
  const platformOf = new Map<string, string>()
  const childrenOf = new Map<string, string[]>()
  const boardingAreas: { id: string; parent: string }[] = []
  const seen = new Set<string>()
  const columns = ['stop_id', 'stop_name', 'stop_lat', 'stop_lon', 'location_type', 'parent_station']
  await eachRow(feed, 'stops.txt', columns, ([id = '', name = '', lat = '', lon = '', type = '', parent = '']) => {
    if (id === '' || seen.has(id)) return
    if (type === '4') {
      seen.add(id)
      boardingAreas.push({ id, parent })
    } else if (type === '' || type === '0') {
      if (!isBelievable(lat, lon)) return
      seen.add(id)
      names.set(id, name === '' ? id : name)
      points.set(id, { lat: Number(lat), lon: Number(lon) })
      platformOf.set(id, id)
      if (parent !== '') childrenOf.set(parent, [...(childrenOf.get(parent) ?? []), id])
    } else seen.add(id)
  })
  for (const { id, parent } of boardingAreas) if (names.has(parent)) platformOf.set(id, parent)
  return { names, points, platformOf, childrenOf }
}

/** Whether a position is on the globe, but not within about a degree of a pole or of 0, 0. */
function isBelievable(latText: string, lonText: string): boolean {
  if (latText === '' || lonText === '') return false
  const [lat, lon] = [Number(latText), Number(lonText)]
  if (!(Math.abs(lat) < 89 && Math.abs(lon) <= 180)) return false
  return Math.abs(lat) > 1 || Math.abs(lon) > 1
}
