// The beat of a replica: a number that counts the replica's durable writes. It is used to detect that the database has
// lost confirmed writes.

/**
 * The beat of the last write that the database confirmed. All parts of a replica that write to the database share one
 * instance.
 */
export class Beat {
  acked = 0

  /** Records that a write was confirmed. */
  confirm(beat: number): void {
    this.acked = Math.max(this.acked, beat)
  }

  /** Called when the replica has joined or rejoined the cluster: earlier confirmations no longer count. */
  reset(beat: number): void {
    this.acked = beat
  }
}
