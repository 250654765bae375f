// Identity: sign-up, mail links, log-in, passwords. Responses, and the work done before them, are the same whether an
// address has an account or not.

import { type AccountEvent, type EventKind, makeEvent } from '../accounts/account-event.ts'
import { type Account, AccountRefusal } from '../accounts/account-store.ts'
import type { AccountsService } from '../accounts/accounts-service.ts'
import type { LinkPurpose } from '../accounts/identity-store.ts'
import { foldEmail } from '../accounts/store-rows.ts'
import type { AccountProblem } from '../http/account-problem.ts'
import { Problem } from '../http/problem.ts'
import type { Clock } from '../system/clock.ts'
import type { AccountAddresses } from './account-api.ts'
import { Devices } from './device-cookie.ts'
import { LogInTries } from './log-in-tries.ts'
import type { MailLanguage } from './mail-language.ts'
import { alreadySignedUpMail, type Mail, passwordChangedMail, resetMail, verificationMail } from './mail-texts.ts'
import type { MailQueue } from './mailer.ts'
import { type PasswordCost, PasswordHasher } from './password-hasher.ts'
import { passwordProblem } from './password-rules.ts'
import { makeToken, tokenDigest } from './secret-token.ts'
import { SessionBook } from './session-book.ts'
import { TRY_LIMITS, Tries } from './tries.ts'

/** Lifetime of a mail link. */
export const LINK_LIFE_MILLIS = 3_600_000

/** A client address, in the form used for rate limits. */
type Client = string

/** Dependencies of Identity. */
export interface IdentityParts {
  readonly accounts: AccountsService
  readonly mails: MailQueue
  readonly addresses: AccountAddresses
  /** The system clock. */
  readonly clock: Clock
  readonly passwordCost: PasswordCost | undefined
  /** Key of the hash that maps names to attempt counters. */
  readonly triesKey: Uint8Array
}

/** Passwords, sessions and links of all accounts. */
export class Identity {
  readonly sessions: SessionBook
  /** Browsers that logged in before. */
  readonly devices: Devices
  private readonly parts: IdentityParts
  private readonly hasher: PasswordHasher
  readonly logInTries: LogInTries
  private readonly tries: Readonly<Record<'presentPassword' | 'mail' | 'link' | 'logIn', Tries>>

  constructor(parts: IdentityParts) {
    this.parts = parts
    this.hasher = new PasswordHasher(parts.passwordCost)
    this.sessions = new SessionBook(parts.accounts.store, parts.clock)
    const { accounts, clock, triesKey } = parts
    this.devices = new Devices(accounts.deriveSecrets('device cookies'), clock)
    this.logInTries = new LogInTries(clock, triesKey)
    const triesOf = (kind: keyof typeof TRY_LIMITS) => new Tries(clock, TRY_LIMITS[kind], triesKey)
    this.tries = {
      presentPassword: triesOf('presentPassword'),
      mail: triesOf('mail'),
      link: triesOf('link'),
      logIn: triesOf('logIn'),
    }
  }

  /** All counts of attempts, by what they limit. */
  get allTries(): Readonly<Record<string, Tries>> {
    return { ...this.logInTries.all, ...this.tries }
  }

  /**
   * Creates an unverified account; a repeated sign-up resends its mail. Undefined if done, or if the account already
   * existed. The password belongs to the link until that is used, so other sign-ups with the address don't change it.
   */
  async signUp(given: {
    email: string
    password: string
    client: Client
    language: MailLanguage
  }): Promise<AccountProblem | undefined> {
    const { email, password, client, language } = given
    const refusal = passwordProblem(password, email) ?? this.countMail('sign-up', email, client)
    if (refusal !== undefined) return refusal
    const passwordHash = await this.hasher.hash(password)
    const mail = await this.recordSignUp(email, passwordHash, language)
    this.parts.mails.post(mail)
    return undefined
  }

  /** Sends a password reset link if there is an account; otherwise stores a link without an account. */
  async requestReset(
    email: string,
    { client, language }: { readonly client: Client; readonly language: MailLanguage },
  ): Promise<AccountProblem | undefined> {
    const refusal = this.countMail('reset', email, client)
    if (refusal !== undefined) return refusal
    const { accounts, mails, addresses, clock } = this.parts
    const nowMillis = clock.nowMillis()
    const account = await accounts.store.findAccount(email)
    const due = account?.suspendedAtMillis === null ? account : undefined
    const token = makeToken()
    const link = {
      digest: tokenDigest(token),
      purpose: 'reset',
      accountId: due?.id ?? null,
      passwordHash: null,
      expiresAtMillis: nowMillis + LINK_LIFE_MILLIS,
    } as const
    await accounts.store.identity.insertLink(link, nowMillis)
    if (due !== undefined) mails.post(resetMail({ to: due.email ?? email, addresses, language }, token))
    return undefined
  }

  /** Uses a verification link; returns the token of the new session. Ends the session `replaced`. */
  async verify(given: {
    token: string
    client: Client
    replaced: string | undefined
  }): Promise<string | AccountProblem> {
    const broken = await this.findBrokenLink('verify', given)
    if (broken !== undefined) return broken
    const used = await this.useLink('verify', given, null)
    return used instanceof Problem ? used : used.sessionToken
  }

  /** Uses a reset link; returns the token of the new session. Ends all other sessions of the account. */
  async reset(given: {
    token: string
    password: string
    client: Client
    replaced: string | undefined
    language: MailLanguage
  }): Promise<string | AccountProblem> {
    const { password, language } = given
    const refusal = passwordProblem(password, '')
    if (refusal !== undefined) return refusal
    const broken = await this.findBrokenLink('reset', given)
    if (broken !== undefined) return broken
    // Whoever has the link can read the owner's mail, so doesn't count as a stranger.
    const used = await this.useLink('reset', given, await this.hasher.hash(password, true))
    if (used instanceof Problem) return used
    const { email } = used.account
    if (email !== null) this.mailPasswordChanged(email, language)
    return used.sessionToken
  }

  /** Starts a session if the password is right; returns its token. Ends the session `replaced`. */
  async logIn(given: {
    email: string
    password: string
    client: Client
    /** The known-device cookie, if the browser has one. */
    deviceCookie: string | undefined
    replaced: string | undefined
  }): Promise<string | AccountProblem> {
    const { email, password, client, deviceCookie, replaced } = given
    const device = this.devices.find(deviceCookie, email)
    const counted = this.logInTries.take({ email, client, device })
    if (counted instanceof Problem) return counted
    const compared = await this.comparePassword({ email, password, isKnown: device !== undefined }).catch(
      (error: unknown) => {
        counted.giveBack() // too many hashes wait, or the store is unavailable
        throw error
      },
    )
    if (compared === undefined) return new Problem('wrong_credentials')
    counted.giveBack()
    const { account, hash } = compared
    if (account.suspendedAtMillis !== null) return new Problem('account_suspended')
    const tooManyLogIns = this.countLogIn(account)
    if (tooManyLogIns !== undefined) return tooManyLogIns
    const token = await this.sessions.begin(account.id, replaced)
    // The password has changed since the comparison: that change ended all sessions, but would miss this one.
    if ((await this.parts.accounts.store.identity.findPassword(account.id)) === hash) return token
    await this.sessions.end(token)
    return new Problem('wrong_credentials')
  }

  /** The verified account with this password, and its hash. Does the same work if there is none. */
  private async comparePassword(given: {
    email: string
    password: string
    isKnown: boolean
  }): Promise<{ readonly account: Account; readonly hash: string | undefined } | undefined> {
    const { store } = this.parts.accounts
    const account = await store.findAccount(given.email)
    // Without an account, look up an empty id, so that the work is the same.
    const hash = await store.identity.findPassword(account?.id ?? '')
    const isRight = await this.hasher.verify(given.password, hash, given.isKnown)
    // Reveal nothing about an unverified account, even if the password is right: anyone can sign up with an address and
    // would learn from the log-in whether it had an account.
    return account !== undefined && isRight && account.isVerified ? { account, hash } : undefined
  }

  /** Changes a password, given the current one. Ends all sessions and starts one; returns its token. */
  async changePassword(given: {
    account: Account
    currentPassword: string
    password: string
    language: MailLanguage
  }): Promise<string | AccountProblem> {
    const { account, currentPassword, password } = given
    const email = account.email ?? ''
    const refusal = passwordProblem(password, email)
    if (refusal !== undefined) return refusal
    // Counted per account: only a client with its session can use up these attempts, not a stranger.
    const giveBack = this.countTry('presentPassword', account.id)
    if (giveBack instanceof Problem) return giveBack
    const { accounts } = this.parts
    const { identity } = accounts.store
    const wrong = new Problem('wrong_credentials', 'The current password is wrong.')
    const present = await identity.findPassword(account.id)
    if (!(await this.hasher.verify(currentPassword, present, true))) return wrong
    giveBack()
    const tooManyLogIns = this.countLogIn(account)
    if (tooManyLogIns !== undefined) return tooManyLogIns
    const hash = await this.hasher.hash(password)
    const { token, session } = this.sessions.prepare()
    const event = this.event('password_changed', account.id)
    const isDone = await accounts.changeInTurn(async () => {
      // Since the comparison, a reset link has changed the password, or the account was deleted.
      if ((await identity.findPassword(account.id)) !== present) return false
      await identity.changePassword(hash, { ...session, accountId: account.id }, event)
      return true
    })
    if (!isDone) return wrong
    this.mailPasswordChanged(email, given.language)
    return token
  }

  /** Sets the password of a demo account, which nobody has logged in to with another password. */
  async setPassword(account: Account, password: string): Promise<void> {
    const hash = await this.hasher.hash(password)
    const { session } = this.sessions.prepare()
    const { identity } = this.parts.accounts.store
    const event = makeEvent('password_changed', {
      accountId: account.id,
      atMillis: session.createdAtMillis,
      actor: 'operator',
    })
    await identity.changePassword(hash, { ...session, accountId: account.id }, event)
    await identity.deleteSessions(account.id)
  }

  private mailPasswordChanged(to: string, language: MailLanguage): void {
    this.parts.mails.post(passwordChangedMail({ to, addresses: this.parts.addresses, language }))
  }

  private async recordSignUp(email: string, passwordHash: string, language: MailLanguage): Promise<Mail> {
    const { accounts, addresses, clock } = this.parts
    const nowMillis = clock.nowMillis()
    for (;;) {
      const token = makeToken()
      const known = await accounts.store.findAccount(email)
      const opened = known === undefined ? this.newAccount(email) : undefined
      const isWaiting = known !== undefined && !known.isVerified && known.suspendedAtMillis === null
      const waiting = isWaiting ? known : opened
      const link = {
        digest: tokenDigest(token),
        purpose: 'verify',
        accountId: waiting?.id ?? null,
        passwordHash: waiting === undefined ? null : passwordHash,
        expiresAtMillis: nowMillis + LINK_LIFE_MILLIS,
      } as const
      try {
        const event = opened && { account: opened, event: this.event('signed_up', opened.id) }
        // Verified or pruned since the lookup: look again.
        if (!(await accounts.store.identity.signUp(link, event, nowMillis))) continue
      } catch (error) {
        // Signed up by a concurrent request: look again.
        if (error instanceof AccountRefusal && error.reason === 'already_exists') continue
        throw error
      }
      if (waiting === undefined) return alreadySignedUpMail({ to: known?.email ?? email, addresses, language })
      return verificationMail({ to: waiting.email ?? email, addresses, language }, token)
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

  /**
   * Why a link can't be used: it is invalid, or this network address sent too many invalid ones. A valid link is never
   * refused because of them: its token is too long to guess.
   */
  private async findBrokenLink(
    purpose: LinkPurpose,
    { token, client }: { readonly token: string; readonly client: Client },
  ): Promise<AccountProblem | undefined> {
    const { accounts, clock } = this.parts
    const link = { digest: tokenDigest(token), purpose, nowMillis: clock.nowMillis() }
    if (await accounts.store.identity.hasLink(link)) return undefined
    const counted = this.countTry('link', client)
    return counted instanceof Problem ? counted : new Problem('invalid_token_link')
  }

  private async useLink(
    purpose: LinkPurpose,
    given: { readonly token: string; readonly replaced: string | undefined },
    passwordHash: string | null,
  ): Promise<{ readonly account: Account; readonly sessionToken: string } | AccountProblem> {
    const { accounts, clock } = this.parts
    const { token: sessionToken, session } = this.sessions.prepare()
    const done: EventKind = purpose === 'verify' ? 'verified' : 'password_changed'
    const events = [this.event(done, ''), this.event('logged_in', '')]
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

  /**
   * Counts a mail of one kind to an e-mail address, and a mail requested by a network address, unless either limit is
   * reached. Strangers can use up resets, but each sends the owner a working link; sign-ups never count against resets.
   */
  private countMail(kind: 'sign-up' | 'reset', email: string, client: Client): AccountProblem | undefined {
    const { mail } = this.tries
    const names = [`${kind} ${foldEmail(email)}`, `from ${client}`]
    const retryAfterSeconds = Math.max(...names.map((name) => mail.waitSeconds(name)))
    if (retryAfterSeconds > 0) return new Problem('too_many_tries', undefined, { retryAfterSeconds })
    for (const name of names) mail.count(name)
    return undefined
  }

  /** Counts an attempt unless the limit is reached; returns a function that undoes it. */
  private countTry(kind: 'link' | 'presentPassword', name: string): (() => void) | AccountProblem {
    const tries = this.tries[kind]
    const retryAfterSeconds = tries.waitSeconds(name)
    return retryAfterSeconds === 0 ? tries.count(name) : new Problem('too_many_tries', undefined, { retryAfterSeconds })
  }

  private countLogIn({ id }: Account): AccountProblem | undefined {
    const retryAfterSeconds = this.tries.logIn.take(id)
    const detail = `Too many log-ins to this account: at most ${TRY_LIMITS.logIn.limit} in an hour. Wait for the number of seconds in Retry-After, then try again.`
    return retryAfterSeconds === 0 ? undefined : new Problem('too_many_tries', detail, { retryAfterSeconds })
  }

  /** An event caused by the owner, now. */
  private event(kind: EventKind, accountId: string): AccountEvent {
    return makeEvent(kind, { accountId, atMillis: this.parts.clock.nowMillis(), actor: 'owner' })
  }
}
