// Encodes server-sent events: frames (each contains a whole response), heartbeats, and the `end` event. The data of an
// event is JSON on one line, so it fits into one `data:` field.

const encoder = new TextEncoder()

/** Event names of frames. */
export type StreamEvent = 'departures' | 'vehicles' | 'trip'

/** The body of the last frame of a stream, and why the stream ends after it. */
export class LastFrame {
  readonly body: Uint8Array
  readonly reason: 'trip_ended'

  constructor(body: Uint8Array, reason: LastFrame['reason']) {
    this.body = body
    this.reason = reason
  }
}

/** How long clients wait before they reconnect a broken stream. */
export const RETRY_MILLIS = 5_000
/**
 * The `end` event tells each client to wait for a random delay in this range, so that not all clients reconnect at
 * once.
 */
const RETRY_AFTER_END_MILLIS = { min: 500, max: 5_000 } as const

/** An event-stream comment, which keeps a connection open while there are no frames. */
export const HEARTBEAT = encoder.encode(': \n\n')

/** The start of a stream, before its first frame. */
export const OPENING = encoder.encode(`retry: ${RETRY_MILLIS}\n\n`)

/** Encodes a response as an event. @param id increases with each frame @param body JSON without line breaks */
export function frameBytes(event: StreamEvent, id: number, body: Uint8Array): Uint8Array {
  const head = encoder.encode(`id: ${id}\nevent: ${event}\ndata: `)
  const bytes = new Uint8Array(head.length + body.length + 2)
  bytes.set(head)
  bytes.set(body, head.length)
  bytes.fill(0x0a, head.length + body.length)
  return bytes
}

/**
 * Encodes the `end` event, with its reason and the delay after which the client reconnects.
 * @param share a random number from 0 to 1 that selects the delay
 */
export function endBytes(reason: string, share: number): Uint8Array {
  const { min, max } = RETRY_AFTER_END_MILLIS
  const retry = Math.round(min + share * (max - min))
  return encoder.encode(`event: end\nretry: ${retry}\ndata: ${JSON.stringify({ reason })}\n\n`)
}

/** Concatenates two chunks. */
export function joinBytes(first: Uint8Array, second: Uint8Array): Uint8Array {
  const joined = new Uint8Array(first.length + second.length)
  joined.set(first)
  joined.set(second, first.length)
  return joined
}
