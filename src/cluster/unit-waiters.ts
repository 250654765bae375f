// Requests of a data thread that wait for units, at most a second. Also remembers the accounts that had no units left a
// moment ago, so that their requests are refused without another query.
import type { FleetAsk, UnitsNotice } from '../access/fleet-talk.ts'

/** The longest wait for units. If the database has answered nothing by then, it counts as unreachable (grants.ts). */
const WAIT_MILLIS = 1_000
/** If the last request for units is older than this, the next waiter sends it again, in case it was lost. */
const ASK_AGAIN_MILLIS = 250
/** How long a refusal is repeated without a new query. The second applies if no replica has units left. */
const REFUSAL_MILLIS = 250
const SPENT_REFUSAL_MILLIS = 1_000
/**
 * Seconds until a retry. The first applies if units may be returned soon, the second if only silent replicas hold some.
 */
const SOON_SECONDS = 1
const SILENT_SECONDS = 60

/** The units that a request needs. */
export interface Wanted {
  readonly accountId: string
  /** Months since the year 0. */
  readonly month: number
  readonly units: number
}

/** Why a request gets no units. */
export type Shortage =
  | { readonly kind: 'unavailable' }
  /** `retryAfterSeconds` is undefined if nothing helps before the month's end. */
  | { readonly kind: 'exhausted'; readonly retryAfterSeconds: number | undefined }

/** Dependencies of waiting. @typeParam Taken the result of a request. @typeParam Wish the request */
export interface WaiterParts<Taken, Wish extends Wanted> {
  nowMillis(): number
  /** Calls a function later; returns a function that cancels the call. */
  later(millis: number, run: () => void): () => void
  ask(ask: FleetAsk): void
  /** Takes units; undefined if there are too few. */
  take(wish: Wish): Taken | undefined
  /** Units that can be taken now. */
  room(wish: Wish): number
}

interface Waiter<Taken, Wish> {
  readonly wish: Wish
  readonly settle: (answer: Taken | Shortage) => void
}

/** The waiting requests of an account's month. */
interface Crowd<Taken, Wish> {
  readonly waiters: Set<Waiter<Taken, Wish>>
  /** When units were last requested. */
  askedMillis: number
}

type Exhausted = Extract<NonNullable<UnitsNotice['refusal']>, { kind: 'exhausted' }>

const UNAVAILABLE: Shortage = { kind: 'unavailable' }

/** All waiting requests of one thread. */
export class UnitWaiters<Taken, Wish extends Wanted> {
  private readonly parts: WaiterParts<Taken, Wish>
  /** Month and account → the requests that wait. */
  private readonly crowds = new Map<string, Crowd<Taken, Wish>>()
  /** The refusals that still hold, by month and account. */
  private readonly spent = new Map<string, { readonly refusal: Exhausted; readonly untilMillis: number }>()

  constructor(parts: WaiterParts<Taken, Wish>) {
    this.parts = parts
  }

  /** The refusal for a request that found too few units, if one was given a moment ago and still applies. */
  findShortage(wish: Wish): Shortage | undefined {
    const known = this.spent.get(keyOf(wish))
    if (known === undefined || this.parts.nowMillis() >= known.untilMillis) return undefined
    return this.shortageOf(wish, known.refusal)
  }

  /**
   * Waits for units. The first waiting request asks the control thread. Requests that arrive before its answer wait as
   * well; if units were granted and do not suffice for them, one message asks for all of them.
   */
  wait(wish: Wish): Promise<Taken | Shortage> {
    const { accountId, month, units } = wish
    const key = keyOf(wish)
    const { promise, resolve } = Promise.withResolvers<Taken | Shortage>()
    const none = { waiters: new Set<Waiter<Taken, Wish>>(), askedMillis: Number.NEGATIVE_INFINITY }
    const crowd = this.crowds.getOrInsertComputed(key, () => none)
    const cancel = this.parts.later(WAIT_MILLIS, () => waiter.settle(UNAVAILABLE))
    const waiter: Waiter<Taken, Wish> = {
      wish,
      settle: (answer) => {
        cancel()
        crowd.waiters.delete(waiter)
        if (crowd.waiters.size === 0 && this.crowds.get(key) === crowd) this.crowds.delete(key)
        resolve(answer)
      },
    }
    crowd.waiters.add(waiter)
    const nowMillis = this.parts.nowMillis()
    if (nowMillis - crowd.askedMillis < ASK_AGAIN_MILLIS) return promise
    crowd.askedMillis = nowMillis
    this.parts.ask({ kind: 'want', accountId, month, units })
    return promise
  }

  /** Called when the control thread has answered the requests for an account's month, after it has raised the limit. */
  notify({ accountId, month, refusal }: UnitsNotice): void {
    const key = keyOf({ accountId, month })
    if (refusal?.kind === 'exhausted') {
      const millis = refusal.unspentElsewhere + refusal.pendingHere > 0 ? REFUSAL_MILLIS : SPENT_REFUSAL_MILLIS
      this.spent.set(key, { refusal, untilMillis: this.parts.nowMillis() + millis })
    } else this.spent.delete(key)
    const crowd = this.crowds.get(key)
    if (crowd === undefined) return
    let units = 0
    for (const { wish, settle } of crowd.waiters) {
      const taken = this.parts.take(wish)
      if (taken !== undefined) settle(taken)
      else if (refusal === undefined) units += wish.units
      else settle(refusal.kind === 'exhausted' ? this.shortageOf(wish, refusal) : UNAVAILABLE)
    }
    if (units === 0) return
    crowd.askedMillis = this.parts.nowMillis()
    this.parts.ask({ kind: 'want', accountId, month, units })
  }

  /** Called when the terms of accounts have changed: refused units may be granted now. */
  forgetShortages(): void {
    this.spent.clear()
  }

  /**
   * Why a request is refused. Its units may be available again before the month's end, if other replicas or calls in
   * progress here return enough.
   */
  private shortageOf(wish: Wish, { unspentElsewhere, unspentBySilent, pendingHere }: Exhausted): Shortage {
    const missing = wish.units - this.parts.room(wish) - pendingHere
    let retryAfterSeconds: number | undefined
    if (missing <= unspentElsewhere - unspentBySilent) retryAfterSeconds = SOON_SECONDS
    else if (missing <= unspentElsewhere) retryAfterSeconds = SILENT_SECONDS
    return { kind: 'exhausted', retryAfterSeconds }
  }
}

function keyOf({ accountId, month }: { readonly accountId: string; readonly month: number }): string {
  return `${month} ${accountId}`
}
