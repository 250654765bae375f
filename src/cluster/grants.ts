// The units that this replica holds, on its control thread: asks the database for more before they are used up, gives them
// back when others need them, and bridges an outage of the database.
//
//   data threads take from the cell, up to the limit       taken = used + reserved + returned + burned
//   the database counts, per account, month and replica    granted, returned, used: all three only grow
//   limit = granted + burned (+ the open outage share)

import type { UnitsTold } from '../access/fleet-talk.ts'
import { mayPass } from '../accounts/account-store.ts'
import { monthNumber, monthStartMillis, type QuotaCells } from '../metering/limit-cells.ts'
import type { Ask, FleetStore, Grant } from './fleet-store.ts'
import type { GrantCells } from './grant-cells.ts'
import type { OutageBook } from './outage-book.ts'
import type { Pace } from './pace.ts'
import { UsePace } from './use-pace.ts'

/** Accounts in one statement. */
const ASKS_AT_ONCE = 500
/** Pause before an ask is repeated that failed or had to wait. */
const RETRY_MILLIS = 50
/** Without an answered tick for this long, the database counts as away. */
const AWAY_MILLIS = 1_000
/** The smallest outage share that is not none. */
const LEAST_SHARE = 100

const UNAVAILABLE = { kind: 'unavailable' } as const

/** An account's terms, as far as units depend on them. */
export interface UnitTerms {
  readonly cell: number
  readonly termsMark: number
  /** Units that a month (from year 0) allows; null for no limit. */
  cap(month: number): number | null
  /** Units included in a month. */
  included(month: number): number
}

/** Dependencies of the grants. */
export interface GrantParts {
  readonly replicaId: string
  readonly store: Pick<FleetStore, 'grant'>
  readonly cells: GrantCells
  readonly quota: QuotaCells
  readonly outage: OutageBook
  readonly pace: Pace
  readonly leaseSeconds: number
  /** Share of the included units that an outage allows; 0 for none. */
  readonly outageShare: number
  /** The confirmed beat; `confirm` raises it. */
  readonly beat: { readonly acked: number; confirm(beat: number): void }
  /** Undefined if the account is unknown. */
  terms(accountId: string): UnitTerms | undefined
  /** Sequence of the plans that the terms are made with. */
  plans(): number
  /** Units in this process's own slots. */
  unitsCounted(accountId: string, month: number): number
  /** Answers the data threads. */
  tell(told: UnitsTold): void
  /** The database has other terms than this replica. */
  onStale(): void
  /** An ask failed, and not because the database was away. */
  onFault(error: unknown): void
}

/** What this replica holds of an account's month. */
interface Holding {
  readonly accountId: string
  readonly month: number
  readonly cell: number
  readonly pace: UsePace
  granted: number
  returned: number
  /** Units of outage shares that were taken from the cell and not used. */
  burned: number
  /** Units of the outage share that requests may take now. */
  openShare: number
  /** Units that requests wait for. */
  need: number
  /** Units to ask for ahead of need; 0 for none. */
  size: number
  /** The database does not know the newest `returned` or `used`. */
  isUntold: boolean
  /** The database had fewer units than needed at the last ask. */
  isExhausted: boolean
  /** The size of the last grant if it was smaller than asked for: near the cap they shrink. */
  lastChunk: number
}

/** All units of one replica. */
export class Grants {
  private readonly parts: GrantParts
  private readonly holdings = new Map<string, Holding>()
  private readonly due = new Set<Holding>()
  private asking: Promise<void> | undefined
  private isPaused = false
  private heardMillis = Number.NEGATIVE_INFINITY
  private prefetchedMonth = 0
  private prefetchLead: number

  constructor(parts: GrantParts) {
    this.parts = parts
    this.prefetchLead = 1 + parts.pace.random()
  }

  /** Units held and not used, for metrics. */
  get heldUnits(): number {
    let sum = 0
    for (const each of this.holdings.values()) if (each.month === this.month) sum += Math.max(0, this.room(each))
    return sum
  }

  /** A tick was answered that was sent at this time. */
  heard(sentMillis: number): void {
    const wasAway = this.isAway
    this.heardMillis = sentMillis
    if (wasAway && !this.isAway) for (const each of this.holdings.values()) this.closeShare(each)
  }

  /** Requests of a data thread wait for units. */
  want(accountId: string, month: number, units: number): void {
    const holding = this.find(accountId, month)
    if (holding === undefined) return this.parts.tell({ kind: 'units', accountId, month, refusal: UNAVAILABLE })
    holding.need += units
    holding.pace.waited()
    holding.size = Math.max(holding.size, this.sizeOf(holding))
    this.askFor(holding)
  }

  /** Looks at all accounts in use: asks for more where less than half is left. Called about five times a second. */
  scan(): void {
    const { month } = this
    const { pace, leaseSeconds } = this.parts
    const nowMillis = pace.nowMillis()
    for (const [key, each] of this.holdings) {
      if (each.month < month) this.holdings.delete(key)
      if (each.month !== month) continue
      each.pace.look(nowMillis, this.taken(each) - each.returned - each.burned)
      if (each.isExhausted || each.pace.isIdle(nowMillis, leaseSeconds * 1_000)) continue
      const size = this.sizeOf(each)
      if (this.room(each) >= Math.min(size, each.lastChunk) / 2) continue
      each.size = size
      this.askFor(each)
    }
    this.prefetch(month, nowMillis)
  }

  /** Others need units of this account. */
  recall(accountId: string, month: number): void {
    const holding = this.holdings.get(keyOf(accountId, month))
    if (holding === undefined) return
    holding.isUntold ||= this.room(holding) > 0 || holding.pace.hasMoved
    this.giveBack(holding)
  }

  /** The account has other terms: units granted under the old ones are given back, and use is told. */
  changed(accountId: string): void {
    for (const month of [this.month, this.month + 1]) {
      const holding = this.find(accountId, month)
      if (holding === undefined) continue
      holding.isExhausted = false
      holding.lastChunk = Number.POSITIVE_INFINITY
      holding.isUntold = holding.granted > 0 || this.parts.unitsCounted(accountId, month) > 0
      this.giveBack(holding)
    }
  }

  /** What the account used beyond its grants: the database must learn it with the flush. */
  usedBeyond(accountId: string, month: number): number | undefined {
    const holding = this.holdings.get(keyOf(accountId, month))
    const units = this.parts.unitsCounted(accountId, month)
    return units > (holding === undefined ? 0 : holding.granted - holding.returned) ? units : undefined
  }

  /** Stops asking; resolves when no ask is under way. */
  async pause(): Promise<void> {
    this.isPaused = true
    await this.asking
  }

  resume(): void {
    this.isPaused = false
    this.start()
  }

  /** Tells the database all that is held. Only while paused. */
  async tellAll(): Promise<void> {
    const all = [...this.holdings.values()]
    for (let first = 0; first < all.length; first += ASKS_AT_ONCE) {
      const batch = all.slice(first, first + ASKS_AT_ONCE).map((holding) => ({ holding, need: 0, size: 0 }))
      await this.send(batch)
    }
  }

  private get month(): number {
    const { quota, pace } = this.parts
    return Number(monthNumber(quota.ledgerMillis(pace.wallMillis())))
  }

  private get isAway(): boolean {
    return this.parts.pace.nowMillis() - this.heardMillis > AWAY_MILLIS
  }

  private find(accountId: string, month: number): Holding | undefined {
    const known = this.holdings.get(keyOf(accountId, month))
    if (known !== undefined) return known
    const terms = this.parts.terms(accountId)
    if (terms === undefined) return undefined
    const made: Holding = {
      accountId,
      month,
      cell: terms.cell,
      pace: this.holdings.get(keyOf(accountId, month - 1))?.pace ?? new UsePace(),
      granted: 0,
      returned: 0,
      burned: 0,
      openShare: 0,
      need: 0,
      size: 0,
      isUntold: false,
      isExhausted: false,
      lastChunk: Number.POSITIVE_INFINITY,
    }
    this.holdings.set(keyOf(accountId, month), made)
    return made
  }

  private taken({ cell, month }: Holding): number {
    return Number(this.parts.quota.used(cell, BigInt(month)))
  }

  private room(holding: Holding): number {
    return this.parts.cells.limit(holding.cell, BigInt(holding.month)) - this.taken(holding)
  }

  private sizeOf({ pace }: Holding): number {
    return Math.max(Math.ceil(2 * this.parts.leaseSeconds * pace.perSecond), pace.burst)
  }

  private askFor(holding: Holding): void {
    this.due.add(holding)
    this.start()
  }

  private start(): void {
    if (this.asking !== undefined || this.isPaused || this.due.size === 0) return
    this.asking = this.askAll().finally(() => {
      this.asking = undefined
      this.start()
    })
  }

  /** Asks until nothing is due. Accounts that become due during a statement go into the next one together. */
  private async askAll(): Promise<void> {
    await Promise.resolve() // requests of the same turn go into one statement
    while (this.due.size > 0 && !this.isPaused) {
      const batch = this.nextBatch()
      if (this.isAway) {
        this.share(batch)
        continue
      }
      if (await this.askOnce(batch)) continue
      for (const { holding } of batch) this.due.add(holding)
      await this.parts.pace.sleep(RETRY_MILLIS)
    }
  }

  private nextBatch(): AskedFor[] {
    const batch: AskedFor[] = []
    for (const holding of this.due) {
      if (batch.length >= ASKS_AT_ONCE) break
      this.due.delete(holding)
      batch.push({ holding, need: holding.need, size: holding.size })
      holding.need = 0
      holding.size = 0
    }
    return batch
  }

  /** Asks once. False if it must be repeated: what it asked for is due again. */
  private async askOnce(batch: readonly AskedFor[]): Promise<boolean> {
    try {
      if (await this.send(batch)) return true
    } catch (error) {
      if (!mayPass(error)) this.parts.onFault(error)
    }
    for (const { holding, need, size } of batch) {
      holding.need += need
      holding.size = Math.max(holding.size, size)
      holding.isUntold = true
    }
    return false
  }

  /** One statement. False if something was not granted that may be granted soon. */
  private async send(batch: readonly AskedFor[]): Promise<boolean> {
    const { store, replicaId, beat, plans, onStale } = this.parts
    const asks = batch.flatMap((each) => this.toAsk(each) ?? [])
    const answer = await store.grant(replicaId, beat.acked, { plans: plans(), asks })
    beat.confirm(answer.beat)
    const grants = new Map(answer.grants.map((grant) => [keyOf(grant.accountId, grant.month), grant]))
    const isStale = answer.grants.some((grant) => grant.isStale)
    if (isStale) onStale()
    const isWhole = !answer.waits && !isStale
    for (const each of batch) {
      const grant = grants.get(keyOf(each.holding.accountId, each.holding.month))
      if (grant !== undefined) this.take(each, grant, isWhole)
    }
    return isWhole || batch.every(({ need, size }) => need + size === 0)
  }

  private toAsk({ holding, need, size }: AskedFor): Ask | undefined {
    const { accountId, month, returned, granted } = holding
    const terms = this.parts.terms(accountId)
    if (terms === undefined) return undefined
    holding.isUntold = false
    holding.pace.hasMoved = false
    const used = this.parts.unitsCounted(accountId, month)
    const cap = terms.cap(month)
    return { accountId, month, cap, need, size, returned, used, known: granted, termsMark: terms.termsMark }
  }

  /** @param isWhole whether it was granted all that the database has */
  private take({ holding, need, size }: AskedFor, grant: Grant, isWhole: boolean): void {
    const { cells, tell, terms } = this.parts
    const { accountId, month, cell } = holding
    holding.granted = Math.max(holding.granted, grant.granted)
    cells.raiseLimit(cell, BigInt(month), holding.granted + holding.burned)
    if (month === this.month) cells.setUnitsElsewhere(cell, grant.usedElsewhere - holding.returned - holding.burned)
    if (!isWhole) return
    if (size > 0) holding.lastChunk = grant.grantedNow < size ? Math.max(grant.grantedNow, 1) : Number.POSITIVE_INFINITY
    if (need === 0) return
    const isShort = grant.grantedNow < need && terms(accountId)?.cap(month) !== null
    holding.isExhausted = isShort
    const { unspentElsewhere, unspentBySilent } = grant
    const refusal = isShort ? ({ kind: 'exhausted', unspentElsewhere, unspentBySilent } as const) : undefined
    tell({ kind: 'units', accountId, month, refusal })
  }

  /** Takes all units that nobody has used from the cell, so that no thread can, then tells that they are returned. */
  private giveBack(holding: Holding): void {
    const { cells, quota } = this.parts
    if (holding.month === this.month) {
      const month = BigInt(holding.month)
      const limit = BigInt(cells.limit(holding.cell, month))
      const free = Number(quota.takeRest(holding.cell, { month, limit }))
      const ofShare = Math.min(free, holding.openShare)
      holding.burned += ofShare
      holding.openShare = 0
      holding.returned += free - ofShare
      holding.isUntold ||= free > 0
    }
    if (holding.isUntold) this.askFor(holding)
  }

  /** The database is back: what is left of the outage share may not be used any more. */
  private closeShare(holding: Holding): void {
    if (holding.openShare > 0) this.giveBack(holding)
  }

  /** Without the database: lets requests use the outage share, once a month. */
  private share(batch: readonly AskedFor[]): void {
    const { outage, terms, tell, cells, outageShare } = this.parts
    const wanted = batch.filter(({ need }) => need > 0)
    const booked = outage.book(
      wanted.map(({ holding, need }) => {
        const included = terms(holding.accountId)?.included(holding.month) ?? 0
        const share = outageShare === 0 || holding.isExhausted ? 0 : Math.max(LEAST_SHARE, included * outageShare)
        return { accountId: holding.accountId, month: holding.month, units: need, share: Math.floor(share) }
      }),
    )
    for (const [at, { holding }] of wanted.entries()) {
      const { accountId, month, cell } = holding
      const units = booked[at]
      holding.openShare += units
      if (units > 0) cells.raiseLimit(cell, BigInt(month), cells.limit(cell, BigInt(month)) + units)
      tell({ kind: 'units', accountId, month, refusal: UNAVAILABLE })
    }
    for (const { holding } of batch) holding.isUntold ||= holding.granted > 0
  }

  /** Shortly before a month ends: units of the next one, for an outage that lasts over the turn. */
  private prefetch(month: number, nowMillis: number): void {
    const { pace, leaseSeconds } = this.parts
    const leadMillis = this.prefetchLead * leaseSeconds * 1_000
    if (this.prefetchedMonth > month) return
    if (pace.wallMillis() < monthStartMillis(BigInt(month + 1)) - leadMillis) return
    this.prefetchedMonth = month + 1
    this.prefetchLead = 1 + pace.random()
    for (const each of [...this.holdings.values()]) {
      if (each.month !== month || each.pace.isIdle(nowMillis, leaseSeconds * 1_000)) continue
      const next = this.find(each.accountId, month + 1)
      if (next === undefined) continue
      next.size = this.sizeOf(each)
      this.askFor(next)
    }
  }
}

/** An account in a statement, and what is asked for it. */
interface AskedFor {
  readonly holding: Holding
  readonly need: number
  readonly size: number
}

function keyOf(accountId: string, month: number): string {
  return `${month} ${accountId}`
}
