// Debian's Chromium for the tests of the console, and what every page in it is held to: nothing from elsewhere, nothing
// against the policy, no error, and no finding of axe that is serious.
import { existsSync } from 'node:fs'
import axe from 'axe-core'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'

const PATH = process.env['QUAI_CHROMIUM'] ?? '/usr/bin/chromium'
/** A screen appears within this, on a busy machine too. */
const SCREEN_MILLIS = 15_000
const BLOCKING = ['serious', 'critical']

/** Whether there is a Chromium here; where there is none, a line says that these tests are left out. */
export function hasChromium(): boolean {
  const has = existsSync(PATH)
  if (!has) console.log(`left out: the console in a browser (no ${PATH}; QUAI_CHROMIUM may name one)`)
  return has
}

/** Starts one. It has no sandbox where it is root's, as it wouldn't start with one. */
export function openChromium(): Promise<Browser> {
  const isRoot = process.getuid?.() === 0
  return chromium.launch({ executablePath: PATH, args: isRoot ? ['--no-sandbox'] : [] })
}

/** How a visitor looks at the console. */
export interface Looks {
  readonly width: number
  readonly colorScheme: 'light' | 'dark'
}

/** One visitor: a page of a browser that knows nothing yet, and all that went wrong in it. */
export class Visit {
  readonly page: Page
  /** What was asked of other origins. */
  readonly foreign: string[] = []
  /** What the policy forbade, what was thrown, what asked in a box. */
  readonly faults: string[] = []
  /** How often something was pressed. */
  clicks = 0
  private readonly context: BrowserContext

  private constructor(context: BrowserContext, page: Page, base: string) {
    this.context = context
    this.page = page
    const origin = new URL(base).origin
    context.on('request', (request) => {
      if (new URL(request.url()).origin !== origin) this.foreign.push(request.url())
    })
    page.on('pageerror', (error) => this.faults.push(error.message))
    page.on('dialog', (dialog) => {
      this.faults.push(`dialog: ${dialog.message()}`)
      void dialog.dismiss()
    })
    page.on('console', (message) => {
      if (/Content Security Policy/i.test(message.text())) this.faults.push(message.text())
    })
  }

  /** Opens a page for a console at an address. */
  static async open(browser: Browser, base: string, looks: Looks = { width: 1280, colorScheme: 'light' }) {
    const { width, colorScheme } = looks
    const context = await browser.newContext({
      baseURL: base,
      viewport: { width, height: 820 },
      colorScheme,
      permissions: ['clipboard-read', 'clipboard-write'],
      reducedMotion: 'reduce',
    })
    const page = await context.newPage()
    page.setDefaultTimeout(SCREEN_MILLIS)
    return new Visit(context, page, base)
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

  /** Waits for a text; says what there is instead where it doesn't come. */
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

  /** Opens a screen by its address. */
  async goTo(path: string, title: string): Promise<void> {
    await this.page.goto(`/console#${path}`)
    await this.untilScreen(title)
  }

  /** What axe finds on the present screen that keeps somebody out. */
  async blockingFindings(): Promise<string[]> {
    await this.page.evaluate(axe.source)
    const results: axe.AxeResults = await this.page.evaluate('axe.run(document, { resultTypes: ["violations"] })')
    return results.violations
      .filter((finding) => BLOCKING.includes(finding.impact ?? ''))
      .map((finding) => `${finding.id}: ${finding.nodes.map((node) => node.html).join(' ')}`)
  }

  /** By how many pixels the present screen is wider than the window. */
  overflowPixels(): Promise<number> {
    return this.page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
  }

  async close(): Promise<void> {
    await this.context.close()
  }
}

/** Moves by the Tab key alone to what has a name, and holds everything passed to a focus that can be seen. */
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
