// Finds words that were joined or split by mistake: `hommedefer`, `severo75014`, `mont parnasse`. If few places are
// found for a query as typed, other readings of it are suggested.
import { classOfWord, expansionsOf, LINK_WORD } from '../text/abbreviations.ts'
import { type PlaceQuery, parseQuery, type QueryWord } from './place-query.ts'

/**
 * Checks whether a string is a known word, or the start of a known word. Known words are those in the names of places
 * and towns.
 */
export interface KnownWords {
  isWord(text: string): boolean
  isStart(text: string): boolean
}

/** Minimum length of a word to split. */
const LEAST_LETTERS = 4
/** Minimum length of the last part if the user is still typing it. */
const LEAST_START = 3
/**
 * Weight of an article or preposition among the parts of a split word. The split with the lowest total weight is
 * chosen.
 */
const LINK_WEIGHT = 2
/** Weight of any other part of a split word. */
const PART_WEIGHT = 5
/** Maximum total weight of the parts of a split word. */
const MAX_WEIGHT = 35
const WITH_POSTCODE = /^(\p{L}{3,})(\d{5})$/u
const LETTERS = /^\p{L}+$/u

/**
 * Other readings of a query: unknown words are split into known words, and two neighbors are joined if they form a
 * known word.
 */
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

/** A possible other reading of a query, to be compared with the words of many networks. */
export type OtherReading =
  /** Two neighboring words, joined into one. */
  | { readonly kind: 'joined'; readonly text: string }
  /** A word to split, with the strings that may be its first part or its last part. */
  | {
      readonly kind: 'torn'
      readonly text: string
      readonly isLast: boolean
      readonly starts: readonly string[]
      readonly ends: readonly string[]
    }
  /** A word followed by a postcode, which is possible in every network. */
  | { readonly kind: 'with_postcode' }

/** All readings of a query that some network may allow; see `otherReadings`. */
export function possibleReadings({ words }: PlaceQuery): OtherReading[] {
  const readings: OtherReading[] = []
  for (const [at, { text, isLast }] of words.entries()) {
    const before = words[at - 1]?.text ?? ''
    if (LETTERS.test(before) && LETTERS.test(text)) readings.push({ kind: 'joined', text: before + text })
    if (WITH_POSTCODE.test(text)) readings.push({ kind: 'with_postcode' })
    if (text.length < LEAST_LETTERS || !LETTERS.test(text)) continue
    const parts = Array.from({ length: text.length - 1 }, (_, cut) => cut + 1)
    const starts = parts.map((end) => text.slice(0, end)).filter(mayBePart)
    const ends = parts.map((start) => text.slice(start)).filter((part) => mayBePart(part) || part.length >= LEAST_START)
    readings.push({ kind: 'torn', text, isLast, starts, ends })
  }
  return readings
}

function mayBePart(part: string): boolean {
  return isLink(part) || part.length > 2 || expansionsOf(part).length > 0
}

function isJoined(one: string, other: string, known: KnownWords): boolean {
  return LETTERS.test(one) && LETTERS.test(other) && known.isWord(one + other)
}

/**
 * Splits a word into known words, and separates a postcode at its end. Undefined if the whole word is known or cannot
 * be split.
 */
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

/**
 * The split with the lowest weight. Among splits of equal weight, the one with the longest first part. In the last word
 * of the query, the last part may be only the start of a word.
 */
function splitWord(text: string, of: { readonly isLast: boolean; readonly known: KnownWords }): string[] | undefined {
  const { isLast, known } = of
  // Position in the text → the best split of the text after that position. Filled from the end of the text.
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

/** Whether a split word may have this part. A part of two letters must be an article or an abbreviation. */
function isPart(part: string, known: KnownWords): boolean {
  return mayBePart(part) && (isLink(part) || known.isWord(part))
}

/** Whether a part is an article or a preposition. */
export function isLink(part: string): boolean {
  return part.length <= 2 && classOfWord(part) === LINK_WORD
}
