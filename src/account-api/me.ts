// GET /v1/me: plan and usage of an account, for a key with the scope account:read or for a session.
import assert from 'node:assert'
import { Elysia } from 'elysia'
import type { AccountProblem } from '../http/account-problem.ts'
import { Problem } from '../http/problem.ts'
import { writeEnvelope } from '../rendering/envelope.ts'
import { passAccountKey } from '../requests/account-pipeline.ts'
import { limitHeaders } from '../requests/refusals.ts'
import type { AccountApi } from './account-api.ts'
import { findSession, openEndpoint } from './account-endpoint.ts'
import { ACCOUNT_ROUTES } from './account-routes.ts'
import { documented } from './documented-account-route.ts'

/** The account to read, and the caller's RateLimit headers. */
interface Reader {
  readonly accountId: string
  readonly headers: Readonly<Record<string, string>>
}

/** GET /v1/me. */
export const meApi = (api: AccountApi) =>
  new Elysia({ name: 'account.me' }).get(
    ACCOUNT_ROUTES.getMe.path,
    openEndpoint(api, ACCOUNT_ROUTES.getMe, async ({ request }) => {
      const isByKey = request.headers.has('authorization')
      const reader = isByKey ? await admitKey(api, request) : await findOwner(api, request)
      if (reader instanceof Problem) return reader
      const { owners } = api.accounts
      const account = await owners.showAccount(reader.accountId)
      const data = JSON.stringify({ account, usage: await owners.report(reader.accountId) })
      const body = writeEnvelope(data, { nowMillis: api.clock.nowMillis(), units: 0 })
      return new Response(body, { headers: { 'Content-Type': 'application/json', ...reader.headers } })
    }),
    documented(ACCOUNT_ROUTES.getMe),
  )

async function findOwner(api: AccountApi, request: Request): Promise<Reader | AccountProblem> {
  const found = await findSession(api, request)
  if (found instanceof Problem) return new Problem('authentication_required')
  return { accountId: found.account.id, headers: {} }
}

async function admitKey(api: AccountApi, request: Request): Promise<Reader | AccountProblem> {
  const passed = passAccountKey(await api.accounts.keyGate(), request)
  if (passed instanceof Problem) return passed
  assert(passed.caller !== undefined, 'the gate accepted a key, but returned no caller')
  api.accounts.noteUse(passed.caller.keyId)
  return { accountId: passed.caller.accountId, headers: limitHeaders(passed.limits) }
}
