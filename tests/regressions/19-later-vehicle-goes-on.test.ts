// Tests two vehicles of one line that both continue as trips of a second line. Only the later vehicle then continues as
// a third trip, so riders who wait for it can stay seated to the end. Once, the search stopped after the earlier
// vehicle's second trip. The second test is the mirror image, for a search backward in time.
import { expect, test } from 'bun:test'
import { openJourneys } from '../src/api/journey-lines.ts'

test('riders wait for the vehicle that continues, and stay seated twice', async () => {
  const { best } = await openJourneys({
    stops: { A: 0, B: 5000, C: 10_000, Z: 20_000 },
    trips: {
      'in-1': 'A 08:00, B 08:10',
      'mid-1': 'B 08:10, C 08:20',
      'in-2': 'A 08:30, B 08:40',
      'mid-2': 'B 08:40, C 08:50',
      'out-2': 'C 08:50, Z 09:00',
    },
    blocks: { 'in-1': 'k', 'mid-1': 'k', 'in-2': 'l', 'mid-2': 'l', 'out-2': 'l' },
  })
  const seated = [
    'in-2 A 08:30:00 B 08:40:00',
    'mid-2 B 08:40:00 C 08:50:00 seated',
    'out-2 C 08:50:00 Z 09:00:00 seated',
  ]
  expect(await best('A', 'Z', 'max_walk=0&limit=1&when=2026-06-10T07:50:00%2B02:00&max_transfers=0')).toEqual(seated)
})

test('backward, riders take the earlier of two vehicles because it came from farther away, and stay seated twice', async () => {
  const { best } = await openJourneys({
    stops: { A: 0, B: 5000, C: 10_000, Z: 20_000 },
    trips: {
      'in-1': 'A 08:00, B 08:10',
      'mid-1': 'B 08:10, C 08:20',
      'out-1': 'C 08:20, Z 08:30',
      'mid-2': 'B 08:40, C 08:50',
      'out-2': 'C 08:50, Z 09:00',
    },
    blocks: { 'in-1': 'k', 'mid-1': 'k', 'out-1': 'k', 'mid-2': 'l', 'out-2': 'l' },
  })
  expect(await best('A', 'Z', 'max_walk=0&limit=1&arrive_by=2026-06-10T09:10:00%2B02:00&max_transfers=0')).toEqual([
    'in-1 A 08:00:00 B 08:10:00',
    'mid-1 B 08:10:00 C 08:20:00 seated',
    'out-1 C 08:20:00 Z 08:30:00 seated',
  ])
})
