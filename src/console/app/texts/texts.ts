// The console's texts in the current language.
import { type Language, language } from '../../../pages/app/language.ts'
import { ENGLISH } from './english.ts'
import { FRENCH } from './french.ts'

/** A table of texts. */
export type Texts = typeof ENGLISH

const TABLES: Readonly<Record<Language, Texts>> = { en: ENGLISH, fr: FRENCH }

/** Returns the texts. Components call this function in each render, so that a change of language is shown at once. */
export function texts(): Texts {
  return TABLES[language.value]
}
