// CORS headers, which let pages on the configured origins read responses.

type HeaderRecord = Readonly<Record<string, string>>

const EXPOSED = 'RateLimit-Policy, RateLimit, Retry-After, X-Request-Id, ETag, Link, traceparent'
const NO_HEADERS: HeaderRecord = {}
/** How long browsers may cache a preflight response. */
const PREFLIGHT_SECONDS = 86_400

/** The origins whose pages may read responses. */
export class Cors {
  private readonly byOrigin: ReadonlyMap<string, HeaderRecord>
  private readonly toAll: HeaderRecord | undefined

  /** @param origins the allowed origins; `*` allows all */
  constructor(origins: readonly string[]) {
    this.toAll = origins.includes('*') ? grantTo('*') : undefined
    this.byOrigin = new Map(origins.map((origin) => [origin, grantTo(origin)]))
  }

  /** Returns the CORS headers for an origin; empty if the origin is null or not allowed. */
  headersFor(origin: string | null): HeaderRecord {
    if (this.toAll !== undefined) return this.toAll
    if (origin === null) return NO_HEADERS
    return this.byOrigin.get(origin) ?? NO_HEADERS
  }

  /** The CORS headers that every response has; empty unless all origins are allowed. */
  get always(): HeaderRecord {
    return this.toAll ?? NO_HEADERS
  }

  /**
   * Adds the CORS headers that depend on the request's origin. The response must already have the headers in `always`.
   */
  grant(response: Response, origin: string): void {
    if (this.toAll !== undefined) return
    for (const [name, value] of Object.entries(this.headersFor(origin))) response.headers.set(name, value)
  }

  /** Returns the Vary header: the names in `others`, and Origin if the CORS headers depend on it. */
  vary(others: readonly string[]): HeaderRecord {
    const isByOrigin = this.toAll === undefined && this.byOrigin.size > 0
    const names = isByOrigin ? [...others, 'Origin'] : others
    return names.length === 0 ? NO_HEADERS : { Vary: names.join(', ') }
  }

  /**
   * Responds to an OPTIONS request with 204. The request needs no key and costs no units.
   * @param more additional headers
   */
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
              'Access-Control-Allow-Headers':
                'Authorization, Accept, If-None-Match, Last-Event-ID, X-Request-Id, traceparent',
              'Access-Control-Max-Age': String(PREFLIGHT_SECONDS),
            }
          : {}),
      },
    })
  }
}

/** The methods that every data API route allows. */
export const ALLOWED_METHODS = 'GET, HEAD'

function grantTo(origin: string): HeaderRecord {
  return { 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': EXPOSED }
}
