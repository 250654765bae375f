// Reads server-sent events as a client does (WHATWG HTML, 9.2). Used by stream tests, and by tests of all routes, which
// read the first event of a stream and then close the stream.

/** A complete event, as the standard requires clients to dispatch it. */
export interface ReceivedEvent {
  readonly id: string
  readonly event: string
  readonly data: string
}

/** Assembles events from the chunks of a response body. */
export class EventReader {
  readonly events: ReceivedEvent[] = []
  /** The content of each comment, in order. */
  readonly comments: string[] = []
  /** The value of each `retry` field, in order. */
  readonly retries: number[] = []
  private readonly decoder = new TextDecoder('utf-8', { fatal: true })
  private rest = ''
  private id = ''
  private event = ''
  private data: string[] = []

  /** Adds the next bytes of the stream. They may end in the middle of a line. */
  add(chunk: Uint8Array): void {
    const lines = (this.rest + this.decoder.decode(chunk, { stream: true })).split('\n')
    this.rest = lines.pop() ?? ''
    for (const line of lines) this.addLine(line)
  }

  private addLine(line: string): void {
    if (line === '') {
      if (this.data.length > 0) {
        this.events.push({ id: this.id, event: this.event || 'message', data: this.data.join('\n') })
      }
      this.event = ''
      this.data = []
      return
    }
    const colon = line.indexOf(':')
    const name = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (name === '') this.comments.push(value)
    else if (name === 'id') this.id = value
    else if (name === 'event') this.event = value
    else if (name === 'data') this.data.push(value)
    else if (name === 'retry') this.retries.push(Number(value))
    else throw new Error(`a stream has an unknown field ${JSON.stringify(name)}`)
  }
}

/** The body of a response. If the response is a stream, returns the data of its first event and closes the stream. */
export async function readBody(response: Response): Promise<string> {
  if (response.headers.get('content-type') !== 'text/event-stream' || response.body === null) {
    return await response.text()
  }
  const received = new EventReader()
  const reader = response.body.getReader()
  try {
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return ''
      received.add(value)
      const [first] = received.events
      if (first !== undefined) return first.data
    }
  } finally {
    await reader.cancel()
  }
}
