// Tests trips that are rerouted on some days (TripModifications). Fails if a board shows a skipped stop as served,
// lacks an added stop, or shows times without the delay of the detour.
import { describe, expect, test } from 'bun:test'
import { TripPaths } from '../../../indexes/live/trip-paths.ts'
import { runOfLiveTrip } from '../../../indexes/live/vehicle-run.ts'
import { pathLength } from '../../../indexes/spatial/ground-path.ts'
import { CALL, LINE, LiveLine, TODAY, TRIP, timed, update } from './live-line.ts'

const at = (stopSequence: number) => ({ stopSequence })

/** The detour replaces S3 and S4 of trip t with X, eight minutes after S2. Later calls are four minutes late. */
const DETOUR = {
  startStopSelector: at(3),
  endStopSelector: at(4),
  propagatedModificationDelay: 240,
  replacementStops: [{ stopId: 'X', travelTimeToStop: 480 }],
  serviceAlertId: 'works',
}

function modified(modification: object = DETOUR, more: object = {}) {
  return {
    id: 'detour',
    tripModifications: {
      selectedTrips: [{ tripIds: ['t'], shapeId: 'way' }],
      serviceDates: [TODAY],
      modifications: [modification],
      ...more,
    },
  }
}

/** An update that names trip `t` as a modified trip. */
const byDetour = (calls: Readonly<Record<number, object>>, modificationsId = 'detour') => ({
  ...update('t', calls, {
    trip: {
      tripId: undefined,
      startDate: undefined,
      modifiedTrip: { modificationsId, affectedTripId: 't', startDate: TODAY },
    },
  }),
  id: 'by detour',
})

const board = (line: LiveLine) => line.board(['S1', 'S2', 'S3', 'S4', 'X'], 1)

describe('a modified trip', () => {
  test('omits stops, calls at others, and then runs later, according to its schedule', async () => {
    const line = await LiveLine.open()
    line.publish('08:00', [modified()])
    expect(board(line)).toEqual([
      'S1 t 08:00 - unknown',
      'S2 t 08:10 - unknown',
      'S3 t 08:20 - skipped',
      'S4 t 08:30 - skipped',
      'X t 08:18 - unknown',
    ])
    expect(line.rides('S1', 'S5')[0]).toBe('08:00 08:44')
    expect(line.rides('S1', 'X')).toEqual(['08:00 08:18'])
    expect(line.rides('S3', 'S5')[0]).toBe('09:20 09:40')
    line.publish('08:01', [])
    expect(board(line)[3]).toBe('S4 t 08:30 - silent')
  })

  test('is modified only on its service dates', async () => {
    const line = await LiveLine.open()
    line.publish('08:00', [modified(DETOUR, { serviceDates: ['20260611'] })])
    expect(line.board(['S3'], 1)).toEqual(['S3 t 08:20 - silent'])
    expect(line.board(['X'], 25)).toEqual(['X 20260611:t 11T08:18 - unknown'])
  })

  test('adds stops without omitting any, and replaces its first ones', async () => {
    const line = await LiveLine.open()
    const replacementStops = [{ stopId: 'X', travelTimeToStop: 300 }]
    line.publish('08:00', [modified({ startStopSelector: at(3), replacementStops, propagatedModificationDelay: 60 })])
    expect(line.board(['S2', 'S3', 'X'], 1)).toEqual([
      'S2 t 08:10 - unknown',
      'S3 t 08:21 - unknown',
      'X t 08:15 - unknown',
    ])
    const first = { startStopSelector: { stopId: 'S1' }, endStopSelector: { stopId: 'S2' } }
    line.publish('08:00', [modified({ ...first, replacementStops: [{ stopId: 'X', travelTimeToStop: 120 }] })])
    expect(line.board(['S1', 'S2', 'X'], 1)).toEqual([
      'S1 t 08:00 - skipped',
      'S2 t 08:10 - skipped',
      'X t 08:02 - unknown',
    ])
    expect(line.rides('X', 'S5')).toEqual(['08:02 08:40'])
  })

  test('divides the available time among stops without a travel time, and adds up delays', async () => {
    const line = await LiveLine.open()
    const [first, last] = [
      { startStopSelector: at(2), endStopSelector: at(2) },
      { startStopSelector: at(4), endStopSelector: at(4) },
    ]
    line.publish('08:00', [
      modified(DETOUR, {
        modifications: [
          { ...last, replacementStops: [{ stopId: 'X' }], propagatedModificationDelay: 120 },
          { ...first, replacementStops: [{ stopId: 'X' }], propagatedModificationDelay: 60 },
        ],
      }),
    ])
    // The trip calls at X twice: halfway in time between S1 at 08:00 and S3 at 08:21, and halfway in time between S3
    // and S5 at 08:43.
    expect(line.board(['S3', 'X'], 1)).toEqual([
      'S3 t 08:21 - unknown',
      'X t 08:10:30 - unknown',
      'X t 08:32 - unknown',
    ])
    expect(line.rides('S1', 'S5')).toContain('08:00 08:43')
  })

  test('is predicted by updates that name it as modified, including at inserted stops', async () => {
    const line = await LiveLine.open()
    line.publish('08:00', [modified(), byDetour({ 2: { departure: { delay: 60 } }, 3: timed('08:21') })])
    expect(board(line)).toEqual([
      'S1 t 08:00 - unknown',
      'S2 t 08:10 08:11 delayed',
      'S3 t 08:20 - skipped',
      'S4 t 08:30 - skipped',
      'X t 08:18 08:21 delayed',
    ])
    expect(line.rides('S1', 'S5')[0]).toBe('08:00 08:47')
    expect(line.matched).toBe(1)
  })

  test('is predicted by updates for the plain trip at the stops that both have', async () => {
    const line = await LiveLine.open()
    line.publish('08:00', [
      modified(),
      update('t', { 2: { departure: { delay: 60 } }, 5: { arrival: { delay: 300 } } }),
    ])
    expect(board(line)).toEqual([
      'S1 t 08:00 - unknown',
      'S2 t 08:10 08:11 delayed',
      'S3 t 08:20 - skipped',
      'S4 t 08:30 - skipped',
      'X t 08:18 - unknown',
    ])
    // The journey leaves S1 at 08:00 and arrives at S5 five minutes later than in the timetable.
    expect(line.rides('S1', 'S5')[0]).toBe('08:00 08:45')
  })

  test('prefers the update that names it as modified to a plain one', async () => {
    const line = await LiveLine.open()
    const plain = update('t', { 2: { departure: { delay: 600 } } })
    for (const entities of [
      [modified(), plain, byDetour({ 2: timed('08:11') })],
      [modified(), byDetour({ 2: timed('08:11') }), plain],
    ]) {
      line.publish('08:00', entities)
      expect(line.board(['S2'], 1)).toEqual(['S2 t 08:10 08:11 delayed'])
      expect([line.matched, line.reasons]).toEqual([1, {}])
    }
  })

  test('is canceled, and passed calls stay passed', async () => {
    const line = await LiveLine.open()
    line.publish('08:00', [modified(), update('t', {}, { trip: { scheduleRelationship: TRIP.CANCELED } })])
    expect(line.board(['S2'], 1)).toEqual(['S2 t 08:10 - canceled'])
    const early = byDetour({ 1: timed('08:00'), 2: timed('08:05'), 3: timed('08:09') })
    line.publish('08:04', [modified(), early]).publish('08:10', [modified(), byDetour({ 4: timed('08:40') })])
    expect(line.board(['S2', 'X'], 0.7)).toEqual([])
    line.publish('08:10', [modified(), byDetour({ 3: { scheduleRelationship: CALL.SKIPPED } })])
    expect(line.board(['X'], 1)).toEqual(['X t 08:18 - skipped'])
  })

  test('stays unmodified if nothing usable is known about its detour, and the reason is counted', async () => {
    const line = await LiveLine.open()
    line.publish('08:00', [byDetour({ 2: timed('08:11') }, 'another')])
    expect([line.matched, line.reasons]).toEqual([0, { unknown_modification: 1 }])
    line.publish('08:00', [
      modified({ startStopSelector: at(9), endStopSelector: at(9) }),
      {
        ...modified(),
        id: 'unknown',
        tripModifications: { ...modified().tripModifications, selectedTrips: [{ tripIds: ['x'] }] },
      },
    ])
    expect(line.board(['S3'], 1)).toEqual(['S3 t 08:20 - silent'])
    expect(line.reasons).toEqual({ bad_modification: 1, unknown_trip: 1 })
    const nowhere = [{ stopId: 'new' }, { stopId: 'X', travelTimeToStop: 480 }]
    line.publish('08:00', [modified({ ...DETOUR, replacementStops: nowhere })])
    expect(line.board(['X'], 1)).toEqual(['X t 08:18 - unknown'])
    expect(line.reasons).toEqual({ unknown_stop: 1 })
  })

  test('follows its own shape', async () => {
    const line = await LiveLine.open()
    // The shape leads from S1 (latitude 48.5) north to X (48.6), and back south to S5 (48.54).
    const shape = {
      id: 's',
      shape: {
        shapeId: 'way',
        encodedPolyline: encode([
          [48.5, 7.75],
          [48.6, 7.75],
          [48.54, 7.75],
        ]),
      },
    }
    line.publish('08:00', [modified(), shape])
    const [trip] = line.trips.trips
    if (trip === undefined) throw new Error('no trip')
    const { way, calls } = runOfLiveTrip(line.timetable, new TripPaths(line.timetable), trip)
    expect(way.isShape).toBe(true)
    const kilometers = [...way.callAlong].map((meters) => Math.round(meters / 1000))
    expect(calls.map(({ position }) => (position > 9 ? 'X' : `S${position + 1}`))).toEqual([
      'S1',
      'S2',
      'X',
      'S3',
      'S4',
      'S5',
    ])
    expect([kilometers, Math.round(pathLength(way.path) / 1000)]).toEqual([[0, 1, 11, 11, 11, 18], 18])
  })

  test('follows a shape of the timetable that it names', async () => {
    const line = await LiveLine.open({
      ...LINE,
      'trips.txt': 'route_id,service_id,trip_id,direction_id,shape_id\nL,daily,t,0,\nL,daily,u,0,way',
      'shapes.txt': `shape_id,shape_pt_lat,shape_pt_lon,shape_pt_sequence
        way,48.5,7.75,1
        way,48.6,7.75,2
        way,48.54,7.75,3`,
    })
    line.publish('08:00', [modified()])
    const [trip] = line.trips.trips
    if (trip === undefined) throw new Error('no trip')
    const { way } = runOfLiveTrip(line.timetable, new TripPaths(line.timetable), trip)
    expect([way.isShape, Math.round(pathLength(way.path) / 1000)]).toEqual([true, 18])
  })

  test('restricts its alert to the stops and the line that it affects', async () => {
    const line = await LiveLine.open()
    line.publish('08:00', [modified()])
    const selectors = line.trips.alertSelectors.get('works') ?? []
    expect(selectors.map(({ routeId, stopId }) => `${routeId} ${stopId}`).toSorted()).toEqual(['L S3', 'L S4', 'L X'])
  })
})

/** Encodes places as a polyline with five decimals. */
function encode(places: readonly (readonly [number, number])[]): string {
  let [lat, lon] = [0, 0]
  const number = (value: number): string => {
    let rest = value < 0 ? ~(value << 1) : value << 1
    let text = ''
    for (; rest >= 32; rest >>= 5) text += String.fromCharCode((32 | (rest & 31)) + 63)
    return text + String.fromCharCode(rest + 63)
  }
  return places
    .map(([toLat, toLon]) => {
      const [nextLat, nextLon] = [Math.round(toLat * 1e5), Math.round(toLon * 1e5)]
      const text = number(nextLat - lat) + number(nextLon - lon)
      lat = nextLat
      lon = nextLon
      return text
    })
    .join('')
}
