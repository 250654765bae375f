// Tests journeys in a network with a street map. Walks must follow streets, and responses must report this. Places far
// from any street have straight walks. Networks without a map must have the same responses as if street maps did not
// exist. Fails if a walk crosses the river, if the drawn length of a walk differs from the stated length, or if the
// response for a network without a map has additional members.
import { expect, test } from 'bun:test'
import { greatCircleMeters } from '../../../indexes/spatial/great-circle.ts'
import { loadMap, MadeStreets, readMap } from '../../indexes/streets/made-streets.ts'
import { giveStreets } from './given-streets.ts'
import { latOf, openJourneys, pointAt } from './journey-lines.ts'

/** Stops are on the meridian. The street goes around a lake, and a river runs between R and S. */
const MAP = `
  N0 0 -500
  N1 0 0
  N2 300 0
  N3 300 600
  N4 0 600
  N5 0 3000
  N6 0 3060
  N7 400 3000
  N8 400 3060
  N9 0 3500
  N0-N1-N2-N3-N4 highway=residential name=Lake_Road
  N4-N5 highway=footway name=Promenade
  N5-N7 highway=residential name=South_Bank
  N7-N8 highway=steps
  N6-N8 highway=residential name=North_Bank
  N6-N9 highway=residential name=Hill_Road`

const FEED = {
  stops: { A: 10, B: 590, R: 3000, S: 3060, T: 9000, U: 9100 },
  trips: { 'x-1': 'A 08:30, R 08:40', 'y-1': 'S 08:50, T 09:00', 'z-1': 'U 09:10, B 09:30', 'x-2': 'A 09:30, R 09:40' },
}

async function openStreets(map = MAP, feed: Parameters<typeof openJourneys>[0] = FEED) {
  const api = await openJourneys(feed)
  const [network] = api.networks.list
  if (network === undefined) throw new Error('there is no network')
  giveStreets(network, new MadeStreets(loadMap(readMap(map))))
  return { ...api, network }
}

interface Walk {
  readonly distance_meters: number
  readonly walk_source: string
  readonly geometry: { readonly coordinates: readonly (readonly [number, number])[] }
  readonly steps?: readonly { readonly name: string | null; readonly distance_meters: number; readonly kind: string }[]
}

function lengthOf({ geometry: { coordinates } }: Walk): number {
  return coordinates.slice(1).reduce((sum, [lon, lat], at) => {
    const [fromLon, fromLat] = coordinates[at] ?? [0, 0]
    return sum + greatCircleMeters(fromLat, fromLon, lat, lon)
  }, 0)
}

const walksOf = (body: { data: readonly { sections: readonly { kind: string }[] }[] }) =>
  body.data.flatMap(({ sections }) => sections.filter(({ kind }) => kind === 'walk')) as unknown as Walk[]

test('walks to and from stops follow the streets and list them', async () => {
  const { ask } = await openStreets()
  const { body } = await ask(pointAt(605), 'R', 'include=geometry,steps&limit=1&max_walk=1500')
  const [walk] = walksOf(body)
  // 5 m along the promenade, 300 + 600 + 300 m around the lake to the corner N1, and 10 m from N1 to A.
  expect(walk).toMatchObject({
    walk_source: 'streets',
    distance_meters: 5 + 1200 - 10 + 20,
    steps: [
      { name: 'Promenade', distance_meters: 5, kind: 'street' },
      { name: 'Lake Road', distance_meters: 1210, kind: 'street' },
    ],
  })
  const { coordinates } = walk?.geometry ?? { coordinates: [] }
  expect(coordinates.length).toBeGreaterThan(4)
  expect(coordinates[0]).toEqual([7.5, Number(Number(latOf(605)).toFixed(6))])
  expect(coordinates.at(-1)).toEqual([7.5, Number(Number(latOf(10)).toFixed(6))])
  for (const each of walksOf(body)) {
    expect(Math.abs(lengthOf(each) - each.distance_meters)).toBeLessThan(2 + each.distance_meters / 100)
  }
  expect(body.meta.attribution).toEqual(['ville data, open licence', '© OpenStreetMap contributors'])
})

test('a walk all the way follows the streets, and there is none if it is too long', async () => {
  const { lines } = await openStreets()
  expect(await lines(pointAt(2_000), pointAt(2_400), 'limit=1')).toEqual([[expect.stringMatching(/^walk 400 m /)]])
  // The walk leads around the lake, so it is longer than the default limit.
  expect(await lines(pointAt(0), pointAt(600), 'limit=1')).toEqual([])
  expect((await lines(pointAt(0), pointAt(600), 'limit=1&max_walk=1300'))[0]).toEqual([
    expect.stringMatching(/^walk 1200 m /),
  ])
})

test('transfers use a bridge, and do not cross the river', async () => {
  const { lines } = await openStreets()
  // From R to S, the walk by the stairs is 400 + 60 + 400 m, which exceeds the transfer limit.
  expect(await lines('A', 'T', 'max_walk=500')).toEqual([])
  const bridge = `${MAP}\n  N5-N6 highway=footway bridge=yes name=Bridge`
  const over = await openStreets(bridge)
  expect((await over.lines('A', 'T', 'max_walk=500&limit=1'))[0]).toEqual([
    'x-1 A 08:30:00 R 08:40:00',
    'walk 60 m R 08:40:00 S 08:40:50',
    'y-1 S 08:50:00 T 09:00:00',
  ])
  const { body } = await over.ask('A', 'T', 'max_walk=500&limit=1&include=steps')
  expect(walksOf(body)[0]?.steps).toEqual([{ name: 'Bridge', distance_meters: 60, kind: 'street' }])
})

test('walks to stops and places without a street are straight lines', async () => {
  const { lines, ask, get } = await openStreets()
  // T and U are far from any street.
  const best = (await lines('S', 'B', 'max_walk=500&limit=1'))[0]
  expect(best?.[1]).toMatch(/^walk 130 m T 09:00:00 U /)
  const { body } = await ask('S', 'B', 'max_walk=500&limit=1&include=geometry,steps')
  const [walk] = walksOf(body)
  expect([walk?.walk_source, walk?.steps, walk?.geometry.coordinates.length]).toEqual(['straight', undefined, 2])
  expect(body.meta.attribution).toEqual(['ville data, open licence'])
  const network = await get('/v1/networks/ville')
  expect(network.body.data.walks).toBe('mixed')
})

test('without steps: stairs are avoided, and walks say what is known about them', async () => {
  const stairs = `${MAP.replace('N7-N8 highway=steps', 'N5-N6 highway=steps')}\n  N1-N4 highway=footway wheelchair=yes name=Level`
  const { lines, ask } = await openStreets(stairs)
  expect((await lines('A', 'T', 'max_walk=500&limit=1'))[0]?.[1]).toStartWith('walk 60 m R')
  expect(await lines('A', 'T', 'max_walk=500&wheelchair=true')).toEqual([])
  const on = async (from: number, to: number) => {
    const { body } = await ask(pointAt(from), pointAt(to), 'max_walk=900&limit=1&wheelchair=true')
    return body.data[0].sections.map(({ kind, wheelchair }: { kind: string; wheelchair: string }) => [kind, wheelchair])
  }
  expect(await on(100, 300)).toEqual([['walk', 'yes']])
  expect(await on(100, 700)).toEqual([['walk', 'unknown']])
})

test('a journey requested again has the same walks', async () => {
  const { ask, get } = await openStreets()
  const first = await ask(pointAt(605), 'R', 'include=geometry,steps&limit=1&max_walk=1500')
  const [journey] = first.body.data
  const again = await get(`/v1/journeys/${encodeURIComponent(journey.id)}?include=geometry,steps`)
  expect(again.body.data).toEqual(journey)
  expect(again.body.meta.attribution).toEqual(first.body.meta.attribution)
})

test('the status describes the streets, and the nearest street is named if there is no address', async () => {
  const { get, network } = await openStreets()
  const status = async () => (await get('/v1/status')).body.meta.streets
  expect(await status()).toEqual({
    built_at: '1970-01-01T00:00:00Z',
    extract_timestamp: '2023-11-14T22:13:20Z',
    kilometers: 5,
    stops_linked: 4,
    stops_unlinked: 2,
    last_error: null,
  })
  const near = async (meters: number) => (await get(`/v1/places/reverse?near=${pointAt(meters)}`)).body
  expect((await near(2_000)).data.street).toEqual({ name: 'Promenade', distance_meters: 0 })
  expect((await near(2_000)).meta.attribution).toContain('© OpenStreetMap contributors')
  expect((await near(3_690)).data.street).toEqual({ name: 'Hill Road', distance_meters: 190 })
  expect((await near(3_710)).data).toMatchObject({ street: null })
  network.streets = undefined
  network.streetsError = { atMillis: 0, source: 'streets', reason: 'extract_damaged', message: '/secret/path' }
  const { get: getAgain, networks } = await openJourneys(FEED)
  Object.assign(networks.list[0] ?? {}, network)
  const failed = (await getAgain('/v1/status')).body.meta.streets
  expect(failed).toMatchObject({ built_at: null, stops_linked: 0, last_error: { reason: 'extract_damaged' } })
  expect(JSON.stringify(failed)).not.toContain('secret')
})

test('a network without streets has none of this, and rejects the parameter', async () => {
  const { ask, get } = await openJourneys(FEED)
  const answers = await Promise.all([
    ask(pointAt(605), 'R', 'include=geometry&limit=1&max_walk=1500'),
    get('/v1/status'),
    get('/v1/networks/ville'),
    get(`/v1/places/reverse?near=${pointAt(0)}`),
  ])
  for (const { text, status } of answers) {
    expect([status, /walk_source|"steps"|street|"walks"|wheelchair/.test(text)]).toEqual([200, false])
  }
  const [steps, unknown] = [await ask('A', 'R', 'include=calls,steps'), await ask('A', 'R', 'include=calls,stairs')]
  expect(steps.status).toBe(400)
  const plain = ({ text }: { text: string }) =>
    text.replaceAll('steps', 'stairs').replace(/"(instance|request_id)":"[^"]*"/g, '')
  expect(plain(steps)).toBe(plain(unknown))
})
