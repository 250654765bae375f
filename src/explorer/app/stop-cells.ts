// The stops in view, read cell by cell of a grid when one is near enough to tell them apart, and kept from then on.
import { askAll, segment } from './api-client.ts'
import type { Network, Stop } from './contract.ts'
import type { Label } from './map/labels.ts'
import type { MapFeature, MapView } from './map/map-view.ts'
import { toPlane } from './map/mercator.ts'

/** Degrees each way. The API takes boxes of half a degree at most. */
const CELL_DEGREES = 0.04
const LEAST_ZOOM = 12.6
const MOST_CELLS = 24
/** More stops than this are in no cell of any city; what is beyond it is not drawn, but found by search. */
const MOST_STOPS = 3_000
const SETTLED_MILLIS = 250
const LABEL_ZOOM = 14.1

/** Feeds the map with the stops of one network. */
export class StopCells {
  private readonly network: Network
  private readonly view: MapView
  private readonly cells = new Map<string, Promise<void>>()
  private readonly stops = new Map<string, Stop>()
  private timer: ReturnType<typeof setTimeout> | undefined
  private isClosed = false
  /** Called with the names to draw. */
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
    const { rows } = await askAll<Stop>(path, 'The stops in view', MOST_STOPS)
    if (this.isClosed) return
    for (const stop of rows) this.stops.set(stop.id, stop)
    this.draw()
  }

  private draw(): void {
    const all = [...this.stops.values()]
    this.view.give('stops', all.map(stopFeature))
    const named = all.filter((stop) => !isPlatform(stop))
    this.onLabels(named.map((stop) => stopLabel(stop, LABEL_ZOOM)).sort((one, other) => other.weight - one.weight))
  }
}

/** A stop on the map. */
export function stopFeature(stop: Stop): MapFeature {
  return {
    type: 'Feature',
    properties: { stop: stop.id, isPlatform: isPlatform(stop) },
    geometry: { type: 'Point', coordinates: [stop.lon, stop.lat] },
  }
}

/** A stop's name on the map; one with many lines goes first. */
export function stopLabel(stop: Stop, leastZoom: number): Label {
  return { ...toPlane([stop.lon, stop.lat]), text: stop.name, leastZoom, weight: stop.line_ids.length }
}

function isPlatform(stop: Stop): boolean {
  return stop.kind === 'stop' && stop.parent_id !== null
}
