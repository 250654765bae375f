// Stored second factors: the encrypted authenticator-app secret, and digests of recovery codes.
import type { AccountEvent } from './account-event.ts'

/** The second factor of an account. */
export interface StoredFactor {
  /** Encrypted by the account API. */
  readonly sealedSecret: string
  /** Null until the owner has proved with a code that the app is set up. */
  readonly enabledAtMillis: number | null
  /** Number of unused recovery codes. */
  readonly recoveryCodeCount: number
}

/** The values stored when a factor is enabled. */
export interface FactorStart {
  readonly accountId: string
  /** The time step (RFC 6238) of the code with which the owner proved that the app is set up. */
  readonly step: number
  readonly codeDigests: readonly string[]
  readonly event: AccountEvent
}

/** Second factors. Every method is one transaction. */
export interface FactorStore {
  /** The factor of an account, whether it is enabled or still being set up. */
  find(accountId: string): Promise<StoredFactor | undefined>
  /**
   * Stores the secret of a factor that is being set up, replacing an earlier one. Returns false if a factor is enabled.
   */
  prepare(accountId: string, sealedSecret: string): Promise<boolean>
  /**
   * Enables the prepared factor. Returns false and changes nothing if its secret is not `sealedSecret` or if it is
   * already enabled.
   */
  enable(start: FactorStart, sealedSecret: string): Promise<boolean>
  /** Marks the codes of a step and of all earlier steps as used. Returns false if this step was already marked. */
  useStep(accountId: string, step: number): Promise<boolean>
  /** Uses up a recovery code. Returns false if the account has no code with this digest. */
  useRecoveryCode(digest: string, event: AccountEvent): Promise<boolean>
  /** Replaces all recovery codes. Returns false if no factor is enabled. */
  replaceRecoveryCodes(codeDigests: readonly string[], event: AccountEvent): Promise<boolean>
  /** Removes the factor and its recovery codes. Returns false if no factor is enabled. */
  remove(event: AccountEvent): Promise<boolean>
}
