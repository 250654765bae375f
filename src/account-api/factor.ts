// Second-factor routes: set up an authenticator app, turn the second factor on and off, and replace the recovery codes.
import { Elysia } from 'elysia'
import { Problem } from '../http/problem.ts'
import { toUtcText } from '../metering/utc-day.ts'
import type { AccountApi } from './account-api.ts'
import {
  countChange,
  json,
  noContent,
  type Outcome,
  requireConfirmed,
  type SessionCall,
  sessionEndpoint,
} from './account-endpoint.ts'
import { ACCOUNT_ROUTES } from './account-routes.ts'
import { documented } from './documented-account-route.ts'
import { type MailFrame, mailOf } from './mail-texts.ts'

/** GET, PUT and DELETE /v1/factor, POST /v1/factor/setups, POST /v1/factor/recovery-codes. */
export const factorApi = (api: AccountApi) => {
  const { factors } = api.identity
  return new Elysia({ name: 'account.factor' })
    .get(
      ACCOUNT_ROUTES.getFactor.path,
      sessionEndpoint(api, ACCOUNT_ROUTES.getFactor, async ({ account }) => {
        const factor = await factors.find(account.id)
        const enabledAtMillis = factor?.enabledAtMillis ?? null
        return json({
          enabled_at: enabledAtMillis === null ? null : toUtcText(enabledAtMillis),
          recovery_codes_left: factor?.recoveryCodeCount ?? 0,
        })
      }),
      documented(ACCOUNT_ROUTES.getFactor),
    )
    .post(
      ACCOUNT_ROUTES.setUpFactor.path,
      sessionEndpoint(api, ACCOUNT_ROUTES.setUpFactor, async ({ account, session }) => {
        const refusal = requireConfirmed(api, session)
        if (refusal !== undefined) return refusal
        const setup = await factors.setUp(account)
        return setup instanceof Problem ? setup : json(setup)
      }),
      documented(ACCOUNT_ROUTES.setUpFactor),
    )
    .put(
      ACCOUNT_ROUTES.enableFactor.path,
      sessionEndpoint(api, ACCOUNT_ROUTES.enableFactor, (call) =>
        change(api, call, async (frame) => {
          const codes = await factors.enable(call.account.id, call.body.code)
          if (codes instanceof Problem) return codes
          api.identity.post(mailOf('factorEnabled', frame))
          return json({ recovery_codes: codes })
        }),
      ),
      documented(ACCOUNT_ROUTES.enableFactor),
    )
    .post(
      ACCOUNT_ROUTES.replaceRecoveryCodes.path,
      sessionEndpoint(api, ACCOUNT_ROUTES.replaceRecoveryCodes, (call) =>
        change(api, call, async () => {
          const codes = await factors.replaceRecoveryCodes(call.account.id)
          return codes instanceof Problem ? codes : json({ recovery_codes: codes })
        }),
      ),
      documented(ACCOUNT_ROUTES.replaceRecoveryCodes),
    )
    .delete(
      ACCOUNT_ROUTES.disableFactor.path,
      sessionEndpoint(api, ACCOUNT_ROUTES.disableFactor, (call) =>
        change(api, call, async (frame) => {
          const refusal = await factors.disable(call.account.id)
          if (refusal !== undefined) return refusal
          api.identity.post(mailOf('factorDisabled', frame))
          return noContent()
        }),
      ),
      documented(ACCOUNT_ROUTES.disableFactor),
    )
}

/** Changes the second factor. The owner must have logged in, or entered the password again, recently. */
async function change(
  api: AccountApi,
  { account, session, language }: SessionCall<unknown>,
  make: (frame: MailFrame) => Promise<Outcome>,
): Promise<Outcome> {
  const refusal = requireConfirmed(api, session) ?? countChange(api, account.id)
  return refusal ?? make({ to: account.email ?? '', addresses: api.addresses, language })
}
