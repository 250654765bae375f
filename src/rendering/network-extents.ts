// A search tree of all networks' extents. Requests about a location search the tree first, so their cost depends on the
// number of networks around the location, not on the number of all networks.
import { type NumberedBox, openBoxes } from '../../indexes/spatial/moving-points.ts'
import { type BoxSearch, boxOfTree, type Circle, type GeoBox, visitAround } from '../../indexes/spatial/point-tree.ts'
import type { Timetable } from '../../indexes/timetable/timetable.ts'

/** The extents of networks. A network's number is its index in `timetables`. */
export class NetworkExtents {
  private readonly boxes: BoxSearch

  constructor(timetables: readonly Timetable[]) {
    const extents = timetables.flatMap((timetable, index): NumberedBox[] => {
      const box = extentOf(timetable)
      return box === undefined
        ? []
        : [{ minX: box.minLon, maxX: box.maxLon, minY: box.minLat, maxY: box.maxLat, index }]
    })
    this.boxes = openBoxes(extents)
  }

  /** The numbers of the networks that may have a stop or area within a circle, in ascending order. */
  around(circle: Circle): number[] {
    const found = new Set<number>()
    visitAround(this.boxes, circle, (index) => {
      found.add(index)
      return false
    })
    return [...found].sort((a, b) => a - b)
  }
}

/** The box around a network's stops and areas; undefined if the network has none. */
function extentOf({ pointTrees }: Timetable): GeoBox | undefined {
  const [stops, areas] = [boxOfTree(pointTrees.stops), boxOfTree(pointTrees.areas)]
  if (stops === undefined || areas === undefined) return stops ?? areas
  return {
    minLat: Math.min(stops.minLat, areas.minLat),
    maxLat: Math.max(stops.maxLat, areas.maxLat),
    minLon: Math.min(stops.minLon, areas.minLon),
    maxLon: Math.max(stops.maxLon, areas.maxLon),
  }
}
