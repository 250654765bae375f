// Caches rendered answers as bytes. A cached answer is found by the URL of the request (its address), and is used only
// for the route that rendered it. `data` is cached for as long as it is valid. `meta` is written again whenever the
// second changes, so that a cached answer has the same bytes as a newly rendered one.
import { LRUCache } from 'lru-cache'
import { type ContentCoding, encodeBody } from '../http/content-coding.ts'
import { ENVELOPE_START } from './envelope.ts'
import { fragment, JsonBytes } from './json-bytes.ts'

/** The snapshot from which an answer was made. The answer is valid while the network still serves this snapshot. */
interface Basis {
  readonly snapshot: unknown
  readonly network: { readonly current: unknown; readonly live?: BasisLive | undefined }
}

interface BasisLive {
  readonly overlay?: object | undefined
}

/** The inputs of a LastingAnswer: the two parts of its envelope, and the conditions under which the answer is valid. */
export interface LastingParts {
  readonly basis: Basis
  /** The envelope up to the end of `data`, as a JSON string or as bytes. Bytes are copied. */
  readonly start: string | Uint8Array
  /**
   * Appends the rest of the envelope for an instant. Must write the same bytes for all instants in the same second,
   * unless the network's live data changes.
   * @param nowMillis Unix milliseconds
   */
  readonly end: (out: JsonBytes, nowMillis: number) => void
  /**
   * The instant at which the answer is first sent, in Unix milliseconds. If set, the end of the envelope is written
   * when the answer is created.
   */
  readonly nowMillis?: number
  /**
   * The part of the network's live data on which `data` depends, if any. The answer is valid until this part changes.
   * Neither `end` nor the members of `basis` may refer to live data, because an answer can stay in the cache for a long
   * time after it has become invalid.
   */
  readonly dependsOn?: 'live' | 'overlay'
  /**
   * The range of service time in which `data` is valid, in Unix seconds. It excludes `untilSeconds`. If a member is
   * omitted, the range has no limit on that side.
   */
  readonly fromSeconds?: number
  readonly untilSeconds?: number
}

/** Live data and overlays, each with its weak reference. */
const weakReferences = new WeakMap<object, WeakRef<object>>()

/**
 * A weak reference to live data, so that cached answers do not keep old live data in memory. If there is no live data,
 * returns undefined.
 */
function weakly(live: object | undefined): WeakRef<object> | undefined {
  return live && (weakReferences.get(live) ?? makeWeakly(live))
}

function makeWeakly(live: object): WeakRef<object> {
  const reference = new WeakRef(live)
  weakReferences.set(live, reference)
  return reference
}

/** Whether live data is still the same as when a weak reference to it was made. */
function isSame(before: WeakRef<object> | undefined, live: object | undefined): boolean {
  return live === undefined ? before === undefined : before?.deref() === live
}

/** The end of an answer is first written into this buffer, because the length of the end is not known in advance. */
const scratch = new JsonBytes()

const NO_BYTES = new Uint8Array(0)

/**
 * An answer whose `data` stays valid for a while. Everything that a lookup needs is in one object. Thousands of answers
 * do not fit into the processor's cache, so each additional object would cost another memory access.
 */
export class LastingAnswer {
  private readonly basis: Basis
  private readonly dependsOn: LastingParts['dependsOn']
  /** The live data or the overlay from which `data` was made; see `dependsOn`. */
  private readonly made: WeakRef<object> | undefined
  private readonly fromSeconds: number
  private readonly untilSeconds: number
  private readonly end: LastingParts['end']
  private readonly startLength: number
  /**
   * The start of the envelope, followed by its end. The end is overwritten in place, which is safe because a Response
   * copies its bytes.
   */
  private bytes: Uint8Array<ArrayBuffer>
  private body: Uint8Array<ArrayBuffer>
  private second = Number.NaN
  /** The network's live data when the end was written. */
  private endLive: WeakRef<object> | undefined
  /**
   * The compressed envelopes for the current second, by content coding. Contains only the codings that clients
   * requested.
   */
  private coded: Map<ContentCoding, Uint8Array<ArrayBuffer>> | undefined
  /**
   * The route that rendered the answer. The same URL can reach two routes, because the router matches a path before it
   * resolves `.` and `..` in it.
   */
  route = ''
  /** The entity tag; undefined for answers of routes without entity tags. */
  tag: string | undefined

  constructor({ basis, start, end, nowMillis, dependsOn, fromSeconds, untilSeconds }: LastingParts) {
    this.basis = basis
    this.dependsOn = dependsOn
    const { live } = basis.network
    this.made = dependsOn && weakly(dependsOn === 'live' ? live : live?.overlay)
    this.fromSeconds = fromSeconds ?? Number.NEGATIVE_INFINITY
    this.untilSeconds = untilSeconds ?? Number.POSITIVE_INFINITY
    this.end = end
    const startBytes = typeof start === 'string' ? fragment(start) : start
    this.startLength = startBytes.length
    const endBytes = nowMillis === undefined ? NO_BYTES : this.writeEnd(nowMillis)
    this.bytes = new Uint8Array(startBytes.length + endBytes.length)
    this.bytes.set(startBytes)
    this.bytes.set(endBytes, startBytes.length)
    this.body = this.bytes
  }

  /** Approximate size in bytes: the uncompressed envelope and two compressed ones, each at most a fifth as large. */
  get byteLength(): number {
    return Math.ceil(this.bytes.length * 1.4)
  }

  /** Whether `data` is still valid at an instant. @param nowMillis Unix milliseconds */
  holdsAt(nowMillis: number): boolean {
    const { dependsOn, made } = this
    const { network, snapshot } = this.basis
    if (network.current !== snapshot) return false
    if (dependsOn === 'overlay' && !isSame(made, network.live?.overlay)) return false
    if (dependsOn === 'live' && !isSame(made, network.live)) return false
    const second = Math.floor(nowMillis / 1000)
    return second >= this.fromSeconds && second < this.untilSeconds
  }

  /**
   * The whole envelope at an instant. The bytes are valid until `bodyAt` is called again.
   * @param nowMillis Unix milliseconds
   */
  bodyAt(nowMillis: number): Uint8Array<ArrayBuffer> {
    const second = Math.floor(nowMillis / 1000)
    if (second !== this.second || !isSame(this.endLive, this.basis.network.live)) {
      this.replaceEnd(this.writeEnd(nowMillis))
      this.coded = undefined
    }
    return this.body
  }

  /** The compressed envelope at an instant. @param nowMillis Unix milliseconds */
  codedAt(nowMillis: number, coding: ContentCoding): Uint8Array<ArrayBuffer> {
    const body = this.bodyAt(nowMillis)
    this.coded ??= new Map()
    return this.coded.getOrInsertComputed(coding, () => encodeBody(body, coding))
  }

  /**
   * Writes the end of the envelope at an instant into `scratch`. The returned bytes are valid until the next end is
   * written.
   */
  private writeEnd(nowMillis: number): Uint8Array {
    this.second = Math.floor(nowMillis / 1000)
    this.endLive = weakly(this.basis.network.live)
    scratch.clear()
    this.end(scratch, nowMillis)
    return scratch.view()
  }

  private replaceEnd(end: Uint8Array): void {
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

/** An answer whose `data` is valid while its snapshot is served. @param data JSON */
export function lastingText(basis: Basis, data: string, end: LastingParts['end']): LastingAnswer {
  return new LastingAnswer({ basis, start: ENVELOPE_START + data, end })
}

/** Approximate memory that an entry needs in addition to its answer and address, in bytes. */
const ENTRY_BYTES = 512
/** An answer larger than this share of the cache is not cached. */
const LARGEST_SHARE = 1 / 16

/** Length of `AnswerCache.requested`, a power of two. */
const REQUESTED_LENGTH = 1 << 14

/** The cached answers of one thread. The least recently used answers are dropped first. */
export class AnswerCache {
  private readonly answers: LRUCache<string, LastingAnswer>
  private findCount = 0
  /**
   * Hashes of recently requested addresses; the low bits of a hash are its index. Most addresses are never requested
   * again, so some routes make a cacheable answer only for an address that is requested again.
   */
  private readonly requested = new Uint32Array(REQUESTED_LENGTH)

  constructor(byteLimit: number) {
    const maxSize = Math.max(1, Math.floor(byteLimit))
    this.answers = new LRUCache({
      maxSize,
      maxEntrySize: Math.max(1, Math.floor(maxSize * LARGEST_SHARE)),
      sizeCalculation: (answer, address) => answer.byteLength + address.length + ENTRY_BYTES,
    })
  }

  /** The cached answer of a route for an address, if it is still valid; otherwise undefined. */
  find(route: string, address: string, nowMillis: number): LastingAnswer | undefined {
    // Marking an answer as used takes half the time of a lookup. So only one lookup in eight marks its answer, which is
    // enough to find the least recently used answers.
    const kept = (this.findCount++ & 7) === 0 ? this.answers.get(address) : this.answers.peek(address)
    return kept !== undefined && kept.route === route && kept.holdsAt(nowMillis) ? kept : undefined
  }

  /**
   * Whether an address was requested recently. Also records this request. If two addresses have the same hash, the
   * result can be true for an address that was never requested.
   */
  isRepeated(address: string): boolean {
    const hash = Bun.hash.xxHash32(address)
    const at = hash % REQUESTED_LENGTH
    const isAgain = this.requested[at] === hash
    this.requested[at] = hash
    return isAgain
  }

  /** Caches a route's answer for an address, if the answer is small enough. */
  keep(address: string, answer: LastingAnswer, { route, tag }: { route: string; tag: string | undefined }): void {
    answer.route = route
    answer.tag = tag
    this.answers.set(address, answer)
  }

  /** Drops all answers, and forgets which addresses were requested. */
  clear(): void {
    this.answers.clear()
    this.requested.fill(0)
  }
}
