// Log-in, the present session, log-out.
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { Problem } from '../http/problem.ts'
import type { AccountApi } from './account-api.ts'
import { json, noContent, openEndpoint, sessionEndpoint } from './account-endpoint.ts'
import { parseBody } from './account-message.ts'
import { EMAIL_MEMBER } from './email-address.ts'
import { sessionAnswer } from './session-answer.ts'
import { endedSessionCookie } from './session-cookie.ts'

/** The body of a log-in. */
export const LOG_IN = Type.Object({ email: EMAIL_MEMBER, password: Type.String() }, { additionalProperties: false })

/** POST /v1/sessions, GET /v1/session, DELETE /v1/sessions/current, DELETE /v1/sessions, GET /v1/health. */
export const sessionsApi = (api: AccountApi) => {
  const { identity, addresses } = api
  const ended = () => noContent({ 'Set-Cookie': endedSessionCookie(addresses) })
  return new Elysia({ name: 'account.sessions' })
    .post(
      '/v1/sessions',
      openEndpoint(api, async ({ body, client, sessionToken }) => {
        const given = parseBody(LOG_IN, body)
        if (given instanceof Problem) return given
        const { email, password } = given
        const token = await identity.logIn({ email: email.trim(), password, client, replaced: sessionToken })
        return token instanceof Problem ? token : sessionAnswer(api, token, true)
      }),
    )
    .get(
      '/v1/session',
      sessionEndpoint(api, ({ sessionToken }) => sessionAnswer(api, sessionToken, false)),
    )
    .delete(
      '/v1/sessions/current',
      sessionEndpoint(api, async ({ sessionToken }) => {
        await identity.sessions.end(sessionToken)
        return ended()
      }),
    )
    .delete(
      '/v1/sessions',
      sessionEndpoint(api, async ({ account }) => {
        await identity.sessions.endAll(account.id)
        return ended()
      }),
    )
    .get(
      '/v1/health',
      openEndpoint(api, () => json({ data: { status: 'ok', service: 'account-api' } })),
    )
}
