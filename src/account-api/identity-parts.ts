// Dependencies that sign-up, login, passwords and email links share.
import type { AccountEvent } from '../accounts/account-event.ts'
import type { AccountsService } from '../accounts/accounts-service.ts'
import type { Clock } from '../system/clock.ts'
import type { AccountAddresses } from './account-api.ts'
import type { MailQueue } from './mailer.ts'
import type { PasswordCost } from './password-hasher.ts'

/** A client address, in the form used for rate limits. */
export type Client = string

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
  /**
   * Called for each stored event that concerns a login, a password, a second factor, a passkey, an address or a
   * session.
   */
  noteEvent(event: AccountEvent, client?: Client): void
}

/** The host name in the console's URL, which owners see in their browser. */
export function consoleHost({ addresses }: Pick<IdentityParts, 'addresses'>): string {
  return new URL(addresses.consoleUrl).hostname
}
