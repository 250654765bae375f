// Requests on a data thread that wait for units, each for at most a second. If an account has no units left, its
// further requests are refused for a short time without another query.
import type { FleetRequest, UnitsNotice } from '../access/fleet-talk.ts'

/** The longest wait for units. If the database has not answered by then, it counts as unreachable (grants.ts). */
const WAIT_MILLIS = 1_000
/**
 * If the last message that requested units is older than this, the next waiting request sends another one, in case the
 * last message was lost.
 */
const RESEND_MILLIS = 250
/** For this long after a refusal, further requests for the account are refused without a new query. */
const REFUSAL_MILLIS = 250
/** Like `REFUSAL_MILLIS`, if no replica has units left. */
const SPENT_REFUSAL_MILLIS = 1_000
/** Seconds until a retry if units may be returned soon. */
const SOON_SECONDS = 1
/** Seconds until a retry if only silent replicas have units. */
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
  /** `retryAfterSeconds` is undefined if no units will be available before the month's end. */
  | { readonly kind: 'exhausted'; readonly retryAfterSeconds: number | undefined }

/**
 * Dependencies of `UnitWaiters`.
 * @typeParam Taken the result of taking units
 * @typeParam Request a request for units
 */
export interface WaiterParts<Taken, Request extends Wanted> {
  nowMillis(): number
  /** Calls a function later; returns a function that cancels the call. */
  later(millis: number, run: () => void): () => void
  send(request: FleetRequest): void
  /** Takes the units for a request; undefined if too few are left. */
  take(request: Request): Taken | undefined
  /** The number of units that the request's account can use now on this replica. */
  room(request: Request): number
}

interface Waiter<Taken, Request> {
  readonly request: Request
  readonly settle: (answer: Taken | Shortage) => void
}

/** The requests that wait for one account's units in one month. */
interface Crowd<Taken, Request> {
  readonly waiters: Set<Waiter<Taken, Request>>
  /** When units were last requested. */
  requestedMillis: number
}

type Exhausted = Extract<NonNullable<UnitsNotice['refusal']>, { kind: 'exhausted' }>

const UNAVAILABLE: Shortage = { kind: 'unavailable' }

/** All waiting requests on one thread. */
export class UnitWaiters<Taken, Request extends Wanted> {
  private readonly parts: WaiterParts<Taken, Request>
  /** Month and account → the requests that wait. */
  private readonly crowds = new Map<string, Crowd<Taken, Request>>()
  /** Month and account → the last refusal, which applies until `untilMillis`. */
  private readonly spent = new Map<string, { readonly refusal: Exhausted; readonly untilMillis: number }>()

  constructor(parts: WaiterParts<Taken, Request>) {
    this.parts = parts
  }

  /** The refusal for a request that found too few units, if a recent refusal for its account still applies. */
  findShortage(request: Request): Shortage | undefined {
    const known = this.spent.get(keyOf(request))
    if (known === undefined || this.parts.nowMillis() >= known.untilMillis) return undefined
    return this.shortageOf(request, known.refusal)
  }

  /**
   * Waits for units. The first waiting request sends a message to the control thread. Requests that arrive before the
   * answer also wait. If the granted units are too few for all of them, one message requests more for those still
   * waiting.
   */
  wait(request: Request): Promise<Taken | Shortage> {
    const { accountId, month, units } = request
    const key = keyOf(request)
    const { promise, resolve } = Promise.withResolvers<Taken | Shortage>()
    const none = { waiters: new Set<Waiter<Taken, Request>>(), requestedMillis: Number.NEGATIVE_INFINITY }
    const crowd = this.crowds.getOrInsertComputed(key, () => none)
    const cancel = this.parts.later(WAIT_MILLIS, () => waiter.settle(UNAVAILABLE))
    const waiter: Waiter<Taken, Request> = {
      request,
      settle: (answer) => {
        cancel()
        crowd.waiters.delete(waiter)
        if (crowd.waiters.size === 0 && this.crowds.get(key) === crowd) this.crowds.delete(key)
        resolve(answer)
      },
    }
    crowd.waiters.add(waiter)
    const nowMillis = this.parts.nowMillis()
    if (nowMillis - crowd.requestedMillis < RESEND_MILLIS) return promise
    crowd.requestedMillis = nowMillis
    this.parts.send({ kind: 'want', accountId, month, units })
    return promise
  }

  /**
   * Called when the control thread has granted or refused units for an account's month. If units were granted, the
   * account's limit has already been raised.
   */
  notify({ accountId, month, refusal }: UnitsNotice): void {
    const key = keyOf({ accountId, month })
    if (refusal?.kind === 'exhausted') {
      const millis = refusal.unspentElsewhere + refusal.pendingHere > 0 ? REFUSAL_MILLIS : SPENT_REFUSAL_MILLIS
      this.spent.set(key, { refusal, untilMillis: this.parts.nowMillis() + millis })
    } else this.spent.delete(key)
    const crowd = this.crowds.get(key)
    if (crowd === undefined) return
    let units = 0
    for (const { request, settle } of crowd.waiters) {
      const taken = this.parts.take(request)
      if (taken !== undefined) settle(taken)
      else if (refusal === undefined) units += request.units
      else settle(refusal.kind === 'exhausted' ? this.shortageOf(request, refusal) : UNAVAILABLE)
    }
    if (units === 0) return
    crowd.requestedMillis = this.parts.nowMillis()
    this.parts.send({ kind: 'want', accountId, month, units })
  }

  /** Called when the terms of some accounts have changed: units that were refused may be granted now. */
  forgetShortages(): void {
    this.spent.clear()
  }

  /**
   * Why a request is refused, and when to retry it. Units may be available again before the month ends: other replicas
   * may return units, and requests in progress on this replica may release theirs.
   */
  private shortageOf(request: Request, { unspentElsewhere, unspentBySilent, pendingHere }: Exhausted): Shortage {
    const missing = request.units - this.parts.room(request) - pendingHere
    let retryAfterSeconds: number | undefined
    if (missing <= unspentElsewhere - unspentBySilent) retryAfterSeconds = SOON_SECONDS
    else if (missing <= unspentElsewhere) retryAfterSeconds = SILENT_SECONDS
    return { kind: 'exhausted', retryAfterSeconds }
  }
}

function keyOf({ accountId, month }: { readonly accountId: string; readonly month: number }): string {
  return `${month} ${accountId}`
}
