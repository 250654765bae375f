// OpenTripPlanner's module tests about whole trips, rewritten for Quai: canceled, added, duplicated, replaced and
// refused trips.
import { casesOf, expect } from './peer-cases.ts'
import { update } from './short-updates.ts'

const of = (file: string) => casesOf({ peer: 'OpenTripPlanner', file: `updater/trip/gtfs/moduletests/${file}` })
const TWO = { trips: { t: 'A 10:00, B 10:10' } }
const THREE = { trips: { t: 'A 10:00, B 10:10, C 10:20' } }
const ROUTE = { route: 'R' }

const ended = of('cancellation/CancellationDeletionTest.java')

ended('cancelledTrip, CANCELED', TWO, (city) => {
  city.publish('09:50', [update('t', '', { as: 'CANCELED' })])
  expect(city.board('A')).toEqual(['t 10:00 - canceled'])
  expect(city.ride('A', 'B', '09:50')).toBe('none')
})

ended('cancelledTrip, DELETED', TWO, (city) => {
  city.publish('09:50', [update('t', '', { as: 'DELETED' })])
  expect(city.board('A')).toEqual([])
  expect(city.ride('A', 'B', '09:50')).toBe('none')
})

for (const as of ['CANCELED', 'DELETED'] as const) {
  ended(`cancelingAddedTrip, ${as}`, THREE, (city) => {
    const added = update('n', 'A 10:30, B 10:40, C 10:55', { as: 'ADDED', ...ROUTE, id: 'n' })
    city.publish('09:50', [added], { isDifferential: true })
    expect(city.ride('A', 'C', '10:25')).toBe('A 10:30 n C 10:55')
    city.publish('09:51', [update('n', '', { as, id: 'n' })], { isDifferential: true })
    expect(city.ride('A', 'C', '10:25')).toBe('none')
  })
}

of('cancellation/CanceledTripTest.java')('listCanceledTrips', TWO, (city) => {
  city.publish('09:50', [])
  expect(city.trip('t')).toBe('planned')
  city.publish('09:51', [update('t', '', { as: 'CANCELED' })])
  expect(city.trip('t')).toBe('canceled | A 10:00? | B 10:10?')
})

of('cancellation/CancelAfterPatternChangeTest.java')('cancelScheduledTripAfterSkippedStop', THREE, (city) => {
  city.publish('09:50', [update('t', '#1 +0, #2 x, #3 +90', { id: 't' })], { isDifferential: true })
  expect(city.trip('t')).toBe('runs | A 10:00 | B x | C 10:21:30')
  city.publish('09:51', [update('t', '', { as: 'CANCELED', id: 't' })], { isDifferential: true })
  expect(city.trip('t')).toBe('canceled | A 10:00? | B 10:10? | C 10:20?')
})

const added = of('addition/AddedTest.java')
const EMPTY_LINE = { trips: { far: { calls: 'A 20:00, B 20:10', route: 'R' } }, others: 'C D' }

added('addedTrip', EMPTY_LINE, (city) => {
  city.publish('00:00', [update('n', 'A 00:30, B 00:40, C 00:55', { as: 'ADDED', ...ROUTE })])
  expect(city.trip('n')).toBe('added | A 00:30 | B 00:40 | C 00:55')
  expect(city.board('B', 1)).toEqual(['n 00:40 00:40 added'])
})

added(
  'addedTripWithNewRoute',
  EMPTY_LINE,
  (city) => {
    city.publish('00:00', [update('n', 'A 00:30, B 00:40, B 00:55', { as: 'ADDED', route: 'unheard of' })])
    expect(city.trip('n')).toBe('none')
    expect(city.tally).toEqual({ matched: 0, reasons: { added_without_route: 1 } })
  },
  { rule: 'addedRoute', theirs: 'a route is made for it' },
)

added('addedWithUnknownStop', EMPTY_LINE, (city) => {
  city.publish('00:00', [update('n', 'A 00:30, nowhere 00:40, C 00:55', { as: 'ADDED', ...ROUTE })])
  expect(city.trip('n')).toBe('added | A 00:30 | C 00:55')
  expect(city.tally).toEqual({ matched: 1, reasons: { unknown_stop: 1 } })
})

added('repeatedlyAddedTripWithNewRoute', EMPTY_LINE, (city) => {
  const added = [update('n', 'A 00:30, B 00:40, C 00:55', { as: 'ADDED', ...ROUTE })]
  city.publish('00:00', added).publish('00:01', added)
  expect(city.board('A', 1)).toEqual(['n 00:30 00:30 added'])
})

added('addedTripWithSkippedStop', EMPTY_LINE, (city) => {
  const calls = 'A 00:30, B 00:40 x, C 00:48 x, D 00:55 ~Non-stop, A 01:00'
  city.publish('00:00', [update('n', calls, { as: 'ADDED', ...ROUTE, properties: { tripHeadsign: 'A loop' } })])
  expect(city.trip('n')).toBe('added | A 00:30 | B x | C x | D 00:55 | A 01:00')
  expect([...city.headsigns('A', 1), ...city.headsigns('D', 1)]).toEqual(['A loop', 'Non-stop'])
  expect(city.ride('A', 'B', '00:20')).toBe('A 20:00 far B 20:10')
})

added('addedTripWithDelay', EMPTY_LINE, (city) => {
  city.publish('07:00', [update('n', 'A 08:00, B 08:35 +300, C 09:10 s09:00, D 09:20', { as: 'ADDED', ...ROUTE })])
  expect(city.board('A', 3)).toEqual(['n 08:00 08:00 added'])
  expect(city.board('B', 3)).toEqual(['n 08:30 08:35 delayed'])
  expect(city.board('C', 3)).toEqual(['n 09:00 09:10 delayed'])
})

of('addition/AddedThenRemovedTest.java')('addedThenRemoved', THREE, (city) => {
  city.publish('09:00', [update('n', 'A 10:30, B 10:40', { as: 'NEW', ...ROUTE })])
  expect(city.ride('A', 'B', '10:05')).toBe('A 10:30 n B 10:40')
  city.publish('09:01', [])
  expect([city.trip('n'), city.ride('A', 'B', '10:05')]).toEqual(['none', 'none'])
})

const copied = of('addition/DuplicatedTest.java')
const COPY_DATES = { trips: { t: 'A 12:00, B 12:10, C 12:20' }, dates: ['20260622', '20260624'] }
const copy = (startTime: string, startDate = '20260622') => ({ tripId: 'copy', startTime, startDate })

copied('duplicated', COPY_DATES, (city) => {
  city.publish('11:00', [update('t', '', { as: 'DUPLICATED', properties: copy('13:30:00') })])
  expect(city.trip('copy')).toBe('added | A 13:30? | B 13:40? | C 13:50?')
  expect(city.board('A')).toEqual(['t 12:00 - planned', 'copy 13:30 - unknown'])
  expect(city.ride('A', 'C', '12:30')).toBe('A 13:30 copy C 13:50')
})

copied('duplicatedOnDifferentServiceDate', COPY_DATES, (city) => {
  city.publish('11:00', [update('t', '', { as: 'DUPLICATED', properties: copy('13:30:00', '20260623') })])
  expect(city.trip('copy', '20260623')).toBe('added | A 13:30? | B 13:40? | C 13:50?')
})

copied(
  'invalidIncrementality',
  COPY_DATES,
  (city) => {
    city.publish('11:00', [update('t', '', { as: 'DUPLICATED', properties: copy('13:00:00') })], {
      isDifferential: true,
    })
    expect(city.trip('copy')).toBe('added | A 13:00? | B 13:10? | C 13:20?')
  },
  { rule: 'differential', theirs: 'a duplicate in a differential message is not implemented' },
)

copied('originalTripNotFound', COPY_DATES, (city) => {
  city.publish('11:00', [update('not-found', '', { as: 'DUPLICATED', properties: copy('13:00:00') })])
  expect(city.tally).toEqual({ matched: 0, reasons: { unknown_trip: 1 } })
})

copied('outsideServicePeriod', COPY_DATES, (city) => {
  city.publish('11:00', [update('t', '', { as: 'DUPLICATED', properties: copy('13:00:00', '20270622') })])
  expect(city.tally).toEqual({ matched: 0, reasons: { bad_start_date: 1 } })
})

const REPLACED = {
  trips: { t: { calls: 'A 08:30, B 08:40', headsign: 'Original' } },
  others: 'C D',
}

for (const file of ['addition/ReplacementTest.java replacementTrip', 'addition/ModifiedTest.java modifiedTrip']) {
  const [path = '', name = ''] = file.split(' ')
  of(path)(name, REPLACED, (city) => {
    const calls = 'A 00:30, B 00:45 ~Changed, C 01:00, D 01:10'
    city.publish('00:00', [update('t', calls, { as: 'REPLACEMENT', properties: { tripHeadsign: 'New' } })])
    expect(city.trip('t')).toBe('runs | A 00:30 | B 00:45 | C 01:00 | D 01:10')
    expect(['A', 'B', 'C'].flatMap((stop) => city.headsigns(stop, 2))).toEqual(['New', 'Changed', 'New'])
    expect(city.board('A', 12)).toEqual(['t 08:30 00:30 early'])
  })
}

casesOf({ peer: 'OpenTripPlanner', file: 'updater/trip/gtfs/GtfsRealTimeTripUpdateAdapterTest.java' })(
  'testHandleModifiedTrip',
  { trips: { t: 'O 12:00, P 12:10, Q 12:20' }, others: 'C D' },
  (city) => {
    const calls = '#10@O 12:30, #30@C a12:40 d12:45, #40@D a12:50 d12:51 x, #50@P 12:55'
    city.publish('11:00', [update('t', calls, { as: 'REPLACEMENT' })])
    expect(city.trip('t')).toBe('runs | O 12:30 | C 12:40-12:45 | D x | P 12:55 | Q x')
    expect(city.ride('O', 'P', '11:00')).toBe('O 12:30 t P 12:55')
  },
)

of('addition/TripAlreadyExistsTest.java')(
  'scheduledTripAlreadyExists',
  { trips: { t: 'A 12:00, B 13:00' } },
  (city) => {
    city.publish('09:00', [update('t', 'A 10:30, B 10:40', { as: 'NEW', ...ROUTE })])
    expect(city.board('A')).toEqual(['t@10:30:00 10:30 10:30 added', 't 12:00 - planned'])
  },
  { rule: 'namesake', theirs: 'the update is refused: the trip exists' },
)

const onDate = of('addition/AddedOnServiceDateTest.java')
const AROUND = { trips: { t: 'A 12:00, B 12:10, C 12:20' }, dates: ['20260610', '20260612'] }
for (const date of ['20260610', '20260611', '20260612']) {
  onDate(`addedTrip, ${date}`, AROUND, (city) => {
    city.publish('09:00', [update('n', 'A 10:30, B 10:40, C 10:55', { as: 'NEW', ...ROUTE, date })])
    expect(city.trip('n', date)).toBe('added | A 10:30 | B 10:40 | C 10:55')
  })
}
for (const date of ['20250610', '20270612']) {
  onDate(
    `rejectOutsideSchedulePeriod, ${date}`,
    AROUND,
    (city) => {
      city.publish('09:00', [update('n', 'A 10:30, B 10:40, C 10:55', { as: 'NEW', ...ROUTE, date })])
      expect(city.trip('n', date)).toBe('added | A 10:30 | B 10:40 | C 10:55')
    },
    { rule: 'addedDay', theirs: 'the update is refused: the day is outside the calendar' },
  )
}

const input = of('rejection/InvalidInputTest.java')
for (const date of ['20160610', '20360610']) {
  input(`invalidTripDate, ${date}`, TWO, (city) => {
    city.publish('09:50', [update('t', '#2 a+60 d+80', { date })])
    expect(city.tally).toEqual({ matched: 0, reasons: { no_service_on_date: 1 } })
    expect(city.board('A')).toEqual(['t 10:00 - planned'])
  })
}

const order = of('rejection/InvalidNewStopSequenceTest.java')
order(
  'nonIncreasingStopSequence',
  TWO,
  (city) => {
    city.publish('09:50', [update('n', '#10@A d10:30, #9@B a10:31', { as: 'NEW', ...ROUTE })])
    expect(city.trip('n')).toBe('added | A 10:30 | B 10:31')
  },
  { rule: 'newOrder', theirs: 'the update is refused: its sequences decrease' },
)
order('negativeStopSequence', TWO, (city) => {
  city.publish('09:50', [update('n', 'A d10:30', { as: 'NEW', ...ROUTE })])
  expect(city.tally).toEqual({ matched: 0, reasons: { added_without_calls: 1 } })
})

const sequence = of('rejection/InvalidScheduledStopSequenceTest.java')
sequence(
  'nonIncreasingStopSequence',
  TWO,
  (city) => {
    city.publish('09:50', [update('t', '#2 +10, #1 +10')])
    expect(city.trip('t')).toBe('runs | A 10:00:10 | B 10:10:10')
  },
  { rule: 'calls', theirs: 'the update is refused: its sequences decrease' },
)
sequence('negativeStopSequence', TWO, (city) => {
  city.publish('09:50', [update('t', '#4294967295 +60')])
  expect(city.trip('t')).toBe('runs | A 10:00? | B 10:10?')
  expect(city.tally.reasons).toEqual({ unknown_sequence: 1 })
})

const place = of('rejection/InvalidStopRefTest.java')
place('unknownStopId', TWO, (city) => {
  city.publish('09:50', [update('t', 'unknown-stop 10:00')])
  expect(city.board('A')).toEqual(['t 10:00 - unknown'])
  expect(city.tally.reasons).toEqual({ unknown_stop: 1 })
})
place(
  'knownAndUnknownStopId',
  TWO,
  (city) => {
    city.publish('09:50', [update('t', 'A 10:01, unknown-stop 10:00')])
    expect(city.board('A')).toEqual(['t 10:00 10:01 delayed'])
  },
  { rule: 'calls', theirs: 'the whole update is refused' },
)
place('invalidStopSequence', TWO, (city) => {
  city.publish('09:50', [update('t', '#100 +60')])
  expect(city.board('A')).toEqual(['t 10:00 - unknown'])
  expect(city.tally.reasons).toEqual({ unknown_sequence: 1 })
})
place(
  'validAndInvalidStopSequence',
  TWO,
  (city) => {
    city.publish('09:50', [update('t', '#1 +60, #100 +60')])
    expect(city.trip('t')).toBe('runs | A 10:01 | B 10:11')
  },
  { rule: 'calls', theirs: 'the whole update is refused' },
)
place('noStopRef', TWO, (city) => {
  city.publish('09:50', [update('t', '- d+60')])
  expect(city.board('A')).toEqual(['t 10:00 - unknown'])
  expect(city.tally.reasons).toEqual({ unknown_sequence: 1 })
})

const noId = of('rejection/InvalidTripIdTest.java')
for (const [name, id] of [
  ['null', undefined],
  ['empty', ''],
  ['blanks', '  '],
] as const) {
  noId(`invalidTripId, ${name}`, TWO, (city) => {
    city.publish('09:50', [update(id, '', { date: '' })])
    expect(city.tally.matched).toBe(0)
    expect(city.board('A')).toEqual(['t 10:00 - planned'])
  })
}

of('rejection/MalformedStartDateTest.java')('malformedStartDate', TWO, (city) => {
  city.publish('09:50', [update('t', '#1 +60', { date: 'January 24th 2026' })])
  expect(city.tally).toEqual({ matched: 0, reasons: { bad_start_date: 1 } })
})

of('rejection/TooManyStopsTest.java')(
  'tooManyUpdates',
  { ...TWO, others: 'C' },
  (city) => {
    city.publish('09:50', [update('t', 'A 10:01, B 10:21, C 10:31')])
    expect(city.trip('t')).toBe('runs | A 10:01 | B 10:21')
    expect(city.tally).toEqual({ matched: 1, reasons: { unknown_stop: 1 } })
  },
  { rule: 'calls', theirs: 'the whole update is refused' },
)
