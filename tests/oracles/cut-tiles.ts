// Makes tiles from GeoJSON as MapLibre itself does: cut by geojson-vt and written by vt-pbf. Shares no code with the
// cutter in indexes/ground: each cell has its own index, as if the cell were the whole world.
import { GeoJSONVT, type GeoJSONVTTile } from '@maplibre/geojson-vt'
import { fromGeojsonVt } from '@maplibre/vt-pbf'
import type { GroundFeatures } from '../../indexes/ground/ground-features.ts'
import { GROUND_KINDS, GROUND_LAYERS } from '../../loaders/osm/ground-kinds.ts'
import { type StringIndex, type StringPool, textOf } from '../../loaders/strings.ts'

const WORLD = 2 ** 31
const EXTENT = 4_096
const BUFFER = 64
const ROAD_NAME_ZOOM = 13

/** A cell, and the highest zoom of the tiles that are made from it. */
interface OracleCell {
  readonly zoom: number
  readonly x: number
  readonly y: number
  readonly mostZoom: number
}

/** The tiles of a cell, by `zoom/column/row`. */
export function cutByGeojsonVt(
  features: GroundFeatures,
  names: StringPool,
  { zoom, x, y, mostZoom }: OracleCell,
): Map<string, Uint8Array> {
  const numbers = Array.from({ length: features.count }, (_, feature) => feature)
  const drawn = numbers.filter((feature) => (features.leastZoom[feature] ?? 0) <= mostZoom)
  const side = WORLD / 2 ** zoom
  const toShare = ([px, py]: readonly [number, number]) => [(px - x * side) / side, (py - y * side) / side]
  const index = new GeoJSONVT(
    { type: 'FeatureCollection', features: drawn.map((feature) => toGeoJson(features, feature, toShare)) },
    {
      // The zooms of the index count from the cell's zoom, so this is zoom 14, the highest zoom of the map. A lower
      // maximum would be wrong, because geojson-vt simplifies lines at all zooms below its maximum.
      maxZoom: 14 - zoom,
      indexMaxZoom: mostZoom - zoom,
      indexMaxPoints: 0,
      extent: EXTENT,
      buffer: BUFFER,
      coordinates: 'unitSquare',
      wrap: false,
    },
  )
  const tiles = new Map<string, Uint8Array>()
  for (let down = 0; down <= mostZoom - zoom; down++) {
    for (let row = 0; row < 2 ** down; row++) {
      for (let column = 0; column < 2 ** down; column++) {
        const tile = index.getTile(down, column, row)
        const bytes = tile === null ? undefined : encode(tile, { features, names, zoom: zoom + down })
        if (bytes !== undefined) tiles.set(`${zoom + down}/${x * 2 ** down + column}/${y * 2 ** down + row}`, bytes)
      }
    }
  }
  return tiles
}

function toGeoJson(
  features: GroundFeatures,
  feature: number,
  toShare: (point: readonly [number, number]) => number[],
): GeoJSON.Feature {
  const rings = ringsOf(features, feature).map((ring) => ring.map(toShare))
  const geometry: GeoJSON.Geometry =
    features.shape[feature] === 3
      ? { type: 'Polygon', coordinates: rings }
      : features.shape[feature] === 2
        ? { type: 'LineString', coordinates: rings[0] ?? [] }
        : { type: 'Point', coordinates: rings[0]?.[0] ?? [] }
  return { type: 'Feature', id: feature, properties: {}, geometry }
}

/** The rings of a feature as points of the plane. */
export function ringsOf(features: GroundFeatures, feature: number): [number, number][][] {
  const { rings, starts, points } = features
  return Array.from({ length: (rings[feature + 1] ?? 0) - (rings[feature] ?? 0) }, (_, at) => {
    const ring = (rings[feature] ?? 0) + at
    const own = points.subarray(starts[ring], starts[ring + 1])
    return Array.from({ length: own.length / 2 }, (_, point) => [own[2 * point] ?? 0, own[2 * point + 1] ?? 0])
  })
}

interface Encoding {
  readonly features: GroundFeatures
  readonly names: StringPool
  readonly zoom: number
}

function encode(tile: GeoJSONVTTile, { features, names, zoom }: Encoding): Uint8Array | undefined {
  const layers: Record<string, object> = {}
  for (const layer of GROUND_LAYERS) {
    const own = tile.features.filter(
      ({ id }) =>
        (features.leastZoom[Number(id)] ?? 0) <= zoom && GROUND_KINDS[features.kind[Number(id)] ?? 0]?.layer === layer,
    )
    own.sort((a, b) => (features.leastZoom[Number(a.id)] ?? 0) - (features.leastZoom[Number(b.id)] ?? 0))
    if (own.length === 0) continue
    layers[layer] = {
      features: own.map(({ id, geometry, type }) => ({
        geometry,
        type,
        tags: tagsOf(Number(id), features, names, zoom),
      })),
    }
  }
  if (Object.keys(layers).length === 0) return undefined
  return new Uint8Array(fromGeojsonVt(layers as Parameters<typeof fromGeojsonVt>[0], { version: 2, extent: EXTENT }))
}

function tagsOf(feature: number, features: GroundFeatures, names: StringPool, zoom: number): object {
  const kind = GROUND_KINDS[features.kind[feature] ?? 0]
  const name = textOf(names, features.name[feature] as StringIndex)
  return {
    kind: kind?.kind,
    ...(kind?.detail === undefined ? {} : { kind_detail: kind.detail }),
    ...(features.isTunnel[feature] === 1 ? { is_tunnel: true } : {}),
    ...(name === '' || (kind?.layer === 'roads' && zoom < ROAD_NAME_ZOOM) ? {} : { name }),
  }
}
