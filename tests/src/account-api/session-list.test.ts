// Tests listing sessions, ending all other sessions, and confirming the password. Fails if the list shows a credential
// or another account's sessions, or if an old session can create a key.
import { expect, test } from 'bun:test'
import { deviceName } from '../../../src/account-api/device-name.ts'
import { CONFIRMED_MILLIS, SESSION_IDLE_MILLIS } from '../../../src/account-api/session-book.ts'
import { type Browser, GOOD_PASSWORD } from './account-world.ts'
import { ADA, describeWorlds, EVE, logIn } from './owner-worlds.ts'

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const KEY = { name: 'one', scopes: ['transit:read'] }
const CONFIRMATIONS = '/v1/sessions/current/confirmations'

interface Listed {
  readonly id: string
  readonly device: string | null
  readonly is_current: boolean
  readonly last_used_at: string
}

async function list(browser: Browser): Promise<Listed[]> {
  const { body } = await browser.get('/v1/sessions')
  return Object(body['sessions'])
}

describeWorlds('an account’s sessions', (opened) => {
  test('are listed with their devices, newest first, and without secrets', async () => {
    const { world } = opened
    const first = await world.member(ADA)
    await world.member(EVE)
    world.clock.millis += 60_000
    const second = world.browser()
    await second.post('/v1/sessions', { email: ADA, password: GOOD_PASSWORD }, { 'user-agent': FIREFOX })
    const listed = await list(second)
    expect(listed.map(({ device, is_current }) => [device, is_current])).toEqual([
      ['Firefox on Linux', true],
      [null, false],
    ])
    expect((await list(first)).map(({ is_current }) => is_current)).toEqual([false, true])
    const { text } = await second.get('/v1/sessions')
    for (const { token } of [first, second]) {
      const digest = new Bun.CryptoHasher('sha256').update(token).digest('hex')
      expect(text).not.toContain(token)
      expect(text).not.toContain(digest.slice(0, 12))
    }
    for (const { id } of listed) {
      expect(id).toMatch(/^ses_[0-9a-f]{24}$/)
      expect((await world.browser().get('/v1/session', { cookie: `quai_session=${id}` })).status).toBe(401)
    }
    world.clock.millis += SESSION_IDLE_MILLIS - 1
    await second.get('/v1/session')
    world.clock.millis += 1
    expect(await list(second)).toHaveLength(1) // the other session has expired through inactivity
  })

  test('end except for one, for that account only', async () => {
    const { world } = opened
    const owner = await world.member(ADA)
    const others = [await logIn(world), await logIn(world)]
    const stranger = await world.member(EVE)
    expect((await owner.delete('/v1/sessions/others', { 'x-csrf-token': 'wrong' })).body['reason']).toBe('csrf_failed')
    const foreign = await owner.delete('/v1/sessions/others', { 'sec-fetch-site': 'cross-site' })
    expect(foreign.body['reason']).toBe('csrf_failed')
    expect(await list(owner)).toHaveLength(3)
    expect((await owner.delete('/v1/sessions/others')).status).toBe(204)
    const statuses: number[] = []
    for (const browser of [owner, ...others, stranger]) statuses.push((await browser.get('/v1/session')).status)
    expect(statuses).toEqual([200, 401, 401, 200])
    expect(await list(owner)).toHaveLength(1)
  })

  test('can create a key within 15 minutes of the password, which confirms only one session', async () => {
    const { world } = opened
    const owner = await world.member(ADA)
    const other = await logIn(world)
    world.clock.millis += CONFIRMED_MILLIS - 1
    expect((await owner.post('/v1/keys', KEY)).status).toBe(201)
    world.clock.millis += 1
    const refused = await owner.post('/v1/keys', KEY)
    expect([refused.status, refused.body['reason']]).toEqual([403, 'confirmation_required'])
    const wrong = await owner.post(CONFIRMATIONS, { password: 'wrong' })
    expect([wrong.status, wrong.body['reason']]).toEqual([401, 'wrong_credentials'])
    expect((await owner.post('/v1/keys', KEY)).status).toBe(403)
    expect((await owner.post(CONFIRMATIONS, { password: GOOD_PASSWORD })).status).toBe(204)
    expect((await owner.post('/v1/keys', KEY)).status).toBe(201)
    expect((await other.post('/v1/keys', KEY)).status).toBe(403)
    world.clock.millis += CONFIRMED_MILLIS
    expect((await owner.post('/v1/keys', KEY)).status).toBe(403)
    // The password is only needed for changes that could take something from the owner.
    expect((await owner.get('/v1/keys')).status).toBe(200)
  })

  test('accept ten wrong passwords in 15 minutes, then not even the right one', async () => {
    const { world } = opened
    const owner = await world.member(ADA)
    for (let count = 0; count < 10; count++) {
      expect((await owner.post(CONFIRMATIONS, { password: 'wrong' })).status).toBe(401)
    }
    expect((await owner.post(CONFIRMATIONS, { password: GOOD_PASSWORD })).body['reason']).toBe('too_many_tries')
  })
})

test('a device is named by its browser and system', () => {
  const edge = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0'
  const iphone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605 Version/19.0 Mobile Safari/604'
  const android = 'Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile Safari/537.36'
  const named = [FIREFOX, edge, iphone, android, 'curl/8.1', 'Macintosh; Intel Mac OS X', '', '<b>', null].map(
    deviceName,
  )
  expect(named).toEqual([
    'Firefox on Linux',
    'Edge on Windows',
    'Safari on iPhone',
    'Chrome on Android',
    'curl',
    'macOS',
    null,
    null,
    null,
  ])
})
