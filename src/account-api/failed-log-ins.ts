// Records failed logins in the activity of their accounts and in the log. A failed login causes the same work whether
// or not its address has an account, and whether or not its passkey is known.
import { type AccountEvent, makeEvent } from '../accounts/account-event.ts'
import { foldEmail } from '../accounts/store-rows.ts'
import type { Client, IdentityParts } from './identity-parts.ts'
import type { IdentityTries } from './identity-tries.ts'

/** A failed login. */
export interface Failure {
  /**
   * Failures are counted per this value: the email address of the attempt; the account's id, if the attempt had no
   * address; or the id of an unknown passkey.
   */
  readonly email: string
  /** Undefined if the address has no account, or the passkey is unknown. */
  readonly accountId: string | undefined
  /** What was rejected. `present_password` is the current password, which an owner enters to confirm a change. */
  readonly wrong: 'password' | 'code' | 'passkey' | 'present_password'
  readonly client: Client
  readonly device: string | null
}

/** Records failed logins: at most ten per address in 24 hours, since each is stored permanently. */
export class FailedLogIns {
  private readonly parts: IdentityParts
  private readonly tries: IdentityTries

  constructor(parts: IdentityParts, tries: IdentityTries) {
    this.parts = parts
    this.tries = tries
  }

  /** Records a failure, unless the address has reached its limit. */
  async record({ email, accountId, wrong, client, device }: Failure): Promise<void> {
    if (!this.tries.takeFailure(foldEmail(email))) return
    const { accounts, clock, noteEvent } = this.parts
    const about = { accountId: accountId ?? '', atMillis: clock.nowMillis(), actor: 'owner' } as const
    const event: AccountEvent = makeEvent('log_in_failed', about, { wrong, device })
    await accounts.store.identity.recordFailure(event, accountId ?? null)
    noteEvent(event, client)
  }
}
