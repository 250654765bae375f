// PATCH /v1/billing: overage, switched by the owner where the plan sells units, and its cap.
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { SPEND_CAP_CENTS } from '../accounts/account-rules.ts'
import { Problem } from '../http/problem.ts'
import type { AccountApi } from './account-api.ts'
import { countChange, json, sessionEndpoint } from './account-endpoint.ts'
import { parseBody } from './account-message.ts'

/** The body that switches overage. */
export const BILLING = Type.Object(
  {
    overage_enabled: Type.Optional(Type.Boolean()),
    spend_cap_cents: Type.Optional(Type.Integer({ minimum: 0, maximum: SPEND_CAP_CENTS })),
  },
  { additionalProperties: false, minProperties: 1 },
)

/** The switches of the present account. */
export const billingApi = (api: AccountApi) =>
  new Elysia({ name: 'account.billing' }).patch(
    '/v1/billing',
    sessionEndpoint(api, async ({ account, body }) => {
      const given = parseBody(BILLING, body)
      if (given instanceof Problem) return given
      const haste = countChange(api, account.id)
      if (haste !== undefined) return haste
      const { overage_enabled: isOverageEnabled, spend_cap_cents: spendCapCents } = given
      return json(await api.accounts.owners.setBilling(account.id, { isOverageEnabled, spendCapCents }))
    }),
  )
