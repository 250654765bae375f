// Deletion of an account by its owner.
import { Elysia } from 'elysia'
import type { AccountApi } from './account-api.ts'
import { json, noContent, PENDING, requireConfirmed, sessionEndpoint } from './account-endpoint.ts'
import { ACCOUNT_ROUTES } from './account-routes.ts'
import { documented } from './documented-account-route.ts'
import { logEvent } from './event-log.ts'
import { mailOf } from './mail-texts.ts'
import { endedSessionCookie } from './session-cookie.ts'

/** DELETE /v1/account. */
export const deletionApi = (api: AccountApi) => {
  const { accounts, identity, addresses } = api
  return new Elysia({ name: 'account.deletion' }).delete(
    ACCOUNT_ROUTES.deleteAccount.path,
    sessionEndpoint(api, ACCOUNT_ROUTES.deleteAccount, async (call) => {
      const { account, session, client, language } = call
      const refusal = requireConfirmed(api, session)
      if (refusal !== undefined) return refusal
      const { unconfirmed } = await accounts.owners.deleteAccount(account.id)
      logEvent(api.logger, { kind: 'deleted', accountId: account.id, detail: {} }, client)
      identity.post(mailOf('accountDeleted', { to: account.email ?? '', addresses, language }))
      const headers = { 'Set-Cookie': endedSessionCookie(addresses) }
      return unconfirmed === undefined ? noContent(headers) : json(PENDING, 202, headers)
    }),
    documented(ACCOUNT_ROUTES.deleteAccount),
  )
}
