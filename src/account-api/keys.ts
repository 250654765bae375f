// Keys of an account: list with usage, create, rename, revoke.
import { Elysia } from 'elysia'
import type { AccountProblem } from '../http/account-problem.ts'
import { Problem } from '../http/problem.ts'
import { quotedValue } from '../http/quoted-value.ts'
import type { AccountApi } from './account-api.ts'
import {
  changed,
  countChange,
  json,
  noContent,
  PENDING,
  requireConfirmed,
  sessionEndpoint,
} from './account-endpoint.ts'
import { ACCOUNT_ROUTES } from './account-routes.ts'
import { documented } from './documented-account-route.ts'

const INSTANT = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/

/** The latest timestamp that RFC 3339 can express in UTC. */
const LAST_MILLIS = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/** GET and POST /v1/keys, PATCH and DELETE /v1/keys/{id}. */
export const keysApi = (api: AccountApi) => {
  const { owners } = api.accounts
  return new Elysia({ name: 'account.keys' })
    .get(
      ACCOUNT_ROUTES.listKeys.path,
      sessionEndpoint(api, ACCOUNT_ROUTES.listKeys, async ({ account }) => {
        const { keys, hiddenRevokedCount } = await owners.listKeys(account.id)
        return json({ keys, revoked_not_shown: hiddenRevokedCount })
      }),
      documented(ACCOUNT_ROUTES.listKeys),
    )
    .post(
      ACCOUNT_ROUTES.createKey.path,
      sessionEndpoint(api, ACCOUNT_ROUTES.createKey, async ({ account, session, body }) => {
        if (!account.isVerified) return new Problem('email_verification_required')
        const unconfirmed = requireConfirmed(api, session)
        if (unconfirmed !== undefined) return unconfirmed
        const expiresAtMillis = parseExpiry(body.expires_at ?? null)
        if (expiresAtMillis instanceof Problem) return expiresAtMillis
        const { name, scopes } = body
        const made = await owners.createKey(account.id, { name, scopes, expiresAtMillis })
        return changed({ ...made, curl: `curl -H 'Authorization: Bearer ${made.key}' ${networksUrl(api)}` }, 201)
      }),
      documented(ACCOUNT_ROUTES.createKey),
    )
    .patch(
      ACCOUNT_ROUTES.renameKey.path,
      sessionEndpoint(api, ACCOUNT_ROUTES.renameKey, async ({ account, body, params }) => {
        const tooManyChanges = countChange(api, account.id)
        if (tooManyChanges !== undefined) return tooManyChanges
        return changed(await owners.renameKey(account.id, params['id'] ?? '', body.name))
      }),
      documented(ACCOUNT_ROUTES.renameKey),
    )
    .delete(
      ACCOUNT_ROUTES.revokeKey.path,
      sessionEndpoint(api, ACCOUNT_ROUTES.revokeKey, async ({ account, params }) => {
        const { unconfirmed } = await owners.revokeKey(account.id, params['id'] ?? '')
        return unconfirmed === undefined ? noContent() : json(PENDING, 202)
      }),
      documented(ACCOUNT_ROUTES.revokeKey),
    )
}

function networksUrl({ addresses }: AccountApi): string {
  return `${addresses.baseUrl.replace(/\/$/, '')}/v1/networks`
}

/** Parses `expires_at` into Unix milliseconds. Null means that the key never expires. */
function parseExpiry(text: string | null): number | null | AccountProblem {
  if (text === null) return null
  const millis = INSTANT.test(text) ? Date.parse(text) : Number.NaN
  if (millis <= LAST_MILLIS) return millis
  return new Problem(
    'invalid_request',
    `The member "expires_at" of the body is ${quotedValue(text)}; expected an RFC 3339 timestamp with an offset or Z, or null.`,
  )
}
