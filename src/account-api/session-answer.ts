// The response to a login: the account and the CSRF token of the session.

import type { AccountProblem } from '../http/account-problem.ts'
import { Problem } from '../http/problem.ts'
import { ACTIVE_KEY_LIMITS, PLANS } from '../plans/plans.ts'
import type { AccountApi } from './account-api.ts'
import { type Call, json } from './account-endpoint.ts'
import { deviceCookie } from './device-cookie.ts'
import { csrfTokenOf } from './same-site.ts'
import { SESSION_LIFE_MILLIS } from './session-book.ts'
import { sessionCookie } from './session-cookie.ts'

/**
 * The response that describes the session of a token. For a new session, the response also sets the session cookie and
 * the known-device cookie.
 *
 * @param begunBy the request that started the session; undefined if an earlier request started it
 */
export async function sessionAnswer(
  api: AccountApi,
  token: string,
  begunBy?: Pick<Call<unknown>, 'deviceCookie'>,
): Promise<Response | AccountProblem> {
  const session = await describeSession(api, token)
  if (session === undefined) return new Problem('session_required')
  const answer = json(session)
  if (begunBy === undefined) return answer
  answer.headers.append('Set-Cookie', newSessionCookie(api, token))
  const device = api.identity.devices.renew(begunBy.deviceCookie, session.account.email ?? '')
  answer.headers.append('Set-Cookie', deviceCookie(device, api.addresses))
  return answer
}

/** The body of the response that describes the session of a token; undefined if the session has ended. */
export async function describeSession(api: AccountApi, token: string) {
  const found = await api.identity.sessions.find(token)
  if (found === undefined) return undefined
  const { baseUrl, explorerUrl } = api.addresses
  return {
    account: await api.accounts.owners.showAccount(found.account.id),
    csrf_token: csrfTokenOf(token),
    api_url: baseUrl,
    explorer_url: explorerUrl ?? null,
    currency: api.offers.current.currency,
    plans: listPlans(api),
  }
}

/** The plans with their limits and prices, in listing order. */
function listPlans({ accounts, offers }: AccountApi) {
  return PLANS.map((plan) => {
    const { includedUnits, overageAvailable, overageUnitAmountDecimal } = accounts.currentPlans[plan]
    return {
      plan,
      price_text: offers.current.priceTexts[plan],
      self_service: offers.current.selfService[plan],
      included_units: includedUnits,
      key_limit: ACTIVE_KEY_LIMITS[plan],
      overage_available: overageAvailable,
      overage_unit_amount_decimal: overageUnitAmountDecimal,
    }
  })
}

/** The Set-Cookie value for a new session. */
export function newSessionCookie(api: AccountApi, token: string): string {
  return sessionCookie(token, SESSION_LIFE_MILLIS / 1_000, api.addresses)
}
