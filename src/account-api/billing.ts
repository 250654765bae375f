// PUT /v1/plan changes the plan, if the operator allows owners to choose the new plan. PATCH /v1/billing turns overage
// on or off and sets the spend cap, if the plan allows overage.
import { Elysia } from 'elysia'
import { Problem } from '../http/problem.ts'
import { quotedValue } from '../http/quoted-value.ts'
import { isPlan, PLANS } from '../plans/plans.ts'
import type { AccountApi } from './account-api.ts'
import { changed, countChange, sessionEndpoint } from './account-endpoint.ts'
import { ACCOUNT_ROUTES } from './account-routes.ts'
import { documented } from './documented-account-route.ts'

/** The routes for the plan and the billing settings of the current account. */
export const billingApi = (api: AccountApi) => {
  const { owners } = api.accounts
  return new Elysia({ name: 'account.billing' })
    .put(
      ACCOUNT_ROUTES.choosePlan.path,
      sessionEndpoint(api, ACCOUNT_ROUTES.choosePlan, async ({ account, body: { plan } }) => {
        const tooManyChanges = countChange(api, account.id)
        if (tooManyChanges !== undefined) return tooManyChanges
        if (!isPlan(plan)) {
          return new Problem(
            'invalid_request',
            `The member "plan" of the body is ${quotedValue(plan)}; expected one of ${PLANS.join(', ')}.`,
          )
        }
        if (!api.offers.current.selfService[plan]) {
          return new Problem('not_allowed', `Only the service operator can change an account to the ${plan} plan.`)
        }
        return changed(await owners.choosePlan(account.id, plan))
      }),
      documented(ACCOUNT_ROUTES.choosePlan),
    )
    .patch(
      ACCOUNT_ROUTES.setBilling.path,
      sessionEndpoint(api, ACCOUNT_ROUTES.setBilling, async ({ account, body }) => {
        const tooManyChanges = countChange(api, account.id)
        if (tooManyChanges !== undefined) return tooManyChanges
        const { overage_enabled: isOverageEnabled, spend_cap_cents: spendCapCents } = body
        return changed(await owners.setBilling(account.id, { isOverageEnabled, spendCapCents }))
      }),
      documented(ACCOUNT_ROUTES.setBilling),
    )
}
