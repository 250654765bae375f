// Chooses one of the translations of a string in a live feed.
import type { Translation } from '../../loaders/gtfs-rt/message.ts'

/**
 * The translation in the requested language. If there is none, a translation in a regional variant of the language,
 * then a translation without a language, then the first other translation. Translations that are empty as plain text
 * are ignored.
 */
export function chooseText(
  translations: readonly Translation[],
  language: string,
  toPlain: (text: string) => string,
): string {
  const wanted = language.toLowerCase()
  const ranked = translations
    .map((translation, place) => ({ ...translation, rank: rankOf(translation.language, wanted), place }))
    .sort((a, b) => a.rank - b.rank || a.place - b.place)
  for (const { text } of ranked) {
    const plain = toPlain(text)
    if (plain !== '') return plain
  }
  return ''
}

function rankOf(language: string | undefined, wanted: string): number {
  const tag = language?.toLowerCase().replaceAll('_', '-') ?? ''
  if (tag === '') return 2
  if (tag === wanted) return 0
  return wanted !== '' && primaryOf(tag) === primaryOf(wanted) ? 1 : 3
}

function primaryOf(tag: string): string {
  return tag.split('-')[0] ?? ''
}
