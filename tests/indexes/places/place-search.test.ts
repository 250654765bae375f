// Tests that the search finds what people mean. Each test checks a rule that an earlier version broke. For example:
// names count more than importance, house numbers are found in their streets, towns act as filters, typing errors are
// tolerated, and results stay while a user continues typing.
import { expect, test } from 'bun:test'
import { addressIndexColumns, findNearestHouse, openAddressIndex } from '../../../indexes/places/address-index.ts'
import { addressPlace } from '../../../indexes/places/address-places.ts'
import { parseQuery } from '../../../indexes/places/place-query.ts'
import { AddressSearch, type PlaceHit, StopSearch } from '../../../indexes/places/place-search.ts'
import { buildStopPlaces } from '../../../indexes/places/stop-places.ts'
import { townPlace } from '../../../indexes/places/town-places.ts'
import type { AreaIndex, StopIndex } from '../../../indexes/timetable/timetable.ts'
import type { TypedArray } from '../../../loaders/columns.ts'
import { encodeSnapshot, openSnapshot, SnapshotUnusable } from '../../../loaders/snapshot-file.ts'
import { textOf } from '../../../loaders/strings.ts'
import { type AddressRow, indexOf } from '../../feeds/address-file.ts'
import { dedent } from '../../feeds/text-feed.ts'
import { timetableOf } from '../built-feed.ts'
import { searchPlaces } from './all-steps.ts'

/** Houses on one street, each about ten meters north of the previous one. */
function street(name: string, numbers: readonly string[], at: Partial<AddressRow> = {}): AddressRow[] {
  return numbers.map((text, order) => {
    const [, digits = '', suffix] = /^(\d+)([a-z]*)$/.exec(text) ?? []
    const row = {
      streetId: `75102_${name.replaceAll(/[^a-z]/gi, '').slice(0, 9)}${at.postcode ?? ''}`,
      number: Number(digits),
      street: name,
      postcode: '75002',
      communeCode: '75102',
      commune: 'Paris 2e Arrondissement',
      lat: 48.869 + order / 10_000,
      lon: 2.331,
      ...at,
    }
    return suffix === undefined || suffix === '' ? row : { ...row, suffix }
  })
}

const LYON = { postcode: '69001', communeCode: '69381', commune: 'Lyon 1er Arrondissement', lat: 45.77, lon: 4.83 }
const index = await indexOf([
  ...street('Rue de la Paix', ['2', '12', '12bis', '14b']),
  ...street('Rue de la Paix', ['12', '99'], LYON),
  ...street('Rue de la Paix Prolongée', ['12', '13', '14', '15', '16', '17', '18', '19', '20']),
  ...street('Boulevard Saint-Germain', ['1', '3', '5', '7', '8']),
  ...street('Place du 8 Mai 1945', ['8', '9']),
  ...street('Avenue de l’Opéra', ['40', '41']),
  ...street('Rue de l’Hôpital', ['1']),
])
const addresses = new AddressSearch(index)
const timetable = await timetableOf({
  'agency.txt': dedent(`
    agency_id,agency_name,agency_url,agency_timezone
    A,A,https://a.example,Europe/Paris
  `),
  'stops.txt': dedent(`
    stop_id,stop_code,stop_name,stop_lat,stop_lon,location_type,parent_station
    opera,100,Opéra,48.871,2.332,1,
    opera-1,101,Opéra,48.8711,2.3321,0,opera
    opera-2,102,Opéra,48.8712,2.3322,0,opera
    grand,OPARA,Opéra Grand Hôtel,48.872,2.333,0,
    busy,,Gare de l’Opéra,48.873,2.334,0,
    hopital,,Hôpital,48.874,2.335,0,
  `),
  'routes.txt': dedent(`
    route_id,agency_id,route_short_name,route_type
    1,A,1,3
  `),
  'calendar_dates.txt': dedent(`
    service_id,date,exception_type
    S,20240101,1
  `),
  'trips.txt': dedent(`
    route_id,service_id,trip_id
    ${Array.from({ length: 9 }, (_, trip) => `1,S,T${trip}`).join('\n    ')}
    1,S,O
  `),
  'stop_times.txt': dedent(`
    trip_id,arrival_time,departure_time,stop_id,stop_sequence
    ${Array.from({ length: 9 }, (_, trip) => `T${trip},08:0${trip}:00,08:0${trip}:00,busy,1\n    T${trip},09:00:00,09:00:00,hopital,2`).join('\n    ')}
    O,08:00:00,08:00:00,opera-1,1
    O,08:10:00,08:10:00,opera-2,2
    O,08:20:00,08:20:00,grand,3
  `),
})
const network = new StopSearch(buildStopPlaces({ timetable, networkWords: 'Métro Paris', townAt: () => 'Paris' }))

function nameOf(hit: PlaceHit): string {
  if (hit.kind === 'address') return addressPlace(index.addresses, hit.street, hit.house).label
  if (hit.kind === 'town') return `town ${townPlace(index.towns, hit.town).label}`
  const { stops, areas, strings } = timetable
  const stopCount = stops.name.length
  return hit.number < stopCount
    ? `stop ${textOf(strings, stops.id[hit.number as StopIndex])}`
    : `area ${textOf(strings, areas.id[(hit.number - stopCount) as AreaIndex])}`
}

function find(text: string, near?: { lat: number; lon: number }, limit = 10): string[] {
  const hits = searchPlaces({ query: parseQuery(text), near, limit }, { stops: [network], addresses })
  expect(hits.every(({ score }) => score > 0 && score <= 1)).toBe(true)
  expect(hits.map(({ score }) => score)).toEqual(hits.map(({ score }) => score).sort((a, b) => b - a))
  return hits.map(nameOf)
}

test.each([
  ['12 Rue de la Paix 75002 Paris', '12 Rue de la Paix 75002 Paris'],
  ['12 rue de la paix paris', '12 Rue de la Paix 75002 Paris'],
  ['12 rue de la paix lyon', '12 Rue de la Paix 69001 Lyon'],
  ['12 rue de la paix 69', '12 Rue de la Paix 69001 Lyon'],
  ['12 r de la paix 69001', '12 Rue de la Paix 69001 Lyon'],
  ['paix 12 lyon rue', '12 Rue de la Paix 69001 Lyon'],
  ['99 rue de la paix', '99 Rue de la Paix 69001 Lyon'],
  ['12 bis rue de la paix', '12 bis Rue de la Paix 75002 Paris'],
  ['12bis rue de la paix', '12 bis Rue de la Paix 75002 Paris'],
  ['12 b rue de la paix', '12 bis Rue de la Paix 75002 Paris'],
  ['rue de la paix 12 bi', '12 bis Rue de la Paix 75002 Paris'],
  ['14 bis rue de la paix', '14B Rue de la Paix 75002 Paris'],
  ['bd st germain 8', '8 Boulevard Saint-Germain 75002 Paris'],
  ['8 b st-ger', '8 Boulevard Saint-Germain 75002 Paris'],
  ['8 place du 8 mai 1945', '8 Place du 8 Mai 1945 75002 Paris'],
  ['place du 8 mai 1945', 'Place du 8 Mai 1945 75002 Paris'],
  ['pl du 8 mai', 'Place du 8 Mai 1945 75002 Paris'],
  ['12 rue de la piax', '12 Rue de la Paix 75002 Paris'],
  ['12 rue de la paxi 75002', '12 Rue de la Paix 75002 Paris'],
  ['boulvard saint germian 8', '8 Boulevard Saint-Germain 75002 Paris'],
  ['12 rue de la paix 75002 paris france', '12 Rue de la Paix 75002 Paris'],
  ['av opera 40', '40 Avenue de l’Opéra 75002 Paris'],
  ['opera', 'area opera'],
  ['OPÉRA', 'area opera'],
  ['opera gr', 'stop grand'],
  ['opera grand hotel', 'stop grand'],
  ['102', 'stop opera-2'],
  ['100', 'area opera'],
  ['gare', 'stop busy'],
  ['hopital', 'stop hopital'],
  ['rue hopital', 'Rue de l’Hôpital 75002 Paris'],
  ['8 boulevardsaintgermain', '8 Boulevard Saint-Germain 75002 Paris'],
  ['8 BoulevardSaintGermain75002', '8 Boulevard Saint-Germain 75002 Paris'],
  ['boulevard saint ermain 8', '8 Boulevard Saint-Germain 75002 Paris'],
  ['bd st gremian 8', '8 Boulevard Saint-Germain 75002 Paris'],
  ['place du huit mai 1945', 'Place du 8 Mai 1945 75002 Paris'],
  ['station opera grand hotel', 'stop grand'],
  ['opera hotel grand', 'stop grand'],
  ['operas', 'area opera'],
  ['av de opera 40', '40 Avenue de l’Opéra 75002 Paris'],
])('%p means %p', (typed, meant) => {
  expect(find(typed)[0]).toBe(meant)
})

test('a house number missing from a street gives the street, ranked below streets that have it', () => {
  const found = find('99 rue de la paix')
  expect(found.slice(0, 2)).toEqual(['99 Rue de la Paix 69001 Lyon', 'Rue de la Paix 75002 Paris'])
})

test('an exact name comes before a busier one that starts with it', () => {
  // Nine trips call at the stop `busy`, named Gare de l’Opéra, and one trip at the area `opera`, named Opéra. The area
  // comes first, because its name fits better.
  const found = find('opera')
  expect(found.indexOf('area opera')).toBeLessThan(found.indexOf('stop busy'))
})

test('an area represents its stops with the same name', () => {
  expect(find('opera').filter((name) => name.includes('opera'))).toEqual(['area opera'])
})

test('an exact match of a code excludes misspelled names', () => {
  expect(find('opera').length).toBeGreaterThan(1)
  expect(find('opara')).toEqual(['stop grand'])
  expect(find('opira')[0]).toBe('area opera')
})

test('of streets with the same name, the nearer one is first', () => {
  expect(find('rue de la paix', { lat: 45.76, lon: 4.84 })[0]).toBe('Rue de la Paix 69001 Lyon')
  expect(find('rue de la paix', { lat: 48.86, lon: 2.34 })[0]).toBe('Rue de la Paix 75002 Paris')
})

test('no kind crowds out another', () => {
  const found = find('opera', undefined, 4)
  expect(found).toContain('Avenue de l’Opéra 75002 Paris')
  expect(found.length).toBe(4)
})

test('once its full street name has put an address on top, it stays in the list as letters are added', () => {
  for (const label of [
    '12 rue de la paix 75002 paris',
    '12 bis rue de la paix 75002 paris',
    '8 place du 8 mai 1945 75002',
  ]) {
    const full = label.indexOf(' 75002')
    const wanted = find(label.slice(0, full))[0] ?? ''
    for (let length = full; length <= label.length; length++) expect(find(label.slice(0, length))).toContain(wanted)
  }
})

test('an empty query finds nothing', () => {
  for (const text of ['', ' ', '…', '\0', '\u0301', '😀']) expect(find(text)).toEqual([])
})

test('typed coordinates are a point', () => {
  expect(parseQuery('48.85, 2.35').point).toEqual({ lat: 48.85, lon: 2.35 })
  expect(parseQuery(' 48.85 -2.35 ').point).toEqual({ lat: 48.85, lon: -2.35 })
  for (const text of ['12 75002', '98.5, 2.3', '48.85', '48.85, 2.35, 1'])
    expect(parseQuery(text).point).toBeUndefined()
})

test('an index read from its snapshot file gives the same results', () => {
  const file = Buffer.concat(encodeSnapshot({}, addressIndexColumns(index)))
  const opened = openAddressIndex(openSnapshot(new Uint8Array(file)).columns)
  expect(opened).toEqual(index)
  const again = new AddressSearch(opened)
  const requested = { query: parseQuery('12 rue de la paix'), near: undefined, limit: 5 }
  expect(again.search(requested)).toEqual(addresses.search(requested))
  const circle = { lat: 48.8691, lon: 2.3311, radiusMeters: 200 }
  expect(findNearestHouse(opened, circle)).toEqual(findNearestHouse(index, circle))
  expect(findNearestHouse(opened, { lat: 0, lon: 0, radiusMeters: 200 })).toBeUndefined()
})

test('an index with columns of another version is rejected by column name', () => {
  const refusalOf = (change: (columns: Map<string, TypedArray>) => void) => {
    const columns = new Map(addressIndexColumns(index))
    change(columns)
    return () => openAddressIndex(columns)
  }
  for (const name of addressIndexColumns(index).keys()) {
    const refusal = new SnapshotUnusable('other_version', `columns missing: ${name}`)
    expect(refusalOf((columns) => columns.delete(name))).toThrow(refusal)
  }
  const more = refusalOf((columns) => columns.set('streets.postbox', new Uint32Array(1)))
  expect(more).toThrow(new SnapshotUnusable('other_version', 'columns unknown: streets.postbox'))
  const inDegrees = refusalOf((columns) => columns.set('houses.lat', new Float64Array(1)))
  const change = 'columns of the wrong type: houses.lat is f64, not i32'
  expect(inDegrees).toThrow(new SnapshotUnusable('other_version', change))
})
