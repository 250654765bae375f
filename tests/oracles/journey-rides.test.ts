// Tests `findUnrideable`, which checks the rides of a journey. Fails if the function rejects a valid journey, or
// accepts a journey with a fault, such as a missed transfer or a ride that does not exist.
import { expect, test } from 'bun:test'
import { dedent, SMALL_FEED } from '../feeds/text-feed.ts'
import type { JourneyQuery } from './journey-ground.ts'
import { readJourneyOracle } from './journey-oracle.ts'
import { dodgesChange, findUnrideable, type PlainJourney, type PlainRide } from './journey-rides.ts'

const files = Object.fromEntries(Object.entries(SMALL_FEED).map(([name, text]) => [name, dedent(text)]))
const EIGHT = Date.parse('2026-03-02T08:00:00+01:00') / 1000
/** A query from G to T. Its journey has a transfer from the tram at CA to the bus at CB, 36 m away. */
const QUERY: JourneyQuery = {
  from: { kind: 'stop', id: 'G' },
  to: { kind: 'stop', id: 'T' },
  seconds: EIGHT,
  isArriveBy: false,
  maxWalkMeters: 100,
  followedSeconds: 0,
}
const TRAM: PlainRide = {
  tripRef: '20260302:a1',
  stopIds: ['G', 'CA'],
  departs: EIGHT,
  arrives: EIGHT + 5 * 60,
  staysSeated: false,
}
const BUS: PlainRide = {
  tripRef: '20260302:b1',
  stopIds: ['CB', 'T'],
  departs: EIGHT + 10 * 60,
  arrives: EIGHT + 20 * 60,
  staysSeated: false,
}
const SOUND: PlainJourney = { departs: EIGHT, arrives: EIGHT + 20 * 60, rides: [TRAM, BUS] }

async function faultOf(
  journey: Partial<PlainJourney>,
  query: Partial<JourneyQuery> = {},
  changes: Readonly<Record<string, string>> = {},
): Promise<string | undefined> {
  const { feed } = await readJourneyOracle({ ...files, ...changes })
  return findUnrideable(feed, { ...QUERY, ...query }, { ...SOUND, ...journey })
}

/** A row of transfers.txt from the tram's stop to the bus's stop. */
const rule = (type: number, seconds: number) => ({
  'transfers.txt': `from_stop_id,to_stop_id,transfer_type,min_transfer_time\nCA,CB,${type},${seconds}\n`,
})

test('a valid journey is found and accepted', async () => {
  const oracle = await readJourneyOracle(files)
  expect(oracle.best(QUERY)).toEqual(SOUND)
  expect(await faultOf({})).toBeUndefined()
})

test('rides that no trip makes are reported', async () => {
  const rides = (tram: Partial<PlainRide>) => faultOf({ rides: [{ ...TRAM, ...tram }, BUS] })
  expect(await rides({ tripRef: '20260302:a9' })).toContain('is not a trip of the feed')
  expect(await rides({ tripRef: '20270302:a1' })).toContain('does not run on that day')
  expect(await rides({ tripRef: '20260302:a1@08:00:00' })).toContain('is not a run of its trip')
  expect(await rides({ tripRef: '20260303:a1' })).toContain('does not call at')
  expect(await rides({ stopIds: ['G', 'CB'] })).toContain('does not call at')
  expect(await rides({ stopIds: ['CA', 'G'] })).toContain('does not call at')
  expect(await rides({ departs: EIGHT + 1 })).toContain('does not call at')
  expect(await rides({ arrives: EIGHT + 5 * 60 + 30 })).toContain('does not call at')
  expect(await faultOf({ rides: [] })).toContain('no ride at all')
})

test('transfers that are too short, forbidden or merely claimed are reported', async () => {
  expect(await faultOf({}, {}, rule(2, 300))).toBeUndefined()
  expect(await faultOf({}, {}, rule(2, 301))).toContain('300 s to change, 301 s needed')
  expect(await faultOf({}, {}, rule(3, 0))).toContain('no change is possible')
  expect(await faultOf({ rides: [TRAM, { ...BUS, staysSeated: true }] })).toContain(
    'riders cannot stay seated in the middle of a trip',
  )
  expect(await faultOf({ rides: [{ ...TRAM, staysSeated: true }, BUS] })).toContain('cannot follow another ride')
  const times = files['stop_times.txt'] ?? ''
  const closed = (row: string) => ({
    'stop_times.txt': times
      .split('\n')
      .map((line, at) => (at === 0 ? `${line},pickup_type,drop_off_type` : line === row ? `${line},1,1` : line))
      .join('\n'),
  })
  expect(await faultOf({}, {}, closed('a1,08:00:00,08:00:00,G,1'))).toContain('a1 does not allow boarding at G')
  expect(await faultOf({}, {}, closed('a1,08:05:00,08:05:30,CA,2'))).toContain('a1 does not allow alighting at CA')
  expect(await faultOf({}, {}, closed('b1,08:10:00,08:10:00,CB,1'))).toContain('b1 does not allow boarding at CB')
  expect(await faultOf({}, {}, closed('b1,08:20:00,08:20:00,T,2'))).toContain('b1 does not allow alighting at T')
})

test('walks, the window, modes and the number of vehicles are checked', async () => {
  expect(await faultOf({ departs: EIGHT - 1 })).toContain('the walk to the first stop takes 0 s, not 1')
  expect(await faultOf({ arrives: SOUND.arrives + 1 })).toContain('the walk from the last stop takes 0 s, not 1')
  expect(await faultOf({}, { from: { kind: 'stop', id: 'P' } })).toContain('too far to walk')
  expect(await faultOf({}, { seconds: EIGHT + 1 })).toContain('from the requested time')
  expect(await faultOf({}, { seconds: EIGHT - 86_400 })).toContain('from the requested time')
  expect(await faultOf({}, { seconds: SOUND.arrives - 1, isArriveBy: true })).toContain('the requested time')
  expect(await faultOf({}, { modes: ['tram'] })).toContain('has no requested mode')
  expect(await faultOf({}, { modes: ['tram', 'bus'] })).toBeUndefined()
})

test('riding out and back to the stop of a slow transfer is a different journey', async () => {
  const transfers = 'from_stop_id,to_stop_id,transfer_type,min_transfer_time\nCA,CA,2,1200\nP,P,1,\n'
  const times = `${files['stop_times.txt']}out,08:07:00,08:07:00,CB,1\nout,08:08:00,08:08:00,P,2
back,08:08:00,08:08:00,P,1\nback,08:09:00,08:09:00,CB,2\nlater,08:20:00,08:20:00,CA,1\nlater,08:30:00,08:30:00,T,2\n`
  const trips = `${files['trips.txt']}7,daily,out,,0\n7,daily,back,,0\n7,daily,later,,0\n`
  const source = { ...files, 'transfers.txt': transfers, 'stop_times.txt': times, 'trips.txt': trips }
  const { feed } = await readJourneyOracle(source)
  const ride = (id: string, stopIds: string[], minutes: [number, number]): PlainRide => ({
    tripRef: `20260302:${id}`,
    stopIds,
    departs: EIGHT + minutes[0] * 60,
    arrives: EIGHT + minutes[1] * 60,
    staysSeated: false,
  })
  const rides = [
    TRAM,
    ride('out', ['CB', 'P'], [7, 8]),
    ride('back', ['P', 'CB'], [8, 9]),
    ride('later', ['CA', 'T'], [20, 30]),
  ]
  const journey = { departs: EIGHT, arrives: EIGHT + 30 * 60, rides }
  expect(findUnrideable(feed, QUERY, journey)).toBeUndefined()
  expect(dodgesChange(feed, journey)).toBe(true)
  expect(dodgesChange(feed, SOUND)).toBe(false)
})
