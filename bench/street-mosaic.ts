// `bun bench/street-mosaic.ts FILE COPIES EXTRACT…` writes a larger extract from smaller ones. The larger extract
// consists of copies of the smaller ones side by side, each with its own ids. Elements are sorted by kind and id.
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { PbfFile } from '../loaders/osm/pbf.ts'
import { type OsmElement, writePbf } from '../loaders/osm/pbf-writer.ts'
import { bytesAsExtract, readAll } from '../tests/loaders/osm/read-extract.ts'
import type { OracleElement } from '../tests/oracles/osm-elements.ts'

/** Number of copies per row. */
const COLUMNS = 16
/** Distance from one copy to the next, in degrees. */
const STEP_DEGREES = 0.4

/** Writes copies of extracts to a file. Returns the size of the file in bytes. */
export function writeMosaic(path: string, copies: number, extracts: readonly string[]): number {
  const sets = extracts.map((extract) => renumber(readAll(new PbfFile(bytesAsExtract(readFileSync(extract), extract)))))
  const file = openSync(path, 'w')
  let bytes = 0
  try {
    for (const piece of writePbf(mosaic(sets, copies), { isSorted: true, hasMetadata: true }))
      bytes += writeSync(file, piece)
  } finally {
    closeSync(file)
  }
  return bytes
}

/** Numbers the elements of each kind from 1, so that copies can use the ids that follow. */
function renumber(elements: readonly OracleElement[]): OracleElement[] {
  const numbers = {
    node: new Map<number, number>(),
    way: new Map<number, number>(),
    relation: new Map<number, number>(),
  }
  for (const { kind, id } of elements.toSorted((a, b) => a.id - b.id)) numbers[kind].set(id, numbers[kind].size + 1)
  return elements.map((element) => ({
    ...element,
    id: numbers[element.kind].get(element.id) ?? 0,
    ...(element.refs && { refs: element.refs.map((ref) => numbers.node.get(ref) ?? 0) }),
    ...(element.members && {
      members: element.members.map((member) => ({
        ...member,
        ref: (member.kind in numbers ? numbers[member.kind as 'node'].get(member.ref) : undefined) ?? 0,
      })),
    }),
  }))
}

function* mosaic(sets: readonly (readonly OracleElement[])[], copies: number): Generator<OsmElement> {
  const stride = Math.max(...sets.map(({ length }) => length)) + 1
  for (const kind of ['node', 'way', 'relation'] as const) {
    const own = sets.map((set) => set.filter((element) => element.kind === kind).sort((a, b) => a.id - b.id))
    for (let copy = 0; copy < copies * sets.length; copy++) {
      const shift = copy * stride
      for (const element of own[copy % own.length] ?? []) yield moved(element, copy, shift)
    }
  }
}

function moved(element: OracleElement, copy: number, shift: number): OsmElement {
  const { id, tags, lat = 0, lon = 0, refs = [], members = [] } = element
  const own = { id: id + shift, tags }
  if (element.kind === 'node') {
    const [north, east] = [Math.floor(copy / COLUMNS) * STEP_DEGREES, (copy % COLUMNS) * STEP_DEGREES]
    return { kind: 'node', ...own, lat: lat / 1e7 + north, lon: lon / 1e7 + east }
  }
  if (element.kind === 'way') return { kind: 'way', ...own, refs: refs.map((ref) => ref + shift) }
  const shifted = members.map(({ kind, ref, role }) => ({ kind: kind as 'way', ref: ref + shift, role }))
  return { kind: 'relation', ...own, members: shifted }
}

if (import.meta.main) {
  const [path = '', copies = '1', ...extracts] = process.argv.slice(2)
  console.log(`${path}: ${(writeMosaic(path, Number(copies), extracts) / 1e6).toFixed(1)} MB`)
}
