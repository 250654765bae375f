// A request on its way through the pipeline, and the life of its reservation.
import type { Caller, Gate, LimitFields, LimitRefusal, Reservation } from '../access/gate.ts'
import { type AskedHeaders, headersBeside, NO_HEADERS } from '../http/asked-headers.ts'
import { Problem } from '../http/problem.ts'
import type { Connections, Context } from './service.ts'

/** A request on its way: each step writes down what it found. Made once for each request. */
export class Passage {
  readonly request: Request
  readonly server: Connections | null | undefined
  readonly url: string
  headers: Headers
  /** The headers beside Host, Authorization and Connection. */
  beside: AskedHeaders
  /** Service time of the answer, in milliseconds after 1970. */
  nowMillis = 0
  /** Undefined on public routes. */
  caller: Caller | undefined = undefined
  /** What the caller is told of its limits; undefined on public routes. */
  limits: LimitFields | undefined = undefined
  /** The units under way: neither charged nor given back yet. */
  private reservation: Reservation | undefined = undefined

  constructor({ request, server }: Context) {
    this.request = request
    this.server = server
    this.url = request.url
    this.headers = request.headers
    this.beside = headersBeside(request.headers)
  }

  /** Takes the units of a call out of its account's month and rate; why not, where there are none left. */
  reserve(gate: Pick<Gate, 'reserve' | 'limitFields'>, caller: Caller, units: number): Problem | undefined {
    const taken = gate.reserve(caller, units)
    this.caller = caller
    this.limits = gate.limitFields()
    if ('reason' in taken) return limitProblem(taken)
    this.reservation = taken
    return undefined
  }

  /** The answer comes in a later turn: units are kept for it, and given back should this thread die before. */
  hold(gate: Gate): void {
    if (this.reservation !== undefined) gate.hold(this.reservation)
    // Bun may not know the headers of the request any more by then.
    this.headers = new Headers(this.headers)
    if (this.beside !== NO_HEADERS) this.beside = this.headers
  }

  /** The answer that was waited for is here: `charge` or `release` follows in the same turn. */
  settle(gate: Gate): void {
    if (this.reservation !== undefined) gate.settle(this.reservation)
  }

  /** Charges what is reserved, if that was not done yet; a refusal where the month or the day has no room for it any more. */
  charge(gate: Gate): Problem | undefined {
    const { reservation } = this
    if (reservation === undefined) return undefined
    this.reservation = undefined
    const refusal = gate.charge(reservation)
    return refusal === undefined ? undefined : limitProblem(refusal)
  }

  /** Gives back what is reserved, if that was not done yet. */
  release(gate: Gate): void {
    const { reservation } = this
    if (reservation === undefined) return
    this.reservation = undefined
    this.limits = gate.release(reservation)
  }
}

/** A refusal by a limit, with the time to wait. */
function limitProblem({ reason, retryAfterSeconds }: LimitRefusal): Problem {
  return new Problem(reason, undefined, { retryAfterSeconds })
}
