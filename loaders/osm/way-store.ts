// The ways that are read from extracts. Flags and names are columns. The nodes of a way are ids, as packed bytes in the
// format of the file. Once all nodes have been read, `resolve` replaces the ids with rows, and the table of ids can be
// freed.
import { GrowingColumn } from '../columns.ts'
import { readIds, WireCursor } from './pbf-wire.ts'
import { ReusedArray } from './reused-array.ts'

/**
 * Size of a piece, in bytes. The bytes of the ways are stored in pieces, so that they need not be copied when the store
 * grows.
 */
const PIECE_BYTES = 1 << 24
const FIRST_PIECE_BYTES = 1 << 16
/** Maximum number of bytes that the difference between two rows takes. */
const MAX_ROW_BYTES = 5

/** Flag of a way that must be ignored. */
export const DROPPED = 1 << 15

/** Bytes in pieces, which are never moved. */
class BytePieces {
  private readonly pieces: WireCursor[] = []
  private used = 0

  /**
   * Returns a piece with at least `length` free bytes, which start at `at`. After writing bytes, callers must call
   * `advance`.
   */
  reserve(length: number): Uint8Array {
    const last = this.pieces[this.pieces.length - 1]
    if (last !== undefined && this.used + length <= last.bytes.length) return last.bytes
    const bytes = new Uint8Array(Math.max(this.pieces.length === 0 ? FIRST_PIECE_BYTES : PIECE_BYTES, length))
    this.pieces.push(new WireCursor(bytes))
    this.used = 0
    return bytes
  }

  /** Offset of the first free byte in the last piece. */
  get at(): number {
    return this.used
  }

  /** Number of the last piece. */
  get piece(): number {
    return this.pieces.length - 1
  }

  advance(length: number): void {
    this.used += length
  }

  cursor(piece: number): WireCursor {
    return this.pieces[piece]
  }

  /** Frees the memory of the pieces before the piece with this number. */
  forgetBefore(piece: number): void {
    for (let at = piece - 1; at >= 0 && this.pieces[at].bytes.length > 0; at--) {
      this.pieces[at] = new WireCursor(new Uint8Array(0))
    }
  }
}

/** Ways, numbered in the order in which they were added. */
export class WayStore {
  /** The nodes of the way that was read last: their ids or, after `resolve`, their rows. */
  nodes: Float64Array
  private readonly flagsOf = new GrowingColumn(Uint16Array)
  private readonly nameOf = new GrowingColumn(Uint32Array)
  /** Way → the piece that contains its bytes. */
  private readonly piece = new GrowingColumn(Uint16Array)
  /** Way → offset of its first byte in the piece. */
  private readonly start = new GrowingColumn(Uint32Array)
  /** Way → offset after its last byte in the piece. */
  private readonly end = new GrowingColumn(Uint32Array)
  private bytes = new BytePieces()
  private readonly room = new ReusedArray(Float64Array)

  constructor() {
    this.nodes = this.room.array
  }

  get count(): number {
    return this.flagsOf.length
  }

  /**
   * Adds a way.
   * @param refs the ids of its nodes, as a packed list (see `readIds`)
   * @param name number of its name in the name pool
   */
  add(refs: Uint8Array, flags: number, name: number): void {
    const { bytes } = this
    bytes.reserve(refs.length).set(refs, bytes.at)
    this.flagsOf.push(flags)
    this.nameOf.push(name)
    this.piece.push(bytes.piece)
    this.start.push(bytes.at)
    bytes.advance(refs.length)
    this.end.push(bytes.at)
  }

  flags(way: number): number {
    return this.flagsOf.at(way)
  }

  addFlags(way: number, flags: number): void {
    this.flagsOf.set(way, this.flagsOf.at(way) | flags)
  }

  /** The number of the way's name in the name pool. */
  name(way: number): number {
    return this.nameOf.at(way)
  }

  /** Reads the nodes of a way into `nodes`; returns their number. */
  readNodes(way: number): number {
    const cursor = this.bytes.cursor(this.piece.at(way))
    cursor.moveTo(this.start.at(way), this.end.at(way))
    this.nodes = this.room.atLeast(cursor.end - cursor.at)
    return readIds(cursor, this.nodes, 0)
  }

  /** Frees the memory. The store is then empty. */
  forget(): void {
    for (const column of [this.flagsOf, this.nameOf, this.piece, this.start, this.end]) column.take()
    this.bytes = new BytePieces()
  }

  /** Calls `add` with every node of every way. */
  eachNode(add: (node: number) => void): void {
    for (let way = 0; way < this.count; way++) {
      const count = this.readNodes(way)
      for (let at = 0; at < count; at++) add(this.nodes[at])
    }
  }

  /** Replaces the id of each node with the result of `rowOf`. */
  resolve(rowOf: (id: number) => number): void {
    const rows = new BytePieces()
    for (let way = 0; way < this.count; way++) {
      const count = this.readNodes(way)
      this.bytes.forgetBefore(this.piece.at(way))
      const bytes = rows.reserve(count * MAX_ROW_BYTES)
      const start = rows.at
      let at = start
      let last = 0
      for (let node = 0; node < count; node++) {
        const row = rowOf(this.nodes[node])
        const difference = row - last
        let value = difference >= 0 ? 2 * difference : -2 * difference - 1
        while (value >= 0x80) {
          bytes[at++] = (value % 0x80) + 0x80
          value = Math.floor(value / 0x80)
        }
        bytes[at++] = value
        last = row
      }
      rows.advance(at - start)
      this.piece.set(way, rows.piece)
      this.start.set(way, start)
      this.end.set(way, at)
    }
    this.bytes = rows
  }
}
