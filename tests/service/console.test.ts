// Tests the console of a service that runs as a process, from source and, if QUAI_BINARY names a binary, from that
// binary. A newcomer starts with only an email address and gets to the first response with status 200, once by mouse
// and once with the keyboard alone. Fails if this takes too many clicks or minutes, or if something cannot be reached
// by keyboard.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { bySize } from '../size.ts'
import { slowTest } from '../slow-test.ts'
import { tabTo, Visit } from '../src/console/visit.ts'
import { hasChromium, openChromium } from '../watched-page.ts'
import { commandOf, ServiceFolder, until } from './running.ts'

/** Whether there is time for all tests. A quick run only tests a newcomer's way to the first response. */
const HAS_TIME = bySize({ quick: false, ci: true, full: true })
const MOST_CLICKS = 8
const MOST_MILLIS = 3 * 60_000
const PASSWORD = 'vierzig rote Regenschirme'
const CURL = /^curl -H '(Authorization: Bearer (quai_p_\w+))' (\S+)$/

if (hasChromium()) {
  for (const [kind, port] of [
    ['source', 19_140],
    ['binary', 19_145],
  ] as const) {
    if (kind === 'source' || process.env['QUAI_BINARY'] !== undefined) describe(kind, () => describeConsole(kind, port))
  }
}

function describeConsole(kind: 'source' | 'binary', port: number): void {
  const base = `http://localhost:${port + 2}`
  let folder: ServiceFolder
  let service: Bun.Subprocess<'ignore', 'pipe', 'pipe'>
  let browser: Browser
  let output = ''

  beforeAll(async () => {
    folder = new ServiceFolder(commandOf(kind))
    const ports = ['--port', `${port}`, '--account-port', `${port + 2}`, '--admin-port', `${port + 1}`]
    service = folder.spawn('serve', '--workers', '1', ...ports)
    void collect(service.stderr, (text) => {
      output += text
    })
    browser = await openChromium()
    const readyz = `http://127.0.0.1:${port + 1}/readyz`
    await until(async () => (await fetch(readyz).catch(() => undefined))?.status === 200, 'the service is ready')
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    service.kill('SIGTERM')
    await service.exited
    rmSync(folder.folder, { recursive: true })
  })

  slowTest(
    'from sign-up to the first 200 and a revoked key',
    async () => {
      const started = performance.now()
      const visit = await Visit.open(browser, base)
      const { page } = visit
      const findings: string[] = []
      const look = async () => findings.push(...(await visit.allFindings()))
      await page.goto('/')
      await visit.press('link', 'Create an account')
      await visit.fill('Email', 'mouse@example.org')
      await visit.fill('Password', PASSWORD)
      await visit.press('button', 'Create account')
      await visit.untilScreen('Check your email')
      await look()
      visit.clicks++ // for the click on the link in the email
      await page.goto(await mailedLink('mouse@example.org'))
      await visit.press('button', 'Confirm and continue')
      await visit.untilScreen('Create your first key')
      await look()
      await visit.press('button', 'Create key')
      await visit.press('button', 'Copy the first call')
      await look()
      const copied = await page.evaluate<string>('navigator.clipboard.readText()')
      const status = await runCurl(copied)
      const millis = performance.now() - started
      expect([status, visit.clicks <= MOST_CLICKS, millis < MOST_MILLIS]).toEqual([200, true, true])
      await visit.untilText('It works')
      await visit.press('button', 'I’ve saved my key')

      const key = CURL.exec(copied)?.[2] ?? ''
      await visit.untilScreen('Overview')
      expect((await page.content()).includes(key)).toBe(false)
      await visit.press('link', 'Keys')
      await visit.press('button', 'Revoke First key')
      await page.getByLabel(/last four/).fill('none')
      await visit.press('button', 'Revoke key')
      await page
        .getByText(`Type ${key.slice(-4)}`)
        .last()
        .waitFor()
      expect(await runCurl(copied)).toBe(200) // the key was not revoked, since its last four characters were mistyped
      await page.getByLabel(/last four/).fill(key.slice(-4))
      await visit.press('button', 'Revoke key')
      await visit.untilText('is revoked')
      await visit.page.locator('h1:focus').waitFor()
      expect(await runCurl(copied)).toBe(401)
      await seeFirstCall(visit)
      expect([findings, visit.foreign, visit.faults]).toEqual([[], [], []])
      await visit.close()
    },
    120_000,
  )

  /**
   * Creates a second key and calls the API with it. The list of keys is already on the screen, and must then show the
   * call.
   */
  async function seeFirstCall(visit: Visit): Promise<void> {
    const { page } = visit
    await visit.press('button', 'New key')
    await visit.fill('Name', 'Second')
    await visit.press('button', 'Create key')
    await visit.press('button', 'Copy the first call')
    const row = page.locator('.key').filter({ hasText: 'Second' })
    await row.getByText('Units today').waitFor()
    expect(await row.textContent()).toContain('Last usednever')
    await runCurl(await page.evaluate<string>('navigator.clipboard.readText()'))
    await visit.untilText('It works')
    await until(async () => (await row.textContent())?.includes('Last usednever') === false, 'the list shows the call')
  }

  test.if(HAS_TIME)(
    'everything works by keyboard, with a visible focus',
    async () => {
      const visit = await Visit.open(browser, base, { width: 360, colorScheme: 'dark' })
      const { page } = visit
      const { keyboard } = page
      const follow = async (name: string | RegExp, key = 'Enter') => {
        await tabTo(page, name)
        await keyboard.press(key)
      }
      const type = async (name: string | RegExp, text: string) => {
        await tabTo(page, name)
        await keyboard.press('ControlOrMeta+a')
        await keyboard.type(text)
      }
      await visit.goTo('/', 'Log in')
      await follow('Create an account')
      await visit.untilScreen('Create an account')
      await type('Email', 'keys@example.org')
      await type('Password', PASSWORD)
      await keyboard.press('Enter')
      await visit.untilScreen('Check your email')
      await page.goto(await mailedLink('keys@example.org'))
      await visit.untilScreen('Confirm your address')
      await follow('Confirm and continue', 'Space')
      await visit.untilScreen('Create your first key')
      await type('Name', 'By keys')
      await follow('Scopes and expiry', 'Space')
      await follow(/account:read/, 'Space')
      await follow('Create key')
      await visit.untilText('Copy your key now')
      await follow('Copy the key')
      const key = await page.evaluate<string>('navigator.clipboard.readText()')
      expect(key).toMatch(/^quai_p_\w{49}$/)
      await follow('I’ve saved my key')
      await visit.untilText('included units used')
      await tabTo(page, 'Days')
      await keyboard.press('ArrowDown')
      await follow('Keys')
      await visit.untilScreen('Keys')
      await follow('Rename By keys')
      await keyboard.press('ControlOrMeta+a')
      await keyboard.type('By hand')
      await keyboard.press('Enter')
      await visit.untilText('is now called')
      await follow('Revoke By hand')
      await keyboard.type(key.slice(-4))
      await keyboard.press('Escape')
      await follow('Revoke By hand')
      await keyboard.type(key.slice(-4))
      await keyboard.press('Enter')
      await visit.untilText('is revoked')
      await folder.run('accounts', 'set-plan', 'keys@example.org', 'pay_as_you_go')
      await follow('Billing')
      await visit.untilText('Monthly spend cap (EUR)')
      await follow(/^Keep serving/, 'Space')
      await type('Monthly spend cap (EUR)', '12.50')
      await keyboard.press('Enter')
      await visit.untilText('Saved')
      await follow('Settings')
      await visit.untilScreen('Settings')
      await follow('Log out everywhere')
      await visit.untilText('You are logged out everywhere')
      expect([visit.clicks, visit.foreign, visit.faults]).toEqual([0, [], []])
      await visit.close()
    },
    120_000,
  )

  test.if(HAS_TIME)(
    'a forgotten password is reset, and changing the password keeps the page open',
    async () => {
      const visit = await Visit.open(browser, base)
      await visit.goTo('/log-in', 'Log in')
      await visit.press('link', 'Forgot your password?')
      await visit.fill('Email', 'keys@example.org')
      await visit.press('button', 'Send the link')
      await visit.page.goto(await mailedLink('keys@example.org', 'reset'))
      await visit.fill('New password', `${PASSWORD} anew`)
      await visit.press('button', 'Set password')
      await visit.untilScreen('Overview')
      expect(visit.page.url()).not.toContain('token')
      await visit.press('link', 'Settings')
      await visit.fill('Current password', 'a wrong one')
      await visit.fill('New password', `${PASSWORD} again`)
      await visit.press('button', 'Change password')
      await visit.page.getByRole('alert').waitFor()
      await visit.fill('Current password', `${PASSWORD} anew`)
      await visit.press('button', 'Change password')
      await visit.untilText('Password changed')
      await visit.press('link', 'Keys')
      await visit.press('button', 'New key')
      await visit.fill('Name', 'After it')
      await visit.press('button', 'Create key')
      await visit.untilText('Copy your key now')
      await visit.close()
    },
    120_000,
  )

  /** The first link to the given page in the emails to an address. The service prints the emails that it sends. */
  async function mailedLink(email: string, page = 'verify'): Promise<string> {
    const link = new RegExp(`--- email to ${email}:[^]*?(http\\S+/console#/${page}\\?token=[\\w-]+)`)
    await until(() => link.test(output), `an email to ${email} is printed`)
    return link.exec(output)?.[1] ?? ''
  }
}

/** Passes each piece of a stream to `take`, until the stream ends. */
async function collect(stream: ReadableStream<Uint8Array>, take: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder()
  for await (const chunk of stream) take(decoder.decode(chunk, { stream: true }))
}

/** Makes the request of a copied curl command. Returns the response status. */
async function runCurl(line: string): Promise<number> {
  const [, header = '', , url] = CURL.exec(line) ?? []
  if (url === undefined) throw new Error(`"${line}" is not a call of the form that the console shows`)
  const [name = '', value = ''] = header.split(': ')
  const answer = await fetch(url, { headers: { [name]: value } })
  await answer.bytes()
  return answer.status
}
