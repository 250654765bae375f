// Checks the name in the Host header, to protect against DNS rebinding: an attacker can point the name of another site
// at this machine, but the browser still sends that name.
import { isIP } from 'node:net'

/** A name or an address, optionally with a port; IPv6 in brackets. */
const HOST = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::\d{1,5})?$/i
/** Suffixes for private networks, under which nobody can register a public name. */
const INTERNAL = ['.localhost', '.local', '.internal', '.lan', '.home.arpa']

/** The host of a Host header, lowercase and without its port; undefined if invalid. */
export function readHost(header: string | null): string | undefined {
  const [, bracketed, name] = HOST.exec(header ?? '') ?? []
  return (bracketed ?? name)?.toLowerCase()
}

/** Whether a host is an address or localhost. DNS rebinding works only with other names. */
export function isOwnName(host: string): boolean {
  return isIP(host) !== 0 || host === 'localhost' || host.endsWith('.localhost')
}

/**
 * Whether a name is internal: either a single label, as used for containers and services, or a name with a reserved
 * suffix. No public site can have such a name.
 */
export function isInternalName(host: string): boolean {
  return !host.includes('.') || INTERNAL.some((end) => host.endsWith(end))
}
