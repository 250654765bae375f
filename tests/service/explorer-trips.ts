// Tests the explorer's vehicles and trips: what the first view shows and how many units it uses with a key on the free
// plan; how users get from a vehicle, a departure or a journey to its trip; the map that follows a trip's vehicle; and
// why a departure is late or missing. explorer.test.ts runs these tests with its demo.
import { expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { bySize } from '../size.ts'
import { ExplorerVisit, type Looks } from '../src/explorer/explorer-visit.ts'
import { until } from './running.ts'

const DESK: Looks = { width: 1280, height: 820, colorScheme: 'light' }
/** A small window: without a GPU, a large one takes too long to draw. */
const SMALL: Looks = { width: 960, height: 640, colorScheme: 'light', reducedMotion: 'reduce' }
const STATION = 'valmont:area:gare-centrale'
/** The share of all vehicles that the first view must show. */
const LEAST_SHARE = 0.9
/**
 * Maximum time from the first paint until vehicles are shown. It is longer at sizes where other tests keep the machine
 * busy.
 */
const SHOWN_MILLIS = bySize({ quick: 60_000, ci: 60_000, full: 15_000 })
const [MOST_VEHICLE_UNITS, MOST_UNITS] = [8, 15]
/** Maximum distance between the map's center and the vehicle that the map follows. */
const FOLLOWED_METERS = 250

/** The demo under test. */
export interface ShownDemo {
  readonly browser: () => Browser
  readonly origins: readonly [explorer: string, api: string]
  /** The URL that opens the explorer with the demo's key. */
  readonly address: () => string
  /** Creates a key on the free plan. */
  freeKey(): Promise<string>
}

interface ApiVehicle {
  readonly id: string
  readonly lat: number
  readonly lon: number
}

/** Declares the tests for vehicles and trips. */
export function testTrips(demo: ShownDemo): void {
  const [explorer, api] = demo.origins
  const key = () => demo.address().split('#key=')[1] ?? ''
  const get = async <Data>(path: string): Promise<Data> => {
    const answer = await fetch(`${api}/v1${path}`, { headers: { authorization: `Bearer ${key()}` } })
    const body = (await answer.json()) as { readonly data: Data }
    return body.data
  }
  /** Requests all vehicles, line by line. */
  const listVehicles = async (): Promise<ApiVehicle[]> => {
    const lines = await get<{ id: string }[]>('/networks/valmont/lines?limit=100')
    const lists = await Promise.all(
      lines.map(({ id }) => get<ApiVehicle[]>(`/lines/${encodeURIComponent(id)}/vehicles`)),
    )
    return lists.flat()
  }
  const enter = async (fragment: string) => {
    const visit = await ExplorerVisit.open(demo.browser(), demo.origins, SMALL)
    await visit.page.goto(demo.address())
    await visit.page.getByRole('link', { name: /Abreuvoir/ }).waitFor()
    await visit.follow(fragment)
    return visit
  }

  test('with a free key, the first view soon has nine of ten vehicles, for few units', async () => {
    const visit = await ExplorerVisit.open(demo.browser(), demo.origins, DESK)
    const { page } = visit
    const spent: { readonly path: string; readonly units: number }[] = []
    page.on('response', async (response) => {
      const { origin, pathname } = new URL(response.url())
      if (origin !== api || response.request().method() !== 'GET') return
      const body = await response.json().catch(() => undefined)
      spent.push({ path: pathname, units: body?.meta?.units ?? 0 })
    })
    await page.goto(`${explorer}/#key=${await demo.freeKey()}`)
    let [share, millis] = [0, 0]
    await until(async () => {
      if ((await visit.shownVehicles()) === 0) return false
      const [west, south, east, north] = await page.evaluate<number[]>(
        `document.querySelector('.map').mapView.bounds()`,
      )
      const inView = (await listVehicles()).filter(
        ({ lat, lon }) => west <= lon && lon <= east && south <= lat && lat <= north,
      )
      share = (await visit.shownVehicles()) / inView.length
      millis = await page.evaluate<number>(
        `performance.now() - performance.getEntriesByName('first-contentful-paint')[0].startTime`,
      )
      return share >= LEAST_SHARE
    }, 'nine of ten vehicles are shown')
    const sum = (of: typeof spent) => of.reduce((total, { units }) => total + units, 0)
    const forVehicles = sum(spent.filter(({ path }) => path.includes('/vehicles')))
    const count = await visit.shownVehicles()
    console.log(
      `explorer: ${count} vehicles, ${(share * 100).toFixed(0)}% of those in view, ${(millis / 1000).toFixed(1)} s after the first paint, ` +
        `${forVehicles} units for them, ${sum(spent)} in all`,
    )
    expect(millis).toBeLessThanOrEqual(SHOWN_MILLIS)
    expect(forVehicles).toBeLessThanOrEqual(MOST_VEHICLE_UNITS)
    expect(sum(spent)).toBeLessThanOrEqual(MOST_UNITS)
    expect([visit.foreign, visit.faults, visit.errors]).toEqual([[], [], []])
    await visit.close()
  }, 120_000)

  test('a clicked vehicle opens its trip; the map follows it until the user moves the map', async () => {
    const visit = await enter('#/valmont')
    const { page } = visit
    await visit.untilVehicles(20)
    const vehicle = await clickedVehicle(page)
    await page.waitForURL(/trip/)
    expect(decodeURIComponent(page.url())).toMatch(/#\/valmont\/trip\/valmont:trip:\d{8}:/)
    await visit.untilPanel(/^To /)
    await page.getByRole('list', { name: 'Stops ahead' }).getByRole('link').first().waitFor()
    expect(await visit.allFindings()).toEqual([])
    await page.getByRole('button', { name: 'Follow on the map' }).click()
    await page.getByRole('button', { name: 'Stop following' }).waitFor()
    await until(async () => (await metersOff(page, vehicle)) < FOLLOWED_METERS, 'the vehicle is in the middle')
    await page.mouse.move(800, 400)
    await page.mouse.down()
    await page.mouse.move(650, 300, { steps: 5 })
    await page.mouse.up()
    await page.getByRole('button', { name: 'Follow on the map' }).waitFor()
    await page.goBack()
    await visit.untilPanel(/Valmont/)
    expect([visit.foreign, visit.faults]).toEqual([[], []])
    await visit.close()
  }, 90_000)

  test('a departure leads to its trip, a journey to its trips, with the reason why a tram is late or missing', async () => {
    const visit = await enter(`#/valmont/stop/${STATION}`)
    const { page } = visit
    const departure = page.locator('.departures li a').first()
    await departure.waitFor()
    await departure.click()
    await visit.untilPanel(/^To /)
    const stops = page.getByRole('list', { name: 'Stops ahead' }).getByRole('listitem')
    await stops.first().waitFor()
    const id = decodeURIComponent(page.url()).split('/trip/')[1] ?? ''
    const trip = await get<{ headsign: string; calls: { name: string }[] }>(`/trips/${encodeURIComponent(id)}`)
    await visit.untilPanel(`To ${trip.headsign}`)
    await page
      .getByRole('list', { name: 'Stops ahead' })
      .getByText(trip.calls.at(-1)?.name ?? 'none')
      .first()
      .waitFor()

    await visit.follow(`#/valmont/stop/${STATION}`)
    await page.getByText(/^Why isn’t my \w+ here\?$/).click()
    const line = page.getByRole('group', { name: 'Choose its line' }).getByRole('button').first()
    await line.click()
    const reasons = page.getByRole('list', { name: 'Departures on this line' }).getByRole('listitem')
    await reasons.first().waitFor()
    for (const text of await reasons.allTextContents()) expect(text).toMatch(/^\d\d:\d\d It .+\.$/)
    expect(await visit.allFindings()).toEqual([])

    await visit.follow(`#/valmont/journey?from=${STATION}&to=valmont:area:hopital-saint-jean`)
    await page.getByRole('link', { name: 'All stops' }).first().click()
    await visit.untilPanel(/^To /)
    expect([visit.foreign, visit.faults]).toEqual([[], []])
    await visit.close()
  }, 90_000)

  test('the string of stops stands out from the panel on dark and on pale lines, in light and dark', async () => {
    const lines = await get<{ id: string; color: string }[]>('/networks/valmont/lines?limit=100')
    const byGreen = lines.sort((one, other) => one.color.slice(3).localeCompare(other.color.slice(3)))
    const faint: string[] = []
    for (const colorScheme of ['light', 'dark'] as const) {
      const visit = await ExplorerVisit.open(demo.browser(), demo.origins, { ...SMALL, colorScheme })
      await visit.page.goto(demo.address())
      await visit.page.getByRole('link', { name: /Abreuvoir/ }).waitFor()
      for (const { id } of [...byGreen.slice(0, 2), ...byGreen.slice(-2)]) {
        await visit.follow(`#/valmont/line/${id}`)
        await visit.page.locator('.string li').first().waitFor()
        const contrast = await visit.page.evaluate<number>(STRING_CONTRAST)
        if (contrast < 3) faint.push(`${id} ${colorScheme}: ${contrast.toFixed(2)}`)
      }
      await visit.close()
    }
    expect(faint).toEqual([])
  }, 120_000)

  test('a trip that will be late at a stop ahead is not called on time', async () => {
    const visit = await enter('#/valmont')
    const { page } = visit
    await page.route(/\/trips\/[^/]+\/stream/, async (route) => {
      const url = route
        .request()
        .url()
        .replace(/\/stream\?.*/, '')
      const response = await route.fetch({ url, headers: { ...route.request().headers(), accept: 'application/json' } })
      const text = (await response.text()).replace(/"delay_seconds":(null|-?\d+)/g, '"delay_seconds":0')
      const end = text.lastIndexOf('"delay_seconds":0', text.indexOf(']', text.lastIndexOf('"calls":[')))
      const late = `${text.slice(0, end)}"delay_seconds":180${text.slice(end + '"delay_seconds":0'.length)}`
      const body = `event: trip\ndata: ${late}\n\nevent: end\ndata: {"reason":"trip_ended"}\n\n`
      const headers = { ...response.headers(), 'content-type': 'text/event-stream' }
      await route.fulfill({ status: 200, headers, body })
    })
    const [departure] = await get<{ trip_id: string }[]>(`/stops/${STATION}/departures?limit=1`)
    await visit.follow(`#/valmont/trip/${departure?.trip_id}`)
    await visit.untilPanel(/^To /)
    await page.getByText('3 min late').waitFor()
    await visit.close()
  }, 60_000)

  test('a trip that has ended is not requested any more', async () => {
    const visit = await ExplorerVisit.open(demo.browser(), demo.origins, SMALL)
    const { page } = visit
    let opened = 0
    await page.route(/\/trips\/[^/]+\/stream/, async (route) => {
      opened++
      const url = route
        .request()
        .url()
        .replace(/\/stream\?.*/, '')
      const response = await route.fetch({ url, headers: { ...route.request().headers(), accept: 'application/json' } })
      const body = `event: trip\ndata: ${await response.text()}\n\nevent: end\ndata: {"reason":"trip_ended"}\n\n`
      await route.fulfill({
        status: 200,
        headers: { ...response.headers(), 'content-type': 'text/event-stream' },
        body,
      })
    })
    await page.goto(demo.address())
    await page.getByRole('link', { name: /Abreuvoir/ }).waitFor()
    const [departure] = await get<{ trip_id: string }[]>(`/stops/${STATION}/departures?limit=1`)
    await visit.follow(`#/valmont/trip/${departure?.trip_id}`)
    await visit.untilPanel(/^To /)
    await Bun.sleep(2_500) // a broken stream would be opened again after one second
    expect([opened, visit.faults]).toEqual([1, []])
    await visit.close()
  }, 60_000)
}

/**
 * Script that returns the contrast ratio (as WCAG defines it) between the panel and the colored line through a trip's
 * stops.
 */
const STRING_CONTRAST = `(() => {
  const luminanceOf = (color) => {
    const shares = color.match(/[\\d.]+/g).slice(0, 3).map((part) => part / 255)
    const [red, green, blue] = shares.map((share) => (share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05
  }
  const string = luminanceOf(getComputedStyle(document.querySelector('.string li'), '::before').backgroundColor)
  const panel = luminanceOf(getComputedStyle(document.querySelector('.panel')).backgroundColor)
  return Math.max(string, panel) / Math.min(string, panel)
})()`

/** A vehicle and its position on the page, in pixels. */
interface Spot {
  readonly id: string
  readonly x: number
  readonly y: number
}

/** Waits until the map has stopped moving, clicks a vehicle that no other vehicle covers, and returns its id. */
async function clickedVehicle(page: Page): Promise<string> {
  const found: Spot[] = []
  await until(async () => found.push(...(await uncoveredVehicles(page))) > 0, 'a vehicle that no other covers')
  const [{ id, x, y }] = found
  await page.mouse.click(x, y)
  return id
}

function uncoveredVehicles(page: Page): Promise<Spot[]> {
  return page.evaluate(`(() => {
    const view = document.querySelector('.map').mapView
    if (!view.isResting) return []
    const viewport = view.viewport()
    const box = document.querySelector('.map').getBoundingClientRect()
    const all = [...view.vehicles.tracks.keys()].map((id) => {
      const place = view.vehicles.placeOf(id)
      const x = (place.x - viewport.center.x) * viewport.worldPixels + viewport.width / 2
      const y = (place.y - viewport.center.y) * viewport.worldPixels + viewport.height / 2
      return { id, x, y }
    })
    const isAlone = (one) => all.every((other) => other === one || Math.hypot(other.x - one.x, other.y - one.y) > 40)
    const inSight = ({ x, y }) => x > 520 && y > 80 && x < viewport.width - 80 && y < viewport.height - 80
    const found = all.filter((one) => inSight(one) && isAlone(one))
    return found.map(({ id, x, y }) => ({ id, x: x + box.left, y: y + box.top }))
  })()`)
}

/** Returns how far a vehicle is from the center of the visible map, in meters. The panel covers part of the map. */
function metersOff(page: Page, id: string): Promise<number> {
  return page.evaluate<number>(`(() => {
    const view = document.querySelector('.map').mapView
    const place = view.vehicles.placeOf(${JSON.stringify(id)})
    if (place === undefined) return Infinity
    const { lng, lat } = view.map.getCenter()
    const lon = (place.x - 0.5) * 360
    const otherLat = (Math.atan(Math.sinh(Math.PI * (1 - 2 * place.y))) * 180) / Math.PI
    return Math.hypot((lon - lng) * Math.cos((lat * Math.PI) / 180), otherLat - lat) * 111195
  })()`)
}
