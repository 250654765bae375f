// What a bank clerk beside the service would write down: each unit that a client was told and on which day it stands, and
// each that is reserved. It knows nothing of slots, cells and rows.
import type { Reservation } from '../../../src/access/gate.ts'

/** `YYYY-MM` of a UTC day. */
export function monthOfDay(utcDay: number): string {
  return new Date(utcDay * 86_400_000).toISOString().slice(0, 7)
}

/** `YYYY-MM` of a month counted from year 0. */
export function monthText(month: bigint): string {
  return `${Math.floor(Number(month) / 12)}-${String((Number(month) % 12) + 1).padStart(2, '0')}`
}

/** The clerk's book. */
export class ToldUnits {
  /** Account → month → units told. */
  private readonly told = new Map<string, Map<string, number>>()
  /** Key and day → units told. */
  readonly byDay = new Map<string, number>()
  /** Reservations that nobody has settled yet. */
  readonly held: Reservation[] = []

  tell(accountId: string, charge: { keyId: string; utcDay: number; units: number }): void {
    const months = this.told.get(accountId) ?? new Map<string, number>()
    const month = monthOfDay(charge.utcDay)
    this.told.set(accountId, months.set(month, (months.get(month) ?? 0) + charge.units))
    const day = `${charge.keyId} ${charge.utcDay}`
    this.byDay.set(day, (this.byDay.get(day) ?? 0) + charge.units)
  }

  /** Units told in a month. */
  toldIn(accountId: string, month: string): number {
    return this.told.get(accountId)?.get(month) ?? 0
  }

  /** Units reserved of a month. */
  heldIn(accountId: string, month: string): number {
    const mine = this.held.filter(({ caller, month: of }) => caller.accountId === accountId && monthText(of) === month)
    return mine.reduce((sum, { units }) => sum + units, 0)
  }

  /** The months of an account. */
  months(accountId: string): string[] {
    return [...(this.told.get(accountId)?.keys() ?? [])]
  }

  /** Forgets what was reserved: its process is gone. */
  dropHeld(): void {
    this.held.length = 0
  }

  /** Takes over what is left after the disk itself has forgotten. */
  replace(units: ReadonlyMap<string, number>, accountOf: (keyId: string) => string): void {
    this.told.clear()
    this.byDay.clear()
    for (const [key, sum] of units) {
      const [keyId = '', utcDay = ''] = key.split(' ')
      this.tell(accountOf(keyId), { keyId, utcDay: Number(utcDay), units: sum })
    }
  }
}
