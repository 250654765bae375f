// Chooses the language of the pages: the one that the user chose, which is stored in this browser, or else the
// browser's language.
import { LANGUAGE_NAMES, type Language, language } from './language.ts'

const SLOT = 'quai-language'

/** Sets the language that the user chose earlier, or else the first available one among the browser's languages. */
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
