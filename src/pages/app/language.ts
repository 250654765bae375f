// The language of the apps: the browser's, until the user chooses another one. Apps keep their texts in one typed table
// per language, so that a missing text fails the type check.
import { Stored } from './stored.ts'

/** A language of the apps, as its BCP 47 code. */
export type Language = 'en' | 'fr'

/** The name of each language, in that language. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = { en: 'English', fr: 'Français' }

/** The current language. Components that show texts rerender when it changes, because the root component does. */
export const language = new Stored<Language>('en')

/** The locale of each language. en-GB is used because it has days before months and a 24-hour clock. */
const LOCALES: Readonly<Record<Language, string>> = { en: 'en-GB', fr: 'fr-FR' }

/** The locale of the current language, for numbers and dates. */
export function locale(): string {
  return LOCALES[language.value]
}

/** Formats a number with the separators of the current language. */
export function toNumber(count: number): string {
  return new Intl.NumberFormat(locale()).format(count)
}

/** Formats a count with a noun in singular or plural: "1 stop", "2 stops". */
export function countOf(count: number, forms: { readonly one: string; readonly other: string }): string {
  const isOne = new Intl.PluralRules(locale()).select(count) === 'one'
  return `${toNumber(count)} ${isOne ? forms.one : forms.other}`
}
