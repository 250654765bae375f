// Links in mails: checked before the work they ask for, and used once.
import { type EventKind, makeEvent } from '../accounts/account-event.ts'
import type { Account } from '../accounts/account-store.ts'
import type { LinkPurpose } from '../accounts/identity-store.ts'
import type { AccountProblem } from '../http/account-problem.ts'
import { Problem } from '../http/problem.ts'
import type { Factors } from './factors.ts'
import type { Client, IdentityParts } from './identity-parts.ts'
import type { IdentityTries } from './identity-tries.ts'
import { tokenDigest } from './secret-token.ts'
import type { SessionBook } from './session-book.ts'

/** Lifetime of a mail link. */
export const LINK_LIFE_MILLIS = 3_600_000

/** The links of all accounts. */
export class MailLinks {
  private readonly parts: IdentityParts
  private readonly tries: IdentityTries
  private readonly sessions: SessionBook
  private readonly factors: Factors

  constructor(
    parts: IdentityParts,
    shared: { readonly tries: IdentityTries; readonly sessions: SessionBook; readonly factors: Factors },
  ) {
    this.parts = parts
    this.tries = shared.tries
    this.sessions = shared.sessions
    this.factors = shared.factors
  }

  /**
   * Why a link can't be used: its account has a second factor and the code is missing or wrong, it is invalid, or this network address sent too many invalid ones. A valid link is never
   * refused because of them: its token is too long to guess.
   */
  async findBroken(
    purpose: LinkPurpose,
    { token, client, code }: { readonly token: string; readonly client: Client; readonly code?: string | undefined },
  ): Promise<AccountProblem | undefined> {
    const { accounts, clock } = this.parts
    const link = { digest: tokenDigest(token), purpose, nowMillis: clock.nowMillis() }
    const accountId = await accounts.store.identity.findLink(link)
    // A link starts a session, so it needs the second factor like a log-in; a wrong code leaves it as it is.
    if (accountId !== undefined) return this.factors.check(accountId, code)
    const counted = this.tries.countTry('link', client)
    return counted instanceof Problem ? counted : new Problem('invalid_token_link')
  }

  /** Uses a link, which starts a session. Ends the session `replaced`. */
  async use(
    purpose: LinkPurpose,
    given: { readonly token: string; readonly replaced: string | undefined; readonly device: string | null },
    passwordHash: string | null,
  ): Promise<{ readonly account: Account; readonly sessionToken: string } | AccountProblem> {
    const { accounts, clock } = this.parts
    const { token: sessionToken, session } = this.sessions.prepare(given.device)
    const done: EventKind = purpose === 'verify' ? 'verified' : 'password_changed'
    const about = { accountId: '', atMillis: clock.nowMillis(), actor: 'owner' } as const
    const events = [makeEvent(done, about), makeEvent('logged_in', about)]
    const digest = tokenDigest(given.token)
    const use = { digest, purpose, nowMillis: clock.nowMillis(), passwordHash, session, events }
    // Runs in turn with other account changes, because it verifies one.
    const account = await accounts.changeInTurn(async () => {
      const accountId = await accounts.store.identity.useLink(use)
      return accountId === undefined ? undefined : accounts.republish(accountId)
    })
    if (account === undefined) return new Problem('invalid_token_link')
    if (given.replaced !== undefined) await this.sessions.end(given.replaced)
    return { account, sessionToken }
  }
}
