// The addresses that match a query, computed naively: for every address, tries every assignment of the query's words.
// No index and no score.

/** A street of the oracle; words in plain lower case. */
export interface OracleStreet {
  readonly nameWords: readonly string[]
  readonly townWords: readonly string[]
  readonly postcode: string
  readonly numbers: readonly { readonly number: number; readonly suffix: string }[]
}

/** Abbreviations in the oracle's streets and queries. */
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

/** Words of little weight in the queries: articles, and abbreviations of street types. */
function isArticle(typed: string): boolean {
  return ['l', 'la', 'a', 'rue', 'boulevard', 'avenue', 'place', 'r', 'bd', 'av', 'pl'].includes(typed)
}

function isNumber(word: string): boolean {
  return /^\d+$/.test(word)
}

/** The suffix of a house number, whether a house has it or not. */
export const SUFFIX = /^([a-z]|bi|bis|te|ter)$/

/**
 * Whether every word of the query has a meaning: a word of the name, each at most once; a word of the town, any number
 * of times; one house number, whether the street has it or not; and a suffix after it. At least one word must mean a
 * word of the name.
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
      // A complete article is not a prefix of a town.
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
