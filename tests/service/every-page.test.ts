// Accessibility of every page: no findings of axe, with default and best-practice rules, and nothing wider than the
// window, in both languages, in light and dark, on a desktop and on a phone; and with the few colors of high contrast,
// in which each state must be visible. Fails if a page has a finding, or if a state or a bar is only shown by its
// background.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import type { Browser } from 'playwright-core'
import { GUIDES, guidePath } from '../../src/docs/guides.ts'
import { bySize, SEED } from '../size.ts'
import { hasChromium, openChromium, WatchedPage } from '../watched-page.ts'
import { commandOf, until } from './running.ts'

const PORT = 19_950
const PORTS = [0, 1, 2, 3].map((more) => `http://localhost:${PORT + more}`)
const [API, CONSOLE, OPERATOR, MAP] = PORTS
/** A weekday's morning: at night few vehicles run. */
const MORNING = '2026-11-17T07:40:00Z'
const STATION = 'valmont:area:gare-centrale'

/** How a page is looked at. */
interface Looks {
  readonly width: number
  readonly colorScheme: 'light' | 'dark'
  readonly locale: string
  readonly forcedColors: 'active' | 'none'
}

const ALL_LOOKS: readonly Looks[] = [390, 1280].flatMap((width) =>
  (['light', 'dark'] as const).flatMap((colorScheme) =>
    ['en-GB', 'fr-FR'].flatMap((locale) =>
      (['none', 'active'] as const).map((forcedColors) => ({ width, colorScheme, locale, forcedColors })),
    ),
  ),
)
const DRAWN = bySize({ quick: 1, ci: 3, full: ALL_LOOKS.length })
const LOOKS = fc.sample(fc.shuffledSubarray([...ALL_LOOKS], { minLength: DRAWN, maxLength: DRAWN }), {
  numRuns: 1,
  seed: SEED,
})[0]

const GUIDES_READ = bySize({ quick: 2, ci: 3, full: GUIDES.length })
/** A visitor of all ports. */
class AnyPage extends WatchedPage {
  static async open(browser: Browser, { width, ...scheme }: Looks): Promise<AnyPage> {
    const context = await browser.newContext({ viewport: { width, height: 820 }, reducedMotion: 'reduce', ...scheme })
    return new AnyPage(context, await context.newPage(), [...PORTS, 'null'])
  }
}

const ROOMS = ['/', '/keys', '/billing', '/activity', '/settings']
const DOORS = ['/log-in', '/sign-up', '/forgot']
const MAPS = ['', `/stop/${STATION}`, '/line/valmont:line:A', '/alerts', '/nearby?near=47.2075,0.6088', '/nearby']
const JOURNEY = `/journey?from=${STATION}&to=valmont:area:hopital-saint-jean`
const TEXTS = ['/', '/status', '/docs/guides', '/docs/errors', ...GUIDES.slice(0, GUIDES_READ).map(guidePath)]
const OPERATORS = ['/', '/explain', '/networks/valmont/import']

if (hasChromium()) {
  const folder = mkdtempSync(join(tmpdir(), 'quai-pages-'))
  let demo: Bun.Subprocess<'ignore', 'pipe', 'ignore'>
  let browser: Browser
  let printed = ''

  beforeAll(async () => {
    const ports = {
      QUAI_ACCOUNT_PORT: `${PORT + 1}`,
      QUAI_ADMIN_PORT: `${PORT + 2}`,
      QUAI_EXPLORER_PORT: `${PORT + 3}`,
      QUAI_PLANS_STARTER_SELF_SERVICE: 'true',
    }
    const env = { ...process.env, ...ports, QUAI_CLOCK: MORNING }
    const words = ['demo', '--port', `${PORT}`, '--data', folder]
    demo = Bun.spawn([...commandOf('source'), ...words], { stdin: 'ignore', stdout: 'pipe', stderr: 'ignore', env })
    void (async () => {
      for await (const piece of demo.stdout.pipeThrough(new TextDecoderStream())) printed += piece
    })()
    await until(() => printed.includes('Ctrl-C'), 'the demo runs')
    browser = await openChromium()
  }, 120_000)
  afterAll(async () => {
    await browser.close()
    demo.kill()
    await demo.exited
    rmSync(folder, { recursive: true, force: true })
  })

  test.each([...LOOKS])(
    '%j',
    async (looks) => {
      const visit = await AnyPage.open(browser, looks)
      const found: string[] = []
      const look = async (address: string) => {
        await visit.page.locator('.waiting').first().waitFor({ state: 'detached' })
        found.push(...(await visit.listFaults(address)))
        // The reference is drawn by Scalar; its header is that of all pages.
        if (looks.forcedColors === 'active' && address !== '/docs') {
          for (const state of await visit.page.evaluate<string[]>(UNSEEN_STATES)) found.push(`${address}: ${state}`)
        }
      }
      for (const path of TEXTS) {
        await visit.page.goto(API + path)
        await look(path)
      }
      await visit.page.goto(`${API}/docs`)
      await visit.page.getByRole('heading', { level: 1 }).first().waitFor()
      await look('/docs')
      for (const path of OPERATORS) {
        await visit.page.goto(OPERATOR + path)
        await look(`operator ${path}`)
      }
      await lookAtConsole(visit, look, looks.locale.startsWith('fr'))
      await lookAtMap(visit, look)
      expect({ found, foreign: visit.foreign, faults: visit.faults }).toEqual({ found: [], foreign: [], faults: [] })
      await visit.close()
    },
    180_000,
  )

  async function lookAtConsole({ page }: WatchedPage, look: (address: string) => Promise<void>, isFrench: boolean) {
    for (const path of DOORS) {
      await page.goto(`${CONSOLE}/console#${path}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await look(`console ${path}`)
    }
    await page.goto(`${CONSOLE}/console#/log-in`)
    await page.getByLabel(isFrench ? 'Adresse e-mail' : 'E-mail', { exact: true }).fill('demo@localhost.example')
    const password = /password (\S+);/.exec(printed)?.[1] ?? ''
    await page.getByLabel(isFrench ? 'Mot de passe' : 'Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: isFrench ? 'Se connecter' : 'Log in', exact: true }).click()
    await page.locator('nav.ways').waitFor()
    for (const path of ROOMS) {
      await page.goto(`${CONSOLE}/console#${path}`)
      await page.locator(`nav.ways a[href="#${path}"][aria-current]`).waitFor()
      await look(`console ${path}`)
    }
  }

  async function lookAtMap({ page }: WatchedPage, look: (address: string) => Promise<void>) {
    await page.goto(/http:\/\/localhost:\d+\/#key=\S+/.exec(printed)?.[0] ?? MAP ?? '')
    await page.locator('.lines a').first().waitFor()
    await page.locator('.map-controls').waitFor()
    for (const path of [...MAPS, JOURNEY]) {
      await page.evaluate(`location.hash = '#/valmont${path}'`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await look(`map ${path}`)
    }
    await page.evaluate(`location.hash = '#/valmont/stop/${STATION}'`)
    await page.locator('.departures a').first().click()
    await page.waitForURL(/\/trip\//)
    await page.locator('.string').last().waitFor()
    await look('map, a trip')
  }
}

/** States without a line, a border or a system color, and bars in the color of their background. */
const UNSEEN_STATES = `(() => {
  const ground = getComputedStyle(document.body).backgroundColor
  const isDrawn = (element) => {
    const style = getComputedStyle(element)
    const hasBorder = style.borderBottomStyle !== 'none' && style.borderBottomWidth !== '0px'
    // Browsers draw their own boxes with system colors.
    const isNative = ['checkbox', 'radio'].includes(element.type) && style.appearance === 'auto'
    return isNative || style.outlineStyle !== 'none' || hasBorder || style.forcedColorAdjust === 'none'
  }
  const isShown = (element) => element.checkVisibility() && element.getBoundingClientRect().width > 1
  const states = [...document.querySelectorAll('[aria-current], [aria-pressed="true"], [aria-selected="true"], :checked')]
    .filter((element) => isShown(element) && element.tagName !== 'OPTION')
    .filter((element) => ![element, ...element.querySelectorAll('*')].some(isDrawn))
  const bars = [...document.querySelectorAll('.bar > div, .share')]
    .filter((element) => isShown(element) && getComputedStyle(element).backgroundColor === ground)
  const controls = [...document.querySelectorAll('input:not([type="hidden"]), select, textarea')]
    .filter((element) => isShown(element) && !isDrawn(element) && !isDrawn(element.parentElement))
  return [...states, ...bars, ...controls].map((element) => 'not seen: ' + element.outerHTML.slice(0, 120))
})()`
