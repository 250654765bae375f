// Tests how addresses are found by their ids, in files with streets that share an id, ids of unusual forms, and ids
// that are prefixes of others. Fails if a row's id does not lead to its house or street, or if any other string leads
// to a house or street.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { findAddress } from '../../../indexes/places/address-ids.ts'
import { buildAddressIndex } from '../../../indexes/places/address-index.ts'
import { type HouseIndex, houseId, streetOfHouse } from '../../../loaders/ban/addresses.ts'
import { textOf } from '../../../loaders/strings.ts'
import { type AddressRow, loadText, PRESENT_HEADER, presentRow, rowId } from '../../feeds/address-file.ts'
import { bySize, SEED } from '../../size.ts'

const RUNS = { seed: SEED, numRuns: bySize({ quick: 50, ci: 500, full: 5_000 }) }

/**
 * There are few different street ids. Some are prefixes of others, some occur in two postcodes, and some have unusual
 * forms.
 */
const row = fc.record({
  streetId: fc.constantFrom('75102_1', '75102_12', '75102_12_a', '75102', '2a004_éa', '75102_1_00001'),
  number: fc.nat({ max: 3 }),
  suffix: fc.option(fc.constantFrom('bis', 'a', 'bis_a'), { nil: undefined }),
  postcode: fc.constantFrom('75002', '75003'),
  ownId: fc.option(fc.string({ unit: fc.constantFrom('7', 'a', '_', 'é', '-'), minLength: 1, maxLength: 6 }), {
    freq: 4,
    nil: undefined,
  }),
})

test('each id leads to its address, and no other string does', async () => {
  const files = fc.uniqueArray(row, { selector: ({ ownId, ...made }) => ownId ?? toId(made), maxLength: 30 })
  await fc.assert(
    fc.asyncProperty(
      files,
      fc.string({ unit: fc.constantFrom('7', '5', '1', '0', '2', '_', 'a') }),
      async (rows, noise) => {
        const text = [PRESENT_HEADER, ...rows.map((each) => rowText(each)), ''].join('\n')
        const { addresses, ids } = buildAddressIndex((await loadText(text)).addresses)
        const known = new Map<string, number>()
        for (let house = 0 as HouseIndex; house < addresses.houses.count; house++) {
          known.set(houseId(addresses, streetOfHouse(addresses, house), house), house)
        }
        const streets = new Set(
          Array.from({ length: addresses.streets.count }, (_, at) =>
            textOf(addresses.strings, addresses.streets.id[at as never]),
          ),
        )
        for (const id of [...known.keys(), ...streets, noise, `${noise}_00001`, '']) {
          const found = findAddress(addresses, ids, id)
          if (streets.has(id) && id !== '')
            expect(textOf(addresses.strings, addresses.streets.id[found?.street as never])).toBe(id)
          else if (known.has(id)) expect(found && houseId(addresses, found.street, found.house as HouseIndex)).toBe(id)
          else expect(found).toBeUndefined()
        }
      },
    ),
    RUNS,
  )
})

type Row = typeof row extends fc.Arbitrary<infer Value> ? Value : never

const PLACE = { street: 'Rue', communeCode: '75102', commune: 'Paris', lat: 48, lon: 2 }

function addressRow({ suffix, ownId: _, ...rest }: Row): AddressRow {
  return { ...PLACE, ...rest, ...(suffix === undefined ? {} : { suffix }) }
}

function toId(made: Omit<Row, 'ownId'>): string {
  return rowId(addressRow({ ...made, ownId: undefined }))
}

function rowText(each: Row): string {
  const text = presentRow(addressRow(each))
  return each.ownId === undefined ? text : text.replace(/^[^;]*/, each.ownId)
}
