// The explorer's strings in the current language.
import { type Language, language } from '../../../pages/app/language.ts'
import { ENGLISH } from './english.ts'
import { FRENCH } from './french.ts'

/** The table of strings in one language. */
export type Texts = typeof ENGLISH

/** The values that explanation sentences mention. */
export interface ExplanationFacts {
  /** The expected time, or the scheduled time if there is none, such as "14:05". */
  readonly at: string
  /** How late or early the vehicle is at the stop, in whole minutes. */
  readonly minutes: number
  /** The age of the live data; undefined if unknown. */
  readonly age: string | undefined
}

const TABLES: Readonly<Record<Language, Texts>> = { en: ENGLISH, fr: FRENCH }

/**
 * Returns the strings in the current language. Components call this function when they render, so a change of language
 * takes effect at once.
 */
export function texts(): Texts {
  return TABLES[language.value]
}
