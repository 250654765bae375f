// The explorer's texts in the current language.
import { type Language, language } from '../../../pages/app/language.ts'
import { ENGLISH } from './english.ts'
import { FRENCH } from './french.ts'

/** A table of texts. */
export type Texts = typeof ENGLISH

/** The values that the sentences of explanations mention. */
export interface ExplanationFacts {
  /** The expected time, or the scheduled time if there is none: "14:05". */
  readonly at: string
  /** How late or early the vehicle is at the stop, in whole minutes. */
  readonly minutes: number
  /** The age of the live data; undefined if unknown. */
  readonly age: string | undefined
}

const TABLES: Readonly<Record<Language, Texts>> = { en: ENGLISH, fr: FRENCH }

/** Returns the texts. Components call this function when they render, so a change of language is shown at once. */
export function texts(): Texts {
  return TABLES[language.value]
}
