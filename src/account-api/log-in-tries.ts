// How often passwords may be tried. Strangers are counted for each pair of e-mail address and network address, and for each
// e-mail address in all; a browser that has logged in before is counted by itself. Whether there is an account for an e-mail
// address changes nothing, and nothing its owner does gives strangers their tries back: they would learn that there is one.
import { isLocalAddress } from '../access/client-address.ts'
import { foldEmail } from '../accounts/store-rows.ts'
import type { AccountProblem } from '../http/account-problem.ts'
import { Problem } from '../http/problem.ts'
import type { Clock } from '../system/clock.ts'
import { TRY_LIMITS, Tries } from './tries.ts'

/** A log-in that is tried. */
export interface LogInTry {
  readonly email: string
  /** Network address, as addresses are counted. */
  readonly client: string
  /** Id of a browser that the account knows; undefined for strangers. */
  readonly device: string | undefined
}

/** A try that was counted. */
export interface CountedTry {
  /** Takes it back: the password was right, or was not compared. */
  giveBack(): void
}

/** The tries of all passwords. */
export class LogInTries {
  private readonly pairs: Tries
  /** All those of strangers, by e-mail address: they count for a day. */
  readonly strangers: Tries
  private readonly addresses: Tries
  private readonly devices: Tries

  /** @param clock true time. @param key secret */
  constructor(clock: Clock, key: Uint8Array) {
    this.pairs = new Tries(clock, TRY_LIMITS.pair, key)
    this.strangers = new Tries(clock, TRY_LIMITS.strangers, key)
    this.addresses = new Tries(clock, TRY_LIMITS.address, key)
    this.devices = new Tries(clock, TRY_LIMITS.device, key)
  }

  /** Counts a try, unless there were too many. */
  take(asked: LogInTry): CountedTry | AccountProblem {
    const email = foldEmail(asked.email)
    if (asked.device === undefined && this.strangers.waitSeconds(email) > 0) return new Problem('mail_link_required')
    const counts = this.countsOf(email, asked)
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
    // A local address may be that of a proxy that is not in trusted_proxies, and so of everybody.
    if (!isLocalAddress(client)) counts.push({ tries: this.addresses, name: client })
    return counts
  }
}
