// Tests the accessibility of every page, in both languages, in light and dark color schemes, on a desktop and on a
// phone. Fails if axe finds a violation of its default or best-practice rules, or if something is wider than the
// window. Also fails if a state (such as selected) or a bar cannot be seen in the few colors of high-contrast mode.
// This mode removes backgrounds, so a background alone must not show a state or a bar.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import type { Browser } from 'playwright-core'
import { GUIDES } from '../../src/docs/guides.ts'
import { bySize, SEED } from '../size.ts'
import { hasChromium, openChromium, WatchedPage } from '../watched-page.ts'
import { walkConsole, walkMap, walkTexts } from './page-walks.ts'
import { commandOf, until } from './running.ts'
import { FAINT_TEXTS } from './undecided-contrast.ts'

const PORT = 19_950
const PORTS = {
  api: `http://localhost:${PORT}`,
  console: `http://localhost:${PORT + 1}`,
  operator: `http://localhost:${PORT + 2}`,
  map: `http://localhost:${PORT + 3}`,
}
/** The time at which the demo's clock starts: a weekday morning, since few vehicles run at night. */
const MORNING = '2026-11-17T07:40:00Z'

/** How a page is displayed. */
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

/** A browser page that may open pages from all ports of the demo. */
class AnyPage extends WatchedPage {
  static async open(browser: Browser, { width, ...scheme }: Looks): Promise<AnyPage> {
    const context = await browser.newContext({ viewport: { width, height: 820 }, reducedMotion: 'reduce', ...scheme })
    return new AnyPage(context, await context.newPage(), [...Object.values(PORTS), 'null'])
  }
}

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
        const clipped = [CLIPPED_HINTS, CLIPPED_TABLES]
        const scripts = [...clipped, looks.forcedColors === 'active' ? UNSEEN_STATES : FAINT_TEXTS]
        for (const script of scripts) {
          for (const fault of await visit.page.evaluate<string[]>(script)) found.push(`${address}: ${fault}`)
        }
      }
      const walked = { page: visit.page, isFrench: looks.locale.startsWith('fr'), ports: PORTS, printed, look }
      await walkTexts(walked, GUIDES_READ)
      await walkConsole(walked)
      await walkMap(walked)
      expect({ found, foreign: visit.foreign, faults: visit.faults }).toEqual({ found: [], foreign: [], faults: [] })
      await visit.close()
    },
    180_000,
  )
}

/** Script that finds input fields that are too narrow for their placeholder text. */
const CLIPPED_HINTS = `(() => {
  const context = document.createElement('canvas').getContext('2d')
  return [...document.querySelectorAll('input[placeholder]')]
    .filter((field) => {
      const { font, paddingLeft, paddingRight } = getComputedStyle(field)
      context.font = font
      const room = field.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight)
      return field.checkVisibility() && room > 0 && context.measureText(field.placeholder).width > room
    })
    .map((field) => 'clipped: ' + field.placeholder)
})()`

/** Script that finds tables that must be scrolled sideways on a desktop. */
const CLIPPED_TABLES = `[...document.querySelectorAll('.scroll')]
  .filter((frame) => innerWidth >= 1280 && frame.scrollWidth > frame.clientWidth)
  .map((frame) => 'clipped: ' + frame.innerText.slice(0, 120))`

/**
 * Script that finds elements that would be invisible in high-contrast mode: selected elements and form controls without
 * a border, an outline or system colors, and bars that have the color of the background.
 */
const UNSEEN_STATES = `(() => {
  const ground = getComputedStyle(document.body).backgroundColor
  const isDrawn = (element) => {
    const style = getComputedStyle(element)
    const hasBorder = style.borderBottomStyle !== 'none' && style.borderBottomWidth !== '0px'
    // Browsers draw native checkboxes and radio buttons in system colors.
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
