// Login, current session, logout.
import { Elysia } from 'elysia'
import { Problem } from '../http/problem.ts'
import type { AccountApi } from './account-api.ts'
import { json, noContent, openEndpoint, sessionEndpoint } from './account-endpoint.ts'
import { ACCOUNT_ROUTES } from './account-routes.ts'
import { documented } from './documented-account-route.ts'
import { describeSession, sessionAnswer } from './session-answer.ts'
import { endedSessionCookie } from './session-cookie.ts'

/** The routes for login, logout, the current session and the health of the API. */
export const sessionsApi = (api: AccountApi) => {
  const { identity, addresses } = api
  const ended = () => noContent({ 'Set-Cookie': endedSessionCookie(addresses) })
  return new Elysia({ name: 'account.sessions' })
    .post(
      ACCOUNT_ROUTES.logIn.path,
      openEndpoint(
        api,
        ACCOUNT_ROUTES.logIn,
        async ({ body, client, device, language, sessionToken, deviceCookie }) => {
          const { email, ...secrets } = body
          const given = {
            email: email.trim(),
            ...secrets,
            client,
            deviceCookie,
            device,
            language,
            replaced: sessionToken,
          }
          const token = await identity.logIn(given)
          return token instanceof Problem ? token : sessionAnswer(api, token, { deviceCookie })
        },
      ),
      documented(ACCOUNT_ROUTES.logIn),
    )
    .get(
      ACCOUNT_ROUTES.getSession.path,
      sessionEndpoint(api, ACCOUNT_ROUTES.getSession, ({ sessionToken }) => sessionAnswer(api, sessionToken)),
      documented(ACCOUNT_ROUTES.getSession),
    )
    .get(
      ACCOUNT_ROUTES.getVisitor.path,
      openEndpoint(api, ACCOUNT_ROUTES.getVisitor, async ({ sessionToken }) => {
        const session = sessionToken === undefined ? undefined : await describeSession(api, sessionToken)
        return json({ session: session ?? null })
      }),
      documented(ACCOUNT_ROUTES.getVisitor),
    )
    .delete(
      ACCOUNT_ROUTES.logOut.path,
      sessionEndpoint(api, ACCOUNT_ROUTES.logOut, async ({ sessionToken }) => {
        await identity.sessions.end(sessionToken)
        return ended()
      }),
      documented(ACCOUNT_ROUTES.logOut),
    )
    .get(
      ACCOUNT_ROUTES.getAccountHealth.path,
      openEndpoint(api, ACCOUNT_ROUTES.getAccountHealth, () =>
        json({ data: { status: 'ok', service: 'account-api' } }),
      ),
      documented(ACCOUNT_ROUTES.getAccountHealth),
    )
}
