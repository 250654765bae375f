// Security headers for all responses on ports with pages. By default, they allow only resources from the same origin,
// no inline code and no framing.

/** What differs between the ports that serve pages. */
export interface PageRules {
  /** Additional directives of the Content-Security-Policy, such as `connect-src 'self' https://api.example`. */
  readonly policy: readonly string[]
  /** Whether clients reach the port only over TLS. */
  readonly isSecure: boolean
  /** Whether the port's pages have a map. Such pages may request the user's position. */
  readonly hasMap?: boolean
}

const YEAR_SECONDS = 31_536_000
const REST_OF_POLICY = ["frame-ancestors 'none'", "base-uri 'none'", "object-src 'none'"]

/** The security headers for every response on a port. */
export function pageHeaders({
  policy,
  isSecure,
  hasMap,
}: PageRules): readonly (readonly [name: string, value: string])[] {
  return [
    ['Content-Security-Policy', ["default-src 'self'", ...policy, ...REST_OF_POLICY].join('; ')],
    ['X-Content-Type-Options', 'nosniff'],
    ['X-Frame-Options', 'DENY'],
    ['Referrer-Policy', 'no-referrer'],
    ['Cross-Origin-Opener-Policy', 'same-origin'],
    ['Cross-Origin-Resource-Policy', 'same-origin'],
    [
      'Permissions-Policy',
      `camera=(), geolocation=(${hasMap === true ? 'self' : ''}), microphone=(), payment=(), usb=()`,
    ],
    ...(isSecure ? ([['Strict-Transport-Security', `max-age=${YEAR_SECONDS}; includeSubDomains`]] as const) : []),
  ]
}

/** Adds the security headers to a response. A response without Cache-Control gets `no-store`. */
export function addPageHeaders(
  response: Response,
  headers: readonly (readonly [name: string, value: string])[],
): Response {
  for (const [name, value] of headers) response.headers.set(name, value)
  if (!response.headers.has('cache-control')) response.headers.set('Cache-Control', 'no-store')
  return response
}
