// A snapshot that one thread can open.

import type { Snapshot } from '../networks/network.ts'
import type { IdentifiedSnapshot } from '../networks/network-messages.ts'
import { layoutSnapshot, snapshotBytes } from '../networks/snapshot-store.ts'
import { isErrno } from '../system/errno.ts'

/** The snapshot that a message from the control thread refers to. */
export class ThreadSnapshot {
  readonly message: IdentifiedSnapshot
  private opened: Snapshot | undefined
  private isGone = false

  constructor(message: IdentifiedSnapshot) {
    this.message = message
  }

  /** Returns the snapshot, opening it first if necessary. Throws if the file is missing or unusable. */
  open(): Snapshot {
    const { message } = this
    this.opened ??= layoutSnapshot('bytes' in message ? message.bytes : snapshotBytes(message.path)).snapshot
    return this.opened
  }

  /**
   * Like `open`, but returns undefined if the file is missing. This happens if another thread found the snapshot
   * damaged and moved it away. A message with another snapshot follows.
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
   * Whether another message refers to the same snapshot file. Always false for a snapshot sent as bytes, because bytes
   * that are sent twice arrive as two objects.
   */
  isOf(message: IdentifiedSnapshot | undefined): boolean {
    const { message: own } = this
    return message !== undefined && 'path' in own && 'path' in message && own.path === message.path
  }
}
