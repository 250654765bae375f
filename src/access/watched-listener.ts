// A port, as far as connections are kept from crowding it out.

/** What listens on a port; several threads may do so on one. */
export interface WatchedListener {
  /** These connections are too many: requests on them are refused. */
  turnAway(connections: readonly string[]): void
  /** Closes the connections on which requests were answered and none is under way. */
  closeIdle(): void
  /** Takes no connections; what is under way goes on. Settles once that holds. */
  pause(): Promise<void>
  /** Takes connections again. */
  resume(): Promise<void>
}
