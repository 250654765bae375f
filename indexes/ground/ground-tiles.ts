// Makes vector tiles of features, one cell of the map after another, so that memory is bounded by the fullest cell:
// zooms 8 to 10 by cells of zoom 8, zooms 11 to 14 by cells of zoom 11. geojson-vt gets each cell as if it were the
// whole world.
import { GeoJSONVT, type GeoJSONVTTile } from '@maplibre/geojson-vt'
import { fromGeojsonVt } from '@maplibre/vt-pbf'
import { zxyToTileId } from 'pmtiles'
import { GROUND_KINDS, GROUND_LAYERS, type GroundLayer } from '../../loaders/osm/ground-kinds.ts'
import type { KeptArea } from '../../loaders/osm/kept-area.ts'
import { EMPTY_STRING, type StringIndex, type StringPool, textOf } from '../../loaders/strings.ts'
import { type GroundFeatures, IS_AREA, IS_LINE } from './ground-features.ts'
import { touchesKept, WORLD_UNITS } from './plane.ts'

/** Zooms of the tiles; beyond the last one, the map stretches its tiles. */
export const LEAST_ZOOM = 8
export const MOST_ZOOM = 14
/** The zooms of cells, each with the zooms of its tiles. */
const CELLS = [
  { cellZoom: 8, mostZoom: 10 },
  { cellZoom: 11, mostZoom: MOST_ZOOM },
]
const EXTENT = 4_096
const BUFFER = 64
/** How far a tile extends into its neighbors, as a share of its side. */
export const TILE_MARGIN = BUFFER / EXTENT
/** A step ends after this many features: by then, there are a few hundred megabytes of garbage. */
const FEATURES_A_STEP = 100_000
/** Tiles contain the names of roads from this zoom on. */
const ROAD_NAME_ZOOM = 13

type Tags = Readonly<Record<string, string | boolean>>

/** The input for tiles. */
export interface TileSource {
  readonly features: GroundFeatures
  readonly names: StringPool
  /** Only tiles of this area are made; undefined for all. */
  readonly kept: KeptArea | undefined
  /** Only tiles for which this is true are made. */
  readonly holds?: ((zoom: number, x: number, y: number) => boolean) | undefined
}

/** A square of the map. */
interface Cell {
  readonly zoom: number
  readonly x: number
  readonly y: number
}

/**
 * Makes all tiles that are not empty. @param add called with a tile and its id in PMTiles @param onStep called from
 * time to time with the share that is done
 */
export function makeTiles(
  source: TileSource,
  add: (id: number, tile: Uint8Array<ArrayBuffer>) => void,
  onStep: (part: number) => void = () => {},
): void {
  for (const [round, { cellZoom, mostZoom }] of CELLS.entries()) {
    const cells = listCells(source.features, cellZoom, mostZoom)
    const count = cells.size
    let since = 0
    for (const [id, features] of cells) {
      const cell = { zoom: cellZoom, x: id % 2 ** cellZoom, y: Math.floor(id / 2 ** cellZoom) }
      const isHeld = source.holds?.(cell.zoom, cell.x, cell.y) !== false
      if (isHeld && isKept(cell, source.kept)) makeCell(source, { cell, features, mostZoom }, add)
      cells.delete(id)
      since += features.length
      if (since < FEATURES_A_STEP) continue
      since = 0
      onStep((round + 1 - cells.size / count) / CELLS.length)
    }
  }
}

function isKept({ zoom, x, y }: Cell, kept: KeptArea | undefined): boolean {
  if (kept === undefined) return true
  const side = WORLD_UNITS / 2 ** zoom
  return touchesKept(kept, { minX: x * side, minY: y * side, maxX: (x + 1) * side, maxY: (y + 1) * side })
}

/** The numbers of the features in each cell, by row and column. */
function listCells(features: GroundFeatures, cellZoom: number, mostZoom: number): Map<number, number[]> {
  const cells = new Map<number, number[]>()
  const count = 2 ** cellZoom
  const side = WORLD_UNITS / count
  const cellAt = (value: number) => Math.max(0, Math.min(count - 1, Math.floor(value)))
  for (let feature = 0; feature < features.count; feature++) {
    if (features.leastZoom(feature) > mostZoom) continue
    const { minX, minY, maxX, maxY } = features.box(feature)
    const lastX = cellAt(maxX / side + TILE_MARGIN)
    const lastY = cellAt(maxY / side + TILE_MARGIN)
    for (let y = cellAt(minY / side - TILE_MARGIN); y <= lastY; y++) {
      for (let x = cellAt(minX / side - TILE_MARGIN); x <= lastX; x++) {
        cells.getOrInsertComputed(y * count + x, () => []).push(feature)
      }
    }
  }
  return cells
}

function makeCell(
  source: TileSource,
  of: { readonly cell: Cell; readonly features: readonly number[]; readonly mostZoom: number },
  add: (id: number, tile: Uint8Array<ArrayBuffer>) => void,
): void {
  const { cell, mostZoom } = of
  const depth = mostZoom - cell.zoom
  const side = WORLD_UNITS / 2 ** cell.zoom
  const square = { x: cell.x * side, y: cell.y * side, side }
  const data = of.features.map((feature) => toGeoJson(source.features, feature, square))
  const index = new GeoJSONVT(
    { type: 'FeatureCollection', features: data },
    {
      // Only tiles of the highest zoom keep all points.
      maxZoom: MOST_ZOOM - cell.zoom,
      indexMaxZoom: depth,
      indexMaxPoints: 0,
      extent: EXTENT,
      buffer: BUFFER,
      coordinates: 'unitSquare',
      wrap: false,
    },
  )
  const looks = new CellTags(source)
  for (let down = 0; down <= depth; down++) {
    for (let y = 0; y < 2 ** down; y++) {
      for (let x = 0; x < 2 ** down; x++) {
        const place = { zoom: cell.zoom + down, x: cell.x * 2 ** down + x, y: cell.y * 2 ** down + y }
        const tile = isKept(place, source.kept) ? index.getTile(down, x, y) : null
        const bytes = tile === null ? undefined : encodeTile(tile, place.zoom, looks)
        if (bytes !== undefined) add(zxyToTileId(place.zoom, place.x, place.y), bytes)
      }
    }
  }
}

function toGeoJson(
  features: GroundFeatures,
  feature: number,
  square: { readonly x: number; readonly y: number; readonly side: number },
): GeoJSON.Feature {
  const rings = features.rings(feature, square)
  const { shape } = features.look(feature)
  const geometry: GeoJSON.Geometry =
    shape === IS_AREA
      ? { type: 'Polygon', coordinates: rings }
      : shape === IS_LINE
        ? { type: 'LineString', coordinates: rings[0] }
        : { type: 'Point', coordinates: rings[0][0] }
  return { type: 'Feature', id: feature, properties: {}, geometry }
}

/** The tags of the features of a cell, without duplicates. */
class CellTags {
  private readonly source: TileSource
  private readonly made = new Map<string, Tags>()

  constructor(source: TileSource) {
    this.source = source
  }

  leastZoom(feature: number): number {
    return this.source.features.leastZoom(feature)
  }

  layer(feature: number): GroundLayer {
    return GROUND_KINDS[this.source.features.look(feature).kind].layer
  }

  tags(feature: number, zoom: number): Tags {
    const { kind, name, isTunnel } = this.source.features.look(feature)
    const { kind: word, detail, layer } = GROUND_KINDS[kind]
    const shown = layer === 'roads' && zoom < ROAD_NAME_ZOOM ? EMPTY_STRING : name
    return this.made.getOrInsertComputed(`${kind} ${shown} ${isTunnel}`, () => ({
      kind: word,
      ...(detail === undefined ? {} : { kind_detail: detail }),
      ...(isTunnel ? { is_tunnel: true } : {}),
      ...(shown === EMPTY_STRING ? {} : { name: textOf(this.source.names, shown as StringIndex) }),
    }))
  }
}

interface TileLayer {
  readonly features: { geometry: unknown; type: number; tags: Tags; leastZoom: number }[]
}

/** A tile's bytes; undefined if it is empty. */
function encodeTile(tile: GeoJSONVTTile, zoom: number, looks: CellTags): Uint8Array<ArrayBuffer> | undefined {
  const layers = new Map<GroundLayer, TileLayer>()
  for (const { id, geometry, type } of tile.features) {
    const feature = Number(id)
    const leastZoom = looks.leastZoom(feature)
    if (leastZoom > zoom) continue
    const layer = layers.getOrInsertComputed(looks.layer(feature), () => ({ features: [] }))
    layer.features.push({ geometry, type, tags: looks.tags(feature, zoom), leastZoom })
  }
  const named = GROUND_LAYERS.flatMap((name) => {
    const layer = layers.get(name)
    // Large areas are drawn before the small ones on them.
    layer?.features.sort((a, b) => a.leastZoom - b.leastZoom)
    return layer === undefined ? [] : [[name, layer]]
  })
  if (named.length === 0) return undefined
  return new Uint8Array(fromGeojsonVt(Object.fromEntries(named), { version: 2, extent: EXTENT }))
}
