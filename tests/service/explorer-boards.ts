// Tests the explorer's boards, trips and journeys for riders in a hurry: a board that shows one mode with each line's
// next departures and disruptions, the cause of a delay, the reason for an empty board, journeys at 18:00 that are
// direct and step-free, names that are not cut off, and the choice of language. explorer.test.ts runs these tests with
// its demo.
import { expect, test } from 'bun:test'
import type { BrowserContextOptions, Locator, Page, Route } from 'playwright-core'
import { ExplorerVisit, type Looks } from '../src/explorer/explorer-visit.ts'
import type { MappedDemo } from './explorer-map.ts'
import { until } from './running.ts'

const STATION = 'valmont:area:gare-centrale'
const DESK: Looks = { width: 1280, height: 820, colorScheme: 'light', reducedMotion: 'reduce' }
const PHONE: Looks = { width: 390, height: 844, colorScheme: 'light', reducedMotion: 'reduce' }
const STRIKE = {
  id: 'valmont:alert:strike',
  network: 'valmont',
  severity: 'warning',
  title: 'Trams stand still',
  message: 'Some drivers are on strike.',
  cause: 'strike',
  effect: 'reduced_service',
  stop_ids: [],
  starts_at: null,
  ends_at: null,
  updated_at: '2026-11-17T07:40:00Z',
  url: null,
  source: 'alerts',
}

/** Declares the tests for boards, trips and journeys. */
export function testBoards({ browser, origins, address }: MappedDemo): void {
  const enter = async (looks: Looks & Partial<BrowserContextOptions>, prepare?: (page: Page) => Promise<unknown>) => {
    const visit = await ExplorerVisit.open(browser(), origins, looks)
    await prepare?.(visit.page)
    await visit.page.goto(address())
    await visit.page.getByRole('link', { name: /Abreuvoir/ }).waitFor()
    return visit
  }

  test('a board shows one mode, labels later departures, and shows the strike that affects its trams; so does the trip', async () => {
    const visit = await enter(DESK, async (page) => {
      await page.route(/\/networks\/valmont\/alerts\?/, disturbTrams)
      await page.route(/\/trips\/[^/]+\/stream/, delayByStrike)
    })
    const { page } = visit
    await visit.follow(`#/valmont/stop/${STATION}`)
    const rows = page.locator('.departures li')
    await rows.nth(4).waitFor()
    expect(await rows.getByText(/^then \d+ min/).count()).toBeGreaterThan(0)
    await page.getByRole('group', { name: 'Modes shown' }).getByRole('button', { name: 'Tram' }).click()
    const signs = await page.locator('.departures .line-sign').allTextContents()
    expect([signs.length > 0, signs.every((sign) => /^[A-F]$/.test(sign))]).toEqual([true, true])
    await until(
      async () => (await rows.getByText('Strike').count()) === (await rows.count()),
      'all trams are disturbed',
    )
    expect([await visit.allFindings(), await visit.overflowPixels()]).toEqual([[], 0])
    await rows.first().getByRole('link').click()
    await visit.untilPanel(/^To /)
    await page.locator('.why').getByText('Strike · Trams stand still').waitFor()
    await page.getByRole('heading', { name: 'Trams stand still' }).waitFor()
    expect([await visit.allFindings(), visit.faults]).toEqual([[], []])
    await visit.close()
  }, 60_000)

  test('a delay without a known cause and an empty board are explained', async () => {
    const visit = await enter(PHONE, async (page) => {
      await page.route(/\/trips\/[^/]+\?include=alerts$/, delayWithoutReason)
      await page.route(/\/v1\/networks$/, (route) => withChange(route, /"streams":true/, '"streams":false'))
    })
    const { page } = visit
    await page.route(/\/departures\?/, (route) =>
      withChange(route, /"data":\[.*\],"meta":\{/, '"data":[],"meta":{"reason":"outside_service_period",'),
    )
    await visit.follow(`#/valmont/stop/${STATION}`)
    await page.getByText('The timetable doesn’t cover today: it has ended, or hasn’t begun.').waitFor()
    await page.unroute(/\/departures\?/)
    await visit.follow('#/valmont')
    await visit.follow(`#/valmont/stop/${STATION}`)
    await page.locator('.departures li a').first().click()
    await page.getByText('The operator gives no reason for the delay.').waitFor()
    expect([await visit.allFindings(), await visit.overflowPixels(), visit.faults]).toEqual([[], 0, []])
    await visit.close()
  }, 60_000)

  test('a long destination is shown whole, and a delay is not broken in two', async () => {
    const visit = await enter(PHONE, async (page) => {
      await page.route(/\/v1\/networks$/, (route) => withChange(route, /"streams":true/, '"streams":false'))
      await page.route(/\/departures\?/, withLongNames)
    })
    const { page } = visit
    await visit.follow(`#/valmont/stop/${STATION}`)
    await page.locator('.departures .late').nth(2).waitFor()
    const broken = await page.evaluate<string[]>(`[
      ...[...document.querySelectorAll('.departures .cut')].filter((name) => name.scrollWidth > name.clientWidth),
      ...[...document.querySelectorAll('.departures .late')].filter((delay) => delay.getClientRects().length > 1),
    ].map((element) => element.textContent)`)
    expect([broken, await visit.overflowPixels(), visit.faults]).toEqual([[], 0, []])
    await visit.close()
  }, 60_000)

  test('at 18:00, direct and step-free; the fields stay in the panel, and no name is cut off', async () => {
    const visit = await enter(DESK)
    const { page } = visit
    await visit.follow(`#/valmont/journey?from=${STATION}`)
    const to = page.getByRole('combobox', { name: 'To' })
    await to.fill('hopital')
    const name = visit.suggestions().first().locator('.cut').first()
    await name.waitFor()
    expect(
      await page.evaluate(
        `[...document.querySelectorAll('[role=option] .cut')].some((name) => name.scrollWidth > name.clientWidth)`,
      ),
    ).toBe(false)
    await page.keyboard.press('Enter')
    const cards = page
      .getByRole('list', { name: 'Alternatives' })
      .getByRole('listitem')
      .filter({ has: page.locator('.strip') })
    await cards.first().waitFor()
    await page.getByRole('combobox', { name: 'When' }).selectOption('depart')
    const time = page.getByLabel('Date and time')
    await time.fill('2026-11-17T18:00')
    await page.getByRole('combobox', { name: 'Changes' }).selectOption('Direct only')
    await page.getByRole('checkbox', { name: 'Step-free only' }).check()
    await until(async () => {
      const texts = await cards.allTextContents()
      return texts.length > 0 && texts.every((text) => /direct/.test(text) && /Step-free/.test(text))
    }, 'all journeys are direct and step-free')
    const [panel, field] = [await boxOf(page.locator('.panel')), await boxOf(time)]
    expect([field.right < panel.right, await visit.allFindings(), visit.faults]).toEqual([true, [], []])
    await visit.close()
  }, 60_000)

  test('the language can be chosen at the top of the page, even with a long list of lines', async () => {
    const visit = await enter(PHONE)
    const { page } = visit
    const french = page.getByRole('button', { name: 'Français' })
    const { bottom } = await boxOf(french)
    expect(bottom).toBeLessThan(PHONE.height)
    await french.click()
    await page.getByRole('link', { name: 'Itinéraire' }).waitFor()
    expect([await page.locator('html').getAttribute('lang'), await visit.overflowPixels()]).toEqual(['fr', 0])
    await visit.close()
  }, 60_000)
}

async function boxOf(element: Locator): Promise<{ readonly right: number; readonly bottom: number }> {
  const box = await element.boundingBox()
  if (box === null) throw new Error('the element is not shown')
  return { right: box.x + box.width, bottom: box.y + box.height }
}

/**
 * Adds two alerts for all tram lines to a response. The first is about canceled trips and must not be shown for trips
 * that run. The second is about a strike.
 */
async function disturbTrams(route: Route): Promise<void> {
  const response = await route.fetch()
  const answer = await response.json()
  const line_ids = [...'ABCDEF'].map((code) => `valmont:line:${code}`)
  const strike = { ...STRIKE, line_ids }
  const canceled = { ...strike, id: 'valmont:alert:canceled', cause: 'unknown_cause', effect: 'no_service' }
  await route.fulfill({ response, json: { ...answer, data: [...answer.data, canceled, strike] } })
}

/**
 * Replaces a trip's stream with a single event, in which the trip is three minutes late at each stop because of the
 * strike.
 */
async function delayByStrike(route: Route): Promise<void> {
  const url = route
    .request()
    .url()
    .replace(/\/stream\?.*/, '')
  const response = await route.fetch({ url, headers: { ...route.request().headers(), accept: 'application/json' } })
  const event = delayed(await response.json(), [STRIKE.id])
  const body = `event: trip\ndata: ${JSON.stringify(event)}\n\nevent: end\ndata: {"reason":"trip_ended"}\n\n`
  await route.fulfill({ status: 200, headers: { ...response.headers(), 'content-type': 'text/event-stream' }, body })
}

/** Responds with a trip that is three minutes late at each stop, without an alert. */
async function delayWithoutReason(route: Route): Promise<void> {
  const response = await route.fetch()
  await route.fulfill({ response, json: delayed(await response.json(), []) })
}

/** Responds with a board of late departures that have long destinations. */
async function withLongNames(route: Route): Promise<void> {
  const response = await route.fetch()
  const answer: { readonly data: readonly object[] } = await response.json()
  // The platform names have different lengths, so that in some rows, a line break would fall within the delay.
  const data = answer.data.map((departure, at) => {
    const change = {
      headsign: 'Sainte-Radegonde-aux-Bois – Gare routière',
      platform: 'A'.repeat(at),
      delay_seconds: 60,
    }
    return { ...departure, ...change, status: 'delayed' }
  })
  await route.fulfill({ response, json: { ...answer, data } })
}

interface TripAnswer {
  readonly data: { readonly calls: readonly { readonly arrival: object | null; readonly departure: object | null }[] }
}

function delayed(answer: TripAnswer, alertIds: readonly string[]): object {
  const late = (time: object | null) => (time === null ? null : { ...time, delay_seconds: 180 })
  const calls = answer.data.calls.map((call) => ({
    ...call,
    arrival: late(call.arrival),
    departure: late(call.departure),
  }))
  return { ...answer, data: { ...answer.data, calls, alert_ids: alertIds } }
}

async function withChange(route: Route, from: RegExp, to: string): Promise<void> {
  const response = await route.fetch()
  await route.fulfill({ response, body: (await response.text()).replace(from, to) })
}
