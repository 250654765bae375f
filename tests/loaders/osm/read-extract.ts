// Extracts in memory, and all of their elements as our reader returns them.

import type { ElementColumns } from '../../../loaders/osm/element-table.ts'
import type { ExtractBytes, PbfFile } from '../../../loaders/osm/pbf.ts'
import { HAS_NODES, HAS_RELATIONS, HAS_WAYS } from '../../../loaders/osm/pbf-block.ts'
import { type OsmElement, type PbfOptions, writePbf } from '../../../loaders/osm/pbf-writer.ts'
import type { OracleElement } from '../../oracles/osm-elements.ts'

/** A file whose bytes are in memory. */
export function bytesAsExtract(bytes: Uint8Array, name = 'made.osm.pbf'): ExtractBytes {
  return { name, byteLength: bytes.length, read: (start, end) => bytes.subarray(start, end) }
}

/** The bytes of a file with these elements. */
export function writeExtract(elements: Iterable<OsmElement>, options?: PbfOptions): Uint8Array {
  return Buffer.concat([...writePbf(elements, options)])
}

/** All elements of a file, in order. */
export function readAll(file: PbfFile): OracleElement[] {
  const elements: OracleElement[] = []
  for (let at = 0; at < file.blockCount; at++) {
    const block = file.readBlock(at)
    const tagsOf = ({ tagOffset, tags }: ElementColumns, element: number) => {
      const own: [string, string][] = []
      for (let row = tagOffset[element]; row < tagOffset[element + 1]; row += 2) {
        own.push([block.text(tags[row]), block.text(tags[row + 1])])
      }
      // Assigning members one by one would lose a tag called `__proto__`.
      return Object.fromEntries(own)
    }
    file.reading(at, () => {
      if (block.contents & HAS_NODES) {
        const nodes = block.nodes()
        for (let node = 0; node < nodes.count; node++) {
          const { id, lat, lon } = nodes
          elements.push({ kind: 'node', id: id[node], tags: tagsOf(nodes, node), lat: lat[node], lon: lon[node] })
        }
      }
      if (block.contents & HAS_WAYS) {
        const ways = block.ways()
        for (let way = 0; way < ways.count; way++) {
          const { id, count } = block.refsOf(way)
          elements.push({ kind: 'way', id: ways.id[way], tags: tagsOf(ways, way), refs: [...id.subarray(0, count)] })
        }
      }
      if (block.contents & HAS_RELATIONS) {
        const relations = block.relations()
        for (let relation = 0; relation < relations.count; relation++) {
          const { count, id, kind, role } = block.membersOf(relation)
          const members = Array.from({ length: count }, (_, member) => ({
            kind: ['node', 'way', 'relation'][kind[member]],
            ref: id[member],
            role: block.text(role[member]),
          }))
          elements.push({ kind: 'relation', id: relations.id[relation], tags: tagsOf(relations, relation), members })
        }
      }
    })
  }
  return elements
}
