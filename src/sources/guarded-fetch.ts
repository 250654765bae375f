// Asks an address on the web for something, within bounds: few redirects and none to where an outsider must not lead us,
// one deadline for headers and body, a cap on the decoded bytes. What goes wrong has one word and one sentence, and
// neither names more of the address than its host.
import { codingOf, decodeBody, isKnownCoding } from './body-decoding.ts'
import { CheckedHosts, type ResolveHost } from './checked-hosts.ts'
import { DownloadFailed, describeSource } from './download-failed.ts'
import { FetchWatch } from './fetch-watch.ts'
import { judgeRedirect } from './redirect-policy.ts'

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
  /** The slowest pace, on average over any such time; any pace above `idleMillis` is fine if absent. */
  readonly slowest?: { readonly bytesPerSecond: number; readonly overMillis: number }
  /** Most bytes of the body, decoded. */
  readonly maxBytes: number
  /** Asked before each redirect is followed, where calls are counted; usually all may be. */
  readonly mayFollow?: () => boolean
  /** How hosts are looked up; by the system if absent. */
  readonly lookUp?: ResolveHost
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
/** A body larger than RATIO_FREE_BYTES may unpack to at most so many times what was sent. Feeds pack to a tenth. */
const MAX_RATIO = 200
const RATIO_FREE_BYTES = 1024 ** 2
const REDIRECTS = [301, 302, 303, 307, 308]

/** Asks once. Throws DownloadFailed where no answer comes; whatever status comes is the caller's to judge. */
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
    const headers = new Headers({ 'accept-encoding': 'identity' }) // a zip is packed already
    const own = url.origin === first.origin ? order.headers : {}
    for (const [name, value] of [...Object.entries(own), ...Object.entries(order.headersFor(url.href))]) {
      headers.set(name, value)
    }
    // Bun would decode the body on a thread that nobody slows down: a bomb grows there until its reader comes.
    const answer = await hosts.fetch(url, { headers, redirect: 'manual', signal: watch.signal, decompress: false })
    watch.touch()
    if (!REDIRECTS.includes(answer.status)) return new OpenAnswer({ answer, order, watch, url: url.href })
    await answer.body?.cancel()
    if (hops === MAX_REDIRECTS) throw refusedRedirect(order, `after ${MAX_REDIRECTS} others`)
    const redirect = { first, from: url, location: answer.headers.get('location') }
    const verdict = await watch.race(judgeRedirect(redirect, hosts.resolve))
    if (verdict.kind === 'refuse') throw refusedRedirect(order, verdict.why)
    if (order.mayFollow?.() === false) throw refusedRedirect(order, 'while no call is left in its budget')
    url = verdict.to
    if (url.hostname !== first.hostname) hosts.pin(url)
    if (url.origin === first.origin && url.username === '') {
      url.username = first.username
      url.password = first.password
    }
  }
}

function refusedRedirect(order: FetchOrder, why: string): DownloadFailed {
  return new DownloadFailed('redirect_refused', `${describeSource(order.url)} redirects ${why}, which is not followed`)
}

class OpenAnswer implements GuardedAnswer {
  readonly status: number
  readonly headers: Headers
  readonly url: string
  private readonly answer: Response
  private readonly order: FetchOrder
  private readonly watch: FetchWatch
  /** As sent, before decoding. */
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
      if (!isKnownCoding(coding)) throw this.fail('unknown_coding', `packs its answer as ${JSON.stringify(coding)}`)
      if (Number(this.headers.get('content-length') ?? 0) > maxBytes) throw this.tooLarge()
      const progress = { packedBytes: 0 }
      for await (const chunk of decodeBody(this.receive(), coding, progress)) {
        bytes += chunk.byteLength
        if (bytes > maxBytes) throw this.tooLarge()
        if (bytes > RATIO_FREE_BYTES && bytes > MAX_RATIO * progress.packedBytes) {
          throw this.fail('too_large', `sends what unpacks to more than ${MAX_RATIO} times its size`)
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

  /** The body as it was sent. */
  private async *receive(): AsyncGenerator<Uint8Array> {
    for await (const chunk of this.answer.body ?? []) {
      this.watch.touch(chunk.byteLength)
      this.receivedBytes += chunk.byteLength
      yield chunk
    }
  }

  /** A body of another length than its header says was cut off. */
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

/** What a Retry-After header asks for, in milliseconds: seconds or a date. */
export function readRetryAfter(header: string | null, nowMillis: number): number | undefined {
  if (header === null) return undefined
  if (/^\d+$/.test(header)) return Number(header) * 1000
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMillis)
}
