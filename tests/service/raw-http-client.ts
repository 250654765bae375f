// Sends exactly the given bytes over a socket, and reads complete responses or the end of the connection. This client
// is stricter than browsers: every received byte must belong to a valid HTTP/1.1 response.
import { connect, type Socket } from 'node:net'

/** One response as it was on the wire. */
export interface RawAnswer {
  readonly status: number
  /** Header names in lower case with values as sent, in order. A repeated header is listed repeatedly. */
  readonly headers: readonly (readonly [string, string])[]
  readonly body: string
  /** Statuses of the interim responses (1xx) before this response. */
  readonly interim: readonly number[]
}

/** The result of reading: a response, `closed` if the connection has ended, or `silence` if nothing came in time. */
export type Reading = RawAnswer | 'closed' | 'silence'

/** Bytes to send: a string with one character per byte, or a byte array. */
export type Bytes = string | Uint8Array
export type Sent = Bytes | readonly Bytes[]

const HEAD_END = Buffer.from('\r\n\r\n')
/** Pause between pieces, so that the server reads each piece separately. */
const PIECE_PAUSE_MILLIS = 1

/** The first value of a header in a response. */
export function headerOf(answer: RawAnswer, name: string): string | undefined {
  return answer.headers.find(([each]) => each === name)?.[1]
}

/** A connection. Only one read at a time is possible. */
export class RawConnection {
  private readonly socket: Socket
  private received: Buffer = Buffer.alloc(0)
  private wake: () => void = () => undefined
  /** Whether the server has ended or reset the connection. */
  isClosed = false

  private constructor(socket: Socket) {
    this.socket = socket
    socket.setNoDelay(true)
    socket.on('data', (data: Buffer) => {
      this.received = this.received.length === 0 ? data : Buffer.concat([this.received, data])
      this.wake()
    })
    const close = () => {
      this.isClosed = true
      this.wake()
    }
    // A reset also counts as the end: the server may reset the connection while the client is still sending.
    for (const event of ['end', 'close', 'error'] as const) socket.on(event, close)
  }

  /** @param from local address of the connection */
  static async open(port: number, from?: string): Promise<RawConnection> {
    const socket = connect({ host: '127.0.0.1', port, ...(from === undefined ? {} : { localAddress: from }) })
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', () => resolve())
      socket.once('error', reject)
    })
    return new RawConnection(socket)
  }

  /** The connection's local port. It identifies the connection on the server's side. */
  get localPort(): number | undefined {
    return this.socket.localPort
  }

  /** Sends bytes, in one piece or in several. Later reads show whether the server has accepted them all. */
  async send(sent: Sent): Promise<void> {
    const pieces = typeof sent === 'string' || sent instanceof Uint8Array ? [sent] : sent
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) await Bun.sleep(PIECE_PAUSE_MILLIS)
      if (this.isClosed) return
      this.socket.write(toBytes(piece))
    }
  }

  /** Stops reading until `resume`: first the client's buffers fill up, then the server's. */
  pause(): void {
    this.socket.pause()
  }

  resume(): void {
    this.socket.resume()
  }

  drop(): void {
    this.socket.destroy()
  }

  /** Reads the next response. A response to HEAD has no body, even if its headers announce one. */
  async read(options: { readonly millis: number; readonly isHead?: boolean }): Promise<Reading> {
    const { millis, isHead = false } = options
    const deadline = performance.now() + millis
    const interim: number[] = []
    for (;;) {
      const parsed = parseAnswer(this.received, { isHead, isClosed: this.isClosed })
      if (parsed !== undefined) {
        this.received = this.received.subarray(parsed.length)
        if (parsed.status >= 200 || parsed.status === 101) return { ...parsed.answer, interim }
        interim.push(parsed.status)
        continue
      }
      if (this.isClosed) {
        if (this.received.length > 0) throw new Error(`a response was cut off: ${excerpt(this.received)}`)
        return 'closed'
      }
      const wait = deadline - performance.now()
      if (wait <= 0) {
        if (this.received.length > 0) throw new Error(`a response stopped midway: ${excerpt(this.received)}`)
        return 'silence'
      }
      await this.change(wait)
    }
  }

  /** Whether the server closes the connection within the given time. Anything that it sends until then is ignored. */
  async closes(millis: number): Promise<boolean> {
    const deadline = performance.now() + millis
    while (!this.isClosed && performance.now() < deadline) await this.change(deadline - performance.now())
    return this.isClosed
  }

  private async change(millis: number): Promise<void> {
    let timer: Timer | undefined
    await new Promise<void>((resolve) => {
      this.wake = resolve
      timer = setTimeout(resolve, millis)
    })
    clearTimeout(timer)
    this.wake = () => undefined
  }
}

function toBytes(piece: Bytes): Uint8Array {
  return typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece
}

function excerpt(bytes: Buffer): string {
  return JSON.stringify(bytes.subarray(0, 300).toString('latin1'))
}

interface Parsed {
  readonly answer: Omit<RawAnswer, 'interim'>
  readonly status: number
  /** Number of bytes in the response, including its headers. */
  readonly length: number
}

/**
 * Parses the response at the start of `bytes`. Returns undefined if it is incomplete. Throws if it is not a valid
 * response.
 */
function parseAnswer(bytes: Buffer, state: { isHead: boolean; isClosed: boolean }): Parsed | undefined {
  if (bytes.length >= 5 && bytes.subarray(0, 5).toString('latin1') !== 'HTTP/') {
    throw new Error(`not a response: ${excerpt(bytes)}`)
  }
  const headEnd = bytes.indexOf(HEAD_END)
  if (headEnd < 0) return undefined
  const [statusLine = '', ...lines] = bytes.subarray(0, headEnd).toString('latin1').split('\r\n')
  const status = Number(/^HTTP\/1\.1 ([1-5]\d\d) [ -~]*$/.exec(statusLine)?.[1])
  if (!(status > 0)) throw new Error(`not a status line: ${JSON.stringify(statusLine)}`)
  const headers = lines.map((line): [string, string] => {
    const match = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+): ?([\t -~\x80-\xff]*)$/.exec(line)
    if (match === null) throw new Error(`not a header: ${JSON.stringify(line)}`)
    return [(match[1] ?? '').toLowerCase(), match[2] ?? '']
  })
  const start = headEnd + HEAD_END.length
  const bodiless = state.isHead || status < 200 || status === 204 || status === 304
  const body = bodiless ? { text: '', end: start } : readBody(bytes, { start, headers, isClosed: state.isClosed })
  if (body === undefined) return undefined
  return { answer: { status, headers, body: body.text }, status, length: body.end }
}

interface Body {
  readonly text: string
  readonly end: number
}

function readBody(
  bytes: Buffer,
  head: { start: number; headers: readonly (readonly [string, string])[]; isClosed: boolean },
): Body | undefined {
  const valuesOf = (name: string) => head.headers.filter(([each]) => each === name).map(([, value]) => value)
  const codings = valuesOf('transfer-encoding')
  const lengths = valuesOf('content-length')
  if (codings.length + lengths.length > 1) throw new Error(`two framings: ${[...codings, ...lengths].join(' and ')}`)
  if (codings.length > 0) {
    if (codings[0] !== 'chunked') throw new Error(`unknown coding: ${codings[0]}`)
    return readChunks(bytes, head.start)
  }
  if (lengths.length === 0) {
    // If the headers contain no length, the body ends when the connection ends.
    return head.isClosed ? { text: bytes.subarray(head.start).toString(), end: bytes.length } : undefined
  }
  const length = Number(lengths[0])
  if (!/^\d+$/.test(lengths[0] ?? '')) throw new Error(`not a length: ${lengths[0]}`)
  const end = head.start + length
  return end > bytes.length ? undefined : { text: bytes.subarray(head.start, end).toString(), end }
}

function readChunks(bytes: Buffer, start: number): Body | undefined {
  const parts: Buffer[] = []
  for (let at = start; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at, 'latin1')
    if (lineEnd < 0) return undefined
    const line = bytes.subarray(at, lineEnd).toString('latin1')
    if (!/^[0-9a-fA-F]+$/.test(line)) throw new Error(`not a chunk: ${JSON.stringify(line)}`)
    const size = Number.parseInt(line, 16)
    const end = lineEnd + 2 + size + 2
    if (end > bytes.length) return undefined
    if (bytes.subarray(end - 2, end).toString('latin1') !== '\r\n') throw new Error('a chunk does not end at its size')
    if (size === 0) return { text: Buffer.concat(parts).toString(), end }
    parts.push(bytes.subarray(lineEnd + 2, end - 2))
    at = end
  }
}
