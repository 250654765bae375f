// The error for a failed download. It has a reason for programs, and a message that reveals only the host of the URL.

/**
 * A failed download. Its reasons: `fetch_timeout`, `fetch_failed`, `http_<status>`, `too_large`, `unknown_coding`,
 * `redirect_refused`, `disk_full`.
 */
export class DownloadFailed extends Error {
  override readonly name = 'DownloadFailed'
  readonly reason: string
  /** Retry delay requested by the server, in milliseconds; undefined if the server requested none. */
  readonly retryAfterMillis: number | undefined

  constructor(reason: string, message: string, retryAfterMillis?: number) {
    super(message)
    this.reason = reason
    this.retryAfterMillis = retryAfterMillis
  }
}

/** A URL for messages, without secrets: only the scheme and host, without the user name, password, path and query. */
export function describeSource(url: string): string {
  const parsed = URL.parse(url)
  if (parsed === null) return 'an invalid URL'
  return `${parsed.protocol}//${parsed.host}${parsed.pathname === '/' && parsed.search === '' ? '' : '/…'}`
}
