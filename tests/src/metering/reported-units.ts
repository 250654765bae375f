// An independent bookkeeper's records: each unit that was reported to a client, with its day, and each reservation. The
// bookkeeper does not use slots, cells or rows.
import type { Reservation } from '../../../src/access/gate.ts'

/** Formats the month of a UTC day as `YYYY-MM`. */
export function monthOfDay(utcDay: number): string {
  return new Date(utcDay * 86_400_000).toISOString().slice(0, 7)
}

/** Formats a month, which is counted from year 0, as `YYYY-MM`. */
export function monthText(month: bigint): string {
  return `${Math.floor(Number(month) / 12)}-${String((Number(month) % 12) + 1).padStart(2, '0')}`
}

/** The bookkeeper's records. */
export class ReportedUnits {
  /** Account → month → reported units. */
  private readonly reported = new Map<string, Map<string, number>>()
  /** Key and day → reported units. */
  readonly byDay = new Map<string, number>()
  /** Reservations that are not settled yet. */
  readonly held: Reservation[] = []

  record(accountId: string, charge: { keyId: string; utcDay: number; units: number }): void {
    const months = this.reported.get(accountId) ?? new Map<string, number>()
    const month = monthOfDay(charge.utcDay)
    this.reported.set(accountId, months.set(month, (months.get(month) ?? 0) + charge.units))
    const day = `${charge.keyId} ${charge.utcDay}`
    this.byDay.set(day, (this.byDay.get(day) ?? 0) + charge.units)
  }

  /** The units reported to an account's clients in a month. */
  reportedIn(accountId: string, month: string): number {
    return this.reported.get(accountId)?.get(month) ?? 0
  }

  /** The units of an account's unsettled reservations in a month. */
  heldIn(accountId: string, month: string): number {
    const mine = this.held.filter(({ caller, month: of }) => caller.accountId === accountId && monthText(of) === month)
    return mine.reduce((sum, { units }) => sum + units, 0)
  }

  /** The months for which an account has reported units. */
  months(accountId: string): string[] {
    return [...(this.reported.get(accountId)?.keys() ?? [])]
  }

  /** Discards all reservations, since the process that made them has ended. */
  dropHeld(): void {
    this.held.length = 0
  }

  /** Replaces the records with the units that are left after the disk itself has lost data. */
  replace(units: ReadonlyMap<string, number>, accountOf: (keyId: string) => string): void {
    this.reported.clear()
    this.byDay.clear()
    for (const [key, sum] of units) {
      const [keyId = '', utcDay = ''] = key.split(' ')
      this.record(accountOf(keyId), { keyId, utcDay: Number(utcDay), units: sum })
    }
  }
}
