// GET /v1/usage returns the usage per key and day, and the Usage object for the current month. Both include the latest
// units, even those that are not in the ledger yet. GET /v1/usage/routes returns the number of responses per key, route
// and status class.
import { Elysia } from 'elysia'
import type { DayRange } from '../accounts/billing-store.ts'
import type { AccountProblem } from '../http/account-problem.ts'
import { Problem } from '../http/problem.ts'
import { quotedValue } from '../http/quoted-value.ts'
import { dayText, findUtcDay, periodOf, utcDayStartMillis } from '../metering/utc-day.ts'
import type { AccountApi } from './account-api.ts'
import { json, sessionEndpoint } from './account-endpoint.ts'
import { ACCOUNT_ROUTES } from './account-routes.ts'
import { documented } from './documented-account-route.ts'

/** Maximum number of days in one response. */
const MAX_DAYS = 366

/** The usage routes. Both return the days from `from` to `to`, inclusive. The default is the current month (UTC). */
export const accountUsageApi = (api: AccountApi) => {
  const { owners } = api.accounts
  const rangeOf = (query: URLSearchParams) => parseDays(query, api.accounts.ledgerClock.nowMillis())
  return new Elysia({ name: 'account.usage' })
    .get(
      ACCOUNT_ROUTES.getDailyUsage.path,
      sessionEndpoint(api, ACCOUNT_ROUTES.getDailyUsage, async ({ account, url }) => {
        const range = rangeOf(url.searchParams)
        if (range instanceof Problem) return range
        const usage = await owners.report(account.id)
        const days = await owners.listDays(account.id, range)
        return json({ ...daysOf(range), usage, days })
      }),
      documented(ACCOUNT_ROUTES.getDailyUsage),
    )
    .get(
      ACCOUNT_ROUTES.getRouteUsage.path,
      sessionEndpoint(api, ACCOUNT_ROUTES.getRouteUsage, async ({ account, url }) => {
        const range = rangeOf(url.searchParams)
        if (range instanceof Problem) return range
        return json({ ...daysOf(range), routes: await owners.listRoutes(account.id, range) })
      }),
      documented(ACCOUNT_ROUTES.getRouteUsage),
    )
}

function daysOf({ firstDay, endDay }: DayRange) {
  return { from: dayText(firstDay), to: dayText(endDay - 1) }
}

function parseDays(query: URLSearchParams, nowMillis: number): DayRange | AccountProblem {
  const from = parseDay(query, 'from')
  if (from instanceof Problem) return from
  const to = parseDay(query, 'to')
  if (to instanceof Problem) return to
  const present = periodOf(nowMillis)
  const firstDay = from ?? (to === undefined ? present.firstDay : periodOf(utcDayStartMillis(to)).firstDay)
  const endDay = to === undefined ? present.endDay : to + 1
  if (firstDay >= endDay)
    return new Problem(
      'invalid_request',
      `The parameter "from" (${dayText(firstDay)}) is later than "to" (${dayText(endDay - 1)}); expected a day that is not later than "to".`,
    )
  if (endDay - firstDay <= MAX_DAYS) return { firstDay, endDay }
  return new Problem(
    'invalid_request',
    `The range from "from" to "to", both included, has ${endDay - firstDay} days; expected at most ${MAX_DAYS}.`,
  )
}

function parseDay(query: URLSearchParams, name: string): number | undefined | AccountProblem {
  const texts = query.getAll(name)
  if (texts.length === 0) return undefined
  const day = texts.length === 1 ? findUtcDay(texts[0] ?? '') : undefined
  const given = texts.length === 1 ? `is ${quotedValue(texts[0] ?? '')}` : 'is given more than once'
  return day ?? new Problem('invalid_request', `The parameter "${name}" ${given}; expected one day as YYYY-MM-DD.`)
}
