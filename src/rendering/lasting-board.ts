// A board together with how long it stays as it is while its window moves on with the clock, so that the bytes of a
// stop asked for again and again are put together once for each departure rather than once for each request.
import { type BoardRow, listBoard, overSeconds } from '../../indexes/live/live-boards.ts'
import type { Overlay } from '../../indexes/live/overlay.ts'
import type { BoardQuery } from '../../indexes/timetable/boards.ts'
import type { Timetable } from '../../indexes/timetable/timetable.ts'

/** The rows of a board, and until when they are the rows of every later window of the same length. */
export interface LastingBoard {
  readonly departures: readonly BoardRow[]
  /** First instant at which they may not be; in seconds after 1970, after the window's start. */
  readonly untilSeconds: number
}

/** How far behind its window a board that is not full looks for the row that comes in next, in seconds. */
const LOOK_AHEAD_SECONDS = 900

/**
 * The board of a window [from, to). It stays until the second after its first row leaves, since rows that come in at
 * the far end of a full board stay beyond the limit; where it is not full, also until the next row comes in. Why an
 * empty board is empty depends on its start, so that one stays for its second only.
 */
export function listLastingBoard(timetable: Timetable, overlay: Overlay | undefined, query: BoardQuery): LastingBoard {
  const { fromSeconds, toSeconds, limit } = query
  const seenSeconds = toSeconds + LOOK_AHEAD_SECONDS
  const ahead = listBoard(timetable, overlay, { ...query, toSeconds: seenSeconds })
  let count = 0
  for (const { departureSeconds } of ahead) {
    if (departureSeconds >= toSeconds) break
    count++
  }
  const departures = count === ahead.length ? ahead : ahead.slice(0, count)
  const first = departures[0]
  if (first === undefined) return { departures, untilSeconds: fromSeconds + 1 }
  const leavesAt = Math.min(first.departureSeconds, firstOver(overlay, departures)) + 1
  if (count >= limit) return { departures, untilSeconds: leavesAt }
  const nextSeconds = ahead[count]?.departureSeconds ?? seenSeconds
  const comesAt = nextSeconds - (toSeconds - fromSeconds) + 1
  return { departures, untilSeconds: Math.min(leavesAt, comesAt) }
}

/** When the first row goes that goes before its time: its trip is known to have left it behind by then. */
function firstOver(overlay: Overlay | undefined, rows: readonly BoardRow[]): number {
  let first = Number.POSITIVE_INFINITY
  if (overlay === undefined) return first
  for (const row of rows) if (row.kind === 'live') first = Math.min(first, overSeconds(overlay, row.call))
  return first
}
