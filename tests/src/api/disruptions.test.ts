// Tests three things: the severity of an alert whose feed gives only an effect, the alerts for a stop's lines and
// agencies, and boards that are empty because of an alert. Fails if a severity is invented, or if an empty board gives
// another reason.
import { beforeEach, expect, test } from 'bun:test'
import { AlertMemory } from '../../../indexes/live/alert-memory.ts'
import { AlertReader } from '../../../indexes/live/alert-reader.ts'
import type { AlertReport } from '../../../loaders/gtfs-rt/message.ts'
import { smallFeed } from '../../feeds/text-feed.ts'
import { basis, NOW } from '../../indexes/live/alert-city.ts'
import { alert, period, selector, text } from '../../indexes/live/alert-reports.ts'
import { openApi } from './api-under-test.ts'
import { publishedAlerts } from './published-alerts.ts'

const NOW_MILLIS = NOW * 1000
const NIGHT = '2026-06-10T02:00:00Z'
const api = await openApi({ networks: [{ id: 'ville', feed: smallFeed() }] })
const [ville] = api.networks.list
if (ville === undefined) throw new Error('there is no network')

beforeEach(() => {
  api.service.nowMillis = NOW_MILLIS
  ville.live = undefined
})

function publish(...alerts: AlertReport[]): void {
  if (ville !== undefined) ville.live = publishedAlerts(ville, alerts, { atMillis: NOW_MILLIS })
}

const EVERY_EFFECT = {
  no_service: 'critical',
  reduced_service: 'warning',
  significant_delays: 'warning',
  detour: 'warning',
  stop_moved: 'warning',
  additional_service: 'info',
  modified_service: 'info',
  accessibility_issue: 'info',
  other_effect: 'unknown',
  unknown_effect: 'unknown',
  no_effect: 'unknown',
}

test('an alert without a severity has that of its effect, unless its feed is configured otherwise', () => {
  for (const [effect, severity] of Object.entries(EVERY_EFFECT)) {
    const read = (word: string, derivesSeverity?: boolean) => {
      const alerts = [alert('1', { effect, severity: word, selectors: [selector({ routeId: 'A' })] })]
      const feed = derivesSeverity === undefined ? { id: 'f', alerts } : { id: 'f', alerts, derivesSeverity }
      return new AlertReader(basis).read([feed], NOW).alerts.rows[0]?.severity
    }
    expect([effect, read('unknown'), read('unknown', true)]).toEqual([effect, severity, severity])
    expect([effect, read('unknown', false), read('info'), read('severe')]).toEqual([
      effect,
      'unknown',
      'info',
      'critical',
    ])
  }
})

test('the time an alert was first seen survives a restart', () => {
  const read = (memory: AlertMemory, at: number, header: string) => {
    const alerts = [alert('1', { header: text(header), selectors: [selector({ routeId: 'A' })] })]
    return new AlertReader(basis, memory).read([{ id: 'f', alerts }], at).alerts.rows[0]?.updatedSeconds
  }
  const before = new AlertMemory()
  expect(read(before, NOW, 'Travaux')).toBe(NOW)
  const kept = before.takeChanges()
  expect(before.takeChanges()).toBeUndefined()
  const after = new AlertMemory(kept, NOW + 50_000)
  expect(read(after, NOW + 50_000, 'Travaux')).toBe(NOW)
  expect(read(after, NOW + 50_060, 'Autres travaux')).toBe(NOW + 50_060)
})

test('a stop’s alerts may include those of its lines and agencies', async () => {
  publish(
    alert('stop', { selectors: [selector({ stopId: 'G' })] }),
    alert('line', { selectors: [selector({ routeId: 'A' })] }),
    alert('agency', { selectors: [selector({ agencyId: 'V' })] }),
    alert('elsewhere', { selectors: [selector({ stopId: 'P' })] }),
  )
  const idsOf = async (include: string) => {
    const { body } = await api.get(`/v1/stops/ville:stop:G/alerts${include}`)
    return body.data.map(({ id }: { id: string }) => id.replace('ville:alert:', '')).sort()
  }
  expect(await idsOf('')).toEqual(['stop'])
  expect(await idsOf('?include=lines')).toEqual(['line', 'stop'])
  expect(await idsOf('?include=agency')).toEqual(['agency', 'stop'])
  expect(await idsOf('?include=lines,agency')).toEqual(['agency', 'line', 'stop'])
})

test('a board that is empty because of an alert names this reason', async () => {
  const reasonAt = async (place: string, more = '') => {
    const { body } = await api.get(`/v1/stops/ville:${place}/departures?when=${NIGHT}&horizon=5${more}`)
    expect(body.data).toEqual([])
    return body.meta.reason
  }
  const usual = await reasonAt('stop:G')
  expect(usual).not.toBe('active_disruption')
  const none = { effect: 'no_service' }
  publish(alert('1', { ...none, selectors: [selector({ stopId: 'G' })] }))
  expect(await reasonAt('stop:G')).toBe('active_disruption')
  publish(alert('1', { effect: 'detour', selectors: [selector({ stopId: 'G' })] }))
  expect(await reasonAt('stop:G')).toBe(usual)
  publish(alert('1', { ...none, selectors: [selector({ stopId: 'G' })], activePeriods: [period(NOW)] }))
  expect(await reasonAt('stop:G')).toBe(usual)
  publish(alert('1', { ...none, selectors: [selector({ routeId: 'A' })] }))
  expect(await reasonAt('stop:G', '&line=ville:line:A')).toBe('active_disruption')
  publish(alert('1', { ...none, selectors: [selector({ agencyId: 'V' })] }))
  expect(await reasonAt('stop:G')).toBe('active_disruption')
})
