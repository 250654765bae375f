// Limits password attempts. Attempts by strangers are counted per email address, per network address, and per pair of
// these two. Each known browser has its own count. The limits must not reveal whether an account exists. So attempts
// are also counted if there is no account, and the owner's logins don't reset the counts of strangers.
import { isLocalAddress } from '../access/client-address.ts'
import { foldEmail } from '../accounts/store-rows.ts'
import type { AccountProblem } from '../http/account-problem.ts'
import { Problem } from '../http/problem.ts'
import type { Clock } from '../system/clock.ts'
import { TRY_LIMITS, Tries } from './tries.ts'

/** A login attempt. */
export interface LogInTry {
  readonly email: string
  /** The network address, in the form used for rate limits. */
  readonly client: string
  /** Id of a browser known to the account; undefined for strangers. */
  readonly device: string | undefined
}

/** A counted attempt. */
export interface CountedTry {
  /** Undoes the count. Call it if the password was right, or was not compared. */
  giveBack(): void
}

/** All password attempts. */
export class LogInTries {
  private readonly pairs: Tries
  /** All attempts by strangers, by email address, over one day. */
  readonly strangers: Tries
  private readonly addresses: Tries
  private readonly devices: Tries

  /**
   * @param clock the system clock
   * @param key secret that maps names to counters; see `Tries`
   */
  constructor(clock: Clock, key: Uint8Array) {
    this.pairs = new Tries(clock, TRY_LIMITS.pair, key)
    this.strangers = new Tries(clock, TRY_LIMITS.strangers, key)
    this.addresses = new Tries(clock, TRY_LIMITS.address, key)
    this.devices = new Tries(clock, TRY_LIMITS.device, key)
  }

  /** All counts, by kind of attempt. */
  get all(): Readonly<Record<string, Tries>> {
    const { pairs, strangers, addresses, devices } = this
    return { pairs, strangers, addresses, devices }
  }

  /** Counts an attempt, or returns an error if a limit is reached. */
  take(attempt: LogInTry): CountedTry | AccountProblem {
    const email = foldEmail(attempt.email)
    if (attempt.device === undefined && this.strangers.waitSeconds(email) > 0) return new Problem('mail_link_required')
    const counts = this.countsOf(email, attempt)
    const retryAfterSeconds = Math.max(...counts.map(({ tries, name }) => tries.waitSeconds(name)))
    if (retryAfterSeconds > 0) return new Problem('too_many_tries', undefined, { retryAfterSeconds })
    const taken = counts.map(({ tries, name }) => tries.count(name))
    return {
      giveBack() {
        for (const giveBack of taken) giveBack()
      },
    }
  }

  private countsOf(email: string, { client, device }: LogInTry): { tries: Tries; name: string }[] {
    if (device !== undefined) return [{ tries: this.devices, name: `${device} ${email}` }]
    const counts = [
      { tries: this.pairs, name: `${client} ${email}` },
      { tries: this.strangers, name: email },
    ]
    // All clients may have the same local address, if it belongs to a proxy that is missing from trusted_proxies.
    if (!isLocalAddress(client)) counts.push({ tries: this.addresses, name: client })
    return counts
  }
}
