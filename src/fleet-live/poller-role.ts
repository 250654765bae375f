// The poller's role, which is a lease in the database. Its token increases each time the role moves to another replica.
import type { FleetRole } from '../accounts/fleet-role.ts'
import type { Fence, LiveHead } from './live-store.ts'

/** The poller's role. */
export class PollerRole {
  private readonly role: FleetRole
  /** The term to which this replica's writes belong; undefined until `write` is called. */
  private term: number | undefined

  constructor(role: FleetRole) {
    this.role = role
  }

  /** The role's token if this replica has the role now; undefined if another replica may have it. */
  get held(): number | undefined {
    return this.role.token
  }

  /** The token and term that every write must contain; undefined while this replica may not write. */
  get fence(): Fence | undefined {
    const { held, term } = this
    return held === undefined || term === undefined ? undefined : { token: held, term }
  }

  /** Takes or renews the role if no other replica has it. Returns whether this replica has just obtained the role. */
  async look({ holder, left_millis }: LiveHead): Promise<boolean> {
    const { role, held: before } = this
    const isFree = left_millis === null || left_millis <= 0
    if (!isFree && holder !== role.replica) {
      this.lose()
      return false
    }
    if (before !== undefined && !isFree && role.isFresh) return false
    await role.take()
    const { held } = this
    if (held !== before) this.term = undefined
    return held !== undefined && held !== before
  }

  /** Allows this replica to write messages, which then belong to this term. */
  write(term: number): void {
    this.term = term
  }

  lose(): void {
    this.role.lose()
    this.term = undefined
  }

  /** Gives up the role permanently. */
  async leave(): Promise<void> {
    this.term = undefined
    await this.role.leave()
  }
}
