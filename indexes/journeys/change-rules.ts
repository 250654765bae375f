// The rules in transfers.txt, by stop pair and by arriving line and trip. A stop may have thousands of rules for pairs
// of trips, but only a few apply to any one trip.
import { columnArray, NONE } from '../../loaders/columns.ts'
import type { StopIndex, Timetable, TransferIndex } from '../timetable/timetable.ts'
import { stopsNamed } from './change-points.ts'

/** Values of transfer_type in transfers.txt. */
export const TIMED = 1
export const MINIMUM = 2
export const FORBIDDEN = 3

/** A rule for a pair of stops. A line or trip that the rule does not name is NONE. */
export interface ChangeRule {
  readonly type: number
  readonly minSeconds: number
  readonly fromLine: number
  readonly toLine: number
  readonly fromTrip: number
  readonly toTrip: number
  /**
   * The rule with the lowest rank applies. GTFS ranks rules for trips before rules for lines, and rules for lines
   * before rules for stops. Here, rules for stops also come before rules for stations.
   */
  readonly rank: number
  /** Row number in transfers.txt. Among rules of the same rank, the one with the lowest row number applies. */
  readonly order: number
}

/** The transfer rules between two stops. */
export class PairRules {
  private readonly ofAll: ChangeRule[] = []
  private readonly ofLine = new Map<number, ChangeRule[]>()
  private readonly ofTrip = new Map<number, ChangeRule[]>()

  add(rule: ChangeRule): void {
    if (rule.fromTrip !== NONE) this.ofTrip.getOrInsertComputed(rule.fromTrip, () => []).push(rule)
    else if (rule.fromLine !== NONE) this.ofLine.getOrInsertComputed(rule.fromLine, () => []).push(rule)
    else this.ofAll.push(rule)
  }

  /** The rules that can apply to a rider who arrives with this line and trip, in order of precedence. */
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

/** Alighting stop → boarding stop → the rules between them. For a backward search, boarding stop → alighting stop. */
export type ChangeRuleTable = ReadonlyMap<number, ReadonlyMap<number, PairRules>>

/**
 * Reads the rules for each pair of stops. A rule for a station becomes a rule for each stop of the station.
 * @param isMirrored whether to index by boarding stop, then alighting stop, for a backward search
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

/**
 * The rank of a rule is the number of its stations (at most two), minus STATION_RANKS times its weight. Because
 * STATION_RANKS is larger than two, the number of stations decides only between rules of equal weight.
 */
const STATION_RANKS = 3

/**
 * The weight of one end of a rule: the arriving or the departing trip. Rules are ordered by the sum of the weights of
 * both ends, as in GTFS: two trips, trip and line, one trip, two lines, one line, none.
 */
function weightOf({ line, trip }: { readonly line: number; readonly trip: number }): number {
  if (trip !== NONE) return 5
  return line === NONE ? 0 : 2
}

/** The stops to which rules lead from this stop. Some may be too far away for a walk without a rule. */
export function stopsRuled(table: ChangeRuleTable, stop: StopIndex): Iterable<number> {
  return table.get(stop)?.keys() ?? []
}
