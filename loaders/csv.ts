// Scans CSV in chunks. Fields are byte ranges, and no object is created for a row. Each chunk is scanned up to its last
// complete row, so a file of any size needs memory for little more than one chunk. Repairs are reported to `problems`.
import { type FeedProblems, FeedRefused } from './feed-problems.ts'
import { isReadable, mendCharacters } from './lost-characters.ts'
import type { Rule } from './rules.ts'

/** Maximum length of a field. A file is refused if a field is longer or a quote is not closed within this length. */
export const MAX_FIELD_BYTES = 64 * 1024
/** Maximum length of a row. */
export const MAX_ROW_BYTES = 1024 * 1024
/** Maximum number of columns in a header. */
export const MAX_COLUMNS = 512
/**
 * `carry` holds the bytes of an unfinished row. New chunks are first collected. They are joined with `carry` only when
 * their total size is at least this share of the size of `carry`. Otherwise, a long row that arrives in small chunks
 * would be copied for every chunk.
 */
const JOINED_SHARE = 1 / 8
/** Maximum number of rows in a file. */
export const MAX_ROWS = 200_000_000

const QUOTE = 0x22
const COMMA = 0x2c
const CARRIAGE_RETURN = 0x0d
const LINE_FEED = 0x0a
const SPACE = 0x20
const TAB = 0x09

// A byte-order mark is removed from column names, but not from values. The string pool does not remove it either.
const valueDecoder = new TextDecoder('utf-8', { ignoreBOM: true })
const decoder = new TextDecoder()

/** The current row, as ranges of `bytes`. Valid until the next row. */
export class CsvRow {
  bytes: Uint8Array = new Uint8Array(0)
  /** Line on which the row starts; the header is line 1. */
  line = 0
  /** Number of bytes in the file before `bytes`. */
  passed = 0
  /** Number of fields found in this row. */
  fieldCount = 0
  readonly starts = new Int32Array(MAX_COLUMNS + 1)
  readonly ends = new Int32Array(MAX_COLUMNS + 1)
  /** Requested column → index of its field; −1 if the file does not have the column. */
  fieldOf: Int32Array = new Int32Array(0)

  /** Start of the value of a requested column. It is equal to the end if the value is empty or the column is absent. */
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

/** Options for a scan. */
export interface CsvScan {
  /** File name, used in problem reports. */
  readonly file: string
  readonly problems: FeedProblems
  /** The columns to read, numbered in this order. If undefined, all columns are read, numbered in file order. */
  readonly columns: readonly string[] | undefined
  /** Called with the column names in the header, including empty ones. */
  readonly onHeader: (names: readonly string[]) => void
  readonly onRow: (row: CsvRow) => void
  /** The byte that separates fields; a comma if absent. */
  readonly separator?: number
  /** Maximum number of rows; MAX_ROWS if absent. */
  readonly maxRows?: number
}

/** Reads a whole file. Throws FeedRefused if it is not valid CSV. */
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
  /** Memory in which `carry` and the chunks received after it are joined. */
  private buffer = new Uint8Array(0)
  /** Chunks received since `buffer` was filled, in order. */
  private pieces: Uint8Array[] = []
  private pieceBytes = 0
  /** Number of bytes at the start of `carry` that have already been repaired and reported. */
  private mendedBytes = 0
  private line = 1
  private columnCount = 0
  /** Number of fields up to the last column with a name. Later fields are not needed. */
  private namedCount = 0
  private isStarted = false
  /** Fields of the current row from which quotes must be removed. */
  private quotedFields: number[] = []

  constructor(scan: CsvScan) {
    this.scan = scan
    this.separator = scan.separator ?? COMMA
  }

  push(chunk: Uint8Array): void {
    if (chunk.byteLength === 0) return
    this.pieceBytes += chunk.byteLength
    const isEnough = this.pieceBytes >= this.carry.byteLength * JOINED_SHARE
    // The sender may overwrite a chunk after `push`, so a chunk that is not scanned at once is copied.
    this.pieces.push(isEnough ? chunk : chunk.slice())
    if (!isEnough) return
    const block = this.join()
    if (!this.isStarted && block.byteLength < 4) {
      this.carry = block.slice()
      return
    }
    const begin = this.isStarted ? 0 : this.start(block)
    const cut = lastRowEnd(block)
    if (cut <= begin) {
      this.keep(block.slice(begin))
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

  /** Joins all bytes that have been received but not yet scanned. The result is valid until `join` is called again. */
  private join(): Uint8Array {
    const { carry, pieces } = this
    const length = carry.byteLength + this.pieceBytes
    if (this.buffer.byteLength < length) this.buffer = new Uint8Array(length * 2)
    this.pieces = []
    this.pieceBytes = 0
    this.buffer.set(carry)
    let at = carry.byteLength
    for (const piece of pieces) {
      this.buffer.set(piece, at)
      at += piece.byteLength
    }
    return this.buffer.subarray(0, length)
  }

  private keep(carry: Uint8Array): void {
    if (carry.byteLength > MAX_ROW_BYTES)
      this.refuse('csv_parsing_failed', `a row is longer than ${MAX_ROW_BYTES} bytes`)
    this.carry = carry
  }

  /** Length of the byte-order mark to skip, or 0. Refuses UTF-16. */
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

  /** Repairs unreadable characters in complete rows, and reports them. */
  private mend(block: Uint8Array): Uint8Array {
    if (isReadable(block)) return block
    const { file, problems } = this.scan
    return mendCharacters(block, {
      line: this.line,
      reportedBytes: this.mendedBytes,
      separator: this.separator,
      report: (line, example, action) =>
        problems.report({ rule: 'invalid_character', file, line, example, action, severity: 'error' }),
    })
  }

  /** Scans the rows of a block. Returns the start of the first row that is not complete. */
  private scanRows(bytes: Uint8Array): number {
    const { row } = this
    row.bytes = bytes
    let at = 0
    while (at < bytes.length) {
      row.line = this.line
      const next = this.scanRow(bytes, at)
      if (next < 0) break
      this.line++
      at = next
      if (row.fieldCount === 1 && row.starts[0] === row.ends[0]) continue // an empty line
      if (this.quotedFields.length > 0) this.unquote(bytes)
      if (this.columnCount === 0) this.takeHeader(bytes)
      else if (this.fitRow()) this.scan.onRow(row)
    }
    row.passed += at
    return at
  }

  /**
   * Finds the fields of a row. Returns the start of the next row, or −1 if the row is not complete. A block always ends
   * at the end of a line or of the file, so a row is incomplete only if a quote is not closed.
   */
  private scanRow(bytes: Uint8Array, from: number): number {
    const { row, quotedFields, separator } = this
    const { starts, ends } = row
    // Most bytes have higher values than all bytes that can end a field, so one comparison is usually enough.
    const highest = Math.max(separator, CARRIAGE_RETURN)
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
        if (byte <= highest && (byte === separator || byte === LINE_FEED || byte === CARRIAGE_RETURN)) break
        at++
      }
      let end = at
      while (end > start && bytes[end - 1] <= SPACE) end--
      if (end - start > MAX_FIELD_BYTES)
        this.refuse('csv_parsing_failed', `a field is longer than ${MAX_FIELD_BYTES} bytes`)
      // All fields beyond the maximum share the last slot. It holds the range of the last of these fields that is not
      // empty.
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

  /** Skips a quoted part of a field. Returns the index after the closing quote, or −1 if this block has no closing quote. */
  private passQuoted(bytes: Uint8Array, from: number): number {
    for (let at = from + 1; at < bytes.length; at++) {
      if (bytes[at] !== QUOTE) continue
      if (bytes[at + 1] !== QUOTE) return at + 1
      at++
    }
    if (bytes.length - from > MAX_FIELD_BYTES)
      this.refuse('csv_parsing_failed', `a quote is not closed within ${MAX_FIELD_BYTES} bytes`)
    return -1
  }

  /** Removes the quotes from the quoted fields of the current row. Overwrites the bytes. */
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
      this.refuse('csv_parsing_failed', `the header has more than ${MAX_COLUMNS} columns`, row.line)
    }
    this.columnCount = names.length
    this.namedCount = names.findLastIndex((name) => name !== '') + 1
    scan.problems.countsOf(scan.file) // records the file even if it has no rows
    row.fieldOf = Int32Array.from(scan.columns ?? names, (name) => names.indexOf(name))
    // `onHeader` checks for missing columns. It runs first, before this function checks for repeated names. If a file
    // has no header, its first row is read as the header. The error must then name the missing columns, not values that
    // occur twice in this row.
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

  /** Gives a row as many fields as the header. Returns false, to drop the row, if a surplus field is not empty. */
  private fitRow(): boolean {
    const { row, scan } = this
    const maxRows = scan.maxRows ?? MAX_ROWS
    if (++scan.problems.countsOf(scan.file).rows > maxRows) {
      this.refuse('too_many_rows', `the file has more than ${maxRows} rows`, row.line)
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

/** The index after the last row end in a block; 0 if there is none. A row ends with LF, CR or CRLF. */
function lastRowEnd(block: Uint8Array): number {
  const behindFeed = block.lastIndexOf(LINE_FEED) + 1
  // A carriage return at the end of the block may be the first half of a CRLF.
  const carriageReturn = block.subarray(behindFeed, block.length - 1).lastIndexOf(CARRIAGE_RETURN)
  return behindFeed + carriageReturn + 1
}
