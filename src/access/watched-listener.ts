// A listener whose connections can be limited.

/** A listening port, possibly shared by several threads. */
export interface WatchedListener {
  /** Refuses requests on the given connections, which are beyond the limit per address. */
  turnAway(connections: readonly string[]): void
  /** Closes idle connections on which at least one request was answered. */
  closeIdle(): void
  /** Stops accepting connections; pending requests continue. Resolves once done. */
  pause(): Promise<void>
  /** Accepts connections again. */
  resume(): Promise<void>
}
