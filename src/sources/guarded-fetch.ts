// Asks an address on the web for something, within bounds: few redirects and none to where an outsider must not lead us,
// one deadline for headers and body, a cap on the decoded bytes. What goes wrong has one word and one sentence, and
// neither names more of the address than its host.
import { lookup } from 'node:dns/promises'
import { judgeRedirect } from './redirect-policy.ts'

/** Why nothing usable came: `fetch_timeout`, `fetch_failed`, `http_<status>`, `too_large`, `redirect_refused`, `disk_full`. */
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

/** What is asked for, and within what bounds. */
export interface FetchOrder {
  readonly url: string
  /** Sent to the address's own origin only. */
  readonly headers: Readonly<Record<string, string>>
  /** Headers for one address only, such as conditions: those of a file mean nothing to another. */
  readonly headersFor: (url: string) => Readonly<Record<string, string>>
  /** For everything together. */
  readonly deadlineMillis: number
  /** Longest wait for the next byte. */
  readonly idleMillis: number
  /** Most bytes of the body, decoded. */
  readonly maxBytes: number
  /** Asked before each redirect is followed, where calls are counted; usually all may be. */
  readonly mayFollow?: () => boolean
}

/** An answer whose body is read as it comes. */
export interface GuardedAnswer {
  readonly status: number
  readonly headers: Headers
  /** The address that answered, after redirects. May hold a secret. */
  readonly url: string
  /** The body, decoded. Throws DownloadFailed; must be read to its end, or `dismiss`ed. */
  chunks(): AsyncGenerator<Uint8Array>
  dismiss(): void
}

const MAX_REDIRECTS = 3
const REDIRECTS = [301, 302, 303, 307, 308]

/** An address as people may read it: scheme, host and whether there is more, without names, passwords, path or query. */
export function describeSource(url: string): string {
  const parsed = URL.parse(url)
  if (parsed === null) return 'an address that is none'
  return `${parsed.protocol}//${parsed.host}${parsed.pathname === '/' && parsed.search === '' ? '' : '/…'}`
}

/** Asks once. Throws DownloadFailed where no answer comes; whatever status comes is the caller's to judge. */
export async function fetchGuarded(order: FetchOrder): Promise<GuardedAnswer> {
  const watch = new Watch(order)
  try {
    return await followRedirects(order, watch)
  } catch (error) {
    watch.end()
    throw watch.explain(error)
  }
}

async function followRedirects(order: FetchOrder, watch: Watch): Promise<GuardedAnswer> {
  const first = new URL(order.url)
  let url = first
  for (let hops = 0; ; hops++) {
    const headers = new Headers({ 'accept-encoding': 'identity' }) // a zip is packed already
    const own = url.origin === first.origin ? order.headers : {}
    for (const [name, value] of [...Object.entries(own), ...Object.entries(order.headersFor(url.href))]) {
      headers.set(name, value)
    }
    const answer = await fetch(url.href, { headers, redirect: 'manual', signal: watch.signal })
    watch.touch()
    if (!REDIRECTS.includes(answer.status)) return new OpenAnswer({ answer, order, watch, url: url.href })
    await answer.body?.cancel()
    if (hops === MAX_REDIRECTS) throw refusedRedirect(order, `after ${MAX_REDIRECTS} others`)
    const verdict = await judgeRedirect({ first, from: url, location: answer.headers.get('location') }, listAddresses)
    if (verdict.kind === 'refuse') throw refusedRedirect(order, verdict.why)
    if (order.mayFollow?.() === false) throw refusedRedirect(order, 'while no call is left in its budget')
    url = verdict.to
    if (url.origin === first.origin && url.username === '') {
      url.username = first.username
      url.password = first.password
    }
  }
}

function refusedRedirect(order: FetchOrder, why: string): DownloadFailed {
  return new DownloadFailed('redirect_refused', `${describeSource(order.url)} redirects ${why}, which is not followed`)
}

async function listAddresses(host: string): Promise<string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address)
}

class OpenAnswer implements GuardedAnswer {
  readonly status: number
  readonly headers: Headers
  readonly url: string
  private readonly answer: Response
  private readonly order: FetchOrder
  private readonly watch: Watch

  constructor({ answer, order, watch, url }: { answer: Response; order: FetchOrder; watch: Watch; url: string }) {
    this.status = answer.status
    this.headers = answer.headers
    this.answer = answer
    this.url = url
    this.order = order
    this.watch = watch
  }

  async *chunks(): AsyncGenerator<Uint8Array> {
    let bytes = 0
    try {
      for await (const chunk of this.answer.body ?? []) {
        this.watch.touch()
        bytes += chunk.byteLength
        if (bytes > this.order.maxBytes) {
          const what = `sends more than ${this.order.maxBytes} bytes`
          throw new DownloadFailed('too_large', `${describeSource(this.order.url)} ${what}`)
        }
        yield chunk
      }
      this.checkLength(bytes)
    } catch (error) {
      throw this.watch.explain(error)
    } finally {
      this.dismiss()
    }
  }

  /** A body of another length than its header says was cut off, unless it was packed on the way. */
  private checkLength(bytes: number): void {
    const stated = this.headers.get('content-length')
    if (stated === null || this.headers.has('content-encoding') || Number(stated) === bytes) return
    const what = `sent ${bytes} of ${stated} bytes`
    throw new DownloadFailed('fetch_failed', `${describeSource(this.order.url)} ${what}`)
  }

  dismiss(): void {
    this.watch.end()
  }
}

/** The clock of one request: ends it when it takes too long, or stops moving. */
class Watch {
  private readonly order: FetchOrder
  private readonly controller = new AbortController()
  private readonly deadline: ReturnType<typeof setTimeout>
  private idle: ReturnType<typeof setTimeout>
  private isLate = false

  constructor(order: FetchOrder) {
    this.order = order
    this.deadline = setTimeout(() => this.expire(), order.deadlineMillis)
    this.idle = setTimeout(() => this.expire(), order.idleMillis)
  }

  get signal(): AbortSignal {
    return this.controller.signal
  }

  /** Something came. */
  touch(): void {
    clearTimeout(this.idle)
    if (!this.controller.signal.aborted) this.idle = setTimeout(() => this.expire(), this.order.idleMillis)
  }

  /** Stops the clock, and whatever may still be coming. */
  end(): void {
    clearTimeout(this.deadline)
    clearTimeout(this.idle)
    this.controller.abort()
  }

  /** What was thrown, as a failure without anything secret in it. */
  explain(error: unknown): DownloadFailed {
    if (error instanceof DownloadFailed) return error
    const host = describeSource(this.order.url)
    if (this.isLate) return new DownloadFailed('fetch_timeout', `${host} did not answer in time`)
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
    return new DownloadFailed('fetch_failed', `${host} could not be reached, or broke off${code}`)
  }

  private expire(): void {
    this.isLate = true
    this.controller.abort()
  }
}

/** What a Retry-After header asks for, in milliseconds: seconds or a date. */
export function readRetryAfter(header: string | null, nowMillis: number): number | undefined {
  if (header === null) return undefined
  if (/^\d+$/.test(header)) return Number(header) * 1000
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMillis)
}
