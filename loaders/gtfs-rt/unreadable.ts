// Why the bytes of a feed are no GTFS-Realtime message. Such bytes are refused whole: nothing of them is ever applied.

/**
 * `truncated`: they end in the middle of something. `decode_error`: they break the wire format. `too_deep`: groups within
 * groups past the limit. `too_many_parts`: more parts than memory is given for. `missing_header`: no header, or one
 * without a version, which the format requires.
 */
export type UnreadableReason = 'truncated' | 'decode_error' | 'too_deep' | 'too_many_parts' | 'missing_header'

/** The bytes are no GTFS-Realtime message. */
export class RealtimeUnreadable extends Error {
  readonly reason: UnreadableReason

  constructor(reason: UnreadableReason, message: string) {
    super(message)
    this.name = 'RealtimeUnreadable'
    this.reason = reason
  }
}
