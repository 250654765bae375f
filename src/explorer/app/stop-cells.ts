// Loads the stops in view at high zooms, by grid cell. Loaded cells stay in memory.
import { requestAll, segment } from './api-client.ts'
import type { Network, Stop } from './contract.ts'
import type { Label } from './map/labels.ts'
import type { MapFeature } from './map/map-feature.ts'
import type { MapView } from './map/map-view.ts'
import { toPlane } from './map/mercator.ts'

/** Cell size in degrees. The API accepts bounding boxes of at most half a degree. */
const CELL_DEGREES = 0.04
const LEAST_ZOOM = 12.6
const MOST_CELLS = 24
/**
 * Maximum number of stops that are loaded for a cell. No city has that many in one cell. Further stops are not drawn,
 * but search finds them.
 */
const MOST_STOPS = 3_000
const SETTLED_MILLIS = 250
const LABEL_ZOOM = 14.1

/** Draws the stops of one network. */
export class StopCells {
  private readonly network: Network
  private readonly view: MapView
  private readonly cells = new Map<string, Promise<void>>()
  private readonly stops = new Map<string, Stop>()
  private timer: ReturnType<typeof setTimeout> | undefined
  private isClosed = false
  /** Called with the labels of all loaded stops, except platforms. */
  onLabels: (labels: readonly Label[]) => void = () => undefined

  constructor(network: Network, view: MapView) {
    this.network = network
    this.view = view
    view.map.on('moveend', this.settle)
    this.settle()
  }

  stop(id: string): Stop | undefined {
    return this.stops.get(id)
  }

  close(): void {
    this.isClosed = true
    clearTimeout(this.timer)
    this.view.map.off('moveend', this.settle)
  }

  private readonly settle = () => {
    clearTimeout(this.timer)
    this.timer = setTimeout(() => this.readView(), SETTLED_MILLIS)
  }

  private readView(): void {
    if (this.view.map.getZoom() < LEAST_ZOOM) return
    const [west, south, east, north] = this.view.bounds().map((edge) => Math.floor(edge / CELL_DEGREES))
    const keys: (readonly [number, number])[] = []
    for (let column = west; column <= east; column++)
      for (let row = south; row <= north; row++) keys.push([column, row])
    if (keys.length > MOST_CELLS) return
    for (const [column, row] of keys) {
      const key = `${column} ${row}`
      if (!this.cells.has(key))
        this.cells.set(
          key,
          this.readCell(column, row).catch(() => void this.cells.delete(key)),
        )
    }
  }

  private async readCell(column: number, row: number): Promise<void> {
    const edges = [column, row, column + 1, row + 1].map((index) => (index * CELL_DEGREES).toFixed(2))
    const path = `/networks/${segment(this.network.id)}/stops?bbox=${edges.join(',')}&limit=100`
    const { rows } = await requestAll<Stop>(path, 'stopsInView', MOST_STOPS)
    if (this.isClosed) return
    for (const stop of rows) this.stops.set(stop.id, stop)
    this.draw()
  }

  private draw(): void {
    const all = [...this.stops.values()]
    this.view.give('stops', all.map(stopFeature))
    const named = all.filter((stop) => kindOf(stop) !== 'platform')
    this.onLabels(named.map((stop) => stopLabel(stop, LABEL_ZOOM)).sort((one, other) => other.weight - one.weight))
  }
}

/** A stop as a map feature. */
export function stopFeature(stop: Stop): MapFeature {
  return {
    type: 'Feature',
    properties: { stop: stop.id, kind: kindOf(stop), area: stop.parent_id ?? stop.id },
    geometry: { type: 'Point', coordinates: [stop.lon, stop.lat] },
  }
}

/** The label for a stop. Stops with more lines have priority. */
export function stopLabel(stop: Stop, leastZoom: number): Label {
  return { ...toPlane([stop.lon, stop.lat]), text: stop.name, leastZoom, weight: stop.line_ids.length }
}

/**
 * Merges the stops in each area into one stop. The merged stop has the area's id and is at the center of these stops.
 */
export function mergeByArea(stops: readonly Stop[]): readonly Stop[] {
  const byArea = Map.groupBy(stops, (stop) => stop.parent_id ?? stop.id)
  return [...byArea].map(([id, [first, ...others]]) => {
    const all = [first, ...others]
    const middle = (of: (stop: Stop) => number) => all.reduce((sum, stop) => sum + of(stop), 0) / all.length
    return { ...first, id, parent_id: null, lat: middle((stop) => stop.lat), lon: middle((stop) => stop.lon) }
  })
}

/** How a stop is drawn: as a single stop, as an area, or as a platform in an area. */
function kindOf(stop: Stop): 'single' | 'area' | 'platform' {
  if (stop.kind === 'area') return stop.children.length > 0 ? 'area' : 'single'
  return stop.parent_id === null ? 'single' : 'platform'
}
