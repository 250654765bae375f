// Password reset and password change.
import { Elysia } from 'elysia'
import { Problem } from '../http/problem.ts'
import type { AccountApi } from './account-api.ts'
import { json, noContent, openEndpoint, sessionEndpoint } from './account-endpoint.ts'
import { ACCOUNT_ROUTES } from './account-routes.ts'
import { documented } from './documented-account-route.ts'
import { parseEmail } from './email-address.ts'
import { csrfTokenOf } from './same-site.ts'
import { newSessionCookie, sessionAnswer } from './session-answer.ts'
import { noAddress } from './sign-up.ts'

/** The same response for every address, whether or not it has an account. */
const SENT = { message: 'If this address belongs to an account, we have sent a link to it.' }

/** POST /v1/password-resets, POST /v1/password-resets/confirm, PUT /v1/password. */
export const passwordsApi = (api: AccountApi) => {
  const { identity } = api
  return new Elysia({ name: 'account.passwords' })
    .post(
      ACCOUNT_ROUTES.requestPasswordReset.path,
      openEndpoint(api, ACCOUNT_ROUTES.requestPasswordReset, async ({ body, client, language }) => {
        const email = parseEmail(body.email)
        if (email === undefined) return noAddress()
        return (await identity.requestReset(email, { client, language })) ?? json(SENT, 202)
      }),
      documented(ACCOUNT_ROUTES.requestPasswordReset),
    )
    .post(
      ACCOUNT_ROUTES.resetPassword.path,
      openEndpoint(
        api,
        ACCOUNT_ROUTES.resetPassword,
        async ({ body, client, device, language, sessionToken, deviceCookie }) => {
          const token = await identity.reset({ ...body, client, device, language, replaced: sessionToken })
          return token instanceof Problem ? token : sessionAnswer(api, token, { deviceCookie })
        },
      ),
      documented(ACCOUNT_ROUTES.resetPassword),
    )
    .put(
      ACCOUNT_ROUTES.changePassword.path,
      sessionEndpoint(api, ACCOUNT_ROUTES.changePassword, async ({ account, body, client, device, language }) => {
        const { current_password: currentPassword, password } = body
        const token = await identity.changePassword({ account, currentPassword, password, client, device, language })
        if (token instanceof Problem) return token
        // The change started a new session, so the page that sent the request needs a new CSRF token.
        return noContent({ 'Set-Cookie': newSessionCookie(api, token), 'X-CSRF-Token': csrfTokenOf(token) })
      }),
      documented(ACCOUNT_ROUTES.changePassword),
    )
}
