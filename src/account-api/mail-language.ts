// The language of emails: the available language that the request prefers.

/** A language in which emails are available, as its BCP 47 code. */
export type MailLanguage = 'en' | 'fr'

const LONGEST_HEADER = 200

/** The supported language that an Accept-Language header prefers; English if the header names no supported language. */
export function mailLanguage(acceptLanguage: string | null): MailLanguage {
  const ranges = (acceptLanguage ?? '').slice(0, LONGEST_HEADER).split(',')
  const wanted = ranges.map((range) => {
    const [tag = '', ...parameters] = range.trim().toLowerCase().split(';')
    const weight = parameters.map((each) => /^\s*q=([\d.]+)\s*$/.exec(each)?.[1]).find((each) => each !== undefined)
    return { language: tag.split('-')[0], weight: Number(weight ?? 1) }
  })
  const sorted = wanted.filter(({ weight }) => weight > 0).sort((one, other) => other.weight - one.weight)
  const first = sorted.find(({ language }) => language === 'en' || language === 'fr')
  return first?.language === 'fr' ? 'fr' : 'en'
}
