// Tests the OpenAPI document of the account API. It must have exactly the routes that are served, pass two linters, and
// describe every response that a user gets during a whole visit. All other tests in this folder also compare their
// responses with the document (documented-answers.ts), so an undocumented refusal fails there.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { Elysia } from 'elysia'
import { ACCOUNT_ROUTE_LIST } from '../../../src/account-api/account-routes.ts'
import { createAccountServer } from '../../../src/account-api/server.ts'
import { totpCode } from '../../../src/account-api/totp.ts'
import { accountDocument, accountRoutes, withoutAnswer } from '../../api-documents.ts'
import { redoclyFindings, spectralFindings } from '../../openapi-linters.ts'
import { makeFolder } from '../account-fixture.ts'
import { AccountWorld, type Browser, GOOD_PASSWORD } from './account-world.ts'
import { ACCOUNT_DOCUMENT, heldAnswers } from './documented-answers.ts'
import { SoftPasskey } from './soft-passkey.ts'

const OTHER_PASSWORD = 'sieben blaue Straßenlampen'
/** Routes of the account server that the document omits: pages, and the document itself. */
const OTHERS = /^(\/|\/\*|\/openapi\.json|\/console(\/\*)?)$/

describe('the document', () => {
  test('passes Redocly without findings', async () => {
    expect(await redoclyFindings(ACCOUNT_DOCUMENT)).toEqual({ errors: 0, warnings: 0, ignored: 0 })
  }, 60_000)

  test('passes Spectral without findings', async () => {
    expect(await spectralFindings(ACCOUNT_DOCUMENT)).toEqual([])
  }, 60_000)
})

test('the document describes the responses of every route', async () => {
  expect(withoutAnswer(ACCOUNT_DOCUMENT)).toEqual([])
  const undescribed = new Elysia().get('/v1/boats', () => '').delete('/v1/boats/:id', () => '')
  const document = await accountDocument([...(await accountRoutes()), ...undescribed.routes])
  expect(withoutAnswer(document)).toEqual(['GET /v1/boats', 'DELETE /v1/boats/{id}'])
})

describe('the account port', () => {
  const folder = makeFolder()
  let world: AccountWorld
  beforeAll(async () => {
    world = await AccountWorld.open(folder)
  })
  afterAll(async () => {
    await world.close()
    rmSync(folder, { recursive: true })
  })

  test('serves the document at its address, to everybody', async () => {
    const answer = await world.browser().get('/openapi.json')
    expect(answer.status).toBe(200)
    expect(answer.headers.get('cache-control')).toBe('public, max-age=300')
    expect(Object.keys(answer.body['paths'] ?? {})).toEqual(Object.keys(ACCOUNT_DOCUMENT['paths'] ?? {}))
  })

  test('has exactly the document’s routes', () => {
    const served = createAccountServer(world.listener.api)
      .routes.filter(({ path }) => !OTHERS.test(path))
      .map(({ method, path }) => `${method.toLowerCase()} ${path}`)
    expect(served.sort()).toEqual(ACCOUNT_ROUTE_LIST.map(({ method, path }) => `${method} ${path}`).sort())
  })

  test('responds on each route as documented', async () => {
    const email = 'visit@example.org'
    const browser = await world.member(email)
    await browser.get('/v1/session')
    await browser.get('/v1/visitor')
    const made = await browser.post('/v1/keys', { name: 'one', scopes: ['transit:read'] })
    const { id } = Object(made.body['listing'])
    await browser.send('PATCH', `/v1/keys/${id}`, { name: 'two' })
    await browser.get('/v1/keys')
    await browser.get('/v1/usage')
    await browser.get('/v1/me')
    await browser.get('/v1/statements')
    await browser.get('/v1/events')
    await browser.get('/v1/health')
    await browser.delete(`/v1/keys/${id}`)
    await world.accounts.operations.setPlan({ email, plan: 'pay_as_you_go' })
    await browser.send('PATCH', '/v1/billing', { overage_enabled: true, spend_cap_cents: 500 })
    await browser.put('/v1/password', { current_password: GOOD_PASSWORD, password: OTHER_PASSWORD })
    await browser.delete('/v1/sessions/current')
    await browser.post('/v1/sessions', { email, password: OTHER_PASSWORD })
    await browser.delete('/v1/sessions')
    const mails = world.mails.length
    await browser.post('/v1/password-resets', { email })
    await world.untilMails(mails + 1)
    await browser.post('/v1/password-resets/confirm', { token: world.lastToken('reset'), password: GOOD_PASSWORD })
    await visitOwnerRoutes(world, browser)
    const missing = ACCOUNT_ROUTE_LIST.filter(({ name, status }) => !heldAnswers.has(`${name} ${status}`))
    // Other tests (month-rules.test.ts and billing.test.ts) call these two operations.
    const elsewhere = ['getStatement', 'choosePlan']
    expect(missing.map(({ name }) => name).filter((name) => !elsewhere.includes(name))).toEqual([])
  })
})

/** Does everything that owners can do with their sessions, factors, passkeys, address and account. */
async function visitOwnerRoutes(world: AccountWorld, browser: Browser): Promise<void> {
  await browser.get('/v1/usage/routes')
  await browser.get('/v1/sessions')
  await browser.delete('/v1/sessions/others')
  await browser.post('/v1/sessions/current/confirmations', { password: GOOD_PASSWORD })
  const secret = String((await browser.post('/v1/factor/setups', undefined)).body['secret'])
  await browser.put('/v1/factor', { code: totpCode(secret, world.clock.millis) })
  await browser.get('/v1/factor')
  await browser.post('/v1/factor/recovery-codes', undefined)
  await browser.delete('/v1/factor')
  const { hostname, origin } = new URL(world.listener.api.addresses.consoleUrl)
  const passkey = new SoftPasskey({ id: hostname, origin })
  const challengeOf = async (path: string) => Object((await browser.post(path, undefined)).body['options']).challenge
  const made = passkey.make(await challengeOf('/v1/passkeys/setups'))
  await browser.post('/v1/passkeys', { name: 'laptop', answer: made })
  await browser.get('/v1/passkeys')
  const used = passkey.use(await challengeOf('/v1/passkey-challenges'))
  await browser.post('/v1/passkey-sessions', { answer: used })
  await browser.delete(`/v1/passkeys/${passkey.id}`)
  const mails = world.mails.length
  await browser.post('/v1/email-changes', { email: 'other@example.org' })
  await world.untilMails(mails + 2)
  await browser.post('/v1/email-changes/confirm', { token: world.lastToken('new-address') })
  await browser.delete('/v1/account')
}
