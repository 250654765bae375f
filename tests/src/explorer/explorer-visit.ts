// A visitor to the explorer in Debian's Chromium: a new page, and everything that goes wrong in it.
import type { Browser, BrowserContextOptions, Locator } from 'playwright-core'
import { until } from '../../service/running.ts'
import { WatchedPage } from '../../watched-page.ts'

/** The window and the preferences of a visitor's browser. */
export interface Looks {
  readonly width: number
  readonly height: number
  readonly colorScheme: 'light' | 'dark'
  readonly forcedColors?: 'active'
  readonly reducedMotion?: 'reduce'
}

/** A visitor with a browser context of their own. */
export class ExplorerVisit extends WatchedPage {
  /**
   * Opens an empty page.
   * @param origins base URLs of the explorer and of the API, the only ones to which the page may send requests
   */
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

  /** Opens a view by setting the fragment of the URL, as a link does. */
  async follow(fragment: string): Promise<void> {
    await this.page.evaluate(`location.hash = ${JSON.stringify(fragment)}`)
  }

  /** The places that the search suggests. */
  suggestions(): Locator {
    return this.page.getByRole('listbox', { name: /^Places for/ }).getByRole('option')
  }

  /** Waits for the panel with this title. */
  async untilPanel(title: string | RegExp): Promise<void> {
    await this.page.getByRole('heading', { level: 1, name: title }).waitFor()
  }

  /** The number of vehicles on the map. */
  shownVehicles(): Promise<number> {
    return this.page.evaluate<number>(`Number(document.querySelector('.map').dataset.vehicles ?? 0)`)
  }

  /** Waits until at least `least` vehicles are on the map. */
  async untilVehicles(least: number): Promise<void> {
    await until(async () => (await this.shownVehicles()) >= least, `${least} vehicles are shown`)
  }

  /** A hash of what the map's upper canvas shows. */
  canvasLooks(): Promise<number> {
    return this.page.evaluate<number>(LOOKS)
  }

  /** The frame rate per second, averaged over some seconds. */
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

/** Hashes every 31st byte of the canvas, since hashing all of them would take too long. */
const LOOKS = `(() => {
  const canvas = document.querySelector('.map-above')
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
  let hash = 0
  for (let at = 0; at < data.length; at += 31) hash = (hash * 33 + data[at]) | 0
  return hash
})()`
