// Tests the alert routes with alerts from a feed: format, order, pages, filters, times, and age. Fails if an alert is
// shown too long, twice, out of order, or where it does not apply.
import { beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { AlertReport } from '../../../loaders/gtfs-rt/message.ts'
import { smallFeed } from '../../feeds/text-feed.ts'
import { alert, descriptor, period, selector, text } from '../../indexes/live/alert-reports.ts'
import { bySize, SEED } from '../../size.ts'
import { openApi } from './api-under-test.ts'
import { publishedAlerts } from './published-alerts.ts'

const NOW_MILLIS = Date.parse('2026-06-10T06:00:00Z')
const NOW = NOW_MILLIS / 1000
const SEVERITIES = ['unknown', 'info', 'warning', 'severe']

const api = await openApi({
  networks: [
    { id: 'ville', feed: smallFeed() },
    { id: 'port', feed: smallFeed() },
    { id: 'mute', feed: smallFeed() },
  ],
})
const [ville, port] = api.networks.list
if (ville === undefined || port === undefined) throw new Error('one of three networks is missing')

beforeEach(() => {
  api.service.nowMillis = NOW_MILLIS
  ville.live = undefined
  port.live = undefined
})

function publish(...alerts: AlertReport[]): void {
  if (ville !== undefined) ville.live = publishedAlerts(ville, alerts, { atMillis: NOW_MILLIS })
}

/** Local ids of the alerts in a response, in order. */
async function idsOf(address: string): Promise<string[]> {
  const { status, body } = await api.get(address)
  if (status !== 200) throw new Error(`${address}: ${status} ${JSON.stringify(body)}`)
  return body.data.map(({ id }: { id: string }) => id.replace(':alert:', ':').replace('ville:', ''))
}

describe('a response', () => {
  test('with one alert, in full', async () => {
    publish(
      alert('w/1', {
        selectors: [selector({ routeId: 'A' }), selector({ stopId: 'G' }), selector({ stopId: 'S' })],
        activePeriods: [period(NOW - 3600, NOW + 3600)],
        cause: 'construction',
        effect: 'reduced_service',
        severity: 'warning',
        header: text({ de: 'Arbeiten', fr: 'Travaux <b>"ici"</b>' }),
        description: text('<p>Ligne A&nbsp;:</p><p>un train sur deux</p><script>x</script>'),
        url: text('https://ville.example/infos'),
      }),
    )
    const data = [
      {
        id: 'ville:alert:w/1',
        network: 'ville',
        severity: 'warning',
        title: 'Travaux "ici"',
        message: 'Ligne A\u00a0:\n\nun train sur deux',
        cause: 'construction',
        effect: 'reduced_service',
        line_ids: ['ville:line:A'],
        stop_ids: ['ville:area:S', 'ville:stop:G'],
        starts_at: '2026-06-10T07:00:00+02:00',
        ends_at: '2026-06-10T09:00:00+02:00',
        updated_at: '2026-06-10T08:00:00+02:00',
        url: 'https://ville.example/infos',
        source: 'alerts',
      },
    ]
    const meta = {
      generated_at: '2026-06-10T06:00:00Z',
      units: 1,
      network: 'ville',
      freshness: 'realtime',
      count: 1,
      attribution: ['ville data, open licence'],
      sources: [{ id: 'alerts', fetched_at: '2026-06-10T06:00:00Z', age_seconds: 0, freshness: 'realtime' }],
    }
    const page = { ...meta, limit: 20, next_cursor: null }
    for (const of of ['lines/ville:line:A', 'stops/ville:stop:G', 'stops/ville:area:S', 'stops/ville:stop:CA']) {
      expect((await api.get(`/v1/${of}/alerts`)).body).toEqual({ data, meta })
    }
    expect((await api.get('/v1/networks/ville/alerts')).body).toEqual({ data, meta: page })
    expect((await api.get('/v1/alerts?networks=ville')).body).toEqual({ data, meta: page })
  })

  test('without alerts says so, with the data’s age', async () => {
    publish(alert('1', { selectors: [selector({ routeId: 'A' })] }))
    api.service.nowMillis += 100_000
    expect((await api.get('/v1/stops/ville:stop:G/alerts')).body).toMatchObject({
      data: [],
      meta: {
        freshness: 'scheduled',
        count: 0,
        reason: 'no_alerts',
        sources: [{ age_seconds: 100, freshness: 'stale' }],
      },
    })
    expect((await api.get('/v1/networks/mute/alerts')).body.meta).toMatchObject({ reason: 'no_alerts', sources: [] })
  })

  test('has null for open bounds, and the current one of several periods', async () => {
    publish(alert('always'), alert('twice', { activePeriods: [period(NOW, NOW + 60), period(NOW + 3600)] }))
    const boundsAt = async (when: string) =>
      (await api.get(`/v1/networks/ville/alerts?when=${when}`)).body.data.map(
        ({ starts_at, ends_at }: Record<string, string>) => [starts_at, ends_at],
      )
    const first = ['2026-06-10T08:00:00+02:00', '2026-06-10T08:01:00+02:00']
    expect(await boundsAt('now')).toEqual([first, [null, null]])
    expect(await boundsAt('2026-06-10T08:00:59Z'.replace('Z', '%2B02:00'))).toEqual([first, [null, null]])
    expect(await boundsAt('2026-06-10T06:01:00Z')).toEqual([[null, null]])
    expect(await boundsAt('2026-06-10T07:00:00Z')).toEqual([
      ['2026-06-10T09:00:00+02:00', null],
      [null, null],
    ])
  })
})

describe('a list', () => {
  test('has the most severe first, then the latest, then by id; an open start comes last', async () => {
    const from = (start?: number) => ({ activePeriods: [period(start, NOW + 9999)] })
    publish(
      alert('b', { severity: 'info', ...from(NOW - 5) }),
      alert('a', { severity: 'info', ...from(NOW - 5) }),
      alert('open', { severity: 'info', ...from() }),
      alert('late', { severity: 'info', ...from(NOW - 4) }),
      alert('none', { ...from(NOW) }),
      alert('worst', { severity: 'severe', ...from() }),
      alert('bad', { severity: 'warning', ...from(NOW - 9000) }),
      alert('B', { severity: 'info', ...from(NOW - 5) }),
    )
    const order = ['worst', 'bad', 'late', 'B', 'a', 'b', 'open', 'none']
    expect(await idsOf('/v1/networks/ville/alerts')).toEqual(order)
    expect(await idsOf('/v1/alerts?networks=ville')).toEqual(order)
  })

  test('keeps exactly the requested severities', async () => {
    publish(...SEVERITIES.map((severity) => alert(severity, { severity })))
    const kept = (severity: string) => idsOf(`/v1/networks/ville/alerts?severity=${severity}`)
    expect(await kept('critical')).toEqual(['severe'])
    expect(await kept('info,warning')).toEqual(['warning', 'info'])
    expect(await kept('unknown')).toEqual(['unknown'])
  })

  test('keeps those of a line', async () => {
    publish(
      alert('whole'),
      alert('a', { selectors: [selector({ routeId: 'A' })] }),
      alert('trip', { selectors: [selector({ trip: descriptor({ tripId: 'a1' }) })] }),
      alert('stop', { selectors: [selector({ stopId: 'G' })] }),
      alert('both', { selectors: [selector({ routeId: 'A', stopId: 'G' })] }),
    )
    const ofLine = ['a', 'both', 'trip']
    expect(await idsOf('/v1/networks/ville/alerts?line=ville:line:A')).toEqual(ofLine)
    expect(await idsOf('/v1/lines/ville:line:A/alerts')).toEqual(ofLine)
    expect(await idsOf('/v1/alerts?networks=ville,port&line=port:line:A')).toEqual([])
    expect((await api.get('/v1/networks/ville/alerts?line=ville:line:gone')).status).toBe(400)
  })

  test('of several networks is one list', async () => {
    publish(alert('1', { severity: 'info' }), alert('2', { severity: 'severe' }))
    port.live = publishedAlerts(port, [alert('1', { severity: 'warning' }), alert('2', { severity: 'info' })], {
      atMillis: NOW_MILLIS,
    })
    expect(await idsOf('/v1/alerts?networks=ville,port')).toEqual(['2', 'port:1', 'port:2', '1'])
    expect(await idsOf('/v1/alerts?networks=port')).toEqual(['port:1', 'port:2'])
    expect((await api.get('/v1/alerts?networks=ville,nowhere')).status).toBe(404)
  })

  test('in pages of any size equals the whole list', async () => {
    const anyAlert = fc.record({
      severity: fc.constantFrom(...SEVERITIES),
      start: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
      ofPort: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyAlert, { maxLength: 30 }),
        fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 4 }),
        async (drawn, limits) => {
          const reports = drawn.map(({ severity, start, ofPort }, at) => ({
            ofPort,
            report: alert(`${at}`, {
              severity,
              activePeriods: [period(start === undefined ? undefined : NOW - start, NOW + 9)],
            }),
          }))
          const ofNetwork = (isPort: boolean) =>
            reports.filter((each) => each.ofPort === isPort).map((each) => each.report)
          publish(...ofNetwork(false))
          port.live = publishedAlerts(port, ofNetwork(true), { atMillis: NOW_MILLIS })
          const list = '/v1/alerts?networks=ville,port'
          const all = await idsOf(`${list}&limit=100`)
          expect(all.toSorted()).toEqual(
            reports.map(({ ofPort, report }) => `${ofPort ? 'port:' : ''}${report.entityId}`).toSorted(),
          )
          const walked: string[] = []
          let cursor: string | null = ''
          for (let page = 0; cursor !== null; page++) {
            const address: string = `${list}&limit=${limits[page % limits.length]}${cursor === '' ? '' : `&cursor=${cursor}`}`
            walked.push(...(await idsOf(address)))
            cursor = (await api.get(address)).body.meta.next_cursor
          }
          expect(walked).toEqual(all)
        },
      ),
      { seed: SEED, numRuns: bySize({ quick: 50, ci: 500, full: 5_000 }) },
    )
  })

  test('a cursor from another query is rejected', async () => {
    publish(alert('1'), alert('2'), alert('3'))
    const list = '/v1/networks/ville/alerts'
    const cursor: string = (await api.get(`${list}?limit=1`)).body.meta.next_cursor
    expect(await idsOf(`${list}?limit=5&cursor=${cursor}`)).toEqual(['2', '3'])
    for (const address of [
      `${list}?severity=info&cursor=${cursor}`,
      `${list}?when=2026-06-10T06:00:00Z&cursor=${cursor}`,
      `/v1/networks/port/alerts?cursor=${cursor}`,
      `/v1/alerts?networks=ville&cursor=${cursor}`,
    ]) {
      expect((await api.get(address)).body).toMatchObject({
        status: 400,
        reason: 'transit_query_invalid',
        param: 'cursor',
      })
    }
  })
})

describe('age', () => {
  test('alerts are valid for ten minutes, or longer if their whole feed is', async () => {
    publish(alert('1'))
    const countAfter = async (seconds: number) => {
      api.service.nowMillis = NOW_MILLIS + seconds * 1000
      return (await idsOf('/v1/networks/ville/alerts')).length
    }
    expect([await countAfter(0), await countAfter(600), await countAfter(601)]).toEqual([1, 1, 0])
    ville.live = publishedAlerts(ville, [alert('1')], { atMillis: NOW_MILLIS, maxAgeMillis: 900_000 })
    expect([await countAfter(900), await countAfter(901)]).toEqual([1, 0])
  })

  test('alerts read for another snapshot are not shown', async () => {
    publish(alert('1'))
    if (ville.live?.alerts !== undefined)
      ville.live = { ...ville.live, alerts: { ...ville.live.alerts, snapshotId: 'old' } }
    expect(await idsOf('/v1/networks/ville/alerts')).toEqual([])
  })

  test('a list for a past or future time has the alerts known now', async () => {
    publish(
      alert('past', { activePeriods: [period(NOW - 100, NOW - 50)] }),
      alert('next', { activePeriods: [period(NOW + 50)] }),
    )
    expect(await idsOf('/v1/networks/ville/alerts')).toEqual([])
    expect(await idsOf('/v1/networks/ville/alerts?when=2026-06-10T05:59:00Z')).toEqual(['past'])
    expect(await idsOf('/v1/networks/ville/alerts?when=2026-06-10T06:00:50Z')).toEqual(['next'])
  })
})

test('the network lists the capability, with a new ETag', async () => {
  const before = await api.get('/v1/networks/ville')
  publish(alert('1'))
  const after = await api.get('/v1/networks/ville')
  expect([before.body.data.capabilities.alerts, after.body.data.capabilities.alerts]).toEqual([false, true])
  expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'))
})
