// The gate of a data thread in a cluster: takes units from what this replica was granted. A request that finds too few waits
// up to a quarter of a second for the control thread, which asks the database.
import type { FleetAsk, FleetTold, UnitsTold } from '../access/fleet-talk.ts'
import type { Caller, LimitRefusal, Reservation } from '../access/gate.ts'
import { type AccountLimits, DataGate, type DataGateParts } from '../access/gates.ts'
import type { RingChange } from '../access/key-ring.ts'
import { type AccessStart, gateParts, type OpenGate, toOpenGate } from '../access/open-gate.ts'
import { NO_LIMIT } from '../metering/limit-cells.ts'
import { GrantCells } from './grant-cells.ts'

/** The longest wait for units. */
const WAIT_MILLIS = 250
/** How long a refusal holds without asking again, and if no other replica has units left. */
const REFUSAL_MILLIS = 250
const SPENT_REFUSAL_MILLIS = 1_000
/** The longest wait for what other replicas counted. */
const USAGE_WAIT_MILLIS = 3_000
const NO_LIMIT_UNITS = Number(NO_LIMIT)
/** When to retry if units may be given back soon, and if only silent replicas have some. */
const SOON_SECONDS = 1
const SILENT_SECONDS = 60
const UNAVAILABLE: LimitRefusal = { reason: 'metering_unavailable', retryAfterSeconds: SOON_SECONDS }

/** A request that waits for units. */
interface Waiter {
  readonly wanted: Reservation
  readonly settle: (answer: Reservation | LimitRefusal) => void
}

type Exhausted = Extract<NonNullable<UnitsTold['refusal']>, { kind: 'exhausted' }>

/** The gate of one data thread of a replica. */
export class GrantGate extends DataGate {
  private readonly grants: GrantCells
  private readonly ask: (ask: FleetAsk) => void
  /** By month and account. */
  private readonly waiters = new Map<string, Set<Waiter>>()
  /** Accounts without units, by month and account, and until when they need not be asked for again. */
  private readonly spent = new Map<string, { readonly refusal: Exhausted; readonly untilMillis: number }>()
  private readonly usageAsked = new Map<number, () => void>()
  private usageNumber = 0

  /** @param ask posts a question to the control thread, which answers with `told` */
  constructor(parts: DataGateParts, memory: SharedArrayBuffer, ask: (ask: FleetAsk) => void) {
    super(parts)
    this.grants = new GrantCells(memory)
    this.ask = ask
  }

  override apply(change: RingChange): void {
    super.apply(change)
    this.spent.clear()
  }

  override reserve(caller: Caller, units: number): Reservation | LimitRefusal {
    if (this.isSilenced) return this.refuseUnknown(caller, units)
    const taken = super.reserve(caller, units)
    const isShort = 'reason' in taken && (taken.reason === 'quota_exhausted' || taken.reason === 'spend_cap_reached')
    if (!isShort || this.last === undefined) return taken
    const { limits, rate, atMillis } = this.last
    const wanted: Reservation = { caller, units, atMillis, month: limits.month, rate }
    const known = this.spent.get(keyOf(wanted))
    if (known !== undefined && this.clock.nowMillis() < known.untilMillis) return this.refusalFor(wanted, known.refusal)
    return { ...UNAVAILABLE, later: this.wait(wanted) }
  }

  override charge(reservation: Reservation): LimitRefusal | undefined {
    if (reservation.units === 0 || !this.isSilenced) return super.charge(reservation)
    this.release(reservation)
    return UNAVAILABLE
  }

  /** Takes an answer of the control thread. */
  told(told: FleetTold): void {
    if (told.kind === 'usage') return this.takeUsage(told)
    const key = `${told.month} ${told.accountId}`
    if (told.refusal?.kind === 'exhausted') {
      const millis = told.refusal.unspentElsewhere > 0 ? REFUSAL_MILLIS : SPENT_REFUSAL_MILLIS
      this.spent.set(key, { refusal: told.refusal, untilMillis: this.clock.nowMillis() + millis })
    } else this.spent.delete(key)
    let unitsWanted = 0
    for (const waiter of this.waiters.get(key) ?? []) {
      const { wanted } = waiter
      const taken = this.takeUnits(wanted)
      if (!('reason' in taken)) waiter.settle(this.requireSlot(taken))
      else if (told.refusal === undefined) unitsWanted += wanted.units
      else waiter.settle(told.refusal.kind === 'exhausted' ? this.refusalFor(wanted, told.refusal) : UNAVAILABLE)
    }
    if (unitsWanted > 0) this.ask({ kind: 'want', accountId: told.accountId, month: told.month, units: unitsWanted })
  }

  /** Asks for what other replicas counted. */
  async refreshUsage({ accountId }: Caller): Promise<void> {
    const number = ++this.usageNumber
    const answered = Promise.withResolvers<void>()
    this.usageAsked.set(number, answered.resolve)
    const timer = setTimeout(answered.resolve, USAGE_WAIT_MILLIS)
    this.ask({ kind: 'usage', number, accountId })
    await answered.promise
    clearTimeout(timer)
    this.usageAsked.delete(number)
  }

  protected override mostUnits(limits: AccountLimits, month: bigint): number {
    if (limits.mostUnits === NO_LIMIT_UNITS) return NO_LIMIT_UNITS
    const counted = this.quota.monthCounted(limits.cell) // later than this thread's month if another one has begun the next
    return this.grants.limit(limits.cell, counted > month ? counted : month)
  }

  protected override unitsElsewhere({ cell }: AccountLimits): number {
    return this.grants.unitsElsewhere(cell)
  }

  /** The database was silent for so long that another process may have these units, and keys may be revoked. */
  private get isSilenced(): boolean {
    return this.clock.nowMillis() >= this.grants.deadlineMillis
  }

  /** A refusal that takes nothing. */
  private refuseUnknown(caller: Caller, _units: number): LimitRefusal {
    const atMillis = this.ledgerMillis
    const limits = this.limitsOf(caller.accountId, this.monthAt(atMillis))
    this.last = { limits, rate: undefined, used: 0, atMillis }
    return UNAVAILABLE
  }

  private wait(wanted: Reservation): Promise<Reservation | LimitRefusal> {
    const key = keyOf(wanted)
    const { promise, resolve } = Promise.withResolvers<Reservation | LimitRefusal>()
    const waiters = this.waiters.getOrInsertComputed(key, () => new Set())
    const timer = setTimeout(() => waiter.settle(UNAVAILABLE), WAIT_MILLIS)
    const waiter: Waiter = {
      wanted,
      settle: (answer) => {
        clearTimeout(timer)
        waiters.delete(waiter)
        if (waiters.size === 0) this.waiters.delete(key)
        resolve(answer)
      },
    }
    waiters.add(waiter)
    this.ask({
      kind: 'want',
      accountId: wanted.caller.accountId,
      month: Number(wanted.month),
      units: wanted.units,
    })
    return promise
  }

  /** To the month's end, unless others may give back enough before. */
  private refusalFor(wanted: Reservation, { unspentElsewhere, unspentBySilent }: Exhausted): LimitRefusal {
    const { caller, units, month, atMillis } = wanted
    const limits = this.limitsOf(caller.accountId, month)
    const missing = units - (this.grants.limit(limits.cell, month) - Number(this.quota.used(limits.cell, month)))
    if (missing <= unspentElsewhere - unspentBySilent) return { reason: limits.beyond, retryAfterSeconds: SOON_SECONDS }
    if (missing <= unspentElsewhere) return { reason: limits.beyond, retryAfterSeconds: SILENT_SECONDS }
    return { reason: limits.beyond, retryAfterSeconds: this.secondsToReset(atMillis) }
  }

  private takeUsage({ number, past }: Extract<FleetTold, { kind: 'usage' }>): void {
    const answered = this.usageAsked.get(number)
    if (past !== undefined) this.usageOfAll.replacePast(past.keyIds, past.rows)
    answered?.()
  }
}

function keyOf({ caller, month }: Reservation): string {
  return `${month} ${caller.accountId}`
}

/** Opens the gate of a data thread of a replica. @param ask posts a question to the control thread */
export function openGrantGate(start: AccessStart, ordinal: number, ask: (ask: FleetAsk) => void): OpenGate {
  const { grantCells } = start
  if (grantCells === undefined) throw new Error('a replica has memory for its grants')
  const parts = gateParts(start, ordinal)
  const gate = new GrantGate(parts, grantCells, ask)
  return { ...toOpenGate(gate, parts), told: (told) => gate.told(told) }
}
