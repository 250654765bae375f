// Reads the nodes, ways and relations of one block into columns.
import { type ElementColumns, ElementTable } from './element-table.ts'
import {
  bytesTag,
  type CoordinateScale,
  readCoordinate,
  readCoordinates,
  readIds,
  varintTag,
  WireBroken,
  type WireCursor,
} from './pbf-wire.ts'
import { ReusedArray } from './reused-array.ts'

/** Nodes, with coordinates in units of 1e-7 degrees. */
export interface NodeColumns extends ElementColumns {
  readonly lat: Int32Array
  readonly lon: Int32Array
}

/** Kinds of members, with the numbers that the file format uses. */
export const MEMBER_NODE = 0
export const MEMBER_WAY = 1
export const MEMBER_RELATION = 2

/** The members of a relation, in order. */
export interface MemberColumns {
  readonly count: number
  readonly id: Float64Array
  /** MEMBER_NODE, MEMBER_WAY or MEMBER_RELATION. */
  readonly kind: Uint8Array
  /** Member → number of the string with its role. */
  readonly role: Uint32Array
}

/** The properties and methods of PbfBlock that the readers in this file need. */
interface Block {
  readonly cursor: WireCursor
  readonly granularity: number
  readonly latOffset: number
  readonly lonOffset: number
  checked(string: number): number
  eachElement(read: (tag: number) => void): void
}

/** Tags of the fields in a group. Each field contains one kind of element. */
export const GROUP_NODE = bytesTag(1)
export const GROUP_DENSE = bytesTag(2)
export const GROUP_WAY = bytesTag(3)
export const GROUP_RELATION = bytesTag(4)

/** Number of nanodegrees in a unit of 1e-7 degrees. */
const UNIT_NANODEGREES = 100

/** Where the lists of an element are in the bytes. The lists are read after the other fields of the element. */
class ListPlaces {
  private readonly starts = new Uint32Array(16)
  private readonly ends = new Uint32Array(16)

  clear(): void {
    this.starts.fill(0)
    this.ends.fill(0)
  }

  /** Records where the list in this field is, and skips the list. */
  note(field: number, cursor: WireCursor): void {
    this.ends[field] = cursor.fieldEnd()
    this.starts[field] = cursor.at
    cursor.at = this.ends[field]
  }

  enter(field: number, cursor: WireCursor): void {
    cursor.moveTo(this.starts[field], this.ends[field])
  }

  start(field: number): number {
    return this.starts[field]
  }

  end(field: number): number {
    return this.ends[field]
  }
}

/** Numbers of the fields that are the same in nodes, ways and relations. */
const KEYS = 2
const VALUES = 3

/**
 * Base class of the three readers. Except for dense nodes, an element has its tag keys in one list and its tag values
 * in another.
 */
class ElementReader {
  protected readonly block: Block
  protected readonly elements = new ElementTable()
  protected readonly places = new ListPlaces()

  constructor(block: Block) {
    this.block = block
  }

  /** Ends an element whose fields have been read: reads its tags and adds it to `elements`. */
  protected end(id: number): void {
    if (!Number.isSafeInteger(id)) throw new WireBroken('an element has no valid id')
    const { block, elements, places } = this
    const { cursor } = block
    elements.id.atLeast(elements.count + 1)[elements.count] = id
    let value = places.start(VALUES)
    places.enter(KEYS, cursor)
    while (cursor.at < cursor.end) {
      const key = block.checked(cursor.unsigned())
      const next = cursor.at
      cursor.moveTo(value, places.end(VALUES))
      if (value === cursor.end) throw new WireBroken('an element has more tag keys than tag values')
      elements.addTag(key, block.checked(cursor.unsigned()))
      value = cursor.at
      cursor.moveTo(next, places.end(KEYS))
    }
    if (value !== places.end(VALUES)) throw new WireBroken('an element has more tag values than tag keys')
    elements.endElement()
  }
}

/** Reads nodes. A group stores them one by one, or as columns (dense). */
export class NodeReader extends ElementReader {
  private readonly lat = new ReusedArray(Int32Array)
  private readonly lon = new ReusedArray(Int32Array)

  read(): NodeColumns {
    const { elements, block, lat, lon } = this
    elements.clear()
    block.eachElement((tag) => {
      if (tag === GROUP_DENSE) this.readDense()
      else if (tag === GROUP_NODE) this.readNode()
    })
    return { ...elements.columns(), lat: lat.array, lon: lon.array }
  }

  private scaleOf(isLat: boolean): CoordinateScale {
    const { granularity, latOffset, lonOffset } = this.block
    return { scale: granularity / UNIT_NANODEGREES, offset: (isLat ? latOffset : lonOffset) / UNIT_NANODEGREES, isLat }
  }

  private readDense(): void {
    const { elements, places, block, lat, lon } = this
    const { cursor } = block
    const first = elements.count
    places.clear()
    for (let tag = cursor.tag(); tag !== 0; tag = cursor.tag()) {
      const field = tag >>> 3
      if (tag === bytesTag(field) && (field === 1 || (field >= 8 && field <= 10))) places.note(field, cursor)
      else cursor.skip(tag)
    }
    const room = (field: number) => first + places.end(field) - places.start(field)
    places.enter(1, cursor)
    const ids = readIds(cursor, elements.id.atLeast(room(1)), first)
    places.enter(8, cursor)
    const lats = readCoordinates(cursor, this.scaleOf(true), { out: lat.atLeast(room(8)), count: first })
    places.enter(9, cursor)
    const lons = readCoordinates(cursor, this.scaleOf(false), { out: lon.atLeast(room(9)), count: first })
    if (ids !== lats || ids !== lons)
      throw new WireBroken('the number of node ids differs from the number of coordinates')
    places.enter(10, cursor)
    this.readDenseTags(ids - first)
  }

  /** Reads the tags of all nodes: a list with `(key value)* 0` for each node. If no node has tags, the list is empty. */
  private readDenseTags(count: number): void {
    const { elements, block } = this
    const { cursor } = block
    const hasTags = cursor.at < cursor.end
    for (let node = 0; node < count; node++) {
      for (let key = hasTags ? cursor.unsigned() : 0; key !== 0; key = cursor.unsigned()) {
        elements.addTag(block.checked(key), block.checked(cursor.unsigned()))
      }
      elements.endElement()
    }
    if (cursor.at !== cursor.end) throw new WireBroken('there are tags for more nodes than the block has')
  }

  private readNode(): void {
    const { elements, places, block } = this
    const { cursor } = block
    const node = elements.count
    let id = Number.NaN
    let coordinates = 0
    places.clear()
    for (let tag = cursor.tag(); tag !== 0; tag = cursor.tag()) {
      if (tag === varintTag(1)) id = cursor.zigzag()
      else if (tag === bytesTag(KEYS) || tag === bytesTag(VALUES)) places.note(tag >>> 3, cursor)
      else if (tag === varintTag(8) || tag === varintTag(9)) {
        const isLat = tag === varintTag(8)
        readCoordinate(cursor, this.scaleOf(isLat), {
          out: (isLat ? this.lat : this.lon).atLeast(node + 1),
          count: node,
        })
        coordinates |= isLat ? 1 : 2
      } else cursor.skip(tag)
    }
    if (coordinates !== 3) throw new WireBroken('a node has no latitude or no longitude')
    this.end(id)
  }
}

const WAY_REFS = 8

/** Reads ways. Their nodes are read on demand, because most ways are not needed. */
export class WayReader extends ElementReader {
  private readonly refStart = new ReusedArray(Uint32Array)
  private readonly refEnd = new ReusedArray(Uint32Array)
  private readonly refs = new ReusedArray(Float64Array)

  read(): ElementColumns {
    this.elements.clear()
    this.block.eachElement((tag) => {
      if (tag === GROUP_WAY) this.readWay()
    })
    return this.elements.columns()
  }

  refsOf(way: number): { readonly id: Float64Array; readonly count: number } {
    const { cursor } = this.block
    cursor.moveTo(this.refStart.array[way], this.refEnd.array[way])
    const id = this.refs.atLeast(cursor.end - cursor.at)
    return { id, count: readIds(cursor, id, 0) }
  }

  refBytes(way: number): Uint8Array {
    return this.block.cursor.bytes.subarray(this.refStart.array[way], this.refEnd.array[way])
  }

  private readWay(): void {
    const { elements, places, block } = this
    const { cursor } = block
    const way = elements.count
    let id = Number.NaN
    places.clear()
    for (let tag = cursor.tag(); tag !== 0; tag = cursor.tag()) {
      if (tag === varintTag(1)) id = cursor.signed()
      else if (tag === bytesTag(KEYS) || tag === bytesTag(VALUES) || tag === bytesTag(WAY_REFS)) {
        places.note(tag >>> 3, cursor)
      } else cursor.skip(tag)
    }
    this.refStart.atLeast(way + 1)[way] = places.start(WAY_REFS)
    this.refEnd.atLeast(way + 1)[way] = places.end(WAY_REFS)
    this.end(id)
  }
}

const MEMBER_ROLES = 8
const MEMBER_IDS = 9
const MEMBER_KINDS = 10
/** Number of positions that are recorded for each relation: starts and ends of the lists of ids, kinds and roles. */
const RELATION_PLACES = 6

/** Reads relations. Their members are read on demand. */
export class RelationReader extends ElementReader {
  private readonly lists = new ReusedArray(Uint32Array)
  private readonly ids = new ReusedArray(Float64Array)
  private readonly kinds = new ReusedArray(Uint8Array)
  private readonly roles = new ReusedArray(Uint32Array)

  read(): ElementColumns {
    this.elements.clear()
    this.block.eachElement((tag) => {
      if (tag === GROUP_RELATION) this.readRelation()
    })
    return this.elements.columns()
  }

  membersOf(relation: number): MemberColumns {
    const { block, lists } = this
    const { cursor } = block
    const at = RELATION_PLACES * relation
    cursor.moveTo(lists.array[at], lists.array[at + 1])
    const id = this.ids.atLeast(cursor.end - cursor.at)
    const count = readIds(cursor, id, 0)
    const [kind, role] = [this.kinds.atLeast(count), this.roles.atLeast(count)]
    cursor.moveTo(lists.array[at + 2], lists.array[at + 3])
    for (let member = 0; member < count; member++) {
      kind[member] = cursor.unsigned()
      if (kind[member] > MEMBER_RELATION) throw new WireBroken(`a relation member has the unknown kind ${kind[member]}`)
    }
    if (cursor.at !== cursor.end) throw new WireBroken('a relation has more member kinds than members')
    cursor.moveTo(lists.array[at + 4], lists.array[at + 5])
    for (let member = 0; member < count; member++) role[member] = block.checked(cursor.unsigned())
    if (cursor.at !== cursor.end) throw new WireBroken('a relation has more member roles than members')
    return { count, id, kind, role }
  }

  private readRelation(): void {
    const { elements, places, block } = this
    const { cursor } = block
    const relation = elements.count
    let id = Number.NaN
    places.clear()
    for (let tag = cursor.tag(); tag !== 0; tag = cursor.tag()) {
      const field = tag >>> 3
      if (tag === varintTag(1)) id = cursor.signed()
      else if (tag === bytesTag(field) && field >= KEYS && field <= MEMBER_KINDS && field !== 4)
        places.note(field, cursor)
      else cursor.skip(tag)
    }
    const lists = this.lists.atLeast(RELATION_PLACES * (relation + 1))
    for (const [list, field] of [MEMBER_IDS, MEMBER_KINDS, MEMBER_ROLES].entries()) {
      lists[RELATION_PLACES * relation + 2 * list] = places.start(field)
      lists[RELATION_PLACES * relation + 2 * list + 1] = places.end(field)
    }
    this.end(id)
  }
}
