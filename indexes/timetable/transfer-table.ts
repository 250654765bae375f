// Builds the columns of transfers.txt. References to rows in other tables become the numbers of stops, areas, lines and
// trips.
import { columnArray, NONE, sealColumn } from '../../loaders/columns.ts'
import type { Feed } from '../../loaders/gtfs/feed.ts'
import type { Transfers } from './timetable.ts'

/** Row → number, for each table that transfer rules refer to; NONE if a row has no number. */
export interface TransferEnds {
  readonly stopOfRow: Uint32Array
  readonly areaOfRow: Uint32Array
  readonly lineOfRow: Uint32Array
  readonly tripOfRow: Uint32Array
}

/**
 * Builds the rules in feed order. A rule for a boarding area becomes a rule for its stop. Drops rules that can never
 * apply, because their route has no trips or because their location is neither a stop nor a station.
 */
export function buildTransfers(feed: Feed, ends: TransferEnds): Transfers {
  const { transfers } = feed
  const fromStop = columnArray(transfers.fromStop)
  const toStop = columnArray(transfers.toStop)
  const fromRoute = columnArray(transfers.fromRoute)
  const toRoute = columnArray(transfers.toRoute)
  const isPlace = (row: number) => row === NONE || ends.stopOfRow[row] !== NONE || ends.areaOfRow[row] !== NONE
  const isLine = (row: number) => row === NONE || ends.lineOfRow[row] !== NONE
  const rows: number[] = []
  for (let row = 0; row < transfers.count; row++) {
    const arePlaces = isPlace(fromStop[row]) && isPlace(toStop[row])
    if (arePlaces && isLine(fromRoute[row]) && isLine(toRoute[row])) rows.push(row)
  }
  const take = (column: { readonly length: number }) => {
    const source = columnArray(column)
    return Uint32Array.from(rows, (row) => source[row])
  }
  const map = (column: { readonly length: number }, numberOf: Uint32Array) =>
    take(column).map((row) => (row === NONE ? NONE : numberOf[row]))
  return {
    fromStop: sealColumn(map(transfers.fromStop, ends.stopOfRow)),
    toStop: sealColumn(map(transfers.toStop, ends.stopOfRow)),
    fromArea: sealColumn(map(transfers.fromStop, ends.areaOfRow)),
    toArea: sealColumn(map(transfers.toStop, ends.areaOfRow)),
    fromLine: sealColumn(map(transfers.fromRoute, ends.lineOfRow)),
    toLine: sealColumn(map(transfers.toRoute, ends.lineOfRow)),
    fromTrip: sealColumn(map(transfers.fromTrip, ends.tripOfRow)),
    toTrip: sealColumn(map(transfers.toTrip, ends.tripOfRow)),
    type: sealColumn(Uint8Array.from(take(transfers.type))),
    minSeconds: sealColumn(take(transfers.minSeconds)),
  }
}
