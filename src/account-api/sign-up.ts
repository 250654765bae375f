// Sign-up and email verification.
import { Elysia } from 'elysia'
import type { AccountProblem } from '../http/account-problem.ts'
import { Problem } from '../http/problem.ts'
import type { AccountApi } from './account-api.ts'
import { json, openEndpoint } from './account-endpoint.ts'
import { ACCOUNT_ROUTES } from './account-routes.ts'
import { documented } from './documented-account-route.ts'
import { parseEmail } from './email-address.ts'
import { sessionAnswer } from './session-answer.ts'

/** The same response for every address, whether or not it has an account. */
const SENT = {
  message: 'If this address can be used for an account, we have sent it an email that explains the next step.',
}

/** POST /v1/sign-up, which also resends the email; POST /v1/verifications. */
export const signUpApi = (api: AccountApi) => {
  const { identity } = api
  return new Elysia({ name: 'account.sign-up' })
    .post(
      ACCOUNT_ROUTES.signUp.path,
      openEndpoint(api, ACCOUNT_ROUTES.signUp, async ({ body, client, language }) => {
        const email = parseEmail(body.email)
        if (email === undefined) return noAddress()
        return (await identity.signUp({ email, password: body.password, client, language })) ?? json(SENT, 202)
      }),
      documented(ACCOUNT_ROUTES.signUp),
    )
    .post(
      ACCOUNT_ROUTES.verify.path,
      openEndpoint(
        api,
        ACCOUNT_ROUTES.verify,
        async ({ body, client, device, language, sessionToken, deviceCookie }) => {
          const token = await identity.verify({ ...body, client, device, language, replaced: sessionToken })
          return token instanceof Problem ? token : sessionAnswer(api, token, { deviceCookie })
        },
      ),
      documented(ACCOUNT_ROUTES.verify),
    )
}

/** The error for an invalid email address. It does not reveal whether an account exists. */
export function noAddress(): AccountProblem {
  return new Problem(
    'invalid_request',
    'The member "email" of the body is not a valid email address; expected one address such as me@example.org.',
  )
}
