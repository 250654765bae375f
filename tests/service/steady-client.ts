// Clients that never retry, and that keep their connections open as long as the server does. Each request without a
// complete response is a failure. The clients themselves close a connection only if a response has `Connection: close`.
import { connect, type Socket } from 'node:net'

/** The results of the requests. */
export interface SteadyReading {
  readonly answers: number
  /** A sentence for each status other than 200, and for each broken connection. */
  readonly failures: readonly string[]
  /** Number of connections that were closed because a response had `Connection: close`. */
  readonly closed: number
}

/** What to request, and with which key. */
export interface SteadyAddress {
  readonly port: number
  readonly path: string
  readonly key: string
}

/** Clients that send one request after the other on each connection until they are stopped. */
export class SteadyClients {
  private isRunning = true
  private answers = 0
  private closed = 0
  private readonly failures: string[] = []
  private readonly address: SteadyAddress
  private readonly pauseMillis: number
  private readonly clients: readonly Promise<void>[]

  /** @param pauseMillis average pause between two requests on a connection */
  constructor(address: SteadyAddress, connections: number, pauseMillis: number) {
    this.address = address
    this.pauseMillis = pauseMillis
    this.clients = Array.from({ length: connections }, () => this.run())
  }

  async stop(): Promise<SteadyReading> {
    this.isRunning = false
    await Promise.all(this.clients)
    return { answers: this.answers, failures: this.failures, closed: this.closed }
  }

  private async run(): Promise<void> {
    while (this.isRunning) {
      const connection = new Connection(this.address.port)
      while (this.isRunning) {
        const answer = await connection.request(this.address.path, this.address.key)
        if (typeof answer === 'string') {
          this.failures.push(`${new Date().toISOString()} ${answer}`)
          await Bun.sleep(50)
          break
        }
        this.answers++
        if (answer.status !== 200)
          this.failures.push(`${new Date().toISOString()} status ${answer.status} ${answer.text}`)
        if (answer.isLast) {
          this.closed++
          break
        }
        await Bun.sleep(this.pauseMillis * (0.5 + Math.random()))
      }
      connection.end()
    }
  }
}

interface ReceivedAnswer {
  readonly status: number
  readonly isLast: boolean
  /** Headers and body; empty for status 200. */
  readonly text: string
}

class Connection {
  private readonly socket: Socket
  private received = ''
  private fault: string | undefined
  private wake = () => {}

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1')
    this.socket.setNoDelay(true)
    this.socket.on('data', (bytes) => {
      this.received += bytes.toString('latin1')
      this.wake()
    })
    this.socket.on('error', (error) => this.fail(error.message))
    this.socket.on('close', () => this.fail('the connection was closed'))
  }

  /** Sends a request; returns the response, or why there is none. */
  async request(path: string, key: string): Promise<ReceivedAnswer | string> {
    this.socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n\r\n`)
    for (;;) {
      const answer = this.take()
      if (answer !== undefined) return answer
      if (this.fault !== undefined) return this.fault
      await new Promise<void>((resolve) => {
        this.wake = resolve
      })
    }
  }

  end(): void {
    this.socket.destroy()
  }

  private fail(message: string): void {
    this.fault ??= message
    this.wake()
  }

  /** Removes a complete response from the received text and returns it; undefined if there is none yet. */
  private take(): ReceivedAnswer | undefined {
    const headEnd = this.received.indexOf('\r\n\r\n')
    if (headEnd < 0) return undefined
    const head = this.received.slice(0, headEnd)
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? Number.NaN)
    const isUntilClosed = Number.isNaN(length)
    const end = isUntilClosed ? this.received.length : headEnd + 4 + length
    if (isUntilClosed ? this.fault === undefined : this.received.length < end) return undefined
    const text = head.startsWith('HTTP/1.1 200') ? '' : this.received.slice(0, end)
    this.received = this.received.slice(end)
    const isLast = isUntilClosed || /\r\nconnection: close/i.test(head)
    return { status: Number(head.slice(9, 12)), isLast, text }
  }
}
