// Log lines for security events: logins, failed ones included, and changes to the protection of an account.
import type { AccountEvent } from '../accounts/account-event.ts'
import type { EventLogger } from '../system/log.ts'
import type { Client } from './identity-parts.ts'

/**
 * Writes the log line for an event. `account_id` is null if the event belongs to no account.
 * @param client who caused the event, if known
 */
export function logEvent(
  logger: EventLogger,
  { kind, accountId, detail }: Pick<AccountEvent, 'kind' | 'accountId' | 'detail'>,
  client?: Client,
): void {
  logger.info({ ...detail, kind, account_id: accountId === '' ? null : accountId, client }, 'account event')
}
