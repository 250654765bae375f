// A chunked scanner for CSV bytes: no object per row, fields are ranges of bytes. Chunks are joined at row ends, so a
// file of any size is read in the memory of one chunk. What is mended on the way is told to `problems`.
import { type FeedProblems, FeedRefused } from './feed-problems.ts'
import { isReadable, mendCharacters } from './lost-characters.ts'
import type { Rule } from './rules.ts'

/** Longest field; a longer one, or a quote that stays open so long, refuses the file. */
export const MAX_FIELD_BYTES = 64 * 1024
/** Longest row. */
export const MAX_ROW_BYTES = 1024 * 1024
/** Most columns a header may name. */
export const MAX_COLUMNS = 512
/** What has come is joined to the row it belongs to once it has this share of it: a long row in small pieces stays cheap. */
const JOINED_SHARE = 1 / 8
/** Most rows of a file. */
export const MAX_ROWS = 200_000_000

const QUOTE = 0x22
const COMMA = 0x2c
const CARRIAGE_RETURN = 0x0d
const LINE_FEED = 0x0a
const SPACE = 0x20
const TAB = 0x09

// A byte-order mark at the start of a value is a part of it, as it is where its bytes are kept; before a name it is none.
const valueDecoder = new TextDecoder('utf-8', { ignoreBOM: true })
const decoder = new TextDecoder()

/** One row at a time: ranges into `bytes`, valid until the next row. */
export class CsvRow {
  bytes: Uint8Array = new Uint8Array(0)
  /** Line of the row's start, from 1 (the header). */
  line = 0
  /** Fields found in this row. */
  fieldCount = 0
  readonly starts = new Int32Array(MAX_COLUMNS + 1)
  readonly ends = new Int32Array(MAX_COLUMNS + 1)
  /** Wanted column → field, −1 where the file has no such column. */
  fieldOf: Int32Array = new Int32Array(0)

  /** Start of a wanted column's value; equal to its end where it is empty or absent. */
  start(column: number): number {
    const field = this.fieldOf[column]
    return field < 0 ? 0 : this.starts[field]
  }

  end(column: number): number {
    const field = this.fieldOf[column]
    return field < 0 ? 0 : this.ends[field]
  }

  isEmpty(column: number): boolean {
    return this.start(column) === this.end(column)
  }

  text(column: number): string {
    const start = this.start(column)
    const end = this.end(column)
    return start === end ? '' : valueDecoder.decode(this.bytes.subarray(start, end))
  }
}

/** What a scan needs to know. */
export interface CsvScan {
  /** Name of the file, for problems. */
  readonly file: string
  readonly problems: FeedProblems
  /** Columns to be read, by name; `CsvRow` numbers them in this order. Undefined reads all, in the file's order. */
  readonly columns: readonly string[] | undefined
  /** Called with the header's names, empty ones included. */
  readonly onHeader: (names: readonly string[]) => void
  readonly onRow: (row: CsvRow) => void
  /** The byte between fields: a comma where it is not given. */
  readonly separator?: number
  /** MAX_ROWS where it is not given. */
  readonly maxRows?: number
}

/** Reads a whole file. Throws FeedRefused where it is no CSV. */
export async function scanCsv(chunks: AsyncIterable<Uint8Array>, scan: CsvScan): Promise<void> {
  const scanner = new CsvScanner(scan)
  for await (const chunk of chunks) scanner.push(chunk)
  scanner.finish()
}

class CsvScanner {
  private readonly scan: CsvScan
  private readonly separator: number
  private readonly row = new CsvRow()
  private carry: Uint8Array = new Uint8Array(0)
  /** What has come since, in order. */
  private pieces: Uint8Array[] = []
  private pieceBytes = 0
  /** Bytes of `carry` that were mended, and told of, before. */
  private mendedBytes = 0
  private line = 1
  private columnCount = 0
  /** Fields up to the last column with a name: a row needs no more. */
  private namedCount = 0
  private isStarted = false
  /** Fields of the present row that hold quotes to be taken out. */
  private quotedFields: number[] = []

  constructor(scan: CsvScan) {
    this.scan = scan
    this.separator = scan.separator ?? COMMA
  }

  push(chunk: Uint8Array): void {
    if (chunk.byteLength === 0) return
    this.pieces.push(chunk.slice())
    this.pieceBytes += chunk.byteLength
    if (this.pieceBytes < this.carry.byteLength * JOINED_SHARE) return
    const block = this.join()
    if (!this.isStarted && block.byteLength < 4) {
      this.carry = block
      return
    }
    const begin = this.isStarted ? 0 : this.start(block)
    const cut = lastRowEnd(block)
    if (cut <= begin) {
      this.keep(begin === 0 ? block : block.slice(begin))
      return
    }
    const mended = this.mend(block.subarray(begin, cut))
    const scanned = this.scanRows(mended)
    const rest = block.subarray(cut)
    const unfinished = mended.subarray(scanned)
    const carry = new Uint8Array(unfinished.byteLength + rest.byteLength)
    carry.set(unfinished)
    this.mendedBytes = unfinished.byteLength
    carry.set(rest, unfinished.byteLength)
    this.keep(carry)
  }

  finish(): void {
    let block = this.join()
    if (!this.isStarted) block = block.subarray(this.start(block))
    if (block.byteLength > 0) {
      const mended = this.mend(block)
      if (this.scanRows(mended) < mended.byteLength) this.refuse('csv_parsing_failed', 'a quote is never closed')
    }
    if (this.columnCount === 0) this.refuse('empty_file', 'no header', 0)
  }

  /** All that has come and is not scanned yet. */
  private join(): Uint8Array {
    const { carry, pieces } = this
    const [first] = pieces
    this.pieces = []
    const length = carry.byteLength + this.pieceBytes
    this.pieceBytes = 0
    if (first === undefined) return carry
    if (first.byteLength === length) return first
    const block = new Uint8Array(length)
    block.set(carry)
    let at = carry.byteLength
    for (const piece of pieces) {
      block.set(piece, at)
      at += piece.byteLength
    }
    return block
  }

  private keep(carry: Uint8Array): void {
    if (carry.byteLength > MAX_ROW_BYTES)
      this.refuse('csv_parsing_failed', `a row is longer than ${MAX_ROW_BYTES} bytes`)
    this.carry = carry
  }

  /** Passes over a byte-order mark; refuses UTF-16. The number of bytes passed over. */
  private start(block: Uint8Array): number {
    this.isStarted = true
    const [first, second, third] = block
    const hasMark = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
    if (hasMark || (second !== undefined && (first === 0) !== (second === 0))) {
      this.refuse('csv_parsing_failed', 'the file is UTF-16; GTFS files are UTF-8')
    }
    return first === 0xef && second === 0xbb && third === 0xbf ? 3 : 0
  }

  private refuse(rule: Rule, example: string, line = this.line): never {
    throw new FeedRefused({ rule, file: this.scan.file, line, example, action: 'refused_feed' })
  }

  /** Whole rows with every character readable; what was mended, or is lost, is told. */
  private mend(block: Uint8Array): Uint8Array {
    if (isReadable(block)) return block
    const { file, problems } = this.scan
    return mendCharacters(block, {
      line: this.line,
      toldBytes: this.mendedBytes,
      separator: this.separator,
      tell: (line, example, action) =>
        problems.report({ rule: 'invalid_character', file, line, example, action, severity: 'error' }),
    })
  }

  /** Scans the rows of a block; where the first row begins that does not end in it. */
  private scanRows(bytes: Uint8Array): number {
    const { row } = this
    row.bytes = bytes
    let at = 0
    while (at < bytes.length) {
      row.line = this.line
      const next = this.scanRow(bytes, at)
      if (next < 0) return at
      this.line++
      at = next
      if (row.fieldCount === 1 && row.starts[0] === row.ends[0]) continue // an empty line
      if (this.quotedFields.length > 0) this.unquote(bytes)
      if (this.columnCount === 0) this.takeHeader(bytes)
      else if (this.fitRow()) this.scan.onRow(row)
    }
    return at
  }

  /**
   * Finds the fields of one row; where the next row begins, or −1 where this one does not end in the block: as blocks end
   * with a line end, or with the file, that is only where a quote is still open.
   */
  private scanRow(bytes: Uint8Array, from: number): number {
    const { row, quotedFields, separator } = this
    const { starts, ends } = row
    quotedFields.length = 0
    let at = from
    let field = 0
    for (;;) {
      while (at < bytes.length && (bytes[at] === SPACE || bytes[at] === TAB)) at++
      const start = at
      let byte = 0
      if (bytes[at] === QUOTE) {
        at = this.passQuoted(bytes, at)
        if (at < 0) return -1
        quotedFields.push(Math.min(field, MAX_COLUMNS))
      }
      while (at < bytes.length) {
        byte = bytes[at]
        if (byte === separator || byte === LINE_FEED || byte === CARRIAGE_RETURN) break
        at++
      }
      let end = at
      while (end > start && bytes[end - 1] <= SPACE) end--
      if (end - start > MAX_FIELD_BYTES)
        this.refuse('csv_parsing_failed', `a field is longer than ${MAX_FIELD_BYTES} bytes`)
      // The last place holds all fields beyond the most columns: one of them with text must show.
      if (field <= MAX_COLUMNS || end > start) {
        const place = Math.min(field, MAX_COLUMNS)
        starts[place] = start
        ends[place] = end
        field = place + 1
      }
      at++
      if (byte === separator && at <= bytes.length) {
        byte = 0
        continue
      }
      row.fieldCount = field
      if (byte === CARRIAGE_RETURN && bytes[at] === LINE_FEED) at++
      return Math.min(at, bytes.length)
    }
  }

  /** Passes a quoted part that begins at a quote; the place behind its closing quote, or −1 where it is not closed here. */
  private passQuoted(bytes: Uint8Array, from: number): number {
    for (let at = from + 1; at < bytes.length; at++) {
      if (bytes[at] !== QUOTE) continue
      if (bytes[at + 1] !== QUOTE) return at + 1
      at++
    }
    if (bytes.length - from > MAX_FIELD_BYTES) this.refuse('csv_parsing_failed', 'a quote is not closed')
    return -1
  }

  /** Takes the quotes out of the present row's quoted fields, in place. */
  private unquote(bytes: Uint8Array): void {
    const { starts, ends } = this.row
    for (const field of this.quotedFields) {
      let write = starts[field]
      const end = ends[field]
      const first = write
      let isInside = false
      let hasLineEnd = false
      for (let read = write; read < end; read++) {
        let byte = bytes[read]
        if (byte === QUOTE) {
          if (isInside && bytes[read + 1] === QUOTE && read + 1 < end) read++
          else {
            isInside = !isInside
            continue
          }
        } else if (byte === LINE_FEED || byte === CARRIAGE_RETURN) {
          hasLineEnd = true
          if (byte === CARRIAGE_RETURN && bytes[read + 1] === LINE_FEED) continue
          this.line++
          byte = SPACE
        }
        bytes[write++] = byte
      }
      starts[field] = first
      ends[field] = write
      if (hasLineEnd) this.reportNewLine()
      this.trim(bytes, field)
    }
  }

  private trim(bytes: Uint8Array, field: number): void {
    const { starts, ends } = this.row
    let start = starts[field]
    let end = ends[field]
    while (start < end && bytes[start] <= SPACE) start++
    while (end > start && bytes[end - 1] <= SPACE) end--
    starts[field] = start
    ends[field] = end
  }

  private reportNewLine(): void {
    const { file, problems } = this.scan
    problems.report({ rule: 'new_line_in_value', file, line: this.row.line, action: 'repaired' })
  }

  private takeHeader(bytes: Uint8Array): void {
    const { row, scan } = this
    const names: string[] = []
    for (let field = 0; field < row.fieldCount; field++) {
      names.push(decoder.decode(bytes.subarray(row.starts[field], row.ends[field])))
    }
    if (names.length > MAX_COLUMNS) {
      this.refuse('csv_parsing_failed', `more than ${MAX_COLUMNS} columns`, row.line)
    }
    this.columnCount = names.length
    this.namedCount = names.findLastIndex((name) => name !== '') + 1
    scan.problems.countsOf(scan.file) // a file of no rows was read too
    row.fieldOf = Int32Array.from(scan.columns ?? names, (name) => names.indexOf(name))
    // Asked first: a file without a header has its first row as one, of which much may stand twice.
    scan.onHeader(names)
    for (const [index, name] of names.entries()) {
      if (name === '') {
        scan.problems.report({
          rule: 'empty_column_name',
          file: scan.file,
          line: row.line,
          example: `column ${index + 1}`,
          action: 'repaired',
        })
      } else if (names.indexOf(name) !== index) this.refuse('duplicated_column', name, row.line)
    }
  }

  /** Makes a row as wide as the header; false where it has surplus text and is dropped. */
  private fitRow(): boolean {
    const { row, scan } = this
    const maxRows = scan.maxRows ?? MAX_ROWS
    if (++scan.problems.countsOf(scan.file).rows > maxRows) {
      this.refuse('too_many_rows', `more than ${maxRows} rows`, row.line)
    }
    for (let field = row.fieldCount; field < this.columnCount; field++) {
      row.starts[field] = 0
      row.ends[field] = 0
    }
    if (row.fieldCount >= this.namedCount && row.fieldCount <= this.columnCount) return true
    let hasSurplusText = false
    for (let field = this.columnCount; field < row.fieldCount; field++) {
      if (row.starts[field] !== row.ends[field]) hasSurplusText = true
    }
    scan.problems.report({
      rule: 'invalid_row_length',
      file: scan.file,
      line: row.line,
      example: `${row.fieldCount} fields, the header has ${this.columnCount}`,
      action: hasSurplusText ? 'dropped_row' : 'repaired',
    })
    return !hasSurplusText
  }
}

/** Behind the last row end of a block: a line feed, or a carriage return alone. */
function lastRowEnd(block: Uint8Array): number {
  const behindFeed = block.lastIndexOf(LINE_FEED) + 1
  // A carriage return at the very end may be half of a CRLF.
  const carriageReturn = block.subarray(behindFeed, block.length - 1).lastIndexOf(CARRIAGE_RETURN)
  return behindFeed + carriageReturn + 1
}
