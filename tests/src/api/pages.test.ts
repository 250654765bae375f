// Tests the pages of lists. Whatever the page size, the pages together must contain the whole list in one order, each
// item once. Cursors from another list, damaged cursors and cursors with other filters must be refused. Fails if an
// item is repeated or lost, as with a wrong sort key.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { smallFeed } from '../../feeds/text-feed.ts'
import { openApi, openNetwork } from './api-under-test.ts'

/** Names that are equal, that are the same when folded, that contain numbers, or that are a part of another name. */
const NAMES = [
  'Rue 2',
  'Rue 10',
  'rue 2',
  'Rue 02',
  'Gare',
  'Gare',
  'Gare',
  'École',
  'École "B"',
  'Gare de l’Est',
  '10',
  '9',
  'Ω',
  '🚋 Tram',
]

function manyStops(withoutId = ''): string {
  const rows = NAMES.flatMap((name, order) =>
    ['a', 'A', 'b'].map((suffix) => {
      const quoted = `"${name.replaceAll('"', '""')}"`
      return `${suffix}${order},C${order},${quoted},${48.58 + (order % 5) / 10_000},${7.75 + (order % 3) / 10_000},0`
    }),
  )
  const kept = rows.filter((row) => !row.startsWith(`${withoutId},`))
  return `stop_id,stop_code,stop_name,stop_lat,stop_lon,location_type\n${kept.join('\n')}`
}

function manyLines(): string {
  const codes = ['1', '2', '2A', '10', 'N1', 'n1', '', '01', 'Ä', '1']
  const rows = codes.map(
    (code, order) => `L${order},${code},Line ${order},${order % 4},${order % 3 === 0 ? '' : order % 2}`,
  )
  return `route_id,route_short_name,route_long_name,route_type,route_sort_order\n${rows.join('\n')}`
}

/**
 * A feed with many lines and stops.
 * @param withoutId a stop to leave out
 */
const feed = (withoutId?: string) => {
  const lines = Array.from({ length: 10 }, (_, order) => order)
  return smallFeed({
    'stops.txt': manyStops(withoutId),
    'routes.txt': manyLines(),
    'trips.txt': `route_id,service_id,trip_id\n${lines.map((order) => `L${order},daily,t${order}`).join('\n')}`,
    'stop_times.txt': `trip_id,arrival_time,departure_time,stop_id,stop_sequence\n${lines
      .map((order) => `t${order},08:00:00,08:00:00,a${order},1\nt${order},08:10:00,08:10:00,b${order},2`)
      .join('\n')}`,
  })
}

const api = await openApi({
  networks: [
    { id: 'ville', feed: feed() },
    { id: 'other', feed: feed() },
  ],
})

const LISTS = [
  '/v1/networks/ville/lines?lang=fr',
  '/v1/networks/ville/lines?modes=tram,bus',
  '/v1/networks/ville/lines?q=line',
  '/v1/networks/ville/stops?lang=fr',
  '/v1/networks/ville/stops?kind=stop',
  '/v1/networks/ville/stops?q=g',
  '/v1/networks/ville/stops?q=rue&bbox=7.75,48.58,7.76,48.59',
  '/v1/networks/ville/stops?near=48.58,7.75&radius=5000',
  '/v1/networks/ville/stops?near=48.58,7.75&radius=50&q=e',
]

interface Row {
  readonly id: string
}

async function whole(list: string): Promise<Row[]> {
  const { body } = await api.get(`${list}&limit=100`)
  expect(body.meta.next_cursor).toBeNull()
  return body.data
}

for (const list of LISTS) {
  test(`${list} in pages of any sizes is the whole list`, async () => {
    const all = await whole(list)
    expect(all.length).toBeGreaterThan(0)
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 8 }), async (limits) => {
        const walked: Row[] = []
        let cursor: string | null = ''
        for (let page = 0; cursor !== null; page++) {
          const limit = limits[page % limits.length] ?? 1
          const answer = await api.get(`${list}&limit=${limit}${cursor === '' ? '' : `&cursor=${cursor}`}`)
          expect(answer.status).toBe(200)
          expect(answer.body.data.length).toBe(Math.min(limit, all.length - walked.length))
          walked.push(...answer.body.data)
          cursor = answer.body.meta.next_cursor
          const link = answer.headers.get('link')
          if (cursor === null) expect(link).toBeNull()
          else expect(link).toBe(`<http://api.test${list}&limit=${limit}&cursor=${cursor}>; rel="next"`)
        }
        expect(walked).toEqual(all)
      }),
      { numRuns: 40, seed: 7 },
    )
  })
}

test('lists are in the documented order', async () => {
  const codes = (await whole('/v1/networks/ville/lines?q=line')).map((line) => line.id.slice(-2))
  // Lines are ordered by sort order (0, 1, none), then by code in natural order, then by id.
  expect(codes).toEqual(['L2', 'L4', 'L8', 'L7', 'L1', 'L5', 'L6', 'L0', 'L9', 'L3'])
  const stops = await whole('/v1/networks/ville/stops?near=48.58,7.75&radius=5000&kind=stop')
  const distances = stops.map((stop) => ('distance_meters' in stop ? Number(stop.distance_meters) : Number.NaN))
  expect(distances).toEqual([...distances].sort((a, b) => a - b))
})

test('a cursor works across snapshots: it continues without repetition', async () => {
  const list = '/v1/networks/ville/stops?kind=stop'
  const first = await api.get(`${list}&limit=15`)
  const [network] = api.networks.list
  if (network?.current === undefined) throw new Error('the network has no snapshot')
  const before = network.current
  const last: string = first.body.data.at(-1).id
  const fresh = await openNetwork({ id: 'ville', feed: feed(last.split(':')[2]) })
  if (fresh.current === undefined) throw new Error('the new feed has no snapshot')
  network.current = { ...fresh.current, id: 'snap-2' }
  expect((await api.get(`/v1/stops/${last}`)).status).toBe(404)
  const second = await api.get(`${list}&limit=100&cursor=${first.body.meta.next_cursor}`)
  network.current = before
  const all = await whole(list)
  expect(second.body.data.map((stop: Row) => stop.id)).toEqual(all.slice(15).map((stop) => stop.id))
})

test('foreign, damaged and invented cursors are rejected, and never cause a failure', async () => {
  const cursorOf = async (path: string) => (await api.get(path)).body.meta.next_cursor
  const stops = await cursorOf('/v1/networks/ville/stops?limit=2')
  const decoded = JSON.parse(Buffer.from(stops, 'base64url').toString())
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const refused = [
    ['/v1/networks/ville/lines?', stops],
    ['/v1/networks/other/stops?', stops],
    ['/v1/networks/ville/stops?kind=stop', stops],
    ['/v1/networks/ville/stops?q=g', stops],
    ['/v1/networks/ville/stops?near=48,7', stops],
    ['/v1/networks/ville/alerts?', stops],
    ['/v1/alerts?networks=ville', stops],
    ['/v1/networks/ville/stops?', stops.slice(1)],
    ['/v1/networks/ville/stops?', `${stops}=`],
    ['/v1/networks/ville/stops?', 'null'],
    ['/v1/networks/ville/stops?', 'x'.repeat(3000)],
    ...[
      null,
      1,
      [],
      {},
      { ...decoded, v: 2 },
      { ...decoded, key: [] },
      { ...decoded, key: [1, 'x'] },
      { ...decoded, key: 'x' },
      { ...decoded, id: 1 },
      { ...decoded, key: [null, 1] },
    ].map((value) => ['/v1/networks/ville/stops?', encode(value)]),
  ]
  for (const [path, cursor] of refused) {
    const { status, body } = await api.get(`${path}&cursor=${cursor}`)
    expect({ path, cursor, status, reason: body.reason, param: body.param }).toEqual({
      path,
      cursor,
      status: 400,
      reason: 'transit_query_invalid',
      param: 'cursor',
    })
  }
  // Cursors with keys beyond the ends of the list are valid: they mean the position before the first or after the last
  // item.
  for (const [key, count] of [
    [['', -1e308], 100],
    [['\u{10ffff}', 1e308], 0],
  ] as const) {
    const { status, body } = await api.get(
      `/v1/networks/ville/stops?limit=100&cursor=${encode({ ...decoded, key, id: '' })}`,
    )
    expect(status).toBe(200)
    expect(Math.min(body.data.length, 1)).toBe(Math.min(count, 1))
  }
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: fc.constantFrom(...'abcXYZ019-_'), minLength: 1 }), async (cursor) => {
      expect((await api.get(`/v1/networks/ville/stops?cursor=${cursor}`)).status).toBe(400)
    }),
    { numRuns: 200, seed: 7 },
  )
})
