// Tests the explorer in a browser, at the URL that `quai demo` prints: a newly opened page, moving vehicles, live
// boards, journeys, searches, and the display of the API requests behind them. Also tests names that contain markup,
// keyboard use, and a phone-sized screen. Fails if something does not appear, cannot be reached, requests other hosts,
// or executes markup from a feed.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page, Route } from 'playwright-core'
import { oneTilePmtiles } from '../feeds/pmtiles-file.ts'
import { bySize } from '../size.ts'
import { ExplorerVisit, type Looks } from '../src/explorer/explorer-visit.ts'
import { hasChromium, openChromium } from '../watched-page.ts'
import { testBoards } from './explorer-boards.ts'
import { testFaults } from './explorer-faults.ts'
import { testKeys } from './explorer-keys.ts'
import { testMap } from './explorer-map.ts'
import { testPolls } from './explorer-polls.ts'
import { testTrips } from './explorer-trips.ts'
import { commandOf, until } from './running.ts'

/** Whether there is time for these tests. Quick runs skip them: generating and starting a city takes too long. */
const HAS_TIME = bySize({ quick: false, ci: true, full: true })
/**
 * Number of vehicles that must be drawn. It is smaller at size `ci`, since other work on the machine slows down the
 * requests, which are sent for one line after the other, and the frames, which are rendered without a GPU.
 */
const VEHICLES = bySize({ quick: 0, ci: 500, full: 2_000 })
const FRAMES = bySize({ quick: 0, ci: 5, full: 30 })
/**
 * Number of copies of each vehicle. Once there are `VEHICLES` vehicles in all, vehicles that appear later are not
 * multiplied.
 */
const COPIES = 30
const PORT = 18_920
const API = `http://localhost:${PORT}`
const EXPLORER = `http://localhost:${PORT + 3}`
const ORIGINS = [EXPLORER, API] as const
const DESK: Looks = { width: 1280, height: 820, colorScheme: 'light' }
/** The time at which the demo's clock starts: a weekday morning, since few vehicles run at night. */
const MORNING = '2026-11-17T07:40:00Z'
const STATION = 'valmont:area:gare-centrale'
const JOURNEY = `#/valmont/journey?from=${STATION}&to=valmont:area:hopital-saint-jean`
const CREDIT = '<a href="https://elsewhere.example">© Nobody</a><img src=x onerror="window.hurt=1">'
const HOSTILE = '<img src=x onerror="window.hurt=1">'
const HOSTILE_NAMES = [
  'name',
  'headsign',
  'title',
  'message',
  'label',
  'code',
  'line_code',
  'line_name',
  'town',
  'operator',
]

if (HAS_TIME && hasChromium()) {
  const folder = mkdtempSync(join(tmpdir(), 'quai-explorer-'))
  let demo: Bun.Subprocess<'ignore', 'pipe', 'pipe'>
  let browser: Browser
  let printed = ''
  let logged = ''
  let address = ''

  beforeAll(async () => {
    const words = ['demo', '--port', `${PORT}`, '--data', folder]
    const ports = {
      QUAI_ACCOUNT_PORT: `${PORT + 1}`,
      QUAI_ADMIN_PORT: `${PORT + 2}`,
      QUAI_EXPLORER_PORT: `${PORT + 3}`,
    }
    const tiles = join(folder, 'world.pmtiles')
    writeFileSync(tiles, oneTilePmtiles(CREDIT))
    const kind = process.env['QUAI_BINARY'] === undefined ? 'source' : 'binary'
    const options = {
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
      env: { ...process.env, ...ports, QUAI_EXPLORER_TILES: tiles, QUAI_CLOCK: MORNING },
    } as const
    demo = Bun.spawn([...commandOf(kind), ...words], options)
    void collect(demo.stdout, (text) => {
      printed += text
    })
    void collect(demo.stderr, (text) => {
      logged += text
    })
    browser = await openChromium()
    await until(() => printed.includes('Ctrl-C to stop'), 'the demo serves')
    address = /http:\S+#key=\S+/.exec(printed)?.[0] ?? ''
  }, 90_000)
  afterAll(async () => {
    await browser.close()
    demo.kill('SIGTERM')
    await demo.exited
    rmSync(folder, { recursive: true })
  })

  const enter = async (looks: Looks, prepare?: (page: Page) => Promise<unknown>) => {
    const visit = await ExplorerVisit.open(browser, ORIGINS, looks)
    await prepare?.(visit.page)
    await visit.page.goto(address)
    await visit.page.getByRole('link', { name: /Abreuvoir/ }).waitFor()
    return visit
  }

  test('from the printed address to moving vehicles, a board, a journey, and the requests behind them', async () => {
    const visit = await enter(DESK)
    const { page } = visit
    const ranges: number[] = []
    page.on('response', (response) => response.url().endsWith('.pmtiles') && ranges.push(response.status()))
    const findings: string[] = []
    const look = async () => findings.push(...(await visit.allFindings()))
    expect(page.url()).toBe(`${EXPLORER}/#/valmont`)
    await visit.untilVehicles(20)
    const before = await visit.canvasLooks()
    await until(async () => (await visit.canvasLooks()) !== before, 'vehicles move')
    await look()

    await page.getByRole('link', { name: /Abreuvoir/ }).click()
    await visit.untilPanel(/Abreuvoir/)
    await page.getByRole('list', { name: 'Stops' }).getByRole('link').first().waitFor()
    await look()

    await page.getByRole('combobox', { name: 'Search' }).fill('gare cen')
    await visit.suggestions().first().click()
    await visit.untilPanel('Gare Centrale')
    await page.locator('.departures li').nth(4).waitFor()
    await look()

    await page.getByRole('link', { name: 'From here' }).click()
    await visit.untilPanel('Journey')
    await page.getByRole('combobox', { name: 'To' }).fill('hopital')
    await visit.suggestions().first().click()
    await page.getByRole('list', { name: 'Alternatives' }).getByRole('button').first().waitFor()
    await page.getByRole('list', { name: /leg by leg/ }).waitFor()
    await look()

    await page.getByRole('button', { name: 'Requests' }).click()
    await page
      .getByRole('button', { name: /\/v1\/journeys\?/ })
      .first()
      .click()
    const curl = (await page.locator('#call-curl').textContent()) ?? ''
    const json = JSON.parse((await page.locator('#call-json').textContent()) ?? '')
    await look()
    const key = address.split('#key=')[1] ?? ''
    const answer = await runCurl(curl, key)
    expect([answer.data.length > 0, json.meta.units, curl.includes(key)]).toEqual([true, 5, false])
    expect([await page.locator('.call').filter({ hasText: 'open' }).count(), findings]).toEqual([0, []])
    expect([visit.foreign, visit.faults]).toEqual([[], []])
    await page.reload()
    await page.getByText('© Nobody', { exact: true }).waitFor()
    await until(() => ranges.length >= 2, 'tiles are read')
    expect([new Set(ranges), await page.evaluate('window.hurt ?? 0'), visit.faults]).toEqual([new Set([206]), 0, []])
    await visit.close()
  }, 90_000)

  const parts = { browser: () => browser, origins: ORIGINS, address: () => address }
  testFaults({ enter })
  testMap(parts)
  testBoards(parts)
  testKeys({ enter })
  testTrips({ ...parts, freeKey: () => makeFreeKey(folder) })
  testPolls({ ...parts, freeKey: () => makeFreeKey(folder) })

  test('the demo prints one link first, with a key that opens the map, and none of its log lines', async () => {
    await until(() => printed.includes('Press Ctrl-C'), 'all is printed')
    const [first = '', ...others] = printed.split('\n').filter((line) => /https?:\/\//.test(line))
    expect(first.trim()).toMatch(/^http:\/\/localhost:\d+\/#key=quai_\w+$/)
    expect(printed.slice(0, printed.indexOf(first)).trim()).toBe('Valmont-sur-Loire is running. See it move:')
    expect([others.length > 10, others.some((line) => line.includes('#key='))]).toEqual([true, false])
    expect(`${printed}${logged}`.split('\n').filter((line) => line.trimStart().startsWith('{'))).toEqual([])
    const visit = await ExplorerVisit.open(browser, ORIGINS, DESK)
    await visit.page.goto(first.trim())
    await visit.page.getByRole('link', { name: /Abreuvoir/ }).waitFor()
    await visit.close()
  }, 60_000)

  test('a board and a line are streams, at most two, and end when the user leaves them', async () => {
    const visit = await enter(DESK)
    const { page } = visit
    const streams = new Set<string>()
    page.on('request', (request) => request.url().includes('/stream?') && streams.add(request.url()))
    const gone = (request: { url(): string }) => void streams.delete(request.url())
    page.on('requestfailed', gone)
    page.on('requestfinished', gone)
    await visit.follow('#/valmont/line/valmont:line:A')
    await until(() => [...streams].some((url) => url.includes('vehicles/stream')), 'the line is followed')
    await visit.follow(`#/valmont/stop/${STATION}`)
    await until(
      () => streams.size === 1 && [...streams][0]?.includes('departures/stream') === true,
      'the board alone is',
    )
    await visit.follow('#/valmont')
    await until(() => streams.size === 0, 'nothing is followed')
    await visit.close()
  }, 60_000)

  test('text from feeds is shown as text everywhere', async () => {
    const visit = await ExplorerVisit.open(browser, ORIGINS, DESK)
    const { page } = visit
    await page.route(`${API}/v1/**`, poison)
    await page.goto(address)
    await page.locator('.panel-body').getByText(HOSTILE).first().waitFor()
    const places = [`#/valmont/stop/${STATION}`, '#/valmont/line/valmont:line:A', '#/valmont/alerts', JOURNEY]
    await visit.follow(places[0] ?? '')
    await page.locator('.departures').getByText(HOSTILE).first().waitFor()
    for (const place of places) {
      await visit.follow(place)
      await page.locator('.panel-body').getByText(HOSTILE).first().waitFor()
    }
    await page.getByRole('combobox', { name: 'Search' }).fill('gare')
    await visit.suggestions().first().waitFor()
    await page.getByRole('button', { name: 'Requests' }).click()
    await page.locator('.call').first().click()
    await page.locator('#call-json').waitFor()
    expect(await page.evaluate('[window.hurt ?? 0, document.querySelectorAll("img").length]')).toEqual([0, 0])
    expect([visit.foreign, visit.faults]).toEqual([[], []])
    await visit.close()
  }, 60_000)

  test('no key, a wrong key, and a key entered on another machine', async () => {
    const visit = await ExplorerVisit.open(browser, ORIGINS, DESK)
    const { page } = visit
    await page.goto('/')
    await visit.untilPanel('See a network live')
    expect(await visit.allFindings()).toEqual([])
    await page.getByLabel('Your API key').fill('quai_p_wrong')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').waitFor()
    await page.getByLabel('Your API key').fill(address.split('#key=')[1] ?? '')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: /Abreuvoir/ }).waitFor()
    const kept = await page.evaluate<string[]>(
      '[Object.keys(sessionStorage), Object.keys(localStorage), document.cookie]',
    )
    expect(kept).toEqual([['quai-explorer-key'], [], ''] as never)
    await visit.close()
  }, 60_000)

  test(`${VEHICLES} vehicles move at ${FRAMES} frames per second`, async () => {
    const visit = await ExplorerVisit.open(browser, ORIGINS, DESK)
    const crowd = new Crowd()
    await visit.page.route(/\/vehicles\/nearby\?/, (route) => crowd.answer(route))
    await visit.page.goto(address)
    await visit.untilVehicles(VEHICLES)
    const frames = await visit.framesPerSecond(5)
    console.log(`explorer: ${frames.toFixed(0)} frames a second, ${await visit.shownVehicles()} vehicles`)
    expect(frames).toBeGreaterThanOrEqual(FRAMES)
    await visit.close()
  }, 90_000)
}

/** Creates a key on the free plan in the demo's data directory. */
async function makeFreeKey(folder: string): Promise<string> {
  const kind = process.env['QUAI_BINARY'] === undefined ? 'source' : 'binary'
  const words = [
    'keys',
    'create',
    '--account',
    'free@a.example',
    '--plan',
    'free',
    '--name',
    'explorer',
    '--config',
    join(folder, 'quai.toml'),
  ]
  const child = Bun.spawn([...commandOf(kind), ...words], { stdout: 'pipe', stderr: 'inherit' })
  return (await new Response(child.stdout).text()).trim()
}

/**
 * Multiplies the vehicles in responses, until there are about `VEHICLES` in all. The copies move. Each vehicle has the
 * same number of copies in every response, so the total does not grow.
 */
class Crowd {
  private readonly copiesOf = new Map<string, number>()
  private total = 0
  private turn = 0

  async answer(route: Route): Promise<void> {
    const response = await route.fetch()
    const answer = await response.json()
    const data = answer.data.flatMap((vehicle: { readonly id: string }) => this.copies(vehicle))
    this.turn++
    await route.fulfill({ response, json: { ...answer, data } })
  }

  private copies(vehicle: { readonly id: string; readonly lat?: number; readonly lon?: number }): unknown[] {
    const count = this.copiesOf.get(vehicle.id) ?? (this.total < VEHICLES ? COPIES : 1)
    if (!this.copiesOf.has(vehicle.id)) this.total += count
    this.copiesOf.set(vehicle.id, count)
    const { lat = 0, lon = 0 } = vehicle
    return Array.from({ length: count }, (_, index) => {
      const angle = index * 0.7 + this.turn
      return {
        ...vehicle,
        id: `${vehicle.id}-${index}`,
        lat: lat + 0.012 * Math.sin(index) + 0.0012 * Math.sin(angle),
        lon: lon + 0.018 * Math.cos(index * 1.3) + 0.002 * Math.cos(angle),
        bearing: (index * 37) % 360,
      }
    })
  }
}

/** Replaces every name in a response with markup that an attacker might choose. */
async function poison(route: Route): Promise<void> {
  // The page may be closed before the response arrives.
  const response = await route.fetch().catch(() => undefined)
  const body = await response?.text().catch(() => undefined)
  if (response === undefined || body === undefined) return
  const names = new RegExp(`"(${HOSTILE_NAMES.join('|')})":"(?:[^"\\\\]|\\\\.)*"`, 'g')
  // Reports that networks have no streams: a stream's response never ends, so the names in it could not be replaced.
  const polled = body.replaceAll('"streams":true', '"streams":false')
  await route.fulfill({ response, body: polled.replace(names, (_, name) => `"${name}":${JSON.stringify(HOSTILE)}`) })
}

/** Runs a curl command that the explorer displays. Returns the response. */
async function runCurl(line: string, key: string): Promise<{ readonly data: readonly unknown[] }> {
  const child = Bun.spawn(['bash', '-c', line], { env: { ...process.env, KEY: key }, stdout: 'pipe' })
  const answer: { readonly data: readonly unknown[] } = JSON.parse(await new Response(child.stdout).text())
  return answer
}

async function collect(stream: ReadableStream<Uint8Array>, take: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder()
  for await (const chunk of stream) take(decoder.decode(chunk, { stream: true }))
}
