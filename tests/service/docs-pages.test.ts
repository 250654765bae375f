// Tests the API's reference, its guides and its error pages in a browser. Fails if a page requests something from
// another host, violates its Content-Security-Policy, is too wide for a phone, or is not accessible in the light or
// dark color scheme.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { GUIDES_PATH } from '../../src/docs/docs-page.ts'
import { GUIDES, guidePath } from '../../src/docs/guides.ts'
import { SIZE } from '../size.ts'
import { type Looks, Visit } from '../src/console/visit.ts'
import { hasChromium, openChromium } from '../watched-page.ts'
import { commandOf, end, ServiceFolder, type Serving, until } from './running.ts'

const PORT = 19_630
const LOOKS: readonly Looks[] = [
  { width: 1280, colorScheme: 'light' },
  { width: 390, colorScheme: 'dark' },
]
const PAGES = ['/', '/status', GUIDES_PATH, '/docs/errors', ...GUIDES.map(guidePath)]

if (SIZE === 'quick') console.log('left out: the pages about the API in a browser (ci and full)')
else if (hasChromium()) describe('the pages about the API', describePages)

function describePages(): void {
  let service: ServiceFolder
  let serving: Serving
  let browser: Browser
  beforeAll(async () => {
    service = new ServiceFolder(commandOf('source'))
    serving = await service.serve({ workers: 1, port: PORT })
    browser = await openChromium()
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    await end(serving)
    rmSync(service.folder, { recursive: true })
  })

  test.each(LOOKS)(
    'readable: %j',
    async (looks) => {
      const visit = await Visit.open(browser, serving.base, looks)
      for (const path of PAGES) {
        await visit.page.goto(path)
        const findings = await visit.allFindings()
        const overflow = await visit.overflowPixels()
        expect({ path, findings, overflow }).toEqual({ path, findings: [], overflow: 0 })
      }
      expect({ foreign: visit.foreign, faults: visit.faults, errors: visit.errors }).toEqual({
        foreign: [],
        faults: [],
        errors: [],
      })
      await visit.close()
    },
    60_000,
  )

  test('samples can be copied; of commands with output, only the commands', async () => {
    const visit = await Visit.open(browser, serving.base)
    await visit.page.goto(`${GUIDES_PATH}/quick-start`)
    await visit.press('button', 'Copy')
    await visit.page.getByRole('button', { name: 'Copied' }).waitFor()
    const copied = await visit.page.evaluate<string>('navigator.clipboard.readText()')
    expect(copied).toBe(`export QUAI_URL=http://localhost:${PORT}\nexport QUAI_KEY=quai_p_…`)
    expect([await visit.page.locator('.answer .copy').count(), visit.faults, visit.errors]).toEqual([0, [], []])
    await visit.close()
  }, 30_000)

  test.each(LOOKS)(
    'the reference has the frame of all pages, for everybody: %j',
    async (looks) => {
      const visit = await Visit.open(browser, serving.base, looks)
      await visit.page.goto('/docs')
      await visit.page.getByRole('heading', { level: 1, name: 'Quai' }).waitFor()
      const reference = visit.page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Reference' })
      expect(await reference.getAttribute('aria-current')).toBe('page')
      expect([await visit.allFindings(), visit.faults, visit.errors]).toEqual([[], [], []])
      await visit.close()
    },
    30_000,
  )

  test('the reference has samples with the client', async () => {
    const visit = await Visit.open(browser, serving.base)
    await visit.page.goto('/docs#tag/departures/GET/v1/stops/{stop_id}/departures')
    await visit.page.waitForFunction("document.body.innerText.includes('await quai.listDepartures(')")
    expect([visit.faults, visit.errors]).toEqual([[], []])
    await visit.close()
  }, 30_000)

  test('the reference tries a call with only the required parameters, and draws no frame around what a link opened', async () => {
    const key = await service.makeKey('reader')
    // Opens the reference at the origin that the OpenAPI document names as its server.
    const visit = await Visit.open(browser, `http://localhost:${PORT}`)
    const { page } = visit
    const calls: string[] = []
    await page.route(/\/v1\//, async (route) => {
      const headers = { ...route.request().headers(), authorization: `Bearer ${key}` }
      const response = await route.fetch({ headers })
      const { pathname, searchParams } = new URL(route.request().url())
      calls.push(`${response.status()} ${decodeURIComponent(pathname)} ${[...searchParams.keys()].join(' ')}`)
      await route.fulfill({ response })
    })
    for (const path of ['/v1/stops/{stop_id}/explanations', '/v1/networks/{network}/stops']) {
      const tag = path.endsWith('/stops') ? 'stops' : 'departures'
      await page.goto('about:blank')
      await page.goto(`/docs#tag/${tag}/GET${path}`)
      await page.locator('section[tabindex="-1"]:focus-visible').waitFor()
      expect(await page.evaluate<string>('getComputedStyle(document.activeElement).outlineStyle')).toBe('none')
      const before = calls.length
      await page.getByRole('button', { name: new RegExp(`Test Request ?\\(get ${RegExp.escape(path)}\\)`) }).click()
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /Send get request/ })
        .click()
      await until(() => calls.length > before, 'the call is answered')
    }
    expect(calls).toEqual([
      '200 /v1/stops/ville:stop:G/explanations line when',
      '200 /v1/networks/ville/stops radius limit',
    ])
    expect(visit.faults).toEqual([])
    await visit.close()
  }, 60_000)

  test('the reference shows every group and links to the guides', async () => {
    const visit = await Visit.open(browser, serving.base)
    await visit.page.goto('/docs')
    for (const group of ['Networks', 'Departures', 'Places', 'Journeys']) await visit.untilText(group)
    await visit.press('link', 'Quick start')
    await visit.untilScreen('Quick start')
    const { foreign, faults, errors } = visit
    expect({ foreign, faults, errors }).toEqual({ foreign: [], faults: [], errors: [] })
    expect((await fetch(`${serving.base}/docs`)).headers.get('content-security-policy')).not.toContain('unsafe-eval')
    await visit.close()
  }, 60_000)
}
