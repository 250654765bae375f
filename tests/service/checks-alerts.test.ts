// Tests the lines, stops and areas for which a running service shows an alert. Fails if an alert about a line at one
// stop is shown at all stops of the line, or if riders at the platform that an alert affects do not see it.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { CheckedService, type Entity } from './checked-service.ts'
import { until } from './running.ts'

const PORT = 18_756

const checked = new CheckedService({
  n: {
    feeds: ['alerts'],
    timetable: {
      stations: { S: ['S1', 'S2'], T: ['T1'] },
      trips: [
        { id: 'one', line: '1', calls: ['A 09:00', 'S1 09:05', 'B 09:10', 'T1 09:15'] },
        { id: 'two', line: '2', calls: ['B 09:01', 'S1 09:06', 'C 09:11'] },
        { id: 'three', line: '3', calls: ['C 09:02', 'S2 09:07', 'A 09:12'] },
      ],
    },
  },
})

type Informed = NonNullable<NonNullable<Entity['alert']>['informedEntity']>

function alert(id: string, ...informedEntity: Informed): Entity {
  return { id, alert: { informedEntity, headerText: { translation: [{ text: id }] } } }
}

beforeAll(async () => {
  checked.publish('n/alerts', [
    alert('both', { routeId: '1', stopId: 'S1' }),
    alert('either', { routeId: '1' }, { stopId: 'C' }),
    alert('station', { stopId: 'S' }),
    alert('platform', { stopId: 'S2' }),
  ])
  await checked.start(PORT)
  await until(async () => (await alertsOf('networks/n')).length === 4, 'the alerts are there')
}, 60_000)
afterAll(() => checked.stop())

interface Alert {
  readonly id: string
  readonly line_ids: readonly string[]
  readonly stop_ids: readonly string[]
}

/**
 * Requests the alerts of a network, a line, a stop or an area.
 * @param of path in the API without `/v1/`, such as `lines/n:line:1`
 */
async function alertsOf(of: string): Promise<readonly Alert[]> {
  return (await checked.get(`/v1/${of}/alerts`)).body.data
}

/** Requests the alerts, and returns the sorted entity ids under which they were published. */
async function namesOf(of: string): Promise<readonly string[]> {
  return (await alertsOf(of)).map(({ id }) => id.slice('n:alert:'.length)).sort()
}

test('check 23: alert informs route 1 AND stop 5: only if both hold', async () => {
  const [both] = (await alertsOf('lines/n:line:1')).filter(({ id }) => id === 'n:alert:both')
  expect(both).toMatchObject({ line_ids: ['n:line:1'], stop_ids: ['n:stop:S1'] })
  expect(await namesOf('stops/n:stop:S1')).toEqual(['both', 'station'])
  // The alert is not shown at the line's other stops, or for the other line that serves the stop.
  for (const stop of ['A', 'B', 'T1']) expect(await namesOf(`stops/n:stop:${stop}`)).toEqual([])
  expect(await namesOf('lines/n:line:2')).toEqual([])
  // An alert with two selectors applies to everything that either of them selects.
  expect(await namesOf('lines/n:line:1')).toEqual(['both', 'either'])
  expect(await namesOf('stops/n:stop:C')).toEqual(['either'])
})

test('check 24: alert on station, query platform; and reverse: both directions inherit', async () => {
  expect(await namesOf('stops/n:area:S')).toEqual(['both', 'platform', 'station'])
  expect(await namesOf('stops/n:stop:S1')).toEqual(['both', 'station'])
  expect(await namesOf('stops/n:stop:S2')).toEqual(['platform', 'station'])
  expect(await namesOf('stops/n:area:T')).toEqual([])
})
