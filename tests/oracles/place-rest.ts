// What the words of a query mean that a name does not have, for the scorer of places: a postcode, a number, words too many.
import type { QueryWord } from '../../indexes/places/place-query.ts'
import type { TownReading } from './place-claims.ts'

/** The rest of a query beside a name. */
export type Rest = ReturnType<typeof readRest>

/** Reads the rests of one query: once for all streets whose towns and postcodes read the same. */
export class Rests {
  private readonly words: readonly QueryWord[]
  private readonly readings: TownReading[] = []
  /** Town → its reading. */
  private readonly readingOf: Uint16Array
  private readonly codes: readonly number[]
  /** Postcode → which of the words begin it, as bits. */
  private readonly begun = new Map<number, number>()

  constructor(words: readonly QueryWord[], towns: readonly TownReading[]) {
    const known = new Map<string, number>()
    this.words = words
    this.readingOf = Uint16Array.from(towns, (town) =>
      known.getOrInsertComputed(JSON.stringify(town), () => this.readings.push(town) - 1),
    )
    this.codes = words.flatMap(({ digits }, at) => (digits >= 0 ? [at] : []))
  }

  /** What is left beside a name that has some of the words; `read` is called once for each kind of rest. */
  beside<Read>(
    isClaimed: readonly boolean[],
    read: (rest: Rest, town: TownReading) => Read,
  ): (place: { readonly postcode: number; readonly town: number }) => Read {
    const { words, readings, readingOf } = this
    const known = new Map<number, Read>()
    return ({ postcode, town }) => {
      const begun = this.begunBy(postcode)
      const reading = readingOf[town]
      const key = begun * readings.length + reading
      let found = known.get(key)
      if (found === undefined) {
        const text = postcode < 0 ? '' : String(postcode).padStart(5, '0')
        found = read(readRest(words, isClaimed, { postcode: text, town: readings[reading] }), readings[reading])
        known.set(key, found)
      }
      return found
    }
  }

  private begunBy(postcode: number): number {
    const { codes, words } = this
    if (codes.length === 0 || postcode < 0) return 0
    return this.begun.getOrInsertComputed(postcode, () => {
      const text = String(postcode).padStart(5, '0')
      return codes.reduce((bits, at) => bits + (text.startsWith(words[at].text) ? 2 ** at : 0), 0)
    })
  }
}

/** What the words mean that the name does not have. */
function readRest(
  words: readonly QueryWord[],
  isClaimed: readonly boolean[],
  { postcode, town }: { readonly postcode: string; readonly town: TownReading },
) {
  const begins = (word: QueryWord | undefined) =>
    word !== undefined && word.digits >= 0 && postcode.startsWith(word.text)
  const rest = { missing: 0, extra: 1, suffix: '', isUnfinished: false, postcodeOrNumber: false }
  let number: QueryWord | undefined
  const isTown = words.map((_, at) => !isClaimed[at] && town.isTown[at])
  for (const [at, word] of words.entries()) {
    if (isClaimed[at] || isTown[at]) continue
    if (word.digits >= 0 && word.text.length === 5) rest.missing += word.text === postcode ? 0 : 1
    else if (word.houseNumber >= 0 && (number === undefined || (begins(number) && !begins(word)))) {
      if (number !== undefined && rest.suffix !== number.suffix) rest.missing++
      number = word
      Object.assign(rest, {
        suffix: word.suffix,
        isUnfinished: word.isLast,
        postcodeOrNumber: word.isLast && begins(word),
      })
    } else if (word.isSuffix && number !== undefined && words[at - 1] === number && rest.suffix === '') {
      Object.assign(rest, { suffix: word.text, isUnfinished: word.isLast })
    } else if (begins(word)) continue
    else if (word.isGeneric) rest.extra *= word.isLink ? 0.9 : 0.7
    else rest.missing++
  }
  return { ...rest, number, isTown }
}
