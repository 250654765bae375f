// Makes hostile feeds: applies seeded random changes to the bytes, cells, rows, columns and files of a valid feed, or
// to the bytes of its zip. A feed is a set of files in memory, so that one process can make and read many thousands of
// feeds.
import { below, pick, type Random } from '../../../src/demo/seeded-random.ts'

/** File name → content of each file in a feed. */
export type FeedFiles = ReadonlyMap<string, Uint8Array>

/** The files of a changed feed, and descriptions of the changes. */
export interface Mutant {
  readonly files: FeedFiles
  /** One description per change. */
  readonly changes: readonly string[]
}

type Files = Map<string, Uint8Array>
/** A function that changes the files in place and returns a description of the change. */
type Mutation = (files: Files, random: Random) => string

const encoder = new TextEncoder()
const MOST_CHANGES = 4

/** Numbers and strings that are unusual as values of a field. */
const HOSTILE_VALUES: readonly string[] = [
  ...[
    '',
    ' ',
    '0',
    '-1',
    '1',
    '2',
    '3',
    '4',
    '5',
    '7',
    '99',
    '255',
    '256',
    '65535',
    '65536',
    '2147483647',
    '2147483648',
  ],
  ...['4294967294', '4294967295', '4294967296', '9007199254740993', '999999999999999', '1e9', '1E-9', '1e308', '1e999'],
  ...['NaN', 'Infinity', '-Infinity', '0x10', '+5', '--5', '-0', '1.5', '.5', '5.', '.', '-', '+', '1,5', '٣', '½'],
  ...['90', '-90', '90.0001', '180', '180.0001', '-181', '89.5', '0.5', '48.58'],
  ...[
    '99:99:99',
    '-1:00:00',
    '999999:00:00',
    '24:00:00',
    '999:59:59',
    '48:00:00',
    '8:00',
    '08:60:00',
    '08:00:60',
    ':::',
  ],
  ...['8:00:00', '00:00:00', '23:59:59', '08-00-00', '08:00:00 AM', ' 8:00:00', '100:00:00'],
  ...['20260101', '20260230', '00000101', '99991231', '19691231', '19700101', '2026-01-01', '20261301', '21350101'],
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'null', 'undefined', 'true'],
  ...[
    'Europe/Paris',
    'Europe/Nowhere',
    'UTC',
    '+02:00',
    'Etc/GMT+12',
    'europe/paris',
    'Pacific/Apia',
    'Antarctica/Troll',
  ],
  ...[
    'http://x.example',
    'javascript:alert(1)',
    'https://',
    'not an address',
    '#FFFFFF',
    'GGGGGG',
    'FFF',
    'fr_FR',
    'zz-99-x',
  ],
  ...['é', 'E\u0301', '\u{1f68b}', '\u202eabc', '\u200b', '\ufeff', '\u0000', '\u2028', '\ud7ff', 'ß'.repeat(50)],
  ...[
    '"',
    '""',
    '"""',
    '"a',
    'a"b',
    '"a""b"',
    '"a,b"',
    '"a\nb"',
    '"a\r\nb"',
    "'",
    '=1+1',
    '\t',
    '\r',
    '\\',
    '../..',
    '<b>',
  ],
  ...['x'.repeat(300), '9'.repeat(400), 'y'.repeat(70_000), `"${'z'.repeat(70_000)}`],
]

const HOSTILE_BYTES: readonly (readonly number[])[] = [
  [0],
  [0xff],
  [0x22],
  [0x22, 0x22],
  [0xef, 0xbb, 0xbf],
  [0x0d],
  [0x0a],
  [0x0d, 0x0a],
  [0x2c],
  [0x09],
  [0xc3],
  [0xe9],
  [0xed, 0xa0, 0x80],
  [0xf4, 0x90, 0x80, 0x80],
  [0xff, 0xfe],
  [0x1a],
]

const COLUMN_NAMES = [
  '',
  'trip_id',
  'stop_id',
  'stop_sequence',
  '__proto__',
  'constructor',
  'x',
  'Trip_ID',
  'location_id',
]
const FILE_NAMES = ['stops.txt', 'shapes.txt', 'frequencies.txt', 'transfers.txt', 'feed_info.txt', 'pathways.txt']

/** Applies one to four changes to a copy of a feed. */
export function mutateFeed(feed: FeedFiles, random: Random): Mutant {
  const files: Files = new Map(feed)
  const changes: string[] = []
  for (let left = 1 + below(random, MOST_CHANGES); left > 0 && files.size > 0; left--) {
    changes.push(pick(random, MUTATIONS)(files, random))
  }
  return { files, changes }
}

/** Applies one to four changes to a copy of a zip. Some changes make the zip longer or shorter. */
export function mutateZip(zip: Uint8Array, random: Random): { readonly zip: Uint8Array; readonly changes: string[] } {
  const changes: string[] = []
  let bytes: Uint8Array = zip.slice()
  for (let left = 1 + below(random, MOST_CHANGES); left > 0; left--) {
    // Half of the changes are near the end of the zip, where its directory is. Wrong values have the greatest effect
    // there.
    const from = random() < 0.5 ? 0 : Math.max(0, bytes.length - 800)
    const at = from + below(random, Math.max(1, bytes.length - from))
    const kind = below(random, 12)
    if (kind === 0) bytes = bytes.slice(0, at)
    else if (kind === 1) bytes = spliced(bytes, { at, cut: 1 + below(random, 40), put: [] })
    else if (kind === 2) bytes = spliced(bytes, { at, cut: 0, put: pick(random, HOSTILE_BYTES) })
    else if (kind === 3)
      bytes = spliced(bytes, { at: bytes.length, cut: 0, put: new Array(below(random, 100)).fill(80) })
    else if (kind === 4) bytes.fill(0xff, at, at + pick(random, [1, 2, 4, 8]))
    else if (kind === 5) bytes.fill(0, at, at + pick(random, [1, 2, 4, 8]))
    else if (at < bytes.length) bytes[at] = below(random, 256)
    changes.push(`zip: kind ${kind} at ${at}`)
  }
  return { zip: bytes, changes }
}

/** A copy of `bytes` in which `cut` bytes, starting at `at`, are replaced by the bytes `put`. */
function spliced(bytes: Uint8Array, change: { at: number; cut: number; put: readonly number[] }): Uint8Array {
  const { at, cut, put } = change
  return new Uint8Array(Buffer.concat([bytes.subarray(0, at), Uint8Array.from(put), bytes.subarray(at + cut)]))
}

function pickFile(files: Files, random: Random): [name: string, bytes: Uint8Array] {
  return pick(random, [...files])
}

function mutateBytes(files: Files, random: Random): string {
  const [name, bytes] = pickFile(files, random)
  const at = below(random, bytes.length + 1)
  const kind = below(random, 6)
  if (kind === 0 && at < bytes.length) {
    const flipped = bytes.slice()
    flipped[at] = bytes[at] ^ (1 << below(random, 8))
    files.set(name, flipped)
  } else if (kind === 1) files.set(name, spliced(bytes, { at, cut: 1 + below(random, 20), put: [] }))
  else if (kind === 2) files.set(name, bytes.slice(0, at))
  else if (kind === 3) files.set(name, spliced(bytes, { at: 0, cut: 0, put: pick(random, HOSTILE_BYTES) }))
  else files.set(name, spliced(bytes, { at, cut: 0, put: pick(random, HOSTILE_BYTES) }))
  return `${name}: bytes, kind ${kind} at ${at}`
}

const ENCODINGS: readonly ((text: string) => Uint8Array)[] = [
  (text) => Buffer.from(text, 'utf16le'),
  (text) => Buffer.from(`\ufeff${text}`, 'utf16le'),
  (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
  (text) => Buffer.from(text, 'latin1'),
  (text) => encoder.encode(`\ufeff${text}`),
  (text) => encoder.encode(`\ufeff\ufeff${text}`),
  (text) => encoder.encode(text.replaceAll('\n', '\r\n')),
  (text) => encoder.encode(text.replaceAll('\n', '\r')),
  (text) => encoder.encode(text.replaceAll('\n', '\n\r')),
  (text) => encoder.encode(text.replaceAll(',', ';')),
  (text) => encoder.encode(text.trimEnd()),
]

function mutateEncoding(files: Files, random: Random): string {
  const [name, bytes] = pickFile(files, random)
  const kind = below(random, ENCODINGS.length)
  files.set(name, ENCODINGS[kind]?.(new TextDecoder().decode(bytes)) ?? bytes)
  return `${name}: encoding ${kind}`
}

/**
 * The rows of a file, each as a list of cells. The file is decoded as Latin-1, so that every byte becomes one character
 * and no byte is lost.
 */
type Table = string[][]

/** Makes a mutation that changes the rows, columns or cells of one random file. */
function ofTable(change: (table: Table, random: Random, files: Files) => string): Mutation {
  return (files, random) => {
    const [name, bytes] = pickFile(files, random)
    const text = Buffer.from(bytes).toString('latin1')
    const table = text
      .replace(/\n$/, '')
      .split('\n')
      .map((row) => row.split(','))
    const what = change(table, random, files)
    files.set(name, new Uint8Array(Buffer.from(`${table.map((row) => row.join(',')).join('\n')}\n`, 'latin1')))
    return `${name}: ${what}`
  }
}

const bytesOf = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')

/** The index of a random row after the header; 0 if there are no such rows. */
function pickRow(table: Table, random: Random): number {
  return table.length < 2 ? 0 : 1 + below(random, table.length - 1)
}

const mutateCell = ofTable((table, random, files) => {
  const row = pickRow(table, random)
  const cells = table[row] ?? []
  const column = below(random, cells.length)
  const value = pickValue({ table, column, files }, random)
  cells[column] = value
  return `cell ${row}:${column} = ${JSON.stringify(value.slice(0, 40))}`
})

/** Writes the same value into all rows of a column, as a broken export might. */
const mutateColumnValues = ofTable((table, random, files) => {
  const column = below(random, table[0]?.length ?? 1)
  const value = pickValue({ table, column, files }, random)
  for (const row of table.slice(1)) row[column] = value
  return `column ${column} = ${JSON.stringify(value.slice(0, 40))}`
})

function pickValue(from: { table: Table; column: number; files: Files }, random: Random): string {
  const source = random()
  if (source < 0.5) return bytesOf(pick(random, HOSTILE_VALUES))
  if (source < 0.75) return from.table[pickRow(from.table, random)]?.[from.column] ?? ''
  const [, bytes] = pickFile(from.files, random)
  return pick(random, Buffer.from(bytes).toString('latin1').split(/[,\n]/))
}

const mutateRows = ofTable((table, random) => {
  const row = pickRow(table, random)
  const kind = below(random, 8)
  const cells = table[row] ?? []
  if (kind === 0) table.splice(row, 0, [...cells])
  else if (kind === 1) table.splice(row, 1)
  else if (kind === 2) table.splice(pickRow(table, random), 0, ...table.splice(row, 1))
  else if (kind === 3) table.push([...cells], [...cells])
  else if (kind === 4) table.splice(row)
  else if (kind === 5) cells.push(...pick(random, [[''], ['', ''], ['surplus']]))
  else if (kind === 6) cells.length = below(random, cells.length + 1)
  else table.splice(0, 1)
  return `rows, kind ${kind} at ${row}`
})

const mutateColumns = ofTable((table, random) => {
  const header = table[0] ?? []
  const column = below(random, header.length)
  const other = below(random, header.length)
  const kind = below(random, 6)
  for (const row of table) {
    if (kind === 0) row.splice(column, 1)
    if (kind === 1) row.push(row[column] ?? '')
    if (kind === 2) [row[column], row[other]] = [row[other] ?? '', row[column] ?? '']
  }
  if (kind === 3) header[column] = pick(random, COLUMN_NAMES)
  if (kind === 4) header[column] = bytesOf(`\u00a0${header[column]?.toUpperCase()}`)
  if (kind === 5) header.push(...Array.from({ length: pick(random, [1, 10, 600]) }, (_, i) => `extra_${i}`))
  return `columns, kind ${kind} at ${column} and ${other}`
})

function mutateFiles(files: Files, random: Random): string {
  const [name, bytes] = pickFile(files, random)
  const [other, otherBytes] = pickFile(files, random)
  const kind = below(random, 6)
  if (kind === 0) files.delete(name)
  else if (kind === 1) files.set(pick(random, FILE_NAMES), bytes)
  else if (kind === 2) {
    files.set(name, otherBytes)
    files.set(other, bytes)
  } else if (kind === 3) files.set(name, new Uint8Array(0))
  else if (kind === 4) files.set(name, bytes.slice(0, bytes.indexOf(0x0a) + 1))
  else files.set(name, new Uint8Array(Buffer.concat([bytes, otherBytes])))
  return `${name}: files, kind ${kind} with ${other}`
}

/**
 * The mutations to draw from. A mutation that is listed several times is drawn more often. Cell changes are listed most
 * often, because they reach the deepest code.
 */
const MUTATIONS: readonly Mutation[] = [
  ...[mutateBytes, mutateBytes, mutateEncoding, mutateFiles, mutateColumnValues, mutateColumns],
  ...[mutateCell, mutateCell, mutateCell, mutateCell, mutateRows, mutateRows],
]
