// Tests which stop or station an entrance, node or boarding area belongs to, given its id. Fails if riders at a station
// don't see an alert about its entrance.
import { expect, test } from 'bun:test'
import { findArea } from '../../indexes/timetable/areas.ts'
import { findWhole } from '../../indexes/timetable/station-parts.ts'
import { findStop } from '../../indexes/timetable/stops.ts'
import { SMALL_FEED } from '../feeds/text-feed.ts'
import { timetableOf } from './built-feed.ts'

const timetable = await timetableOf({
  ...SMALL_FEED,
  'stops.txt': `${SMALL_FEED['stops.txt']}
    E2,,Sortie 2,48.5802,7.7502,2,S,,
    E1,,Sortie 1,48.5803,7.7503,2,S,,
    N,,,,,3,S,,
    BA,,,,,4,CA,,
    BG,,,,,4,G,,
    lost,,Nulle part,48.58,7.75,2,G,,`,
})

test('parts lead to their station, whatever the order of rows; nothing else does', () => {
  const station = { area: findArea(timetable, 'S') }
  const found: unknown = ['E1', 'E2', 'N', 'BA', 'BG', 'lost', 'CA', 'S', ''].map((id) => [
    id,
    findWhole(timetable, id),
  ])
  expect(found).toEqual([
    ['E1', station],
    ['E2', station],
    ['N', station],
    ['BA', { stop: findStop(timetable, 'CA') }],
    ['BG', { stop: findStop(timetable, 'G') }],
    // An entrance whose parent is a stop is invalid and not loaded.
    ['lost', undefined],
    ['CA', undefined],
    ['S', undefined],
    ['', undefined],
  ])
})
