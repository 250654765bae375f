// The demo city's addresses: houses on both sides of every street, in the current format of the Base Adresse Nationale.
// They depend only on the seed, like the rest of the city.
import type { CityStreet } from './city.ts'
import { below, type Random, seededRandom } from './seeded-random.ts'

/** Approximate number of addresses in a city. */
export const CITY_ADDRESSES = 20_000

const HEADER = [
  'id;id_fantoir;numero;rep;nom_voie;code_postal;code_insee;nom_commune;code_insee_ancienne_commune;nom_ancienne_commune',
  'x;y;lon;lat;type_position;alias;nom_ld;libelle_acheminement;nom_afnor;source_position;source_nom_voie',
  'certification_commune;cad_parcelles',
].join(';')
/**
 * The first commune code of the demo. INSEE uses codes from 99 001 upward only for places abroad, so no real commune
 * has such a code.
 */
const FIRST_CODE = 99_001
const FIRST_POSTCODE = 99_010
const POSTCODE_STEP = 10
/** Distance of houses from the middle of the street, in meters. */
const HOUSE_METERS = 11
/** On average, one house in this many has a second address with the suffix `bis`. */
const PLACES_PER_BIS = 24
/** On average, one plot in this many has no house. */
const PLACES_PER_GAP = 9
const METERS_PER_DEGREE = 111_195
const DEGREE_DIGITS = 6

/** Returns the addresses as CSV: a header, then one row per address. */
export function writeAddresses(seed: number, streets: readonly CityStreet[]): string {
  const random = seededRandom(seed, 'addresses')
  const communes = [...new Set(streets.map(({ commune }) => commune))].sort()
  const lengths = streets.map(({ points }) => lengthOf(points))
  const total = lengths.reduce((sum, length) => sum + length, 0)
  const kept = (1 - 1 / PLACES_PER_GAP) * (1 + 1 / PLACES_PER_BIS)
  // distance between neighboring plots on one side of a street; each side has half of the houses
  const stepMeters = (2 * total * kept) / CITY_ADDRESSES
  const rows = [HEADER]
  for (const [ordinal, street] of streets.entries()) {
    const commune = communes.indexOf(street.commune)
    const code = FIRST_CODE + commune
    const write = (house: House) => {
      const { number, suffix, lat, lon } = house
      const tail = suffix === '' ? '' : `_${suffix}`
      const id = `${code}_${String(ordinal).padStart(4, '0')}_${String(number).padStart(5, '0')}${tail}`
      const postcode = FIRST_POSTCODE + commune * POSTCODE_STEP
      const place = `${lon.toFixed(DEGREE_DIGITS)};${lat.toFixed(DEGREE_DIGITS)};entrée`
      rows.push(
        `${id};;${number};${suffix};${street.name};${postcode};${code};${street.commune};;;;;${place};;;${street.commune};;commune;commune;1;`,
      )
    }
    for (let meters = stepMeters / 2, place = 0; meters < (lengths[ordinal] ?? 0); meters += stepMeters, place++) {
      for (const side of [0, 1])
        placeHouse(street.points, { meters, number: 2 * place + 1 + side, side }, random, write)
    }
  }
  return `${rows.join('\n')}\n`
}

interface House {
  readonly number: number
  readonly suffix: string
  readonly lat: number
  readonly lon: number
}

function placeHouse(
  points: CityStreet['points'],
  at: { readonly meters: number; readonly number: number; readonly side: number },
  random: Random,
  write: (house: House) => void,
): void {
  const isGap = below(random, PLACES_PER_GAP) === 0
  const hasBis = below(random, PLACES_PER_BIS) === 0
  if (isGap) return
  const turn = at.side === 0 ? 1 : -1
  write({ number: at.number, suffix: '', ...besideAt(points, at.meters, turn * HOUSE_METERS) })
  if (hasBis) write({ number: at.number, suffix: 'bis', ...besideAt(points, at.meters + 3, turn * HOUSE_METERS) })
}

/** The point at a distance along a street, moved by `leftMeters` to the left of the street. */
function besideAt(points: CityStreet['points'], meters: number, leftMeters: number): { lat: number; lon: number } {
  let left = meters
  for (let at = 0; at + 1 < points.length; at++) {
    const from = points[at]
    const to = points[at + 1]
    const length = metersBetween(from, to)
    if (left > length && at + 2 < points.length) {
      left -= length
      continue
    }
    const part = length === 0 ? 0 : Math.min(1, left / length)
    const scale = Math.cos((from.lat * Math.PI) / 180)
    const [north, east] = [to.lat - from.lat, (to.lon - from.lon) * scale]
    const unit = length === 0 ? 0 : leftMeters / length
    return {
      lat: from.lat + part * north + unit * east,
      lon: from.lon + (part * east - unit * north) / scale,
    }
  }
  const [only = { lat: 0, lon: 0 }] = points
  return { lat: only.lat, lon: only.lon }
}

function lengthOf(points: CityStreet['points']): number {
  let length = 0
  for (let at = 0; at + 1 < points.length; at++) {
    length += metersBetween(points[at], points[at + 1])
  }
  return length
}

/** Distance in meters, computed on a plane. This is exact enough within a city. */
function metersBetween(a: CityStreet['points'][number], b: CityStreet['points'][number]): number {
  const north = (b.lat - a.lat) * METERS_PER_DEGREE
  const east = (b.lon - a.lon) * METERS_PER_DEGREE * Math.cos((a.lat * Math.PI) / 180)
  return Math.hypot(north, east)
}
