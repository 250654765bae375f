// Decodes strings that a feed provides in several languages.
import type { Translation } from './message.ts'
import { bytesTag, type WireReader } from './wire-reader.ts'

/** Reads a TranslatedString, and adds its translations to those read before. */
export function readTranslations(reader: WireReader, translations: Translation[]): void {
  const outerEnd = reader.enter()
  while (reader.at < reader.end) {
    const tag = reader.tag()
    if (tag === bytesTag(1)) readTranslation(reader, translations)
    else reader.skip(tag)
  }
  reader.leave(outerEnd)
}

function readTranslation(reader: WireReader, translations: Translation[]): void {
  let text: string | undefined
  let language: string | undefined
  const outerEnd = reader.enter()
  while (reader.at < reader.end) {
    const tag = reader.tag()
    if (tag === bytesTag(1)) text = reader.text()
    else if (tag === bytesTag(2)) language = reader.text()
    else reader.skip(tag)
  }
  reader.leave(outerEnd)
  if (text !== undefined) translations.push({ text, language })
}
