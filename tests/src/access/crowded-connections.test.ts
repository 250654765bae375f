// Tests which connections exceed the limit per address. Fails if one of the first thousand connections from an address
// is refused (whatever other connections are opened and closed), if connections from a trusted proxy are counted, or if
// addresses in one IPv6 network are counted separately.
import { describe, expect, test } from 'bun:test'
import { TrustedProxies } from '../../../src/access/client-address.ts'
import {
  ADDRESS_CONNECTION_LIMIT,
  ConnectionCount,
  CrowdedConnections,
} from '../../../src/access/crowded-connections.ts'

const many = (address: string, count: number, from = 1) =>
  Array.from({ length: count }, (_, at) => ({ address, port: from + at }))
const countWith = (...proxies: string[]) => new ConnectionCount(new TrustedProxies(proxies))

describe('excess connections', () => {
  test('are those beyond the first thousand, in the order in which they were first seen', () => {
    const count = countWith()
    const first = many('192.0.2.1', ADDRESS_CONNECTION_LIMIT, 2_000)
    expect(count.find(first)).toEqual([])
    const later = many('192.0.2.1', 2, 1_000) // the kernel may list these first
    expect(count.find([...later, ...first, ...many('192.0.2.2', 500)])).toEqual(['192.0.2.1 1000', '192.0.2.1 1001'])
    expect(count.find([...later, ...first.slice(1)])).toEqual(['192.0.2.1 1001'])
    expect(count.find(later)).toEqual([])
  })

  test('do not include those from a trusted proxy', () => {
    expect(countWith('192.0.2.0/24').find(many('192.0.2.1', 2 * ADDRESS_CONNECTION_LIMIT))).toEqual([])
  })

  test('are counted by network for IPv6', () => {
    const half = ADDRESS_CONNECTION_LIMIT / 2
    const open = [...many('2001:db8::1', half), ...many('2001:db8::2', half), ...many('2001:db8:0:0:5::1', 1)]
    expect(countWith().find(open)).toEqual(['2001:db8:0:0:5::1 1'])
  })
})

test('reject their requests and are closed; all others are served', () => {
  const crowd = new CrowdedConnections()
  const request = new Request('http://localhost/')
  const on = (address: string, port: number) => crowd.refusalOf(request, { requestIP: () => ({ address, port }) })
  expect(on('192.0.2.1', 7)).toBeUndefined()
  crowd.replace(['192.0.2.1 7'])
  expect(on('::ffff:192.0.2.1', 7)).toMatchObject({
    reason: 'rate_limited',
    retryAfterSeconds: 1,
    endsConnection: true,
  })
  expect([on('192.0.2.1', 8), on('192.0.2.2', 7), crowd.refusalOf(request, null)]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
  crowd.replace([])
  expect(on('192.0.2.1', 7)).toBeUndefined()
})
