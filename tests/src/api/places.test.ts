// Tests places over HTTP: stops, areas and addresses in one list, filters, coordinates as a query, reverse geocoding,
// and the towns of stops. Compares whole responses, so a missing or additional member is an error.
import { expect, test } from 'bun:test'
import { ServedAddresses } from '../../../src/places/served-addresses.ts'
import { type AddressRow, indexOf } from '../../feeds/address-file.ts'
import { openApi } from './api-under-test.ts'

/** An address near the small feed's stops. */
const RUE: AddressRow = {
  streetId: '67482_1234',
  number: 12,
  street: 'Rue du Centre',
  postcode: '67000',
  communeCode: '67482',
  commune: 'Strasbourg',
  lat: 48.5801,
  lon: 7.7501,
}
const index = await indexOf([
  RUE,
  { ...RUE, number: 12, suffix: 'bis', lat: 48.5802 },
  { ...RUE, number: 40, lat: 48.6 },
])
const addresses = new ServedAddresses({ index, id: 'ban1', madeAtMillis: 0 }, ['BAN, open licence'])
const api = await openApi({ addresses })

const HOUSE = {
  id: 'ban:67482_1234_00012_bis',
  kind: 'address',
  name: '12 bis Rue du Centre',
  label: '12 bis Rue du Centre 67000 Strasbourg',
  lat: 48.5802,
  lon: 7.7501,
  network: null,
  stop_id: null,
  town: 'Strasbourg',
  postcode: '67000',
  source: 'ban',
}

async function ids(query: string): Promise<string[]> {
  const { status, body } = await api.get(`/v1/places?${query}`)
  expect(status).toBe(200)
  return body.data.map((place: { id: string }) => place.id)
}

test('an address by its words', async () => {
  const { body } = await api.get('/v1/places?q=12%20bis%20r%20du%20centre&providers=addresses')
  const [{ score, ...first }] = body.data
  expect(first).toEqual(HOUSE)
  expect(score).toBeGreaterThan(0.9)
  expect(body.meta).toEqual({
    generated_at: '2026-06-10T06:00:00Z',
    units: 1,
    freshness: 'scheduled',
    count: 1,
    limit: 10,
    attribution: ['BAN, open licence'],
    sources: [{ id: 'ban', fetched_at: '1970-01-01T00:00:00Z', age_seconds: 1_781_071_200, freshness: 'scheduled' }],
  })
})

test('stops and addresses in one list, or one kind of them', async () => {
  const both = await ids('q=centre')
  expect(both.some((id) => id.startsWith('ville:'))).toBe(true)
  expect(both).toContain('ban:67482_1234')
  expect((await ids('q=centre&providers=stops')).every((id) => id.startsWith('ville:'))).toBe(true)
  expect(await ids('q=centre&providers=addresses')).toEqual(['ban:67482_1234'])
  expect(await ids('q=centre&providers=stops,addresses')).toEqual(both)
  expect(await ids('q=centre&limit=1')).toEqual(both.slice(0, 1))
})

test('a stop has its id, its town and a label from both', async () => {
  const { body } = await api.get('/v1/places?q=centre&providers=stops')
  const [first] = body.data
  expect(first).toMatchObject({
    stop_id: first.id,
    network: 'ville',
    postcode: null,
    source: 'store',
    town: 'Strasbourg',
    label: `${first.name}, Strasbourg`,
  })
  const stop = await api.get(`/v1/stops/${first.id}`)
  expect(stop.body.data.town).toBe('Strasbourg')
})

test('typed coordinates find what is near them, like a reverse search', async () => {
  const typed = await ids('q=48.5801,%207.7501')
  expect(typed[0]).toBe('ban:67482_1234_00012')
  const { body } = await api.get('/v1/places/reverse?near=48.5801,7.7501')
  expect(body.data.address).toEqual({
    id: 'ban:67482_1234_00012',
    kind: 'address',
    label: '12 Rue du Centre 67000 Strasbourg',
    lat: 48.5801,
    lon: 7.7501,
    source: 'ban',
    distance_meters: 0,
  })
  expect(body.data.stops.map((stop: { id: string }) => stop.id).sort()).toEqual(typed.slice(1).sort())
  const distances = body.data.stops.map((stop: { distance_meters: number }) => stop.distance_meters)
  expect(distances).toEqual([...distances].sort((a: number, b: number) => a - b))
  expect(Object.keys(body.data.stops[0])).toEqual(['id', 'kind', 'name', 'lat', 'lon', 'network', 'distance_meters'])
})

test('far from everything, there is no address and no stop', async () => {
  const { body } = await api.get('/v1/places/reverse?near=0,0')
  expect(body.data).toEqual({ address: null, stops: [] })
})

test('an unknown name has no match; an unknown network is not found', async () => {
  const { body } = await api.get('/v1/places?q=zzzz')
  expect([body.data, body.meta.reason]).toEqual([[], 'no_matches'])
  for (const providers of ['stops', 'addresses']) {
    expect((await api.get(`/v1/places?q=a&networks=nope&providers=${providers}`)).status).toBe(404)
  }
  expect((await api.get('/v1/places')).body.reason).toBe('transit_query_invalid')
  expect((await api.get('/v1/places/reverse')).body.reason).toBe('transit_query_invalid')
})

test('without addresses, stops are still found', async () => {
  const bare = await openApi()
  const { body } = await bare.get('/v1/places?q=centre')
  expect(body.data.length).toBeGreaterThan(0)
  expect(
    body.data.every((place: { source: string; town: string }) => place.source === 'store' && place.town === ''),
  ).toBe(true)
  expect((await bare.get('/v1/places/reverse?near=48.58,7.75')).body.data.address).toBeNull()
})
