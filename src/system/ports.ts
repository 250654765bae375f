// The ports a service opens, and what is said where it can't.

/** A port can't be opened; the message says whose it is meant to be, and by which setting. */
export class PortUnavailable extends Error {
  override readonly name = 'PortUnavailable'

  /** @param who what listens there, as people call it */
  constructor(who: string, place: { hostname: string; port: number; setting: string }, cause: unknown) {
    const { hostname, port, setting } = place
    const why = cause instanceof Error ? cause.message : String(cause)
    super(`${who} could not listen on ${hostname}:${port} (${setting}): ${why}`, { cause })
  }
}

/**
 * Throws PortUnavailable if another process listens on the API's port: opens it for a moment without sharing it, which
 * only one process can do (src/docs/decisions, threads).
 */
export function ensureOwnPort(hostname: string, port: number): void {
  if (port === 0) return
  try {
    Bun.listen({ hostname, port, socket: { data: () => undefined } }).stop(true)
  } catch (error) {
    throw new PortUnavailable('the API', { hostname, port, setting: 'port' }, error)
  }
}
