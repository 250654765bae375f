// Tests which sections of a journey count as live, that is, have a predicted time. Fails if a scheduled time counts as
// predicted although it was only moved to be consistent with a prediction at another call, or if a predicted time does
// not count.
import { expect, test } from 'bun:test'
import { TripPaths } from '../../../indexes/live/trip-paths.ts'
import { StraightWalks } from '../../../indexes/streets/straight-walks.ts'
import { toSections } from '../../../src/journeys/journey-sections.ts'
import { endAt } from '../../../src/rendering/journey.ts'
import { CALL, LiveLine, timed, update } from '../../indexes/live/live-line.ts'

/** For each ride of the first journey, whether it is live. */
function realtimeOf(line: LiveLine, from: string, to: string): readonly boolean[] {
  const { timetable, overlay } = line
  const [start, end] = [line.stop(from), line.stop(to)]
  const reach = (stop: typeof start) => ({ stops: [stop], seconds: [0], meters: [0], byStreet: undefined })
  const ground = {
    timetable,
    paths: new TripPaths(timetable),
    overlay,
    from: endAt(timetable, { kind: 'stop', stop: start }),
    to: endAt(timetable, { kind: 'stop', stop: end }),
    access: reach(start),
    egress: reach(end),
    walks: new StraightWalks(timetable),
  }
  const [first] = line.plan(from, to)
  if (first === undefined) throw new Error('there is no journey')
  return toSections(ground, first).flatMap((section) => (section.kind === 'ride' ? [section.isRealtime] : []))
}

test('a ride is live if a prediction gives the time of one of its ends', async () => {
  const line = await LiveLine.open()
  line.publish('08:00', [update('t', { 3: timed('08:22') })])
  expect(realtimeOf(line, 'S3', 'S4')).toEqual([true])
  expect(realtimeOf(line, 'S2', 'S3')).toEqual([true])
  expect(realtimeOf(line, 'S1', 'S2')).toEqual([false])
})

test('a time that was moved only for consistency is not live', async () => {
  const line = await LiveLine.open()
  // The bus is early at S3, so it leaves S2 earlier than scheduled, but no feed predicts when.
  const dark = { scheduleRelationship: CALL.NO_DATA }
  line.publish('08:00', [update('t', { 1: dark, 3: timed('08:07'), 4: dark })])
  expect(line.board(['S2'], 0.9)).toEqual(['S2 t 08:10 - unknown'])
  expect(line.rides('S2', 'S3').slice(0, 1)).toEqual(['08:07 08:07'])
  expect(realtimeOf(line, 'S2', 'S3')).toEqual([false])
  expect(realtimeOf(line, 'S1', 'S3')).toEqual([true])
})
