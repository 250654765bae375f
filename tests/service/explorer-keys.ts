// Tests the explorer with the keyboard alone, on a phone-sized screen in dark mode. Tab, Enter, Space and arrow keys
// must reach everything, and each element must show when it has the focus. explorer.test.ts runs these tests with its
// demo.
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { tabTo } from '../src/console/visit.ts'
import type { ExplorerVisit, Looks } from '../src/explorer/explorer-visit.ts'
import type { Looked } from './explorer-faults.ts'
import { until } from './running.ts'

const PHONE: Looks = { width: 390, height: 844, colorScheme: 'dark', reducedMotion: 'reduce' }
/** Matches the name of a button that opens a journey. The name starts with the journey's times. */
const JOURNEY = /^\d\d:\d\d – \d\d:\d\d/

/** Declares the keyboard tests. */
export function testKeys({ enter }: Looked): void {
  test('by keyboard only: a search, its board, a trip that is followed, and back', async () => {
    const visit = await enter(PHONE)
    const { page } = visit
    await openStop(visit)
    const findings = await visit.allFindings()
    // Opens a departure that is a few minutes away: one that leaves now could disappear before Tab reaches its row.
    await follow(page, /Live: \d+ min/)
    await visit.untilPanel(/^To /)
    await page.getByRole('list', { name: 'Stops ahead' }).getByRole('link').first().waitFor()
    await page.getByRole('button', { name: 'Follow on the map' }).waitFor()
    await follow(page, 'Follow on the map')
    await page.getByRole('button', { name: 'Stop following' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Follow on the map' }).waitFor()
    findings.push(...(await visit.allFindings()))
    await follow(page, 'Back', 'Shift+Tab')
    await visit.untilPanel(/République/)
    // During a search, the sheet covers the map. When the map gets the focus, the sheet must be lowered.
    await follow(page, 'Zoom in', 'Shift+Tab')
    expect([findings, await visit.overflowPixels(), visit.faults]).toEqual([[], 0, []])
    await visit.close()
  }, 180_000)

  test('by keyboard only: a journey, with few changes and step-free, a later one, and the requests behind it', async () => {
    const visit = await enter(PHONE)
    const { page } = visit
    await openStop(visit)
    await follow(page, 'From here')
    await visit.untilPanel('Journey')
    await tabTo(page, 'To')
    await page.keyboard.type('hopital')
    await visit.suggestions().first().waitFor()
    await page.keyboard.press('Enter')
    const cards = page.getByRole('list', { name: 'Alternatives' }).getByRole('button', { name: JOURNEY })
    await cards.first().waitFor()
    await tabTo(page, 'When')
    await page.keyboard.press('ArrowDown')
    await page.getByLabel('Date and time').waitFor()
    await tabTo(page, 'Changes')
    await page.keyboard.press('ArrowDown')
    await tabTo(page, 'Step-free only')
    await page.keyboard.press('Space')
    await until(async () => {
      const texts = await cards.allTextContents()
      return texts.length > 0 && texts.every((text) => /direct/.test(text) && /Step-free/.test(text))
    }, 'all journeys are direct and step-free')
    const count = await cards.count()
    await tabTo(page, 'Later')
    for (const times of [1, 2]) {
      await page.keyboard.press('Enter')
      await until(async () => (await cards.count()) > count * times, 'later journeys are listed')
    }
    await follow(page, JOURNEY, 'Shift+Tab')
    await page.getByRole('list', { name: /leg by leg/ }).waitFor()
    await follow(page, 'Requests', 'Shift+Tab')
    await page.locator('#drawer-title:focus').waitFor()
    await follow(page, /\/v1\/journeys\?/)
    await page.locator('#call-curl').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('button:focus', { hasText: 'Requests' }).waitFor()
    expect([await visit.allFindings(), await visit.overflowPixels(), visit.faults]).toEqual([[], 0, []])
    await visit.close()
  }, 180_000)
}

/** Moves to a link or a button, and presses Enter. */
async function follow(page: Page, name: string | RegExp, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await tabTo(page, name, key)
  await page.keyboard.press('Enter')
}

/** On the page that lists the lines, finds a stop with the search field and opens it. */
async function openStop(visit: ExplorerVisit): Promise<void> {
  const { page } = visit
  await tabTo(page, 'Search', 'Shift+Tab')
  await page.keyboard.type('republique')
  await visit.suggestions().first().waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await visit.untilPanel(/République/)
  await page.locator('.departures li').first().waitFor()
}
