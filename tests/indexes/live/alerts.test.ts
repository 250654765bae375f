// Tests when alerts are shown, what their texts are, and whether ids, times and objects stay the same when a feed is
// read again.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { AlertMemory } from '../../../indexes/live/alert-memory.ts'
import { type AlertFeed, AlertReader } from '../../../indexes/live/alert-reader.ts'
import { alertPeriod, type NetworkAlerts } from '../../../indexes/live/alerts.ts'
import type { AlertReport } from '../../../loaders/gtfs-rt/message.ts'
import { bySize, SEED } from '../../size.ts'
import { basis, idsOf, indexOf, lineOf, NOW, read } from './alert-city.ts'
import { alert, period, selector, text } from './alert-reports.ts'

describe('periods', () => {
  const isShownAt = (seconds: number, ...periods: ReturnType<typeof period>[]) =>
    indexOf(read(alert('1', { activePeriods: periods })).alerts).listShown(seconds).length > 0

  test('the start is inclusive, the end exclusive', () => {
    const shown = [999, 1000, 1999, 2000].map((seconds) => isShownAt(seconds, period(1000, 2000)))
    expect(shown).toEqual([false, true, true, false])
  })

  test('a missing bound is open, no period means always, several mean each of them', () => {
    expect([0, 1999, 2000].map((seconds) => isShownAt(seconds, period(undefined, 2000)))).toEqual([true, true, false])
    expect([999, 1000, 9e9].map((seconds) => isShownAt(seconds, period(1000)))).toEqual([false, true, true])
    expect(isShownAt(5)).toBe(true)
    const two = [period(3000, 4000), period(1000, 2000)]
    expect([1500, 2500, 3500, 4500].map((seconds) => isShownAt(seconds, ...two))).toEqual([true, false, true, false])
  })

  test('the pair is the current period, else the next, else the last', () => {
    const periods = [period(5000, 6000), period(1000, 2000), period(3000, 4000)]
    const [row] = read(alert('1', { activePeriods: periods })).alerts.rows
    const startAt = (seconds: number) => row && alertPeriod(row, seconds).startSeconds
    expect([0, 1000, 1999, 2000, 3999, 4000, 7000].map(startAt)).toEqual([1000, 1000, 1000, 3000, 3000, 5000, 5000])
  })

  test('communication periods decide when an alert is shown; impact periods decide what is shown', () => {
    const { alerts } = read(
      alert('1', {
        activePeriods: [period(1, 2)],
        communicationPeriods: [period(1000, 2000)],
        impactPeriods: [period(5000, 6000)],
      }),
      alert('2', { activePeriods: [period(3000, 4000)], communicationPeriods: [period(1000, 2000)] }),
      alert('3', { communicationPeriods: [period(1000, 2000)] }),
    )
    expect(idsOf(indexOf(alerts).listShown(1500))).toEqual(['1', '2', '3'])
    expect(indexOf(alerts).listShown(3500)).toEqual([])
    expect(alerts.rows.map((row) => alertPeriod(row, 1500))).toEqual([
      period(5000, 6000),
      period(3000, 4000),
      period(1000, 2000),
    ])
  })

  test('"for good" means an open period, and an empty period does not count; without any other period, the alert is omitted', () => {
    const { alerts, reasons } = read(
      alert('good', { activePeriods: [period(0, 2 ** 63)] }),
      alert('half', { activePeriods: [period(2000, 1000), period(1000, 0)] }),
      alert('never', { activePeriods: [period(2000, 2000)] }),
    )
    expect(alerts.rows.map(({ id, shownPeriods }) => [id, shownPeriods])).toEqual([
      ['good', [period()]],
      ['half', [period(1000)]],
    ])
    expect(reasons).toEqual({ empty_alert_period: 2, alert_never_active: 1 })
  })

  test('match the oracle at every second', () => {
    const bound = fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined })
    fc.assert(
      fc.property(fc.array(fc.tuple(bound, bound), { maxLength: 4 }), (pairs) => {
        const { rows } = read(alert('1', { activePeriods: pairs.map(([start, end]) => period(start, end)) })).alerts
        const index = indexOf({ snapshotId: 'snap', rows })
        for (let seconds = 0; seconds < 14; seconds++) {
          const holding = pairs.filter(([start = -1, end = 99]) => start <= seconds && seconds < end)
          expect(index.listShown(seconds).length > 0).toBe(pairs.length === 0 || holding.length > 0)
          if (holding.length === 0 || rows[0] === undefined) continue
          const { startSeconds, endSeconds } = alertPeriod(rows[0], seconds)
          expect(holding).toContainEqual([startSeconds, endSeconds])
        }
      }),
      { seed: SEED, numRuns: bySize({ quick: 500, ci: 5_000, full: 50_000 }) },
    )
  })
})

describe('words and texts', () => {
  const first = (members: Partial<AlertReport>) => read(alert('1', members)).alerts.rows[0]

  test('severe is critical; unknown values are unknown', () => {
    const words = ['unknown', 'info', 'warning', 'severe', '', 'toString'].map(
      (severity) => first({ severity })?.severity,
    )
    expect(words).toEqual(['unknown', 'info', 'warning', 'critical', 'unknown', 'unknown'])
    expect(first({ cause: 'special_event', effect: 'stop_moved' })).toMatchObject({
      cause: 'special_event',
      effect: 'stop_moved',
    })
    expect(first({ cause: 'aliens', effect: '' })).toMatchObject({ cause: 'unknown_cause', effect: 'unknown_effect' })
  })

  test('the operator’s language, else none, else the first', () => {
    const titleOf = (header: Readonly<Record<string, string>>) => first({ header: text(header) })?.title
    expect(titleOf({ en: 'Works', '': 'Chantier', FR: 'Travaux' })).toBe('Travaux')
    expect(titleOf({ en: 'Works', 'fr-html': '<b>Travaux</b>' })).toBe('Travaux')
    expect(titleOf({ 'fr-CA': 'Chantier', fr: 'Travaux' })).toBe('Travaux')
    expect(titleOf({ en: 'Works', '': 'Chantier' })).toBe('Chantier')
    expect(titleOf({ en: 'Works', de: 'Arbeiten' })).toBe('Works')
    expect(titleOf({ fr: ' <br> ', en: 'Works' })).toBe('Works')
    expect(titleOf({})).toBe('')
  })

  test('HTML is removed, line breaks stay; the title is one line', () => {
    expect(
      first({ header: text('<b>A</b><br>B'), description: text('<p>Un</p><p>Deux &amp; trois</p>') }),
    ).toMatchObject({
      title: 'A B',
      message: 'Un\n\nDeux & trois',
    })
  })

  test('long texts are truncated and counted', () => {
    const { alerts, reasons } = read(alert('1', { description: text('é'.repeat(20_000)) }))
    expect(alerts.rows[0]?.message).toHaveLength(10_000)
    expect(alerts.rows[0]?.message.endsWith('é…')).toBe(true)
    expect(reasons).toEqual({ alert_text_cut: 1 })
  })

  test('only web URLs are kept', () => {
    const urlOf = (url: string) => first({ url: text(url) })?.url
    expect(urlOf(' https://ville.example/infos?a=1&b=2 ')).toBe('https://ville.example/infos?a=1&b=2')
    expect(['javascript:alert(1)', 'www.ville.example', '', 'data:text/html,x'].map(urlOf)).toEqual([
      null,
      null,
      null,
      null,
    ])
    expect(read(alert('1', { url: text('javascript:alert(1)') })).reasons).toEqual({ unusable_alert_url: 1 })
  })
})

describe('between readings', () => {
  const feedOf = (id: string, ...alerts: AlertReport[]): AlertFeed => ({ id, alerts })

  test('an alert is updated when its content changes, not when it is repeated or renumbered', () => {
    const reader = new AlertReader(basis)
    const updatedAt = (report: AlertReport, nowSeconds: number) =>
      reader.read([feedOf('rt', report)], nowSeconds).alerts.rows[0]?.updatedSeconds
    expect(updatedAt(alert('1', { header: text('Travaux') }), 100)).toBe(100)
    expect(updatedAt(alert('1', { header: text('<b>Travaux</b>') }), 130)).toBe(100)
    expect(updatedAt(alert('2', { header: text('Travaux') }), 160)).toBe(100)
    expect(updatedAt(alert('2', { header: text('Fin des travaux') }), 190)).toBe(190)
  })

  test('a failing upstream or a new snapshot does not make alerts new; an hour of silence does', () => {
    const memory = new AlertMemory()
    const updatedAt = (nowSeconds: number, ...alerts: AlertReport[]) =>
      new AlertReader(basis, memory).read([feedOf('rt', ...alerts)], nowSeconds).alerts.rows[0]?.updatedSeconds
    updatedAt(100, alert('1'))
    updatedAt(2000)
    expect(updatedAt(3000, alert('1'))).toBe(100)
    updatedAt(6601)
    expect(updatedAt(6602, alert('1'))).toBe(6602)
  })

  test('repeated content is the same object, within one message or across two, but not for another snapshot', () => {
    const memory = new AlertMemory()
    const reader = new AlertReader(basis, memory)
    const feed = feedOf('rt', alert('1'), alert('2'))
    const first = reader.read([feed], 100)
    expect(reader.read([feed], 4000)).toBe(first)
    expect(reader.read([feedOf('rt', alert('1'), alert('2'))], 7600)).toBe(first)
    expect(reader.read([feedOf('rt', alert('1'))], 7630)).not.toBe(first)
    // Alert 2 was last read at 100 s. The message at 7600 s also contained alert 2, but was unchanged and therefore not
    // read again. So alert 2 does not count as a new alert.
    expect(reader.read([feed], 7660)).toEqual(first)
    const later = new AlertReader({ ...basis, snapshotId: 'next' }, memory).read([feed], 7690)
    expect(later.alerts).toEqual({ snapshotId: 'next', rows: first.alerts.rows })
  })

  test('an alert keeps its id whether the feed gives one or renumbers it each time', () => {
    const reader = new AlertReader(basis)
    const idOf = (title: string, nowSeconds: number, ...reports: AlertReport[]) =>
      reader.read([feedOf('rt', ...reports)], nowSeconds).alerts.rows.find((row) => row.title === title)?.id
    const titled = (id: string, title: string) => alert(id, { header: text(title) })
    expect(idOf('A', 100, titled('1', 'A'), titled('2', 'B'))).toBe('1')
    // A new alert gets the feed's id. One alert that returns under another id does not yet prove that ids are unstable.
    expect(idOf('C', 130, titled('1', 'A'), titled('2', 'B'), titled('3', 'C'))).toBe('3')
    expect(idOf('A', 160, titled('4', 'A'), titled('2', 'B'), titled('3', 'C'))).toBe('4')
    // The feed numbers its alerts from 1, so a new alert at the top changes the ids of all other alerts. From then on,
    // ids are derived from the content.
    const id = idOf('A', 190, titled('1', 'New'), titled('2', 'A'), titled('3', 'B'), titled('4', 'C'))
    expect(id).not.toBe('2')
    expect(idOf('A', 220, titled('1', 'B'), titled('2', 'A'))).toBe(id)
    expect(idOf('A', 250, titled('1', 'A'))).toBe(id)
    expect(idOf('B', 250, titled('1', 'A'))).toBeUndefined()
  })

  test('alerts without an id and with the same content are shown once', () => {
    const { alerts, reasons } = read(alert('', { header: text('A') }), alert('', { header: text('A') }))
    expect(alerts.rows).toHaveLength(1)
    expect(alerts.rows[0]?.id).toMatch(/^[0-9a-z]{8,13}$/)
    expect(reasons).toEqual({ repeated_alert: 1 })
  })

  test('an id stays with its feed while that feed fails', () => {
    const reader = new AlertReader(basis)
    const tram = feedOf('tram', alert('1'))
    const idsAt = (nowSeconds: number, ...feeds: AlertFeed[]) =>
      reader.read(feeds, nowSeconds).alerts.rows.map(({ id }) => id)
    expect(idsAt(100, feedOf('bus', alert('1')), tram)).toEqual(['1', 'tram:1'])
    expect(idsAt(130, tram)).toEqual(['tram:1'])
    expect(idsAt(160, feedOf('bus', alert('1')), tram)).toEqual(['1', 'tram:1'])
  })

  test('alerts with the same id in different feeds stay separate, and none is lost', () => {
    const { alerts, reasons } = new AlertReader(basis).read(
      [feedOf('bus', alert('1', { header: text('a') })), feedOf('tram', alert('1', { header: text('b') }), alert('2'))],
      NOW,
    )
    expect(alerts.rows.map(({ id, feed, title }) => [id, feed, title])).toEqual([
      ['1', 'bus', 'a'],
      ['tram:1', 'tram', 'b'],
      ['2', 'tram', 'Title 2'],
    ])
    expect(reasons).toEqual({ repeated_alert_id: 1 })
  })

  test('rows pass to threads and into JSON unchanged', () => {
    const { alerts } = read(
      alert('1', { activePeriods: [period(1000, 2000), period(3000)], selectors: [selector({ agencyId: 'V' })] }),
      alert('2', { selectors: [selector({ stopId: 'S' }), selector({ routeId: 'A' })] }),
    )
    expect(structuredClone(alerts)).toEqual(alerts)
    expect(JSON.parse(JSON.stringify(alerts))).toEqual(JSON.parse(JSON.stringify(structuredClone(alerts))))
    const again: NetworkAlerts = JSON.parse(JSON.stringify(alerts))
    expect(idsOf(indexOf(again).listOfLine(lineOf('A'), 1500))).toEqual(['1', '2'])
  })
})
