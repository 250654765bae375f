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
 * Throws PortUnavailable where another process listens on the API's port. Every data thread opens it and shares it
 * (`reusePort`), which the kernel grants to any process that asks for the same: two services on one port would each
 * answer some of the requests, without a word. So it is opened for a moment without sharing, as only one process can.
 */
export function ensureOwnPort(hostname: string, port: number): void {
  if (port === 0) return
  try {
    Bun.listen({ hostname, port, socket: { data: () => undefined } }).stop(true)
  } catch (error) {
    throw new PortUnavailable('the API', { hostname, port, setting: 'port' }, error)
  }
}
