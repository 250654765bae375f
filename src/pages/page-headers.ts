// What browsers are told to keep to on every answer of a port with pages: everything from here, nothing inline, in nobody's
// frame.

/** What one port allows more than another. */
export interface PageRules {
  /** Directives of the content policy besides those that all ports have: `connect-src 'self' https://api.example`. */
  readonly policy: readonly string[]
  /** Whether people reach the port over TLS alone. */
  readonly isSecure: boolean
}

const YEAR_SECONDS = 31_536_000
const REST_OF_POLICY = ["frame-ancestors 'none'", "base-uri 'none'", "object-src 'none'"]

/** The headers of every answer. */
export function pageHeaders({ policy, isSecure }: PageRules): readonly (readonly [name: string, value: string])[] {
  return [
    ['Content-Security-Policy', ["default-src 'self'", ...policy, ...REST_OF_POLICY].join('; ')],
    ['X-Content-Type-Options', 'nosniff'],
    ['X-Frame-Options', 'DENY'],
    ['Referrer-Policy', 'no-referrer'],
    ['Cross-Origin-Opener-Policy', 'same-origin'],
    ['Cross-Origin-Resource-Policy', 'same-origin'],
    ['Permissions-Policy', 'camera=(), geolocation=(), microphone=(), payment=(), usb=()'],
    ...(isSecure ? ([['Strict-Transport-Security', `max-age=${YEAR_SECONDS}; includeSubDomains`]] as const) : []),
  ]
}

/** Puts them on a response. What says nothing of how long it may be kept is not kept at all. */
export function addPageHeaders(
  response: Response,
  headers: readonly (readonly [name: string, value: string])[],
): Response {
  for (const [name, value] of headers) response.headers.set(name, value)
  if (!response.headers.has('cache-control')) response.headers.set('Cache-Control', 'no-store')
  return response
}
