// Opens Debian's Chromium for tests of pages, and records what goes wrong on them. A page must send no requests to
// other origins, comply with its Content-Security-Policy, cause no error, and have no axe findings.
import { existsSync } from 'node:fs'
import axe from 'axe-core'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'

const PATH = process.env['QUAI_CHROMIUM'] ?? '/usr/bin/chromium'
/** Time limit for a screen to appear, long enough for a busy machine. */
const SCREEN_MILLIS = 15_000
/**
 * Matches what browsers log if a page violates its Content-Security-Policy, or sends a request to an origin that does
 * not allow it.
 */
const COMPLAINTS = /Content Security Policy|CORS/i

/** Whether Chromium is installed. If not, prints that these tests are skipped. */
export function hasChromium(): boolean {
  const has = existsSync(PATH)
  if (!has) console.log(`left out: pages in a browser (no ${PATH}; QUAI_CHROMIUM may name one)`)
  return has
}

/** Starts a browser. It has no sandbox if root starts it, since Chromium would not start otherwise. */
export function openChromium(): Promise<Browser> {
  const isRoot = process.getuid?.() === 0
  return chromium.launch({ executablePath: PATH, args: isRoot ? ['--no-sandbox'] : [] })
}

/** A page in a new browser context, and everything that goes wrong on it. */
export class WatchedPage {
  readonly page: Page
  /** Requests to other origins. */
  readonly foreign: string[] = []
  /** Violations of the Content-Security-Policy, requests that CORS blocked, uncaught errors, and dialogs. */
  readonly faults: string[] = []
  /** Every error in the page's console, including failed calls. */
  readonly errors: string[] = []
  private readonly context: BrowserContext

  /** @param origins the only origins to which the page may send requests */
  protected constructor(context: BrowserContext, page: Page, origins: readonly string[]) {
    this.context = context
    this.page = page
    page.setDefaultTimeout(SCREEN_MILLIS)
    context.on('request', (request) => {
      if (!origins.includes(new URL(request.url()).origin)) this.foreign.push(request.url())
    })
    page.on('pageerror', (error) => this.faults.push(error.message))
    page.on('dialog', (dialog) => {
      this.faults.push(`dialog: ${dialog.message()}`)
      void dialog.dismiss()
    })
    page.on('console', (message) => {
      if (COMPLAINTS.test(message.text())) this.faults.push(message.text())
      if (message.type() === 'error') this.errors.push(message.text())
    })
  }

  /** All axe findings on the current screen, by axe's default rules and its best-practice rules. */
  async allFindings(): Promise<string[]> {
    await this.page.evaluate(axe.source)
    const results: axe.AxeResults = await this.page.evaluate('axe.run(document, { resultTypes: ["violations"] })')
    return results.violations.map((finding) => `${finding.id}: ${finding.nodes.map((node) => node.html).join(' ')}`)
  }

  /** The number of pixels by which the current screen is wider than the window. */
  overflowPixels(): Promise<number> {
    return this.page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
  }

  /** The faults of the current screen: axe findings, and the pixels by which it is wider than the window. */
  async listFaults(screen: string): Promise<string[]> {
    const found = (await this.allFindings()).map((finding) => `${screen}: ${finding}`)
    const overflow = await this.overflowPixels()
    return overflow > 0 ? [...found, `${screen}: ${overflow} pixels too wide`] : found
  }

  async close(): Promise<void> {
    await this.context.close()
  }
}
