// Sends requests at a steady rate over persistent connections. When a request is due, it is sent on an idle connection.
// If no connection is idle, the request waits in a queue. Latency is measured from the time when the request was due,
// so a stall counts for every request that it delays. Requests are not pipelined: Bun's HTTP server closes a connection
// if a request arrives on it while an asynchronous response is pending.
import type { Socket } from 'bun'
import { type Spread, spreadOf } from './measure.ts'

/** The requests of a run, and their rate. */
export interface PacedOrder {
  readonly port: number
  readonly key: string
  readonly paths: readonly string[]
  readonly connections: number
  /** Requests per second on all connections together. */
  readonly perSecond: number
  readonly seconds: number
}

/** The latencies and failures of a run. */
export interface PacedResult {
  readonly millis: Spread
  readonly slowestMillis: number
  readonly count: number
  /** Status lines other than 200, and messages about lost connections. */
  readonly failures: readonly string[]
}

const HEAD_END = '\r\n\r\n'
const MOST_HEAD_BYTES = 4096
/** Maximum time without any response. After this time, the run fails. */
const STALL_MILLIS = 20_000
const CONTENT_LENGTH = /\r\ncontent-length: (\d+)/i
const NOTHING: Buffer = Buffer.alloc(0)

/** A request, and the time at which it is due. */
interface Due {
  readonly request: string
  readonly millis: number
  /** Index of the request among all requests. */
  readonly at: number
}

/** The connections, and the requests that wait for a free connection. */
class Readers {
  readonly failures: string[] = []
  readonly millis: number[] = []
  /** Lengths of the response bodies, by request index. */
  readonly lengths: number[] = []
  /** Free connections. Those that have been idle longest come first. */
  private readonly free: Reader[] = []
  private readonly line: Due[] = []
  private lineStart = 0

  send(due: Due): void {
    const reader = this.free.shift()
    if (reader === undefined) this.line.push(due)
    else reader.send(due)
  }

  /** Called when a connection becomes free. */
  take(reader: Reader): void {
    const next = this.line[this.lineStart]
    if (next === undefined) {
      this.free.push(reader)
      return
    }
    if (++this.lineStart === this.line.length) {
      this.line.length = 0
      this.lineStart = 0
    }
    reader.send(next)
  }
}

/** One connection, with at most one request in progress. */
class Reader {
  private readonly readers: Readers
  private due: Due | undefined
  private socket: Socket | undefined
  /** Number of bytes of the current body that have not arrived. */
  private missing = 0
  /** The received part of a response head that is not yet complete. */
  private rest: Buffer = NOTHING

  constructor(readers: Readers) {
    this.readers = readers
  }

  async open(port: number): Promise<void> {
    this.socket = await Bun.connect({
      hostname: '127.0.0.1',
      port,
      socket: {
        data: (_, bytes) => this.take(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)),
        close: () => {
          if (this.due !== undefined) this.readers.failures.push('the connection was closed')
        },
        error: (_, error) => {
          this.readers.failures.push(String(error))
        },
      },
    })
    this.readers.take(this)
  }

  send(due: Due): void {
    this.due = due
    this.socket?.write(due.request)
  }

  close(): void {
    this.socket?.end()
  }

  /**
   * Processes received bytes. Response heads are parsed, but the bytes of bodies are only counted, so that this client
   * is not the bottleneck.
   */
  private take(chunk: Buffer): void {
    const bytes = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk])
    this.rest = NOTHING
    for (let at = 0; at < bytes.length; ) {
      if (this.missing === 0) {
        const head = bytes.toString('latin1', at, at + MOST_HEAD_BYTES)
        const end = head.indexOf(HEAD_END)
        if (end < 0) {
          this.rest = Buffer.from(bytes.subarray(at))
          return
        }
        if (!head.startsWith('HTTP/1.1 200')) this.readers.failures.push(head.slice(0, head.indexOf('\r\n')))
        this.missing = Number(CONTENT_LENGTH.exec(head)?.[1] ?? 0)
        if (this.due !== undefined) this.readers.lengths[this.due.at] = this.missing
        at += end + HEAD_END.length
      }
      const length = Math.min(this.missing, bytes.length - at)
      this.missing -= length
      at += length
      if (this.missing === 0) this.answered()
    }
  }

  private answered(): void {
    if (this.due !== undefined) this.readers.millis.push(performance.now() - this.due.millis)
    this.due = undefined
    this.readers.take(this)
  }
}

type Target = Pick<PacedOrder, 'port' | 'key' | 'paths' | 'connections'>

/** Opens the connections and prepares the bytes of the requests. */
async function openReaders({ port, key, paths, connections }: Target) {
  const readers = new Readers()
  const all = Array.from({ length: connections }, () => new Reader(readers))
  for (const reader of all) await reader.open(port)
  const requests = paths.map(
    (path) => `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${key}\r\n\r\n`,
  )
  return { readers, all, requests }
}

/**
 * Requests each path once, as fast as responses arrive. Any status other than 200 is an error. Returns the lengths of
 * the bodies, in the order of the paths.
 */
export async function readEach(order: Target): Promise<readonly number[]> {
  const { readers, all, requests } = await openReaders(order)
  const { failures, millis, lengths } = readers
  for (const [at, request] of requests.entries()) readers.send({ request, millis: performance.now(), at })
  let [seen, seenAtMillis] = [0, performance.now()]
  while (millis.length < requests.length && failures.length === 0) {
    await Bun.sleep(1)
    if (millis.length > seen) [seen, seenAtMillis] = [millis.length, performance.now()]
    else if (performance.now() - seenAtMillis > STALL_MILLIS) failures.push('the answers stopped coming')
  }
  for (const reader of all) reader.close()
  if (failures.length > 0) throw new Error(`${failures[0]}: one of ${requests.length} requests like ${order.paths[0]}`)
  return lengths
}

/** Sends requests at a steady rate for `order.seconds`. Then waits at most ten seconds for the remaining responses. */
export async function readPaced(order: PacedOrder): Promise<PacedResult> {
  const { readers, all, requests } = await openReaders(order)
  const started = performance.now()
  const total = order.seconds * order.perSecond
  for (let number = 0; number < total; number++) {
    const due = started + (number * 1000) / order.perSecond
    const wait = due - performance.now()
    if (wait > 1) await Bun.sleep(wait)
    // A request may be sent slightly before it is due. Its latency is then measured from the time when it was sent.
    const at = number % requests.length
    readers.send({ request: requests[at], millis: Math.min(due, performance.now()), at })
  }
  const deadline = performance.now() + 10_000
  while (readers.millis.length < total && performance.now() < deadline) await Bun.sleep(5)
  for (const reader of all) reader.close()
  const { failures } = readers
  const missing = total - readers.millis.length
  if (missing > 0) failures.push(`${missing} requests were never answered`)
  const millis = Float64Array.from(readers.millis)
  const spread = spreadOf(millis)
  return { millis: spread, slowestMillis: millis.at(-1) ?? Number.NaN, count: millis.length, failures }
}
