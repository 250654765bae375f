// A visitor of the console, and of other text pages, in Chromium.
import type { Browser, Page } from 'playwright-core'
import { WatchedPage } from '../../watched-page.ts'

/** How a visitor looks at the console. */
export interface Looks {
  readonly width: number
  readonly colorScheme: 'light' | 'dark'
  readonly locale?: string
}

/** One visitor. */
export class Visit extends WatchedPage {
  /** How many buttons and links were pressed. */
  clicks = 0

  /** Opens a page for a console at a URL. */
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

  /** Waits for a screen by its title. */
  async untilScreen(title: string): Promise<void> {
    await this.page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor()
  }

  /** Waits for a text; if it doesn't appear, the error contains what is there instead. */
  async untilText(text: string): Promise<void> {
    await this.page
      .getByText(text)
      .first()
      .waitFor()
      .catch(async () => {
        const shown = await this.page.evaluate<string>('document.body.innerText')
        throw new Error(`"${text}" does not appear, but ${shown}`)
      })
  }

  /** Opens a screen by its URL. */
  async goTo(path: string, title: string): Promise<void> {
    await this.page.goto(`/console#${path}`)
    await this.untilScreen(title)
  }
}

/** Moves to a named element with the Tab key alone, and checks that each element on the way has a visible focus. */
export async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const passed: string[] = []
  for (let presses = 0; presses < 80; presses++) {
    await page.keyboard.press('Tab')
    const focus = await page.evaluate<{ name: string; outline: string }>(FOCUS)
    passed.push(focus.name)
    if (focus.outline === 'none') throw new Error(`the focus on "${focus.name}" can't be seen`)
    if (typeof name === 'string' ? focus.name === name : name.test(focus.name)) return
  }
  throw new Error(`Tab does not lead to ${name}, but to ${passed.join(' | ')}`)
}

const FOCUS = `(() => {
  const focused = document.activeElement
  const label = focused.getAttribute('aria-label') ?? focused.labels?.[0]?.textContent ?? focused.textContent
  const outline = focused === document.body ? 'body' : getComputedStyle(focused).outlineStyle
  return { name: label.trim(), outline }
})()`
