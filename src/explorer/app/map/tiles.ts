// The base map: a PMTiles file of the operator with raster or vector tiles, or the one made from streets. The code is
// loaded only if there is such a file.
import type { AddProtocolAction, LayerSpecification, SourceSpecification } from 'maplibre-gl'
import { TILES_URL } from '../page-addresses.ts'
import type { GroundStyle } from './ground-style.ts'

/** Sources and layers of the base map. */
export interface Tiles {
  /** Sources of the style, by name. */
  readonly source: Readonly<Record<string, SourceSpecification>>
  layers(isDark: boolean): GroundStyle
  /** The required attribution, as text. */
  readonly credit: string
}

interface TileMetadata {
  readonly vector_layers?: readonly { readonly id: string }[]
  readonly attribution?: string
}

/** Loads the file's metadata; undefined if there is no base map. */
export async function loadTiles(
  addProtocol: (name: string, action: AddProtocolAction) => void,
): Promise<Tiles | undefined> {
  if (TILES_URL === '') return undefined
  const [{ PMTiles, Protocol, TileType }, { groundStyle }] = await Promise.all([
    import('pmtiles'),
    import('./ground-style.ts'),
  ])
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
    layers: (isDark) =>
      isVector ? groundStyle(names, isDark) : { below: [rasterLayer(isDark)], names: [], taken: [] },
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
