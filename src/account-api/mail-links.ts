// Links in emails. A link is checked before any other work, and works only once.
import { type EventKind, makeEvent } from '../accounts/account-event.ts'
import type { Account } from '../accounts/account-store.ts'
import type { LinkPurpose } from '../accounts/identity-store.ts'
import type { AccountProblem } from '../http/account-problem.ts'
import { Problem } from '../http/problem.ts'
import type { Factors } from './factors.ts'
import type { FailedLogIns } from './failed-log-ins.ts'
import type { Client, IdentityParts } from './identity-parts.ts'
import type { IdentityTries } from './identity-tries.ts'
import type { MailLanguage } from './mail-language.ts'
import { tokenDigest } from './secret-token.ts'
import type { SessionBook } from './session-book.ts'

/** Lifetime of a link in an email. */
export const LINK_LIFE_MILLIS = 3_600_000

/** The network address and the device that a request comes from. */
interface Visit {
  readonly client: Client
  readonly device: string | null
}

/** The links of all accounts. */
export class MailLinks {
  private readonly parts: IdentityParts
  private readonly tries: IdentityTries
  private readonly sessions: SessionBook
  private readonly factors: Factors
  private readonly failures: FailedLogIns

  constructor(
    parts: IdentityParts,
    shared: {
      readonly tries: IdentityTries
      readonly sessions: SessionBook
      readonly factors: Factors
      readonly failures: FailedLogIns
    },
  ) {
    this.parts = parts
    this.tries = shared.tries
    this.sessions = shared.sessions
    this.factors = shared.factors
    this.failures = shared.failures
  }

  /**
   * The reason why a link can't be used; undefined if it can be used. There are three reasons: the link is invalid;
   * this network address has sent too many invalid links; or the link's account has a second factor, and the code is
   * missing or wrong. A valid link works even after too many invalid links, because its token is too long to guess.
   */
  async findBroken(
    purpose: LinkPurpose,
    given: Visit & {
      readonly token: string
      readonly code?: string | undefined
      readonly language: MailLanguage
    },
  ): Promise<AccountProblem | undefined> {
    const { token, client, device } = given
    const { accounts, clock } = this.parts
    const link = { digest: tokenDigest(token), purpose, nowMillis: clock.nowMillis() }
    const accountId = await accounts.store.identity.findLink(link)
    // A link starts a session, so it requires the second factor, as a login does. A wrong code doesn't use up the link.
    if (accountId !== undefined) {
      const refusal = await this.factors.check(accountId, given)
      if (refusal?.reason === 'wrong_code')
        await this.failures.record({ email: accountId, accountId, wrong: 'code', client, device })
      return refusal
    }
    const counted = this.tries.countTry('link', client)
    return counted instanceof Problem ? counted : new Problem('invalid_token_link')
  }

  /** The account that a link belongs to; undefined if the link is invalid. */
  async findAccount(purpose: LinkPurpose, token: string): Promise<Account | undefined> {
    const { accounts, clock } = this.parts
    const link = { digest: tokenDigest(token), purpose, nowMillis: clock.nowMillis() }
    const accountId = await accounts.store.identity.findLink(link)
    return accountId === undefined ? undefined : accounts.store.findAccountById(accountId)
  }

  /** Uses a link, which starts a session. Ends the session whose token is `replaced`. */
  async use(
    purpose: LinkPurpose,
    given: Visit & { readonly token: string; readonly replaced: string | undefined },
    passwordHash: string | null,
  ): Promise<{ readonly account: Account; readonly sessionToken: string } | AccountProblem> {
    const { accounts, clock } = this.parts
    const { token: sessionToken, session } = this.sessions.prepare(given.device)
    const done: EventKind = purpose === 'verify' ? 'verified' : 'password_changed'
    const about = { accountId: '', atMillis: clock.nowMillis(), actor: 'owner' } as const
    const events = [makeEvent(done, about), makeEvent('logged_in', about, { device: given.device })]
    const digest = tokenDigest(given.token)
    const use = { digest, purpose, nowMillis: clock.nowMillis(), passwordHash, session, events }
    // Waits for earlier account changes to finish, because a verification link changes the account.
    const account = await accounts.changeInTurn(async () => {
      const accountId = await accounts.store.identity.useLink(use)
      return accountId === undefined ? undefined : accounts.republish(accountId)
    })
    if (account === undefined) return new Problem('invalid_token_link')
    for (const event of events) this.parts.noteEvent({ ...event, accountId: account.id }, given.client)
    if (given.replaced !== undefined) await this.sessions.end(given.replaced)
    return { account, sessionToken }
  }
}
