// A snapshot as one thread opens it.

import type { Snapshot } from '../networks/network.ts'
import type { IdentifiedSnapshot } from '../networks/network-messages.ts'
import { layoutSnapshot, snapshotBytes } from '../networks/snapshot-store.ts'
import { isErrno } from '../system/errno.ts'

/** The snapshot of a message. */
export class ThreadSnapshot {
  readonly message: IdentifiedSnapshot
  private opened: Snapshot | undefined
  private isGone = false

  constructor(message: IdentifiedSnapshot) {
    this.message = message
  }

  /** Opens the snapshot, unless it is open. Throws if it cannot be used. */
  open(): Snapshot {
    const { message } = this
    this.opened ??= layoutSnapshot('bytes' in message ? message.bytes : snapshotBytes(message.path)).snapshot
    return this.opened
  }

  /**
   * Like `open`. Returns undefined if the snapshot was found damaged and moved away after the message was sent; a
   * message with its replacement follows.
   */
  openIfThere(): Snapshot | undefined {
    if (this.isGone) return undefined
    try {
      return this.open()
    } catch (error) {
      if (!isErrno(error, 'ENOENT')) throw error
      this.isGone = true
      return undefined
    }
  }

  /**
   * Whether another message has the same file. Snapshots sent as bytes are never the same: bytes sent twice arrive as
   * two objects.
   */
  isOf(message: IdentifiedSnapshot | undefined): boolean {
    const { message: own } = this
    return message !== undefined && 'path' in own && 'path' in message && own.path === message.path
  }
}
