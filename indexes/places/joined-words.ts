// Words that were run together or torn apart: `hommedefer`, `severo75014`, `mont parnasse`. Other readings of a query, if it
// finds little as it is typed.
import { classOfWord, expansionsOf, LINK_WORD } from '../text/abbreviations.ts'
import { type PlaceQuery, parseQuery, type QueryWord } from './place-query.ts'

/** Tells whether a word is known, as it is or as the start of another. */
export interface KnownWords {
  isWord(text: string): boolean
  isStart(text: string): boolean
}

/** Shorter words are not taken apart. */
const LEAST_LETTERS = 4
/** The unfinished last part of a word has at least so many letters. */
const LEAST_START = 3
/** What an article and another word count, and all words of a split at most. */
const LINK_WEIGHT = 2
const PART_WEIGHT = 5
const MAX_WEIGHT = 35
const WITH_POSTCODE = /^(\p{L}{3,})(\d{5})$/u
const LETTERS = /^\p{L}+$/u

/** Other readings of a query: with words taken apart that are not known, and with two neighbors joined to a known word. */
export function otherReadings({ words }: PlaceQuery, known: KnownWords): PlaceQuery[] {
  const readings: string[] = []
  const apart = words.map((word) => takeApart(word, known))
  if (apart.some((parts) => parts !== undefined)) {
    readings.push(words.map(({ text }, at) => apart[at]?.join(' ') ?? text).join(' '))
  }
  const texts = words.map(({ text }) => text)
  const at = texts.findIndex((text, each) => each > 0 && isJoined(texts[each - 1], text, known))
  if (at > 0)
    readings.push([...texts.slice(0, at - 1), `${texts[at - 1]}${texts[at]}`, ...texts.slice(at + 1)].join(' '))
  return readings.map(parseQuery)
}

function isJoined(one: string, other: string, known: KnownWords): boolean {
  return LETTERS.test(one) && LETTERS.test(other) && known.isWord(one + other)
}

/** The known words that a word is made of; undefined if it is known itself or is not made of any. */
function takeApart(word: QueryWord, known: KnownWords): string[] | undefined {
  const { text, isLast } = word
  const [, letters, postcode] = WITH_POSTCODE.exec(text) ?? []
  if (letters !== undefined && postcode !== undefined) {
    const parts = known.isWord(letters) ? [letters] : splitWord(letters, { isLast: false, known })
    return [...(parts ?? [letters]), postcode]
  }
  if (text.length < LEAST_LETTERS || !LETTERS.test(text) || known.isWord(text) || (isLast && known.isStart(text)))
    return undefined
  return splitWord(text, { isLast, known })
}

/** The fewest known words that make up a word, articles counting less, of several the longest first; the last may be a start. */
function splitWord(text: string, of: { readonly isLast: boolean; readonly known: KnownWords }): string[] | undefined {
  const { isLast, known } = of
  // From the end: the best split of what follows each position.
  const best: ({ readonly parts: string[]; readonly weight: number } | undefined)[] = Array.from({
    length: text.length + 1,
  })
  best[text.length] = { parts: [], weight: 0 }
  for (let start = text.length - 1; start >= 0; start--) {
    for (let end = text.length; end > start; end--) {
      const rest = best[end]
      const part = text.slice(start, end)
      const weight = (rest?.weight ?? MAX_WEIGHT) + (isLink(part) ? LINK_WEIGHT : PART_WEIGHT)
      if (rest === undefined || weight > MAX_WEIGHT || weight >= (best[start]?.weight ?? Infinity)) continue
      const isBegun = isLast && end === text.length && part.length >= LEAST_START && known.isStart(part)
      if (isBegun || isPart(part, known)) best[start] = { parts: [part, ...rest.parts], weight }
    }
  }
  const parts = best[0]?.parts ?? []
  return parts.length < 2 ? undefined : parts
}

/** Two letters are a part only if they are an article or an abbreviation. */
function isPart(part: string, known: KnownWords): boolean {
  return isLink(part) || ((part.length > 2 || expansionsOf(part).length > 0) && known.isWord(part))
}

function isLink(part: string): boolean {
  return part.length <= 2 && classOfWord(part) === LINK_WORD
}
