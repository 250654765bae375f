// Routes that change the account's email address.
import { Elysia } from 'elysia'
import type { AccountApi } from './account-api.ts'
import { countChange, json, openEndpoint, requireConfirmed, sessionEndpoint } from './account-endpoint.ts'
import { ACCOUNT_ROUTES } from './account-routes.ts'
import { documented } from './documented-account-route.ts'
import { parseEmail } from './email-address.ts'
import { noAddress } from './sign-up.ts'

/** The same response for every address, whether or not it has an account. */
const SENT = { message: 'If this address can be used for an account, we have sent a link to it.' }
const CHANGED = { message: "The account's email address was changed." }

/** POST /v1/email-changes, POST /v1/email-changes/confirm. */
export const emailChangeApi = (api: AccountApi) => {
  const { emailChanges } = api.identity
  return new Elysia({ name: 'account.email-change' })
    .post(
      ACCOUNT_ROUTES.requestEmailChange.path,
      sessionEndpoint(api, ACCOUNT_ROUTES.requestEmailChange, async (call) => {
        const { account, session, client, language } = call
        const email = parseEmail(call.body.email)
        if (email === undefined) return noAddress()
        const refusal =
          requireConfirmed(api, session) ??
          countChange(api, account.id) ??
          (await emailChanges.request({ account, email, client, language }))
        return refusal ?? json(SENT, 202)
      }),
      documented(ACCOUNT_ROUTES.requestEmailChange),
    )
    .post(
      ACCOUNT_ROUTES.confirmEmailChange.path,
      openEndpoint(api, ACCOUNT_ROUTES.confirmEmailChange, async ({ body, client, language }) => {
        return (await emailChanges.confirm({ ...body, client, language })) ?? json(CHANGED)
      }),
      documented(ACCOUNT_ROUTES.confirmEmailChange),
    )
}
