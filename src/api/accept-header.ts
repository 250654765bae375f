// The Accept header: whether a client takes JSON. Only an explicit exclusion counts.

/** Media ranges that cover JSON, the most exact first. */
const COVERING = ['application/json', 'application/*', '*/*']

/** Whether an Accept header lets JSON through; it does where it is absent, empty or says nothing readable. */
export function acceptsJson(accept: string | null): boolean {
  if (accept === null || accept === '*/*' || accept === 'application/json' || accept.trim() === '') return true
  const qualities = new Map<string, number>()
  for (const range of accept.toLowerCase().split(',')) {
    const [media = '', ...parameters] = range.split(';').map((part) => part.trim())
    const quality = parameters.find((parameter) => parameter.startsWith('q='))
    qualities.set(media, quality === undefined ? 1 : Number(quality.slice(2)))
  }
  for (const media of COVERING) {
    const quality = qualities.get(media)
    // The most exact range rules; a quality that is no number excludes nothing.
    if (quality !== undefined) return quality !== 0
  }
  return false
}
