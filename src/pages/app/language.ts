// The language of the apps: the browser's language, until the user chooses a different one. Each app has one typed
// table of strings per language, so that a missing string fails the type check.
import { Stored } from './stored.ts'

/** A language available in the apps, as its BCP 47 code. */
export type Language = 'en' | 'fr'

/** The name of each language, in that language. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = { en: 'English', fr: 'Français' }

/**
 * The current language. When it changes, the root component rerenders, and with it all components that show strings.
 */
export const language = new Stored<Language>('en')

/** The locale for each language. English uses en-GB, because it has days before months and a 24-hour clock. */
const LOCALES: Readonly<Record<Language, string>> = { en: 'en-GB', fr: 'fr-FR' }

/** The locale of the current language, for numbers and dates. */
export function locale(): string {
  return LOCALES[language.value]
}

/** Formats a number with the separators of the current language. */
export function toNumber(count: number): string {
  return new Intl.NumberFormat(locale()).format(count)
}

/** Formats a count with a noun in the singular or plural: "1 stop", "2 stops". */
export function countOf(count: number, forms: { readonly one: string; readonly other: string }): string {
  const isOne = new Intl.PluralRules(locale()).select(count) === 'one'
  return `${toNumber(count)} ${isOne ? forms.one : forms.other}`
}
