// Identity: login and passwords; sign-ups and email links are in separate files. Responses, and the work done before
// them, are the same whether or not an address has an account.

import assert from 'node:assert'
import { type AccountEvent, type EventKind, makeEvent } from '../accounts/account-event.ts'
import type { Account } from '../accounts/account-store.ts'
import type { AccountProblem } from '../http/account-problem.ts'
import { Problem } from '../http/problem.ts'
import { Devices } from './device-cookie.ts'
import { EmailChanges } from './email-changes.ts'
import { Factors } from './factors.ts'
import { FailedLogIns } from './failed-log-ins.ts'
import { type Client, consoleHost, type IdentityParts } from './identity-parts.ts'
import { IdentityTries } from './identity-tries.ts'
import type { MailLanguage } from './mail-language.ts'
import { LINK_LIFE_MILLIS, MailLinks } from './mail-links.ts'
import { type Mail, mailOf } from './mail-texts.ts'
import { Passkeys } from './passkeys.ts'
import { PasswordHasher } from './password-hasher.ts'
import { passwordProblem } from './password-rules.ts'
import { makeToken, tokenDigest } from './secret-token.ts'
import { SessionBook } from './session-book.ts'
import { SignUps } from './sign-ups.ts'

/** Passwords, sessions and links of all accounts. */
export class Identity {
  readonly sessions: SessionBook
  /** Browsers that have logged in before. */
  readonly devices: Devices
  /** Second factors. */
  readonly factors: Factors
  /** Failed logins. */
  readonly failures: FailedLogIns
  /** Passkeys. */
  readonly passkeys: Passkeys
  /** Email address changes. */
  readonly emailChanges: EmailChanges
  /** All attempt counts. */
  readonly tries: IdentityTries
  private readonly parts: IdentityParts
  private readonly hasher: PasswordHasher
  private readonly links: MailLinks
  private readonly signUps: SignUps

  constructor(parts: IdentityParts) {
    const { accounts, clock, triesKey } = parts
    this.parts = parts
    this.hasher = new PasswordHasher(parts.passwordCost)
    this.sessions = new SessionBook(parts, sessionIdSecret(accounts))
    this.devices = new Devices(accounts.deriveSecrets('device cookies'), clock)
    this.tries = new IdentityTries(clock, triesKey)
    this.factors = new Factors(parts, this.tries)
    this.failures = new FailedLogIns(parts, this.tries)
    this.passkeys = new Passkeys(parts, this)
    this.emailChanges = new EmailChanges(parts, this.tries)
    this.links = new MailLinks(parts, this)
    this.signUps = new SignUps(parts, { tries: this.tries, hasher: this.hasher })
  }

  /** Creates an unverified account; see `SignUps.signUp`. */
  signUp(given: Parameters<SignUps['signUp']>[0]): Promise<AccountProblem | undefined> {
    return this.signUps.signUp(given)
  }

  /**
   * Sends a password reset link if the address has an active account. Otherwise stores a link that belongs to no
   * account, so that the work is the same.
   */
  async requestReset(
    email: string,
    { client, language }: { readonly client: Client; readonly language: MailLanguage },
  ): Promise<AccountProblem | undefined> {
    const refusal = this.tries.countMail('reset', email, client)
    if (refusal !== undefined) return refusal
    const { accounts, mails, addresses, clock } = this.parts
    const nowMillis = clock.nowMillis()
    const account = await accounts.store.findAccount(email)
    const isOpen = account?.suspendedAtMillis === null && account.deletedAtMillis === null
    const due = isOpen ? account : undefined
    const token = makeToken()
    const link = {
      digest: tokenDigest(token),
      purpose: 'reset',
      accountId: due?.id ?? null,
      passwordHash: null,
      expiresAtMillis: nowMillis + LINK_LIFE_MILLIS,
    } as const
    await accounts.store.identity.insertLink(link, nowMillis)
    if (due !== undefined) mails.post(mailOf('reset', { to: due.email ?? email, addresses, language }, token))
    return undefined
  }

  /** Uses a verification link and returns the token of the new session. Ends the session whose token is `replaced`. */
  async verify(given: {
    token: string
    /** The password entered at sign-up; required if there were several sign-ups with the address. */
    password?: string | undefined
    client: Client
    replaced: string | undefined
    device: string | null
    /** Second-factor code, if the account has a second factor. */
    code?: string | undefined
    language: MailLanguage
  }): Promise<string | AccountProblem> {
    const broken = (await this.links.findBroken('verify', given)) ?? (await this.signUps.findStranger(given))
    if (broken !== undefined) return broken
    const used = await this.links.use('verify', given, null)
    return used instanceof Problem ? used : used.sessionToken
  }

  /** Uses a reset link and returns the token of the new session. Ends all other sessions of the account. */
  async reset(given: {
    token: string
    password: string
    client: Client
    replaced: string | undefined
    language: MailLanguage
    device: string | null
    /** Second-factor code, if the account has a second factor. */
    code?: string | undefined
  }): Promise<string | AccountProblem> {
    const { password, language } = given
    const refusal = passwordProblem(password, '', consoleHost(this.parts))
    if (refusal !== undefined) return refusal
    const broken = await this.links.findBroken('reset', given)
    if (broken !== undefined) return broken
    const owner = await this.links.findAccount('reset', given.token)
    const ownName = passwordProblem(password, owner?.email ?? '', consoleHost(this.parts))
    if (ownName !== undefined) return ownName
    // Whoever has the link can read the owner's email, so this hash is computed before the hashes for strangers.
    const used = await this.links.use('reset', given, await this.hasher.hash(password, true))
    if (used instanceof Problem) return used
    const { email } = used.account
    if (email !== null) this.mailPasswordChanged(email, language)
    return used.sessionToken
  }

  /** If the password is right, starts a session and returns its token. Ends the session whose token is `replaced`. */
  async logIn(given: {
    email: string
    password: string
    client: Client
    /** The known-device cookie, if the browser has one. */
    deviceCookie: string | undefined
    replaced: string | undefined
    device: string | null
    /** Second-factor code, if the account has a second factor. */
    code?: string | undefined
    language: MailLanguage
  }): Promise<string | AccountProblem> {
    const { email, password, client, deviceCookie, device, replaced } = given
    const known = this.devices.find(deviceCookie, email)
    const counted = this.tries.logIns.take({ email, client, device: known })
    if (counted instanceof Problem) return counted
    const compared = await this.comparePassword({ email, password, isKnown: known !== undefined }).catch(
      (error: unknown) => {
        counted.giveBack() // too many hashes are waiting, or the store is unavailable
        throw error
      },
    )
    const { account, hash } = compared
    const failure = { email, accountId: account?.id, client, device } as const
    if (account === undefined || !compared.isRight) {
      await this.failures.record({ ...failure, wrong: 'password' })
      return new Problem('wrong_credentials')
    }
    counted.giveBack()
    if (account.suspendedAtMillis !== null) return new Problem('account_suspended')
    const refusal = (await this.factors.check(account.id, given)) ?? this.tries.countLogIn(account)
    if (refusal?.reason === 'wrong_code') await this.failures.record({ ...failure, wrong: 'code' })
    if (refusal !== undefined) return refusal
    const token = await this.sessions.begin(account.id, { replaced, device, client })
    // If the password has changed since the comparison, the change ended only the sessions that already existed. This
    // session may be newer, so it is ended here.
    if ((await this.parts.accounts.store.identity.findPassword(account.id)) === hash) return token
    await this.sessions.end(token)
    return new Problem('wrong_credentials')
  }

  /**
   * The account that an address belongs to, its password hash, and whether the account is verified and the given
   * password is right. Does the same work for every address.
   */
  private async comparePassword(given: {
    email: string
    password: string
    isKnown: boolean
  }): Promise<{ readonly account: Account | undefined; readonly hash: string | undefined; readonly isRight: boolean }> {
    const { store } = this.parts.accounts
    const account = await store.findAccount(given.email)
    // Without an account, look up an empty id, so that the work is the same.
    const hash = await store.identity.findPassword(account?.id ?? '')
    const isRight = await this.hasher.verify(given.password, hash, given.isKnown)
    // An unverified account can't log in, even with the right password. Otherwise, anyone could sign up with an address
    // and learn from a login attempt whether the address already had an account.
    return { account, hash, isRight: isRight && account?.isVerified === true }
  }

  /**
   * Changes a password, if the current password is given. Ends all sessions, starts a new one and returns its token.
   */
  async changePassword(given: {
    account: Account
    currentPassword: string
    password: string
    language: MailLanguage
    client: Client
    device: string | null
  }): Promise<string | AccountProblem> {
    const { account, currentPassword, password } = given
    const email = account.email ?? ''
    const refusal = passwordProblem(password, email, consoleHost(this.parts))
    if (refusal !== undefined) return refusal
    const present = await this.findPresent(account, currentPassword, given)
    if (present instanceof Problem) return present
    const tooManyLogIns = this.tries.countLogIn(account)
    if (tooManyLogIns !== undefined) return tooManyLogIns
    const hash = await this.hasher.hash(password)
    const { token, session } = this.sessions.prepare(given.device)
    const event = this.event('password_changed', account.id)
    const { accounts } = this.parts
    const { identity } = accounts.store
    const isDone = await accounts.changeInTurn(async () => {
      // A reset link may have changed the password since the comparison, or the account may have been deleted.
      if ((await identity.findPassword(account.id)) !== present.hash) return false
      await identity.changePassword(hash, { ...session, accountId: account.id }, event)
      return true
    })
    if (!isDone) return wrongPresent()
    this.parts.noteEvent(event)
    this.mailPasswordChanged(email, given.language)
    return token
  }

  /** Confirms a session if the account's password is given. */
  async confirmPassword(given: {
    account: Account
    token: string
    password: string
    client: Client
    device: string | null
  }): Promise<AccountProblem | undefined> {
    const present = await this.findPresent(given.account, given.password, given)
    if (present instanceof Problem) return present
    await this.sessions.confirm(given.token)
    return undefined
  }

  /**
   * Returns the hash of an account's password if the given password is right. Otherwise records the failure and returns
   * an error.
   */
  private async findPresent(
    account: Account,
    password: string,
    { client, device }: { readonly client: Client; readonly device: string | null },
  ): Promise<{ readonly hash: string | undefined } | AccountProblem> {
    // Attempts are counted per account. A stranger can't use them up, because each attempt requires a session of the
    // account.
    const giveBack = this.tries.countTry('presentPassword', account.id)
    if (giveBack instanceof Problem) return giveBack
    const hash = await this.parts.accounts.store.identity.findPassword(account.id)
    if (!(await this.hasher.verify(password, hash, true))) {
      const { id: accountId, email } = account
      await this.failures.record({ email: email ?? accountId, accountId, wrong: 'present_password', client, device })
      return wrongPresent()
    }
    giveBack()
    return { hash }
  }

  /** Sets the password of a demo account and ends its sessions. */
  async setPassword(account: Account, password: string): Promise<void> {
    const hash = await this.hasher.hash(password)
    const { session } = this.sessions.prepare(null)
    const { identity } = this.parts.accounts.store
    const event = makeEvent('password_changed', {
      accountId: account.id,
      atMillis: session.createdAtMillis,
      actor: 'operator',
    })
    await identity.changePassword(hash, { ...session, accountId: account.id }, event)
    await identity.deleteSessions(account.id)
  }

  /** Sends an email. */
  post(mail: Mail): void {
    this.parts.mails.post(mail)
  }

  private mailPasswordChanged(to: string, language: MailLanguage): void {
    this.parts.mails.post(mailOf('passwordChanged', { to, addresses: this.parts.addresses, language }))
  }

  /** An event that the owner is causing now. */
  private event(kind: EventKind, accountId: string): AccountEvent {
    return makeEvent(kind, { accountId, atMillis: this.parts.clock.nowMillis(), actor: 'owner' })
  }
}

function wrongPresent(): AccountProblem {
  return new Problem('wrong_credentials', 'The current password is wrong.')
}

/** The key that turns a session digest into a session id. */
function sessionIdSecret(accounts: IdentityParts['accounts']): Uint8Array {
  const [secret] = accounts.deriveSecrets('session ids')
  assert(secret !== undefined, 'no secret can be derived, because no pepper is loaded')
  return secret
}
