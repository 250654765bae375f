// OpenTripPlanner's tests about the times of one trip, rewritten for Quai: delays that are carried forward, calls
// before the first update, and times out of order.
import { casesOf, expect } from './peer-cases.ts'
import { update } from './short-updates.ts'

const of = (file: string) => casesOf({ peer: 'OpenTripPlanner', file: `updater/${file}` })
const times = of('trip/gtfs/TripTimesUpdaterTest.java')
const THREE = { trips: { t: 'A 10:00, B 10:10, C 10:20' } }
const EIGHT = { trips: { t: 'A 10:00, B 10:00, C 10:10, D 10:20, E 10:30, F 10:40, G 10:50, H 11:00' } }

times('tripNotFoundInPattern', THREE, (city) => {
  city.publish('09:50', [update('b', '#1 ?')])
  expect(city.tally).toEqual({ matched: 0, reasons: { unknown_trip: 1 } })
})

times('badData', THREE, (city) => {
  city.publish('09:50', [update('t', '#9 x')])
  expect(city.tally.reasons).toEqual({ unknown_sequence: 1 })
  expect(city.trip('t')).toBe('runs | A 10:00? | B 10:10? | C 10:20?')
})

times(
  'nonIncreasingTimes',
  THREE,
  (city) => {
    city.publish('09:50', [update('t', '#2 a10:10:01 d10:10')])
    expect(city.trip('t')).toBe('runs | A 10:00? | B 10:10 | C 10:20')
    expect(city.tally.reasons).toEqual({ negative_dwell: 1 })
  },
  { rule: 'clamping', theirs: 'the whole update is refused' },
)

times('update: times', THREE, (city) => {
  city.publish('09:50', [update('t', '#1 10:02')])
  expect(city.trip('t')).toBe('runs | A 10:02 | B 10:12 | C 10:22')
})

times('update: by stop', THREE, (city) => {
  city.publish('09:50', [update('t', 'B d+120')])
  expect(city.trip('t')).toBe('runs | A 10:00? | B 10:12 | C 10:22')
})

times('update: arrival only', THREE, (city) => {
  city.publish('09:50', [update('t', '#2 a+1')])
  expect(city.trip('t')).toBe('runs | A 10:00? | B 10:10:01 | C 10:20:01')
})

times(
  'fixIncoherentTimes',
  THREE,
  (city) => {
    city.publish('09:50', [update('t', '#1 a+900, #2 d-1')])
    expect(city.trip('t')).toBe('runs | A 10:15 | B 10:15 | C 10:19:59')
    expect(city.tally.reasons).toEqual({ negative_hop: 1 })
  },
  { rule: 'clamping', theirs: 'the whole update is refused' },
)

times('testUpdateWithNoForwardPropagationWithCompleteData', THREE, (city) => {
  city.publish('09:50', [update('t', '#1 a+15 d+20, #2 a+25 d+30, #3 a+35 d+40')])
  expect(city.trip('t')).toBe('runs | A 10:00:15-10:00:20 | B 10:10:25-10:10:30 | C 10:20:35-10:20:40')
})

times(
  'testUpdateWithNoForwardPropagationWhenItIsRequired',
  THREE,
  (city) => {
    city.publish('09:50', [update('t', '#1 a+15')])
    expect(city.trip('t')).toBe('runs | A 10:00:15 | B 10:10:15 | C 10:20:15')
  },
  { rule: 'forward', theirs: 'refused where propagation is switched off; ours is always on' },
)

times('testUpdateWithNoData', THREE, (city) => {
  city.publish('09:50', [update('t', '#1 ?, #2 x, #3 ?')])
  expect(city.trip('t')).toBe('runs | A 10:00? | B x | C 10:20?')
})

const SIGNED = { trips: { t: { calls: 'A 10:00, B 10:10, C 10:20', headsign: 'foo' } } }

times('testUpdateWithUnchangedTripAndStopProperties', SIGNED, (city) => {
  city.publish('09:50', [update('t', '#1 +0 ~foo =A, #2 in0 out0, #3 +0', { properties: { tripHeadsign: 'foo' } })])
  expect(city.trip('t')).toBe('runs | A 10:00 | B 10:10 | C 10:20')
  expect([...city.headsigns('A'), ...city.headsigns('B')]).toEqual(['foo', 'foo'])
})

times(
  'testUpdateWithTripAndStopProperties',
  { trips: { t: { calls: 'A 10:00, B 10:10, C 10:20, D 10:30', headsign: 'foo' } } },
  (city) => {
    city.publish('09:50', [update('t', '#1 +0 ~stop, #2 x, #3 +0', { properties: { tripHeadsign: 'trip' } })])
    expect(city.trip('t')).toBe('runs | A 10:00 | B x | C 10:20 | D 10:30')
    expect(['A', 'B', 'C'].flatMap((stop) => city.headsigns(stop))).toEqual(['stop', 'trip', 'trip'])
  },
)

times(
  'testUpdateWithAlwaysDelayPropagationFromSecondStop',
  THREE,
  (city) => {
    city.publish('09:50', [update('t', '#2 +10, #3 a+15')])
    expect(city.trip('t')).toBe('runs | A 10:00? | B 10:10:10 | C 10:20:15')
  },
  { rule: 'forward', theirs: 'with backwards propagation ALWAYS, 10 s late at the first stop too' },
)

times(
  'testUpdateWithAlwaysDelayPropagationFromThirdStop',
  THREE,
  (city) => {
    city.publish('09:50', [update('t', '#3 a+15')])
    expect(city.trip('t')).toBe('runs | A 10:00? | B 10:10? | C 10:20:15')
  },
  { rule: 'forward', theirs: 'with backwards propagation ALWAYS, 15 s late at the stops before too' },
)

times('testUpdateWithNoBackwardPropagationWhenItIsNotRequired', THREE, (city) => {
  city.publish('09:50', [update('t', '#1 a+15')])
  expect(city.trip('t')).toBe('runs | A 10:00:15 | B 10:10:15 | C 10:20:15')
})

times(
  'testUpdateWithRequiredNoDataDelayPropagationWhenItsNotRequired',
  THREE,
  (city) => {
    city.publish('09:50', [update('t', '#3 a-100')])
    expect(city.trip('t')).toBe('runs | A 10:00? | B 10:10? | C 10:18:20-10:20')
  },
  { rule: 'arrivalOnly', theirs: 'it leaves the last stop as early as it arrives' },
)

times(
  'testUpdateWithRequiredNoDataDelayPropagationWhenItsRequired',
  THREE,
  (city) => {
    city.publish('09:50', [update('t', '#3 a-700')])
    expect(city.trip('t')).toBe('runs | A 10:00? | B 10:08:20? | C 10:08:20-10:20')
    expect(city.board('B')).toEqual(['t 10:10 - unknown'])
  },
  { rule: 'arrivalOnly', theirs: 'it leaves the last stop as early as it arrives' },
)

times('testUpdateWithRequiredDelayPropagationWhenItsRequired', THREE, (city) => {
  city.publish('09:50', [update('t', '#3 -700')])
  expect(city.trip('t')).toBe('runs | A 10:00? | B 10:08:20? | C 10:08:20')
})

times('testUpdateWithRequiredNoDataDelayPropagationOnArrivalTime', THREE, (city) => {
  city.publish('09:50', [update('t', '#2 d-700, #3 a+15')])
  expect(city.trip('t')).toBe('runs | A 09:58:20? | B 09:58:20 | C 10:20:15')
})

times('testUpdateWithCancellationAndEarlierThanCancelled', THREE, (city) => {
  city.publish('09:50', [update('t', '#1 +0, #2 x, #3 -800')])
  expect(city.trip('t')).toBe('runs | A 10:00 | B x | C 10:06:40')
})

times('testUpdateWithCancellationAndLaterThanCancelled', THREE, (city) => {
  city.publish('09:50', [update('t', '#1 +1000, #2 x, #3 +0')])
  expect(city.trip('t')).toBe('runs | A 10:16:40 | B x | C 10:20')
})

times(
  'testUpdateWithCancellationAndNonIncreasingTimes',
  THREE,
  (city) => {
    city.publish('09:50', [update('t', '#1 +1000, #2 x, #3 -400')])
    expect(city.trip('t')).toBe('runs | A 10:16:40 | B x | C 10:16:40')
    expect(city.tally.reasons).toEqual({ negative_hop: 1 })
  },
  { rule: 'clamping', theirs: 'the whole update is refused' },
)

times('testUpdateWithStartTerminalCancellationAndEarly', THREE, (city) => {
  city.publish('09:50', [update('t', '#1 x, #2 -700, #3 +0')])
  expect(city.trip('t')).toBe('runs | A x | B 09:58:20 | C 10:20')
})

times('testUpdateWithEndTerminalCancellationAndLate', THREE, (city) => {
  city.publish('09:50', [update('t', '#1 +0, #2 +700, #3 x')])
  expect(city.trip('t')).toBe('runs | A 10:00 | B 10:21:40 | C x')
})

times('testUpdateWithMultipleCancellationsTogether', EIGHT, (city) => {
  city.publish('09:50', [update('t', '#1 +600, #2 x, #3 x, #4 x, #5 x, #6 x, #7 x, #8 -1200')])
  expect(city.trip('t')).toBe('runs | A 10:10 | B x | C x | D x | E x | F x | G x | H 10:40')
  expect(city.ride('A', 'H', '10:00')).toBe('A 10:10 t H 10:40')
})

times('testUpdateWithMultipleSeparateCancellations', EIGHT, (city) => {
  city.publish('09:50', [update('t', '#1 +600, #2 x, #3 x, #4 -500, #5 +500, #6 x, #7 x, #8 -1200')])
  expect(city.trip('t')).toBe('runs | A 10:10 | B x | C x | D 10:11:40 | E 10:38:20 | F x | G x | H 10:40')
})

for (const [name, event] of [
  ['testInvalidDeparture', 'd_'],
  ['testInvalidArrival', 'a_'],
]) {
  times(
    `InvalidStopEvent.${name}`,
    THREE,
    (city) => {
      city.publish('09:50', [update('t', `#1 ${event}, #2 ${event}`)])
      expect(city.trip('t')).toBe('runs | A 10:00? | B 10:10? | C 10:20?')
    },
    { rule: 'emptyEvent', theirs: 'the whole update is refused' },
  )
}

const everyFive = (count: number) =>
  Array.from({ length: count }, (_, at) => {
    const minutes = at * 5
    return `S${at + 1} ${String(10 + Math.floor(minutes / 60))}:${String(minutes % 60).padStart(2, '0')}`
  }).join(', ')
const TWENTY = { trips: { t: everyFive(20) } }
const forward = of('trip/gtfs/interpolation/DefaultForwardsDelayInterpolatorTest.java')

/**
 * The delays at a trip's calls in seconds, parsed from the result of `PeerCity.trip`; `-` for a call without a
 * prediction.
 */
const delaysOf = (text: string, count: number) =>
  text
    .split(' | ')
    .slice(1)
    .map((call, at) => {
      const [, from = '', mark] = /^S\d+ ([\d:]+)(.*)$/.exec(call) ?? []
      const [hours = 0, minutes = 0, seconds = 0] = from.split(':').map(Number)
      if (mark === '?' || from === '') return '-'
      return count === 0 ? 0 : hours * 3600 + minutes * 60 + seconds - 36_000 - at * 300
    })

forward('allUpdatesProvided', TWENTY, (city) => {
  const calls = Array.from({ length: 20 }, (_, at) => `#${at + 1} a+${at} d+${at + 1}`)
  city.publish('09:50', [update('t', calls.join(', '))])
  expect(city.tally).toEqual({ matched: 1, reasons: {} })
  expect(city.trip('t').split(' | ').slice(1, 4)).toEqual([
    'S1 10:00-10:00:01',
    'S2 10:05:01-10:05:02',
    'S3 10:10:02-10:10:03',
  ])
})

forward('example1', TWENTY, (city) => {
  city.publish('09:50', [update('t', '#1 +0')])
  expect(delaysOf(city.trip('t'), 20)).toEqual(new Array(20).fill(0))
})

forward('example2', TWENTY, (city) => {
  city.publish('09:50', [update('t', '#3 a+300, #8 a+60, #10 ?')])
  const expected = [...new Array(2).fill('-'), ...new Array(5).fill(300), 60, 60, ...new Array(11).fill('-')]
  expect(delaysOf(city.trip('t'), 20)).toEqual(expected)
})

forward('onlyDepartureTimeIsProvided', TWENTY, (city) => {
  city.publish('09:50', [update('t', '#1 +450, #2 d+300')])
  expect(city.trip('t').split(' | ').slice(1, 3)).toEqual(['S1 10:07:30', 'S2 10:10'])
})

forward('delayedDepartureThenNoData', TWENTY, (city) => {
  city.publish('09:50', [update('t', '#1 +450, #2 ?')])
  expect(city.trip('t').split(' | ').slice(1, 4)).toEqual(['S1 10:07:30', 'S2 10:07:30?', 'S3 10:10?'])
})

forward('delayedDepartureThenNoDataAtLongDwell', { trips: { t: 'A 10:00, B 10:05-10:10, C 10:20' } }, (city) => {
  city.publish('09:50', [update('t', '#1 +450, #2 ?')])
  expect(city.trip('t')).toBe('runs | A 10:07:30 | B 10:07:30-10:10? | C 10:20?')
})

forward('noDataOnly', { trips: { t: everyFive(5) } }, (city) => {
  city.publish('09:50', [update('t', '#1 ?, #2 ?, #3 ?, #4 ?, #5 ?')])
  expect(delaysOf(city.trip('t'), 5)).toEqual(['-', '-', '-', '-', '-'])
})

forward('canceledStops', TWENTY, (city) => {
  city.publish('09:50', [
    update('t', '#1 x, #2 x, #3 x, #4 a10:50, #6 x, #7 x, #8 x, #9 x, #10 x, #11 a11:10, #19 x, #20 x'),
  ])
  const calls = city.trip('t').split(' | ').slice(1)
  expect(calls.filter((call) => call.endsWith(' x'))).toHaveLength(10)
  expect([calls[3], calls[4], calls[10], calls[11], calls[17]]).toEqual([
    'S4 10:50',
    'S5 10:55',
    'S11 11:10',
    'S12 11:15',
    'S18 11:45',
  ])
})

const FIVE = { trips: { t: everyFive(5) } }
const required = of('trip/gtfs/interpolation/BackwardsDelayRequiredInterpolatorTest.java')

required('noPropagation', FIVE, (city) => {
  city.publish('09:50', [update('t', '#1 -3')])
  expect(delaysOf(city.trip('t'), 5)).toEqual([-3, -3, -3, -3, -3])
})

required('propagateFromIntermediateStopWithPositiveDelayAndNoData', FIVE, (city) => {
  city.publish('09:50', [update('t', '#3 +3')])
  expect(delaysOf(city.trip('t'), 5)).toEqual(['-', '-', 3, 3, 3])
})

required('propagateThroughCanceledStopWithNoData', FIVE, (city) => {
  city.publish('09:50', [update('t', '#2 x, #3 +3')])
  expect(city.trip('t')).toBe('runs | S1 10:00? | S2 x | S3 10:10:03 | S4 10:15:03 | S5 10:20:03')
})

required('propagateFromIntermediateStopWithNegativeDelay', FIVE, (city) => {
  city.publish('09:50', [update('t', '#3 10:02:30')])
  expect(city.trip('t')).toBe('runs | S1 10:00? | S2 10:02:30? | S3 10:02:30 | S4 10:07:30 | S5 10:12:30')
})

required(
  'propagateWithDepartureAsFirstUpdateAndNoData',
  FIVE,
  (city) => {
    city.publish('09:50', [update('t', '#3 d+3')])
    expect(delaysOf(city.trip('t'), 5)).toEqual(['-', '-', 3, 3, 3])
  },
  { rule: 'departureOnly', theirs: 'it arrives at the first stop with an update as planned' },
)

const always = of('trip/gtfs/interpolation/BackwardsDelayAlwaysInterpolatorTest.java')

always('useDepartureTimeForMissingArrivalTime', FIVE, (city) => {
  city.publish('09:50', [update('t', '#1 d10:00:10')])
  expect(city.trip('t').split(' | ')[1]).toBe('S1 10:00:10')
})

always(
  'propagateWithDepartureAsFirstUpdate',
  FIVE,
  (city) => {
    city.publish('09:50', [update('t', '#3 d+3')])
    expect(city.trip('t').split(' | ')[3]).toBe('S3 10:10:03')
    expect(city.board('S1')).toEqual(['t 10:00 - unknown'])
  },
  { rule: 'forward', theirs: 'the stops before are 3 s late too' },
)

required('useDepartureTimeForMissingArrivalTime', FIVE, (city) => {
  city.publish('09:50', [update('t', '#1 d09:55')])
  expect(city.trip('t').split(' | ')[1]).toBe('S1 09:55')
})

of('trip/gtfs/interpolation/NoDataBackwardsEarlinessInterpolatorTest.java')(
  'precedingNoDataWithEarlyArrival',
  FIVE,
  (city) => {
    city.publish('09:50', [update('t', '#1 ?, #2 ?, #3 ?, #4 -360, #5 -360')])
    expect(city.trip('t')).toBe('runs | S1 10:00? | S2 10:05? | S3 10:09? | S4 10:09 | S5 10:14')
  },
)
of('trip/gtfs/interpolation/NoDataBackwardsEarlinessInterpolatorTest.java')(
  'leadingNoDataAndCancelledWithEarlyArrival',
  FIVE,
  (city) => {
    city.publish('09:50', [update('t', '#1 ?, #2 x, #3 ?, #4 -360, #5 -360')])
    expect(city.trip('t')).toBe('runs | S1 10:00? | S2 x | S3 10:09? | S4 10:09 | S5 10:14')
  },
)
