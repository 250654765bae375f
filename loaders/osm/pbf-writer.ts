// Writes `.osm.pbf` files: the streets of the demo, and extracts for tests. The options imitate the files of other
// programs, so that tests can check that the reader accepts such files.
import { deflateSync, zstdCompressSync } from 'node:zlib'
import { ByteWriter } from './byte-writer.ts'
import { MEMBER_NODE, MEMBER_RELATION, MEMBER_WAY } from './pbf-elements.ts'

type Tags = Readonly<Record<string, string>>

/** A node. Coordinates are in degrees. */
export interface OsmNode {
  readonly kind: 'node'
  readonly id: number
  readonly lat: number
  readonly lon: number
  readonly tags?: Tags | undefined
}

/** A way along nodes, given by their ids. */
export interface OsmWay {
  readonly kind: 'way'
  readonly id: number
  readonly refs: readonly number[]
  readonly tags?: Tags | undefined
}

/** A relation between other elements. */
export interface OsmRelation {
  readonly kind: 'relation'
  readonly id: number
  readonly members: readonly OsmMember[]
  readonly tags?: Tags | undefined
}

export interface OsmMember {
  readonly kind: OsmElement['kind']
  readonly ref: number
  readonly role: string
}

export type OsmElement = OsmNode | OsmWay | OsmRelation

/** Options for writing a file. */
export interface PbfOptions {
  /** Number of elements per block. */
  readonly blockElements?: number
  readonly compression?: 'zlib' | 'zstd' | 'raw'
  /** Whether nodes are written as columns, as all current writers do. */
  readonly isDense?: boolean
  /** Whether the file claims that its elements are sorted by kind and id. If true, the caller must sort the elements. */
  readonly isSorted?: boolean
  /** Time up to which changes are included, in seconds after 1970. */
  readonly timestampSeconds?: number | undefined
  /** Additional features that a reader must support. */
  readonly requiredFeatures?: readonly string[]
  /** Number of nanodegrees in one coordinate unit. */
  readonly granularity?: number
  /**
   * Whether elements have a version, a time and a changeset, which readers skip. The values are invented, but always
   * the same for the same id.
   */
  readonly hasMetadata?: boolean
  /** Added to all latitudes, in nanodegrees. */
  readonly latOffset?: number
  /** Added to all longitudes, in nanodegrees. */
  readonly lonOffset?: number
}

type ChosenOptions = Required<Omit<PbfOptions, 'timestampSeconds'>> & Pick<PbfOptions, 'timestampSeconds'>

const USUAL: ChosenOptions = {
  blockElements: 8000,
  compression: 'zlib',
  isDense: true,
  isSorted: false,
  requiredFeatures: [],
  hasMetadata: false,
  granularity: 100,
  latOffset: 0,
  lonOffset: 0,
}
const NANODEGREES = 1e9
const MEMBER_KINDS = { node: MEMBER_NODE, way: MEMBER_WAY, relation: MEMBER_RELATION }

/**
 * The bytes of a file, one piece per blob. Elements keep their order, and a block contains only one kind of element.
 */
export function* writePbf(elements: Iterable<OsmElement>, options: PbfOptions = {}): Generator<Uint8Array> {
  const all = { ...USUAL, ...options }
  yield encodeBlob('OSMHeader', encodeHeader(all), all)
  let block: OsmElement[] = []
  for (const element of elements) {
    if (block.length === all.blockElements || (block.length > 0 && block[0].kind !== element.kind)) {
      yield encodeBlob('OSMData', encodeBlock(block, all), all)
      block = []
    }
    block.push(element)
  }
  if (block.length > 0) yield encodeBlob('OSMData', encodeBlock(block, all), all)
}

function encodeHeader({ isDense, isSorted, requiredFeatures, timestampSeconds }: ChosenOptions): Uint8Array {
  const header = new ByteWriter()
  const required = ['OsmSchema-V0.6', ...(isDense ? ['DenseNodes'] : []), ...requiredFeatures]
  for (const feature of required) header.text(4, feature)
  if (isSorted) header.text(5, 'Sort.Type_then_ID')
  header.text(16, 'quai')
  if (timestampSeconds !== undefined) header.number(32, timestampSeconds)
  return header.bytes()
}

/** A blob and its header, as stored in a file. */
export function encodeBlob(
  type: 'OSMHeader' | 'OSMData',
  block: Uint8Array,
  { compression = USUAL.compression }: Pick<PbfOptions, 'compression'>,
): Uint8Array {
  const blob = new ByteWriter()
  if (compression === 'raw') blob.message(1, block)
  else {
    blob.number(2, block.length)
    if (compression === 'zlib') blob.message(3, deflateSync(block))
    else blob.message(7, zstdCompressSync(block))
  }
  const data = blob.bytes()
  const header = new ByteWriter()
  header.text(1, type)
  header.number(3, data.length)
  const head = header.bytes()
  const file = new Uint8Array(4 + head.length + data.length)
  new DataView(file.buffer).setUint32(0, head.length)
  file.set(head, 4)
  file.set(data, 4 + head.length)
  return file
}

function encodeBlock(elements: readonly OsmElement[], options: ChosenOptions): Uint8Array {
  const strings = new BlockStrings()
  const group = new ByteWriter()
  const nodes = elements.filter((element) => element.kind === 'node')
  if (options.isDense && nodes.length > 0) group.message(2, encodeDense(nodes, strings, options))
  else for (const node of nodes) group.message(1, encodeNode(node, strings, options))
  for (const element of elements) {
    if (element.kind === 'way') group.message(3, encodeWay(element, strings, options))
    else if (element.kind === 'relation') group.message(4, encodeRelation(element, strings, options))
  }
  const block = new ByteWriter()
  block.message(1, strings.encode())
  block.message(2, group.bytes())
  if (options.granularity !== USUAL.granularity) block.number(17, options.granularity)
  if (options.latOffset !== 0) block.number(19, options.latOffset)
  if (options.lonOffset !== 0) block.number(20, options.lonOffset)
  return block.bytes()
}

/** The distinct strings of a block. The first is empty. */
class BlockStrings {
  private readonly numbers = new Map([['', 0]])

  number(text: string): number {
    return this.numbers.getOrInsertComputed(text, () => this.numbers.size)
  }

  encode(): Uint8Array {
    const writer = new ByteWriter()
    for (const text of this.numbers.keys()) writer.text(1, text)
    return writer.bytes()
  }
}

/** The numbers that are stored for a node's coordinates. */
function unitsOf({ lat, lon }: OsmNode, { granularity, latOffset, lonOffset }: ChosenOptions) {
  return {
    lat: Math.round((lat * NANODEGREES - latOffset) / granularity),
    lon: Math.round((lon * NANODEGREES - lonOffset) / granularity),
  }
}

function encodeDense(nodes: readonly OsmNode[], strings: BlockStrings, options: ChosenOptions): Uint8Array {
  const [ids, lats, lons, tags] = [new ByteWriter(), new ByteWriter(), new ByteWriter(), new ByteWriter()]
  const last = { id: 0, lat: 0, lon: 0 }
  const hasTags = nodes.some((node) => Object.keys(node.tags ?? {}).length > 0)
  for (const node of nodes) {
    const { lat, lon } = unitsOf(node, options)
    ids.zigzag(node.id - last.id)
    lats.zigzag(lat - last.lat)
    lons.zigzag(lon - last.lon)
    Object.assign(last, { id: node.id, lat, lon })
    if (!hasTags) continue
    for (const [key, value] of Object.entries(node.tags ?? {})) {
      tags.varint(strings.number(key))
      tags.varint(strings.number(value))
    }
    tags.varint(0)
  }
  const dense = new ByteWriter()
  dense.message(1, ids.bytes())
  dense.message(8, lats.bytes())
  dense.message(9, lons.bytes())
  if (hasTags) dense.message(10, tags.bytes())
  if (options.hasMetadata) dense.message(5, encodeDenseMetadata(nodes))
  return dense.bytes()
}

function encodeNode(node: OsmNode, strings: BlockStrings, options: ChosenOptions): Uint8Array {
  const { lat, lon } = unitsOf(node, options)
  const writer = new ByteWriter()
  writer.zigzagNumber(1, node.id)
  encodeTags(writer, node.tags, strings)
  if (options.hasMetadata) encodeMetadata(writer, node)
  writer.zigzagNumber(8, lat)
  writer.zigzagNumber(9, lon)
  return writer.bytes()
}

/** Made-up version, time (in seconds after 1970) and changeset of an element. */
function metadataOf({ id }: OsmElement): readonly [number, number, number] {
  const random = Math.imul(id, 0x9e37_79b1) >>> 0
  return [1 + (random % 9), 1_200_000_000 + (random % 400_000_000), 10_000_000 + (random % 140_000_000)]
}

function encodeDenseMetadata(nodes: readonly OsmNode[]): Uint8Array {
  const [versions, ...others] = [new ByteWriter(), new ByteWriter(), new ByteWriter()]
  const last = [0, 0]
  for (const node of nodes) {
    const [version, ...rest] = metadataOf(node)
    versions.varint(version)
    for (const [at, value] of rest.entries()) {
      others[at].zigzag(value - last[at])
      last[at] = value
    }
  }
  const info = new ByteWriter()
  for (const [at, list] of [versions, ...others].entries()) info.message(at + 1, list.bytes())
  return info.bytes()
}

function encodeMetadata(writer: ByteWriter, element: OsmElement): void {
  const info = new ByteWriter()
  for (const [at, value] of metadataOf(element).entries()) info.number(at + 1, value)
  writer.message(4, info.bytes())
}

function encodeWay(way: OsmWay, strings: BlockStrings, { hasMetadata }: ChosenOptions): Uint8Array {
  const { id, refs, tags } = way
  const writer = new ByteWriter()
  writer.number(1, id)
  encodeTags(writer, tags, strings)
  if (hasMetadata) encodeMetadata(writer, way)
  writer.message(8, encodeDifferences(refs))
  return writer.bytes()
}

function encodeRelation(relation: OsmRelation, strings: BlockStrings, { hasMetadata }: ChosenOptions): Uint8Array {
  const { id, members, tags } = relation
  const writer = new ByteWriter()
  const [roles, kinds] = [new ByteWriter(), new ByteWriter()]
  for (const { role, kind } of members) {
    roles.varint(strings.number(role))
    kinds.varint(MEMBER_KINDS[kind])
  }
  writer.number(1, id)
  encodeTags(writer, tags, strings)
  if (hasMetadata) encodeMetadata(writer, relation)
  writer.message(8, roles.bytes())
  writer.message(9, encodeDifferences(members.map(({ ref }) => ref)))
  writer.message(10, kinds.bytes())
  return writer.bytes()
}

function encodeTags(writer: ByteWriter, tags: Tags = {}, strings: BlockStrings): void {
  const [keys, values] = [new ByteWriter(), new ByteWriter()]
  for (const [key, value] of Object.entries(tags)) {
    keys.varint(strings.number(key))
    values.varint(strings.number(value))
  }
  writer.message(2, keys.bytes())
  writer.message(3, values.bytes())
}

function encodeDifferences(ids: readonly number[]): Uint8Array {
  const writer = new ByteWriter()
  let last = 0
  for (const id of ids) {
    writer.zigzag(id - last)
    last = id
  }
  return writer.bytes()
}
