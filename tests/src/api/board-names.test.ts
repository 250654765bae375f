// Tests unusual names of lines, directions, headsigns and areas in feeds. Fails if a board shows an empty line code or
// a train number as a destination, or if two spellings of one name become two places.
import { expect, test } from 'bun:test'
import { textFeed } from '../../feeds/text-feed.ts'
import { sketchFeed } from '../../indexes/built-feed.ts'
import { openApi } from './api-under-test.ts'

const STOPS = { A: '48.1,7,Gare', B: '48.2,7,Port', C: '48.3,7,Lac' }
const TRIPS = [
  { id: 'out', calls: 'A B C', direction: 0, hour: 9 },
  { id: 'back', calls: 'C B A', direction: 1, hour: 9 },
] as const

/**
 * Opens the API on a feed with these rows in routes.txt. Each line has one trip from A to C, at a different hour for
 * each line.
 */
async function apiOfRoutes(routes: readonly string[]) {
  const ids = routes.map((route) => route.split(',')[0] ?? '')
  const trips = ids.map((route, at) => ({ id: route, calls: 'A B C', route, hour: 9 + at }))
  const routesText = ['route_id,route_short_name,route_long_name,route_type', ...routes].join('\n')
  const feed = { ...sketchFeed({ stops: STOPS, trips }), 'routes.txt': routesText }
  return openApi({ networks: [{ id: 'ville', feed: textFeed(feed) }], now: '2026-06-03T06:30:00Z' })
}

test('a line without a short name has its long one as its code, everywhere', async () => {
  const { get } = await apiOfRoutes(['x,,Tour du Lac,3', 'y,7,Port,3'])
  const codes = async (path: string) => (await get(path)).body.data.map((each: { code: string }) => each.code)
  expect(await codes('/v1/networks/ville/lines')).toEqual(['Tour du Lac', '7'])
  const { data } = (await get('/v1/stops/ville:stop:A')).body
  expect(data.lines.map(({ code }: { code: string }) => code)).toEqual(['Tour du Lac', '7'])
  const board = (await get('/v1/stops/ville:stop:A/departures?horizon=180')).body.data
  expect(board.map((row: { line_code: string }) => row.line_code)).toEqual(['Tour du Lac', '7'])
  const near = (await get('/v1/departures/nearby?near=48.1,7&horizon=60')).body.data
  expect(near[0].departures.map((row: { line_code: string }) => row.line_code)).toEqual(['Tour du Lac'])
})

test('lines are ordered by the short names of the feed, page by page', async () => {
  // Sorted by the displayed codes, the order would be Anneau (b), Boucle (a), 10, 9.
  const { get } = await apiOfRoutes(['a,,Boucle,3', 'b,,Anneau,3', 'c,10,Aller,3', 'd,9,Zoo,3'])
  const seen: string[] = []
  for (let cursor = ''; ; ) {
    const { data, meta } = (await get(`/v1/networks/ville/lines?limit=1${cursor}`)).body
    seen.push(...data.map(({ code }: { code: string }) => code))
    if (meta.next_cursor === null || meta.next_cursor === undefined) break
    cursor = `&cursor=${meta.next_cursor}`
  }
  expect(seen).toEqual(['Boucle', 'Anneau', '9', '10'])
})

async function headsignsOf(headsigns: readonly string[]) {
  const trips = headsigns.map((headsign, at) => ({ id: `t${at}`, calls: 'A B C', direction: 0, hour: 9, headsign }))
  const feed = textFeed(sketchFeed({ stops: STOPS, trips: trips.map((trip) => ({ ...trip, direction: 0 as const })) }))
  const { get } = await openApi({ networks: [{ id: 'ville', feed }], now: '2026-06-03T06:00:00Z' })
  const { data } = (await get('/v1/stops/ville:stop:A/departures?horizon=180&limit=50')).body
  const line = (await get('/v1/lines/ville:line:L')).body.data
  return {
    board: data.map((row: { headsign: string }) => row.headsign),
    direction: line.directions[0].headsign,
  }
}

test('train numbers in place of headsigns are replaced by the last stop', async () => {
  expect(await headsignsOf(['8501', '8503', '8505', '8507', 'Bordeaux'])).toEqual({
    board: ['Lac', 'Lac', 'Lac', 'Lac', 'Bordeaux'],
    direction: 'Lac',
  })
})

test('digits stay a headsign if they are one number, or fewer than four in five', async () => {
  expect((await headsignsOf(['42', '42', '42'])).board).toEqual(['42', '42', '42'])
  expect((await headsignsOf(['8501', '8503', '8505', 'Port'])).board).toEqual(['8501', '8503', '8505', 'Port'])
})

test('directions have the names in directions.txt, else those of their stations', async () => {
  const feed = {
    ...sketchFeed({ stops: STOPS, trips: TRIPS }),
    'stops.txt': `stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station
      A,Voie 3,48.1,7,0,SA
      SA,Gare,48.1,7,1,
      B,Port,48.2,7,0,
      C,Lac quai B,48.3,7,0,SC
      SC,Lac,48.3,7,1,`,
    'directions.txt': 'route_id,direction_id,direction\nL,1,Inbound\nother,0,Outbound',
  }
  const { get } = await openApi({ networks: [{ id: 'ville', feed: textFeed(feed) }], now: '2026-06-03T06:00:00Z' })
  const { directions } = (await get('/v1/lines/ville:line:L')).body.data
  expect(directions.map(({ name }: { name: string }) => name)).toEqual(['Gare - Lac', 'Inbound'])
})

test('stops whose names differ only in marks, case and spaces form one area, named after the smallest member', async () => {
  const stops = { b: '48.1001,7.0002,Place  de la Liberte', a: '48.1,7,place de la LIBERTÉ', Z: '48.2,7,Lac' }
  const feed = sketchFeed({
    stops,
    trips: [
      { id: 'out', calls: 'a Z', direction: 0 },
      { id: 'back', calls: 'Z b', direction: 1 },
    ],
  })
  const { get } = await openApi({ networks: [{ id: 'ville', feed: textFeed(feed) }], now: '2026-06-03T06:00:00Z' })
  const { data } = (await get('/v1/stops/ville:area:auto-a')).body
  expect(data).toMatchObject({ id: 'ville:area:auto-a', name: 'place de la LIBERTÉ' })
  expect((await get('/v1/stops/ville:stop:b')).body.data.parent_id).toBe('ville:area:auto-a')
})
