// Sign-up, and the verification of its address.
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { AccountProblem } from '../http/account-problem.ts'
import { Problem } from '../http/problem.ts'
import type { AccountApi } from './account-api.ts'
import { json, openEndpoint } from './account-endpoint.ts'
import { parseBody } from './account-message.ts'
import { EMAIL_MEMBER, parseEmail } from './email-address.ts'
import { sessionAnswer } from './session-answer.ts'

/** The body of a sign-up. */
export const SIGN_UP = Type.Object({ email: EMAIL_MEMBER, password: Type.String() }, { additionalProperties: false })
/** The body of a verification. */
export const VERIFICATION = Type.Object({ token: Type.String() }, { additionalProperties: false })

/** Said to everybody, whoever the address belongs to. */
const SENT = { message: 'If the address can be used, a mail with the next step is on its way to it.' }

/** POST /v1/sign-up, also where its mail is to be sent again; POST /v1/verifications. */
export const signUpApi = (api: AccountApi) => {
  const { identity } = api
  return new Elysia({ name: 'account.sign-up' })
    .post(
      '/v1/sign-up',
      openEndpoint(api, async ({ body, client }) => {
        const given = parseBody(SIGN_UP, body)
        if (given instanceof Problem) return given
        const email = parseEmail(given.email)
        if (email === undefined) return noAddress()
        return (await identity.signUp({ email, password: given.password, client })) ?? json(SENT, 202)
      }),
    )
    .post(
      '/v1/verifications',
      openEndpoint(api, async ({ body, client, sessionToken }) => {
        const given = parseBody(VERIFICATION, body)
        if (given instanceof Problem) return given
        const token = await identity.verify({ ...given, client, replaced: sessionToken })
        return token instanceof Problem ? token : sessionAnswer(api, token, true)
      }),
    )
}

/** Says that a text is no address: that tells nothing of who has an account. */
export function noAddress(): AccountProblem {
  return new Problem('invalid_request', 'The member "email" of the body is no e-mail address.')
}
