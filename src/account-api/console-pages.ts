// Mounts the console's pages in the account API.
import { Elysia } from 'elysia'
import { CONSOLE_PATH, consoleAnswer } from '../console/console-answer.ts'
import { Problem } from '../http/problem.ts'
import type { AccountApi } from './account-api.ts'
import { openEndpoint, PAGE } from './account-endpoint.ts'

/** GET /console and everything under it. The path `/` redirects to /console. */
export const consoleApi = (api: AccountApi) => {
  const page = openEndpoint(
    api,
    PAGE,
    async ({ request }) => (await consoleAnswer(request)) ?? new Problem('not_found'),
  )
  const door = openEndpoint(api, PAGE, () => new Response(null, { status: 302, headers: { Location: CONSOLE_PATH } }))
  return new Elysia({ name: 'account.console' })
    .get(CONSOLE_PATH, ({ request, server }) => page({ request, server }))
    .get(`${CONSOLE_PATH}/*`, ({ request, server }) => page({ request, server }))
    .get('/', ({ request, server }) => door({ request, server }))
}
