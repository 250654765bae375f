// Tests for bugs that the explorer once had. Each test checks the rule that a bug broke. explorer.test.ts runs these
// tests with its demo.
import { expect, test } from 'bun:test'
import type { Page, Route } from 'playwright-core'
import type { ExplorerVisit, Looks } from '../src/explorer/explorer-visit.ts'
import { until } from './running.ts'

const STATION = 'valmont:area:gare-centrale'
const LINE = '#/valmont/line/valmont:line:A'
/** A small window: without a GPU, a large one takes too long to draw. */
const DESK: Looks = { width: 960, height: 640, colorScheme: 'light', reducedMotion: 'reduce' }
/** How long a user waits for a screen before giving up. */
const PATIENCE_MILLIS = 15_000
/** Zoom levels that differ by less than this look the same. */
const ZOOM_SLACK = 0.2
/** If the centers of two circles are closer than this, in pixels, one hides the other. */
const DISC_PIXELS = 4

/** Access to the explorer under test. */
export interface Looked {
  /** Calls `prepare`, and then opens the explorer with the demo's key, as a first-time visitor would. */
  enter(looks: Looks, prepare?: (page: Page) => Promise<unknown>): Promise<ExplorerVisit>
}

/** Returns the title, the heading and the zoom level that the page shows. */
async function screenOf({ page }: ExplorerVisit) {
  const [title, heading, zoom] = await page.evaluate<[string, string, number]>(`[
    document.title, document.querySelector('h1')?.textContent, document.querySelector('.map').mapView?.map.getZoom() ?? NaN,
  ]`)
  return { title, heading, zoom }
}

/** Waits until the map has stopped moving. Returns the title, the heading and the zoom level. */
async function settled(visit: ExplorerVisit, heading: RegExp) {
  await visit.untilPanel(heading)
  await until(
    () => visit.page.evaluate<boolean>(`document.title.startsWith(document.querySelector('h1').textContent)`),
    'the title follows',
  )
  let before = Number.NaN
  await until(async () => {
    const { zoom } = await screenOf(visit)
    const isStill =
      zoom === before && !(await visit.page.evaluate<boolean>(`document.querySelector('.map').mapView.map.isMoving()`))
    before = zoom
    if (!isStill) await Bun.sleep(200)
    return isStill
  }, 'the map stands still')
  return screenOf(visit)
}

/**
 * How long the test waits after the import. This is longer than the pause after which the explorer repeats its request
 * while there is no network.
 */
const IMPORT_MILLIS = 7_000
/**
 * Maximum number of requests for the list of networks: two while there is no network, one that returns the network, and
 * one that may still be sent when the page stops repeating the request.
 */
const MOST_LISTS = 4

/** Declares the tests for earlier bugs. */
export function testFaults({ enter }: Looked): void {
  test('the zoom does not shrink from screen to screen; back restores title, heading and zoom', async () => {
    const visit = await enter(DESK)
    await visit.untilVehicles(1)
    const home = await settled(visit, /Valmont/)
    await visit.page.getByRole('link', { name: /Abreuvoir/ }).click()
    const line = await settled(visit, /Abreuvoir/)
    await visit.follow(`#/valmont/stop/${STATION}`)
    const stop = await settled(visit, /Gare Centrale/)
    await visit.follow(LINE)
    const lineAgain = await settled(visit, /Abreuvoir/)
    expect(Math.abs(lineAgain.zoom - line.zoom)).toBeLessThan(ZOOM_SLACK)
    for (const [heading, before] of [
      [/Gare Centrale/, stop],
      [/Abreuvoir/, line],
      [/Valmont/, home],
    ] as const) {
      await visit.page.goBack()
      const { zoom, ...shown } = await settled(visit, heading)
      expect(shown).toEqual({ title: before.title, heading: before.heading })
      expect(Math.abs(zoom - before.zoom)).toBeLessThan(ZOOM_SLACK)
    }
    expect(await reportedCenter(visit.page)).toEqual('the color of its line')
    await visit.follow(LINE)
    await settled(visit, /Abreuvoir/)
    expect(await coveringDiscs(visit.page)).toEqual([])
    await visit.close()
  }, 60_000)

  test('being offline is shown, and a line opened meanwhile loads afterwards', async () => {
    const visit = await enter(DESK)
    const { page } = visit
    await page.context().setOffline(true)
    await page.getByText(/offline/i).waitFor({ timeout: PATIENCE_MILLIS })
    await visit.follow('#/valmont/line/valmont:line:B')
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(await page.getByText(/Realtime ok|0 vehicles/i).count()).toBe(0)
    await page.context().setOffline(false)
    await page.getByRole('list', { name: 'Stops' }).getByRole('link').first().waitFor({ timeout: PATIENCE_MILLIS })
    expect(await page.getByText(/offline/i).count()).toBe(0)
    await visit.close()
  }, 60_000)

  test('badges have the official text color; times are shown once; failing feeds come first', async () => {
    const visit = await enter({ ...DESK, forcedColors: 'active' }, async (page) => {
      await page.route(/\/lines\?/, (route) => rewrite(route, /"text_color":"[^"]+"/g, '"text_color":"#FFFFDD"'))
      await page.route(/\/v1\/status/, (route) => rewrite(route, /"realtime":"ok"/g, '"realtime":"down"'))
      await page.route(/departures\/stream/, lateDeparture)
    })
    const { page } = visit
    const badge = page.locator('.line-sign').filter({ hasText: /^M2$/ }).first()
    await badge.waitFor()
    const colorOf = `getComputedStyle([...document.querySelectorAll('.line-sign')].find((each) => each.textContent === 'M2')).color`
    expect(await page.evaluate<string>(colorOf)).toBe('rgb(255, 255, 221)')
    const notice = page.getByText(/live data is down/i)
    await notice.waitFor()
    expect((await notice.boundingBox())?.y ?? DESK.height).toBeLessThan(DESK.height / 2)
    const address = await page.getByRole('link', { name: 'Status of each feed' }).getAttribute('href')
    expect(await (await fetch(address ?? '')).text()).toContain('Live feeds for Valmont')
    // The screenshot of the switch must have several colors: with only one, the switch would be invisible.
    const control = page.locator('.legend input')
    await control.waitFor()
    expect(await colorsIn(page, (await control.screenshot()).toString('base64'))).toBeGreaterThan(1)
    await visit.follow(`#/valmont/stop/${STATION}`)
    const row = page.locator('.departures li').first()
    await row.waitFor()
    expect(((await row.textContent()) ?? '').match(/\d\d:\d\d/g)).toHaveLength(1)
    await visit.close()
  }, 60_000)

  test('without alerts no count is shown; an unknown stop is reported once', async () => {
    const visit = await enter(DESK, (page) =>
      page.route(/\/networks\/valmont\/alerts/, (route) => rewrite(route, /"data":\[.*\],"meta"/, '"data":[],"meta"')),
    )
    await visit.page.locator('.panel-foot').getByText('A made-up city').waitFor()
    expect(await visit.page.getByRole('link', { name: 'Alerts', exact: true }).count()).toBe(1)
    await visit.follow('#/valmont/stop/valmont:area:nowhere')
    await visit.page.getByText('There is nothing at this address').waitFor()
    await Bun.sleep(1_000) // gives the page time for further requests: each failed request would add a notice
    expect(await visit.page.locator('.panel-body .notice').count()).toBe(1)
    await visit.close()
  }, 60_000)

  test('what is shown on the map is between the panel and the drawer of requests', async () => {
    const visit = await enter({ ...DESK, width: 1_280 })
    const { page } = visit
    await page.getByRole('button', { name: 'Requests' }).click()
    await visit.follow(LINE)
    await page.getByRole('list', { name: 'Stops' }).getByRole('link').first().waitFor()
    await settled(visit, /Abreuvoir/)
    const spans = await page.evaluate<readonly number[]>(LINE_SPAN)
    const [left = 0, right = 0, panel = 0, drawer = 0] = spans
    expect([left > panel, right < drawer, right - left > 20], spans.join()).toEqual([true, true, true])
    await visit.close()
  }, 60_000)

  test('a stop that is opened from a line starts at its title, even once its link back to the line is there', async () => {
    const visit = await enter(DESK)
    const { page } = visit
    await visit.follow(LINE)
    await page.getByRole('list', { name: 'Stops' }).getByRole('link').nth(3).click()
    await page.getByRole('heading', { name: 'Lines' }).waitFor()
    await page.locator('.departures li').nth(2).waitFor()
    const top = `[document.activeElement.tagName, document.querySelector('.panel').scrollTop]`
    expect(await page.evaluate<unknown[]>(top)).toEqual(['H1', 0])
    await visit.close()
  }, 60_000)

  test('a map that is opened during the first import appears once its network is served', async () => {
    let [isImported, requestCount] = [false, 0]
    const visit = await enter(DESK, async (page) => {
      await page.route(/\/v1\/networks$/, (route) => {
        requestCount++
        return isImported ? route.continue() : rewrite(route, /"data":\[.*\],"meta"/, '"data":[],"meta"')
      })
      void page
        .getByText('No network is loaded yet')
        .waitFor()
        .then(() => {
          isImported = true
        })
    })
    expect(isImported).toBe(true)
    await Bun.sleep(IMPORT_MILLIS)
    expect(requestCount).toBeLessThanOrEqual(MOST_LISTS)
    await visit.close()
  }, 60_000)

  test('a network without live feeds is not called live', async () => {
    const none = '"realtime_departures":false,"vehicles":"none","alerts":false'
    const visit = await enter(DESK, (page) =>
      page.route(/\/v1\/networks$/, (route) =>
        rewrite(route, /"realtime_departures":true,"vehicles":"\w+","alerts":true/g, none),
      ),
    )
    await visit.page.getByText('No live data').waitFor()
    expect(await visit.page.getByText(/Realtime/i).count()).toBe(0)
    await visit.close()
  }, 60_000)
}

/**
 * Script that returns four horizontal positions on the page, in pixels: the line's leftmost and rightmost stops, the
 * panel's right edge and the drawer's left edge.
 */
const LINE_SPAN = `(() => {
  const view = document.querySelector('.map').mapView
  const box = document.querySelector('.map').getBoundingClientRect()
  const xs = view.given.get('line-stops').map(({ geometry }) => box.left + view.map.project(geometry.coordinates).x)
  const edges = [document.querySelector('.panel'), document.querySelector('.drawer')].map((one) => one.getBoundingClientRect())
  return [Math.min(...xs), Math.max(...xs), edges[0].right, edges[1].left]
})()`

/**
 * Finds pairs of stops whose circles hide each other, at a zoom level that shows a district and at one that shows a few
 * streets.
 */
async function coveringDiscs(page: Page): Promise<string[]> {
  const covering: string[] = []
  for (const zoom of [15, 16.5]) {
    await page.evaluate(`new Promise((done) => {
      const { map } = document.querySelector('.map').mapView
      map.once('idle', done)
      map.jumpTo({ center: [0.6088, 47.2075], zoom: ${zoom} })
    })`)
    await Bun.sleep(1_500) // the page loads stops after the map has stopped moving
    covering.push(
      ...(await page.evaluate<string[]>(`(() => {
      const { map } = document.querySelector('.map').mapView
      const discs = map.queryRenderedFeatures({ layers: ['stops', 'line-stops'] }).map((each) => {
        const { x, y } = map.project(each.geometry.coordinates)
        return { name: each.layer.id + ' ' + each.properties.stop, x, y }
      })
      const own = [...new Map(discs.map((each) => [each.name, each])).values()]
      return own.flatMap((one, at) => own.slice(at + 1)
        .filter((other) => Math.hypot(one.x - other.x, one.y - other.y) < ${DISC_PIXELS})
        .map((other) => one.name + ' covers ' + other.name + ' at zoom ${zoom}'))
    })()`)),
    )
  }
  return covering
}

/**
 * Describes the center of most vehicles with a reported position. The center must have the color of the vehicle's line,
 * since the legend shows such vehicles as filled circles.
 */
async function reportedCenter(page: Page): Promise<string> {
  return page.evaluate<string>(`(() => {
    const view = document.querySelector('.map').mapView
    const canvas = document.querySelector('.map-above')
    const context = canvas.getContext('2d')
    const ratio = canvas.width / canvas.clientWidth
    const viewport = view.viewport()
    const colors = []
    for (const [id, track] of view.vehicles.tracks) {
      if (track.vehicle.position_source !== 'gps') continue
      const place = view.vehicles.placeOf(id)
      const x = (place.x - viewport.center.x) * viewport.worldPixels + viewport.width / 2
      const y = (place.y - viewport.center.y) * viewport.worldPixels + viewport.height / 2
      if (x < 500 || y < 0 || x > viewport.width || y > viewport.height) continue
      colors.push([...context.getImageData(x * ratio, y * ratio, 1, 1).data.slice(0, 3)].join(' ') === track.color.slice(4, -1))
    }
    return colors.filter(Boolean).length > colors.length / 2 ? 'the color of its line' : 'a hole (' + colors.length + ' vehicles)'
  })()`)
}

/** Counts the clearly different colors in an image, without those that cover only a few pixels. */
function colorsIn(page: Page, png: string): Promise<number> {
  return page.evaluate<number>(`(async () => {
    const image = await createImageBitmap(new Blob([Uint8Array.from(atob('${png}'), (sign) => sign.charCodeAt(0))], { type: 'image/png' }))
    const canvas = new OffscreenCanvas(image.width, image.height)
    canvas.getContext('2d').drawImage(image, 0, 0)
    const { data } = canvas.getContext('2d').getImageData(0, 0, image.width, image.height)
    const colors = new Map()
    for (let at = 0; at < data.length; at += 4) {
      const color = data.slice(at, at + 3).map((part) => part >> 5).join()
      colors.set(color, (colors.get(color) ?? 0) + 1)
    }
    return [...colors.values()].filter((count) => count > 30).length
  })()`)
}

async function rewrite(route: Route, pattern: RegExp, text: string): Promise<void> {
  const response = await route.fetch().catch(() => undefined)
  const body = await response?.text().catch(() => undefined)
  if (response !== undefined && body !== undefined) await route.fulfill({ response, body: body.replace(pattern, text) })
}

/** Responds with a board whose only departure is in 90 minutes. */
async function lateDeparture(route: Route): Promise<void> {
  const { pathname, search } = new URL(route.request().url())
  const url = `${new URL(route.request().url()).origin}${pathname.replace('/stream', '')}${search.replace(/interval=\d+&/, '')}`
  const headers = { ...route.request().headers(), accept: 'application/json' }
  // The page may be closed before the response arrives.
  const response = await route.fetch({ url, headers }).catch(() => undefined)
  if (response === undefined) return
  const answer = await response.json()
  const at = Date.parse(answer.meta.generated_at) + 5_400_000
  const scheduled_at = `${new Date(at + 3_600_000).toISOString().slice(0, 19)}+01:00`
  const late = { ...answer.data[0], scheduled_at, expected_at: null, delay_seconds: null, status: 'unknown' }
  const body = `event: departures\ndata: ${JSON.stringify({ ...answer, data: [{ ...late, realtime: false }] })}\n\n`
  const streamed = { ...response.headers(), 'content-type': 'text/event-stream' }
  await route.fulfill({ status: 200, headers: streamed, body }).catch(() => undefined)
}
