// The console's wording in the current language.
import { type Language, language } from '../../../pages/app/language.ts'
import { ENGLISH } from './english.ts'
import { FRENCH } from './french.ts'

/** The wording in one language. */
export type Texts = typeof ENGLISH

const TABLES: Readonly<Record<Language, Texts>> = { en: ENGLISH, fr: FRENCH }

/**
 * Returns the wording in the current language. Components call this function in each render, so that a change of
 * language is shown at once.
 */
export function texts(): Texts {
  return TABLES[language.value]
}
