// Which addresses lie inside: this machine, its link, its organisation.
import { BlockList, isIPv6 } from 'node:net'

const INSIDE = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
] as const) {
  INSIDE.addSubnet(network, prefix, 'ipv4')
}
for (const [network, prefix] of [
  ['::', 127],
  ['fc00::', 7],
  ['fe80::', 10],
] as const) {
  INSIDE.addSubnet(network, prefix, 'ipv6')
}

/** IPv4 addresses written as IPv6 ones. */
const MAPPED = /^::ffff:(?:(\d+\.\d+\.\d+\.\d+)|([0-9a-f]{1,4}):([0-9a-f]{1,4}))$/i

/** Whether an address is of loopback, link-local, private or shared use (RFC 6890). @param address as text, IPv4 or IPv6 */
export function isPrivateAddress(address: string): boolean {
  if (!isIPv6(address)) return INSIDE.check(address, 'ipv4')
  const [, dotted, high, low] = MAPPED.exec(address) ?? []
  if (dotted !== undefined) return INSIDE.check(dotted, 'ipv4')
  if (high === undefined || low === undefined) return INSIDE.check(address, 'ipv6')
  const [upper, lower] = [Number.parseInt(high, 16), Number.parseInt(low, 16)]
  return INSIDE.check(`${upper >> 8}.${upper & 255}.${lower >> 8}.${lower & 255}`, 'ipv4')
}
