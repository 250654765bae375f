// The operator's base map, a PMTiles file with raster tiles, or with vector tiles styled by layer name. The code is
// loaded only if there is such a file.
import type { AddProtocolAction, LayerSpecification, SourceSpecification } from 'maplibre-gl'
import { TILES_URL } from '../page-addresses.ts'

/** Sources and layers of the base map. */
export interface Tiles {
  /** Sources of the style, by name. */
  readonly source: Readonly<Record<string, SourceSpecification>>
  layers(isDark: boolean): readonly LayerSpecification[]
  /** The required attribution, as text. */
  readonly credit: string
}

interface TileMetadata {
  readonly vector_layers?: readonly { readonly id: string }[]
  readonly attribution?: string
}

/** Loads the file's metadata; undefined if the operator has no base map. */
export async function loadTiles(
  addProtocol: (name: string, action: AddProtocolAction) => void,
): Promise<Tiles | undefined> {
  if (TILES_URL === '') return undefined
  const { PMTiles, Protocol, TileType } = await import('pmtiles')
  const url = new URL(TILES_URL, location.href).href
  const archive = new PMTiles(url)
  const protocol = new Protocol()
  protocol.add(archive)
  addProtocol('pmtiles', protocol.tile)
  const header = await archive.getHeader()
  const metadata = (await archive.getMetadata()) as TileMetadata
  const isVector = header.tileType === TileType.Mvt || header.tileType === TileType.Mlt
  const names = metadata.vector_layers?.map((each) => each.id) ?? []
  const source: SourceSpecification = isVector
    ? { type: 'vector', url: `pmtiles://${url}` }
    : { type: 'raster', url: `pmtiles://${url}`, tileSize: 256 }
  return {
    source: { tiles: source },
    layers: (isDark) => (isVector ? vectorLayers(names, isDark) : [rasterLayer(isDark)]),
    credit: toText(metadata.attribution ?? ''),
  }
}

/**
 * Converts markup to text. Tags are removed first, because Chromium reports event handlers even in a document that is
 * only parsed. A text area then decodes the entities without creating elements.
 */
function toText(markup: string): string {
  const reader = document.createElement('textarea')
  reader.innerHTML = markup.replaceAll(/<[^<>]*>/g, '').replaceAll('<', '&lt;')
  return reader.value
}

function rasterLayer(isDark: boolean): LayerSpecification {
  const paint = { 'raster-saturation': -0.7, 'raster-opacity': isDark ? 0.45 : 0.75 }
  return { id: 'tiles', type: 'raster', source: 'tiles', paint }
}

/** Styles of layers in common schemas, by the start of their names. Other layers are not drawn. */
const LOOKS: readonly (readonly [name: RegExp, type: 'fill' | 'line', light: string, dark: string])[] = [
  [/^(land|earth)$/i, 'fill', '#f7f8f5', '#121a18'],
  [/^(landuse|landcover|park|land_use)/i, 'fill', '#eaf0e8', '#142019'],
  [/^(water$|ocean|waterarea)/i, 'fill', '#d8e4e8', '#0b1518'],
  [/^(waterway|physical_line)/i, 'line', '#c9dade', '#11202a'],
  [/^building/i, 'fill', '#ecedea', '#18211f'],
  [/^(road|transportation$|street|highway)/i, 'line', '#dde2de', '#222d2a'],
  [/^(boundar|admin)/i, 'line', '#cfd8d3', '#27332f'],
]

function vectorLayers(names: readonly string[], isDark: boolean): readonly LayerSpecification[] {
  return LOOKS.flatMap(([pattern, type, light, dark]) =>
    names
      .filter((name) => pattern.test(name))
      .map((name): LayerSpecification => {
        const common = { id: `tiles-${name}`, source: 'tiles', 'source-layer': name }
        const color = isDark ? dark : light
        if (type === 'line') return { ...common, type: 'line', paint: { 'line-color': color, 'line-width': 1.2 } }
        return { ...common, type: 'fill', filter: ['==', ['geometry-type'], 'Polygon'], paint: { 'fill-color': color } }
      }),
  )
}
