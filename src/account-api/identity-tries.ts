// Counts and limits the attempts of clients and accounts: logins, emails, links, codes and passwords.

import type { Account } from '../accounts/account-store.ts'
import { foldEmail } from '../accounts/store-rows.ts'
import type { AccountProblem } from '../http/account-problem.ts'
import { Problem } from '../http/problem.ts'
import type { Clock } from '../system/clock.ts'
import type { Client } from './identity-parts.ts'
import { LogInTries } from './log-in-tries.ts'
import { TRY_LIMITS, Tries } from './tries.ts'

/** The kinds of attempts that are counted, besides password attempts at login. */
type Kind = 'presentPassword' | 'mail' | 'link' | 'logIn' | 'code' | 'codeDay' | 'failure' | 'challenge'

/** All attempt counts. */
export class IdentityTries {
  /** Password attempts at login. */
  readonly logIns: LogInTries
  private readonly tries: Readonly<Record<Kind, Tries>>

  /**
   * @param clock the system clock
   * @param key secret that maps names to counters; see `Tries`
   */
  constructor(clock: Clock, key: Uint8Array) {
    this.logIns = new LogInTries(clock, key)
    const triesOf = (kind: keyof typeof TRY_LIMITS) => new Tries(clock, TRY_LIMITS[kind], key)
    this.tries = {
      presentPassword: triesOf('presentPassword'),
      mail: triesOf('mail'),
      link: triesOf('link'),
      logIn: triesOf('logIn'),
      code: triesOf('code'),
      codeDay: triesOf('codeDay'),
      failure: triesOf('failure'),
      challenge: triesOf('challenge'),
    }
  }

  /** All attempt counts, by kind of attempt. */
  get all(): Readonly<Record<string, Tries>> {
    return { ...this.logIns.all, ...this.tries }
  }

  /**
   * Counts an email, or returns an error if a limit is reached. There is one limit per email address and kind of email,
   * and one for all emails that a network address requests. Strangers can use up the reset emails for an email address,
   * but each of these emails gives the owner a working link. The kinds are counted separately, so sign-ups can't use up
   * the reset emails.
   */
  countMail(kind: 'sign-up' | 'reset' | 'email change', email: string, client: Client): AccountProblem | undefined {
    const { mail } = this.tries
    const names = [`${kind} ${foldEmail(email)}`, `from ${client}`]
    const retryAfterSeconds = Math.max(...names.map((name) => mail.waitSeconds(name)))
    if (retryAfterSeconds > 0) return new Problem('too_many_tries', undefined, { retryAfterSeconds })
    for (const name of names) mail.count(name)
    return undefined
  }

  /** Counts an attempt and returns a function that undoes the count. Returns an error if the limit is reached. */
  countTry(kind: 'link' | 'presentPassword' | 'challenge', name: string): (() => void) | AccountProblem {
    const tries = this.tries[kind]
    const retryAfterSeconds = tries.waitSeconds(name)
    return retryAfterSeconds === 0 ? tries.count(name) : new Problem('too_many_tries', undefined, { retryAfterSeconds })
  }

  /**
   * Counts an attempt with a second-factor code and returns a function that undoes the count. Returns an error if a
   * limit is reached.
   */
  countCode(accountId: string): (() => void) | AccountProblem {
    const { code, codeDay } = this.tries
    const retryAfterSeconds = Math.max(code.waitSeconds(accountId), codeDay.waitSeconds(accountId))
    if (retryAfterSeconds > 0) {
      const detail = 'Too many wrong codes. Wait for the number of seconds in Retry-After, or use a recovery code.'
      return new Problem('too_many_tries', detail, { retryAfterSeconds })
    }
    const taken = [code.count(accountId), codeDay.count(accountId)]
    return () => {
      for (const giveBack of taken) giveBack()
    }
  }

  /** Counts a failed login with an email address. Returns whether to record it. */
  takeFailure(email: string): boolean {
    return this.tries.failure.take(email) === 0
  }

  /** Counts a login with the right password, or returns an error if the limit is reached. */
  countLogIn({ id }: Account): AccountProblem | undefined {
    const retryAfterSeconds = this.tries.logIn.take(id)
    const detail = `Too many logins to this account: at most ${TRY_LIMITS.logIn.limit} are allowed in an hour. Wait for the number of seconds in Retry-After, then try again.`
    return retryAfterSeconds === 0 ? undefined : new Problem('too_many_tries', detail, { retryAfterSeconds })
  }
}
