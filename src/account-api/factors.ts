// The second factor of accounts: codes from an authenticator app, and recovery codes for an owner who has lost the app.
import assert from 'node:assert'
import { type AccountEvent, type EventKind, makeEvent } from '../accounts/account-event.ts'
import type { Account } from '../accounts/account-store.ts'
import type { FactorStore, StoredFactor } from '../accounts/factor-store.ts'
import type { AccountProblem } from '../http/account-problem.ts'
import { Problem } from '../http/problem.ts'
import type { IdentityParts } from './identity-parts.ts'
import type { IdentityTries } from './identity-tries.ts'
import type { MailLanguage } from './mail-language.ts'
import { mailOf } from './mail-texts.ts'
import { makeRecoveryCodes, recoveryCodeDigest } from './recovery-codes.ts'
import { openText, sealText } from './sealed-text.ts'
import { findTotpStep, isTotpCode, makeTotpSecret, totpUri } from './totp.ts'

/** The secret from which an app generates codes for an account. */
export interface FactorSetup {
  readonly secret: string
  readonly uri: string
}

/** The second factor entered at a login. */
interface CodeGiven {
  readonly code?: string | undefined
  /** Language of emails to the owner. */
  readonly language: MailLanguage
}

/** The second factors of all accounts. */
export class Factors {
  private readonly parts: IdentityParts
  private readonly tries: IdentityTries
  private readonly keys: readonly Uint8Array[]

  constructor(parts: IdentityParts, tries: IdentityTries) {
    this.parts = parts
    this.tries = tries
    this.keys = parts.accounts.deriveSecrets('factor secrets')
  }

  /** The second factor of an account; undefined if it is off. */
  async find(accountId: string): Promise<StoredFactor | undefined> {
    const factor = await this.store.find(accountId)
    return factor?.enabledAtMillis === null ? undefined : factor
  }

  /**
   * Checks the code entered at a login and uses it up. Returns undefined if the code is right, or if the second factor
   * is off.
   */
  async check(accountId: string, { code, language }: CodeGiven): Promise<AccountProblem | undefined> {
    const factor = await this.find(accountId)
    if (factor === undefined) return undefined
    if (code === undefined) return new Problem('factor_required')
    if (!isTotpCode(code)) return this.useRecoveryCode(accountId, { code, language })
    return this.tryCode(accountId, async () => {
      const step = this.stepOf(accountId, factor, code)
      return step !== undefined && (await this.store.useStep(accountId, step))
    })
  }

  /** Starts the setup of an authenticator app by creating its secret. */
  async setUp({ id, email }: Account): Promise<FactorSetup | AccountProblem> {
    const secret = makeTotpSecret()
    const [key] = this.keys
    assert(key !== undefined, 'no secret can be derived, because no pepper is loaded')
    if (!(await this.store.prepare(id, sealText(secret, key, id)))) return alreadyEnabled()
    return { secret, uri: totpUri(secret, email ?? id) }
  }

  /** Enables the app with one of its codes; returns the recovery codes. */
  async enable(accountId: string, code: string): Promise<readonly string[] | AccountProblem> {
    const factor = await this.store.find(accountId)
    if (factor === undefined)
      return new Problem('not_allowed', 'No authenticator app is being set up. Set one up first.')
    if (factor.enabledAtMillis !== null) return alreadyEnabled()
    const recoveryCodes = makeRecoveryCodes()
    const refusal = await this.tryCode(accountId, async () => {
      const step = isTotpCode(code) ? this.stepOf(accountId, factor, code) : undefined
      if (step === undefined) return false
      const codeDigests = recoveryCodes.map((each) => recoveryCodeDigest(accountId, each))
      const event = this.event('factor_enabled', accountId)
      const start = { accountId, step, codeDigests, event }
      return this.noted(await this.store.enable(start, factor.sealedSecret), event)
    })
    return refusal ?? recoveryCodes
  }

  /** Replaces the recovery codes; returns the new ones. */
  async replaceRecoveryCodes(accountId: string): Promise<readonly string[] | AccountProblem> {
    const recoveryCodes = makeRecoveryCodes()
    const digests = recoveryCodes.map((code) => recoveryCodeDigest(accountId, code))
    const event = this.event('recovery_codes_replaced', accountId)
    const isReplaced = this.noted(await this.store.replaceRecoveryCodes(digests, event), event)
    return isReplaced ? recoveryCodes : notEnabled()
  }

  /** Turns the factor off. */
  async disable(accountId: string): Promise<AccountProblem | undefined> {
    const event = this.event('factor_disabled', accountId)
    const isRemoved = this.noted(await this.store.remove(event), event)
    return isRemoved ? undefined : notEnabled()
  }

  private get store(): FactorStore {
    return this.parts.accounts.store.factors
  }

  /**
   * Uses up a recovery code. Wrong codes are not counted: recovery codes are too long to guess, and if wrong codes were
   * counted, strangers could use up the owner's attempts.
   */
  private async useRecoveryCode(
    accountId: string,
    { code, language }: { readonly code: string; readonly language: MailLanguage },
  ): Promise<AccountProblem | undefined> {
    const digest = recoveryCodeDigest(accountId, code)
    const event = this.event('recovery_code_used', accountId)
    const isUsed = this.noted(await this.store.useRecoveryCode(digest, event), event)
    if (!isUsed) return new Problem('wrong_code')
    const { accounts, addresses, mails } = this.parts
    const to = (await accounts.store.findAccountById(accountId))?.email
    if (typeof to === 'string') mails.post(mailOf('recoveryCodeUsed', { to, addresses, language }))
    return undefined
  }

  /** Counts an attempt with a code; undoes the count if the code is right. */
  private async tryCode(accountId: string, isRight: () => Promise<boolean>): Promise<AccountProblem | undefined> {
    const giveBack = this.tries.countCode(accountId)
    if (giveBack instanceof Problem) return giveBack
    if (!(await isRight())) return new Problem('wrong_code')
    giveBack()
    return undefined
  }

  private stepOf(accountId: string, { sealedSecret }: StoredFactor, code: string): number | undefined {
    const secret = openText(sealedSecret, this.keys, accountId)
    return secret === undefined ? undefined : findTotpStep(secret, code, this.parts.clock.nowMillis())
  }

  /** Logs an event if it was stored. Returns `isStored`. */
  private noted(isStored: boolean, event: AccountEvent): boolean {
    if (isStored) this.parts.noteEvent(event)
    return isStored
  }

  private event(kind: EventKind, accountId: string) {
    return makeEvent(kind, { accountId, atMillis: this.parts.clock.nowMillis(), actor: 'owner' })
  }
}

function alreadyEnabled(): AccountProblem {
  return new Problem('not_allowed', 'The second factor is already on. Turn it off first.')
}

function notEnabled(): AccountProblem {
  return new Problem('not_allowed', 'This change requires the second factor to be on, but it is off. Turn it on first.')
}
