// Towns as a place set: each commune, its districts and its postcodes. Paris, Lyon and Marseille are one town each,
// although they consist of several communes. A district or a postcode of a town is found only if the query has a
// number, as in `75011` or `lyon 3`.
import { type Addresses, eachCommune, eachStreet, type StreetIndex } from '../../loaders/ban/addresses.ts'
import { type Column, NONE, nextIndex, sealColumn } from '../../loaders/columns.ts'
import { EMPTY_STRING, type StringIndex, type StringPool, StringPoolBuilder, textOf } from '../../loaders/strings.ts'
import { buildIdTable, findById, type IdSpan, type IdTable } from '../text/id-table.ts'
import { normalizeWords } from '../text/normalize.ts'
import type { AddressPlace } from './address-places.ts'
import { buildPlaceSet, type EntryIndex, entryAt, type PlaceSet, POSTCODE_DIGITS, parsePostcode } from './place-set.ts'
import { postalTown } from './postal-town.ts'

/** The towns as a place set, and their strings. */
export interface TownPlaces {
  readonly set: PlaceSet
  readonly strings: StringPool
  /** Place → INSEE code. Parts of a commune have the code of the commune. */
  readonly code: Column<EntryIndex, StringIndex>
  /** Place → its name as a commune: `Paris 2e Arrondissement`. */
  readonly name: Column<EntryIndex, StringIndex>
  /** Place → its name in postal addresses: `Paris`. */
  readonly town: Column<EntryIndex, StringIndex>
  /** Place → 1 if it is part of a town, otherwise 0. */
  readonly isPart: Column<EntryIndex>
  /** Finds places by code. */
  readonly ids: IdTable
}

/** The divided cities: a pattern for the codes of their communes, and the code and name of the whole city. */
const DIVIDED_CITIES: readonly (readonly [districts: RegExp, code: string, name: string])[] = [
  [/^751(?:0[1-9]|1\d|20)$/, '75056', 'Paris'],
  [/^132(?:0[1-9]|1[0-6])$/, '13055', 'Marseille'],
  [/^6938[1-9]$/, '69123', 'Lyon'],
]
/** A town with at least this many addresses has the highest importance. */
const LARGE_TOWN = 200_000

/** A town, or a part of a town, while its streets are collected. */
interface Gathered {
  readonly code: string
  readonly name: string
  readonly town: string
  /** Empty if the town has several postcodes. */
  readonly postcode: string
  readonly isPart: boolean
  readonly streets: StreetIndex[]
}

/** Builds the set. */
export function buildTownPlaces(addresses: Addresses): TownPlaces {
  const gathered = gatherTowns(addresses)
  const sorted = gathered.sort(
    (a, b) => compare(a.name, b.name) || compare(a.code, b.code) || compare(a.postcode, b.postcode),
  )
  const strings = new StringPoolBuilder()
  const names: string[] = []
  const entryOffset: number[] = []
  for (const [entry, { name }] of sorted.entries()) {
    if (name === names.at(-1)) continue
    names.push(name)
    entryOffset.push(entry)
  }
  entryOffset.push(sorted.length)
  const texts = (of: (town: Gathered) => string) =>
    sealColumn<EntryIndex, StringIndex>(Uint32Array.from(sorted, (town) => strings.internText(of(town))))
  const code = texts((town) => town.code)
  const name = texts((town) => town.name)
  const town = texts((each) => each.town)
  const centers = sorted.map(({ streets }) => centerOf(addresses, streets))
  const set = buildPlaceSet({
    names,
    entryOffset,
    // A place set finds towns by postcode, not places. So each place is also a town of its own.
    towns: sorted.map(() => ''),
    town: sealColumn(Uint32Array.from(sorted.keys())),
    postcode: sealColumn(Uint32Array.from(sorted, ({ postcode }) => parsePostcode(postcode))),
    importance: sealColumn(
      Uint8Array.from(sorted, ({ streets }) =>
        Math.min(255, (255 * Math.log1p(countHouses(addresses, streets))) / Math.log1p(LARGE_TOWN)),
      ),
    ),
    lat: sealColumn(Int32Array.from(centers, (street) => addresses.streets.lat[street])),
    lon: sealColumn(Int32Array.from(centers, (street) => addresses.streets.lon[street])),
  })
  const pool = strings.seal()
  return {
    set,
    strings: pool,
    code,
    name,
    town,
    ids: buildIdTable(sorted.length, (entry) => spanOf(pool, code[entryAt(entry)])),
    isPart: sealColumn(Uint8Array.from(sorted, ({ isPart }) => Number(isPart))),
  }
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other)
}

/**
 * Collects the streets of each commune. A commune with several postcodes has an additional entry for each postcode. For
 * a divided city, there is an entry for each commune and one for the whole city.
 */
function gatherTowns({ streets, communes, strings }: Addresses): Gathered[] {
  const byCommune: StreetIndex[][] = Array.from({ length: communes.count }, () => [])
  for (const street of eachStreet({ streets })) byCommune[streets.commune[street]].push(street)
  const gathered: Gathered[] = []
  const cities = new Map<string, Gathered>()
  for (const commune of eachCommune({ communes })) {
    const code = textOf(strings, communes.code[commune])
    const name = textOf(strings, communes.name[commune])
    const all = byCommune[commune]
    const byPostcode = Map.groupBy(all, (street) => streets.postcode[street])
    const [only] = byPostcode.size === 1 ? byPostcode.keys() : [EMPTY_STRING]
    const [, cityCode = '', city = ''] = DIVIDED_CITIES.find(([districts]) => districts.test(code)) ?? []
    const whole = {
      code,
      name,
      town: postalTown(name),
      streets: all,
      postcode: textOf(strings, only),
      isPart: city !== '',
    }
    if (normalizeWords(name).length === 0 || all.length === 0) continue
    gathered.push(whole)
    if (city !== '') {
      const known = cities.getOrInsertComputed(
        cityCode,
        (): Gathered => ({
          code: cityCode,
          name: city,
          town: city,
          postcode: '',
          isPart: false,
          streets: [],
        }),
      )
      for (const street of all) known.streets.push(street)
    } else if (byPostcode.size > 1) {
      for (const [postcode, part] of byPostcode) {
        if (postcode !== EMPTY_STRING)
          gathered.push({ ...whole, streets: part, postcode: textOf(strings, postcode), isPart: true })
      }
    }
  }
  return [...gathered, ...cities.values()]
}

function countHouses({ streets }: Addresses, all: readonly StreetIndex[]): number {
  return all.reduce((sum, street) => sum + streets.houseOffset[nextIndex(street)] - streets.houseOffset[street], 0)
}

/**
 * The street nearest to the center of all houses. The center itself may be outside the town; the street is always
 * inside. Computed on a flat map.
 */
function centerOf(addresses: Addresses, all: readonly StreetIndex[]): StreetIndex {
  const { streets } = addresses
  let [lat, lon, weights] = [0, 0, 0]
  for (const street of all) {
    const weight = 1 + countHouses(addresses, [street])
    lat += weight * streets.lat[street]
    lon += weight * streets.lon[street]
    weights += weight
  }
  const lonScale = Math.cos((lat / weights) * 1e-7 * (Math.PI / 180))
  const squareOf = (street: StreetIndex) =>
    (streets.lat[street] - lat / weights) ** 2 + ((streets.lon[street] - lon / weights) * lonScale) ** 2
  return all.reduce((nearest, street) => (squareOf(street) < squareOf(nearest) ? street : nearest))
}

/** The names, postcode and position of a town. */
export function townPlace({ set, strings, code, name, town }: TownPlaces, entry: EntryIndex): AddressPlace {
  const postcode = set.postcode[entry] === NONE ? '' : String(set.postcode[entry]).padStart(POSTCODE_DIGITS, '0')
  const townText = textOf(strings, town[entry])
  return {
    id: textOf(strings, code[entry]),
    name: textOf(strings, name[entry]),
    label: postcode === '' ? townText : `${postcode} ${townText}`,
    town: townText,
    postcode,
    lat: set.lat[entry] / 1e7,
    lon: set.lon[entry] / 1e7,
  }
}

/**
 * The town with a code; undefined if there is none. If parts of the town have the same code, returns the whole town.
 */
export function findTown({ code, ids, strings }: TownPlaces, wanted: string): EntryIndex | undefined {
  const bytes = new TextEncoder().encode(wanted)
  const isWanted = (entry: number) => textOf(strings, code[entryAt(entry)]) === wanted
  const found = findById(ids, { bytes, start: 0, end: bytes.length }, isWanted)
  return found === undefined ? undefined : entryAt(found)
}

function spanOf({ bytes, offsets }: StringPool, text: StringIndex): IdSpan {
  return { bytes, start: offsets[text], end: offsets[nextIndex(text)] }
}
