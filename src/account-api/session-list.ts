// Routes for the sessions of the account: list them, end all of them or all but the current one, and confirm the
// current session with the password.
import { Elysia } from 'elysia'
import { toUtcText } from '../metering/utc-day.ts'
import type { AccountApi } from './account-api.ts'
import { json, noContent, sessionEndpoint } from './account-endpoint.ts'
import { ACCOUNT_ROUTES } from './account-routes.ts'
import { documented } from './documented-account-route.ts'
import { endedSessionCookie } from './session-cookie.ts'

/** GET and DELETE /v1/sessions, DELETE /v1/sessions/others, POST /v1/sessions/current/confirmations. */
export const sessionListApi = (api: AccountApi) => {
  const { identity, addresses } = api
  return new Elysia({ name: 'account.session-list' })
    .get(
      ACCOUNT_ROUTES.listSessions.path,
      sessionEndpoint(api, ACCOUNT_ROUTES.listSessions, async ({ account, sessionToken }) => {
        const sessions = await identity.sessions.list(account.id)
        return json({
          sessions: sessions.map((session) => ({
            id: session.id,
            created_at: toUtcText(session.createdAtMillis),
            last_used_at: toUtcText(session.lastSeenAtMillis),
            device: session.device,
            is_current: identity.sessions.isOf(session, sessionToken),
          })),
        })
      }),
      documented(ACCOUNT_ROUTES.listSessions),
    )
    .delete(
      ACCOUNT_ROUTES.endOtherSessions.path,
      sessionEndpoint(api, ACCOUNT_ROUTES.endOtherSessions, async ({ account, sessionToken }) => {
        await identity.sessions.endOthers(account.id, sessionToken)
        return noContent()
      }),
      documented(ACCOUNT_ROUTES.endOtherSessions),
    )
    .delete(
      ACCOUNT_ROUTES.logOutEverywhere.path,
      sessionEndpoint(api, ACCOUNT_ROUTES.logOutEverywhere, async ({ account }) => {
        await identity.sessions.endAll(account.id)
        return noContent({ 'Set-Cookie': endedSessionCookie(addresses) })
      }),
      documented(ACCOUNT_ROUTES.logOutEverywhere),
    )
    .post(
      ACCOUNT_ROUTES.confirmPassword.path,
      sessionEndpoint(api, ACCOUNT_ROUTES.confirmPassword, async (call) => {
        const { account, sessionToken: token, body, client, device } = call
        const { password } = body
        return (await identity.confirmPassword({ account, token, password, client, device })) ?? noContent()
      }),
      documented(ACCOUNT_ROUTES.confirmPassword),
    )
}
