// The service alerts of a network: rows that threads exchange as JSON, and an index that each thread builds to find the
// alerts of a line, stop or area. Read-only; alert-reader.ts creates the rows.
import type { TimeRange } from '../../loaders/gtfs-rt/message.ts'
import { stopsOfArea } from '../timetable/areas.ts'
import { areaOfStop } from '../timetable/stops.ts'
import type { AreaIndex, LineIndex, StopIndex, Timetable } from '../timetable/timetable.ts'
import { isWithin, periodAt } from './alert-periods.ts'
import { type AlertReach, isInGroup, type LineGroup } from './alert-selectors.ts'

/** Alert severities, lowest first. */
export const ALERT_SEVERITIES = ['unknown', 'info', 'warning', 'critical'] as const
export type AlertSeverity = (typeof ALERT_SEVERITIES)[number]

/**
 * One alert, as plain data that can be cloned and written as JSON. Its line, stop and area indexes are those of one
 * snapshot.
 */
export interface AlertRow {
  /** Unique in the network: the entity's id, with the feed's id as a prefix if several feeds use the same id. */
  readonly id: string
  /** The id of the feed in the configuration. */
  readonly feed: string
  readonly severity: AlertSeverity
  readonly cause: string
  readonly effect: string
  /** Plain text in the operator's language, on one line. */
  readonly title: string
  /** Plain text in the operator's language; may have several lines. */
  readonly message: string
  /** An http or https URL. */
  readonly url: string | null
  /**
   * The periods in which the alert is shown, sorted by start. If empty, the alert is shown for as long as the feed
   * lists it.
   */
  readonly shownPeriods: readonly TimeRange[]
  /**
   * The periods in which the alert affects riders. The same as `shownPeriods` if the feed has no separate periods for
   * this.
   */
  readonly impactPeriods: readonly TimeRange[]
  /** When the content of the alert was first seen, in seconds after 1970. */
  readonly updatedSeconds: number
  readonly reach: AlertReach
}

/** The alerts of a network for one of its snapshots. */
export interface NetworkAlerts {
  readonly snapshotId: string
  readonly rows: readonly AlertRow[]
}

/**
 * The period to show for an alert at a given time: the period that contains the time, otherwise the next one, otherwise
 * the last.
 */
export function alertPeriod(row: AlertRow, seconds: number): TimeRange {
  return periodAt(row.impactPeriods, seconds)
}

/**
 * The alerts of one snapshot, by the line, stop, area or group that they affect. Each thread builds its own index. Most
 * lookups take time proportional to the number of alerts found. A lookup by line also checks each group.
 */
export class AlertIndex {
  readonly rows: readonly AlertRow[]
  private readonly timetable: Timetable
  private readonly ofLine = new Map<LineIndex, number[]>()
  private readonly ofStop = new Map<StopIndex, number[]>()
  private readonly ofArea = new Map<AreaIndex, number[]>()
  private readonly ofGroup = new Map<string, { readonly group: LineGroup; readonly rows: number[] }>()

  constructor(timetable: Timetable, { rows }: NetworkAlerts) {
    this.timetable = timetable
    this.rows = rows
    for (const [number, { reach }] of rows.entries()) {
      for (const line of reach.lines) append(this.ofLine, line, number)
      for (const stop of reach.stops) append(this.ofStop, stop, number)
      for (const area of reach.areas) append(this.ofArea, area, number)
      for (const group of reach.groups) {
        const key = `${group.agency} ${group.routeType}`
        const known = this.ofGroup.get(key)
        if (known === undefined) this.ofGroup.set(key, { group, rows: [number] })
        else known.rows.push(number)
      }
    }
  }

  /** The alerts that are shown at a given time. */
  listShown(seconds: number): AlertRow[] {
    return this.rows.filter((row) => isShown(row, seconds))
  }

  /** Shown alerts that name the line, one of its trips, its agency or its route type. */
  listOfLine(line: LineIndex, seconds: number): AlertRow[] {
    return this.listOf(line, seconds, () => true)
  }

  /**
   * Shown alerts of the line, except alerts that name only other trips of the line.
   * @param ref `<yyyymmdd>:<feed trip id>`, plus the start time for a run of a frequency trip
   */
  listOfTrip(line: LineIndex, ref: string, seconds: number): AlertRow[] {
    return this.listOfLine(line, seconds).filter(({ reach: { trips = [], groups } }) => {
      const named = trips.filter((trip) => trip.line === line)
      const isMeant = named.some(({ tripId, date = '' }) => ref.startsWith(date) && isTripOf(ref, tripId))
      return named.length === 0 || isMeant || groups.some((group) => isInGroup(this.timetable, line, group))
    })
  }

  /**
   * Shown alerts that name the line, one of its trips or its route type. Alerts that name only the agency of the line
   * are left out.
   */
  listOfLineAlone(line: LineIndex, seconds: number): AlertRow[] {
    return this.listOf(line, seconds, ({ routeType }) => routeType !== undefined)
  }

  /** Shown alerts that name only the agency of the line, or that name all lines of the network. */
  listOfAgency(line: LineIndex, seconds: number): AlertRow[] {
    const named = new Set(this.listOfLineAlone(line, seconds))
    return this.listOfLine(line, seconds).filter((row) => !named.has(row))
  }

  private listOf(line: LineIndex, seconds: number, isWanted: (group: LineGroup) => boolean): AlertRow[] {
    const numbers = [...(this.ofLine.get(line) ?? [])]
    for (const { group, rows } of this.ofGroup.values()) {
      if (isWanted(group) && isInGroup(this.timetable, line, group)) numbers.push(...rows)
    }
    return this.pick(numbers, seconds)
  }

  /** Shown alerts that name the stop or its area. Such an alert may also name a line. */
  listOfStop(stop: StopIndex, seconds: number): AlertRow[] {
    const area = areaOfStop(this.timetable, stop)
    const ofArea = area === undefined ? undefined : this.ofArea.get(area)
    return this.pick([...(this.ofStop.get(stop) ?? []), ...(ofArea ?? [])], seconds)
  }

  /** Shown alerts that name the area or any of its stops. Such an alert may also name a line. */
  listOfArea(area: AreaIndex, seconds: number): AlertRow[] {
    const ofStops = stopsOfArea(this.timetable, area).flatMap((stop) => this.ofStop.get(stop) ?? [])
    return this.pick([...(this.ofArea.get(area) ?? []), ...ofStops], seconds)
  }

  /**
   * All lines that an alert affects, in line order. If the alert names groups of lines, this checks every line of the
   * network.
   */
  linesOf({ reach }: AlertRow): readonly LineIndex[] {
    const { lines, groups } = reach
    if (groups.length === 0) return lines
    const named = new Set(lines)
    const all: LineIndex[] = []
    for (let line = 0 as LineIndex; line < this.timetable.lines.id.length; line++) {
      if (named.has(line) || groups.some((group) => isInGroup(this.timetable, line, group))) all.push(line)
    }
    return all
  }

  private pick(numbers: readonly number[], seconds: number): AlertRow[] {
    const picked: AlertRow[] = []
    for (const number of new Set(numbers)) {
      const row = this.rows[number]
      if (row !== undefined && isShown(row, seconds)) picked.push(row)
    }
    return picked
  }
}

function isTripOf(ref: string, tripId: string): boolean {
  const name = ref.slice(ref.indexOf(':') + 1)
  return name === tripId || name.startsWith(`${tripId}@`)
}

/** Whether an alert affects riders at a given time. */
export function isInForce({ impactPeriods }: AlertRow, seconds: number): boolean {
  return impactPeriods.length === 0 || isWithin(impactPeriods, seconds)
}

function isShown({ shownPeriods }: AlertRow, seconds: number): boolean {
  return shownPeriods.length === 0 || isWithin(shownPeriods, seconds)
}

function append<Key>(map: Map<Key, number[]>, key: Key, number: number): void {
  map.getOrInsertComputed(key, () => []).push(number)
}
