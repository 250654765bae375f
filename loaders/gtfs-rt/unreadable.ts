// Reasons why bytes are not a valid GTFS-Realtime message. An invalid message is rejected as a whole.

/**
 * Why a message cannot be read. `truncated`: it ends inside a field. `decode_error`: it violates the wire format.
 * `too_deep`: its unknown groups are nested too deeply. `too_many_parts`: it has more parts than the memory limit
 * allows. `missing_header`: it has no header, or its header lacks the required version.
 */
export type UnreadableReason = 'truncated' | 'decode_error' | 'too_deep' | 'too_many_parts' | 'missing_header'

/** Thrown if the bytes are not a valid GTFS-Realtime message. */
export class RealtimeUnreadable extends Error {
  readonly reason: UnreadableReason

  constructor(reason: UnreadableReason, message: string) {
    super(message)
    this.name = 'RealtimeUnreadable'
    this.reason = reason
  }
}
