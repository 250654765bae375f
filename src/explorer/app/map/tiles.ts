// The base map: either the operator's PMTiles file with raster or vector tiles, or the map made from streets. The
// PMTiles reader and the style are loaded only if there is a base map.
import type { AddProtocolAction, Map as GlMap, LayerSpecification, SourceSpecification } from 'maplibre-gl'
import { TILES_URL } from '../page-addresses.ts'
import type { GroundStyle } from './ground-style.ts'

/** The base map's sources and layers. */
export interface Tiles {
  /** The style's map data sources, by name. */
  readonly source: Readonly<Record<string, SourceSpecification>>
  layers(isDark: boolean): GroundStyle
  /** The required attribution, as plain text. */
  readonly credit: string
}

interface TileMetadata {
  readonly vector_layers?: readonly { readonly id: string }[]
  readonly attribution?: string
}

/** Minimum time between two requests that ask whether the base map has another URL. */
const ASK_AGAIN_MILLIS = 10_000

/**
 * Shows the base map. If loading its tiles fails and the service has a newer map, shows the newer one. The service
 * keeps one previous map for pages that are still open.
 */
export async function followTiles(
  map: GlMap,
  addProtocol: (name: string, action: AddProtocolAction) => void,
  show: (tiles: Tiles | undefined) => void,
): Promise<void> {
  let address = TILES_URL
  let askedAt = Number.NEGATIVE_INFINITY
  const load = async () => {
    try {
      show(await loadTiles(addProtocol, address))
    } catch (error) {
      await handleFailure(error)
    }
  }
  const handleFailure = async (failure: unknown) => {
    const now = performance.now()
    if (now - askedAt < ASK_AGAIN_MILLIS) return
    askedAt = now
    const page = await fetch('/').then(
      (answer) => answer.text(),
      () => '',
    )
    const present = /"quai-tiles" content="([^"]*)"/.exec(page)?.[1] ?? address
    if (present === address) return console.error(failure)
    address = present
    await load()
  }
  map.on('error', (event) => {
    if ('sourceId' in event && event.sourceId === 'tiles') void handleFailure(event.error)
    else console.error(event.error)
  })
  await load()
}

/** Loads the metadata in the base map's file. Returns undefined if there is no base map. */
async function loadTiles(
  addProtocol: (name: string, action: AddProtocolAction) => void,
  address: string,
): Promise<Tiles | undefined> {
  if (address === '') return undefined
  const [{ PMTiles, Protocol, TileType }, { groundStyle }] = await Promise.all([
    import('pmtiles'),
    import('./ground-style.ts'),
  ])
  const url = new URL(address, location.href).href
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
 * Converts HTML to plain text. Tags are removed first, because Chromium checks event handlers against the Content
 * Security Policy even in a document that is only parsed. A textarea element then decodes the entities without creating
 * elements.
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
