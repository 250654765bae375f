// Tests the reader of `.osm.pbf` files. Every element must be read as it was written, whichever program wrote the file.
// Files that are cut off, damaged or of another kind must be refused with a reason. Fails if an element is lost or
// changed, or is read from damaged bytes.
import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { ByteWriter } from '../../../loaders/osm/byte-writer.ts'
import { ExtractRefused } from '../../../loaders/osm/extract-refused.ts'
import { MAX_BLOB_BYTES, PbfFile } from '../../../loaders/osm/pbf.ts'
import { encodeBlob, type OsmElement } from '../../../loaders/osm/pbf-writer.ts'
import { type OracleElement, readElements } from '../../oracles/osm-elements.ts'
import { bySize, REAL_EXTRACTS, SEED } from '../../size.ts'
import { bytesAsExtract, readAll, writeExtract } from './read-extract.ts'

const id = fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: -(2 ** 45), max: 2 ** 45 }))
const text = fc.oneof(
  fc.constantFrom('highway', 'footway', 'name', '__proto__'),
  fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' }),
)
const tags = fc.dictionary(text, text, { maxKeys: 4 })
const units = (most: number) => fc.integer({ min: -most, max: most }).map((value) => value / 1e7)
const node = fc.record({ kind: fc.constant('node' as const), id, lat: units(90e7), lon: units(180e7), tags })
const way = fc.record({ kind: fc.constant('way' as const), id, refs: fc.array(id, { maxLength: 9 }), tags })
const member = fc.record({
  kind: fc.constantFrom('node' as const, 'way' as const, 'relation' as const),
  ref: id,
  role: text,
})
const relation = fc.record({
  kind: fc.constant('relation' as const),
  id,
  members: fc.array(member, { maxLength: 5 }),
  tags,
})
const elements: fc.Arbitrary<OsmElement[]> = fc.array(fc.oneof(node, way, relation), { maxLength: 40 })
const options = fc.record({
  blockElements: fc.constantFrom(1, 3, 8000),
  compression: fc.constantFrom('zlib' as const, 'zstd' as const, 'raw' as const),
  isDense: fc.boolean(),
  hasMetadata: fc.boolean(),
  latOffset: fc.constantFrom(0, 100, -5_000_000_000),
  lonOffset: fc.constantFrom(0, 900),
})

test('elements are read as written, and as an independent reader reads them', () => {
  fc.assert(
    fc.property(elements, options, (written, options) => {
      const bytes = writeExtract(written, options)
      const read = readAll(new PbfFile(bytesAsExtract(bytes)))
      expect(read).toEqual(readElements(bytes))
      expect(read).toEqual(written.map(asRead))
    }),
    { seed: SEED, numRuns: bySize({ quick: 100, ci: 200, full: 2000 }) },
  )
}, 60_000)

/** An element as the reader returns it: always with tags, and with coordinates in units of 1e-7 degrees. */
function asRead(element: OsmElement): OracleElement {
  if (element.kind !== 'node') return { ...element, tags: element.tags ?? {} }
  return {
    ...element,
    tags: element.tags ?? {},
    lat: Math.round(element.lat * 1e7),
    lon: Math.round(element.lon * 1e7),
  }
}

test('coordinates with another granularity are rounded to units', () => {
  const bytes = writeExtract([{ kind: 'node', id: 1, lat: 47.12345, lon: -0.5 }], { granularity: 1000, latOffset: 50 })
  expect(readAll(new PbfFile(bytesAsExtract(bytes)))).toEqual([
    { kind: 'node', id: 1, tags: {}, lat: 471234501, lon: -5000000 },
  ])
})

test('a block of 43 000 nodes loses none', () => {
  const nodes = Array.from({ length: 43_000 }, (_, at) => ({
    kind: 'node' as const,
    id: at + 1,
    lat: at / 1e5,
    lon: 0,
  }))
  const read = readAll(new PbfFile(bytesAsExtract(writeExtract(nodes, { blockElements: 50_000 }))))
  expect(read.length).toBe(43_000)
  expect(read[42_999]).toEqual({ kind: 'node', id: 43_000, tags: {}, lat: 4299900, lon: 0 })
})

test('the header states whether elements are sorted, and up to which time changes are included', () => {
  const header = (bytes: Uint8Array) => new PbfFile(bytesAsExtract(bytes)).header
  expect(header(writeExtract([]))).toEqual({ isSorted: false, timestampSeconds: undefined })
  expect(header(writeExtract([], { isSorted: true, timestampSeconds: 1_700_000_000 }))).toEqual({
    isSorted: true,
    timestampSeconds: 1_700_000_000,
  })
})

/** The reason and message of a refusal; undefined if all elements can be read. */
function refusalOf(bytes: Uint8Array): string | undefined {
  try {
    readAll(new PbfFile(bytesAsExtract(bytes)))
    return undefined
  } catch (error) {
    if (error instanceof ExtractRefused) return `${error.reason}: ${error.message}`
    throw error
  }
}

const ONE_NODE: OsmElement[] = [{ kind: 'node', id: 1, lat: 1, lon: 1 }]

test('other kinds of file are rejected with advice', () => {
  const text = (content: string) => refusalOf(Buffer.from(content, 'latin1'))
  expect(text('')).toBe('not_an_extract: made.osm.pbf at byte 0: the file is empty')
  expect(text('<?xml version="1.0"?><osm/>')).toContain('osmium cat in.osm -o out.osm.pbf')
  expect(text('BZh91AY&SY')).toContain('osmium cat in.osm.bz2 -o out.osm.pbf')
  expect(text('\x1f\x8b\x08')).toContain('gzip')
  expect(text('PK\x03\x04')).toContain('zip')
  expect(text('stop_id,stop_name\n')).toBe('not_an_extract: made.osm.pbf at byte 0: the file is not an .osm.pbf')
})

test('unknown features and compressions are rejected', () => {
  expect(refusalOf(writeExtract([], { requiredFeatures: ['HistoricalInformation'] }))).toBe(
    'unknown_feature: made.osm.pbf at byte 0: the file requires the feature "HistoricalInformation", which is not supported',
  )
  const file = writeExtract(ONE_NODE, { compression: 'zlib' })
  // The tag of the data field in the second blob is changed from zlib (3) to LZMA (4).
  const at = file.lastIndexOf(0x78) - 2
  expect(file[at]).toBe(3 * 8 + 2)
  file[at] = 4 * 8 + 2
  expect(refusalOf(file)).toStartWith('unknown_compression: made.osm.pbf at byte ')
})

test('lengths above the limits of the format are rejected before anything is read or unpacked', () => {
  const header = writeExtract([])
  const longHeader = Buffer.concat([header, Buffer.from([0, 1, 0, 1]), Buffer.alloc(70_000)])
  expect(refusalOf(longHeader)).toStartWith('too_large: ')
  const bomb = encodeBlob('OSMData', new Uint8Array(MAX_BLOB_BYTES + 1), { compression: 'zlib' })
  expect(refusalOf(Buffer.concat([header, bomb]))).toContain('too_large')
  expect(refusalOf(Buffer.concat([header, bomb.subarray(0, 40)]))).toContain('truncated')
})

test('contradictory elements are rejected', () => {
  expect(refusalOf(writeExtract([{ kind: 'node', id: 1, lat: 91, lon: 0 }]))).toContain(
    'a latitude is beyond 90 degrees',
  )
  expect(refusalOf(writeExtract([{ kind: 'node', id: 1, lat: 0, lon: 181 }]))).toContain(
    'a longitude is beyond 180 degrees',
  )
  expect(refusalOf(groupFile(1, { 1: [2], 8: [0] }))).toContain('a node has no latitude or no longitude')
  expect(refusalOf(groupFile(3, { 8: [2] }))).toContain('an element has no valid id')
  expect(refusalOf(groupFile(3, { 1: [2], 2: [[9]], 3: [[0]] }))).toContain('an element refers to string 9')
  expect(refusalOf(groupFile(3, { 1: [2], 2: [[0]] }))).toContain('more tag keys than tag values')
  expect(refusalOf(groupFile(3, { 1: [2], 3: [[0]] }))).toContain('more tag values than tag keys')
  expect(refusalOf(groupFile(2, { 1: [[2]], 8: [[0]] }))).toContain('the number of node ids differs')
  expect(refusalOf(groupFile(2, { 1: [[2]], 8: [[0]], 9: [[0]], 10: [[0, 0]] }))).toContain(
    'tags for more nodes than the block has',
  )
  expect(refusalOf(groupFile(3, { 1: [2], 8: [[0x80]] }))).toContain(
    'a number has more than 10 bytes or extends beyond its message',
  )
  expect(refusalOf(groupFile(4, { 1: [2], 9: [[2]], 8: [[0]], 10: [[3]] }))).toContain(
    'a relation member has the unknown kind 3',
  )
  expect(refusalOf(groupFile(4, { 1: [2], 9: [[2]], 8: [[0, 0]], 10: [[0]] }))).toContain(
    'more member roles than members',
  )
})

/** A file with one element, written from its protobuf fields: field number → numbers, or bytes of packed lists. */
function groupFile(
  kind: number,
  fields: Readonly<Record<number, readonly (number | readonly number[])[]>>,
): Uint8Array {
  const element = new ByteWriter()
  for (const [field, values] of Object.entries(fields)) {
    for (const value of values) {
      if (typeof value === 'number') element.number(Number(field), value)
      else element.message(Number(field), Uint8Array.from(value))
    }
  }
  const [strings, group, block] = [new ByteWriter(), new ByteWriter(), new ByteWriter()]
  strings.text(1, '')
  group.message(kind, element.bytes())
  block.message(1, strings.bytes())
  block.message(2, group.bytes())
  return Buffer.concat([writeExtract([]), encodeBlob('OSMData', block.bytes(), { compression: 'raw' })])
}

/** Some elements of all kinds in several blocks. */
function madeElements(): OsmElement[] {
  const nodes = Array.from({ length: 400 }, (_, at): OsmElement => {
    return {
      kind: 'node',
      id: 1000 + 3 * at,
      lat: 47 + at / 1e4,
      lon: 7 - at / 1e4,
      tags: at % 9 ? {} : { highway: `c${at}` },
    }
  })
  const ways = Array.from({ length: 90 }, (_, at): OsmElement => {
    const refs = Array.from({ length: 5 }, (_, ref) => 1000 + 3 * ((at * 4 + ref) % 400))
    return { kind: 'way', id: 50 + at, refs, tags: { highway: 'residential', name: `Street ${at % 20}` } }
  })
  const outer = { kind: 'way' as const, ref: 51, role: 'outer' }
  return [...nodes, ...ways, { kind: 'relation', id: 7, members: [outer], tags: { type: 'multipolygon' } }]
}

const FILES: readonly (readonly [string, Uint8Array])[] = [
  ['made', writeExtract(madeElements(), { blockElements: 100, isSorted: true })],
  ...(REAL_EXTRACTS === undefined ? [] : readdirSync(REAL_EXTRACTS).filter((name) => name.endsWith('.osm.pbf'))).map(
    (name) => [name, readFileSync(join(REAL_EXTRACTS ?? '', name))] as const,
  ),
]

test.each(FILES)('%s is read as an independent reader reads it', (_, bytes) => {
  expect(readAll(new PbfFile(bytesAsExtract(bytes)))).toEqual(readElements(bytes))
})

test.each(FILES)('damaged copies of %s are rejected, or are identical', (_, bytes) => {
  const all = Bun.hash(JSON.stringify(readAll(new PbfFile(bytesAsExtract(bytes)))))
  const random = fc.sample(fc.infiniteStream(fc.nat({ max: 2 ** 31 - 1 })), { numRuns: 1, seed: SEED })[0]
  const next = (below: number) => (random.next().value as number) % below
  const read = Array.from({ length: bySize({ quick: 24, ci: 60, full: 240 }) }, (_, at) => {
    const damaged = damage(bytes, at % 3, next)
    const refusal = refusalOf(damaged)
    if (refusal !== undefined) return 'refused'
    return Bun.hash(JSON.stringify(readAll(new PbfFile(bytesAsExtract(damaged))))) === all
      ? 'identical'
      : `other: ${at}`
  })
  expect(read.filter((outcome) => outcome !== 'refused' && outcome !== 'identical')).toEqual([])
  expect(read.filter((outcome) => outcome === 'refused').length).toBeGreaterThan(read.length / 2)
})

/** A copy that is cut off, has flipped bits, or has an overwritten range. */
function damage(bytes: Uint8Array, kind: number, next: (below: number) => number): Uint8Array {
  if (kind === 0) return bytes.slice(0, next(bytes.length))
  const copy = bytes.slice()
  if (kind === 1) for (let flips = 1 + next(3); flips > 0; flips--) copy[next(copy.length)] ^= 1 << next(8)
  else {
    const start = next(copy.length)
    for (let at = start; at < Math.min(copy.length, start + 1 + next(2000)); at++) copy[at] = next(256)
  }
  return copy
}
