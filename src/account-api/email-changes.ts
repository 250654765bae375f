// Email address changes. The old address gets a notice, and the new address gets a link. The address changes when the
// link is used. Only the email to the new address reveals whether that address already has an account; the response
// does not.
import { type EventKind, makeEvent } from '../accounts/account-event.ts'
import { type Account, AccountRefusal } from '../accounts/account-store.ts'
import { foldEmail } from '../accounts/store-rows.ts'
import type { AccountProblem } from '../http/account-problem.ts'
import { Problem } from '../http/problem.ts'
import type { Client, IdentityParts } from './identity-parts.ts'
import type { IdentityTries } from './identity-tries.ts'
import type { MailLanguage } from './mail-language.ts'
import { LINK_LIFE_MILLIS } from './mail-links.ts'
import { mailOf } from './mail-texts.ts'
import { makeToken, tokenDigest } from './secret-token.ts'

/** A request to change an account's address. */
interface AddressChange {
  readonly account: Account
  readonly email: string
  readonly client: Client
  readonly language: MailLanguage
}

/** Email address changes, for all accounts. */
export class EmailChanges {
  private readonly parts: IdentityParts
  private readonly tries: IdentityTries

  constructor(parts: IdentityParts, tries: IdentityTries) {
    this.parts = parts
    this.tries = tries
  }

  /**
   * Sends one email to the old address and one to the new address. Does the same work whether or not the new address
   * has an account; only the wording of the email to the new address differs.
   */
  async request({ account, email, client, language }: AddressChange): Promise<AccountProblem | undefined> {
    const former = account.email ?? ''
    if (foldEmail(email) === foldEmail(former))
      return new Problem(
        'invalid_request',
        'The member "email" of the body is the address that the account already has; expected another address.',
      )
    const refusal = this.tries.countMail('email change', email, client)
    if (refusal !== undefined) return refusal
    const { accounts, mails, addresses, clock } = this.parts
    const { store } = accounts
    const nowMillis = clock.nowMillis()
    const isTaken = (await store.findAccount(email)) !== undefined
    const token = makeToken()
    const link = {
      digest: tokenDigest(token),
      purpose: 'email',
      accountId: isTaken ? null : account.id,
      passwordHash: null,
      newEmail: email,
      expiresAtMillis: nowMillis + LINK_LIFE_MILLIS,
    } as const
    await store.identity.insertLink(link, nowMillis)
    const event = this.event('email_change_requested', account.id)
    await store.billing.appendEvents([event])
    this.parts.noteEvent(event, client)
    const frame = { addresses, language }
    mails.post(mailOf('emailChangeAsked', { ...frame, to: former }))
    mails.post(
      isTaken ? mailOf('addressTaken', { ...frame, to: email }) : mailOf('emailChange', { ...frame, to: email }, token),
    )
    return undefined
  }

  /** Uses the link from the email to the new address. Returns an error if the link is invalid. */
  async confirm(given: { token: string; client: Client; language: MailLanguage }): Promise<AccountProblem | undefined> {
    const { accounts, mails, addresses, clock } = this.parts
    const { identity } = accounts.store
    const digest = tokenDigest(given.token)
    const nowMillis = clock.nowMillis()
    if ((await identity.findLink({ digest, purpose: 'email', nowMillis })) === undefined) {
      const counted = this.tries.countTry('link', given.client)
      return counted instanceof Problem ? counted : new Problem('invalid_token_link')
    }
    const event = this.event('email_changed', '')
    const changed = await accounts
      .changeInTurn(() => identity.changeEmail({ digest, nowMillis, event }))
      .catch((error: unknown) => {
        // Another account has taken the address in the meantime; the response doesn't reveal this either.
        if (error instanceof AccountRefusal && error.reason === 'already_exists') return undefined
        throw error
      })
    if (changed === undefined) return new Problem('invalid_token_link')
    const { former, accountId } = changed
    this.parts.noteEvent({ ...event, accountId }, given.client)
    if (former !== null) mails.post(mailOf('emailChanged', { to: former, addresses, language: given.language }))
    return undefined
  }

  private event(kind: EventKind, accountId: string) {
    return makeEvent(kind, { accountId, atMillis: this.parts.clock.nowMillis(), actor: 'owner' })
  }
}
