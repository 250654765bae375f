// The client address of a request: the peer of the connection, or, behind a trusted proxy, the address from
// X-Forwarded-For. Other X-Forwarded-For headers are ignored, since anyone can write one.
import { BlockList, isIP } from 'node:net'

const CIDR = /^([^/]+)\/(\d{1,3})$/
const ADDRESS_BITS = { 4: 32, 6: 128 } as const
/** An address as proxies write it: alone or with a port. An IPv6 address with a port is in brackets. */
const FORWARDED = /^(?:\[([^\]]+)\](?::\d+)?|([^:]+)(?::\d+)?|(.+))$/
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i
/**
 * The end of an IPv4-mapped IPv6 address in hexadecimal: a cheap test before the full parse, since few other addresses
 * end like this.
 */
const HEX_MAPPED = /:ffff:[0-9a-f]{1,4}:[0-9a-f]{1,4}$/i
const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4')
LOOPBACK.addAddress('::1', 'ipv6')
/** What `countedAddress` returns for `::1`. */
const LOOPBACK_NETWORK = '0:0:0:0'
/** Loopback, link-local, private (RFC 1918, RFC 4193) and carrier-grade NAT networks (RFC 6598). */
const LOCAL = new BlockList()
for (const [network, bits] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
  ['100.64.0.0', 10],
  ['fc00::', 7],
  ['fe80::', 10],
] as const)
  LOCAL.addSubnet(network, bits, familyOf(network))

/** Describes what is wrong with an entry of `trusted_proxies`; undefined if the entry is valid. */
export function trustedProxyProblem(entry: string): string | undefined {
  const range = parseRange(entry)
  return range === undefined ? `"${entry}" is neither an IP address nor a range such as 10.0.0.0/8` : undefined
}

/** Headers in which proxies name the client. */
const FORWARDING_HEADERS = ['X-Forwarded-For', 'Forwarded', 'X-Real-IP']

/** The name of the first forwarding header that a request has; undefined if it has none. */
export function findForwardingHeader(headers: Headers): string | undefined {
  return FORWARDING_HEADERS.find((name) => headers.has(name))
}

/** The trusted proxies. */
export class TrustedProxies {
  private proxies = new BlockList()
  private isEmpty = true
  private readonly onUntrusted: ((forwarder: { address: string; header: string }) => void) | undefined

  /** @param onUntrusted called for each forwarding header from an untrusted address */
  constructor(
    entries: readonly string[],
    onUntrusted?: (forwarder: { readonly address: string; readonly header: string }) => void,
  ) {
    this.onUntrusted = onUntrusted
    this.replace(entries)
  }

  /** Replaces the trusted proxies. */
  replace(entries: readonly string[]): void {
    this.proxies = new BlockList()
    this.isEmpty = entries.length === 0
    for (const entry of entries) {
      const range = parseRange(entry)
      if (range === undefined) throw new Error(trustedProxyProblem(entry))
      this.proxies.addSubnet(range.address, range.bits, familyOf(range.address))
    }
  }

  /** Whether an address is a trusted proxy. */
  isTrusted(address: string): boolean {
    const plain = plainAddress(address)
    return !this.isEmpty && this.proxies.check(plain, familyOf(plain))
  }

  /**
   * The client address of a request.
   * @param peer the address at the other end of the connection
   */
  clientOfRequest(headers: Headers, peer: string): string {
    if (this.onUntrusted !== undefined && !this.isTrusted(peer)) {
      const header = findForwardingHeader(headers)
      if (header !== undefined) this.onUntrusted({ address: plainAddress(peer), header })
    }
    return this.clientOf(peer, headers.get('x-forwarded-for'))
  }

  /**
   * The client's address. An IPv4 address that is written as IPv6 is returned as IPv4.
   * @param peer the address at the other end of the connection
   * @param forwardedFor X-Forwarded-For, or null if absent
   */
  clientOf(peer: string, forwardedFor: string | null): string {
    let client = plainAddress(peer)
    if (this.isEmpty || forwardedFor === null) return client
    // At the end of the header, each proxy adds the address from which it got the request. So the list is read from its
    // end, up to the first address that is not a trusted proxy.
    for (const entry of forwardedFor.split(',').reverse()) {
      if (!this.isTrusted(client)) return client
      const [, bracketed, plain, bare] = FORWARDED.exec(entry.trim()) ?? []
      const named = plainAddress(bracketed ?? plain ?? bare ?? '')
      if (isIP(named) === 0) return client
      client = named
    }
    return client
  }
}

/** Whether an address belongs to this machine. */
export function isLoopback(address: string): boolean {
  return LOOPBACK.check(address, familyOf(address))
}

/** Whether an address (from `countedAddress`) is local. A local address may be a proxy that several clients share. */
export function isLocalAddress(counted: string): boolean {
  if (counted === LOOPBACK_NETWORK) return true
  const address = counted.includes(':') ? `${counted}::` : counted
  return isIP(address) !== 0 && LOCAL.check(address, familyOf(address))
}

/**
 * The address that requests are counted for: an IPv4 address itself, or the /64 network of an IPv6 address, since one
 * client usually has the whole network.
 */
export function countedAddress(address: string): string {
  if (isIP(address) !== 6) return address
  const [head = '', tail] = canonicalAddress(address).split('::')
  const before = head === '' ? [] : head.split(':')
  const behind = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = new Array<string>(tail === undefined ? 0 : 8 - before.length - behind.length).fill('0')
  return [...before, ...zeros, ...behind].slice(0, 4).join(':')
}

/** An IPv6 address in its shortest form. */
function canonicalAddress(address: string): string {
  return new URL(`http://[${address.split('%')[0]}]`).hostname.slice(1, -1)
}

/** Returns an IPv4-mapped IPv6 address as plain IPv4, and any other address unchanged. */
export function plainAddress(address: string): string {
  const dotted = MAPPED.exec(address)?.[1]
  if (dotted !== undefined || !HEX_MAPPED.test(address) || isIP(address) !== 6) return dotted ?? address
  const [, high = '', low = ''] = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(canonicalAddress(address)) ?? []
  if (low === '') return address
  return [high, low].flatMap((part) => [Number.parseInt(part, 16) >> 8, Number.parseInt(part, 16) & 0xff]).join('.')
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return address.includes(':') ? 'ipv6' : 'ipv4'
}

function parseRange(entry: string): { address: string; bits: number } | undefined {
  const [, network = entry, length] = CIDR.exec(entry) ?? []
  const family = isIP(network)
  if (family !== 4 && family !== 6) return undefined
  const most = ADDRESS_BITS[family]
  const bits = length === undefined ? most : Number(length)
  return bits <= most ? { address: network, bits } : undefined
}
