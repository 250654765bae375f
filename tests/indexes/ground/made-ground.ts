// Builds tiles from OSM elements and reads them back with other programs: the PMTiles library, and Mapbox's tile
// reader.
import { VectorTile, type VectorTileFeature } from '@mapbox/vector-tile'
import { PbfReader } from 'pbf'
import { PMTiles, type RangeResponse, type Source } from 'pmtiles'
import { type BuiltGround, buildGround } from '../../../indexes/ground/build-ground.ts'
import { makeTiles } from '../../../indexes/ground/ground-tiles.ts'
import { TileArchive } from '../../../indexes/ground/pmtiles-writer.ts'
import { LEAST_ZOOM, MOST_ZOOM } from '../../../indexes/ground/tile-grid.ts'
import { type LoadedGround, loadGround } from '../../../loaders/osm/load-ground.ts'
import type { OsmElement } from '../../../loaders/osm/pbf-writer.ts'
import { bytesAsExtract, writeExtract } from '../../loaders/osm/read-extract.ts'

/** Ground built from OSM elements, and the archive with its tiles. */
export interface MadeGround {
  readonly built: BuiltGround
  readonly loaded: LoadedGround
  readonly archive: PMTiles
  /** Zoom, column and row of each tile. */
  readonly places: readonly (readonly [zoom: number, x: number, y: number])[]
}

/** The ground built from these elements, and its tiles. */
export function groundOf(elements: readonly OsmElement[]): MadeGround {
  return groundOfBytes(writeExtract(elements))
}

/** The ground built from the bytes of an `.osm.pbf` file, and its tiles. */
export function groundOfBytes(bytes: Uint8Array): MadeGround {
  const loaded = loadGround([bytesAsExtract(bytes)], { hasBuildings: true })
  const built = buildGround(loaded, undefined)
  const pieces: Uint8Array[] = []
  const archive = new TileArchive((piece) => pieces.push(piece))
  const ids: number[] = []
  makeTiles({ features: built.features, names: loaded.names, kept: undefined }, (id, tile) => {
    ids.push(id)
    archive.add(id, tile)
  })
  const bounds = { west: -1, south: -1, east: 1, north: 1 }
  const head = archive.finish({ minZoom: LEAST_ZOOM, maxZoom: MOST_ZOOM, bounds, metadata: { attribution: 'us' } })
  const source = new BytesSource(Buffer.concat([head, ...pieces]))
  return { built, loaded, archive: new PMTiles(source), places: ids.map(placeOf) }
}

class BytesSource implements Source {
  private readonly bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }

  getKey(): string {
    return 'bytes'
  }

  async getBytes(offset: number, length: number): Promise<RangeResponse> {
    return { data: new Uint8Array(this.bytes.subarray(offset, offset + length)).buffer }
  }
}

/** The position of the tile with this number. Walks the Hilbert curve as the PMTiles specification describes. */
function placeOf(id: number): readonly [number, number, number] {
  let zoom = 0
  let first = 0
  for (; first + 4 ** zoom <= id; zoom++) first += 4 ** zoom
  let [x, y, rest] = [0, 0, id - first]
  for (let side = 1; side < 2 ** zoom; side *= 2) {
    const right = 1 & Math.floor(rest / 2)
    const up = 1 & (rest ^ right)
    if (up === 0) {
      if (right === 1) [x, y] = [side - 1 - x, side - 1 - y]
      ;[x, y] = [y, x]
    }
    x += side * right
    y += side * up
    rest = Math.floor(rest / 4)
  }
  return [zoom, x, y]
}

/** The features in one layer of a tile. */
export async function featuresIn(
  { archive }: MadeGround,
  [zoom, x, y]: readonly [number, number, number],
  layer: string,
): Promise<VectorTileFeature[]> {
  const found = await archive.getZxy(zoom, x, y)
  const read = found && new VectorTile(new PbfReader(new Uint8Array(found.data))).layers[layer]
  return read === undefined ? [] : Array.from({ length: read.length }, (_, at) => read.feature(at))
}

/** A node at a column and row of a grid with a spacing of 0.001 degrees. */
export function nodeAt(id: number, column: number, row: number): OsmElement {
  return { kind: 'node', id, lat: row / 1000, lon: column / 1000 }
}
