// Caches answers as bytes between requests, by route and address. `data` is kept for as long as it is valid; `meta` is
// rewritten each second, so that a kept answer has the same bytes as a new one.
import { LRUCache } from 'lru-cache'
import { type ContentCoding, encodeBody } from '../http/content-coding.ts'
import { ENVELOPE_START } from './envelope.ts'

/** The source of an answer: it is valid while the network still serves this snapshot. */
interface Basis {
  readonly snapshot: unknown
  readonly network: { readonly current: unknown; readonly live?: unknown }
}

/** The parts of an answer that can be kept. */
export interface LastingParts {
  /** The view the answer was read from. */
  readonly basis: Basis
  /** The envelope up to the end of `data`: JSON, or bytes that are copied. */
  readonly start: string | Uint8Array
  /** The rest of the envelope at an instant; constant within a second. @param nowMillis after 1970 */
  readonly end: (nowMillis: number) => string
  /** When it is first sent, if known: its start and end are then written together. */
  readonly nowMillis?: number
  /** The live data, if the answer depends on it: the answer is valid until the live data changes. */
  readonly live?: { readonly said: unknown }
  /** Service seconds [from, until) in which `data` equals that of a new answer; always if omitted. */
  readonly fromSeconds?: number
  readonly untilSeconds?: number
}

const encoder = new TextEncoder()
/** The end of an answer, before its length is known. */
let scratch = new Uint8Array(1 << 12)

/**
 * An answer whose `data` stays valid for a while. All that a look-up needs is in one object: when thousands of answers
 * are requested in turn, none is in the processor's cache, and every further object adds a wait.
 */
export class LastingAnswer {
  private readonly basis: Basis
  private readonly live: { readonly said: unknown } | undefined
  private readonly fromSeconds: number
  private readonly untilSeconds: number
  private readonly end: (nowMillis: number) => string
  private readonly startLength: number
  /** Start and end; the end is overwritten in place, which is safe because a Response copies its bytes. */
  private bytes: Uint8Array<ArrayBuffer>
  private body: Uint8Array<ArrayBuffer>
  private second = Number.NaN
  /** The envelope of this second in the content codings that clients requested. */
  private coded: Map<ContentCoding, Uint8Array<ArrayBuffer>> | undefined
  /** The route it is kept for; the address alone is ambiguous: the router sees paths before their dots are resolved. */
  route = ''
  /** Entity tag, on static routes. */
  tag: string | undefined

  constructor({ basis, start, end, nowMillis, live, fromSeconds, untilSeconds }: LastingParts) {
    this.basis = basis
    this.live = live
    this.fromSeconds = fromSeconds ?? Number.NEGATIVE_INFINITY
    this.untilSeconds = untilSeconds ?? Number.POSITIVE_INFINITY
    this.end = end
    const startBytes = typeof start === 'string' ? encoder.encode(start) : start
    this.startLength = startBytes.length
    const endLength = nowMillis === undefined ? 0 : this.encodeEnd(nowMillis)
    this.bytes = new Uint8Array(startBytes.length + endLength)
    this.bytes.set(startBytes)
    for (let at = 0; at < endLength; at++) this.bytes[startBytes.length + at] = scratch[at]
    this.body = this.bytes
  }

  /** Approximate bytes of this answer: a compressed form has at most a fifth of the plain one's. */
  get byteLength(): number {
    return Math.ceil(this.bytes.length * 1.4)
  }

  /** Whether a new answer would be the same. */
  holdsAt(nowMillis: number): boolean {
    const { basis, live } = this
    if (basis.network.current !== basis.snapshot) return false
    if (live !== undefined && basis.network.live !== live.said) return false
    const second = Math.floor(nowMillis / 1000)
    return second >= this.fromSeconds && second < this.untilSeconds
  }

  /** The whole envelope at an instant; valid until the next call. */
  bodyAt(nowMillis: number): Uint8Array<ArrayBuffer> {
    const second = Math.floor(nowMillis / 1000)
    if (second !== this.second) {
      this.writeEnd(scratch.subarray(0, this.encodeEnd(nowMillis)))
      this.coded = undefined
    }
    return this.body
  }

  /** The compressed envelope. */
  codedAt(nowMillis: number, coding: ContentCoding): Uint8Array<ArrayBuffer> {
    const body = this.bodyAt(nowMillis)
    this.coded ??= new Map()
    return this.coded.getOrInsertComputed(coding, () => encodeBody(body, coding))
  }

  /** Writes the end at an instant into the scratch bytes; returns its length. */
  private encodeEnd(nowMillis: number): number {
    this.second = Math.floor(nowMillis / 1000)
    const text = this.end(nowMillis)
    if (scratch.length < text.length * 3) scratch = new Uint8Array(text.length * 3)
    return encoder.encodeInto(text, scratch).written
  }

  private writeEnd(end: Uint8Array): void {
    const length = this.startLength + end.length
    if (length > this.bytes.length) {
      const wider = new Uint8Array(length)
      wider.set(this.bytes.subarray(0, this.startLength))
      this.bytes = wider
    }
    this.bytes.set(end, this.startLength)
    this.body = this.bytes.subarray(0, length)
  }
}

/** An answer whose `data` is a text, for a view that never changes. */
export function lastingText(basis: Basis, data: string, end: (nowMillis: number) => string): LastingAnswer {
  return new LastingAnswer({ basis, start: ENVELOPE_START + data, end })
}

/** Approximate overhead of an entry besides its bytes and its address. */
const ENTRY_BYTES = 512
/** An answer larger than this share of the cache is not kept. */
const LARGEST_SHARE = 1 / 16

/** The kept answers of one thread; the least recently used are dropped first. */
export class AnswerCache {
  private readonly answers: LRUCache<string, LastingAnswer>
  private findCount = 0

  constructor(byteLimit: number) {
    const maxSize = Math.max(1, Math.floor(byteLimit))
    this.answers = new LRUCache({
      maxSize,
      maxEntrySize: Math.max(1, Math.floor(maxSize * LARGEST_SHARE)),
      sizeCalculation: (answer, address) => answer.byteLength + address.length + ENTRY_BYTES,
    })
  }

  /** The answer of a route for an address, if a new answer would be the same. */
  find(route: string, address: string, nowMillis: number): LastingAnswer | undefined {
    // One use in eight is recorded: enough to find the least used, and recording costs half of a look-up.
    const kept = (this.findCount++ & 7) === 0 ? this.answers.get(address) : this.answers.peek(address)
    return kept !== undefined && kept.route === route && kept.holdsAt(nowMillis) ? kept : undefined
  }

  /** Keeps an answer for a route under its address, if it is small enough. */
  keep(address: string, answer: LastingAnswer, { route, tag }: { route: string; tag: string | undefined }): void {
    answer.route = route
    answer.tag = tag
    this.answers.set(address, answer)
  }

  clear(): void {
    this.answers.clear()
  }
}
