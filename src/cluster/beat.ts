// The number of this replica's last durable write that the database has confirmed.

/** Shared by all writers of a replica. */
export class Beat {
  acked = 0

  /** A write was confirmed. */
  confirm(beat: number): void {
    this.acked = Math.max(this.acked, beat)
  }

  /** The replica joined, perhaps again: earlier confirmations no longer count. */
  reset(beat: number): void {
    this.acked = beat
  }
}
