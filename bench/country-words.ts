// The words for a generated country: communes with postcodes, and street names. If files are named, the words are read
// from these files; otherwise, they are made up. The result depends only on the seed and the files, so two runs
// generate the same country.
import { existsSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { below, between, pick, type Random, seededRandom } from '../src/demo/seeded-random.ts'

/** A commune of the country. */
export interface Commune {
  /** INSEE code. */
  readonly code: string
  readonly name: string
  readonly postcodes: readonly string[]
  readonly lat: number
  readonly lon: number
  /** Number of addresses in the commune, relative to other communes. */
  readonly weight: number
}

/** The communes and names from which a country is generated. */
export interface CountryWords {
  readonly communes: readonly Commune[]
  /** Complete street names, the most frequent first. */
  readonly streetNames: readonly string[]
  /** Words from which unique place names are made, the most frequent first. */
  readonly placeWords: readonly string[]
}

/** The files with real words. If no file is named, words are made up instead. */
export interface WordSources {
  /** La Poste's postcode table, as plain or gzipped CSV. */
  readonly postcodes: string | undefined
  /** A Base Adresse Nationale file whose street names are used. */
  readonly streets: string | undefined
}

const MADE_COMMUNES = 33_000
const MADE_WORDS = 62_000
/**
 * Number of addresses in each of the largest towns, in thousands, by INSEE code. Paris, Lyon and Marseille are not
 * listed, because each of their districts is a commune of its own (`DISTRICT`).
 */
const LARGE_TOWNS: Readonly<Record<string, number>> = {
  '31555': 90, '44109': 60, '33063': 60, '59350': 50, '30189': 50, '34172': 45, '06088': 45, '67482': 40, '76351': 40,
  '49007': 35, '35238': 35, '51454': 35, '83137': 35, '42218': 30, '21231': 30, '87085': 30, '63113': 28, '37261': 28,
  '38185': 25, '80021': 25, '57463': 25, '66136': 25, '29019': 25, '45234': 24, '76540': 24, '72181': 24, '54395': 22,
  '13001': 22, '68224': 22, '14118': 20, '86194': 20, '64445': 20, '17300': 18, '25056': 18, '56121': 16, '62193': 16,
} // biome-ignore format: one town a line would hide the table
const DISTRICT_THOUSANDS = 8
const DISTRICT = /^(751|132|6938)\d+$/

const SYLLABLES =
  'ar beau bel ber bois bou brun char clos cour cha des fon four gar gran hau jar lan lau mar mon mou nan neuf oli par'
    .concat(' pel pier pon pré rem riv roch rou sau ser sol tan ter tou val ver vil vin ville mont fort')
    .split(' ')

/** Reads or makes up the words. */
export async function loadWords(seed: number, sources: WordSources): Promise<CountryWords> {
  const random = seededRandom(seed, 'words')
  const communes =
    sources.postcodes === undefined ? makeCommunes(random) : await readCommunes(sources.postcodes, random)
  const streetNames = sources.streets === undefined ? [] : await readStreetNames(sources.streets, random)
  return { communes, streetNames, placeWords: makePlaceWords({ communes, streetNames }, random) }
}

async function readText(path: string): Promise<string> {
  if (!existsSync(path)) throw new Error(`there is no file ${path}`)
  const bytes = await Bun.file(path).bytes()
  return new TextDecoder().decode(bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes)
}

/** Reads the communes of metropolitan France. */
async function readCommunes(path: string, random: Random): Promise<Commune[]> {
  const byCode = new Map<string, { name: string; postcodes: string[]; lat: number; lon: number }>()
  for (const line of (await readText(path)).split('\n').slice(1)) {
    const [code = '', name = '', postcode = '', , , , latText = '', lonText = ''] = line
      .split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/)
      .map((field) => field.trim().replace(/^"|"$/g, ''))
    if (latText === '' || /^9[78]/.test(code)) continue
    const known = byCode.get(code)
    if (known === undefined) {
      byCode.set(code, { name: townName(name), postcodes: [postcode], lat: Number(latText), lon: Number(lonText) })
    } else if (!known.postcodes.includes(postcode)) known.postcodes.push(postcode)
  }
  return [...byCode]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([code, commune]) => ({ ...commune, code, weight: weightOf(code, random) }))
}

/** The name of a town as it is written in addresses: `Paris 2e Arrondissement` for `PARIS 02`. */
function townName(upper: string): string {
  const [, town, district] = /^(PARIS|LYON|MARSEILLE) (\d+)$/.exec(upper) ?? []
  const title = (text: string) => text.toLowerCase().replace(/(?:^|[ '-])[a-z]/g, (start) => start.toUpperCase())
  if (town === undefined) return title(upper).replaceAll(' ', '-')
  return `${title(town)} ${Number(district)}${Number(district) === 1 ? 'er' : 'e'} Arrondissement`
}

function weightOf(code: string, random: Random): number {
  const spread = Math.exp(0.9 * gauss(random)) * 500
  if (DISTRICT.test(code)) return DISTRICT_THOUSANDS * 1000
  const thousands = LARGE_TOWNS[code]
  return thousands === undefined ? spread : thousands * 1000
}

/** A random number from the standard normal distribution. */
export function gauss(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}

function makeCommunes(random: Random): Commune[] {
  return Array.from({ length: MADE_COMMUNES }, (_, at) => {
    const code = String(1000 + 2 * at).padStart(5, '0')
    const parts = Array.from({ length: 1 + below(random, 2) }, () => madeWord(random))
    return {
      code,
      name: parts.map(capitalized).join(pick(random, ['-', '-sur-', '-le-', '-en-'])),
      postcodes: [code],
      lat: between(random, 42.5, 50.5),
      lon: between(random, -4, 8),
      weight: weightOf(code, random),
    }
  })
}

function madeWord(random: Random): string {
  return Array.from({ length: 2 + below(random, 2) }, () => pick(random, SYLLABLES)).join('')
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

async function readStreetNames(path: string, random: Random): Promise<string[]> {
  const [header = '', ...lines] = (await readText(path)).split('\n')
  const column = header.split(';').indexOf('nom_voie')
  if (column < 0) throw new Error(`${path} has no column nom_voie`)
  return shuffled([...new Set(lines.map((line) => line.split(';')[column] ?? ''))].sort(), random).filter(
    (name) => name !== '',
  )
}

function shuffled<T>(items: T[], random: Random): T[] {
  for (let at = items.length - 1; at > 0; at--) {
    const other = below(random, at + 1)
    const kept = items[at]
    items[at] = items[other]
    items[other] = kept
  }
  return items
}

/**
 * Makes up words that resemble those in commune and street names, by joining the start of one word to the end of
 * another.
 */
function makePlaceWords(from: Pick<CountryWords, 'communes' | 'streetNames'>, random: Random): string[] {
  const texts = [...from.communes.map(({ name }) => name), ...from.streetNames]
  const words = [...new Set(texts.flatMap((text) => text.toLowerCase().split(/[^\p{L}]+/u)))].filter(
    (word) => word.length >= 5,
  )
  const made = new Set<string>()
  while (made.size < MADE_WORDS) {
    const start = pick(random, words)
    const end = pick(random, words)
    const cut = 2 + below(random, Math.min(4, start.length - 2))
    made.add(capitalized(start.slice(0, cut) + end.slice(-2 - below(random, Math.min(4, end.length - 2)))))
  }
  return shuffled([...made, ...words.map(capitalized)], random)
}
