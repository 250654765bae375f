// The transfer rules of transfers.txt, by stop pair and by arriving line and trip: a stop may have thousands of rules
// for pairs of trips, and only a few of them apply to one trip.
import { columnArray, NONE } from '../../loaders/columns.ts'
import type { StopIndex, Timetable, TransferIndex } from '../timetable/timetable.ts'
import { stopsNamed } from './change-points.ts'

/** transfers.txt, transfer_type. */
export const TIMED = 1
export const MINIMUM = 2
export const FORBIDDEN = 3

/** A rule for a stop pair. NONE for a side that the rule leaves open. */
export interface ChangeRule {
  readonly type: number
  readonly minSeconds: number
  readonly fromLine: number
  readonly toLine: number
  readonly fromTrip: number
  readonly toTrip: number
  /** The lowest rank applies: trips before lines before stops (GTFS), then stop rules before station rules. */
  readonly rank: number
  /** Position in the feed: among equal ranks the first rule applies. */
  readonly order: number
}

/** The rules of one stop pair. */
export class PairRules {
  private readonly ofAll: ChangeRule[] = []
  private readonly ofLine = new Map<number, ChangeRule[]>()
  private readonly ofTrip = new Map<number, ChangeRule[]>()

  add(rule: ChangeRule): void {
    if (rule.fromTrip !== NONE) this.ofTrip.getOrInsertComputed(rule.fromTrip, () => []).push(rule)
    else if (rule.fromLine !== NONE) this.ofLine.getOrInsertComputed(rule.fromLine, () => []).push(rule)
    else this.ofAll.push(rule)
  }

  /** The rules for arriving with a line and trip, in order of precedence. */
  rulesFrom(line: number, trip: number): readonly ChangeRule[] {
    const ofTrip = (trip === NONE ? undefined : this.ofTrip.get(trip)) ?? NO_RULES
    const ofLine = (line === NONE ? undefined : this.ofLine.get(line)) ?? NO_RULES
    const rules = [...ofTrip, ...ofLine, ...this.ofAll]
    return rules
      .filter(({ fromLine }) => fromLine === NONE || fromLine === line)
      .sort((a, b) => a.rank - b.rank || a.order - b.order)
  }
}

const NO_RULES: readonly ChangeRule[] = []

/** Stop → stop → the rules between them. */
export type ChangeRuleTable = ReadonlyMap<number, ReadonlyMap<number, PairRules>>

/**
 * Reads the rules of each stop pair. Rules for stations are expanded to their stops.
 * @param isMirrored from boarding to alighting stop, for a search that runs backwards
 */
export function readChangeRules(timetable: Timetable, isMirrored: boolean): ChangeRuleTable {
  const { transfers } = timetable
  const table = new Map<number, Map<number, PairRules>>()
  const types = columnArray(transfers.type)
  for (let row = 0 as TransferIndex; row < types.length; row++) {
    const type = types[row]
    if (type > FORBIDDEN) continue
    const starts = stopsNamed(timetable, transfers.fromStop[row], transfers.fromArea[row])
    const ends = stopsNamed(timetable, transfers.toStop[row], transfers.toArea[row])
    const rule = ruleAt(timetable, row, isMirrored)
    for (const from of isMirrored ? ends : starts) {
      const ofStart = table.getOrInsertComputed(from, () => new Map<number, PairRules>())
      for (const to of isMirrored ? starts : ends) ofStart.getOrInsertComputed(to, () => new PairRules()).add(rule)
    }
  }
  return table
}

function ruleAt({ transfers }: Timetable, row: TransferIndex, isMirrored: boolean): ChangeRule {
  const from = { line: transfers.fromLine[row], trip: transfers.fromTrip[row] }
  const to = { line: transfers.toLine[row], trip: transfers.toTrip[row] }
  const [one, other] = isMirrored ? [to, from] : [from, to]
  const stationCount = Number(transfers.fromStop[row] === NONE) + Number(transfers.toStop[row] === NONE)
  const weight = weightOf(from) + weightOf(to)
  return {
    type: transfers.type[row],
    minSeconds: transfers.minSeconds[row],
    fromLine: one.line,
    toLine: other.line,
    fromTrip: one.trip,
    toTrip: other.trip,
    rank: stationCount - weight * STATION_RANKS,
    order: row,
  }
}

/** More than the number of stations that a rule can name. */
const STATION_RANKS = 3

/** Rank of a side. Sums follow the GTFS order: two trips, trip and line, trip, two lines, line, none. */
function weightOf({ line, trip }: { readonly line: number; readonly trip: number }): number {
  if (trip !== NONE) return 5
  return line === NONE ? 0 : 2
}

/** The stops that rules link to a stop; they may be farther apart than the longest walk without a rule. */
export function stopsRuled(table: ChangeRuleTable, stop: StopIndex): Iterable<number> {
  return table.get(stop)?.keys() ?? []
}
