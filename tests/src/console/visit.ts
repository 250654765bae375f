// A visitor to the console and to other text pages, in Chromium.
import type { Browser, Page } from 'playwright-core'
import { WatchedPage } from '../../watched-page.ts'

/** The window and the preferences of a visitor's browser. */
export interface Looks {
  readonly width: number
  readonly colorScheme: 'light' | 'dark'
  readonly locale?: string
}

/** A visitor with a browser context of their own. */
export class Visit extends WatchedPage {
  /** The number of buttons and links pressed so far. */
  clicks = 0

  /** Opens an empty page that may send requests only to the console at this base URL. */
  static async open(browser: Browser, base: string, looks: Looks = { width: 1280, colorScheme: 'light' }) {
    const { width, colorScheme, locale } = looks
    const context = await browser.newContext({
      baseURL: base,
      viewport: { width, height: 820 },
      colorScheme,
      ...(locale === undefined ? {} : { locale }),
      permissions: ['clipboard-read', 'clipboard-write'],
      reducedMotion: 'reduce',
    })
    return new Visit(context, await context.newPage(), [new URL(base).origin])
  }

  /** Presses a button or follows a link. */
  async press(role: 'button' | 'link', name: string | RegExp): Promise<void> {
    this.clicks++
    await this.page
      .getByRole(role, { name, exact: typeof name === 'string' })
      .first()
      .click()
  }

  /** Types into a field. */
  async fill(label: string, text: string): Promise<void> {
    await this.page.getByLabel(label, { exact: true }).fill(text)
  }

  /** Waits for the screen with this title. */
  async untilScreen(title: string): Promise<void> {
    await this.page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor()
  }

  /** Waits until the page shows this string. If it doesn't appear, the error contains what the page shows instead. */
  async untilText(text: string): Promise<void> {
    await this.page
      .getByText(text)
      .first()
      .waitFor()
      .catch(async () => {
        const shown = await this.page.evaluate<string>('document.body.innerText')
        throw new Error(`"${text}" does not appear; the page shows: ${shown}`)
      })
  }

  /** Opens a screen by its path in the fragment of the URL. */
  async goTo(path: string, title: string): Promise<void> {
    await this.page.goto(`/console#${path}`)
    await this.untilScreen(title)
  }
}

/**
 * Moves to a named element with the Tab key alone. Checks that the focus is visible on each element on the way: the
 * element has an outline, is inside the window, and is not covered.
 */
export async function tabTo(page: Page, name: string | RegExp, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  const passed: string[] = []
  for (let presses = 0; presses < 80; presses++) {
    await page.keyboard.press(key)
    const focus = await page.evaluate<{ name: string; outline: string; cover: string }>(FOCUS)
    passed.push(focus.name)
    if (focus.outline === 'none') throw new Error(`the focus on "${focus.name}" can't be seen`)
    if (focus.cover !== '') throw new Error(`"${focus.name}" has the focus but is covered by ${focus.cover}`)
    if (typeof name === 'string' ? focus.name === name : name.test(focus.name)) return
  }
  throw new Error(`Tab does not reach ${name}; it passes ${passed.join(' | ')}`)
}

const FOCUS = `(async () => {
  const focused = document.activeElement
  const label = focused.getAttribute('aria-label') ?? focused.labels?.[0]?.textContent ?? focused.textContent
  // The button inside a date field draws its own outline.
  const isInside = focused.type === 'datetime-local' && !focused.matches(':focus-visible')
  const outline = focused === document.body || isInside ? 'drawn by the browser' : getComputedStyle(focused).outlineStyle
  const cover = () => {
    // The map may be covered, since panels lie over its center.
    if (focused === document.body || focused.tagName === 'CANVAS') return ''
    const { left, top, right, bottom } = focused.getBoundingClientRect()
    const x = (Math.max(0, left) + Math.min(innerWidth, right)) / 2
    const y = (Math.max(0, top) + Math.min(innerHeight, bottom)) / 2
    const above = document.elementFromPoint(x, y)
    if (above === null) return 'the edge of the window'
    return focused.contains(above) || above.contains(focused) ? '' : above.outerHTML.slice(0, 120)
  }
  // A panel that covers the element may be about to move away.
  for (let times = 0; times < 10 && cover() !== ''; times++) await new Promise((done) => setTimeout(done, 100))
  return { name: label.trim(), outline, cover: cover() }
})()`
