// Texts rendered at import: the JSON of stops, areas, lines and departures. They are stored in the snapshot, so that
// all threads share them, and no thread has to render them after a reload. The texts depend on the network's id and on
// the towns of the addresses. If the id or the towns have changed since the import, the texts are rendered at first use
// instead.
import type { Timetable } from '../../indexes/timetable/timetable.ts'
import type { TypedArray } from '../../loaders/columns.ts'
import { checkColumns, U8, U32 } from '../../loaders/snapshot-file.ts'
import type { SnapshotTexts } from '../networks/network.ts'
import { JsonBytes } from './json-bytes.ts'

/** Version of the texts. Every change of the form of a text has to increase it; a test checks this. */
const TEXTS_FORMAT = 1

/**
 * The kinds of rows that have a text. The number of a row is its index in the timetable; places are numbered stops
 * first, then areas.
 */
const KINDS = ['place', 'line', 'stopHead', 'direction', 'reducedDirection'] as const
type MadeKind = (typeof KINDS)[number]

/** For each kind, the function that appends the text of a row to `out`. */
export type TextMakers = Readonly<Record<MadeKind, (out: JsonBytes, row: number) => void>>

/**
 * Identifies the data that texts depend on, apart from the timetable.
 * @param townsId changes with the addresses; empty without addresses
 */
export function textsKey(slug: string, townsId: string): string {
  return `${TEXTS_FORMAT} ${slug} ${townsId}`
}

/** The number of texts of a kind: one for each row. */
function countOf({ stops, areas, lines, directions }: Timetable, kind: MadeKind): number {
  switch (kind) {
    case 'place':
      return stops.id.length + areas.id.length
    case 'line':
      return lines.id.length
    case 'stopHead':
      return stops.id.length
    case 'direction':
    case 'reducedDirection':
      return directions.line.length
  }
}

/** Makes all texts as columns of a snapshot. */
export function makeTexts(key: string, timetable: Timetable, makers: TextMakers): SnapshotTexts {
  const columns = new Map<string, TypedArray>()
  const out = new JsonBytes()
  const pieces: Uint8Array[] = []
  let start = 0
  for (const kind of KINDS) {
    const count = countOf(timetable, kind)
    const offsets = new Uint32Array(count + 1)
    out.clear()
    for (let row = 0; row < count; row++) {
      offsets[row] = start + out.size
      makers[kind](out, row)
    }
    offsets[count] = start + out.size
    start += out.size
    pieces.push(out.view().slice())
    columns.set(kind, offsets)
  }
  columns.set('bytes', Buffer.concat(pieces))
  return { key, columns }
}

/** The texts of one snapshot. */
export class MadeTexts {
  readonly bytes: Uint8Array
  private readonly offsets: Readonly<Record<MadeKind, TypedArray>>

  constructor(bytes: Uint8Array, offsets: Readonly<Record<MadeKind, TypedArray>>) {
    this.bytes = bytes
    this.offsets = offsets
  }

  /** Offset of a text in `bytes`, which is the end of the text of the previous row. */
  startOf(kind: MadeKind, row: number): number {
    return this.offsets[kind][row]
  }

  /** The text of a row, as a view of the snapshot's bytes. */
  find(kind: MadeKind, row: number): Uint8Array {
    const offsets = this.offsets[kind]
    return this.bytes.subarray(offsets[row], offsets[row + 1])
  }
}

/** The texts of a snapshot, if it has any and they were made with `key`. */
export function openTexts(texts: SnapshotTexts | undefined, key: string, timetable: Timetable): MadeTexts | undefined {
  if (texts === undefined || texts.key !== key) return undefined
  checkColumns(texts.columns, new Map([['bytes', U8], ...KINDS.map((kind) => [kind, U32] as const)]))
  const columnOf = (name: string) => texts.columns.get(name) ?? new Uint32Array(0)
  const bytes = columnOf('bytes')
  const offsets = Object.fromEntries(KINDS.map((kind) => [kind, columnOf(kind)])) as Record<MadeKind, TypedArray>
  const isWhole = KINDS.every((kind) => offsets[kind].length === countOf(timetable, kind) + 1)
  return isWhole ? new MadeTexts(bytes as Uint8Array, offsets) : undefined
}
