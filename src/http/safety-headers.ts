// Security headers of all API responses: no content sniffing and, over TLS, HSTS.

const NO_SNIFFING = { 'X-Content-Type-Options': 'nosniff' }
const TLS_ALONE = { ...NO_SNIFFING, 'Strict-Transport-Security': 'max-age=31536000' }

/** Returns the security headers. @param baseUrl the API's public address */
export function safetyHeaders(baseUrl: string): Readonly<Record<string, string>> {
  return baseUrl.startsWith('https:') ? TLS_ALONE : NO_SNIFFING
}
