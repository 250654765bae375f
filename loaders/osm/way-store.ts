// Ways that a pass keeps: flags and names as columns, nodes as the bytes they have in the file.
import { GrowingColumn } from '../columns.ts'
import type { StringIndex } from '../strings.ts'
import { readIds, WireCursor } from './pbf-wire.ts'
import { ReusedArray } from './reused-array.ts'

/** Bytes are kept in pieces, so that a growing store is not copied. */
const PIECE_BYTES = 1 << 24

/** A flag of a way that counts as not there. */
export const DROPPED = 1 << 15

/** Ways by number, in the order they were added. */
export class WayStore {
  private readonly flagsOf = new GrowingColumn(Uint16Array)
  private readonly nameOf = new GrowingColumn(Uint32Array)
  /** Way → its piece, and its bytes in it. */
  private readonly piece = new GrowingColumn(Uint16Array)
  private readonly start = new GrowingColumn(Uint32Array)
  private readonly end = new GrowingColumn(Uint32Array)
  private pieces: Uint8Array[] = []
  private used = 0
  private readonly ids = new ReusedArray(Float64Array)

  get count(): number {
    return this.flagsOf.length
  }

  /** @param refs a packed list of differences */
  add(refs: Uint8Array, flags: number, name: StringIndex): void {
    const last = this.pieces[this.pieces.length - 1]
    if (last === undefined || this.used + refs.length > last.length) {
      this.pieces.push(new Uint8Array(Math.max(this.count === 0 ? PIECE_BYTES >> 6 : PIECE_BYTES, refs.length)))
      this.used = 0
    }
    this.pieces[this.pieces.length - 1].set(refs, this.used)
    this.flagsOf.push(flags)
    this.nameOf.push(name)
    this.piece.push(this.pieces.length - 1)
    this.start.push(this.used)
    this.used += refs.length
    this.end.push(this.used)
  }

  flags(way: number): number {
    return this.flagsOf.at(way)
  }

  addFlags(way: number, flags: number): void {
    this.flagsOf.set(way, this.flagsOf.at(way) | flags)
  }

  /** Its number in the pool of names. */
  name(way: number): number {
    return this.nameOf.at(way)
  }

  /** The ids of a way's nodes: the first `count` rows of `id`. Valid until the next call. */
  refsOf(way: number): { readonly id: Float64Array; readonly count: number } {
    const cursor = new WireCursor(this.pieces[this.piece.at(way)])
    cursor.moveTo(this.start.at(way), this.end.at(way))
    const id = this.ids.atLeast(cursor.end - cursor.at)
    return { id, count: readIds(cursor, id, 0) }
  }

  /** Calls `add` with every node id of every way. */
  eachId(add: (id: number) => void): void {
    for (let way = 0; way < this.count; way++) {
      const { id, count } = this.refsOf(way)
      for (let at = 0; at < count; at++) add(id[at])
    }
  }
}
