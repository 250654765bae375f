// Detects private addresses. These are addresses of this machine, its local link or its organization, and addresses
// that do not belong to a single public host, such as multicast addresses.
import { BlockList, isIPv6 } from 'node:net'

const INSIDE = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3], // multicast, reserved, broadcast
] as const) {
  INSIDE.addSubnet(network, prefix, 'ipv4')
}
for (const [network, prefix] of [
  ['64:ff9b:1::', 48], // local-use IPv4/IPv6 translation
  ['fc00::', 7],
  ['fe80::', 9], // link-local and the former site-local
  ['ff00::', 8],
] as const) {
  INSIDE.addSubnet(network, prefix, 'ipv6')
}

/**
 * Prefixes of IPv6 addresses that contain an IPv4 address: mapped, translated (SIIT, NAT64), compatible and 6to4. The
 * IPv6 addresses `::1` (loopback) and `::` (any address) have the compatible form, in which they contain 0.0.0.1 and
 * 0.0.0.0.
 */
const CARRIERS: readonly (readonly number[])[] = [
  [0, 0, 0, 0, 0, 0xffff],
  [0, 0, 0, 0, 0xffff, 0],
  [0x64, 0xff9b, 0, 0, 0, 0],
  [0, 0, 0, 0, 0, 0],
  [0x2002],
]

/**
 * Whether an address is loopback, link-local, private, shared (RFC 6890), multicast or otherwise reserved.
 * @param address IPv4 or IPv6, as a string
 */
export function isPrivateAddress(address: string): boolean {
  if (!isIPv6(address)) return INSIDE.check(address, 'ipv4')
  const [bare = ''] = address.split('%') // the zone after `%` names the link and is not part of the address
  const groups = listGroups(bare)
  const carrier = CARRIERS.find((prefix) => prefix.every((group, at) => groups[at] === group))
  if (carrier === undefined) return INSIDE.check(bare, 'ipv6')
  const [high = 0, low = 0] = groups.slice(carrier.length)
  return INSIDE.check(`${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`, 'ipv4')
}

/** The eight groups of an IPv6 address. */
function listGroups(address: string): number[] {
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1) // in lower case, without a dotted part
  const [before = '', after = ''] = canonical.split('::')
  const [head, tail] = [before, after].map((part) => (part === '' ? [] : part.split(':')))
  const zeros = Array.from({ length: 8 - (head?.length ?? 0) - (tail?.length ?? 0) }, () => '0')
  return [...(head ?? []), ...zeros, ...(tail ?? [])].map((group) => Number.parseInt(group, 16))
}
