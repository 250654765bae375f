// Tests that interpolated times are rounded half up to the second. Once, some were wrong because a fraction such as
// 15/22 was first converted to a double. For example, 11 s × 15/22 is 7.5 s, which must become 8 s, but became 7 s.
import { expect, test } from 'bun:test'
import { columnArray } from '../../loaders/columns.ts'
import { loadFeed } from '../../loaders/gtfs/load-feed.ts'
import { smallFeed } from '../feeds/text-feed.ts'

/** The rows of a trip with `gaps` + 1 calls, of which only the first and the last have times. */
function untimedTrip(trip: { id: string; seconds: number; gaps: number }): string[] {
  const clock = (seconds: number) => {
    const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60]
    return `00:${String(minutes).padStart(2, '0')}:${String(rest).padStart(2, '0')}`
  }
  return Array.from({ length: trip.gaps + 1 }, (_, i) => {
    const time = i === 0 ? clock(0) : i === trip.gaps ? clock(trip.seconds) : ''
    return `${trip.id},${time},${time},${i % 2 === 0 ? 'G' : 'P'},${i},${i}`
  })
}

for (const [what, columns] of [
  ['evenly', ''],
  ['by distance', ',shape_dist_traveled'],
] as const) {
  test(`interpolated ${what}`, async () => {
    const trips = Array.from({ length: 600 }, (_, i) => ({ id: `t${i}`, seconds: 1 + (i % 60), gaps: 2 + (i % 37) }))
    const { feed } = await loadFeed(
      smallFeed({
        'trips.txt': ['route_id,service_id,trip_id', ...trips.map(({ id }) => `A,daily,${id}`)].join('\n'),
        'stop_times.txt': [
          `trip_id,arrival_time,departure_time,stop_id,stop_sequence${columns === '' ? ',note' : columns}`,
          ...trips.flatMap(untimedTrip),
        ].join('\n'),
      }),
    )
    // Rounded half up in whole numbers: ⌊(2 × seconds × i + gaps) / (2 × gaps)⌋.
    const expected = trips.flatMap(({ seconds, gaps }) =>
      Array.from({ length: gaps + 1 }, (_, i) => Math.floor((2 * seconds * i + gaps) / (2 * gaps))),
    )
    expect([...columnArray(feed.calls.arrivalSeconds)]).toEqual(expected)
  })
}
