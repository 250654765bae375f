// The beat of a replica: the number of its last durable write that the database has confirmed.

/** The last confirmed beat. All parts of a replica that write to the database share one instance. */
export class Beat {
  acked = 0

  /** Records that a write was confirmed. */
  confirm(beat: number): void {
    this.acked = Math.max(this.acked, beat)
  }

  /** Called when the replica has joined, or joined again: earlier confirmations no longer count. */
  reset(beat: number): void {
    this.acked = beat
  }
}
