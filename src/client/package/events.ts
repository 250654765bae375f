// Reads server-sent events from the body of a fetch response. EventSource is not used, because it cannot send a key.

/** An event, or a block of fields that is not a whole event, such as a lone `retry`. Any member may be undefined. */
export interface ReceivedEvent {
  readonly name: string | undefined
  readonly data: string | undefined
  readonly id: string | undefined
  /** How long to wait before reconnecting. */
  readonly retryMillis: number | undefined
}

/** A connection that is silent for this long is treated as lost: the service sends data at least every 8 seconds. */
const SILENCE_MILLIS = 20_000

/** Reads the events in a response body. Throws if nothing arrives for 20 seconds. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ReceivedEvent, void, undefined> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  let fields = new Map<string, string>()
  try {
    for (;;) {
      const { done, value } = await orSilence(reader.read())
      if (done) return
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines.map((each) => each.replace(/\r$/, ''))) {
        if (line !== '') {
          const colon = line.indexOf(':')
          const name = colon < 0 ? line : line.slice(0, colon)
          const text = line.slice(name.length + (line[name.length + 1] === ' ' ? 2 : 1))
          const lines = name === 'data' ? fields.get('data') : undefined
          fields.set(name, lines === undefined ? text : `${lines}\n${text}`)
          continue
        }
        const retry = fields.get('retry')
        const retryMillis = retry === undefined ? undefined : Number(retry)
        yield { name: fields.get('event'), data: fields.get('data'), id: fields.get('id'), retryMillis }
        fields = new Map()
      }
    }
  } finally {
    // The promise that `cancel` returns is rejected if the connection is already lost.
    reader.cancel().catch(() => undefined)
  }
}

function orSilence<T>(reading: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const silent = () => reject(new Error(`nothing arrived for ${SILENCE_MILLIS / 1_000} seconds`))
    const timer = setTimeout(silent, SILENCE_MILLIS)
    reading.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
