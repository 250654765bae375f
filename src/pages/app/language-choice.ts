// Chooses the language of the pages: the user's choice, stored in this browser, otherwise the browser's language.
import { LANGUAGE_NAMES, type Language, language } from './language.ts'

const SLOT = 'quai-language'

/** Sets the language that the user chose earlier, otherwise the first of the browser's languages that is available. */
export function startLanguage(): void {
  const chosen = localStorage.getItem(SLOT)
  const wanted = [chosen ?? '', ...navigator.languages].map((tag) => tag.slice(0, 2).toLowerCase())
  show(wanted.find(isLanguage) ?? 'en')
}

/** Changes the language, and stores the choice in this browser. */
export function chooseLanguage(chosen: Language): void {
  localStorage.setItem(SLOT, chosen)
  show(chosen)
}

function show(chosen: Language): void {
  document.documentElement.lang = chosen
  language.set(chosen)
}

function isLanguage(word: string): word is Language {
  return Object.hasOwn(LANGUAGE_NAMES, word)
}
