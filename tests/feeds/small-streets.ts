// Streets for the small feed (text-feed.ts), and OpenStreetMap extracts with these streets. One street leads from Gare
// past both platforms of Centre to Port, the other from platform B to Stade.
import { type OsmElement, type PbfOptions, writePbf } from '../../loaders/osm/pbf-writer.ts'

const PLACES = {
  CA: [48.5801, 7.7501],
  CB: [48.5799, 7.7499],
  G: [48.585, 7.735],
  P: [48.575, 7.77],
  T: [48.59, 7.76],
} as const

/** Nodes at the stops, and the streets between them. @param shift by how many degrees everything is moved north */
export function smallStreets(shift = 0): OsmElement[] {
  const ids = Object.keys(PLACES)
  const nodes = Object.values(PLACES).map(([lat, lon], at): OsmElement => {
    return { kind: 'node', id: at + 1, lat: lat + shift, lon }
  })
  const way = (id: number, name: string, ...stops: readonly (keyof typeof PLACES)[]): OsmElement => {
    const refs = stops.map((stop) => ids.indexOf(stop) + 1)
    return { kind: 'way', id, refs, tags: { highway: 'residential', name } }
  }
  return [...nodes, way(11, 'Rue de la Gare', 'G', 'CA', 'CB', 'P'), way(12, 'Rue du Stade', 'CB', 'T')]
}

/** The bytes of an `.osm.pbf` file with these elements. */
export function streetFile(elements = smallStreets(), options: PbfOptions = {}): Uint8Array {
  return Buffer.concat([...writePbf(elements, { isSorted: true, ...options })])
}
