// Tests that a query about a place searches only the networks around the place. Responses must equal the joined
// responses of all networks, each requested by name. The networks are found by a box around the search circle. Fails if
// the box misses a network, for example at a pole, at the antimeridian, at the edge of a network, or after a network
// was changed. Also fails if a network is credited but not shown.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { smallFeed } from '../../feeds/text-feed.ts'
import { bySize, SEED } from '../../size.ts'
import { openApi, openNetwork } from './api-under-test.ts'

const QUESTIONS = bySize({ quick: 300, ci: 1_000, full: 20_000 })

/** Centers of networks that overlap, are adjacent, are on the antimeridian, or are near the poles. */
const MIDDLES: readonly (readonly [lat: number, lon: number])[] = [
  [48.58, 7.75],
  [48.59, 7.77],
  [48.62, 7.75],
  [0, 179.995],
  [0, -179.995],
  [-17.5, 179.9999],
  [88.9, 10],
  [-88.9, -170],
  [3, 4],
]
/** Stops of the small feed, in degrees north and east of the network's center. */
const STOPS = { CA: [0, 0], CB: [0.0002, 0.0002], G: [0.005, -0.015], P: [-0.005, 0.02], T: [0.01, 0.01] } as const

function feedAround([lat, lon]: readonly [number, number]) {
  const rows = Object.entries(STOPS).map(([id, [north, east]]) => {
    const there = ((((lon + east + 180) % 360) + 360) % 360) - 180
    return `${id},Stop ${id},${Math.min(90, lat + north).toFixed(6)},${there.toFixed(6)}`
  })
  return smallFeed({ 'stops.txt': ['stop_id,stop_name,stop_lat,stop_lon', ...rows].join('\n') })
}

const settings = MIDDLES.map((middle, at) => ({ id: `n${at}`, feed: feedAround(middle) }))
const many = openApi({ networks: [...settings, { id: 'late' }] })

/** Places near the networks, and some anywhere. */
const places = fc
  .tuple(
    fc.constantFrom(...MIDDLES),
    fc.double({ min: -0.05, max: 0.05, noNaN: true }),
    fc.double({ min: -0.08, max: 0.08, noNaN: true }),
  )
  .map(([[lat, lon], north, east]) => {
    const there = ((((lon + east + 180) % 360) + 360) % 360) - 180
    return `${Math.max(-90, Math.min(90, lat + north)).toFixed(5)},${there.toFixed(5)}`
  })

interface Row {
  readonly network?: string
  readonly id?: string
  readonly distance_meters: number
  readonly stop?: { readonly network: string; readonly id: string }
}

const slugOf = ({ network, stop }: Row) => network ?? stop?.network ?? ''

for (const { path, most } of [
  { path: 'stops/nearby', most: 100 },
  { path: 'departures/nearby', most: 10 },
]) {
  test(`${QUESTIONS} responses of ${path} combine those of each network (seed ${SEED})`, async () => {
    const { get } = await many
    let shown = 0
    await fc.assert(
      fc.asyncProperty(places, fc.integer({ min: 50, max: 1500 }), async (near, radius) => {
        const requested = `/v1/${path}?near=${near}&radius=${radius}`
        const all = (await get(`${requested}&limit=${most}`)).body
        const alone = await Promise.all(
          settings.map(async ({ id }) => (await get(`${requested}&limit=${most}&networks=${id}`)).body.data as Row[]),
        )
        const order = (row: Row) => [row.distance_meters, slugOf(row), row.id ?? row.stop?.id ?? '']
        const texts = (rows: readonly Row[]) => rows.map((row) => order(row).join(' ')).sort()
        const joined = alone.flat()
        expect(all.data.length).toBe(Math.min(most, joined.length))
        if (joined.length <= most) expect(texts(all.data)).toEqual(texts(joined))
        const meters = (all.data as Row[]).map(({ distance_meters }) => distance_meters)
        expect(meters).toEqual(meters.toSorted((a, b) => a - b))
        const credits = [...new Set((all.data as Row[]).map((row) => `${slugOf(row)} data, open licence`))]
        expect(all.meta.attribution.toSorted()).toEqual(credits.toSorted())
        shown += all.data.length
      }),
      { numRuns: QUESTIONS, seed: SEED },
    )
    expect(shown).toBeGreaterThan(QUESTIONS / 10)
  })
}

describe('a query uses the current networks', () => {
  const idsAt = async (get: Awaited<typeof many>['get'], near: string) => {
    const { body, headers } = await get(`/v1/stops/nearby?near=${near}&radius=100`)
    return { ids: (body.data as { id: string }[]).map(({ id }) => id), tag: headers.get('etag') }
  }

  test('one that is added, moves and is removed', async () => {
    const { get, networks } = await openApi({ networks: settings.slice(0, 2) })
    const far = '10,10'
    expect((await idsAt(get, far)).ids).toEqual([])
    const coming = await openNetwork({ id: 'new', feed: feedAround([10, 10]) })
    networks.replace([...networks.list, coming])
    const come = await idsAt(get, far)
    expect(come.ids).toEqual(['new:stop:CA', 'new:stop:CB'])
    coming.current = (await openNetwork({ id: 'new', feed: feedAround([20, 20]) })).current
    networks.noteChange()
    expect((await idsAt(get, far)).ids).toEqual([])
    expect((await idsAt(get, '20,20')).ids).toEqual(['new:stop:CA', 'new:stop:CB'])
    networks.replace(networks.list.filter((network) => network !== coming))
    expect((await idsAt(get, '20,20')).ids).toEqual([])
  })

  test('one that had no snapshot yet', async () => {
    const { get, networks } = await openApi({ networks: [...settings.slice(0, 2), { id: 'late' }] })
    expect((await idsAt(get, '10,10')).ids).toEqual([])
    const [, , late] = networks.list
    if (late === undefined) throw new Error('one of three networks is missing')
    late.current = (await openNetwork({ id: 'late', feed: feedAround([10, 10]) })).current
    networks.noteChange()
    expect((await idsAt(get, '10,10')).ids).toEqual(['late:stop:CA', 'late:stop:CB'])
  })

  test('a change elsewhere leaves the response and its ETag unchanged', async () => {
    const { get, networks } = await openApi({ networks: settings })
    const before = await idsAt(get, '48.58,7.75')
    const last = networks.list.at(-1)
    if (last === undefined) throw new Error('a network is missing')
    last.current = (await openNetwork({ id: 'n8', feed: feedAround([5, 5]) })).current
    networks.noteChange()
    expect(await idsAt(get, '48.58,7.75')).toEqual(before)
  })
})

test('the nearest stops and journeys of a point are those of the networks around it', async () => {
  const { get } = await many
  const reverse = (await get('/v1/places/reverse?near=48.58,7.75')).body
  expect([...new Set(reverse.data.stops.map(({ network }: Row) => network))]).toEqual(['n0'])
  expect(reverse.meta.attribution).toEqual(['n0 data, open licence'])
  const point = (await get('/v1/places?q=48.58,7.75')).body
  expect(point.meta.attribution).toEqual(['n0 data, open licence'])
  const nowhere = await get('/v1/journeys?from=30,30&to=48.58,7.75')
  expect([nowhere.status, nowhere.body.reason]).toEqual([400, 'invalid_location'])
  const swapped = await get('/v1/journeys?from=7.75,48.58&to=48.58,7.75')
  expect(swapped.body.detail).toContain('look like lon,lat')
  const across = await get('/v1/journeys?from=0.005,179.98&to=0,179.995&when=2026-06-10T07:55:00%2B02:00')
  expect(['n3', 'n4']).toContain(across.body.meta.network)
})
