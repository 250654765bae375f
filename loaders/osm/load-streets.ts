// Reads the street network for pedestrians from an extract: walkable ways and their nodes, squares, platforms, and the
// rails and shores that no link from a stop may cross. Each file is read three times: for relations, ways, and nodes.
import { GrowingColumn, NONE } from '../columns.ts'
import { EMPTY_STRING, type StringIndex, type StringPool } from '../strings.ts'
import { BlockRanges } from './block-ranges.ts'
import {
  BARRIER_WATER,
  barrierOf,
  FOOT_WORDS,
  footFlags,
  IS_PLATFORM,
  IS_SQUARE,
  isMultipolygon,
  isSquare,
  LOCAL_REF,
  NAME,
  nodeFlags,
  REF,
} from './foot-access.ts'
import type { KeptArea } from './kept-area.ts'
import { NodeIdCounts, type NodeIds } from './node-ids.ts'
import { type ExtractBytes, PbfFile } from './pbf.ts'
import { HAS_NODES, HAS_RELATIONS, HAS_WAYS, type PbfBlock } from './pbf-block.ts'
import { MEMBER_WAY } from './pbf-elements.ts'
import { TagReader } from './tag-reader.ts'
import { TagTexts } from './tag-texts.ts'
import { DROPPED, WayStore } from './way-store.ts'

/**
 * Flag of a node whose coordinates are known, because the node is in a file and in the kept area. A node can also have
 * other flags, such as NODE_SHUT.
 */
export const NODE_KNOWN = 128

/** The nodes of all ways, as columns. Ways refer to a node by its row. */
export class StreetNodes {
  readonly count: number
  /** Units of 1e-7 degrees. */
  lat: Int32Array
  lon: Int32Array
  /** Node → sum of its flags: NODE_KNOWN, NODE_SHUT, NODE_NOT_STEP_FREE. */
  flags: Uint8Array

  constructor(count: number) {
    this.count = count
    this.lat = new Int32Array(count)
    this.lon = new Int32Array(count)
    this.flags = new Uint8Array(count)
  }

  /** Frees the memory. */
  forget(): void {
    this.lat = new Int32Array(0)
    this.lon = new Int32Array(0)
    this.flags = new Uint8Array(0)
  }
}

/** A square whose boundary consists of several ways. */
export interface SquareRelation {
  /** Indexes of ways in `ways`. */
  readonly outer: readonly number[]
  readonly inner: readonly number[]
  readonly flags: number
  readonly name: StringIndex
}

/** Stored in `ringWays` instead of a square's flags if the way borders only water. */
const SHORE = -1

/** The streets of some extracts. */
export interface LoadedStreets {
  /**
   * Walkable ways, with the flags from foot-access.ts. Their nodes are rows in `nodes`. A way that forms the whole
   * boundary of a square by itself has the flag IS_SQUARE.
   */
  readonly ways: WayStore
  readonly squares: readonly SquareRelation[]
  /** Platforms that have a number, in the tag `ref` or `local_ref`. */
  readonly platforms: readonly PlatformWay[]
  /** Rails and shores, with the flags BARRIER_RAIL and BARRIER_WATER. */
  readonly barriers: WayStore
  readonly nodes: StreetNodes
  readonly names: StringPool
  /** The time up to which the extracts include changes, in seconds after 1970; undefined if no file has it. */
  readonly timestampSeconds: number | undefined
}

/** A platform with a number. `way` is its index in `ways`. */
export interface PlatformWay {
  readonly way: number
  readonly ref: StringIndex
}

/** Options for `loadStreets`. */
export interface StreetOptions {
  /** The area to load; everything if undefined. */
  readonly kept?: KeptArea | undefined
  readonly onProgress?: ((step: string, part: number) => void) | undefined
}

/** Number of blocks between two progress reports. */
const PROGRESS_BLOCKS = 256

/**
 * Loads several files as one: elements with the same id are the same element. Throws ExtractRefused if a file cannot be
 * used.
 */
export function loadStreets(sources: readonly ExtractBytes[], options: StreetOptions = {}): LoadedStreets {
  const files = sources.map((source) => new PbfFile(source))
  const ranges = files.map((file) => new BlockRanges(file))
  const passes = new StreetPasses(options, files.length > 1)
  const pass = (kind: number, step: string, read: (block: PbfBlock) => void) => {
    for (const [at, file] of files.entries()) {
      ranges[at].eachBlock(kind, (block, number) => {
        if (number % PROGRESS_BLOCKS === 0) options.onProgress?.(step, number / file.blockCount)
        passes.open(block)
        read(block)
      })
    }
  }
  pass(HAS_RELATIONS, 'relations', (block) => passes.readRelations(block))
  pass(HAS_WAYS, 'ways', (block) => passes.readWays(block))
  passes.endWays()
  pass(HAS_NODES, 'nodes', (block) => passes.readNodes(block))
  const stamps = files.flatMap(({ header }) => header.timestampSeconds ?? [])
  return passes.seal(stamps.length === 0 ? undefined : Math.min(...stamps))
}

/** A relation with the ids of its ways. */
interface RingRelation {
  readonly outer: readonly number[]
  readonly inner: readonly number[]
  /** The flags of a square; undefined for water. */
  readonly flags: number | undefined
  readonly name: StringIndex
}

/** A way to be stored, and the block that contains it. */
interface FoundWay {
  readonly block: PbfBlock
  readonly way: number
  readonly flags: number
  readonly name: StringIndex
}

/** The id of each way, and the counts that node-ids.ts needs to find repeated ids. */
interface WayIds {
  readonly ids: GrowingColumn<Float64Array>
  readonly counts: NodeIdCounts
}

/** Collects the streets in several passes. Each pass reads all files once. */
class StreetPasses {
  private readonly options: StreetOptions
  private readonly tags = new TagReader(FOOT_WORDS)
  private readonly names = new TagTexts(this.tags)
  private readonly ways = new WayStore()
  private readonly barriers = new WayStore()
  private readonly platforms: PlatformWay[] = []
  private readonly relations = new Map<number, RingRelation>()
  /** Id of a way → flags of the square that it borders, or SHORE. */
  private readonly ringWays = new Map<number, number>()
  /** Id of a way that borders a square → its index in `ways`. */
  private readonly wayOfId = new Map<number, number>()
  /** Way → its id; needed only if there are several files, because several files may contain the same way. */
  private readonly wayIds: WayIds | undefined
  private readonly nodeIds = new NodeIdCounts()
  private ids: NodeIds | undefined
  private nodes: StreetNodes | undefined

  constructor(options: StreetOptions, isSeveralFiles: boolean) {
    this.options = options
    this.wayIds = isSeveralFiles ? { ids: new GrowingColumn(Float64Array), counts: new NodeIdCounts() } : undefined
  }

  /** Prepares for reading the elements of a block. */
  open(block: PbfBlock): void {
    this.tags.open(block)
    this.names.open()
  }

  readRelations(block: PbfBlock): void {
    const relations = block.relations()
    for (let relation = 0; relation < relations.count; relation++) {
      this.tags.take(relations, relation)
      if (!isMultipolygon(this.tags)) continue
      const flags = isSquare(this.tags) ? footFlags(this.tags) : undefined
      if (flags !== undefined || barrierOf(this.tags) === BARRIER_WATER) {
        this.relations.set(relations.id[relation], this.ringsOf(block, relation, flags))
      }
    }
  }

  private ringsOf(block: PbfBlock, relation: number, flags: number | undefined): RingRelation {
    const outer: number[] = []
    const inner: number[] = []
    const { count, id, kind, role } = block.membersOf(relation)
    for (let member = 0; member < count; member++) {
      if (kind[member] !== MEMBER_WAY) continue
      const ring = block.text(role[member]) === 'inner' ? inner : outer
      ring.push(id[member])
      const bordered = flags ?? this.ringWays.get(id[member]) ?? SHORE
      this.ringWays.set(id[member], bordered)
    }
    return { outer, inner, flags, name: this.names.of(NAME) }
  }

  readWays(block: PbfBlock): void {
    const { tags } = this
    const ways = block.ways()
    for (let way = 0; way < ways.count; way++) {
      tags.take(ways, way)
      const id = ways.id[way]
      const ring = this.ringWays.size === 0 ? undefined : this.ringWays.get(id)
      const barrier = barrierOf(tags) | (ring === SHORE ? BARRIER_WATER : 0)
      if (barrier !== 0) this.add(this.barriers, { block, way, flags: barrier, name: EMPTY_STRING })
      const own = footFlags(tags)
      const flags = own ?? (ring === SHORE ? undefined : ring)
      if (flags === undefined) continue
      if (ring !== undefined) this.wayOfId.set(id, this.ways.count)
      if (flags & IS_PLATFORM) this.notePlatform()
      this.wayIds?.ids.push(id)
      this.wayIds?.counts.count(id)
      const isOwnSquare = own !== undefined && isSquare(tags)
      this.add(this.ways, { block, way, flags: isOwnSquare ? flags | IS_SQUARE : flags, name: this.names.of(NAME) })
    }
  }

  private add(store: WayStore, { block, way, flags, name }: FoundWay): void {
    const { id, count } = block.refsOf(way)
    for (let at = 0; at < count; at++) this.nodeIds.count(id[at])
    store.add(block.refBytes(way), flags, name)
  }

  private notePlatform(): void {
    const ref = this.tags.has(REF) ? this.names.of(REF) : this.names.of(LOCAL_REF)
    if (ref !== EMPTY_STRING) this.platforms.push({ way: this.ways.count, ref })
  }

  /** Collects the node ids of all ways. */
  endWays(): void {
    if (this.wayIds !== undefined) this.dropRepeated(this.wayIds)
    const ids = this.nodeIds.seal((add) => {
      this.ways.eachNode(add)
      this.barriers.eachNode(add)
    })
    this.ids = ids
    this.nodes = new StreetNodes(ids.count)
  }

  /** Drops each way that has the same id as an earlier way. */
  private dropRepeated({ ids, counts }: WayIds): void {
    const all = ids.view()
    const rows = counts.seal((add) => all.forEach(add))
    const isSeen = new Uint8Array(rows.count)
    for (let way = 0; way < all.length; way++) {
      const row = rows.rowOf(all[way])
      if (isSeen[row] === 1) this.ways.addFlags(way, DROPPED)
      isSeen[row] = 1
    }
  }

  readNodes(block: PbfBlock): void {
    const { nodes, ids, options, tags } = this
    if (nodes === undefined || ids === undefined) throw new Error('readNodes was called before endWays')
    const found = block.nodes()
    const { count, id, lat, lon, tagOffset } = found
    for (let node = 0; node < count; node++) {
      const row = ids.seek(id[node])
      if (row === NONE || options.kept?.has(lat[node], lon[node]) === false) continue
      nodes.lat[row] = lat[node]
      nodes.lon[row] = lon[node]
      nodes.flags[row] = NODE_KNOWN
      if (tagOffset[node] === tagOffset[node + 1]) continue
      tags.take(found, node)
      nodes.flags[row] = NODE_KNOWN | nodeFlags(tags)
    }
  }

  seal(timestampSeconds: number | undefined): LoadedStreets {
    const { ways, barriers, platforms, nodes, ids, wayOfId } = this
    if (nodes === undefined || ids === undefined) throw new Error('seal was called before endWays')
    // Every node of a way has a row. If a node is missing from the files or not in the kept area, it does not have the
    // flag NODE_KNOWN.
    for (const store of [ways, barriers]) store.resolve((id) => ids.rowOf(id))
    this.ids = undefined
    const squares: SquareRelation[] = []
    for (const { outer, inner, flags, name } of this.relations.values()) {
      // A square is not closed if a way in one of its rings is missing. Such a square is left out, but its ways remain
      // streets.
      if (flags === undefined || ![...outer, ...inner].every((id) => wayOfId.has(id))) continue
      const numbersOf = (ids: readonly number[]) => ids.flatMap((id) => wayOfId.get(id) ?? [])
      squares.push({ outer: numbersOf(outer), inner: numbersOf(inner), flags, name })
    }
    return { ways, squares, platforms, barriers, nodes, names: this.names.seal(), timestampSeconds }
  }
}
