// Tests the traffic in the operator's overview. The counts of all threads must be added up, routes without requests
// must be left out, and the busiest route must come first. Fails if status classes are confused, or if a thread is left
// out.
import { expect, test } from 'bun:test'
import { ROUTE_LIST } from '../../../src/contract/routes.ts'
import { allocateCounts } from '../../../src/metrics/count-memory.ts'
import { COUNTED_ROUTES, ThreadCounts } from '../../../src/metrics/thread-counts.ts'
import { readTraffic, trafficSection } from '../../../src/operator/traffic.ts'

const [FIRST = '', SECOND = ''] = COUNTED_ROUTES
const [FIRST_PATH = '', SECOND_PATH = ''] = ROUTE_LIST.map(({ path }) => path)

function answer(thread: ThreadCounts, path: string, status: number): void {
  thread.measured(path, () => new Response(null, { status }))(undefined)
}

test('responses of all threads, by route and status class, the busiest first', () => {
  const memory = allocateCounts(2)
  const [one, other] = [new ThreadCounts(memory, 0), new ThreadCounts(memory, 1)]
  expect(readTraffic(memory)).toEqual({ units: 0, routes: [] })
  expect(trafficSection(readTraffic(memory)).text).toContain('No requests since startup')
  answer(one, FIRST_PATH, 200)
  for (const status of [200, 304, 404, 503]) answer(other, SECOND_PATH, status)
  other.charged(3)
  const zero = { '2xx': 0, '3xx': 0, '4xx': 0, '5xx': 0 }
  expect(readTraffic(memory)).toEqual({
    units: 3,
    routes: [
      {
        route: SECOND,
        requests: 4,
        answers: { '2xx': 1, '3xx': 1, '4xx': 1, '5xx': 1 },
        mean_milliseconds: expect.any(Number),
      },
      { route: FIRST, requests: 1, answers: { ...zero, '2xx': 1 }, mean_milliseconds: expect.any(Number) },
    ],
  })
  const text = trafficSection(readTraffic(memory)).text
  expect([text.indexOf(SECOND) < text.indexOf(FIRST), text.includes('5 requests and 3 units')]).toEqual([true, true])
})
