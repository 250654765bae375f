// How often something may be tried in a while: passwords for an account and from an address, mails to an address.
// Where nothing else is said, ten times in fifteen minutes.
import type { Clock } from '../system/clock.ts'

/** Tries in a window. */
export const TRY_LIMIT = 10
/** The window. */
export const TRY_WINDOW_MILLIS = 15 * 60_000
/** Accounts and addresses that are remembered. */
const REMEMBERED_LIMIT = 100_000

/** What has been tried lately, by whom. In memory: a restart forgets it. */
export class Tries {
  /** Instants of the tries, oldest first; whoever tried last is last. */
  private readonly instants = new Map<string, readonly number[]>()
  private readonly clock: Clock
  private readonly limit: number
  private readonly windowMillis: number

  constructor(clock: Clock, { limit, windowMillis } = { limit: TRY_LIMIT, windowMillis: TRY_WINDOW_MILLIS }) {
    this.clock = clock
    this.limit = limit
    this.windowMillis = windowMillis
  }

  /**
   * Counts one try under each of these names, if none has had all of its own yet; else how long until all of them have one
   * again, in whole seconds.
   */
  take(names: readonly string[]): number {
    const nowMillis = this.clock.nowMillis()
    const found = names.map((name) => ({ name, recent: this.recent(name, nowMillis) }))
    const waits = found.map(({ recent }) =>
      recent.length < this.limit ? 0 : recent[recent.length - this.limit] + this.windowMillis - nowMillis,
    )
    const longest = Math.max(...waits)
    if (longest > 0) return Math.max(1, Math.ceil(longest / 1_000))
    for (const { name, recent } of found) {
      this.instants.delete(name)
      this.instants.set(name, [...recent, nowMillis])
    }
    this.forgetOldest(nowMillis)
    return 0
  }

  /** Gives the last try under a name back. */
  giveBack(name: string): void {
    const instants = this.instants.get(name)
    if (instants !== undefined) this.instants.set(name, instants.slice(0, -1))
  }

  /** Forgets all tries under a name. */
  clear(name: string): void {
    this.instants.delete(name)
  }

  private recent(name: string, nowMillis: number): readonly number[] {
    // A clock that was set back would leave instants of the future, which count as of now.
    return (this.instants.get(name) ?? [])
      .map((instant) => Math.min(instant, nowMillis))
      .filter((instant) => nowMillis - instant < this.windowMillis)
  }

  /** Those whose window is over go first, then whoever tried the longest ago. */
  private forgetOldest(nowMillis: number): void {
    for (const [name, instants] of this.instants) {
      const last = instants.at(-1)
      const isOver = last === undefined || nowMillis - last >= this.windowMillis
      if (!isOver && this.instants.size <= REMEMBERED_LIMIT) return
      this.instants.delete(name)
    }
  }
}
