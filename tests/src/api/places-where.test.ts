// Tests where places are: near a point, within the region of a network, and when several places have the same name.
// Fails if a distant stop comes before a nearby one, if addresses in another city are found for a network, or if two
// rows look the same.
import { expect, test } from 'bun:test'
import { ServedAddresses } from '../../../src/places/served-addresses.ts'
import { type AddressRow, indexOf } from '../../feeds/address-file.ts'
import { smallFeed } from '../../feeds/text-feed.ts'
import { openApi } from './api-under-test.ts'

/**
 * Four towns, each with a house in a Rue de la Gare: Strasbourg, a village two kilometers away, a village ten
 * kilometers away, and Marseille.
 */
const AT: readonly (readonly [commune: string, postcode: string, lat: number, lon: number])[] = [
  ['Strasbourg', '67000', 48.58, 7.75],
  ['Ostwald', '67540', 48.566, 7.74],
  ['Geispolsheim', '67118', 48.52, 7.65],
  ['Marseille', '13001', 43.3, 5.37],
]
const addresses = new ServedAddresses(
  {
    index: await indexOf(
      AT.map(
        ([commune, postcode, lat, lon], at): AddressRow => ({
          streetId: `0000${at}_1`,
          number: 3,
          street: 'Rue de la Gare',
          postcode,
          communeCode: `0000${at}`,
          commune,
          lat,
          lon,
        }),
      ),
    ),
    id: 'ban1',
    madeAtMillis: 0,
  },
  ['BAN'],
)
/**
 * A network about 600 kilometers away. Some of its stops have the same names as stops of the first network, some have
 * the same name as each other, and one has no calls.
 */
const far = smallFeed({
  'stops.txt': `
    stop_id,stop_name,stop_lat,stop_lon,platform_code
    CA,Centre,43.3,5.37,
    CB,Centre,43.31,5.371,
    G,Gare,43.31,5.38,1
    P,Gare,43.29,5.36,2
    T,Centre,43.32,5.4,
    U,Station unused,43.3,5.4,`,
})
const api = await openApi({
  networks: [
    { id: 'nord', feed: smallFeed() },
    { id: 'sud', feed: far },
  ],
  addresses,
})
const STRASBOURG = 'near=48.58,7.75'
const MARSEILLE = 'near=43.3,5.37'

async function rows(query: string): Promise<{ id: string; label: string; network: string | null; score: number }[]> {
  const { status, body } = await api.get(`/v1/places?${query}`)
  expect(status).toBe(200)
  return body.data
}

test('near a point, no distant place comes before a nearby one, of any kind or network', async () => {
  for (const q of ['gare', 'centre', 'rue de la gare', '3 rue de la gare', 'gar', 'cen']) {
    for (const [near, isNear] of [
      [STRASBOURG, (lat: number) => lat > 48],
      [MARSEILLE, (lat: number) => lat < 44],
    ] as const) {
      const { body } = await api.get(`/v1/places?q=${encodeURIComponent(q)}&${near}`)
      const sides = body.data.map(({ lat }: { lat: number }) => isNear(lat))
      expect({ q, near, sides }).toEqual({ q, near, sides: [...sides].sort((a, b) => Number(b) - Number(a)) })
      expect(sides[0]).toBe(true)
    }
  }
})

test('a named town is used, however far', async () => {
  const [first] = await rows(`q=3%20rue%20de%20la%20gare%20marseille&${STRASBOURG}`)
  expect(first.id).toBe('ban:00003_1_00003')
  const [coded] = await rows(`q=3%20rue%20de%20la%20gare%2013001&${STRASBOURG}`)
  expect(coded.id).toBe('ban:00003_1_00003')
})

test('networks keep addresses in their own area: the hull of their stops and two kilometers around it', async () => {
  const addressesOf = async (query: string) =>
    (await rows(`q=3%20rue%20de%20la%20gare&providers=addresses&${query}`)).map(({ label }) => label.split(' ').at(-1))
  expect(await addressesOf('limit=20')).toEqual(['Strasbourg', 'Ostwald', 'Geispolsheim', 'Marseille'])
  expect(await addressesOf('networks=nord')).toEqual(['Strasbourg', 'Ostwald'])
  expect(await addressesOf('networks=sud')).toEqual(['Marseille'])
  expect(await addressesOf('networks=nord,sud')).toEqual(['Strasbourg', 'Ostwald', 'Marseille'])
  const towns = (await rows('q=13001&networks=nord')).map(({ label }) => label)
  expect(towns).toEqual([])
})

test('similar rows show their lines or platform', async () => {
  const labelsOf = async (q: string) =>
    (await rows(`q=${q}&networks=sud&providers=stops`)).map(({ id, label }) => `${id.slice(-2)} ${label}`).sort()
  expect(await labelsOf('centre')).toEqual([':T Centre (7)', 'CA Centre, Marseille', 'CB Centre (A 7)'])
  expect(await labelsOf('gare')).toEqual([':G Gare (1)', ':P Gare (2)'])
})

test('a stop without lines is not offered', async () => {
  const ids = (await rows('q=station%20unused')).map(({ id }) => id)
  expect(ids).toEqual([])
})

test('a town is a place, and can be an end of a journey', async () => {
  const [first] = await rows('q=marseille')
  expect(first).toMatchObject({
    id: 'ban:00003',
    kind: 'address',
    name: 'Marseille',
    label: '13001 Marseille',
    town: 'Marseille',
    network: null,
    stop_id: null,
  })
  const { body } = await api.get(`/v1/journeys?from=ban:00000&to=nord:stop:G&network=nord`)
  expect(body.data[0].sections[0].from_place).toMatchObject({ kind: 'address', label: '67000 Strasbourg' })
})
