// Sign-ups: a new account stays unverified until the link in its email is used. Responses, and the work done before
// them, are the same whether or not an address has an account.
import { makeEvent } from '../accounts/account-event.ts'
import { type Account, AccountRefusal } from '../accounts/account-store.ts'
import type { WaitingSignUp } from '../accounts/identity-store.ts'
import type { AccountProblem } from '../http/account-problem.ts'
import { Problem } from '../http/problem.ts'
import { type Client, consoleHost, type IdentityParts } from './identity-parts.ts'
import type { IdentityTries } from './identity-tries.ts'
import type { MailLanguage } from './mail-language.ts'
import { LINK_LIFE_MILLIS } from './mail-links.ts'
import { type Mail, mailOf } from './mail-texts.ts'
import type { PasswordHasher } from './password-hasher.ts'
import { passwordProblem } from './password-rules.ts'
import { makeToken, tokenDigest } from './secret-token.ts'

const SIGNED_UP_AGAIN =
  'There was more than one sign-up with this address. Send the request again, with the password from your sign-up as `password`.'
const OTHER_SIGN_UP =
  'The link belongs to a sign-up with another password. Use the link from your own sign-up, or sign up again.'

/** The sign-ups of all addresses. */
export class SignUps {
  private readonly parts: IdentityParts
  private readonly tries: IdentityTries
  private readonly hasher: PasswordHasher

  constructor(
    parts: IdentityParts,
    { tries, hasher }: { readonly tries: IdentityTries; readonly hasher: PasswordHasher },
  ) {
    this.parts = parts
    this.tries = tries
    this.hasher = hasher
  }

  /**
   * Creates an unverified account. If the sign-up is repeated, sends its email again. Returns undefined on success, and
   * also if the account already existed. Until the link in the email is used, the password is stored only with that
   * link, so other sign-ups with the same address don't change the password.
   */
  async signUp(given: {
    email: string
    password: string
    client: Client
    language: MailLanguage
  }): Promise<AccountProblem | undefined> {
    const { email, password, client, language } = given
    const refusal =
      passwordProblem(password, email, consoleHost(this.parts)) ?? this.tries.countMail('sign-up', email, client)
    if (refusal !== undefined) return refusal
    const passwordHash = await this.hasher.hash(password)
    const mail = await this.record(email, passwordHash, language)
    this.parts.mails.post(mail)
    return undefined
  }

  /**
   * The reason why a verification link can't be used; undefined if it can be used. If other people may have signed up
   * with the same address, the password entered at sign-up is required: all the emails look the same, and a stranger's
   * link would set the stranger's password.
   */
  async findStranger(given: { token: string; password?: string | undefined }): Promise<AccountProblem | undefined> {
    const { accounts, clock } = this.parts
    const link = { digest: tokenDigest(given.token), nowMillis: clock.nowMillis() }
    const found = await accounts.store.identity.findSignUp(link)
    if (found === undefined || found.passwordHash === null || !isContested(found)) return undefined
    if (given.password === undefined) return new Problem('confirmation_required', SIGNED_UP_AGAIN)
    const giveBack = this.tries.countTry('presentPassword', found.accountId)
    if (giveBack instanceof Problem) return giveBack
    if (!(await this.hasher.verify(given.password, found.passwordHash, true)))
      return new Problem('wrong_credentials', OTHER_SIGN_UP)
    giveBack()
    return undefined
  }

  private async record(email: string, passwordHash: string, language: MailLanguage): Promise<Mail> {
    const { accounts, addresses, clock } = this.parts
    const nowMillis = clock.nowMillis()
    for (;;) {
      const token = makeToken()
      const known = await accounts.store.findAccount(email)
      const opened = known === undefined ? this.newAccount(email) : undefined
      const isKnown = known !== undefined && isWaiting(known)
      const waiting = isKnown ? known : opened
      const link = {
        digest: tokenDigest(token),
        purpose: 'verify',
        accountId: waiting?.id ?? null,
        passwordHash: waiting === undefined ? null : passwordHash,
        expiresAtMillis: nowMillis + LINK_LIFE_MILLIS,
      } as const
      try {
        const event = opened && { account: opened, event: this.signedUp(opened.id) }
        // If the account was verified or deleted since the lookup, look again.
        if (!(await accounts.store.identity.signUp(link, event, nowMillis))) continue
      } catch (error) {
        // A concurrent request has created the account: look again.
        if (error instanceof AccountRefusal && error.reason === 'already_exists') continue
        throw error
      }
      const frame = { to: known?.email ?? email, addresses, language }
      if (known !== undefined && known.deletedAtMillis !== null) return mailOf('addressHeld', frame)
      if (waiting === undefined) return mailOf('alreadySignedUp', frame)
      return mailOf('verification', { to: waiting.email ?? email, addresses, language }, token)
    }
  }

  private newAccount(email: string): Account {
    return {
      id: `acc_${Bun.randomUUIDv7().replaceAll('-', '')}`,
      email,
      plan: 'free',
      isVerified: false,
      suspendedAtMillis: null,
      deletedAtMillis: null,
      isOverageEnabled: false,
      spendCapCents: 0,
      createdAtMillis: this.parts.clock.nowMillis(),
    }
  }

  private signedUp(accountId: string) {
    return makeEvent('signed_up', { accountId, atMillis: this.parts.clock.nowMillis(), actor: 'owner' })
  }
}

/**
 * Whether other people may have signed up with the address: another link still works, or this link is newer than the
 * first sign-up.
 */
function isContested({ rivalCount, expiresAtMillis, openedAtMillis }: WaitingSignUp): boolean {
  return rivalCount > 0 || expiresAtMillis - LINK_LIFE_MILLIS > openedAtMillis
}

/** Whether an account is waiting to be verified. */
function isWaiting({ isVerified, suspendedAtMillis, deletedAtMillis }: Account): boolean {
  return !isVerified && suspendedAtMillis === null && deletedAtMillis === null
}
