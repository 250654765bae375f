// Tests the explorer's map, search, journeys, sheet and languages as riders use them. Fails if something that a test
// names does not appear, or if the page is not accessible. explorer.test.ts runs these tests with its demo.
import { expect, test } from 'bun:test'
import type { Browser, BrowserContextOptions, Page, Request, Route } from 'playwright-core'
import { ExplorerVisit, type Looks } from '../src/explorer/explorer-visit.ts'
import { until } from './running.ts'

const STATION = 'valmont:area:gare-centrale'
const JOURNEY = `#/valmont/journey?from=${STATION}&to=valmont:area:hopital-saint-jean`
const DESK: Looks = { width: 960, height: 640, colorScheme: 'light', reducedMotion: 'reduce' }
const PHONE: Looks = { width: 390, height: 844, colorScheme: 'dark', reducedMotion: 'reduce' }
/** A position in the demo's city, and one in another country. */
const IN_TOWN = { latitude: 47.21, longitude: 0.605 }
const ABROAD = { latitude: 52.5, longitude: 13.4 }

/** Maximum compressed size, in bytes, of the files that the page loads before the map. */
const FIRST_BYTES = 120_000

/** The parts of the demo that the tests need. */
export interface MappedDemo {
  browser(): Browser
  readonly origins: readonly [explorer: string, api: string]
  address(): string
}

/** Declares the tests for the map, the search and journeys. */
export function testMap({ browser, origins, address }: MappedDemo): void {
  const enter = async (looks: Looks & Partial<BrowserContextOptions>, prepare?: (page: Page) => Promise<unknown>) => {
    const visit = await ExplorerVisit.open(browser(), origins, looks)
    await prepare?.(visit.page)
    await visit.page.goto(address())
    await visit.page.getByRole('link', { name: /Abreuvoir/ }).waitFor()
    return visit
  }

  test('buttons zoom, the scale follows, "near me" shows the user and nearby stops, or reports that it can’t', async () => {
    const visit = await enter({ ...DESK, geolocation: IN_TOWN, permissions: ['geolocation'] })
    const { page } = visit
    await visit.untilVehicles(1)
    const scale = page.locator('.scale')
    const [zoom, length] = [await zoomOf(page), await scale.textContent()]
    await page.getByRole('button', { name: 'Zoom in' }).click()
    await until(async () => (await zoomOf(page)) > zoom + 0.5, 'the map is zoomed in')
    await page.getByRole('button', { name: 'Zoom in' }).click()
    await until(async () => (await scale.textContent()) !== length, 'the scale has changed')
    const nearer = await zoomOf(page)
    await page.getByRole('button', { name: 'Zoom out' }).click()
    await until(async () => (await zoomOf(page)) < nearer, 'the map is zoomed out')
    await page.getByRole('button', { name: 'Near me' }).click()
    await until(async () => {
      const [lon = 0, lat = 0] = await centerOf(page)
      return Math.abs(lon - IN_TOWN.longitude) < 0.001 && Math.abs(lat - IN_TOWN.latitude) < 0.001
    }, 'the map shows the user')
    await visit.untilPanel('Near me')
    const stops = page.locator('.nearby > li')
    await stops.first().locator('.departure').first().waitFor()
    const longest = 'Math.max(...[...document.querySelectorAll(".nearby ol")].map((list) => list.childElementCount))'
    expect(await page.evaluate<number>(longest)).toBe(3)
    const meters = (await stops.locator('h2 .small').allTextContents()).map((text) => Number.parseInt(text, 10))
    expect(meters).toEqual(meters.toSorted((one, other) => one - other))
    expect([await visit.allFindings(), await visit.overflowPixels()]).toEqual([[], 0])
    const name = (await stops.first().getByRole('link').textContent()) ?? ''
    await stops.first().getByRole('link').click()
    await visit.untilPanel(name)
    await page.goBack()
    await visit.untilPanel('Near me')
    await page.context().setGeolocation(ABROAD)
    await page.reload()
    await stops.first().waitFor()
    await visit.untilVehicles(1)
    await page.getByRole('button', { name: 'Near me' }).click()
    await page.getByText(/far from Valmont/).waitFor()
    await page.context().clearPermissions()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText(/doesn’t share your position/).waitFor()
    await page.context().grantPermissions(['geolocation'])
    await page.context().setGeolocation(IN_TOWN)
    await page.getByRole('button', { name: 'Try again' }).click()
    await stops.first().waitFor()
    expect([await visit.allFindings(), visit.faults]).toEqual([[], []])
    await visit.close()
  }, 60_000)

  test('search finds lines by their badge, and ranks the station above names that only start like it', async () => {
    const visit = await enter(DESK)
    const field = visit.page.getByRole('combobox', { name: 'Search' })
    await field.fill('gare')
    await visit.suggestions().filter({ hasText: 'Stop' }).first().waitFor()
    const names = await visit.suggestions().locator('.cut').allTextContents()
    expect(names.indexOf('Gare Centrale')).toBeLessThan(names.indexOf('Garenne'))
    await field.fill('M1')
    const line = visit.suggestions().filter({ has: visit.page.locator('.line-sign') })
    expect(await line.first().locator('.line-sign').textContent()).toBe('M1')
    await visit.page.keyboard.press('Enter')
    await visit.untilPanel(/Rouget de Lisle|Sainte-Radegonde/)
    await field.fill('zzzz')
    const message = visit.page.getByText('No stop, line or address matches “zzzz”.')
    await message.waitFor()
    const [above, title] = [await message.boundingBox(), await visit.page.locator('h1').boundingBox()]
    if (above === null || title === null) throw new Error('the message or the title is not drawn')
    expect(above.y + above.height).toBeLessThanOrEqual(title.y)
    await visit.close()
  }, 60_000)

  test('journeys expand in place with their stops; labels appear once; there are earlier and later ones', async () => {
    const visit = await enter(DESK)
    const { page } = visit
    await visit.follow(JOURNEY)
    const list = page.getByRole('list', { name: 'Alternatives' })
    const legs = list.getByRole('listitem').getByRole('list', { name: 'Journey, leg by leg' })
    await legs.waitFor()
    await legs.locator('details').first().locator('summary').click()
    await legs.locator('.leg-calls li').first().waitFor()
    const merits = await list.locator('.merits').allTextContents()
    expect([merits.length > 0, merits.length]).toEqual([true, new Set(merits).size])
    const times = () => list.locator('.journey-times strong').allTextContents()
    const first = await times()
    await page.getByRole('button', { name: 'Earlier' }).click()
    await until(async () => (await times()).length > first.length, 'earlier journeys')
    const withEarlier = await times()
    await page.getByRole('button', { name: 'Later' }).click()
    await until(async () => (await times()).length > withEarlier.length, 'later journeys')
    const all = await times()
    expect(all).toEqual(all.toSorted())
    expect([all.indexOf(first[0] ?? '') > 0, all.at(-1) === first.at(-1), await legs.count()]).toEqual([true, false, 1])
    expect([await visit.allFindings(), await visit.overflowPixels()]).toEqual([[], 0])
    await legs.locator('..').getByRole('button', { expanded: true }).click()
    expect(await legs.count()).toBe(0)
    await visit.close()
  }, 60_000)

  test('on a phone, the panel is a sheet with three heights, by tap, drag and keyboard', async () => {
    const visit = await enter(PHONE)
    const { page } = visit
    const top = () => page.evaluate<number>(`document.querySelector('.panel').getBoundingClientRect().top`)
    const handle = page.getByRole('button', { name: /Height of the panel/ })
    const untilAt = (from: number, to: number) =>
      until(async () => (await top()) >= from && (await top()) <= to, `the sheet is between ${from} and ${to}`)
    await untilAt(350, 420)
    await handle.click()
    await untilAt(0, 60)
    expect(await page.evaluate(`getComputedStyle(document.querySelector('.map-controls')).opacity`)).toBe('0')
    await handle.focus()
    await page.keyboard.press('ArrowDown')
    await untilAt(350, 420)
    await page.keyboard.press('ArrowDown')
    await untilAt(650, 760)
    const box = await handle.boundingBox()
    const [x, y] = [(box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + 8]
    await page.mouse.move(x, y)
    await page.mouse.down()
    await page.mouse.move(x, 500, { steps: 5 })
    await Bun.sleep(900)
    await page.mouse.move(x, 380, { steps: 5 })
    await page.mouse.up()
    await untilAt(350, 420)
    await page.getByRole('combobox', { name: 'Search' }).focus()
    await untilAt(0, 60)
    await page.keyboard.type('republique')
    await visit.suggestions().first().click()
    await visit.untilPanel(/République/)
    await untilAt(350, 420)
    expect([await visit.allFindings(), await visit.overflowPixels(), visit.faults]).toEqual([[], 0, []])
    await visit.close()
  }, 60_000)

  test('the panel comes first; the map’s code is loaded after the lines', async () => {
    const requested: Request[] = []
    const visit = await enter(DESK, async (page) => {
      page.on('request', (request) => requested.push(request))
    })
    await visit.untilVehicles(1)
    const paths = requested.map((request) => new URL(request.url()).pathname)
    const files = requested.slice(
      0,
      paths.findIndex((path) => path.endsWith('/valmont/lines')),
    )
    const sizes = await Promise.all(files.map(async (file) => (await file.sizes()).responseBodySize))
    const bytes = sizes.reduce((sum, size) => sum + size, 0)
    expect([files.length >= 3, bytes > 25_000, bytes <= FIRST_BYTES]).toEqual([true, true, true])
    // The lines are requested once for the list, and once with their shapes.
    expect(paths.filter((path) => path.endsWith('/valmont/lines')).length).toBe(2)
    await visit.close()
  }, 60_000)

  test('vehicles at their scheduled positions are in the legend', async () => {
    const visit = await enter(DESK, (page) => page.route(/\/vehicles\/nearby\?/, scheduledOnly))
    await visit.untilVehicles(1)
    await visit.page.locator('.legend').getByText('scheduled', { exact: true }).waitFor()
    await visit.close()
  }, 60_000)

  test('a page whose map was replaced shows the new one', async () => {
    const other = '/ground-other.pmtiles'
    const visit = await enter(DESK, async (page) => {
      let pages = 0
      await page.route('**/tiles.pmtiles', (route) => route.fulfill({ status: 404 }))
      await page.route(`**${other}`, async (route) =>
        route.fulfill({ response: await route.fetch({ url: `${origins[0]}/tiles.pmtiles` }) }),
      )
      await page.route(`${origins[0]}/`, async (route) => {
        // The first request is for the page itself. Its response is not replaced, since Chromium does not let a page
        // from a replaced response call ports of this machine.
        if (pages++ === 0) return await route.continue()
        const response = await route.fetch()
        await route.fulfill({ response, body: (await response.text()).replace('/tiles.pmtiles', other) })
      })
    })
    await visit.page.locator('.credit').waitFor()
    expect([visit.foreign, visit.faults]).toEqual([[], []])
    await visit.close()
  }, 60_000)

  test('a key in a link is used only if the user agrees, and is removed from the address', async () => {
    const [explorer] = origins
    const key = address().split('#key=')[1] ?? ''
    const visit = await ExplorerVisit.open(browser(), ['http://map.example', origins[1]], DESK)
    const { page } = visit
    // The page is opened under another host name. On loopback, where demos run, the page would use the key without
    // confirmation.
    await page.route('http://map.example/**', async (route) => {
      const path = new URL(route.request().url()).pathname
      await route.fulfill({ response: await route.fetch({ url: `${explorer}${path}` }) })
    })
    await page.goto(`http://map.example/#key=${key}`)
    await visit.untilPanel('Use this key?')
    const kept = await page.evaluate<unknown[]>('[location.hash, sessionStorage.length, document.body.innerText]')
    expect([kept.slice(0, 2), String(kept[2]).includes(key), String(kept[2]).includes(key.slice(-4))]).toEqual([
      ['', 0],
      false,
      true,
    ])
    expect(await visit.allFindings()).toEqual([])
    await page.getByRole('button', { name: 'Don’t use it' }).click()
    await visit.untilPanel('See a network live')
    await page.goto('about:blank')
    await page.goto(`http://map.example/#key=${key}`)
    await page.getByRole('button', { name: 'Use this key', exact: true }).click()
    await page.getByRole('heading', { name: 'Use this key?' }).waitFor({ state: 'detached' })
    expect(await page.evaluate<string>(`sessionStorage.getItem('quai-explorer-key')`)).toBe(key)
    await visit.close()
  }, 60_000)

  for (const looks of [DESK, PHONE]) {
    test(`in French if the browser is, in English after a switch that is remembered: ${looks.width} pixels`, async () => {
      const visit = await enter({ ...looks, locale: 'fr-CA' })
      const { page } = visit
      const findings: string[] = []
      await page.getByRole('link', { name: 'Itinéraire' }).waitFor()
      for (const [place, heading] of [
        ['#/valmont', /Valmont/],
        [`#/valmont/stop/${STATION}`, /Gare Centrale/],
        ['#/valmont/line/valmont:line:A', /Abreuvoir/],
        ['#/valmont/alerts', /Perturbations/],
        [JOURNEY, /Itinéraire/],
      ] as const) {
        await visit.follow(place)
        await visit.untilPanel(heading)
        await page.locator('.panel-body .waiting').waitFor({ state: 'detached' })
        findings.push(...(await visit.allFindings()))
      }
      expect([await page.locator('html').getAttribute('lang'), findings, await visit.overflowPixels()]).toEqual([
        'fr',
        [],
        0,
      ])
      await page.getByRole('button', { name: 'English' }).click()
      await visit.untilPanel('Journey')
      await page.reload()
      await visit.untilPanel('Journey')
      expect([await page.locator('html').getAttribute('lang'), visit.faults]).toEqual(['en', []])
      await visit.close()
    }, 90_000)
  }
}

function zoomOf(page: Page): Promise<number> {
  return page.evaluate<number>(`document.querySelector('.map').mapView.map.getZoom()`)
}

function centerOf(page: Page): Promise<number[]> {
  return page.evaluate<number[]>(`document.querySelector('.map').mapView.map.getCenter().toArray()`)
}

async function scheduledOnly(route: Route): Promise<void> {
  // The page may be closed before the response arrives.
  const response = await route.fetch().catch(() => undefined)
  const answer: { readonly data: readonly object[] } | undefined = await response?.json().catch(() => undefined)
  if (response === undefined || answer === undefined) return
  const data = answer.data.map((vehicle) => ({ ...vehicle, position_source: 'scheduled' }))
  await route.fulfill({ response, json: { ...answer, data } })
}
