// Cross-origin answers: which pages may read them, by the origins the configuration allows.

type HeaderRecord = Readonly<Record<string, string>>

const EXPOSED = 'RateLimit-Policy, RateLimit, Retry-After, X-Request-Id, ETag, Link, traceparent'
const NO_HEADERS: HeaderRecord = {}
/** How long a browser may keep the answer to a preflight. */
const PREFLIGHT_SECONDS = 86_400

/** The origins whose pages may read answers. */
export class Cors {
  private readonly byOrigin: ReadonlyMap<string, HeaderRecord>
  private readonly toAll: HeaderRecord | undefined

  /** @param origins `*` is all of them */
  constructor(origins: readonly string[]) {
    this.toAll = origins.includes('*') ? grantTo('*') : undefined
    this.byOrigin = new Map(origins.map((origin) => [origin, grantTo(origin)]))
  }

  /** The headers that let a page of an origin read an answer; none where there is no origin or it is not allowed. */
  headersFor(origin: string | null): HeaderRecord {
    if (this.toAll !== undefined) return this.toAll
    if (origin === null) return NO_HEADERS
    return this.byOrigin.get(origin) ?? NO_HEADERS
  }

  /** The headers that every answer has, whoever asks: where all origins may read it. */
  get always(): HeaderRecord {
    return this.toAll ?? NO_HEADERS
  }

  /** Adds to an answer that has those what the origin that asks decides. */
  grant(response: Response, origin: string): void {
    if (this.toAll !== undefined) return
    for (const [name, value] of Object.entries(this.headersFor(origin))) response.headers.set(name, value)
  }

  /** A Vary header: what an answer varies by anyway, and the origin where that decides its headers. */
  vary(others: readonly string[]): HeaderRecord {
    const isByOrigin = this.toAll === undefined && this.byOrigin.size > 0
    const names = isByOrigin ? [...others, 'Origin'] : others
    return names.length === 0 ? NO_HEADERS : { Vary: names.join(', ') }
  }

  /** The answer to OPTIONS: no key, no body, no charge. @param more headers it has besides */
  preflight(headers: Headers, requestId: string, more: HeaderRecord): Response {
    const granted = this.headersFor(headers.get('origin'))
    const isGranted = granted !== NO_HEADERS
    return new Response(null, {
      status: 204,
      headers: {
        ...more,
        Allow: ALLOWED_METHODS,
        'X-Request-Id': requestId,
        ...this.vary(['Access-Control-Request-Method', 'Access-Control-Request-Headers']),
        ...granted,
        ...(isGranted
          ? {
              'Access-Control-Allow-Methods': ALLOWED_METHODS,
              'Access-Control-Allow-Headers': 'Authorization, Accept, If-None-Match, X-Request-Id, traceparent',
              'Access-Control-Max-Age': String(PREFLIGHT_SECONDS),
            }
          : {}),
      },
    })
  }
}

/** The methods of every route. */
export const ALLOWED_METHODS = 'GET, HEAD'

function grantTo(origin: string): HeaderRecord {
  return { 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': EXPOSED }
}
