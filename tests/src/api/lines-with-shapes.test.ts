// Tests GET /v1/networks/{network}/lines?include=geometry. Each line must have the same shapes as when it is requested
// alone. Pages end early if they have many points. Together, they must contain all lines once and in order.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { smallFeed, textFeed } from '../../feeds/text-feed.ts'
import { randomFeed } from '../../indexes/random-feed.ts'
import { bySize, SEED } from '../../size.ts'
import { openApi } from './api-under-test.ts'

const RUNS = { seed: SEED, numRuns: bySize({ quick: 30, ci: 60, full: 2_000 }) }
const LINES = 5
const POINTS_OF_SHAPE = 2_400

type Api = Awaited<ReturnType<typeof openApi>>

/** Reads all pages; returns the lines, and the number of lines on each page. */
async function readPages(api: Api, query: string) {
  const lines: { id: string; shapes?: unknown[] }[] = []
  const counts: number[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const { status, body }: Awaited<ReturnType<Api['get']>> = await api.get(
      `/v1/networks/ville/lines?${query}${cursor === '' ? '' : `&cursor=${cursor}`}`,
    )
    expect({ status, count: body.meta.count, units: body.meta.units }).toEqual({
      status: 200,
      count: body.data.length,
      units: 1,
    })
    lines.push(...body.data)
    counts.push(body.data.length)
    cursor = body.meta.next_cursor
  }
  return { lines, counts }
}

async function compareLines(api: Api): Promise<void> {
  const plain = await readPages(api, 'limit=100')
  const { lines } = await readPages(api, 'limit=2&include=geometry')
  for (const { id, shapes } of lines) {
    const alone = await api.get(`/v1/lines/${encodeURIComponent(id)}?include=geometry`)
    expect(shapes).toEqual(alone.body.data.shapes)
  }
  expect(lines.map(({ shapes: _, ...line }) => line)).toEqual(plain.lines)
}

test('lines have the same shapes in a list as alone', async () => {
  await compareLines(await openApi())
  await fc.assert(
    fc.asyncProperty(randomFeed, async ({ files }) => {
      await compareLines(await openApi({ networks: [{ id: 'ville', feed: textFeed(files) }] }))
    }),
    RUNS,
  )
}, 120_000)

test('a page ends when it has many points, and the next one continues', async () => {
  const numbers = Array.from({ length: LINES }, (_, at) => at)
  const points = (line: number) =>
    Array.from({ length: POINTS_OF_SHAPE }, (_, at) => `s${line},48.58${String(at).padStart(4, '0')},7.7${line},${at}`)
  const api = await openApi({
    networks: [
      {
        id: 'ville',
        feed: smallFeed({
          'routes.txt': `route_id,route_short_name,route_type\n${numbers.map((line) => `L${line},${line},3`).join('\n')}`,
          'trips.txt': `route_id,service_id,trip_id,shape_id\n${numbers.map((line) => `L${line},daily,t${line},s${line}`).join('\n')}`,
          'stop_times.txt': `trip_id,arrival_time,departure_time,stop_id,stop_sequence\n${numbers
            .map((line) => `t${line},08:00:00,08:00:00,G,1\nt${line},08:10:00,08:10:00,P,2`)
            .join('\n')}`,
          'shapes.txt': `shape_id,shape_pt_lat,shape_pt_lon,shape_pt_sequence\n${numbers.flatMap(points).join('\n')}`,
        }),
      },
    ],
  })
  const { lines, counts } = await readPages(api, 'include=geometry')
  expect([lines.map(({ id }) => id), counts]).toEqual([numbers.map((line) => `ville:line:L${line}`), [3, 2]])
  await compareLines(api)
})
