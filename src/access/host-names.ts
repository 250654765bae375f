// Allowed names in the Host header. DNS rebinding can point another site's name at this machine, but cannot change the
// name a browser sends.
import { isIP } from 'node:net'

/** A name or an address, optionally with a port; IPv6 in brackets. */
const HOST = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::\d{1,5})?$/i
/** Reserved suffixes that cannot be registered. */
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
 * Whether a name is internal, which no public site can have: a single label, as used for containers and services, or a
 * reserved suffix.
 */
export function isInternalName(host: string): boolean {
  return !host.includes('.') || INTERNAL.some((end) => host.endsWith(end))
}
