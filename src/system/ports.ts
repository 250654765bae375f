// Checks whether the ports of a service can be opened. Defines the error for a port that cannot be opened.

/** Thrown if a port cannot be opened; the message contains the purpose of the port and its setting. */
export class PortUnavailable extends Error {
  override readonly name = 'PortUnavailable'

  /** @param who name of the server that needs the port, for the message */
  constructor(who: string, place: { hostname: string; port: number; setting: string }, cause: unknown) {
    const { hostname, port, setting } = place
    const remedy = `choose another port with --${setting.replace('_', '-')}, QUAI_${setting.toUpperCase()} or ${setting} in quai.toml`
    const why = isInUse(cause)
      ? `the port is in use. Stop the process that uses it, or ${remedy}.`
      : `${cause instanceof Error ? cause.message : String(cause)}. Check ${setting === 'admin_port' ? 'admin_bind' : 'bind'}, or ${remedy}.`
    super(`${who} could not listen on ${hostname}:${port} (${setting}): ${why}`, { cause })
  }
}

/** Whether opening the port failed because another process listens on it. */
function isInUse(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE'
}

/**
 * Throws PortUnavailable if another process listens on the API's port. To check this, opens the port briefly in a mode
 * in which it cannot be shared. This fails if another process has opened the port (src/docs/decisions, threads).
 */
export function ensureOwnPort(hostname: string, port: number): void {
  const cause = tryPort(hostname, port)
  if (cause !== undefined) throw new PortUnavailable('the API', { hostname, port, setting: 'port' }, cause)
}

/** Opens a port and closes it. Returns why it cannot be opened; undefined if it can be opened. */
export function tryPort(hostname: string, port: number): unknown {
  if (port === 0) return undefined
  try {
    Bun.listen({ hostname, port, socket: { data: () => undefined } }).stop(true)
    return undefined
  } catch (error) {
    return error
  }
}
