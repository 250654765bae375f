// OpenTripPlanner's tests about the trip that a message refers to, rewritten for Quai. They include trips that a
// message describes without an id, and trips that vehicles report.
import { casesOf, expect } from './peer-cases.ts'
import { type UpdateMore, update } from './short-updates.ts'

const fuzzy = casesOf({ peer: 'OpenTripPlanner', file: 'updater/GtfsRealtimeFuzzyTripMatcherTest.java' })
const LINE = { trips: { t1: { calls: 'A 07:30, B 08:00', route: 'r1', direction: 0 } } }
const DESCRIBED: UpdateMore = { route: 'r1', direction: 0, start: '07:30:00' }
const LATE = ['t1 07:30 07:31 delayed']
const SILENT = ['t1 07:30 - planned']

/** Registers a test that publishes an update with this trip descriptor, and checks the board at the first stop. */
const matches = (name: string, trip: string | undefined, more: UpdateMore, board: readonly string[]) =>
  fuzzy(name, LINE, (city) => {
    city.publish('07:20', [update(trip, 'A +60', { ...DESCRIBED, ...more })])
    expect(city.board('A')).toEqual([...board])
  })

matches('noTripId', undefined, {}, LATE)
matches('tripIdSetButNotInSchedule', 'does-not-exist', {}, LATE)
matches('tripIdExistsInSchedule', 't1', {}, LATE)
matches('incorrectRoute', undefined, { route: 'does-not-exist' }, SILENT)
matches('incorrectDateFormat', undefined, { date: 'ZZZ' }, SILENT)
matches('incorrectDirection', undefined, { direction: 1 }, SILENT)
matches('noMatch: no departure then', undefined, { start: '12:00:00' }, SILENT)

const incomplete = (name: string, more: UpdateMore, lacks: keyof UpdateMore) =>
  fuzzy(`IncompleteData.${name}`, LINE, (city) => {
    const { [lacks]: _, ...rest } = { ...DESCRIBED, ...more }
    city.publish('07:20', [update(undefined, 'A +60', rest)])
    expect(city.board('A')).toEqual(SILENT)
  })
incomplete('noRouteId', {}, 'route')
incomplete('noStartTime', {}, 'start')
incomplete('noStartDate', { date: '' }, 'id')
fuzzy(
  'IncompleteData.noDirectionId',
  LINE,
  (city) => {
    city.publish('07:20', [update(undefined, 'A +60', { route: 'r1', start: '07:30:00' })])
    expect(city.board('A')).toEqual(LATE)
  },
  { rule: 'description', theirs: 'without a direction there is no match' },
)

const vehicle = casesOf({ peer: 'OpenTripPlanner', file: 'updater/vehicle_position/RealtimeVehicleMatcherTest.java' })
const THREE = { trips: { t: 'A 10:00, B 10:10, C 10:20', u: 'A 10:05, B 10:15, C 10:25' } }

vehicle('matchRealtimeVehiclesToTrip', THREE, (city) => {
  city.publish('10:05', [], { vehicles: [{ id: 'v', trip: 't', at: 'B', stop: 'B', bearing: 30 }] })
  expect(city.vehicles()).toEqual(['v t in_transit B'])
  city.publish('10:06', [])
  expect(city.vehicles()).toEqual([])
})

vehicle('testOccupancy', THREE, (city) => {
  city.publish('10:05', [], { vehicles: [{ id: 'v', trip: 't', at: 'B', stop: 'B', occupancy: 2 }] })
  expect(city.vehicles()).toEqual(['v t in_transit B few_seats_available'])
})

vehicle('inferStartDate', THREE, (city) => {
  city.publish('10:05', [], { vehicles: [{ id: 'v', trip: 't', date: '', at: 'B', stop: 'B' }] })
  expect(city.vehicles()).toEqual(['v t in_transit B'])
})

vehicle('tripNotFoundInPattern', THREE, (city) => {
  city.publish('10:05', [], { vehicles: [{ id: 'v', trip: 'nowhere', at: 'B', stop: 'B' }] })
  expect(city.vehicles()).toEqual([])
})

vehicle('sequenceId', { trips: { t: 'A 10:00 #10, B 10:10 #20, C 10:20 #30' } }, (city) => {
  city.publish('10:05', [], { vehicles: [{ id: 'v', trip: 't', at: 'B', sequence: 20 }] })
  expect(city.vehicles()).toEqual(['v t in_transit B'])
})

vehicle('invalidStopSequence', THREE, (city) => {
  city.publish('10:09', [], { vehicles: [{ id: 'v', trip: 't', at: 'A', sequence: 99 }] })
  expect(city.vehicles().map((text) => text.split(' ').slice(0, 2))).toEqual([['v', 't']])
})

vehicle('clearOldTrips', THREE, (city) => {
  const [one, other] = [
    { id: 'v', trip: 't', at: 'B', stop: 'B' },
    { id: 'w', trip: 'u', at: 'B', stop: 'B' },
  ]
  city.publish('10:08', [], { vehicles: [one, other] })
  expect(city.vehicles()).toHaveLength(2)
  city.publish('10:09', [], { vehicles: [one] })
  expect(city.vehicles()).toEqual(['v t in_transit B'])
})

const days = ['20260610', '20260611']
const EVENING = { trips: { t: 'A 18:00, B 18:05' }, dates: days }
for (const [time, date] of [
  ['18:02', ''],
  ['42:02', '20260611:'],
] as const) {
  vehicle(`inferServiceDayOfTripAt6, ${time}`, EVENING, (city) => {
    city.publish(time, [], { vehicles: [{ id: 'v', trip: 't', date: '', at: 'B', stop: 'B' }] })
    expect(city.vehicles()).toEqual([`v ${date}t in_transit B`])
  })
}

for (const [time, expected] of [
  ['24:26', 'the day before'],
  ['34:26', 'that day'],
] as const) {
  vehicle(
    `inferServiceDayOfTripAt6, ${time}`,
    EVENING,
    (city) => {
      city.publish(time, [], { vehicles: [{ id: 'v', trip: 't', date: '', at: 'B', stop: 'B' }] })
      expect(city.vehicles()).toEqual([])
    },
    { rule: 'underWay', theirs: `hours away from its times it is matched to ${expected}` },
  )
}

vehicle('inferServiceDateCloseToMidnight', { trips: { t: 'A 23:55, B 24:05' }, dates: days }, (city) => {
  city.publish('24:04', [], { vehicles: [{ id: 'v', trip: 't', date: '', at: 'B', stop: 'B' }] })
  expect(city.vehicles()).toEqual(['v t in_transit B'])
})
