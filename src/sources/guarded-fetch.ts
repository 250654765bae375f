// A safe HTTP request. It follows only a few redirects, and none from a public host into a private network. It has one
// deadline for headers and body, and limits the number of decoded bytes. A failure has a reason, and a message that
// reveals only the host.
import { codingOf, decodeBody, isKnownCoding } from './body-decoding.ts'
import { CheckedHosts, type ResolveHost } from './checked-hosts.ts'
import { DownloadFailed, describeSource } from './download-failed.ts'
import { FetchWatch } from './fetch-watch.ts'
import { judgeRedirect } from './redirect-policy.ts'

/** A request and its limits. */
export interface FetchOrder {
  readonly url: string
  /** Headers that are sent only to the origin of `url`, not to another origin after a redirect. */
  readonly headers: Readonly<Record<string, string>>
  /** Headers that depend on the URL, such as If-None-Match. */
  readonly headersFor: (url: string) => Readonly<Record<string, string>>
  /** Time limit for the whole request: redirects, headers and body. */
  readonly deadlineMillis: number
  /** Maximum time without receiving a byte. */
  readonly idleMillis: number
  /** Minimum average speed over a period; if absent, only `idleMillis` applies. */
  readonly slowest?: { readonly bytesPerSecond: number; readonly overMillis: number }
  /** Maximum size of the decoded body, in bytes. */
  readonly maxBytes: number
  /**
   * Called before each redirect is followed, so that the caller can count every request to a source. If it returns
   * false, the redirect is not followed. If absent, redirects are always allowed.
   */
  readonly mayFollow?: () => boolean | Promise<boolean>
  /** Resolves host names; the system's resolver if absent. */
  readonly lookUp?: ResolveHost
}

/** A response with a streamed body. */
export interface GuardedAnswer {
  readonly status: number
  readonly headers: Headers
  /** The final URL after redirects. May contain a secret. */
  readonly url: string
  /** Yields the decoded body. Throws DownloadFailed. The caller must read the body to the end or call `dismiss`. */
  chunks(): AsyncGenerator<Uint8Array>
  dismiss(): void
}

const MAX_REDIRECTS = 3
/**
 * Maximum compression ratio of bodies larger than RATIO_FREE_BYTES. Real feeds have a compression ratio of about 10.
 */
const MAX_RATIO = 200
const RATIO_FREE_BYTES = 1024 ** 2
const REDIRECTS = [301, 302, 303, 307, 308]

/** Sends one request. Throws DownloadFailed if there is no response; the caller has to check the status. */
export async function fetchGuarded(order: FetchOrder): Promise<GuardedAnswer> {
  const watch = new FetchWatch(order)
  try {
    return await followRedirects(order, watch)
  } catch (error) {
    watch.end()
    throw watch.explain(error)
  }
}

async function followRedirects(order: FetchOrder, watch: FetchWatch): Promise<GuardedAnswer> {
  const first = new URL(order.url)
  const hosts = new CheckedHosts(order.lookUp)
  await watch.race(hosts.open(first))
  let url = first
  for (let hops = 0; ; hops++) {
    const headers = new Headers({ 'accept-encoding': 'identity' }) // no compression by default: a zip is already compressed
    const own = url.origin === first.origin ? order.headers : {}
    for (const [name, value] of [...Object.entries(own), ...Object.entries(order.headersFor(url.href))]) {
      headers.set(name, value)
    }
    // Bun must not decode the body: it would decode without backpressure, so a compression bomb would fill the memory.
    const answer = await hosts.fetch(url, { headers, redirect: 'manual', signal: watch.signal, decompress: false })
    watch.touch()
    if (!REDIRECTS.includes(answer.status)) return new OpenAnswer({ answer, order, watch, url: url.href })
    await answer.body?.cancel()
    if (hops === MAX_REDIRECTS) throw refusedRedirect(order, `more than ${MAX_REDIRECTS} times`)
    const redirect = { first, from: url, location: answer.headers.get('location') }
    const verdict = await watch.race(judgeRedirect(redirect, hosts.resolve))
    if (verdict.kind === 'refuse') throw refusedRedirect(order, verdict.why)
    if ((await order.mayFollow?.()) === false)
      throw refusedRedirect(order, '', ' because the request budget is used up')
    url = verdict.to
    if (url.hostname !== first.hostname) hosts.pin(url)
    if (url.origin === first.origin && url.username === '') {
      url.username = first.username
      url.password = first.password
    }
  }
}

/**
 * @param where follows the word `redirects` in the message, such as `into a private network`; empty if `why` explains
 * the refusal
 * @param why another reason for the refusal, worded as the end of the sentence
 */
function refusedRedirect(order: FetchOrder, where: string, why = ''): DownloadFailed {
  const redirects = where === '' ? 'redirects' : `redirects ${where}`
  const source = describeSource(order.url)
  return new DownloadFailed('redirect_refused', `${source} ${redirects}; the redirect was not followed${why}`)
}

class OpenAnswer implements GuardedAnswer {
  readonly status: number
  readonly headers: Headers
  readonly url: string
  private readonly answer: Response
  private readonly order: FetchOrder
  private readonly watch: FetchWatch
  /** Number of body bytes received, before decoding. */
  private receivedBytes = 0

  constructor({ answer, order, watch, url }: { answer: Response; order: FetchOrder; watch: FetchWatch; url: string }) {
    this.status = answer.status
    this.headers = answer.headers
    this.answer = answer
    this.url = url
    this.order = order
    this.watch = watch
  }

  async *chunks(): AsyncGenerator<Uint8Array> {
    const { maxBytes } = this.order
    let bytes = 0
    try {
      const coding = codingOf(this.headers.get('content-encoding'))
      if (!isKnownCoding(coding))
        throw this.fail('unknown_coding', `uses the unsupported encoding ${JSON.stringify(coding)}`)
      if (Number(this.headers.get('content-length') ?? 0) > maxBytes) throw this.tooLarge()
      const progress = { packedBytes: 0 }
      for await (const chunk of decodeBody(this.receive(), coding, progress)) {
        bytes += chunk.byteLength
        if (bytes > maxBytes) throw this.tooLarge()
        if (bytes > RATIO_FREE_BYTES && bytes > MAX_RATIO * progress.packedBytes) {
          throw this.fail('too_large', `sends data that expands to more than ${MAX_RATIO} times its size`)
        }
        this.watch.check()
        yield chunk
      }
      this.checkLength()
    } catch (error) {
      throw this.watch.explain(error)
    } finally {
      this.dismiss()
    }
  }

  /** The body as it is received, before decoding. */
  private async *receive(): AsyncGenerator<Uint8Array> {
    for await (const chunk of this.answer.body ?? []) {
      this.watch.touch(chunk.byteLength)
      this.receivedBytes += chunk.byteLength
      yield chunk
    }
  }

  /** Throws if the body is shorter or longer than its Content-Length, for example because it was truncated. */
  private checkLength(): void {
    const stated = this.headers.get('content-length')
    if (stated === null || Number(stated) === this.receivedBytes) return
    throw this.fail('fetch_failed', `sent ${this.receivedBytes} of ${stated} bytes`)
  }

  private tooLarge(): DownloadFailed {
    return this.fail('too_large', `sends more than ${this.order.maxBytes} bytes`)
  }

  private fail(reason: string, what: string): DownloadFailed {
    return new DownloadFailed(reason, `${describeSource(this.order.url)} ${what}`)
  }

  dismiss(): void {
    this.watch.end()
  }
}

/** The delay that a Retry-After header requests, in milliseconds. The header contains a number of seconds or a date. */
export function readRetryAfter(header: string | null, nowMillis: number): number | undefined {
  if (header === null) return undefined
  if (/^\d+$/.test(header)) return Number(header) * 1000
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMillis)
}
