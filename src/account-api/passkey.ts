// The passkeys of the account, and login with a passkey.
import { Elysia } from 'elysia'
import type { StoredPasskey } from '../accounts/passkey-store.ts'
import { Problem } from '../http/problem.ts'
import { toUtcText } from '../metering/utc-day.ts'
import type { AccountApi } from './account-api.ts'
import { countChange, json, noContent, openEndpoint, requireConfirmed, sessionEndpoint } from './account-endpoint.ts'
import { ACCOUNT_ROUTES } from './account-routes.ts'
import { documented } from './documented-account-route.ts'
import { mailOf } from './mail-texts.ts'
import { sessionAnswer } from './session-answer.ts'

/** Lists, creates and removes passkeys under /v1/passkeys. */
export const passkeyApi = (api: AccountApi) => {
  const { passkeys } = api.identity
  return new Elysia({ name: 'account.passkeys' })
    .get(
      ACCOUNT_ROUTES.listPasskeys.path,
      sessionEndpoint(api, ACCOUNT_ROUTES.listPasskeys, async ({ account }) =>
        json({ passkeys: (await passkeys.list(account.id)).map(toListing) }),
      ),
      documented(ACCOUNT_ROUTES.listPasskeys),
    )
    .post(
      ACCOUNT_ROUTES.setUpPasskey.path,
      sessionEndpoint(api, ACCOUNT_ROUTES.setUpPasskey, async ({ account, session }) => {
        return requireConfirmed(api, session) ?? json({ options: await passkeys.setUp(account) })
      }),
      documented(ACCOUNT_ROUTES.setUpPasskey),
    )
    .post(
      ACCOUNT_ROUTES.addPasskey.path,
      sessionEndpoint(api, ACCOUNT_ROUTES.addPasskey, async ({ account, session, body, language }) => {
        const refusal = requireConfirmed(api, session) ?? countChange(api, account.id)
        if (refusal !== undefined) return refusal
        const added = await passkeys.add(account, body.name, body.answer)
        if (added instanceof Problem) return added
        api.identity.post(mailOf('passkeyAdded', { to: account.email ?? '', addresses: api.addresses, language }))
        return json(toListing(added), 201)
      }),
      documented(ACCOUNT_ROUTES.addPasskey),
    )
    .delete(
      ACCOUNT_ROUTES.removePasskey.path,
      sessionEndpoint(api, ACCOUNT_ROUTES.removePasskey, async ({ account, session, params, language }) => {
        const refusal = requireConfirmed(api, session) ?? countChange(api, account.id)
        const unknown = refusal ?? (await passkeys.remove(account.id, params['id'] ?? ''))
        if (unknown !== undefined) return unknown
        api.identity.post(mailOf('passkeyRemoved', { to: account.email ?? '', addresses: api.addresses, language }))
        return noContent()
      }),
      documented(ACCOUNT_ROUTES.removePasskey),
    )
}

/** POST /v1/passkey-challenges, POST /v1/passkey-sessions. */
export const passkeyLogInApi = (api: AccountApi) => {
  const { passkeys } = api.identity
  return new Elysia({ name: 'account.passkey-log-in' })
    .post(
      ACCOUNT_ROUTES.challengePasskey.path,
      openEndpoint(api, ACCOUNT_ROUTES.challengePasskey, async ({ client }) => {
        const options = await passkeys.challenge(client)
        return options instanceof Problem ? options : json({ options })
      }),
      documented(ACCOUNT_ROUTES.challengePasskey),
    )
    .post(
      ACCOUNT_ROUTES.logInWithPasskey.path,
      openEndpoint(api, ACCOUNT_ROUTES.logInWithPasskey, async (call) => {
        const { body, client, device, sessionToken, deviceCookie } = call
        const token = await passkeys.logIn({ answer: body.answer, client, device, replaced: sessionToken })
        return token instanceof Problem ? token : sessionAnswer(api, token, { deviceCookie })
      }),
      documented(ACCOUNT_ROUTES.logInWithPasskey),
    )
}

function toListing({ id, name, createdAtMillis, usedAtMillis }: StoredPasskey) {
  return {
    id,
    name,
    created_at: toUtcText(createdAtMillis),
    last_used_at: usedAtMillis === null ? null : toUtcText(usedAtMillis),
  }
}
