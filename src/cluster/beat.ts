// The number of this replica's last durable write that the database has confirmed.

/** Shared by all writers of a replica. */
export class Beat {
  acked = 0

  /** A write was confirmed. */
  confirm(beat: number): void {
    this.acked = Math.max(this.acked, beat)
  }

  /** The replica joined, maybe again: what was confirmed before counts no more. */
  reset(beat: number): void {
    this.acked = beat
  }
}
