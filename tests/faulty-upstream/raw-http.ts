// Serves HTTP as plain bytes over TCP, one request per connection, so that a response can be cut off, reset or sent
// slowly, or can contradict its headers. Supports the part of HTTP/1.1 that feed readers use.
import type { Socket, TCPSocketListener } from 'bun'

/** A request's first line and headers. */
export interface RawRequest {
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly headers: Headers
}

/** A response, byte for byte. */
export interface RawReply {
  /** Status line and headers without the blank line that ends them; undefined if none are sent. */
  readonly head: string | undefined
  /** The body in pieces, which are generated while the other side reads them. */
  readonly body: Iterable<Uint8Array>
  /** Milliseconds between two pieces; 0 for no delay. */
  readonly pauseMillis: number
  /** What happens to the connection after the body: it ends, is reset, or stays open without further bytes. */
  readonly ending: 'end' | 'reset' | 'silence'
}

/** Maximum length of a request's first line and headers. */
const MAX_HEAD_BYTES = 16_384
const RESET_AFTER_MILLIS = 40
const END_OF_HEAD = '\r\n\r\n'

/** The state of one connection. */
interface Connection {
  head: string
  pieces: Iterator<Uint8Array> | undefined
  rest: Uint8Array
  reply: RawReply | undefined
  timer: NodeJS.Timeout | undefined
}

/** Listens on one loopback port that can be closed and opened again. */
export class RawHttpPort {
  private readonly answer: (request: RawRequest) => RawReply
  private listener: TCPSocketListener<Connection> | undefined
  private readonly open = new Set<Socket<Connection>>()
  readonly port: number

  constructor(answer: (request: RawRequest) => RawReply) {
    this.answer = answer
    this.listener = this.listen(0)
    this.port = this.listener.port
  }

  /** Accepts connections again after `close`. */
  reopen(): void {
    this.listener ??= this.listen(this.port)
  }

  /** Closes all connections and refuses new ones. */
  close(): void {
    this.listener?.stop(true)
    this.listener = undefined
    for (const socket of this.open) this.forget(socket)
  }

  private listen(port: number): TCPSocketListener<Connection> {
    return Bun.listen<Connection>({
      hostname: '127.0.0.1',
      port,
      socket: {
        open: (socket) => {
          socket.data = { head: '', pieces: undefined, rest: new Uint8Array(0), reply: undefined, timer: undefined }
          this.open.add(socket)
        },
        data: (socket, bytes) => this.receive(socket, bytes),
        drain: (socket) => this.send(socket),
        close: (socket) => this.forget(socket),
        error: (socket) => this.forget(socket),
      },
    })
  }

  private forget(socket: Socket<Connection>): void {
    clearTimeout(socket.data.timer)
    socket.data.pieces = undefined
    this.open.delete(socket)
  }

  private receive(socket: Socket<Connection>, bytes: Uint8Array): void {
    const connection = socket.data
    if (connection.reply !== undefined) return
    connection.head += Buffer.from(bytes).toString('latin1')
    const end = connection.head.indexOf(END_OF_HEAD)
    if (end < 0 && connection.head.length <= MAX_HEAD_BYTES) return
    const request = end < 0 ? undefined : parseHead(connection.head.slice(0, end))
    connection.reply = request === undefined ? plainReply('400 Bad Request') : this.answer(request)
    const { head, body } = connection.reply
    if (head !== undefined) connection.rest = Buffer.from(`${head}${END_OF_HEAD}`, 'latin1')
    connection.pieces = body[Symbol.iterator]()
    this.send(socket)
  }

  /** Sends the reply piece by piece until it is complete, or until the other side accepts no more for now. */
  private send(socket: Socket<Connection>): void {
    const connection = socket.data
    const { reply } = connection
    if (reply === undefined || connection.timer !== undefined) return
    for (;;) {
      if (connection.rest.length > 0) {
        const written = socket.write(connection.rest)
        if (written < 0) return
        connection.rest = connection.rest.subarray(written)
        if (connection.rest.length > 0) return
        if (reply.pauseMillis > 0) return this.pause(socket, reply.pauseMillis)
      }
      if (connection.pieces === undefined) return
      const piece = connection.pieces.next()
      if (piece.done) break
      connection.rest = piece.value
    }
    connection.pieces = undefined
    // A reset discards bytes that the other side has not read yet, so the other side first gets time to read them.
    if (reply.ending === 'reset') connection.timer = setTimeout(() => socket.terminate(), RESET_AFTER_MILLIS)
    else if (reply.ending === 'end') socket.end()
  }

  private pause(socket: Socket<Connection>, millis: number): void {
    socket.data.timer = setTimeout(() => {
      socket.data.timer = undefined
      this.send(socket)
    }, millis)
  }
}

/** A reply whose headers describe its body correctly. */
export function plainReply(
  status: string,
  body: Uint8Array = new Uint8Array(0),
  headers: Readonly<Record<string, string | number>> = {},
): RawReply {
  const head = toHead(status, { 'content-length': body.length, ...headers })
  return { head, body: [body], pauseMillis: 0, ending: 'end' }
}

/** Status line and headers. */
export function toHead(status: string, headers: Readonly<Record<string, string | number>>): string {
  const lines = Object.entries({ ...headers, connection: 'close' }).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${status}`, ...lines].join('\r\n')
}

function parseHead(head: string): RawRequest | undefined {
  const [first, ...lines] = head.split('\r\n')
  const match = /^([A-Z]+) (\S+) HTTP\/1\.[01]$/.exec(first)
  if (match === null) return undefined
  const headers = new Headers()
  for (const line of lines) {
    const colon = line.indexOf(':')
    if (colon < 1) return undefined
    headers.append(line.slice(0, colon).trim(), line.slice(colon + 1).trim())
  }
  return { method: match[1], target: match[2], headers }
}
