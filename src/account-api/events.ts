// GET /v1/events: the history of the account and its keys, newest first.
import { Elysia } from 'elysia'
import { Problem } from '../http/problem.ts'
import { quotedValue } from '../http/quoted-value.ts'
import type { AccountApi } from './account-api.ts'
import { json, sessionEndpoint } from './account-endpoint.ts'
import { ACCOUNT_ROUTES } from './account-routes.ts'
import { documented } from './documented-account-route.ts'

const MAX_LIMIT = 100
const DEFAULT_LIMIT = 20
const LIMIT = /^[1-9]\d{0,2}$/
const EVENT_ID = /^evt_[0-9a-f]{32}$/

/** Events of the current account; `cursor` is the id of the last event of the previous page. */
export const eventsApi = (api: AccountApi) =>
  new Elysia({ name: 'account.events' }).get(
    ACCOUNT_ROUTES.listEvents.path,
    sessionEndpoint(api, ACCOUNT_ROUTES.listEvents, async ({ account, url }) => {
      const [limit, cursor] = [url.searchParams.get('limit'), url.searchParams.get('cursor')]
      const count = limit === null ? DEFAULT_LIMIT : LIMIT.test(limit) ? Number(limit) : Number.NaN
      if (!(count <= MAX_LIMIT)) {
        return new Problem(
          'invalid_request',
          `The parameter "limit" is ${quotedValue(limit ?? '')}; expected an integer from 1 to ${MAX_LIMIT}.`,
        )
      }
      if (cursor !== null && !EVENT_ID.test(cursor)) {
        return new Problem(
          'invalid_request',
          `The parameter "cursor" is ${quotedValue(cursor)}; expected the next_cursor from an earlier response.`,
        )
      }
      // Fetch one event more than the page shows, to find out whether this page is the last one.
      const page = { limit: count + 1, ...(cursor === null ? {} : { beforeId: cursor }) }
      const events = await api.accounts.owners.listEvents(account.id, page)
      const shown = events.slice(0, count)
      return json({ events: shown, next_cursor: events.length > count ? (shown.at(-1)?.id ?? null) : null })
    }),
    documented(ACCOUNT_ROUTES.listEvents),
  )
