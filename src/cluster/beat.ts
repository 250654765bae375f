// The number of this replica's last durable write that the database has confirmed.

/** Shared by all writers of a replica. */
export class Beat {
  acked = 0

  /** Records that a write was confirmed. */
  confirm(beat: number): void {
    this.acked = Math.max(this.acked, beat)
  }

  /** Called when the replica has joined, perhaps again: earlier confirmations no longer count. */
  reset(beat: number): void {
    this.acked = beat
  }
}
