// Reads the base map from an extract: roads, water, land use, buildings, places and coastlines. Each file is read
// several times: for the ids of nodes in the kept area, for relations, for ways, and for the nodes of ways. A way that
// touches the kept area is loaded as a whole, and so is every way in a relation. Otherwise, polygon boundaries would
// not be closed.
import { NONE } from '../columns.ts'
import type { StringIndex, StringPool } from '../strings.ts'
import { BlockRanges } from './block-ranges.ts'
import {
  GROUND_COAST,
  GROUND_KINDS,
  GROUND_NAME,
  GROUND_WORDS,
  groundFlagsOf,
  groundKindOf,
  isCoast,
  isGroundRelation,
  NO_KIND,
} from './ground-kinds.ts'
import type { KeptArea, KeptBox } from './kept-area.ts'
import type { NodeExtents } from './node-extents.ts'
import { NodeIdCounts, type NodeIds } from './node-ids.ts'
import { type ExtractBytes, PbfFile } from './pbf.ts'
import { HAS_NODES, HAS_RELATIONS, HAS_WAYS, type PbfBlock } from './pbf-block.ts'
import { MEMBER_WAY } from './pbf-elements.ts'
import { TagReader } from './tag-reader.ts'
import { TagTexts } from './tag-texts.ts'
import { WayStore } from './way-store.ts'

/** A map polygon whose boundary consists of several ways. */
export interface GroundRelation {
  /** Indexes of ways in `ways`; undefined for ways that are not in the files. */
  readonly ways: readonly (number | undefined)[]
  readonly kind: number
  readonly name: StringIndex
}

/** A named place on the map, such as a town or a suburb. */
export interface GroundPlace {
  /** Units of 1e-7 degrees. */
  readonly lat: number
  readonly lon: number
  readonly kind: number
  readonly name: StringIndex
}

/** The base map of some extracts. */
export interface LoadedGround {
  /** The ways, with the flags from ground-kinds.ts. Their nodes are indexes into `lat` and `lon`. */
  readonly ways: WayStore
  readonly relations: readonly GroundRelation[]
  readonly places: readonly GroundPlace[]
  /** Node → its latitude in units of 1e-7 degrees; NO_COORDINATE if no file has the node. */
  readonly lat: Int32Array
  /** Node → its longitude in units of 1e-7 degrees; 0 if no file has the node. */
  readonly lon: Int32Array
  readonly names: StringPool
}

/** Stored instead of the latitude of a missing node. */
export const NO_COORDINATE = -2_147_483_648

/** Options for `loadGround`. */
export interface GroundOptions {
  /** The area to load; everything if undefined. */
  readonly kept?: KeptArea | undefined
  readonly hasBuildings: boolean
  /**
   * For each file: the bounding box of the nodes in each of its blocks. With these boxes, blocks without needed nodes
   * are skipped.
   */
  readonly extents?: readonly NodeExtents[] | undefined
  readonly onProgress?: ((step: string, part: number) => void) | undefined
}

const PROGRESS_BLOCKS = 256

/** Loads several files as one. Throws ExtractRefused if a file cannot be used. */
export function loadGround(sources: readonly ExtractBytes[], options: GroundOptions): LoadedGround {
  const files = sources.map((source) => new PbfFile(source))
  const ranges = files.map((file) => new BlockRanges(file))
  const passes = new GroundPasses(options)
  const pass = (kind: number, step: string, read: (block: PbfBlock) => void) => {
    for (const [at, file] of files.entries()) {
      const extents = kind === HAS_NODES ? options.extents?.[at] : undefined
      let reads = 0
      const readBlock = (block: PbfBlock, number: number) => {
        if (reads++ % PROGRESS_BLOCKS === 0) options.onProgress?.(step, number / file.blockCount)
        passes.open(block)
        read(block)
      }
      ranges[at].eachBlock(kind, readBlock, (number) => extents === undefined || passes.needsNodes(extents, number))
    }
  }
  if (options.kept !== undefined) {
    pass(HAS_NODES, 'nodes', (block) => passes.countKept(block))
    passes.sealKept((add) => pass(HAS_NODES, 'nodes', (block) => passes.addKept(block, add)))
  }
  pass(HAS_RELATIONS, 'relations', (block) => passes.readRelations(block))
  pass(HAS_WAYS, 'ways', (block) => passes.readWays(block))
  passes.endWays()
  pass(HAS_NODES, 'nodes', (block) => passes.readNodes(block))
  return passes.seal()
}

/** A relation with the ids of its ways. */
interface FoundRelation {
  readonly wayIds: readonly number[]
  readonly kind: number
  readonly name: StringIndex
}

/** Collects the base map in several passes. Each pass reads all files once. */
class GroundPasses {
  private readonly options: GroundOptions
  private readonly keptBox: KeptBox | undefined
  private readonly tags = new TagReader(GROUND_WORDS)
  private readonly names = new TagTexts(this.tags)
  private readonly keptCounts = new NodeIdCounts()
  /** Ids of the nodes in the kept area; undefined if everything is kept, and after all ways have been read. */
  private keptIds: NodeIds | undefined
  private readonly ways = new WayStore()
  private readonly relations = new Map<number, FoundRelation>()
  /** Id of a way that is part of a relation or is a coastline → its index; undefined until the way is read. */
  private readonly wayOfId = new Map<number, number | undefined>()
  private readonly places = new Map<number, GroundPlace>()
  private readonly counts = new NodeIdCounts()
  private ids: NodeIds | undefined
  private lat = new Int32Array(0)
  private lon = new Int32Array(0)

  constructor(options: GroundOptions) {
    this.options = options
    this.keptBox = options.kept?.box()
  }

  /**
   * Whether a block may contain needed nodes: nodes in the kept area and, once all ways have been read, nodes of ways.
   */
  needsNodes(extents: NodeExtents, number: number): boolean {
    const { kept } = this.options
    if (kept === undefined || this.keptBox === undefined) return true
    const { first, last } = extents.idsOf(number)
    return extents.touches(number, kept, this.keptBox) || this.ids?.mayHaveBetween(first, last) === true
  }

  /** Prepares for reading the elements of a block. */
  open(block: PbfBlock): void {
    this.tags.open(block)
    this.names.open()
  }

  countKept(block: PbfBlock): void {
    this.addKept(block, (id) => this.keptCounts.count(id))
  }

  addKept(block: PbfBlock, add: (id: number) => void): void {
    const { count, id, lat, lon } = block.nodes()
    for (let node = 0; node < count; node++) {
      if (this.options.kept?.has(lat[node], lon[node]) !== false) add(id[node])
    }
  }

  sealKept(each: (add: (id: number) => void) => void): void {
    this.keptIds = this.keptCounts.seal(each)
  }

  readRelations(block: PbfBlock): void {
    const relations = block.relations()
    for (let relation = 0; relation < relations.count; relation++) {
      this.tags.take(relations, relation)
      if (!isGroundRelation(this.tags)) continue
      const kind = groundKindOf(this.tags, this.options.hasBuildings)
      if (kind === NO_KIND || !GROUND_KINDS[kind].isArea) continue
      const wayIds: number[] = []
      const members = block.membersOf(relation)
      for (let member = 0; member < members.count; member++) {
        if (members.kind[member] !== MEMBER_WAY) continue
        wayIds.push(members.id[member])
        this.wayOfId.set(members.id[member], undefined)
      }
      this.relations.set(relations.id[relation], { wayIds, kind, name: this.names.of(GROUND_NAME) })
    }
  }

  readWays(block: PbfBlock): void {
    const { tags, wayOfId, ways } = this
    const found = block.ways()
    for (let way = 0; way < found.count; way++) {
      tags.take(found, way)
      const id = found.id[way]
      const isMember = wayOfId.has(id)
      const isShore = isCoast(tags)
      const kind = groundKindOf(tags, this.options.hasBuildings)
      if (kind === NO_KIND && !isMember && !isShore) continue
      // If files overlap, a way can be in several of them. Only the first copy of a coastline or of a relation's way is
      // added, because a ring must not contain a way twice.
      if (wayOfId.get(id) !== undefined || !(isMember || this.touches(block, way))) continue
      if (isMember || isShore) wayOfId.set(id, ways.count)
      const refs = block.refsOf(way)
      for (let at = 0; at < refs.count; at++) this.counts.count(refs.id[at])
      ways.add(
        block.refBytes(way),
        kind | groundFlagsOf(tags) | (isShore ? GROUND_COAST : 0),
        this.names.of(GROUND_NAME),
      )
    }
  }

  /** Whether a node of a way is in the kept area. */
  private touches(block: PbfBlock, way: number): boolean {
    const { keptIds } = this
    if (keptIds === undefined) return true
    const { id, count } = block.refsOf(way)
    for (let at = 0; at < count; at++) if (keptIds.rowOf(id[at]) !== NONE) return true
    return false
  }

  /** Collects the node ids of all ways. */
  endWays(): void {
    this.keptIds = undefined
    this.ids = this.counts.seal((add) => this.ways.eachNode(add))
    this.lat = new Int32Array(this.ids.count).fill(NO_COORDINATE)
    this.lon = new Int32Array(this.ids.count)
  }

  readNodes(block: PbfBlock): void {
    const { ids, lat, lon, tags } = this
    if (ids === undefined) throw new Error('readNodes was called before endWays')
    const found = block.nodes()
    const { count, id, tagOffset } = found
    for (let node = 0; node < count; node++) {
      const row = ids.seek(id[node])
      if (row !== NONE) {
        lat[row] = found.lat[node]
        lon[row] = found.lon[node]
      }
      if (tagOffset[node] === tagOffset[node + 1] || this.options.kept?.has(found.lat[node], found.lon[node]) === false)
        continue
      tags.take(found, node)
      const kind = groundKindOf(tags, false)
      if (kind === NO_KIND || GROUND_KINDS[kind].layer !== 'places' || !tags.has(GROUND_NAME)) continue
      this.places.set(id[node], { lat: found.lat[node], lon: found.lon[node], kind, name: this.names.of(GROUND_NAME) })
    }
  }

  seal(): LoadedGround {
    const { ids, ways, wayOfId, lat, lon } = this
    if (ids === undefined) throw new Error('seal was called before endWays')
    ways.resolve((id) => ids.rowOf(id))
    this.ids = undefined
    const relations = [...this.relations.values()].map(({ wayIds, kind, name }) => ({
      ways: wayIds.map((id) => wayOfId.get(id)),
      kind,
      name,
    }))
    return { ways, relations, places: [...this.places.values()], lat, lon, names: this.names.seal() }
  }
}
