// Tests loading address files into columns. Fails if a layout is misread, if row or chunk order matters, if an invalid
// row is accepted or dropped silently, or if an id differs from its source.
import { expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import {
  type Addresses,
  type HouseIndex,
  houseId,
  houseSuffix,
  type StreetIndex,
  streetOfHouse,
} from '../../../loaders/ban/addresses.ts'
import { loadAddresses } from '../../../loaders/ban/load-addresses.ts'
import { FeedRefused } from '../../../loaders/feed-problems.ts'
import { textOf } from '../../../loaders/strings.ts'
import {
  type AddressRow,
  addressFile,
  loadText,
  PRESENT_HEADER,
  presentFile,
  presentRow,
  rowId,
} from '../../feeds/address-file.ts'
import { bySize, SEED } from '../../size.ts'

/** Time limit of the property test at size `full`. */
const MILLIS = 300_000

/** All houses as text, in the order of the columns. */
function listHouses(addresses: Addresses): string[] {
  const { communes, houses, streets, strings } = addresses
  return Array.from({ length: houses.count }, (_, at) => {
    const house = at as HouseIndex
    const street = streetOfHouse(addresses, house)
    const commune = streets.commune[street]
    return [
      houseId(addresses, street, house),
      houses.number[house],
      houseSuffix(addresses, house),
      textOf(strings, streets.name[street]),
      textOf(strings, streets.postcode[street]),
      textOf(strings, communes.code[commune]),
      textOf(strings, communes.name[commune]),
      houses.lat[house],
      houses.lon[house],
    ].join('|')
  })
}

/** The houses that these rows describe, as text in the form of `listHouses`, made without the loader. */
function listRows(rows: readonly AddressRow[]): string[] {
  return rows.map((row) =>
    [
      rowId(row),
      row.number,
      row.suffix ?? '',
      row.street,
      row.postcode,
      row.communeCode,
      row.commune,
      Math.round(row.lat * 1e7),
      Math.round(row.lon * 1e7),
    ].join('|'),
  )
}

const PAIX: AddressRow = {
  streetId: '75102_7079',
  number: 12,
  street: 'Rue de la Paix',
  postcode: '75002',
  communeCode: '75102',
  commune: 'Paris 2e Arrondissement',
  lat: 48.869215,
  lon: 2.331602,
}

const street = fc.record({
  streetId: fc.integer({ min: 0, max: 9999 }).map((code) => `01001_${String(code).padStart(4, '0')}`),
  street: fc.constantFrom('Rue de l’Église', 'Grande Rue', 'Allée des Tilleuls', 'Impasse Œuf', 'Rue du 8 Mai 1945'),
  postcode: fc.constantFrom('01400', '01500', ''),
  communeCode: fc.constantFrom('01001', '01002', '2A004'),
})
const COMMUNES: Readonly<Record<string, string>> = { '01001': 'L’Abergement', '01002': 'Ambérieu', '2A004': 'Ajaccio' }
const rows = fc
  .array(
    fc.record({
      of: street,
      number: fc.integer({ min: 0, max: 9999 }),
      suffix: fc.option(fc.constantFrom('bis', 'ter', 'a', 'b', 's1'), { nil: undefined }),
      lat: fc.integer({ min: 410_000_000, max: 510_000_000 }).map((units) => units / 1e7),
      lon: fc.integer({ min: 10_000_000, max: 90_000_000 }).map((units) => units / 1e7),
    }),
    { maxLength: 40 },
  )
  .map((list) =>
    list.map(({ of, suffix, ...rest }): AddressRow => {
      const row = { ...of, ...rest, commune: COMMUNES[of.communeCode] ?? '' }
      return suffix === undefined ? row : { ...row, suffix }
    }),
  )

test(
  'the result matches the rows, whatever their order and wherever the bytes are cut',
  async () => {
    await fc.assert(
      fc.asyncProperty(rows, fc.integer({ min: 1, max: 300 }), fc.boolean(), async (list, chunkBytes, isPacked) => {
        const keyOf = (row: AddressRow) => `${rowId(row)}${row.street}${row.postcode}${row.communeCode}`
        const distinct = [...new Map(list.toReversed().map((row) => [keyOf(row), row])).values()].reverse()
        const text = presentFile(list)
        const file = addressFile(isPacked ? gzipSync(text) : text, chunkBytes)
        const { addresses, problems } = await loadAddresses([file])
        expect(listHouses(addresses).sort()).toEqual(listRows(distinct).sort())
        const dropped = problems.list().reduce((sum, problem) => sum + problem.count, 0)
        expect(dropped).toBe(list.length - distinct.length)
        // The columns do not depend on the order of the rows.
        const { addresses: turned } = await loadText(presentFile(distinct.toReversed()))
        expect(listHouses(turned)).toEqual(listHouses(addresses))
      }),
      { seed: SEED, numRuns: bySize({ quick: 60, ci: 500, full: 5_000 }) },
    )
  },
  MILLIS,
)

test('streets are sorted by name, their houses by number and suffix', async () => {
  const { addresses } = await loadText(
    presentFile([
      { ...PAIX, number: 12, suffix: 'ter' },
      { ...PAIX, number: 3 },
      { ...PAIX, street: 'Place Vendôme', streetId: '75101_9889', number: 1 },
      { ...PAIX, number: 12 },
      { ...PAIX, number: 12, suffix: 'bis' },
    ]),
  )
  expect(listHouses(addresses).map((line) => line.split('|').slice(1, 4).join(' '))).toEqual([
    '1  Place Vendôme',
    '3  Rue de la Paix',
    '12  Rue de la Paix',
    '12 bis Rue de la Paix',
    '12 ter Rue de la Paix',
  ])
})

test('older layouts are read by their headers; their ids are kept', async () => {
  const first = [
    'id;nom_voie;id_fantoir;numero;rep;code_insee;code_post;alias;nom_ld;nom_afnor;libelle_acheminement;x;y;lon;lat;nom_commune',
    'ADRNIVX_0000000267362567;Rue de la Paix;7079;12;BIS;75102;75002;;;RUE DE LA PAIX;PARIS;0;0;2.331602;48.869215;Paris 2e Arrondissement',
  ].join('\n')
  const communal = [
    'cle_interop,commune_insee,commune_nom,voie_nom,numero,suffixe,position,x,y,long,lat',
    '75102_7079_00014,75102,Paris 2e Arrondissement,"Rue de la Paix, dite longue",14,,entrée,0,0,2.3317,48.8693',
  ].join('\n')
  const { addresses, problems } = await loadText(first, communal)
  expect(listHouses(addresses)).toEqual([
    'ADRNIVX_0000000267362567|12|bis|Rue de la Paix|75002|75102|Paris 2e Arrondissement|488692150|23316020',
    '75102_7079_00014|14||Rue de la Paix, dite longue||75102|Paris 2e Arrondissement|488693000|23317000',
  ])
  expect(problems.list()).toEqual([])
})

test('lieux-dits are streets without houses, at a separate place', async () => {
  const { addresses } = await loadText(
    [
      'id;nom_lieu_dit;code_postal;code_insee;nom_commune;code_insee_ancienne_commune;nom_ancienne_commune;x;y;lon;lat',
      '01001_b001;Les Granges;01400;01001;L’Abergement;;;0;0;4.9;46.15',
    ].join('\n'),
  )
  const only = 0 as StreetIndex
  const { streets, houses, strings } = addresses
  expect([houses.count, streets.count, textOf(strings, streets.name[only]), textOf(strings, streets.id[only])]).toEqual(
    [0, 1, 'Les Granges', '01001_b001'],
  )
  expect([streets.lat[only], streets.lon[only]]).toEqual([461_500_000, 49_000_000])
})

test('an invalid row is dropped and reported with rule, file, line, count and example', async () => {
  const row = presentRow(PAIX)
  const text = [
    PRESENT_HEADER,
    row,
    row,
    row.replace(';12;', ';douze;'),
    row.replace(';12;', ';70000;'),
    row.replace(';48.869215;', ';98.869215;'),
    row.replace(';2.331602;48.869215;', ';;;'),
    row.replace(';2.331602;48.869215;', ';0;0;'),
    row.replace(';Rue de la Paix;', ';;'),
    row.replace('75102_7079_00012;', ';'),
  ].join('\n')
  const { addresses, problems } = await loadText(text)
  expect(addresses.houses.count).toBe(1)
  expect(
    problems.list().map(({ rule, line, field, count, action }) => `${rule} ${line} ${field} ${count} ${action}`),
  ).toEqual([
    'duplicate_key 3 id 1 dropped_row',
    'invalid_integer 4 numero 1 dropped_row',
    'number_out_of_range 5 numero 1 dropped_row',
    'number_out_of_range 6 lat 1 dropped_row',
    'stop_without_location 7 lat 1 dropped_row',
    'point_near_origin 8 lat 1 dropped_row',
    'missing_required_field 9 nom_voie 1 dropped_row',
    'missing_required_field 10 id 1 dropped_row',
  ])
})

test('a file without addresses or a damaged gzip is rejected with a reason', async () => {
  const refusalOf = async (bytes: string | Uint8Array) => {
    try {
      await loadAddresses([addressFile(bytes)])
    } catch (error) {
      if (error instanceof FeedRefused) return error.problem.rule
      throw error
    }
    return 'loaded'
  }
  const packed = gzipSync(presentFile([PAIX]))
  expect(await refusalOf('stop_id,stop_name\n1,Paix\n')).toBe('missing_required_column')
  expect(await refusalOf('')).toBe('empty_file')
  expect(await refusalOf(packed.subarray(0, packed.length - 20))).toBe('unreadable_zip')
  const damaged = Uint8Array.from(packed)
  damaged.fill(0x55, 20, 60)
  expect(await refusalOf(damaged)).toBe('unreadable_zip')
})
