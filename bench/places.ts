// Measures how the cost of addresses grows with their number, and how long searches take while a query is typed.
// Communes, streets and house numbers are generated. Run it with `bun bench/places.ts [ADDRESSES…]`; the default is
// 160 000 and a million addresses.
import { addressIndexColumns, buildAddressIndex, findNearestHouse } from '../indexes/places/address-index.ts'
import { addressPlace } from '../indexes/places/address-places.ts'
import { parseQuery } from '../indexes/places/place-query.ts'
import { AddressSearch } from '../indexes/places/place-search.ts'
import { type HouseIndex, streetOfHouse } from '../loaders/ban/addresses.ts'
import { loadAddresses } from '../loaders/ban/load-addresses.ts'
import { encodeSnapshot } from '../loaders/snapshot-file.ts'
import { showFigure } from './figures.ts'

const SEED = 20_261_121
const HEADER = 'id;id_fantoir;numero;rep;nom_voie;code_postal;code_insee;nom_commune;lon;lat;type_position\n'
/**
 * Averages in the Base Adresse Nationale. It has 26 million addresses in 35 000 communes, and about 11 addresses per
 * street.
 */
const ADDRESSES_PER_COMMUNE = 740
const ADDRESSES_PER_STREET = 11
const CHUNK_BYTES = 1 << 20
const QUERIES = 300
const POINTS = 20_000

const TYPES = ['Rue', 'Rue', 'Rue', 'Rue', 'Avenue', 'Boulevard', 'Place', 'Chemin', 'Impasse', 'Allée', 'Route']
const LINKS = ['de la', 'du', 'des', 'de l’', 'de', '', '']
const SYLLABLES =
  'ar beau bel ber bois bou brun char clos cour cha des fon four gar gran hau jar lan lau mar mon mou nan'
    .concat(' neuf oli par pel pier pon pré rem riv roch rou sau ser sol tan ter tou val ver vil vin ville mont fort')
    .split(' ')

/** Returns a function that returns random whole numbers below a bound. The numbers depend only on the seed. */
function makeDice(): (bound: number) => number {
  let state = SEED
  return (bound) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % bound
  }
}

async function* rows(count: number): AsyncGenerator<Uint8Array> {
  const dice = makeDice()
  const encoder = new TextEncoder()
  // A random word of two or three syllables. Short words repeat often, so many communes have the same street names.
  const word = () =>
    Array.from({ length: 2 + dice(2) }, () => SYLLABLES[Math.min(dice(SYLLABLES.length), dice(SYLLABLES.length))]).join(
      '',
    )
  let text = HEADER
  let made = 0
  for (let commune = 0; made < count; commune++) {
    const code = String(1000 + commune).padStart(5, '0')
    const town = `${word()}-${word()}`
    const [lat, lon] = [42 + dice(9_000_000) / 1e6, -4 + dice(12_000_000) / 1e6]
    for (let street = 0; street < ADDRESSES_PER_COMMUNE / ADDRESSES_PER_STREET && made < count; street++) {
      const name = `${TYPES[dice(TYPES.length)]} ${LINKS[dice(LINKS.length)]} ${word()}`.replace(/ +/g, ' ')
      const houses = 1 + dice(2 * ADDRESSES_PER_STREET - 1)
      const [south, west] = [lat + dice(20_000) / 1e6, lon + dice(20_000) / 1e6]
      for (let house = 1; house <= houses && made < count; house++, made++) {
        const id = `${code}_${String(street).padStart(4, '0')}_${String(house).padStart(5, '0')}`
        const place = `${(west + house / 1e4).toFixed(6)};${(south + house / 2e4).toFixed(6)}`
        text += `${id};;${house};;${name};${code};${code};${town};${place};entrée\n`
      }
      if (text.length < CHUNK_BYTES) continue
      yield encoder.encode(text)
      text = ''
    }
  }
  yield encoder.encode(text)
}

function sorted(millis: readonly number[]): (share: number) => number {
  const ascending = [...millis].sort((a, b) => a - b)
  return (share) => Math.round(1000 * (ascending[Math.floor(share * (ascending.length - 1))] ?? 0))
}

async function measure(count: number): Promise<void> {
  // The rows are generated in advance, so that only reading them is measured.
  const chunks: Uint8Array[] = []
  for await (const chunk of rows(count)) chunks.push(chunk)
  async function* replay() {
    yield* chunks
  }
  const started = performance.now()
  const { addresses } = await loadAddresses([{ name: 'made.csv', open: replay }])
  const loaded = performance.now()
  const index = buildAddressIndex(addresses)
  const built = performance.now()
  const bytes = encodeSnapshot({}, addressIndexColumns(index)).reduce((sum, piece) => sum + piece.byteLength, 0)
  if (addresses.houses.count !== count) throw new Error(`${addresses.houses.count} of ${count} addresses were loaded`)
  const search = new AddressSearch(index)
  const dice = makeDice()
  const millis: number[] = []
  let found = 0
  for (let query = 0; query < QUERIES; query++) {
    const house = dice(count) as HouseIndex
    const { label } = addressPlace(addresses, streetOfHouse(addresses, house), house)
    for (let length = 1; length <= label.length; length++) {
      const before = performance.now()
      const hits = search.search({ query: parseQuery(label.slice(0, length)), near: undefined, limit: 10 })
      millis.push(performance.now() - before)
      if (length === label.length && hits.some((hit) => hit.kind === 'address' && hit.house === house)) found++
    }
  }
  if (found < QUERIES) console.log(`  ${QUERIES - found} of ${QUERIES} addresses were not found by their labels`)
  const beforePoints = performance.now()
  for (let point = 0; point < POINTS; point++) {
    findNearestHouse(index, { lat: 42 + dice(9_000_000) / 1e6, lon: -4 + dice(12_000_000) / 1e6, radiusMeters: 200 })
  }
  const pointMicros = ((performance.now() - beforePoints) * 1000) / POINTS
  const at = sorted(millis)
  const say = (name: string, value: number, unit: string) =>
    showFigure({ name: `${count} addresses: ${name}`, value, unit, curve: { name, at: count, atUnit: 'addresses' } })
  say('loaded and indexed', (count / (built - started)) * 1000, '/s')
  say('indexed', built - loaded, 'ms')
  say('size per address', bytes / count, 'bytes')
  say('search letter by letter, p50', at(0.5), 'µs')
  say('search letter by letter, p99', at(0.99), 'µs')
  say('nearest address', pointMicros, 'µs')
}

const counts = process.argv.slice(2).map(Number)
for (const count of counts.length > 0 ? counts : [160_000, 1_000_000]) await measure(count)
