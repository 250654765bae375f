// Visits all pages of a demo: the documentation, the operator pages, the console and the map. Passes each screen to
// `look`.
import type { Page } from 'playwright-core'
import { totpCode } from '../../src/account-api/totp.ts'
import { ENGLISH as CONSOLE_ENGLISH } from '../../src/console/app/texts/english.ts'
import { FRENCH as CONSOLE_FRENCH } from '../../src/console/app/texts/french.ts'
import { GUIDES, guidePath } from '../../src/docs/guides.ts'
import { ENGLISH as MAP_ENGLISH } from '../../src/explorer/app/texts/english.ts'
import { FRENCH as MAP_FRENCH } from '../../src/explorer/app/texts/french.ts'

const STATION = 'valmont:area:gare-centrale'
const TEXTS = ['/', '/status', '/docs/guides', '/docs/errors', '/docs/nothing']
const OPERATORS = [
  '/',
  '/explain',
  `/explain?network=valmont&stop=${STATION}`,
  '/explain?network=valmont&stop=gare',
  '/networks/valmont/import',
]
const DOORS = ['/log-in', '/sign-up', '/forgot', '/verify?token=none', '/reset?token=none', '/new-address?token=none']
const ROOMS = ['/', '/keys', '/billing', '/activity', '/settings']
const MAPS = [
  '',
  `/stop/${STATION}`,
  '/stop/valmont:area:nowhere',
  '/line/valmont:line:A',
  '/alerts',
  '/nearby?near=47.2075,0.6088',
  '/nearby',
  '/journey',
  `/journey?from=${STATION}&to=valmont:area:hopital-saint-jean`,
]

/** A demo, and the browser page that visits it. */
export interface Walked {
  readonly page: Page
  readonly isFrench: boolean
  /** Base URLs of the four ports. */
  readonly ports: { readonly api: string; readonly console: string; readonly operator: string; readonly map: string }
  /** What the demo printed. */
  readonly printed: string
  /** Called at each screen with the screen's name. */
  look(screen: string): Promise<void>
}

/**
 * Visits the pages on the API's port and the operator pages.
 * @param guides number of guides to visit
 */
export async function walkTexts({ page, ports, look }: Walked, guides: number): Promise<void> {
  for (const path of [...TEXTS, ...GUIDES.slice(0, guides).map(guidePath)]) {
    await page.goto(ports.api + path)
    await look(path)
  }
  await page.goto(`${ports.api}/docs`)
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await look('/docs')
  await page.goto(`${ports.api}/docs#tag/departures/GET/v1/stops/{stop_id}/departures`)
  await page.getByText('Show Schema').first().waitFor()
  await look('/docs, an operation')
  for (const path of OPERATORS) {
    await page.goto(ports.operator + path)
    await look(`operator ${path}`)
  }
}

/** Visits the screens of the console, before and after login, and their dialogs. */
export async function walkConsole(walked: Walked): Promise<void> {
  const { page, ports, look } = walked
  const texts = walked.isFrench ? CONSOLE_FRENCH : CONSOLE_ENGLISH
  for (const path of DOORS) {
    await page.goto(`${ports.console}/console#${path}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await look(`console ${path}`)
  }
  await page.goto(`${ports.console}/console#/log-in`)
  // Wrong passwords are tried for another account, since too many of them would lock the demo's account.
  await page.getByLabel(texts.email, { exact: true }).fill('unknown@localhost.example')
  await page.getByLabel(texts.password, { exact: true }).fill('a wrong one')
  await press(page, texts.logIn)
  await page.locator('.notice').waitFor()
  await look('console, a wrong password')
  await page.getByLabel(texts.email, { exact: true }).fill('demo@localhost.example')
  const password = /password (\S+);/.exec(walked.printed)?.[1] ?? ''
  await page.getByLabel(texts.password, { exact: true }).fill(password)
  await press(page, texts.logIn)
  await page.locator('nav.ways').waitFor()
  for (const path of ROOMS) {
    await page.goto(`${ports.console}/console#${path}`)
    await page.locator(`nav.ways a[href="#${path}"][aria-current]`).waitFor()
    await look(`console ${path}`)
  }
  await walkKeys(walked, texts)
  await walkSettings(walked, texts)
  await page.goto(`${ports.console}/console#/billing`)
  await page.locator('.plan-table button').first().click()
  await page.locator('dialog[open]').waitFor()
  await look('console, a plan to be chosen')
  await page.keyboard.press('Escape')
}

/** Creates a key, visits the screens and dialogs for keys, and revokes the key. */
async function walkKeys({ page, ports, look }: Walked, texts: typeof CONSOLE_ENGLISH): Promise<void> {
  await page.goto(`${ports.console}/console#/keys`)
  await press(page, texts.newKey)
  await page.locator('form .more summary').click()
  await look('console, a new key')
  await page.getByLabel(texts.name, { exact: true }).fill('Seen')
  await press(page, texts.createKey)
  await page.locator('.shown-key').waitFor()
  await look('console, the key')
  await press(page, texts.savedKey)
  await press(page, texts.revokeKey('Seen'))
  await page.locator('dialog[open]').waitFor()
  await look('console, a key to be revoked')
  await page.locator('dialog input').fill('none')
  await page.keyboard.press('Enter')
  await page.locator('dialog .notice').waitFor()
  await look('console, a key that is not revoked')
  await page.locator('dialog input').fill(((await page.locator('dialog code').first().textContent()) ?? '').slice(-4))
  await page.keyboard.press('Enter')
  await page.locator('dialog').waitFor({ state: 'detached' })
}

/**
 * Opens the forms and dialogs on the settings page. Turns the second factor on and off, and cancels the deletion of the
 * account.
 */
async function walkSettings({ page, ports, look }: Walked, texts: typeof CONSOLE_ENGLISH): Promise<void> {
  const { security } = texts
  await page.goto(`${ports.console}/console#/settings`)
  await press(page, security.changeAddress)
  await press(page, security.addPasskey)
  await press(page, security.setUpApp)
  await page.getByLabel(security.code, { exact: true }).waitFor()
  await look('console, settings with open forms')
  const secret = (await page.getByRole('region', { name: security.factor }).locator('code').textContent()) ?? ''
  await page.getByLabel(security.code, { exact: true }).fill(totpCode(secret.trim(), Date.now()))
  await page.keyboard.press('Enter')
  await page.locator('.recovery-codes').waitFor()
  await look('console, recovery codes')
  await press(page, security.savedCodes)
  await page.getByRole('button', { name: security.turnOff, exact: true }).waitFor()
  await look('console, a second factor')
  await press(page, security.turnOff)
  await page.getByRole('button', { name: security.setUpApp, exact: true }).waitFor()
  await press(page, security.deleteAccount)
  await page.locator('dialog[open]').waitFor()
  await look('console, the deletion')
  await page.keyboard.press('Escape')
}

/** Visits the screens of the map, and the parts that can be opened on them. */
export async function walkMap({ page, ports, printed, isFrench, look }: Walked): Promise<void> {
  const texts = isFrench ? MAP_FRENCH : MAP_ENGLISH
  await page.goto(ports.map)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await look('map, without a key')
  await page.goto(/http:\/\/localhost:\d+\/#key=\S+/.exec(printed)?.[0] ?? ports.map)
  await page.locator('.lines a').first().waitFor()
  await page.locator('.map-controls').waitFor()
  for (const path of MAPS) {
    await page.evaluate(`location.hash = '#/valmont${path}'`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await look(`map ${path}`)
  }
  await page.evaluate(`location.hash = '#/valmont/stop/${STATION}'`)
  await page.locator('.departures a').first().waitFor()
  await page.locator('details.more summary').first().click()
  await page.locator('details .choices button').first().click()
  await page.locator('.reasons').waitFor()
  await look('map, explanations')
  await page.locator('.departures a').first().click()
  await page.waitForURL(/\/trip\//)
  await page.locator('.string').last().waitFor()
  await look('map, a trip')
  await page.getByRole('combobox').first().fill('gare')
  await page.getByRole('option').first().waitFor()
  await look('map, a search')
  await page.keyboard.press('Escape')
  await press(page, texts.requests)
  await page.locator('.call').first().click()
  await page.locator('#call-json').waitFor()
  await look('map, a request')
}

function press(page: Page, name: string): Promise<void> {
  return page.getByRole('button', { name, exact: true }).click()
}
