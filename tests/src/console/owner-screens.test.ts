// Tests in Chromium what owners can do in the console, with the real account API. Fails if a step does not lead to the
// next, or if axe finds a fault at any step.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { totpCode } from '../../../src/account-api/totp.ts'
import { hasChromium, openChromium } from '../../watched-page.ts'
import { AccountWorld, GOOD_PASSWORD } from '../account-api/account-world.ts'
import { ADA, logIn } from '../account-api/owner-worlds.ts'
import { makeFolder } from '../account-fixture.ts'
import { Visit } from './visit.ts'

const QUARTER_MILLIS = 15 * 60_000

if (hasChromium()) describe('an owner in Chromium', describeOwner)

function describeOwner(): void {
  let browser: Browser
  let world: AccountWorld
  let visit: Visit

  beforeAll(async () => {
    browser = await openChromium()
  }, 60_000)
  afterAll(() => browser.close())
  beforeEach(async () => {
    world = await AccountWorld.open(makeFolder())
    await world.member(ADA)
    visit = await Visit.open(browser, world.base)
  })
  afterEach(async () => {
    await visit.close()
    await world.close()
  })

  /** Checks that axe finds no fault on the current screen, and that the page has sent no request to another origin. */
  async function look(): Promise<void> {
    expect({ found: await visit.allFindings(), foreign: visit.foreign }).toEqual({ found: [], foreign: [] })
  }

  /** Takes screenshots if the environment variable names a folder for them. */
  async function shoot(name: string): Promise<void> {
    const folder = process.env['QUAI_SCREENSHOTS']
    if (folder === undefined) return
    for (const width of [1280, 390]) {
      for (const colorScheme of ['light', 'dark'] as const) {
        await visit.page.setViewportSize({ width, height: 820 })
        await visit.page.emulateMedia({ colorScheme })
        await visit.page.screenshot({ path: `${folder}/${name}-${width}-${colorScheme}.png`, fullPage: true })
      }
    }
    await visit.page.setViewportSize({ width: 1280, height: 820 })
  }

  async function enter(): Promise<void> {
    await visit.goTo('/log-in', 'Log in')
    await visit.fill('Email', ADA)
    await visit.fill('Password', GOOD_PASSWORD)
    await visit.press('button', 'Log in')
    await visit.page.getByRole('button', { name: 'Log out', exact: true }).waitFor()
  }

  test('sees where the account is logged in, and ends the other sessions', async () => {
    const elsewhere = await logIn(world)
    await enter()
    await visit.goTo('/settings', 'Settings')
    await visit.untilText('Chrome on Linux')
    await visit.untilText('this session')
    expect(await visit.page.getByText('Unknown browser').count()).toBe(2)
    await look()
    await visit.press('button', 'End all other sessions')
    await visit.page.getByText('Unknown browser').first().waitFor({ state: 'detached' })
    expect((await elsewhere.get('/v1/session')).status).toBe(401)
    await visit.press('button', 'Log out everywhere')
    await visit.untilScreen('Log in')
  }, 60_000)

  test('turns the second factor on, loses the app, and logs in with a recovery code', async () => {
    await enter()
    await visit.goTo('/settings', 'Settings')
    await visit.press('button', 'Set up an app')
    await visit.page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor()
    const secret = await visit.page.locator('.copy-line code').last().textContent()
    await look()
    await shoot('factor-setup')
    await visit.fill('Code', totpCode(secret ?? '', world.clock.millis - 600_000))
    await visit.press('button', 'Turn on')
    await visit.untilText('This code is wrong')
    await visit.fill('Code', totpCode(secret ?? '', world.clock.millis))
    await visit.press('button', 'Turn on')
    await visit.untilText('Keep these recovery codes')
    const codes = await visit.page.locator('.recovery-codes code').allTextContents()
    expect(codes).toHaveLength(10)
    await look()
    await shoot('factor-codes')
    await visit.press('button', 'I’ve saved the codes')
    await visit.untilText('10 recovery codes left.')
    await visit.press('button', 'Log out')
    await visit.untilScreen('Log in')
    await visit.fill('Email', ADA)
    await visit.fill('Password', GOOD_PASSWORD)
    await visit.press('button', 'Log in')
    await visit.untilText('Enter a code from your authenticator app.')
    await look()
    await shoot('factor-log-in')
    await visit.fill('Code', codes[0] ?? '')
    await visit.press('button', 'Log in')
    await visit.page.getByRole('button', { name: 'Log out', exact: true }).waitFor()
    await visit.goTo('/settings', 'Settings')
    await visit.untilText('9 recovery codes left.')
    await visit.press('button', 'Turn off')
    await visit.untilText('A stolen password alone is not enough.')
    await visit.goTo('/activity', 'Activity')
    for (const text of ['Second factor turned off', 'Logged in with a recovery code', 'Second factor turned on']) {
      await visit.untilText(text)
    }
  }, 60_000)

  test('changes the address, and confirms it at the new one', async () => {
    await enter()
    await visit.goTo('/settings', 'Settings')
    await visit.press('button', 'Change email address')
    await visit.fill('New email address', 'ada@new.example')
    await look()
    await shoot('address')
    await visit.press('button', 'Send the link')
    await visit.untilText('We sent a link to ada@new.example')
    await world.untilMails(3)
    await visit.goTo(`/new-address?token=${world.lastToken('new-address')}`, 'New email address')
    await look()
    await shoot('new-address')
    await visit.press('button', 'Use this address')
    await visit.untilText('Your account now uses this address.')
    await visit.press('link', 'Go to settings')
    await visit.untilScreen('Settings')
    await visit.page.getByRole('definition').getByText('ada@new.example').waitFor()
  }, 60_000)

  test('adds a passkey, logs in with it, and removes it', async () => {
    const { port } = new URL(world.base)
    const own = await Visit.open(browser, `http://localhost:${port}`)
    const devtools = await own.page.context().newCDPSession(own.page)
    await devtools.send('WebAuthn.enable')
    const device = {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
    } as const
    const options = { ...device, isUserVerified: true, automaticPresenceSimulation: true }
    const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', { options })
    await visit.close()
    visit = own
    await enter()
    await visit.goTo('/settings', 'Settings')
    await visit.press('button', 'Add a passkey')
    await visit.fill('Passkey name', 'laptop')
    await look()
    await shoot('passkey')
    await visit.press('button', 'Continue on this device')
    await visit.page.getByRole('button', { name: 'Remove laptop' }).waitFor()
    await visit.press('button', 'Log out')
    await visit.untilScreen('Log in')
    await look()
    await shoot('log-in')
    await visit.press('button', 'Log in with a passkey')
    await visit.page.getByRole('button', { name: 'Log out', exact: true }).waitFor()
    await visit.goTo('/settings', 'Settings')
    await visit.press('button', 'Remove laptop')
    await visit.page.getByRole('button', { name: 'Remove laptop' }).waitFor({ state: 'detached' })
    await visit.press('button', 'Log out')
    await visit.untilScreen('Log in')
    await visit.press('button', 'Log in with a passkey')
    await visit.untilText('This passkey is not accepted.')
    await devtools.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId })
  }, 60_000)

  test('deletes the account, after typing its address', async () => {
    await enter()
    world.clock.millis += QUARTER_MILLIS
    await visit.goTo('/settings', 'Settings')
    await look()
    await shoot('settings')
    await visit.press('button', 'Delete account')
    await look()
    await shoot('deletion')
    await visit.fill(`To confirm, type your account’s email address: ${ADA}`, 'eve@example.org')
    await visit.press('button', 'Delete for good')
    await visit.untilText(`Type ${ADA} exactly as shown.`)
    await visit.fill(`To confirm, type your account’s email address: ${ADA}`, ADA)
    await visit.press('button', 'Delete for good')
    await visit.page.getByRole('dialog').last().getByLabel('Current password', { exact: true }).fill(GOOD_PASSWORD)
    await visit.page.getByRole('dialog').last().getByRole('button', { name: 'Show the password' }).waitFor()
    await look()
    await visit.press('button', 'Continue')
    await visit.untilScreen('Log in')
    await visit.untilText('Your account is deleted.')
    expect((await world.accounts.store.findAccount(ADA))?.deletedAtMillis).toBe(world.clock.millis)
  }, 60_000)

  test('must enter the password again to create a key, if the login is not recent', async () => {
    await enter()
    world.clock.millis += QUARTER_MILLIS
    await visit.goTo('/keys', 'Keys')
    await visit.press('button', 'New key')
    await visit.fill('Name', 'board')
    await visit.press('button', 'Create key')
    await visit.untilText('Enter your password')
    await look()
    await visit.page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await visit.untilText('Enter your password to make this change.')
    await visit.press('button', 'Create key')
    await visit.fill('Current password', 'wrong')
    await visit.press('button', 'Continue')
    await visit.untilText('The email address or password is wrong.')
    await visit.fill('Current password', GOOD_PASSWORD)
    await visit.press('button', 'Continue')
    await visit.untilText('Copy your key now')
  }, 60_000)
}
