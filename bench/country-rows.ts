// The rows of a generated country in the format of the Base Adresse Nationale. They are generated commune by commune,
// so that only one commune is in memory at a time, even with 26 million rows.
import { below, pick, type Random, seededRandom } from '../src/demo/seeded-random.ts'
import { type Commune, type CountryWords, gauss } from './country-words.ts'

const HEADER =
  'id;id_fantoir;numero;rep;nom_voie;code_postal;code_insee;nom_commune;code_insee_ancienne_commune;' +
  'nom_ancienne_commune;x;y;lon;lat;type_position;alias;nom_ld;libelle_acheminement;certification_commune\n'
const CHUNK_CHARACTERS = 1 << 20
/**
 * Average number of addresses per street in the Base Adresse Nationale: it has 26 million addresses in 2.3 million
 * streets.
 */
const ADDRESSES_PER_STREET = 11.35
/** Number of addresses in the whole country. */
const WHOLE_COUNTRY = 26_000_000
/** One in `METRIC_STREETS` streets has house numbers that give the distance from the start of the street, in meters. */
const METRIC_STREETS = 5
const SUFFIXED_HOUSES = 18
const DEGREES_PER_HOUSE = 0.000_12

/** Street names that most communes have, the most frequent first. */
const COMMON = (
  'Rue de l’Église|Grande Rue|Rue du Moulin|Rue de la Mairie|Rue du Château|Rue des Écoles|Rue de la Gare|' +
  'Rue Principale|Place de l’Église|Rue Pasteur|Rue Victor Hugo|Rue Jean Jaurès|Rue de la Fontaine|Rue du Stade|' +
  'Place de la Mairie|Rue du 8 Mai 1945|Rue de la Poste|Rue du 11 Novembre 1918|Rue de la République|' +
  'Avenue de la République|Rue des Jardins|Rue du Cimetière|Rue du Général de Gaulle|Rue de Verdun|Rue Jules Ferry|' +
  'Rue Jean Moulin|Impasse des Lilas|Rue des Lilas|Rue des Roses|Chemin des Vignes|Rue du Lavoir|Rue Émile Zola|' +
  'Rue du Maréchal Foch|Place de la République|Rue des Acacias|Avenue du Général de Gaulle|Rue de la Liberté|' +
  'Rue Gambetta|Route de Paris|Rue de Paris|Rue du Puits|Rue du Presbytère|Rue Anatole France|Rue Molière|' +
  'Rue Saint-Martin|Rue Neuve|Rue Basse|Rue Haute|Chemin du Moulin|Rue des Tilleuls|Allée des Cerisiers|' +
  'Rue Louis Pasteur|Rue du Docteur Roux|Place du Marché|Rue Notre-Dame|Rue Saint-Jean|Boulevard Gambetta|Le Bourg'
).split('|')
const TYPES = ['Rue', 'Rue', 'Chemin', 'Chemin', 'Impasse', 'Allée', 'Route', 'Place', 'Avenue', 'Lotissement']
const WAYS = ['Route', 'Rue', 'Chemin', 'Ancienne Route', 'Avenue', 'Impasse']
const LINKS = ['de', 'de la', 'du', 'des', 'de la', 'de', '', '']
const VOWEL = /^[aeiouhéèâœ]/i
const ELIDED: Readonly<Record<string, string>> = { de: 'd’', du: 'de l’', 'de la': 'de l’' }
const FIRST_NAMES = (
  'Jean Pierre Marie Louis Jacques Paul Charles Henri Georges Marcel André René Albert Robert Joseph François Émile Léon ' +
  'Simone Lucie Jeanne Rosa Louise Marguerite Claude Michel Antoine Guy Raymond Roger Maurice Édouard Jules Alfred'
).split(' ')

/**
 * Generates the address file of a country with about `addresses` addresses, in chunks. With 26 million addresses, all
 * communes are included.
 */
export function* countryChunks(words: CountryWords, addresses: number, seed: number): Generator<string, number> {
  const communes = chooseCommunes(words.communes, addresses, seed)
  const weight = communes.reduce((sum, commune) => sum + commune.weight, 0)
  let text = HEADER
  let count = 0
  for (const [at, commune] of communes.entries()) {
    const random = seededRandom(seed, `commune ${commune.code}`)
    const neighbors = communes.slice(Math.max(0, at - 15), at + 15)
    const streets = Math.max(1, Math.round((addresses * commune.weight) / weight / ADDRESSES_PER_STREET))
    for (const name of streetNames(words, { streets, neighbors }, random)) {
      const rows = streetRows(commune, name, { streets, ordinal: count, random })
      count += rows.length
      text += rows.join('')
      if (text.length < CHUNK_CHARACTERS) continue
      yield text
      text = ''
    }
  }
  yield text
  return count
}

/** For a country smaller than the whole, chooses some communes at random. The communes keep their sizes. */
function chooseCommunes(communes: readonly Commune[], addresses: number, seed: number): readonly Commune[] {
  if (addresses >= WHOLE_COUNTRY) return communes
  const random = seededRandom(seed, 'chosen')
  return communes.filter(() => random() < addresses / WHOLE_COUNTRY)
}

/** Distinct names for the streets of a commune. */
function streetNames(
  words: CountryWords,
  of: { readonly streets: number; readonly neighbors: readonly Commune[] },
  random: Random,
): Set<string> {
  const names = new Set<string>()
  for (let tries = 0; names.size < of.streets && tries < of.streets * 4; tries++) {
    names.add(streetName(words, of.neighbors, random))
  }
  return names
}

function streetName({ streetNames, placeWords }: CountryWords, neighbors: readonly Commune[], random: Random): string {
  const kind = random()
  if (kind < 0.2) return skewed(COMMON, random, 1.6)
  if (kind < 0.42 && streetNames.length > 0) return skewed(streetNames, random, 2.2)
  if (kind < 0.6) return linked(pick(random, WAYS), 'de', pick(random, neighbors).name)
  // The first name and the link depend only on `word`, so that all streets named after the same person or place have
  // the same first name or link.
  const word = skewed(placeWords, random, 2.3)
  const manner = Bun.hash.xxHash32(word)
  if (kind < 0.74) return `${pick(random, TYPES)} ${FIRST_NAMES[manner % FIRST_NAMES.length]} ${word}`
  const link = LINKS[manner % LINKS.length]
  if (kind < 0.76) return linked(pick(random, TYPES), link, `${word} ${skewed(placeWords, random, 2.3)}`)
  return linked(pick(random, TYPES), link, word)
}

/** Joins a street type, a link and a name. Before a vowel, `de la` and `du` become `de l’`, and `de` becomes `d’`. */
function linked(type: string, link: string, name: string): string {
  const short = VOWEL.test(name) ? ELIDED[link] : undefined
  return short === undefined ? [type, link, name].filter((part) => part !== '').join(' ') : `${type} ${short}${name}`
}

/** A random value from a list; values near the start of the list are more likely. */
function skewed<T>(values: readonly T[], random: Random, power: number): T {
  return values[Math.floor(random() ** power * values.length)]
}

interface StreetPlan {
  readonly streets: number
  /**
   * Number of addresses in all streets before this one. It is part of the street's id, so that each street has a
   * different id.
   */
  readonly ordinal: number
  readonly random: Random
}

function streetRows(commune: Commune, name: string, { streets, ordinal, random }: StreetPlan): string[] {
  const houses = Math.max(1, Math.round(Math.exp(1.9 + 1.05 * gauss(random)) * 0.98))
  const spread = 0.004 * Math.sqrt(Math.max(1, streets / 20))
  const south = commune.lat + spread * gauss(random) * 0.5
  const west = commune.lon + spread * gauss(random) * 0.7
  const postcode = pick(random, commune.postcodes)
  const streetId = `${commune.code}_${ordinal.toString(36).padStart(6, '0')}`
  const isMetric = below(random, METRIC_STREETS) === 0
  const rows: string[] = []
  let number = 0
  for (let house = 0; house < houses; house++) {
    const isSuffixed = house > 0 && below(random, SUFFIXED_HOUSES) === 0
    if (!isSuffixed) number += isMetric ? 5 + below(random, 60) : 1 + below(random, 2)
    const suffix = isSuffixed ? 'bis' : ''
    const id = `${streetId}_${String(number).padStart(5, '0')}${isSuffixed ? '_bis' : ''}`
    if (isSuffixed && rows.at(-1)?.includes(`${id};`) === true) continue
    const lat = (south + house * DEGREES_PER_HOUSE * 0.7).toFixed(6)
    const lon = (west + house * DEGREES_PER_HOUSE).toFixed(6)
    rows.push(
      `${id};;${number};${suffix};${name};${postcode};${commune.code};${commune.name};;;;;${lon};${lat};entrée;;;${commune.name};1\n`,
    )
  }
  return rows
}
