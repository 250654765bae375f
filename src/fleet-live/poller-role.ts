// Whether this replica is the one that polls: a lease in the database with a token that grows whenever the role passes on.
import type { FleetRole } from '../accounts/fleet-role.ts'
import type { Fence, LiveHead } from './live-store.ts'

/** Between two renewals. */
const RENEW_MILLIS = 1_000
/** The role counts as held for this long after a renewal was sent; shorter than the lease of the database. */
const HELD_MILLIS = 4_500

/** The role of the poller. */
export class PollerRole {
  private readonly role: FleetRole
  private readonly ownId: string
  private token: number | undefined
  /** The term in which it writes. */
  private term: number | undefined
  private renewedMillis = Number.NEGATIVE_INFINITY
  private isLeaving = false

  constructor(role: FleetRole, ownId: string) {
    this.role = role
    this.ownId = ownId
  }

  /** The role as of now; undefined if another replica may have it. */
  get held(): number | undefined {
    return performance.now() - this.renewedMillis < HELD_MILLIS ? this.token : undefined
  }

  /** What writes must name; undefined while this replica may not write. */
  get fence(): Fence | undefined {
    const { held, term } = this
    return held === undefined || term === undefined ? undefined : { token: held, term }
  }

  /** Takes a free role, or keeps the own one. Returns whether it is new to this replica. */
  async look({ holder, left_millis }: LiveHead): Promise<boolean> {
    if (this.isLeaving) return false
    const before = this.held
    const isFree = left_millis === null || left_millis <= 0
    const isOwn = holder === this.ownId
    if (!isFree && !isOwn) {
      this.lose()
      return false
    }
    const sentMillis = performance.now()
    if (before !== undefined && !isFree && sentMillis - this.renewedMillis < RENEW_MILLIS) return false
    const token = await this.role.take()
    if (token === undefined) {
      this.lose()
      return false
    }
    const isNew = before !== token
    if (isNew) this.term = undefined
    this.token = token
    this.renewedMillis = sentMillis
    return isNew
  }

  /** From here on, writes are of this term. */
  write(term: number): void {
    this.term = term
  }

  lose(): void {
    this.token = undefined
    this.term = undefined
  }

  /** Lets another replica have it, for good. */
  async leave(): Promise<void> {
    this.isLeaving = true
    const { held } = this
    this.lose()
    if (held !== undefined) await this.role.leave(held)
  }
}
