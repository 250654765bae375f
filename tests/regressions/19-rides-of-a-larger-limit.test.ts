// Several sequences of rides can have the same departure and arrival. Tests that the planner chooses the one with the
// most time at changes. Once, with a larger limit, the planner made this choice only after further searches, and so
// showed other rides for the same journey.
import { expect, test } from 'bun:test'
import { openJourneys } from '../src/api/journey-lines.ts'

/**
 * The stops of the test's lines. Two lines leave I for H within a minute of each other and arrive together. Later trips
 * determine how far a search goes.
 */
const STOPS = `stop_id,stop_name,stop_lat,stop_lon
H,H,43.60324,2.243824
E,E,43.607749,2.241614
I,I,43.608517,2.237561
G,G,43.603111,2.238807
B,B,43.603019,2.24796
A,A,43.603516,2.254143
M,M,43.625423,2.25962
O,O,43.61402,2.244061
D,D,43.608364,2.24223
C,C,43.627689,2.261958
F,F,43.600959,2.253196
J,J,43.498172,2.37397
K,K,43.498362,2.376043
L,L,43.605415,2.242468
N,N,43.615615,2.240206`

test('three journeys are the first three of six, ride by ride', async () => {
  const { ask } = await openJourneys({
    stops: {},
    trips: {
      'm-26': 'N 13:34, H 13:44',
      'm-34': 'N 15:34, I 15:37, H 15:44',
      'm-37': 'L 16:10, H 16:28',
      'l-17': 'E 15:36, I 15:38, H 15:44',
      'l-19': 'G 16:42, A 16:50',
      'k-7': 'B 14:01, J 14:46',
      'k-9': 'H 16:00, J 16:46',
      'k-10': 'H 16:30, J 17:16',
      'k-12': 'F 18:32, J 19:16',
      'n-17': 'M 15:26, O 15:30, D 15:32, I 15:34',
      'n-18': 'M 15:51, D 15:57',
      'n-19': 'M 16:31, G 16:41',
    },
    files: { 'stops.txt': STOPS },
  })
  const ids = async (limit: number): Promise<string[]> => {
    const { body } = await ask('C', 'K', `when=2026-06-10T14:50:00%2B02:00&max_walk=500&limit=${limit}`)
    return body.data.map(({ id }: { readonly id: string }) => id)
  }
  // The third journey has a tight change, so the shorter list ends before it.
  const [three, six] = [await ids(3), await ids(6)]
  expect([three.length, six.length]).toEqual([2, 3])
  expect(three).toEqual(six.slice(0, 2))
})
