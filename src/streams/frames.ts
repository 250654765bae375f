// The bytes of server-sent events: frames that hold a whole answer, heartbeats, and the last event of a stream. What is
// in `data` is JSON on one line, so that one `data:` field holds it.

const encoder = new TextEncoder()

/** What a stream may send. */
export type StreamEvent = 'departures' | 'vehicles'

/** How long a client waits before it connects again, where the stream just broke off; in milliseconds. */
export const RETRY_MILLIS = 5_000
/** Between these, chosen at random for each stream, where it was ended: not all of them come back at once. */
const RETRY_AFTER_END_MILLIS = { min: 500, max: 5_000 } as const

/** A comment that keeps a quiet connection open. */
export const HEARTBEAT = encoder.encode(': \n\n')

/** What a stream begins with, before its first frame. */
export const OPENING = encoder.encode(`retry: ${RETRY_MILLIS}\n\n`)

/** An answer as an event. @param id grows from frame to frame @param body JSON without line breaks */
export function frameBytes(event: StreamEvent, id: number, body: Uint8Array): Uint8Array {
  const head = encoder.encode(`id: ${id}\nevent: ${event}\ndata: `)
  const bytes = new Uint8Array(head.length + body.length + 2)
  bytes.set(head)
  bytes.set(body, head.length)
  bytes.fill(0x0a, head.length + body.length)
  return bytes
}

/** The last event of a stream: why it ends, and when its client should come back. @param share from 0 to 1, at random */
export function endBytes(reason: string, share: number): Uint8Array {
  const { min, max } = RETRY_AFTER_END_MILLIS
  const retry = Math.round(min + share * (max - min))
  return encoder.encode(`event: end\nretry: ${retry}\ndata: ${JSON.stringify({ reason })}\n\n`)
}

/** Chunks as one. */
export function joinBytes(first: Uint8Array, second: Uint8Array): Uint8Array {
  const joined = new Uint8Array(first.length + second.length)
  joined.set(first)
  joined.set(second, first.length)
  return joined
}
