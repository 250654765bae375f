// Reads the title, message and URL of an alert: chooses the translation in the operator's language, and converts it to
// plain text of limited length.
import type { AlertReport, Translation } from '../../loaders/gtfs-rt/message.ts'
import { cutText, toPlainLine, toPlainText } from './html-text.ts'
import { chooseText } from './translations.ts'

/** Maximum lengths in UTF-16 code units. Longer titles and messages are cut, and each cut is counted. */
const TITLE_LIMIT = 500
const MESSAGE_LIMIT = 10_000
/** Maximum length of a URL. Longer URLs are not addresses of real pages. */
const URL_LIMIT = 2048

/** The title, message and URL of an alert, as plain text. */
export interface AlertTexts {
  readonly title: string
  readonly message: string
  readonly url: string | null
}

/**
 * Reads the title, message and URL of an alert in the operator's language.
 * @param count called with a reason whenever one of them is cut or dropped
 */
export function readTexts(
  report: Pick<AlertReport, 'header' | 'description' | 'url'>,
  language: string,
  count: (reason: string) => void,
): AlertTexts {
  const cut = (text: string, limit: number) => {
    if (text.length > limit) count('alert_text_cut')
    return cutText(text, limit)
  }
  return {
    title: cut(chooseText(report.header, language, toPlainLine), TITLE_LIMIT),
    message: cut(chooseText(report.description, language, toPlainText), MESSAGE_LIMIT),
    url: readUrl(report.url, language, count),
  }
}

function readUrl(translations: readonly Translation[], language: string, count: (reason: string) => void) {
  const text = chooseText(translations, language, (each) => each.trim())
  if (text === '') return null
  const address = URL.canParse(text) ? new URL(text) : undefined
  const isUsable = (address?.protocol === 'https:' || address?.protocol === 'http:') && text.length <= URL_LIMIT
  if (address !== undefined && isUsable) return address.href
  count('unusable_alert_url')
  return null
}
