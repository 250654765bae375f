// The names by which this machine may be asked. A page of another site can have a name of its own lead here (DNS
// rebinding), but it cannot have a browser say another name than that.
import { isIP } from 'node:net'

/** A name or an address, perhaps with a port; IPv6 in brackets. */
const HOST = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::\d{1,5})?$/i
/** Ends of names that nobody can register. */
const INTERNAL = ['.localhost', '.local', '.internal', '.lan', '.home.arpa']

/** The host of a Host header, in lower case and without its port; undefined if it is not one host. */
export function readHost(header: string | null): string | undefined {
  const [, bracketed, name] = HOST.exec(header ?? '') ?? []
  return (bracketed ?? name)?.toLowerCase()
}

/** An address can't be made to mean another machine, nor can localhost; any other name can. */
export function isOwnName(host: string): boolean {
  return isIP(host) !== 0 || host === 'localhost' || host.endsWith('.localhost')
}

/**
 * Whether a name is one of an internal network, which no site of the web can have: of one word, as containers and
 * services have them, or with an end that is kept for such names.
 */
export function isInternalName(host: string): boolean {
  return !host.includes('.') || INTERNAL.some((end) => host.endsWith(end))
}
