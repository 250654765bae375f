// Tests how the explorer draws a network without shapes, and how rarely it requests vehicles on the free plan.
// explorer.test.ts runs these tests with its demo.
import { expect, test } from 'bun:test'
import type { Browser, Page, Route } from 'playwright-core'
import { ExplorerVisit, type Looks } from '../src/explorer/explorer-visit.ts'
import { until } from './running.ts'

/** A small window: without a GPU, a large one takes too long to draw. */
const SMALL: Looks = { width: 960, height: 640, colorScheme: 'light', reducedMotion: 'reduce' }
const TRAM = 'valmont:line:A'
/** The factor by which the page's clock is accelerated. */
const HASTE = 12
const MINUTES = 2
const MOST_CALLS_PER_MINUTE = 4
const MOST_ROUNDS = 4

/** The parts of the demo that the tests need. */
export interface PolledDemo {
  browser(): Browser
  readonly origins: readonly [explorer: string, api: string]
  address(): string
  /** Creates a key on the free plan. */
  freeKey(): Promise<string>
}

/** Declares the tests for a network without shapes and for vehicle requests. */
export function testPolls({ browser, origins, address, freeKey }: PolledDemo): void {
  const [explorer] = origins

  test('without shapes, a line is drawn from area to area, once for both directions', async () => {
    const visit = await ExplorerVisit.open(browser(), origins, SMALL)
    const { page } = visit
    const areas = new Set<string>()
    await page.route(/\/v1\/networks$/, async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, body: (await response.text()).replace('"shapes":true', '"shapes":false') })
    })
    await page.route(/\/lines\?.*include=geometry/, (route) => joinStops(route, areas))
    await page.goto(address())
    const drawn = () => page.evaluate<string[][][]>(DRAWN_STRINGS)
    await until(async () => (await drawn()).length > 0, 'the line is drawn')
    await visit.untilVehicles(1)
    const strings = await drawn()
    const hops = strings.flatMap((string) => string.slice(1).map((to, at) => [String(string[at]), String(to)].sort()))
    expect(new Set(hops.map(String)).size).toBe(hops.length)
    // A line without branches has one straight segment between each stop and the next, so the number of segments is one
    // less than the number of stops.
    expect([new Set(hops.flat()).size, hops.length]).toEqual([areas.size, areas.size - 1])
    expect(visit.faults).toEqual([])
    await visit.close()
  }, 60_000)

  test('on the free plan, vehicles are requested at most four times a minute after the first round', async () => {
    const visit = await ExplorerVisit.open(browser(), origins, SMALL)
    const { page } = visit
    let calls = 0
    page.on('request', (request) => {
      if (request.method() === 'GET' && /\/vehicles(\/|\?|$)/.test(new URL(request.url()).pathname)) calls++
    })
    await page.addInitScript(HASTEN)
    await page.goto(`${explorer}/#key=${await freeKey()}`)
    await visit.untilVehicles(20)
    // The requests for the first vehicles are complete once the page has sent no request for 14 seconds on its clock.
    for (let before = -1, rounds = 0; before !== calls && rounds < MOST_ROUNDS; rounds++) {
      before = calls
      await untilPassed(page, 14)
    }
    const first = calls
    await untilPassed(page, MINUTES * 60)
    console.log(`explorer: ${first} calls for the first vehicles, ${calls - first} in ${MINUTES} minutes thereafter`)
    expect(calls - first).toBeGreaterThanOrEqual(MINUTES)
    expect(calls - first).toBeLessThanOrEqual(MINUTES * MOST_CALLS_PER_MINUTE)
    expect(visit.faults).toEqual([])
    await visit.close()
  }, 60_000)
}

/** Script that accelerates the page's clock and timers. */
const HASTEN = `(() => {
  const [now, later] = [performance.now.bind(performance), setTimeout]
  performance.now = () => now() * ${HASTE}
  window.setTimeout = (handler, millis = 0, ...rest) => later(handler, millis / ${HASTE}, ...rest)
})()`

/** Waits until the given number of seconds has passed on the page's clock. */
async function untilPassed(page: Page, seconds: number): Promise<void> {
  await page.evaluate(`new Promise((done) => setTimeout(done, ${seconds * 1_000}))`)
}

/** Script that returns the polylines that the map draws for the tram line. */
const DRAWN_STRINGS = `(document.querySelector('.map').mapView?.given.get('lines') ?? [])
  .filter(({ properties }) => properties.line === '${TRAM}')
  .flatMap(({ geometry }) => (geometry.type === 'LineString' ? [geometry.coordinates] : geometry.coordinates))
  .map((string) => string.map((point) => point.map((degrees) => degrees.toFixed(6))))`

/**
 * Replaces the tram line's shapes with straight lines between stops, as the API returns them for feeds without shapes.
 */
async function joinStops(route: Route, areas: Set<string>): Promise<void> {
  const response = await route.fetch()
  const answer = await response.json()
  const { origin } = new URL(route.request().url())
  const requested = await route.fetch({ url: `${origin}/v1/lines/${TRAM}/stops` })
  const { data }: { data: { direction_id: string; stops: { parent_id: string; lat: number; lon: number }[] }[] } =
    await requested.json()
  for (const { parent_id } of data.flatMap(({ stops }) => stops)) areas.add(parent_id)
  const shapes = data.map(({ direction_id, stops }) => ({
    line_id: TRAM,
    direction_id,
    geometry: { type: 'LineString', coordinates: stops.map(({ lon, lat }) => [lon, lat]) },
  }))
  const lines = answer.data.map((line: { id: string }) => (line.id === TRAM ? { ...line, shapes } : line))
  await route.fulfill({ response, json: { ...answer, data: lines } })
}
