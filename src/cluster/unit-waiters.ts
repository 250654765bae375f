// Requests of a data thread that wait for units, at most a second. Also remembers the accounts that had no units left a
// moment ago, so that their requests are refused without another query.
import type { FleetRequest, UnitsNotice } from '../access/fleet-talk.ts'

/** The longest wait for units. If the database has not answered by then, it counts as unreachable (grants.ts). */
const WAIT_MILLIS = 1_000
/** If the last request for units is older than this, the next waiter sends it again, in case it was lost. */
const RESEND_MILLIS = 250
/** How long a refusal is repeated without a new query. */
const REFUSAL_MILLIS = 250
/** How long a refusal is repeated if no replica has units left. */
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
  /** `retryAfterSeconds` is undefined if nothing helps before the month's end. */
  | { readonly kind: 'exhausted'; readonly retryAfterSeconds: number | undefined }

/** Dependencies of waiting. @typeParam Taken the result of a request. @typeParam Request a request for units */
export interface WaiterParts<Taken, Request extends Wanted> {
  nowMillis(): number
  /** Calls a function later; returns a function that cancels the call. */
  later(millis: number, run: () => void): () => void
  send(request: FleetRequest): void
  /** Takes the units of a request; undefined if there are too few. */
  take(request: Request): Taken | undefined
  /** Units that can be taken now for a request. */
  room(request: Request): number
}

interface Waiter<Taken, Request> {
  readonly request: Request
  readonly settle: (answer: Taken | Shortage) => void
}

/** The waiting requests of an account's month. */
interface Crowd<Taken, Request> {
  readonly waiters: Set<Waiter<Taken, Request>>
  /** When units were last requested. */
  requestedMillis: number
}

type Exhausted = Extract<NonNullable<UnitsNotice['refusal']>, { kind: 'exhausted' }>

const UNAVAILABLE: Shortage = { kind: 'unavailable' }

/** All waiting requests of one thread. */
export class UnitWaiters<Taken, Request extends Wanted> {
  private readonly parts: WaiterParts<Taken, Request>
  /** Month and account → the requests that wait. */
  private readonly crowds = new Map<string, Crowd<Taken, Request>>()
  /** The refusals that still apply, by month and account. */
  private readonly spent = new Map<string, { readonly refusal: Exhausted; readonly untilMillis: number }>()

  constructor(parts: WaiterParts<Taken, Request>) {
    this.parts = parts
  }

  /** The refusal for a request that found too few units, if one was given a moment ago and still applies. */
  findShortage(request: Request): Shortage | undefined {
    const known = this.spent.get(keyOf(request))
    if (known === undefined || this.parts.nowMillis() >= known.untilMillis) return undefined
    return this.shortageOf(request, known.refusal)
  }

  /**
   * Waits for units. The first waiting request asks the control thread. Requests that arrive before its answer wait as
   * well; if the granted units do not suffice for all, one message requests more for those still waiting.
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

  /** Called when the terms of accounts have changed: refused units may be granted now. */
  forgetShortages(): void {
    this.spent.clear()
  }

  /**
   * Why a request is refused. Its units may be available again before the month's end, if other replicas or calls in
   * progress here return enough.
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
