// JSON that is rendered at import: stops, areas, lines, and parts of departures. It is stored in the snapshot, so that
// all threads share it and no thread has to render it after a reload. The JSON depends on the network's id and on the
// towns found from the addresses. If the id or the towns have changed since the import, the JSON is instead rendered
// when it is first needed.
import type { Timetable } from '../../indexes/timetable/timetable.ts'
import type { TypedArray } from '../../loaders/columns.ts'
import { checkColumns, U8, U32 } from '../../loaders/snapshot-file.ts'
import type { SnapshotTexts } from '../networks/network.ts'
import { JsonBytes } from './json-bytes.ts'

/** Version of the rendered JSON. Must be increased whenever its form changes; a test checks this. */
const TEXTS_FORMAT = 1

/**
 * The kinds of rows for which JSON is stored. The number of a row is its index in the timetable. For places, the stops
 * are numbered first, then the areas.
 */
const KINDS = ['place', 'line', 'stopHead', 'direction', 'reducedDirection'] as const
type MadeKind = (typeof KINDS)[number]

/** For each kind, the function that appends the JSON of a row to `out`. */
export type TextMakers = Readonly<Record<MadeKind, (out: JsonBytes, row: number) => void>>

/**
 * Identifies the data, apart from the timetable, on which the stored JSON depends.
 * @param townsId changes with the addresses; empty if there are no addresses
 */
export function textsKey(slug: string, townsId: string): string {
  return `${TEXTS_FORMAT} ${slug} ${townsId}`
}

/** The number of rows of a kind. */
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

/** Renders the JSON of all rows, as columns of a snapshot. */
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

/** The stored JSON of one snapshot. */
export class MadeTexts {
  readonly bytes: Uint8Array
  private readonly offsets: Readonly<Record<MadeKind, TypedArray>>

  constructor(bytes: Uint8Array, offsets: Readonly<Record<MadeKind, TypedArray>>) {
    this.bytes = bytes
    this.offsets = offsets
  }

  /** Offset in `bytes` at which the JSON of a row starts. The JSON of the previous row ends there. */
  startOf(kind: MadeKind, row: number): number {
    return this.offsets[kind][row]
  }

  /** The JSON of a row, as a view of the snapshot's bytes. */
  find(kind: MadeKind, row: number): Uint8Array {
    const offsets = this.offsets[kind]
    return this.bytes.subarray(offsets[row], offsets[row + 1])
  }
}

/** The stored JSON of a snapshot; undefined if there is none, if it was not made with `key`, or if it is incomplete. */
export function openTexts(texts: SnapshotTexts | undefined, key: string, timetable: Timetable): MadeTexts | undefined {
  if (texts === undefined || texts.key !== key) return undefined
  checkColumns(texts.columns, new Map([['bytes', U8], ...KINDS.map((kind) => [kind, U32] as const)]))
  const columnOf = (name: string) => texts.columns.get(name) ?? new Uint32Array(0)
  const bytes = columnOf('bytes')
  const offsets = Object.fromEntries(KINDS.map((kind) => [kind, columnOf(kind)])) as Record<MadeKind, TypedArray>
  const isWhole = KINDS.every((kind) => offsets[kind].length === countOf(timetable, kind) + 1)
  return isWhole ? new MadeTexts(bytes as Uint8Array, offsets) : undefined
}
