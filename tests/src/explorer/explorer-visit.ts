// A visitor of the explorer in Debian's Chromium: a new page, and everything that went wrong in it.
import type { Browser, BrowserContextOptions, Locator } from 'playwright-core'
import { until } from '../../service/running.ts'
import { WatchedPage } from '../../watched-page.ts'

/** How a visitor views the explorer. */
export interface Looks {
  readonly width: number
  readonly height: number
  readonly colorScheme: 'light' | 'dark'
  readonly forcedColors?: 'active'
  readonly reducedMotion?: 'reduce'
}

/** One visitor. */
export class ExplorerVisit extends WatchedPage {
  /** Opens a page. @param origins base URLs of the explorer and of the API */
  static async open(
    browser: Browser,
    origins: readonly [explorer: string, api: string],
    looks: Looks & Partial<BrowserContextOptions>,
  ) {
    const { width, height, ...scheme } = looks
    const context = await browser.newContext({ baseURL: origins[0], viewport: { width, height }, ...scheme })
    // Requests for `data:` URLs have the origin `null`.
    return new ExplorerVisit(context, await context.newPage(), [...origins, 'null'])
  }

  /** Opens a view by the fragment of the URL, as a link does. */
  async follow(fragment: string): Promise<void> {
    await this.page.evaluate(`location.hash = ${JSON.stringify(fragment)}`)
  }

  /** The suggested places. */
  suggestions(): Locator {
    return this.page.getByRole('listbox', { name: /^Places for/ }).getByRole('option')
  }

  /** Waits for a panel by its title. */
  async untilPanel(title: string | RegExp): Promise<void> {
    await this.page.getByRole('heading', { level: 1, name: title }).waitFor()
  }

  /** How many vehicles the canvas shows. */
  shownVehicles(): Promise<number> {
    return this.page.evaluate<number>(`Number(document.querySelector('.map').dataset.vehicles ?? 0)`)
  }

  /** Waits until this many vehicles are on the map. */
  async untilVehicles(least: number): Promise<void> {
    await until(async () => (await this.shownVehicles()) >= least, `${least} vehicles are shown`)
  }

  /** A hash of the picture on the canvas of the map. */
  canvasLooks(): Promise<number> {
    return this.page.evaluate<number>(LOOKS)
  }

  /** Frames per second over some seconds. */
  framesPerSecond(seconds: number): Promise<number> {
    return this.page.evaluate<number>(`new Promise((done) => {
      const begun = performance.now()
      let frames = 0
      const count = () => {
        frames++
        const millis = performance.now() - begun
        if (millis < ${seconds * 1_000}) requestAnimationFrame(count)
        else done((frames / millis) * 1000)
      }
      requestAnimationFrame(count)
    })`)
  }
}

/** A hash of every 31st pixel: a hash of all pixels would take too long. */
const LOOKS = `(() => {
  const canvas = document.querySelector('.map-above')
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
  let hash = 0
  for (let at = 0; at < data.length; at += 31) hash = (hash * 33 + data[at]) | 0
  return hash
})()`
