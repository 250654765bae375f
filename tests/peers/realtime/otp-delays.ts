// OpenTripPlanner's module tests about delays, skipped stops, platforms and propagation, rewritten for Quai.
import { casesOf, expect } from './peer-cases.ts'
import { update } from './short-updates.ts'

const MODULE = 'updater/trip/gtfs/moduletests'
const NEXT_DAY = '20260611'
const of = (file: string) => casesOf({ peer: 'OpenTripPlanner', file: `${MODULE}/${file}` })

const delayed = of('delay/DelayedTest.java')
const MINUTE = { trips: { t: 'A 00:01:00-00:01:01, B 00:01:10-00:01:11, C 00:01:20-00:01:21' }, spacing: 100 }

delayed('singleStopDelay', { trips: { t: 'A 00:00:10-00:00:11, B 00:00:20-00:00:21' }, spacing: 100 }, (city) => {
  city.publish('00:00', [update('t', '#2 +1')])
  expect(city.trip('t')).toBe('runs | A 00:00:10-00:00:11? | B 00:00:21-00:00:22')
})

delayed('complexDelay', MINUTE, (city) => {
  city.publish('00:00', [update('t', '#1 +0, #2 a+60 d+80, #3 +90')])
  expect(city.trip('t')).toBe('runs | A 00:01-00:01:01 | B 00:02:10-00:02:31 | C 00:02:50-00:02:51')
})

delayed('the second trip is unchanged', { trips: { t: 'A 10:00, B 10:10', u: 'A 10:05, B 10:15' } }, (city) => {
  city.publish('09:50', [update('t', '#1 +60')])
  expect(city.board('A')).toEqual(['t 10:00 10:01 delayed', 'u 10:05 - planned'])
})

const skipped = of('delay/SkippedTest.java')

skipped('scheduledTripWithSkippedAndScheduled', MINUTE, (city) => {
  city.publish('00:00', [update('t', '#1 +0, #2 x, #3 +90')])
  expect(city.trip('t')).toBe('runs | A 00:01-00:01:01 | B x | C 00:02:50-00:02:51')
  expect(city.board('B')).toEqual(['t 00:01:11 - skipped'])
})

skipped('scheduledTripWithPreviouslySkipped', MINUTE, (city) => {
  city.publish('00:00', [update('t', '#1 +0, #2 x, #3 +90')], { isDifferential: true })
  city.publish('00:00:10', [update('t', '#1 +0, #2 +50, #3 +90')], { isDifferential: true })
  expect(city.trip('t')).toBe('runs | A 00:01-00:01:01 | B 00:02-00:02:01 | C 00:02:50-00:02:51')
})

skipped('skippedNoData', MINUTE, (city) => {
  city.publish('00:00', [update('t', '#1 ?, #2 x, #3 ?')])
  expect(city.trip('t')).toBe('runs | A 00:01-00:01:01? | B x | C 00:01:20-00:01:21?')
})

of('delay/SkippedWithRepeatedTimesTest.java')(
  'skippedWithRepeatedTimes',
  { trips: { t: 'A 10:00-10:01, B 10:01, C 10:01-10:02' }, spacing: 100 },
  (city) => {
    city.publish('09:50', [update('t', 'A 10:00, B 10:01 x, C 10:01')])
    expect(city.trip('t')).toBe('runs | A 10:00 | B x | C 10:01')
  },
)

const assigned = of('delay/AssignedStopIdsTest.java')
const PLATFORMS = {
  trips: { t: 'A 10:00, B 10:01, C 10:02', u: 'A 11:00, B 11:01, C 11:02' },
  stations: { S: 'A D E' },
  dates: ['20260610', NEXT_DAY],
}

assigned('assignedThenRevertedStopIds', PLATFORMS, (city) => {
  city.publish('09:00', [update('t', '#1 09:50 =D, #2 10:01, #3 10:02')])
  expect(city.trip('t')).toBe('runs | D 09:50 | B 10:01 | C 10:02')
  expect(city.board('A', 1.5)).toEqual([])
  city.publish('09:01', [update('t', '#1 09:55 =E, #2 10:01, #3 10:02')])
  expect(city.trip('t')).toBe('runs | E 09:55 | B 10:01 | C 10:02')
  city.publish('09:02', [update('t', '#1 10:01 =A, #2 10:02, #3 10:03')])
  expect(city.trip('t')).toBe('runs | A 10:01 | B 10:02 | C 10:03')
})

assigned('reuseRealtimeTripPatterns', PLATFORMS, (city) => {
  const [one, other] = [update('t', '#1 10:01 =E'), update('u', '#1 11:01 =E')]
  city.publish('09:00', [one])
  expect([city.trip('t'), city.trip('u')]).toEqual(['runs | E 10:01 | B 10:02 | C 10:03', 'planned'])
  city.publish('09:01', [one, other])
  expect(city.trip('u')).toBe('runs | E 11:01 | B 11:02 | C 11:03')
  city.publish('09:02', [other])
  expect([city.trip('t'), city.trip('u')]).toEqual(['planned', 'runs | E 11:01 | B 11:02 | C 11:03'])
  city.publish('09:03', [update('t', '#1 +0'), update('u', '#1 +0')])
  expect(city.trip('t')).toBe('runs | A 10:00 | B 10:01 | C 10:02')
})

assigned('reuseRealtimeTripPatternsOnDifferentServiceDates', PLATFORMS, (city) => {
  const today = update('t', '#1 10:01 =E')
  const tomorrow = update('t', '#1 10:01 =E', { date: NEXT_DAY })
  city.publish('09:00', [today])
  expect([city.trip('t'), city.trip('t', NEXT_DAY)]).toEqual(['runs | E 10:01 | B 10:02 | C 10:03', 'planned'])
  city.publish('09:01', [today, tomorrow])
  expect(city.trip('t', NEXT_DAY)).toBe('runs | E 10:01 | B 10:02 | C 10:03')
  city.publish('09:02', [tomorrow])
  expect([city.trip('t'), city.trip('t', NEXT_DAY)]).toEqual(['planned', 'runs | E 10:01 | B 10:02 | C 10:03'])
})

assigned('reuseScheduledTripPatterns', PLATFORMS, (city) => {
  const [one, other] = [update('t', '#1 +60'), update('u', '#1 +60')]
  city.publish('09:00', [one, other])
  expect(city.trip('t')).toBe('runs | A 10:01 | B 10:02 | C 10:03')
  city.publish('09:01', [other])
  expect([city.trip('t'), city.trip('u')]).toEqual(['planned', 'runs | A 11:01 | B 11:02 | C 11:03'])
})

assigned('reuseScheduledTripPatternsOnDifferentServiceDates', PLATFORMS, (city) => {
  const [one, other] = [update('t', '#1 +60'), update('t', '#1 +60', { date: NEXT_DAY })]
  city.publish('09:00', [one])
  expect([city.trip('t'), city.trip('t', NEXT_DAY)]).toEqual(['runs | A 10:01 | B 10:02 | C 10:03', 'planned'])
  city.publish('09:01', [one, other]).publish('09:02', [other])
  expect([city.trip('t'), city.trip('t', NEXT_DAY)]).toEqual(['planned', 'runs | A 10:01 | B 10:02 | C 10:03'])
})

const circular = of('delay/CircularRouteStopIdTest.java')
const LOOP = { trips: { t: 'A 10:00, B 10:10, A 10:20' } }

circular('onlyStopIds', LOOP, (city) => {
  city.publish('09:50', [update('t', 'A 10:01, B 10:21, A 10:31')])
  expect(city.trip('t')).toBe('runs | A 10:01 | B 10:21 | A 10:31')
})

circular('missingStopAtBeginning', LOOP, (city) => {
  city.publish('09:50', [update('t', 'B 10:21, A 10:31')])
  expect(city.trip('t')).toBe('runs | A 10:00? | B 10:21 | A 10:31')
})

circular('missingStopAtEnd', LOOP, (city) => {
  city.publish('09:50', [update('t', 'A 10:11, B 10:21')])
  expect(city.trip('t')).toBe('runs | A 10:11 | B 10:21 | A 10:31')
})

const clocks = of('delay/DstServiceDateTest.java')
for (const [name, day] of [
  ['spring', '20260329'],
  ['autumn', '20261025'],
  ['control', '20260610'],
] as const) {
  const sketch = { trips: { t: 'A 10:00, B 10:10' }, dates: [day] }
  clocks(`absoluteTimesOnScheduledTrip, ${name}`, sketch, (city) => {
    city.publish('09:50', [update('t', 'A 10:01, B 10:11')])
    expect(city.trip('t')).toBe('runs | A 10:01 | B 10:11')
  })
  clocks(`absoluteTimesOnAddedTrip, ${name}`, sketch, (city) => {
    city.publish('09:50', [update('n', 'A 12:01, B 12:11', { as: 'ADDED', route: 'R' })])
    expect(city.trip('n')).toBe('added | A 12:01 | B 12:11')
  })
}

const THREE = { trips: { t: 'A 10:00, B 10:10, C 10:20' } }
const FOUR = { trips: { t: 'A 10:00, B 10:10, C 10:20, D 10:30' } }

of('propagation/BackwardsEarlinessPropagationCancellationTest.java')('noDataAndCancellation', FOUR, (city) => {
  city.publish('09:50', [update('t', '#1 ?, #2 ?, #3 x, #4 10:19')])
  expect(city.trip('t')).toBe('runs | A 10:00? | B 10:10? | C x | D 10:19')
})

of('propagation/BackwardsEarlinessPropagationCancellationTest.java')(
  'invalidEstimatedTimeOnSkippedStop',
  FOUR,
  (city) => {
    city.publish('09:50', [update('t', '#1 ?, #2 ?, #3 10:20 x, #4 10:19')])
    expect(city.trip('t')).toBe('runs | A 10:00? | B 10:10? | C x | D 10:19')
    expect(city.tally).toEqual({ matched: 1, reasons: {} })
  },
  { rule: 'skippedTimes', theirs: 'disabled there; would refuse the trip, since the skipped stop has a later time' },
)

const early = of('propagation/BackwardsEarlinessPropagationTest.java')

early('leadingNoDataWithEarlyArrival', THREE, (city) => {
  city.publish('09:50', [update('t', '#1 ?, #2 ?, #3 10:09')])
  expect(city.trip('t')).toBe('runs | A 10:00? | B 10:09? | C 10:09')
})

early('onlyNoData', THREE, (city) => {
  city.publish('09:50', [update('t', '#1 ?, #2 ?, #3 ?')])
  expect(city.trip('t')).toBe('runs | A 10:00? | B 10:10? | C 10:20?')
})

const noArrival = of('propagation/NoArrivalTimeTest.java')

noArrival('interpolateArrivalOnFirstStop', THREE, (city) => {
  city.publish('09:50', [update('t', '#1 d10:00')])
  expect(city.trip('t')).toBe('runs | A 10:00 | B 10:10 | C 10:20')
})

noArrival('interpolateArrivalOnMiddleStop', THREE, (city) => {
  city.publish('09:50', [update('t', '#1 10:00, #2 d10:09, #3 10:20')])
  expect(city.trip('t')).toBe('runs | A 10:00 | B 10:09 | C 10:20')
})
