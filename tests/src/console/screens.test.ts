// Tests every screen of the console with the real account API, in Chromium, at common widths and in both color schemes.
// Fails if axe finds a fault, if a screen is wider than its window, if a request goes to another origin, if the
// Content-Security-Policy is violated, or if a name is rendered as markup.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { openGate } from '../../../src/access/open-gate.ts'
import { FRENCH } from '../../../src/console/app/texts/french.ts'
import { bySize, SIZE } from '../../size.ts'
import { hasChromium, openChromium } from '../../watched-page.ts'
import { AccountWorld, GOOD_PASSWORD } from '../account-api/account-world.ts'
import { admitted, DAY_MILLIS, makeFolder, spend } from '../account-fixture.ts'
import { type Looks, Visit } from './visit.ts'

const ADA = 'ada@example.org'
const HOSTILE = `<img src=x onerror="window.ran=1"><svg onload=window.ran=2>"'`
if (SIZE === 'quick') console.log('left out: every screen of the console (ci and full)')
const LOOKS = bySize<readonly Looks[]>({
  quick: [],
  ci: [
    { width: 1280, colorScheme: 'dark' },
    { width: 360, colorScheme: 'light' },
  ],
  full: [360, 390, 600, 900, 1280, 2000].flatMap((width) => [
    { width, colorScheme: 'light' as const },
    { width, colorScheme: 'dark' as const },
  ]),
})
const FRENCH_LOOKS = bySize<readonly Looks[]>({
  quick: [],
  ci: [{ width: 390, colorScheme: 'dark', locale: 'fr-BE' }],
  full: [390, 1280].flatMap((width) => [
    { width, colorScheme: 'light' as const, locale: 'fr' },
    { width, colorScheme: 'dark' as const, locale: 'fr' },
  ]),
})
const PLANS_TO_CHOOSE = `[plans.starter]
self_service = true
price_text = "€20 a month"
[plans.pay_as_you_go]
self_service = true
`
/** Screens for visitors who are not logged in. */
const DOORS: readonly (readonly [path: string, title: string])[] = [
  ['/log-in', 'Log in'],
  ['/sign-up', 'Create an account'],
  ['/forgot', 'Set a new password'],
  ['/verify?token=none', 'Confirm your address'],
  ['/reset?token=none', 'Choose a new password'],
]
const ROOMS: readonly (readonly [path: string, title: string])[] = [
  ['/', 'Overview'],
  ['/keys', 'Keys'],
  ['/billing', 'Billing'],
  ['/activity', 'Activity'],
  ['/settings', 'Settings'],
]

if (hasChromium()) describe('the console in Chromium', describeScreens)

function describeScreens(): void {
  let browser: Browser
  let world: AccountWorld

  beforeAll(async () => {
    browser = await openChromium()
    const folder = makeFolder()
    writeFileSync(join(folder, 'quai.toml'), PLANS_TO_CHOOSE)
    world = await AccountWorld.open(folder, { flags: { trusted_proxies: ['127.0.0.1'] } })
    await fillAccount(world)
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    await world.close()
  })

  for (const looks of LOOKS) {
    test(`every screen, ${looks.width} pixels wide, ${looks.colorScheme}`, async () => {
      const visit = await Visit.open(browser, world.base, looks)
      const found: string[] = []
      const look = async (screen: string) => void found.push(...(await visit.listFaults(screen)))
      for (const [path, title] of DOORS) {
        await visit.goTo(path, title)
        await look(path)
      }
      // A link with an invalid token causes an error only when it is used, not when its page opens.
      expect(visit.errors).toEqual([])
      await logIn(visit)
      for (const [path, title] of ROOMS) {
        await visit.goTo(path, title)
        await visit.page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' })
        for (const summary of await visit.page.locator('summary').all()) await summary.click()
        await look(path)
      }
      await visit.goTo('/keys', 'Keys')
      await visit.press('button', 'Revoke CI')
      await look('the question before a key is revoked')
      await visit.press('button', 'Cancel')
      await visit.press('button', 'New key')
      await look('the form of a key')
      expect({ found, foreign: visit.foreign, faults: visit.faults }).toEqual({ found: [], foreign: [], faults: [] })
      await visit.close()
    }, 120_000)
  }

  for (const looks of FRENCH_LOOKS) {
    test(`every screen in French, ${looks.width} pixels wide, ${looks.colorScheme}`, async () => {
      const visit = await Visit.open(browser, world.base, looks)
      const found: string[] = []
      const look = async (screen: string) => void found.push(...(await visit.listFaults(screen)))
      await visit.goTo('/log-in', FRENCH.logIn)
      await look('/log-in')
      await visit.goTo('/sign-up', FRENCH.createAccountTitle)
      await look('/sign-up')
      await visit.goTo('/log-in', FRENCH.logIn)
      await visit.fill(FRENCH.email, ADA)
      await visit.fill(FRENCH.password, 'wrong password')
      await visit.press('button', FRENCH.logIn)
      await visit.untilText(FRENCH.refusals.wrong_credentials)
      await visit.fill(FRENCH.password, GOOD_PASSWORD)
      await visit.press('button', FRENCH.logIn)
      for (const [path, name] of [
        ['/', 'overview'],
        ['/keys', 'keys'],
        ['/billing', 'billing'],
        ['/activity', 'activity'],
        ['/settings', 'settings'],
      ] as const) {
        await visit.goTo(path, FRENCH[name])
        await visit.page.getByRole('status', { name: FRENCH.loading }).first().waitFor({ state: 'detached' })
        for (const summary of await visit.page.locator('summary').all()) await summary.click()
        await look(path)
      }
      await visit.untilText('Chrome sur Linux')
      expect(await visit.page.locator('html').getAttribute('lang')).toBe('fr')
      await visit.press('button', 'English')
      await visit.untilScreen('Settings')
      expect({ found, foreign: visit.foreign, faults: visit.faults }).toEqual({ found: [], foreign: [], faults: [] })
      await visit.close()
    }, 120_000)
  }

  test('a name is always text, never markup', async () => {
    const visit = await Visit.open(browser, world.base)
    await logIn(visit)
    for (const [path, title] of ROOMS.slice(0, 4)) {
      await visit.goTo(path, title)
      if (path !== '/billing') await visit.page.getByText('<img src=x').first().waitFor({ state: 'attached' })
    }
    await visit.goTo('/keys', 'Keys')
    await visit.press('button', `Rename ${HOSTILE}`)
    await visit.fill('Name', `${HOSTILE}!`)
    await visit.press('button', 'Rename')
    await visit.untilText('is now called')
    await visit.press('button', `Revoke ${HOSTILE}!`)
    await visit.page.getByRole('dialog').getByText(`${HOSTILE}!`).waitFor()
    const ran = await visit.page.evaluate('[window.ran ?? null, document.querySelectorAll("#console img").length]')
    expect([ran, visit.faults, visit.foreign]).toEqual([[null, 0], [], []])
    await visit.close()
  }, 60_000)

  test('a session ended elsewhere leads to the login screen, with a message', async () => {
    const visit = await Visit.open(browser, world.base)
    await logIn(visit)
    await visit.untilText('units in total')
    await visit.page.context().clearCookies()
    await visit.press('link', 'Keys')
    await visit.untilScreen('Log in')
    await visit.untilText('Your session has ended')
    await visit.close()
  }, 60_000)

  test('a closed month can be downloaded, with its units by day and key', async () => {
    const visit = await Visit.open(browser, world.base)
    await logIn(visit)
    await visit.goTo('/billing', 'Billing')
    const plans = visit.page.getByRole('region', { name: 'Plans and what they include' }).getByRole('row')
    await plans.filter({ hasText: 'Pay as you go' }).filter({ hasText: '€0.0005' }).waitFor()
    expect(await plans.filter({ hasText: 'Ask your operator' }).count()).toBe(4)
    const download = visit.page.waitForEvent('download')
    await visit.press('link', 'CSV for March 2026')
    const text = await Bun.file(await (await download).path()).text()
    expect(text).toContain('2026-03-10')
    await visit.close()
  }, 60_000)

  test('on a phone, the button to choose a plan is in view, and prices are labeled', async () => {
    const visit = await Visit.open(browser, world.base, { width: 390, colorScheme: 'light' })
    await logIn(visit)
    await visit.goTo('/billing', 'Billing')
    const button = visit.page.getByRole('button', { name: 'Choose Starter' })
    await button.waitFor()
    const box = await button.boundingBox()
    expect((box?.x ?? 390) + (box?.width ?? 0)).toBeLessThan(390)
    const names = await visit.page.evaluate<string[]>(
      `[...document.querySelectorAll('.plan-table tbody tr:first-child td')].map((each) => getComputedStyle(each, '::before').content)`,
    )
    expect(names.slice(0, 2)).toEqual(['"Price"', '"Included each month"'])
    const [price, included] = await Promise.all(
      [0, 1].map((at) => visit.page.locator('.plan-table tbody tr:first-child td').nth(at).boundingBox()),
    )
    expect(included?.y).toBe(price?.y) // side by side
    expect([await visit.listFaults('plans on a phone'), visit.faults]).toEqual([[], []])
    await visit.close()
  }, 60_000)

  test('choosing a plan needs a confirmation; plans that owners cannot choose are left to the operator', async () => {
    const visit = await Visit.open(browser, world.base)
    await logIn(visit)
    await visit.goTo('/billing', 'Billing')
    await visit.page
      .getByRole('button', { name: /^Choose / })
      .first()
      .waitFor()
    expect(await visit.page.getByRole('button', { name: /^Choose / }).count()).toBe(1)
    await visit.press('button', 'Choose Starter')
    await visit.untilText('Starter: €20 a month.')
    expect(await visit.listFaults('the question before a plan is changed')).toEqual([])
    await visit.press('button', 'Cancel')
    await visit.press('button', 'Choose Starter')
    await visit.press('button', 'Change to Starter')
    await visit.untilText('Your plan is now Starter.')
    await visit.page.locator('h1:focus').waitFor()
    await visit.page.getByRole('heading', { level: 2, name: 'Starter', exact: true }).waitFor()
    await visit.untilText('You can set a spend cap on Pay as you go.')
    await visit.press('button', 'Choose Pay as you go')
    await visit.press('button', 'Change to Pay as you go')
    await visit.untilText('Your plan is now Pay as you go.')
    await visit.page.getByLabel('Monthly spend cap (EUR)').waitFor()
    await visit.goTo('/activity', 'Activity')
    await visit.untilText('Plan changed to Starter')
    expect([visit.faults, visit.errors]).toEqual([[], []])
    await visit.close()
  }, 60_000)

  test('an unchanged overage is not reported as saved', async () => {
    const visit = await Visit.open(browser, world.base)
    await logIn(visit)
    await visit.goTo('/billing', 'Billing')
    await visit.press('button', 'Save')
    await visit.untilText('Nothing to save')
    await visit.fill('Monthly spend cap (EUR)', '0.00')
    await visit.press('button', 'Save')
    await visit.untilText('Enter a spend cap above 0')
    expect(await visit.page.getByText('Saved').count()).toBe(0)
    await visit.fill('Monthly spend cap (EUR)', '25')
    await visit.press('button', 'Save')
    await visit.untilText('Saved')
    await visit.close()
  }, 60_000)

  test('after too many wrong guesses by strangers, the owner is offered a link by email', async () => {
    const email = 'eve@example.org'
    for (let count = 0; count < 100; count++) {
      const from = { 'x-forwarded-for': `203.0.113.${count}` }
      expect((await world.browser().post('/v1/sessions', { email, password: 'wrong' }, from)).status).toBe(401)
    }
    const visit = await Visit.open(browser, world.base)
    await visit.goTo('/log-in', 'Log in')
    await visit.fill('Email', email)
    await visit.fill('Password', GOOD_PASSWORD)
    await visit.press('button', 'Log in')
    await visit.untilText('Request a password reset: the link in the email logs you in.')
    expect(await visit.allFindings()).toEqual([])
    await visit.press('link', 'Email me a link')
    await visit.untilScreen('Set a new password')
    await visit.close()
  }, 60_000)

  async function logIn(visit: Visit): Promise<void> {
    await visit.goTo('/log-in', 'Log in')
    await visit.fill('Email', ADA)
    await visit.fill('Password', GOOD_PASSWORD)
    await visit.press('button', 'Log in')
    await visit.untilScreen('Overview')
  }
}

/**
 * Fills an account with active and revoked keys, usage in a closed month and in the current one, overage, and the
 * events that these changes cause.
 */
async function fillAccount(world: AccountWorld): Promise<void> {
  const owner = await world.member(ADA)
  await world.accounts.operations.setPlan({ email: ADA, plan: 'pay_as_you_go' })
  await owner.send('PATCH', '/v1/billing', { overage_enabled: true, spend_cap_cents: 2_000 })
  const made: { id: string; key: string }[] = []
  for (const name of ['Departure board', HOSTILE, 'CI', 'Prototype']) {
    const { body } = await owner.post('/v1/keys', { name, scopes: ['transit:read', 'account:read'], expires_at: null })
    const listing: { id?: unknown } = Object(body['listing'])
    made.push({ id: String(listing.id), key: String(body['key']) })
  }
  const { gate } = openGate(structuredClone(await world.accounts.start()), 0, world.clock)
  const use = (units: number) => {
    for (const { key } of made.slice(0, 3)) spend(gate, admitted(gate, key), units)
  }
  use(400)
  world.clock.millis += 26 * DAY_MILLIS // 5 April: March is closed
  await world.accounts.flush()
  await world.accounts.closeMonths()
  use(3_000)
  const counts = [
    { route: '/v1/stops/{stop_id}/departures', answers: [2_912, 14, 61, 0] as const },
    { route: '/v1/networks/{network}/vehicles/stream', answers: [40, 0, 0, 2] as const },
    { route: 'other', answers: [0, 3, 0, 0] as const },
  ].map((count) => ({ ...count, keyId: made[0]?.id ?? '' }))
  world.accounts.routes.add({ utcDay: Math.floor(world.clock.millis / DAY_MILLIS), counts })
  await owner.delete(`/v1/keys/${made[3]?.id}`)
}
