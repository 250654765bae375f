// Strings for the components that the apps share.
import { type Language, language } from './language.ts'

const ENGLISH = {
  copy: 'Copy',
  copied: 'Copied',
  pressCopy: 'Press Ctrl+C',
  selected: 'Selected. Press Control+C to copy.',
}

const TABLES: Readonly<Record<Language, typeof ENGLISH>> = {
  en: ENGLISH,
  fr: {
    copy: 'Copier',
    copied: 'Copié',
    pressCopy: 'Faites Ctrl C',
    selected: 'Sélectionné. Appuyez sur Contrôle C pour copier.',
  },
}

/** The shared strings in the current language. */
export function sharedTexts(): typeof ENGLISH {
  return TABLES[language.value]
}
