// The keys of an account: listed with their use, made, named, revoked.
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { AccountProblem } from '../http/account-problem.ts'
import { Problem } from '../http/problem.ts'
import type { AccountApi } from './account-api.ts'
import { countChange, json, noContent, sessionEndpoint } from './account-endpoint.ts'
import { parseBody } from './account-message.ts'

/** More scopes than there are; the rest is the book's to judge. */
const MANY_SCOPES = 10
/** The body that makes a key. */
export const NEW_KEY = Type.Object(
  {
    name: Type.String(),
    scopes: Type.Array(Type.String(), { maxItems: MANY_SCOPES }),
    expires_at: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  },
  { additionalProperties: false },
)
/** The body that names a key. */
export const KEY_NAME = Type.Object({ name: Type.String() }, { additionalProperties: false })

const INSTANT = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/

/** The last instant that RFC 3339 can write in UTC. */
const LAST_MILLIS = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/** GET and POST /v1/keys, PATCH and DELETE /v1/keys/{id}. */
export const keysApi = (api: AccountApi) => {
  const { owners } = api.accounts
  return new Elysia({ name: 'account.keys' })
    .get(
      '/v1/keys',
      sessionEndpoint(api, async ({ account }) => {
        const { keys, hiddenRevokedCount } = await owners.listKeys(account.id)
        return json({ keys, revoked_not_shown: hiddenRevokedCount })
      }),
    )
    .post(
      '/v1/keys',
      sessionEndpoint(api, async ({ account, body }) => {
        const given = parseBody(NEW_KEY, body)
        if (given instanceof Problem) return given
        if (!account.isVerified) return new Problem('email_verification_required')
        const expiresAtMillis = parseExpiry(given.expires_at ?? null)
        if (expiresAtMillis instanceof Problem) return expiresAtMillis
        const { name, scopes } = given
        const made = await owners.createKey(account.id, { name, scopes, expiresAtMillis })
        return json({ ...made, curl: `curl -H 'Authorization: Bearer ${made.key}' ${networksUrl(api)}` }, 201)
      }),
    )
    .patch(
      '/v1/keys/:id',
      sessionEndpoint(api, async ({ account, body, params }) => {
        const given = parseBody(KEY_NAME, body)
        if (given instanceof Problem) return given
        const haste = countChange(api, account.id)
        if (haste !== undefined) return haste
        return json(await owners.renameKey(account.id, params['id'] ?? '', given.name))
      }),
    )
    .delete(
      '/v1/keys/:id',
      sessionEndpoint(api, async ({ account, params }) => {
        await owners.revokeKey(account.id, params['id'] ?? '')
        return noContent()
      }),
    )
}

function networksUrl({ addresses }: AccountApi): string {
  return `${addresses.baseUrl.replace(/\/$/, '')}/v1/networks`
}

/** Milliseconds after 1970, or null for never. */
function parseExpiry(text: string | null): number | null | AccountProblem {
  if (text === null) return null
  const millis = INSTANT.test(text) ? Date.parse(text) : Number.NaN
  if (millis <= LAST_MILLIS) return millis
  return new Problem('invalid_request', 'The member "expires_at" of the body is no RFC 3339 instant.')
}
