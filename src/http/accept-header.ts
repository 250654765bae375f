// The Accept header: whether a client takes what a route answers. Only an explicit exclusion counts.

/** What routes answer. */
export type MediaType = 'application/json' | 'text/event-stream'

/** Media ranges that cover each, the most exact first. */
const COVERING: Readonly<Record<MediaType, readonly string[]>> = {
  'application/json': ['application/json', 'application/*', '*/*'],
  'text/event-stream': ['text/event-stream', 'text/*', '*/*'],
}

/** Whether an Accept header lets a media type through; it does where it is absent, empty or says nothing readable. */
export function acceptsMedia(accept: string | null, type: MediaType): boolean {
  if (accept === null || accept === '*/*' || accept === type || accept.trim() === '') return true
  const qualities = new Map<string, number>()
  for (const range of accept.toLowerCase().split(',')) {
    const [media = '', ...parameters] = range.split(';').map((part) => part.trim())
    const quality = parameters.find((parameter) => parameter.startsWith('q='))
    qualities.set(media, quality === undefined ? 1 : Number(quality.slice(2)))
  }
  for (const media of COVERING[type]) {
    const quality = qualities.get(media)
    // The most exact range rules; a quality that is no number excludes nothing.
    if (quality !== undefined) return quality !== 0
  }
  return false
}
