// A password that is forgotten, and one that is changed.
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { Problem } from '../http/problem.ts'
import type { AccountApi } from './account-api.ts'
import { json, noContent, openEndpoint, sessionEndpoint } from './account-endpoint.ts'
import { parseBody } from './account-message.ts'
import { EMAIL_MEMBER, parseEmail } from './email-address.ts'
import { csrfTokenOf } from './same-site.ts'
import { newSessionCookie, sessionAnswer } from './session-answer.ts'
import { noAddress } from './sign-up.ts'

/** The body that asks for a reset. */
export const RESET_REQUEST = Type.Object({ email: EMAIL_MEMBER }, { additionalProperties: false })
/** The body that sets another password by a link. */
export const RESET_CONFIRMATION = Type.Object(
  { token: Type.String(), password: Type.String() },
  { additionalProperties: false },
)
/** The body that changes a password. */
export const PASSWORD_CHANGE = Type.Object(
  { current_password: Type.String(), password: Type.String() },
  { additionalProperties: false },
)

/** Said to everybody, whoever the address belongs to. */
const SENT = { message: 'If there is an account for the address, a mail with a link is on its way to it.' }

/** POST /v1/password-resets, POST /v1/password-resets/confirm, PUT /v1/password. */
export const passwordsApi = (api: AccountApi) => {
  const { identity } = api
  return new Elysia({ name: 'account.passwords' })
    .post(
      '/v1/password-resets',
      openEndpoint(api, async ({ body, client }) => {
        const given = parseBody(RESET_REQUEST, body)
        if (given instanceof Problem) return given
        const email = parseEmail(given.email)
        if (email === undefined) return noAddress()
        return (await identity.requestReset(email, client)) ?? json(SENT, 202)
      }),
    )
    .post(
      '/v1/password-resets/confirm',
      openEndpoint(api, async ({ body, client, sessionToken }) => {
        const given = parseBody(RESET_CONFIRMATION, body)
        if (given instanceof Problem) return given
        const token = await identity.reset({ ...given, client, replaced: sessionToken })
        return token instanceof Problem ? token : sessionAnswer(api, token, true)
      }),
    )
    .put(
      '/v1/password',
      sessionEndpoint(api, async ({ account, body, client }) => {
        const given = parseBody(PASSWORD_CHANGE, body)
        if (given instanceof Problem) return given
        const { current_password: currentPassword, password } = given
        const token = await identity.changePassword({ account, currentPassword, password, client })
        if (token instanceof Problem) return token
        // Another session, and with it another CSRF token for the page that asked.
        return noContent({ 'Set-Cookie': newSessionCookie(api, token), 'X-CSRF-Token': csrfTokenOf(token) })
      }),
    )
}
