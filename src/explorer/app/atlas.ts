// The lines of the chosen network and their shapes, loaded in pages. A page costs one unit. For a large network, only
// the shapes of the most important modes are therefore loaded at first. The shapes of other modes are loaded on demand.

import { Stored } from '../../pages/app/stored.ts'
import { type Refusal, request, requestAll, segment, toRefusal } from './api-client.ts'
import type { Coordinate, DirectionStops, Geometry, Line, LineDetail, Network } from './contract.ts'
import { areaWays, type StopWays } from './map/area-ways.ts'
import { legibleColor, safeColor } from './map/colors.ts'
import type { MapFeature } from './map/map-feature.ts'
import type { Bounds } from './map/mercator.ts'
import { type Path, pathsOf } from './map/paths.ts'
import type { LineLooks } from './map/vehicle-layer.ts'

/** The shape of a line, ready to draw. */
export interface Shape {
  readonly ways: StopWays
  readonly pathsByDirection: ReadonlyMap<string, readonly Path[]>
  readonly bounds: Bounds
}

/** The loaded lines, and how far loading has progressed. */
export interface AtlasState {
  readonly lines: readonly Line[]
  /** Whether `lines` has all lines of the network. */
  readonly isWhole: boolean
  /** Number of lines whose shapes are loaded. */
  readonly drawn: number
  /** Number of lines whose shapes are loaded or requested. */
  readonly wanted: number
  /** Why lines or shapes could not be loaded; undefined if there was no error. */
  readonly problem: Refusal | undefined
}

const NOTHING_YET: AtlasState = { lines: [], isWhole: false, drawn: 0, wanted: 0, problem: undefined }
const MOST_LINES = 2_000
/** Number of shapes that are loaded without a user action, rounded up to whole pages. */
const FIRST_SHAPES = 120
const HEAVY_MODES = ['rail', 'metro', 'monorail', 'tram', 'funicular', 'cable_tram', 'ferry', 'trolleybus']
/** Line widths in pixels at city scale, by mode. */
const WEIGHTS: Readonly<Record<string, number>> = {
  rail: 3.6,
  metro: 4.2,
  monorail: 3.6,
  tram: 3.6,
  ferry: 2.2,
  trolleybus: 2.6,
}
const USUAL_WEIGHT = 2.1

/** The path of the first page of a network's lines. */
export function linesPath(networkId: string): string {
  return `/networks/${segment(networkId)}/lines?limit=100`
}

/** The lines of one network. */
export class Atlas {
  readonly network: Network
  readonly state = new Stored<AtlasState>(NOTHING_YET)
  private readonly shapes = new Map<string, Shape>()
  private readonly requestedShapes = new Map<string, Promise<Shape | undefined>>()
  private readonly stopsOfLine = new Map<string, Promise<readonly DirectionStops[]>>()
  private lineById = new Map<string, Line>()
  /** The lists of lines whose shapes are not all loaded yet; undefined before the lines are loaded. */
  private lots: Lot[] | undefined
  private isClosed = false
  /** Called each time a shape has loaded. */
  onShapes: () => void = () => undefined

  constructor(network: Network) {
    this.network = network
  }

  /** Loads the lines, then the first batch of shapes. */
  async load(): Promise<void> {
    try {
      const { rows, isWhole } = await requestAll<Line>(linesPath(this.network.id), 'lines', MOST_LINES)
      if (this.isClosed) return
      this.lineById = new Map(rows.map((line) => [line.id, line]))
      this.state.update((state) => ({ ...state, lines: rows, isWhole, problem: undefined }))
      await this.drawMore(FIRST_SHAPES)
    } catch (error) {
      this.state.update((state) => ({ ...state, problem: toRefusal(error) }))
    }
  }

  /** Loads the shapes of more lines. */
  async drawMore(count: number): Promise<void> {
    this.state.update((state) => ({ ...state, wanted: Math.min(state.lines.length, state.drawn + count) }))
    this.lots ??= this.listLots()
    const { lots } = this
    try {
      for (let left = count, lot = lots[0]; lot !== undefined && left > 0 && !this.isClosed; lot = lots[0]) {
        const { data, meta } = await request<readonly Line[]>(lot.path + cursorOf(lot), 'lineShapes')
        for (const line of data) await this.takeLine(line)
        left -= data.length
        lot.cursor = meta.next_cursor ?? undefined
        if (lot.cursor === undefined) lots.shift()
      }
      this.state.update((state) => ({ ...state, wanted: state.drawn }))
    } catch (error) {
      this.state.update((state) => ({ ...state, wanted: state.drawn, problem: toRefusal(error) }))
    }
  }

  /**
   * The lists of lines to load with their shapes. Usually, this is one list of all lines. For a large network, there
   * are two lists: first the lines of important modes, then all other lines.
   */
  private listLots(): Lot[] {
    const { network } = this
    const path = `/networks/${segment(network.id)}/lines?limit=100&include=geometry`
    if (this.state.value.lines.length <= FIRST_SHAPES) return [{ path, cursor: undefined }]
    const [heavy = [], others = []] = [true, false].map((isHeavy) =>
      network.modes.filter((mode) => HEAVY_MODES.includes(mode) === isHeavy),
    )
    return [heavy, others]
      .filter((modes) => modes.length > 0)
      .map((modes) => ({ path: `${path}&modes=${modes.join(',')}`, cursor: undefined }))
  }

  /** Stops loading. */
  close(): void {
    this.isClosed = true
    this.onShapes = () => undefined
  }

  line(id: string): Line | undefined {
    return this.lineById.get(id)
  }

  /** The shape of a line, if loaded. */
  shape(id: string): Shape | undefined {
    return this.shapes.get(id)
  }

  /** Loads a line's shape once, and again only after a failure. Resolves to undefined if the line has no shape. */
  shapeOf(id: string): Promise<Shape | undefined> {
    let shape = this.requestedShapes.get(id)
    if (shape === undefined) {
      shape = this.requestShape(id)
      shape.catch(() => this.requestedShapes.delete(id))
      this.requestedShapes.set(id, shape)
    }
    return shape
  }

  /** Loads a line's stops once, and again only after a failure. */
  stopsOf(id: string): Promise<readonly DirectionStops[]> {
    let stops = this.stopsOfLine.get(id)
    if (stops === undefined) {
      const path = `/lines/${segment(id)}/stops`
      stops = request<readonly DirectionStops[]>(path, 'lineStops').then(({ data }) => data)
      stops.catch(() => this.stopsOfLine.delete(id))
      this.stopsOfLine.set(id, stops)
    }
    return stops
  }

  /** The color of a line's vehicles, and the paths of the line's shape in each direction. */
  looksOf(id: string, isDark: boolean): LineLooks {
    return {
      color: legibleColor(safeColor(this.lineById.get(id)?.color), isDark),
      pathsByDirection: this.shapes.get(id)?.pathsByDirection ?? new Map(),
    }
  }

  /** All loaded shapes as map features. */
  features(isDark: boolean): MapFeature[] {
    const features: MapFeature[] = []
    for (const [id, geometries] of this.drawnGeometries()) {
      const line = this.lineById.get(id)
      const color = legibleColor(safeColor(line?.color), isDark)
      const weight = WEIGHTS[line?.mode ?? ''] ?? USUAL_WEIGHT
      for (const geometry of geometries) {
        features.push({ type: 'Feature', properties: { line: id, color, weight, order: weight }, geometry })
      }
    }
    return features
  }

  /** Line → the geometries to draw: its shapes or, if the network has no shapes, straight lines between areas. */
  private drawnGeometries(): ReadonlyMap<string, readonly Geometry[]> {
    const ways = [...this.shapes].map(([id, shape]) => [id, shape.ways] as const)
    if (!this.network.capabilities.shapes) {
      return new Map([...areaWays(new Map(ways))].map(([id, geometry]) => [id, [geometry]]))
    }
    return new Map(ways.map(([id, each]) => [id, each.map(({ geometry }) => geometry)]))
  }

  /** The bounding box of all loaded shapes; undefined if there are none. */
  bounds(): Bounds | undefined {
    return unionOf([...this.shapes.values()].map((shape) => shape.bounds))
  }

  private async requestShape(id: string): Promise<Shape | undefined> {
    const path = `/lines/${segment(id)}?include=geometry`
    const { data } = await request<LineDetail>(path, 'lineShape')
    this.lineById.set(id, { ...this.lineById.get(id), ...data })
    return this.draw(data)
  }

  /** Adds a line's shape from a loaded page. */
  private async takeLine(line: Line): Promise<void> {
    if (this.requestedShapes.has(line.id)) return
    const shape = this.draw(line)
    shape.catch(() => this.requestedShapes.delete(line.id))
    this.requestedShapes.set(line.id, shape)
    // A shape that fails to load is requested again when its line is opened.
    await shape.catch(() => undefined)
  }

  private async draw({ id, shapes = [] }: Line | LineDetail): Promise<Shape | undefined> {
    let drawn = shapes.map(({ direction_id, geometry }) => ({ direction_id, geometry }))
    if (drawn.length === 0) drawn = (await this.stopsOf(id)).map(straightShape)
    if (this.isClosed) return undefined
    const known = drawn.filter(({ geometry }) => geometry.coordinates.length > 0)
    this.state.update((state) => ({ ...state, drawn: state.drawn + 1 }))
    const bounds = boundsOf(known.map(({ geometry }) => geometry))
    if (bounds === undefined) return undefined
    const pathsByDirection = new Map<string, readonly Path[]>()
    for (const { direction_id, geometry } of known) {
      pathsByDirection.set(direction_id, [...(pathsByDirection.get(direction_id) ?? []), ...pathsOf(geometry)])
    }
    const shape = { ways: known, pathsByDirection, bounds }
    this.shapes.set(id, shape)
    this.onShapes()
    return shape
  }
}

/** A list of lines, and the cursor for its next page. The cursor is undefined before the first page. */
interface Lot {
  readonly path: string
  cursor: string | undefined
}

function cursorOf({ cursor }: Lot): string {
  return cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`
}

/** The bounding box of several boxes; undefined if there are none. */
function unionOf(boxes: readonly Bounds[]): Bounds | undefined {
  if (boxes.length === 0) return undefined
  return [
    Math.min(...boxes.map((box) => box[0])),
    Math.min(...boxes.map((box) => box[1])),
    Math.max(...boxes.map((box) => box[2])),
    Math.max(...boxes.map((box) => box[3])),
  ]
}

/** Straight lines from stop to stop, for feeds without shapes. */
function straightShape({ direction_id, stops }: DirectionStops): { direction_id: string; geometry: Geometry } {
  const coordinates = stops.map((stop): Coordinate => [stop.lon, stop.lat])
  return { direction_id, geometry: { type: 'LineString', coordinates } }
}

function boundsOf(geometries: readonly Geometry[]): Bounds | undefined {
  const bounds: [number, number, number, number] = [180, 90, -180, -90]
  for (const geometry of geometries) {
    const strings = geometry.type === 'LineString' ? [geometry.coordinates] : geometry.coordinates
    for (const string of strings) {
      for (const [lon, lat] of string) {
        bounds[0] = Math.min(bounds[0], lon)
        bounds[1] = Math.min(bounds[1], lat)
        bounds[2] = Math.max(bounds[2], lon)
        bounds[3] = Math.max(bounds[3], lat)
      }
    }
  }
  return bounds[0] > bounds[2] ? undefined : bounds
}
