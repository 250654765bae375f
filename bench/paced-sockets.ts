// Readers at a steady pace over sockets that stay open: each sends when a request is due, whatever became of the one
// before, and a request's time counts from when it was due, so that a stall counts for all who had to wait for it.
import type { Socket } from 'bun'
import { type Spread, spreadOf } from './measure.ts'

/** What is asked, and how often. */
export interface PacedOrder {
  readonly port: number
  readonly key: string
  readonly paths: readonly string[]
  readonly connections: number
  /** Of all connections together. */
  readonly perSecond: number
  readonly seconds: number
}

/** What was seen. */
export interface PacedResult {
  readonly millis: Spread
  readonly slowestMillis: number
  readonly count: number
  /** Status lines that were no 200, and lost connections. */
  readonly failures: readonly string[]
}

const HEAD_END = '\r\n\r\n'
const MOST_HEAD_BYTES = 4096
const CONTENT_LENGTH = /\r\ncontent-length: (\d+)/i
const NOTHING: Buffer = Buffer.alloc(0)

/** One connection: what is asked is answered in order. */
class Reader {
  readonly millis: number[] = []
  readonly failures: string[] = []
  private readonly due: number[] = []
  private socket: Socket | undefined
  /** Bytes of the present body that have not come. */
  private missing = 0
  /** The start of a head that has not come whole. */
  private rest: Buffer = NOTHING

  async open(port: number): Promise<void> {
    this.socket = await Bun.connect({
      hostname: '127.0.0.1',
      port,
      socket: {
        data: (_, bytes) => this.take(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)),
        close: () => {
          if (this.due.length > 0) this.failures.push('the connection was closed')
        },
        error: (_, error) => {
          this.failures.push(String(error))
        },
      },
    })
  }

  ask(request: string, due: number): void {
    this.due.push(due)
    this.socket?.write(request)
  }

  get waiting(): number {
    return this.due.length
  }

  close(): void {
    this.socket?.end()
  }

  /** Heads are read as text, bodies only counted: the reader must not be what is slow. */
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
        if (!head.startsWith('HTTP/1.1 200')) this.failures.push(head.slice(0, head.indexOf('\r\n')))
        this.missing = Number(CONTENT_LENGTH.exec(head)?.[1] ?? 0)
        at += end + HEAD_END.length
      }
      const length = Math.min(this.missing, bytes.length - at)
      this.missing -= length
      at += length
      if (this.missing === 0) this.millis.push(performance.now() - (this.due.shift() ?? Number.NaN))
    }
  }
}

/** Asks at the pace until the time is over. */
export async function readPaced(order: PacedOrder): Promise<PacedResult> {
  const readers = Array.from({ length: order.connections }, () => new Reader())
  for (const reader of readers) await reader.open(order.port)
  const requests = order.paths.map(
    (path) => `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${order.port}\r\nauthorization: Bearer ${order.key}\r\n\r\n`,
  )
  const started = performance.now()
  const total = order.seconds * order.perSecond
  for (let number = 0; number < total; number++) {
    const due = started + (number * 1000) / order.perSecond
    const wait = due - performance.now()
    if (wait > 1) await Bun.sleep(wait)
    // A little early is possible; then it counts from when it was sent.
    const from = Math.min(due, performance.now())
    readers[number % readers.length]?.ask(requests[number % requests.length] as string, from)
  }
  const deadline = performance.now() + 10_000
  while (readers.some(({ waiting }) => waiting > 0) && performance.now() < deadline) await Bun.sleep(5)
  for (const reader of readers) reader.close()
  const millis = Float64Array.from(readers.flatMap((reader) => reader.millis))
  const missing = total - millis.length
  const failures = readers.flatMap((reader) => reader.failures)
  if (missing > 0) failures.push(`${missing} requests were never answered`)
  const spread = spreadOf(millis)
  return { millis: spread, slowestMillis: millis.at(-1) ?? Number.NaN, count: millis.length, failures }
}
