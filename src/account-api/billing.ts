// PATCH /v1/billing: the owner's overage setting, if the plan sells units, and the spend cap.
import { Elysia } from 'elysia'
import type { AccountApi } from './account-api.ts'
import { changed, countChange, sessionEndpoint } from './account-endpoint.ts'
import { ACCOUNT_ROUTES } from './account-routes.ts'
import { documented } from './documented-account-route.ts'

/** Billing settings of the current account. */
export const billingApi = (api: AccountApi) =>
  new Elysia({ name: 'account.billing' }).patch(
    ACCOUNT_ROUTES.setBilling.path,
    sessionEndpoint(api, ACCOUNT_ROUTES.setBilling, async ({ account, body }) => {
      const tooManyChanges = countChange(api, account.id)
      if (tooManyChanges !== undefined) return tooManyChanges
      const { overage_enabled: isOverageEnabled, spend_cap_cents: spendCapCents } = body
      return changed(await api.accounts.owners.setBilling(account.id, { isOverageEnabled, spendCapCents }))
    }),
    documented(ACCOUNT_ROUTES.setBilling),
  )
