// Finds the addresses that match a query, by the simplest method: for every address, tries every assignment of meanings
// to the query words. Uses no index and no score.

/** A street of the oracle. Its words are in lower case without accents. */
export interface OracleStreet {
  readonly nameWords: readonly string[]
  readonly townWords: readonly string[]
  readonly postcode: string
  readonly numbers: readonly { readonly number: number; readonly suffix: string }[]
}

/** The abbreviations that the tests use. */
export const ORACLE_SHORT: Readonly<Record<string, readonly string[]>> = {
  bd: ['boulevard'],
  av: ['avenue'],
  r: ['rue'],
  st: ['saint', 'sainte', 'street'],
  ste: ['sainte'],
  pl: ['place'],
}

/** Whether a typed word can mean a word of a name. */
export function meansWord(typed: string, word: string): boolean {
  const forms = [word, ...(ORACLE_SHORT[word] ?? [])]
  const meanings = ORACLE_SHORT[typed] ?? []
  return forms.some((form) => form.startsWith(typed) || meanings.includes(form))
}

/** Whether a query word has little weight, like articles, street types and their abbreviations. */
function isArticle(typed: string): boolean {
  return ['l', 'la', 'a', 'rue', 'boulevard', 'avenue', 'place', 'r', 'bd', 'av', 'pl'].includes(typed)
}

function isNumber(word: string): boolean {
  return /^\d+$/.test(word)
}

/** Matches words that can be the suffix of a house number. */
export const SUFFIX = /^([a-z]|bi|bis|te|ter)$/

/**
 * Whether every query word can have a meaning, and at least one query word means a word in the street's name. A word in
 * the street's name can be used once, and a word in the town's name any number of times. One query word can be a house
 * number, even if no house has this number, and the next query word can be a suffix of the number.
 */
export function isMeant(street: OracleStreet, query: readonly string[]): boolean {
  const last = query.length - 1
  const assign = (at: number, used: ReadonlySet<number>, numberAt: number): boolean => {
    if (at === query.length) return used.size > 0
    const typed = query[at]
    for (const [place, word] of street.nameWords.entries()) {
      const fits = isNumber(typed) && at !== last ? typed === word : meansWord(typed, word)
      if (fits && !used.has(place) && assign(at + 1, new Set([...used, place]), numberAt)) return true
    }
    if (!isNumber(typed)) {
      // An article that is not the last query word must be a whole word in the town's name. A prefix is not enough.
      const isTown = street.townWords.some((word) =>
        isArticle(typed) && at !== last ? typed === word : meansWord(typed, word),
      )
      const isSuffix = at > 0 && numberAt === at - 1 && SUFFIX.test(typed)
      return (isTown || isSuffix) && assign(at + 1, used, numberAt)
    }
    if (typed.length === 5) return typed === street.postcode && assign(at + 1, used, numberAt)
    if (numberAt < 0 && assign(at + 1, used, at)) return true
    return street.postcode.startsWith(typed) && assign(at + 1, used, numberAt)
  }
  return assign(0, new Set(), -1)
}
