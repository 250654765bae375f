// What the words of a query mean that a name does not have, for the scorer of places: a postcode, a number, words too many.
import type { QueryWord } from '../../indexes/places/place-query.ts'
import type { TownReading } from './place-claims.ts'

/** The rest of a query beside a name. */
export type Rest = ReturnType<typeof readRest>

/** Reads the rests of one query; each only once for the same words, postcode and town. */
export class Rests {
  private readonly words: readonly QueryWord[]
  private readonly towns: readonly TownReading[]
  private readonly known = new Map<string, Map<number, Rest>>()

  constructor(words: readonly QueryWord[], towns: readonly TownReading[]) {
    this.words = words
    this.towns = towns
  }

  /** What is left beside a name that has some of the words. */
  beside(isClaimed: readonly boolean[]): (place: { readonly postcode: string; readonly town: number }) => Rest {
    const { words, towns } = this
    const rests = this.known.getOrInsertComputed(isClaimed.join(), () => new Map<number, Rest>())
    // A name that has all words leaves nothing to a postcode or a town.
    const isAll = isClaimed.every(Boolean)
    return ({ postcode, town }) => {
      const key = isAll ? -1 : town * 100_000 + Number(postcode)
      return rests.getOrInsertComputed(key, () => readRest(words, isClaimed, { postcode, town: towns[town] }))
    }
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
