// What every answer of the API tells browsers: to take it for what it says it is, and, over TLS, to come back over TLS.

const NO_SNIFFING = { 'X-Content-Type-Options': 'nosniff' }
const TLS_ALONE = { ...NO_SNIFFING, 'Strict-Transport-Security': 'max-age=31536000' }

/** The headers. @param baseUrl where clients reach the API */
export function safetyHeaders(baseUrl: string): Readonly<Record<string, string>> {
  return baseUrl.startsWith('https:') ? TLS_ALONE : NO_SNIFFING
}
