// Why a download brought nothing, in one word and one sentence that names no more of an address than its host.

/** Why nothing usable came: `fetch_timeout`, `fetch_failed`, `http_<status>`, `too_large`, `unknown_coding`, `redirect_refused`, `disk_full`. */
export class DownloadFailed extends Error {
  override readonly name = 'DownloadFailed'
  readonly reason: string
  /** How long the other side asks to be left alone, in milliseconds; undefined where it does not say. */
  readonly retryAfterMillis: number | undefined

  constructor(reason: string, message: string, retryAfterMillis?: number) {
    super(message)
    this.reason = reason
    this.retryAfterMillis = retryAfterMillis
  }
}

/** An address as people may read it: scheme, host and whether there is more, without names, passwords, path or query. */
export function describeSource(url: string): string {
  const parsed = URL.parse(url)
  if (parsed === null) return 'an address that is none'
  return `${parsed.protocol}//${parsed.host}${parsed.pathname === '/' && parsed.search === '' ? '' : '/…'}`
}
