// The units that this replica holds, managed on its control thread. Requests more units from the database before an
// account's units run out, returns units when other replicas need them, and grants units from the outage share while
// the database is unavailable.
import type { UnitsNotice } from '../access/fleet-talk.ts'
import { mayPass } from '../accounts/account-store.ts'
import { monthNumber, monthStartMillis } from '../metering/limit-cells.ts'
import type { FleetStore, Grant, UnitRequest } from './fleet-store.ts'
import { Holding, type UnitMemory } from './holding.ts'
import type { OutageBook } from './outage-book.ts'
import type { Pace } from './pace.ts'
import { UsePace } from './use-pace.ts'
import { WaitTimes } from './wait-times.ts'

/** Maximum number of accounts in one SQL statement. */
const REQUESTS_AT_ONCE = 500
/** Pause before a request for units is repeated because the request failed or was not granted yet. */
const RETRY_MILLIS = 50
/** If the database has not answered a tick for this long, it counts as unavailable. */
const AWAY_MILLIS = 1_000
const UNAVAILABLE = { kind: 'unavailable' } as const

/** How many units an account may use, from its terms (plan, overage, spend cap). */
export interface UnitTerms {
  readonly cell: number
  readonly termsMark: number
  /** Units that the terms allow in a month; null if they are unlimited. Months are counted from the year 0. */
  cap(month: number): number | null
  /**
   * The account's outage share in a month: units that it may use beyond its grants while the database is unavailable.
   */
  outageUnits(month: number): number
}

/** Dependencies of the grants. */
export interface GrantParts {
  readonly replicaId: string
  readonly store: Pick<FleetStore, 'grant'>
  readonly memory: UnitMemory
  readonly outage: OutageBook
  readonly pace: Pace
  readonly leaseSeconds: number
  /** The period over which an account's rate of use is measured; a minute, except in tests. */
  readonly minuteMillis?: number
  /** The number of the last confirmed write (beat.ts); `confirm` raises it. */
  readonly beat: { readonly acked: number; confirm(beat: number): void }
  /** The terms of an account; undefined if the account is unknown. */
  terms(accountId: string): UnitTerms | undefined
  /** Sequence number of the plans from which the terms were computed. */
  plans(): number
  /** Units that an account used in a month, as counted in this process's slots. */
  unitsCounted(accountId: string, month: number): number
  /** Tells the data threads that units were granted or refused. */
  notify(notice: UnitsNotice): void
  /** Called when the database has newer terms for an account than this replica. */
  onStale(): void
  /** Called when a request for units failed although the database was available. */
  onFault(error: unknown): void
}

/** A request for units for one account. One SQL statement sends several such requests. */
interface RequestedUnits {
  readonly holding: Holding
  readonly need: number
  readonly size: number
}

/** The units that a replica holds for all accounts. */
export class Grants {
  readonly waits = new WaitTimes()
  private readonly parts: GrantParts
  private readonly holdings = new Map<string, Holding>()
  private readonly due = new Set<Holding>()
  private requesting: Promise<void> | undefined
  private isPaused = false
  private answeredTickMillis = Number.NEGATIVE_INFINITY
  private prefetchedMonth = 0
  private prefetchLead: number

  constructor(parts: GrantParts) {
    this.parts = parts
    this.prefetchLead = 1 + parts.pace.random()
  }

  /** Units for this month that the replica holds and has not used; a metric. */
  get heldUnits(): number {
    const { month } = this
    let sum = 0
    for (const each of this.holdings.values()) if (each.month === month) sum += Math.max(0, each.room)
    return sum
  }

  /** Called when the database answered a tick. @param sentMillis when the tick was sent */
  noteTick(sentMillis: number): void {
    this.answeredTickMillis = sentMillis
  }

  /** Called when requests on a data thread wait for units. @param units number of units that these requests need */
  want(accountId: string, month: number, units: number): void {
    const holding = this.find(accountId, month)
    if (holding === undefined) return this.parts.notify({ kind: 'units', accountId, month, refusal: UNAVAILABLE })
    holding.need += units
    holding.waitingSince.push(this.parts.pace.nowMillis())
    const isRequesting = this.requesting !== undefined
    this.request(holding)
    // If the database is not answering an earlier SQL statement, these requests do not wait for that statement, but get
    // units from the outage share.
    if (isRequesting && this.isAway && !this.isPaused) this.share(this.nextBatch())
  }

  /**
   * Checks all accounts in use, about five times a second. If an account has less than half of its usual number of
   * units left, requests more.
   */
  scan(): void {
    const { month } = this
    const { pace, leaseSeconds } = this.parts
    const nowMillis = pace.nowMillis()
    for (const [key, each] of this.holdings) {
      if (each.month < month) this.holdings.delete(key)
      if (each.month !== month) continue
      each.pace.look(nowMillis, each.used)
      if (each.isExhausted || each.pace.isIdle(nowMillis, leaseSeconds * 1_000)) continue
      const size = this.sizeOf(each)
      if (!each.isLow(size)) continue
      each.size = size
      this.request(each)
    }
    this.prefetch(month, nowMillis)
  }

  /**
   * Called when other replicas need units for this account. Returns all unused units to the database. After that, no
   * units are requested in advance until requests on this replica have to wait again.
   */
  recall(accountId: string, month: number): void {
    const holding = this.holdings.get(keyOf(accountId, month))
    if (holding === undefined) return
    holding.isExhausted = true
    holding.hasUnreported ||= holding.pace.hasMoved // so that the other replicas learn how much was used here
    this.giveBack(holding)
  }

  /**
   * Called when the terms of an account may have changed. Returns the unused units, which were granted under the old
   * terms, and reports usage.
   */
  changed(accountId: string): void {
    const { month } = this
    for (const each of [month, month + 1]) {
      const known = this.holdings.get(keyOf(accountId, each))
      const isUsed = this.parts.unitsCounted(accountId, each) > 0
      const holding = known ?? (isUsed ? this.find(accountId, each) : undefined)
      if (holding === undefined) continue
      holding.forgetCap()
      holding.hasUnreported ||= isUsed
      this.giveBack(holding)
    }
  }

  /**
   * All units that the account used on this replica in the month, if the account used more than it was granted here;
   * otherwise undefined. The flush reports these units to the database.
   */
  usedBeyond(accountId: string, month: number): number | undefined {
    const holding = this.holdings.get(keyOf(accountId, month))
    const units = this.parts.unitsCounted(accountId, month)
    return units > (holding === undefined ? 0 : holding.granted - holding.returned) ? units : undefined
  }

  /** Stops requesting units; resolves when no request is in progress. */
  async pause(): Promise<void> {
    this.isPaused = true
    await this.requesting
  }

  resume(): void {
    this.isPaused = false
    this.start()
  }

  /** Reports to the database all units that this replica holds or has used. Call it only while paused. */
  async showAll(): Promise<void> {
    const all = [...this.holdings.values()]
    for (let first = 0; first < all.length; first += REQUESTS_AT_ONCE) {
      await this.send(all.slice(first, first + REQUESTS_AT_ONCE).map((holding) => ({ holding, need: 0, size: 0 })))
    }
  }

  private get month(): number {
    const { memory, pace } = this.parts
    return Number(monthNumber(memory.quota.ledgerMillis(pace.wallMillis())))
  }

  private get isAway(): boolean {
    return this.parts.pace.nowMillis() - this.answeredTickMillis > AWAY_MILLIS
  }

  private find(accountId: string, month: number): Holding | undefined {
    const known = this.holdings.get(keyOf(accountId, month))
    if (known !== undefined) return known
    const { terms, memory, minuteMillis } = this.parts
    const cell = terms(accountId)?.cell
    if (cell === undefined) return undefined
    const pace = this.holdings.get(keyOf(accountId, month - 1))?.pace ?? new UsePace(minuteMillis)
    const made = new Holding({ accountId, month, cell }, pace, memory)
    this.holdings.set(keyOf(accountId, month), made)
    return made
  }

  private sizeOf({ pace }: Holding): number {
    return Math.max(Math.ceil(2 * this.parts.leaseSeconds * pace.perSecond), pace.burst)
  }

  private request(holding: Holding): void {
    this.due.add(holding)
    this.start()
  }

  private start(): void {
    if (this.requesting !== undefined || this.isPaused || this.due.size === 0) return
    this.requesting = this.requestAll().finally(() => {
      this.requesting = undefined
      this.start()
    })
  }

  /**
   * Sends requests until no account needs units. Accounts that need units while a SQL statement is running share the
   * next statement.
   */
  private async requestAll(): Promise<void> {
    await Promise.resolve() // requests from the same turn of the event loop share a SQL statement
    while (this.due.size > 0 && !this.isPaused) {
      const batch = this.nextBatch()
      if (this.isAway) {
        this.share(batch)
        continue
      }
      if (await this.requestOnce(batch)) continue
      for (const { holding } of batch) this.due.add(holding)
      await this.parts.pace.sleep(RETRY_MILLIS)
    }
  }

  private nextBatch(): RequestedUnits[] {
    const batch: RequestedUnits[] = []
    for (const holding of this.due) {
      if (batch.length >= REQUESTS_AT_ONCE) break
      this.due.delete(holding)
      if (holding.need > 0) {
        holding.pace.waited(this.parts.pace.nowMillis())
        holding.size = Math.max(holding.size, this.sizeOf(holding))
      }
      batch.push({ holding, need: holding.need, size: holding.size })
      holding.need = 0
      holding.size = 0
    }
    return batch
  }

  /** Sends one batch of requests for units. Returns false if the batch must be sent again. */
  private async requestOnce(batch: readonly RequestedUnits[]): Promise<boolean> {
    try {
      if (await this.send(batch)) return true
    } catch (error) {
      if (!mayPass(error)) this.parts.onFault(error)
    }
    for (const { holding, need, size } of batch) {
      holding.need += need
      holding.size = Math.max(holding.size, size)
      holding.hasUnreported = true
    }
    return false
  }

  /**
   * Sends a batch in one SQL statement. Returns false if requested units were not granted now, but may be granted soon.
   */
  private async send(batch: readonly RequestedUnits[]): Promise<boolean> {
    const { store, replicaId, beat, plans, onStale } = this.parts
    const units = batch.flatMap((each) => this.toRequest(each) ?? [])
    const answer = await store.grant(replicaId, beat.acked, { plans: plans(), units })
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

  private toRequest({ holding, need, size }: RequestedUnits): UnitRequest | undefined {
    const { accountId, month, returned, granted, pace } = holding
    const terms = this.parts.terms(accountId)
    if (terms === undefined) return undefined
    holding.hasUnreported = false
    pace.hasMoved = false
    holding.requestedMark = terms.termsMark
    const used = this.parts.unitsCounted(accountId, month)
    const cap = terms.cap(month)
    return { accountId, month, cap, need, size, returned, used, known: granted, termsMark: terms.termsMark }
  }

  /**
   * Adds granted units to a holding.
   * @param isWhole whether the answer is final; false if more units may be granted soon
   */
  private take({ holding, need, size }: RequestedUnits, grant: Grant, isWhole: boolean): void {
    const { accountId, month } = holding
    holding.take(grant, { requested: isWhole ? size : 0, isCurrent: month === this.month })
    if (!isWhole || need === 0) return
    const terms = this.parts.terms(accountId)
    const isShort = grant.grantedNow < need && terms?.cap(month) !== null
    if (isShort && terms?.termsMark !== holding.requestedMark) {
      holding.need += need // the terms changed after the request was sent
      return this.request(holding)
    }
    holding.isExhausted = isShort
    const { unspentElsewhere, unspentBySilent } = grant
    const pendingHere = Math.max(0, holding.used - this.parts.unitsCounted(accountId, month))
    this.notify(holding, isShort ? { kind: 'exhausted', unspentElsewhere, unspentBySilent, pendingHere } : undefined)
  }

  private notify(holding: Holding, refusal: UnitsNotice['refusal']): void {
    const { accountId, month, waitingSince } = holding
    const nowMillis = this.parts.pace.nowMillis()
    for (const sinceMillis of waitingSince.splice(0)) this.waits.note((nowMillis - sinceMillis) / 1_000)
    this.parts.notify({ kind: 'units', accountId, month, refusal })
  }

  private giveBack(holding: Holding): void {
    if (holding.month === this.month) holding.giveBack()
    if (holding.hasUnreported) this.request(holding)
  }

  /**
   * Grants units from the accounts' outage shares to waiting requests while the database is unavailable. Each unit of a
   * share can be granted only once a month.
   */
  private share(batch: readonly RequestedUnits[]): void {
    const { outage, terms } = this.parts
    const wanted = batch.filter(({ need }) => need > 0)
    const booked = outage.book(
      wanted.map(({ holding: { accountId, month, isExhausted }, need }) => {
        const share = isExhausted ? 0 : (terms(accountId)?.outageUnits(month) ?? 0)
        return { accountId, month, units: need, share }
      }),
    )
    for (const [at, { holding }] of wanted.entries()) {
      holding.takeShare(booked[at])
      this.notify(holding, UNAVAILABLE)
    }
  }

  /**
   * Shortly before a month ends, requests units for the next month, in case the database is unavailable when the next
   * month begins.
   */
  private prefetch(month: number, nowMillis: number): void {
    const { pace, leaseSeconds } = this.parts
    const leadMillis = this.prefetchLead * leaseSeconds * 1_000
    if (this.prefetchedMonth > month) return
    if (pace.wallMillis() < monthStartMillis(BigInt(month + 1)) - leadMillis) return
    this.prefetchedMonth = month + 1
    this.prefetchLead = 1 + pace.random()
    for (const each of [...this.holdings.values()]) {
      if (each.month !== month || each.pace.isIdle(nowMillis, 2 * leaseSeconds * 1_000)) continue
      const next = this.find(each.accountId, month + 1)
      if (next === undefined) continue
      next.size = this.sizeOf(each)
      this.request(next)
    }
  }
}

function keyOf(accountId: string, month: number): string {
  return `${month} ${accountId}`
}
