// Finds the meaning of the query words that are not in a street's name. Such a word can be a postcode, a house number,
// or part of the town's name, or it can mean nothing. Part of the place scorer.
import type { QueryWord } from '../../indexes/places/place-query.ts'
import type { TownReading } from './place-claims.ts'

/** What the remaining words of a query mean for one town and postcode. */
export type Rest = ReturnType<typeof readRest>

/**
 * Interprets the remaining words of one query. This is done once for all streets whose towns and postcodes match in the
 * same way.
 */
export class Rests {
  private readonly words: readonly QueryWord[]
  private readonly readings: TownReading[] = []
  /** Town → index of its reading. */
  private readonly readingOf: Uint16Array
  /** One postcode of each kind. Postcodes are of one kind if the same query words are prefixes of them. */
  private readonly samples: string[] = []
  /** Postcode → its kind. */
  private readonly kindOf: Uint16Array

  /**
   * @param towns the reading of each town; undefined if no word matches
   * @param postcodes all postcodes; '' for streets without a postcode
   */
  constructor(words: readonly QueryWord[], towns: readonly (TownReading | undefined)[], postcodes: readonly string[]) {
    const none = words.map(() => false)
    const unnamed = { isTown: none, isCore: none, isWhole: none, isSlip: none }
    const known = new Map<string, number>()
    const kinds = new Map<string, number>()
    this.words = words
    this.readings.push(unnamed)
    this.readingOf = Uint16Array.from(towns, (town) =>
      town === undefined ? 0 : known.getOrInsertComputed(JSON.stringify(town), () => this.readings.push(town) - 1),
    )
    this.kindOf = Uint16Array.from(postcodes, (postcode) => {
      const begun = words.map(({ digits, text }) => digits >= 0 && postcode.startsWith(text))
      return kinds.getOrInsertComputed(begun.join(), () => this.samples.push(postcode) - 1)
    })
  }

  /**
   * Returns a function from postcode and town to the result of `read`. `read` is called once for each kind of postcode
   * and each reading of a town.
   */
  beside<Read extends object>(
    isClaimed: readonly boolean[],
    read: (rest: Rest, town: TownReading) => Read | undefined,
  ): (postcode: number, town: number) => Read | undefined {
    const { words, readings, readingOf, samples, kindOf } = this
    const all = samples.flatMap((postcode) =>
      readings.map((town) => read(readRest(words, isClaimed, { postcode, town }), town)),
    )
    return (postcode, town) => all[kindOf[postcode] * readings.length + readingOf[town]]
  }
}

/** Interprets the query words that are not in the name. */
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
