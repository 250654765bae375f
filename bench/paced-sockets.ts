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

/** One connection: what is asked is answered in order. */
class Reader {
  readonly millis: number[] = []
  readonly failures: string[] = []
  private readonly due: number[] = []
  private socket: Socket | undefined
  private text = ''

  async open(port: number): Promise<void> {
    this.socket = await Bun.connect({
      hostname: '127.0.0.1',
      port,
      socket: {
        data: (_, bytes) => this.take(bytes.toString('latin1')),
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

  private take(text: string): void {
    this.text += text
    for (;;) {
      const head = this.text.indexOf(HEAD_END)
      if (head < 0) return
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(this.text.slice(0, head))?.[1] ?? Number.NaN)
      const end = head + HEAD_END.length + length
      if (!(this.text.length >= end)) return
      if (!this.text.startsWith('HTTP/1.1 200')) this.failures.push(this.text.slice(0, this.text.indexOf('\r\n')))
      this.text = this.text.slice(end)
      this.millis.push(performance.now() - (this.due.shift() ?? Number.NaN))
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
