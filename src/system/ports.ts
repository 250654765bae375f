// Checks whether a service's ports can be opened, and defines the error for a port that cannot be opened.

/** Thrown if a port cannot be opened. The message says what the port is for and which setting changes it. */
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
 * Throws PortUnavailable if another process listens on the API's port. The data threads open the port in shared mode,
 * which succeeds even if another service has it open in shared mode. So this function briefly opens the port in
 * exclusive mode, which fails if another process has the port open (src/docs/decisions, threads).
 */
export function ensureOwnPort(hostname: string, port: number): void {
  const cause = tryPort(hostname, port)
  if (cause !== undefined) throw new PortUnavailable('the API', { hostname, port, setting: 'port' }, cause)
}

/** Opens a port and closes it again. Returns the reason if the port cannot be opened; otherwise undefined. */
export function tryPort(hostname: string, port: number): unknown {
  if (port === 0) return undefined
  try {
    Bun.listen({ hostname, port, socket: { data: () => undefined } }).stop(true)
    return undefined
  } catch (error) {
    return error
  }
}
