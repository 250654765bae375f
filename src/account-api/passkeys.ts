// Passkeys (WebAuthn). A login with a passkey needs neither the password nor a second-factor code, because the device
// itself checks who uses it. The library is loaded on first use.
import type { RegistrationResponseJSON } from '@simplewebauthn/server'
import { type EventKind, makeEvent } from '../accounts/account-event.ts'
import { checkName } from '../accounts/account-rules.ts'
import type { Account } from '../accounts/account-store.ts'
import type { StoredPasskey } from '../accounts/passkey-store.ts'
import type { AccountProblem } from '../http/account-problem.ts'
import { Problem } from '../http/problem.ts'
import { decoyPasskey } from './decoy-passkey.ts'
import type { FailedLogIns } from './failed-log-ins.ts'
import type { Client, IdentityParts } from './identity-parts.ts'
import type { IdentityTries } from './identity-tries.ts'
import { tokenDigest } from './secret-token.ts'
import type { SessionBook } from './session-book.ts'

/** Maximum number of passkeys per account. */
export const PASSKEY_LIMIT = 10
/** How long a challenge is valid. Each challenge can be used once. */
export const CHALLENGE_LIFE_MILLIS = 5 * 60_000
const SERVICE_NAME = 'Quai'

/** The parts of an authenticator's response that are read. */
export interface PasskeyAnswer {
  readonly id: string
  readonly response: { readonly clientDataJSON: string }
}

/** The answer to the challenge for a new passkey. */
export interface NewPasskeyAnswer extends PasskeyAnswer {
  readonly response: { readonly clientDataJSON: string; readonly attestationObject: string }
}

/** The answer to the challenge for a login. */
export interface UsedPasskeyAnswer extends PasskeyAnswer {
  readonly response: {
    readonly clientDataJSON: string
    readonly authenticatorData: string
    readonly signature: string
  }
}

/** The passkeys of all accounts. */
export class Passkeys {
  private readonly parts: IdentityParts
  private readonly tries: IdentityTries
  private readonly sessions: SessionBook
  private readonly failures: FailedLogIns

  constructor(
    parts: IdentityParts,
    shared: { readonly tries: IdentityTries; readonly sessions: SessionBook; readonly failures: FailedLogIns },
  ) {
    this.parts = parts
    this.tries = shared.tries
    this.sessions = shared.sessions
    this.failures = shared.failures
  }

  /** The passkeys of an account. */
  list(accountId: string): Promise<StoredPasskey[]> {
    return this.parts.accounts.store.passkeys.list(accountId)
  }

  /** The options with which a browser creates a passkey. */
  async setUp(account: Account) {
    const { generateRegistrationOptions } = await loadWebauthn()
    const known = await this.list(account.id)
    const options = await generateRegistrationOptions({
      rpName: SERVICE_NAME,
      rpID: this.site.id,
      userName: account.email ?? account.id,
      userID: new TextEncoder().encode(account.id),
      attestationType: 'none',
      excludeCredentials: known.map(({ id }) => ({ id })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    })
    await this.putChallenge(options.challenge, account.id)
    return options
  }

  /** Stores a passkey that a browser has created. */
  async add(
    { id: accountId }: Account,
    name: string,
    answer: NewPasskeyAnswer,
  ): Promise<StoredPasskey | AccountProblem> {
    const checkedName = checkName(name)
    const challenge = await this.takeChallenge(answer, accountId)
    if (challenge === undefined) return unknownChallenge()
    const { verifyRegistrationResponse } = await loadWebauthn()
    const response: RegistrationResponseJSON = {
      ...publicKeyOf(answer.id),
      response: answer.response,
    }
    const verified = await verifyRegistrationResponse({ response, ...this.expected(challenge) }).catch(refused)
    if (verified instanceof Problem) return verified
    if (!verified.verified) return refused('its signature is wrong')
    const { credential } = verified.registrationInfo
    const passkey = {
      id: credential.id,
      accountId,
      publicKey: Buffer.from(credential.publicKey).toString('base64url'),
      counter: credential.counter,
      name: checkedName,
      createdAtMillis: this.parts.clock.nowMillis(),
      usedAtMillis: null,
    }
    const event = this.event('passkey_added', accountId)
    if (!(await this.parts.accounts.store.passkeys.insert(passkey, PASSKEY_LIMIT, event)))
      return new Problem(
        'not_allowed',
        `The account already has the maximum of ${PASSKEY_LIMIT} passkeys, or this passkey was already added.`,
      )
    this.parts.noteEvent(event)
    return passkey
  }

  /** Removes a passkey from an account. */
  async remove(accountId: string, id: string): Promise<AccountProblem | undefined> {
    const event = this.event('passkey_removed', accountId)
    if (!(await this.parts.accounts.store.passkeys.remove(id, event)))
      return new Problem('not_found', 'The account has no passkey with this id.')
    this.parts.noteEvent(event)
    return undefined
  }

  /** The options with which a browser logs in. They name no account, so they don't reveal which accounts exist. */
  async challenge(client: Client) {
    const counted = this.tries.countTry('challenge', client)
    if (counted instanceof Problem) return counted
    const { generateAuthenticationOptions } = await loadWebauthn()
    const options = await generateAuthenticationOptions({ rpID: this.site.id, userVerification: 'required' })
    await this.putChallenge(options.challenge, null)
    return options
  }

  /**
   * Starts a session with a passkey and returns the session's token. Ends the session whose token is `replaced`.
   * Records failed attempts. A failed attempt gets the same response, after the same work, whether or not the passkey
   * is known.
   */
  async logIn(given: {
    answer: UsedPasskeyAnswer
    client: Client
    replaced: string | undefined
    device: string | null
  }): Promise<string | AccountProblem> {
    const { answer, client, device } = given
    const giveBack = this.tries.countTry('link', client)
    if (giveBack instanceof Problem) return giveBack
    const { store } = this.parts.accounts
    const passkey = await store.passkeys.find(answer.id)
    const account = await store.findAccountById(passkey?.accountId ?? '')
    const used = await this.verify(answer, passkey ?? decoyPasskey(answer.id))
    if (used instanceof Problem || passkey === undefined || account === undefined || account.deletedAtMillis !== null) {
      const email = account?.email ?? answer.id
      await this.failures.record({ email, accountId: account?.id, wrong: 'passkey', client, device })
      return used instanceof Problem ? used : refusedLogIn()
    }
    giveBack()
    await store.passkeys.use(passkey.id, { counter: used.newCounter, atMillis: this.parts.clock.nowMillis() })
    if (account.suspendedAtMillis !== null) return new Problem('account_suspended')
    return this.tries.countLogIn(account) ?? this.sessions.begin(account.id, given)
  }

  /** Uses up the challenge in an answer, and verifies the answer with the public key of a passkey. */
  private async verify(
    answer: UsedPasskeyAnswer,
    { id, publicKey, counter }: Pick<StoredPasskey, 'id' | 'publicKey' | 'counter'>,
  ): Promise<{ readonly newCounter: number } | AccountProblem> {
    const challenge = await this.takeChallenge(answer, null)
    if (challenge === undefined) return unknownChallenge()
    const { verifyAuthenticationResponse } = await loadWebauthn()
    const credential = { id, publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')), counter }
    const response = { ...publicKeyOf(id), response: answer.response }
    const verified = await verifyAuthenticationResponse({ response, credential, ...this.expected(challenge) }).catch(
      refusedLogIn, // details would reveal whether the passkey is known
    )
    if (verified instanceof Problem) return verified
    return verified.verified ? verified.authenticationInfo : refusedLogIn()
  }

  /** The site that passkeys belong to, which is the console's site. */
  private get site(): { readonly id: string; readonly origin: string } {
    const { hostname, origin } = new URL(this.parts.addresses.consoleUrl)
    return { id: hostname, origin }
  }

  private expected(challenge: string) {
    const { id, origin } = this.site
    return {
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: true,
    }
  }

  /**
   * Stores a challenge.
   * @param accountId the account that gets a passkey; null for a login
   */
  private async putChallenge(challenge: string, accountId: string | null): Promise<void> {
    const { accounts, clock } = this.parts
    const nowMillis = clock.nowMillis()
    const expiresAtMillis = nowMillis + CHALLENGE_LIFE_MILLIS
    const digest = tokenDigest(challenge)
    const link = { digest, purpose: 'passkey', accountId, passwordHash: null, expiresAtMillis } as const
    await accounts.store.identity.insertLink(link, nowMillis)
  }

  /** Uses up the challenge in an answer and returns the challenge; undefined if it is not valid for this account. */
  private async takeChallenge({ response }: PasskeyAnswer, accountId: string | null): Promise<string | undefined> {
    const challenge = readChallenge(response.clientDataJSON)
    if (challenge === undefined) return undefined
    const { accounts, clock } = this.parts
    const digest = tokenDigest(challenge)
    const isTaken = await accounts.store.identity.takeChallenge({ digest, accountId, nowMillis: clock.nowMillis() })
    return isTaken ? challenge : undefined
  }

  private event(kind: EventKind, accountId: string) {
    return makeEvent(kind, { accountId, atMillis: this.parts.clock.nowMillis(), actor: 'owner' })
  }
}

/** The challenge in the data that a browser has signed; undefined if there is none. */
function readChallenge(clientDataJson: string): string | undefined {
  try {
    const data: unknown = JSON.parse(Buffer.from(clientDataJson, 'base64url').toString('utf8'))
    const challenge: unknown = Object(data).challenge
    return typeof challenge === 'string' ? challenge : undefined
  } catch {
    return undefined // not JSON, so not from a browser
  }
}

function publicKeyOf(id: string) {
  return { id, rawId: id, type: 'public-key', clientExtensionResults: {} } as const
}

function unknownChallenge(): AccountProblem {
  return refused('its challenge is unknown, was used before, or is more than five minutes old')
}

function refusedLogIn(): AccountProblem {
  return refused('it is not known to this service, or its response is not valid')
}

/**
 * The problem for a rejected answer.
 * @param why the error that the library threw, or another reason
 */
function refused(why: unknown): AccountProblem {
  const words = why instanceof Error ? why.message : String(why)
  return new Problem('passkey_refused', `The passkey was not accepted: ${words}. Try again.`)
}

/**
 * Loads reflect-metadata, then the library. Static imports would be loaded in the wrong order in the compiled binary.
 */
async function loadWebauthn() {
  await import('reflect-metadata')
  return import('@simplewebauthn/server')
}
