// GET /v1/me: plan and use of an account, for a key with the scope account:read, or under a session.
import { Elysia } from 'elysia'
import { AccountProblem } from '../http/account-problem.ts'
import { writeEnvelope } from '../rendering/envelope.ts'
import type { AccountApi } from './account-api.ts'
import { openEndpoint, requireSession } from './account-endpoint.ts'

/** Whose account is read, and what the reader is told of their limits. */
interface Reader {
  readonly accountId: string
  readonly headers: Readonly<Record<string, string>>
}

/** The account that a request may read. */
export const meApi = (api: AccountApi) =>
  new Elysia({ name: 'account.me' }).get(
    '/v1/me',
    openEndpoint(api, async ({ request }) => {
      const authorization = request.headers.get('authorization')
      const reader = authorization === null ? await findOwner(api, request) : await admitKey(api, authorization)
      if (reader instanceof AccountProblem) return reader
      const { owners } = api.accounts
      const account = await owners.showAccount(reader.accountId)
      const data = JSON.stringify({ account, usage: await owners.report(reader.accountId) })
      const body = writeEnvelope(data, { nowMillis: api.clock.nowMillis(), units: 0 })
      return new Response(body, { headers: { 'Content-Type': 'application/json', ...reader.headers } })
    }),
  )

async function findOwner(api: AccountApi, request: Request): Promise<Reader | AccountProblem> {
  const found = await requireSession(api, request)
  if (found instanceof AccountProblem) return new AccountProblem('authentication_required')
  return { accountId: found.account.id, headers: {} }
}

async function admitKey(api: AccountApi, authorization: string): Promise<Reader | AccountProblem> {
  const gate = await api.accounts.keyGate()
  const admission = gate.admit(authorization)
  if (admission.kind === 'refused') return new AccountProblem(admission.reason)
  const refusal = gate.reserve(admission.caller)
  if (refusal !== undefined) return new AccountProblem('rate_limited', undefined, refusal.retryAfterSeconds)
  const { policy, limit } = gate.limitFields()
  return { accountId: admission.caller.accountId, headers: { 'RateLimit-Policy': policy, RateLimit: limit } }
}
