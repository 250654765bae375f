// Tests which address a client has, and how many requests it may send. Fails if a client can forge its address or avoid
// its rate limit, or if a client is refused because of another client.
import { describe, expect, test } from 'bun:test'
import { ADDRESS_RATE, AddressLimits } from '../../../src/access/address-limits.ts'
import {
  countedAddress,
  isLocalAddress,
  isLoopback,
  TrustedProxies,
  trustedProxyProblem,
} from '../../../src/access/client-address.ts'
import { allocateCells } from '../../../src/metering/limit-cells.ts'
import { HandClock } from '../account-fixture.ts'

describe('the client address', () => {
  const proxies = new TrustedProxies(['10.0.0.0/8', '192.0.2.7', '2001:db8:1::/48'])

  test.each([
    // The peer is not a trusted proxy, so its header is ignored.
    ['198.51.100.1', '203.0.113.9', '198.51.100.1'],
    ['198.51.100.1', null, '198.51.100.1'],
    ['10.1.2.3', null, '10.1.2.3'],
    ['10.1.2.3', '', '10.1.2.3'],
    ['10.1.2.3', '203.0.113.9', '203.0.113.9'],
    // The client itself may have written entries on the left. Only the last entry that is not a trusted proxy counts.
    ['10.1.2.3', '127.0.0.1, 203.0.113.9', '203.0.113.9'],
    ['10.1.2.3', '127.0.0.1, 203.0.113.9, 10.9.9.9', '203.0.113.9'],
    ['10.1.2.3', '127.0.0.1, 203.0.113.9, 192.0.2.8', '192.0.2.8'],
    ['192.0.2.7', '203.0.113.9 , 10.0.0.1,192.0.2.7', '203.0.113.9'],
    // All entries are trusted proxies: the leftmost is nearest to the client.
    ['10.1.2.3', '10.0.0.2, 10.0.0.1', '10.0.0.2'],
    // One entry is not an address. The proxy to its right wrote this entry, so the address of that proxy is the last
    // known address.
    ['10.1.2.3', 'unknown', '10.1.2.3'],
    ['10.1.2.3', '203.0.113.9, _hidden, 10.0.0.1', '10.0.0.1'],
    ['10.1.2.3', '203.0.113.9:5123', '203.0.113.9'],
    ['10.1.2.3', '[2001:db8:2::5]:443', '2001:db8:2::5'],
    ['2001:db8:1::1', '2001:db8:2::5', '2001:db8:2::5'],
    ['::ffff:10.1.2.3', '203.0.113.9', '203.0.113.9'],
    ['::ffff:198.51.100.1', '203.0.113.9', '198.51.100.1'],
    // An IPv4 address is the same address in every notation.
    ['10.1.2.3', '::ffff:203.0.113.9', '203.0.113.9'],
    ['10.1.2.3', '[::FFFF:cb00:7109]:80', '203.0.113.9'],
    ['10.1.2.3', '0:0:0:0:0:ffff:cb00:7109', '203.0.113.9'],
    ['::ffff:a01:203', '203.0.113.9', '203.0.113.9'],
  ])('of %s that forwards for %s is %s', (peer, forwardedFor, client) => {
    expect(proxies.clientOf(peer, forwardedFor)).toBe(client)
  })

  test('is the peer if no proxy is trusted', () => {
    expect(new TrustedProxies([]).clientOf('10.1.2.3', '203.0.113.9')).toBe('10.1.2.3')
  })

  test('is counted by network for IPv6, by address for IPv4', () => {
    expect(['2001:db8::1', '2001:db8:0:0:ffff::', '2001:DB8::a:b'].map(countedAddress)).toEqual(
      new Array(3).fill('2001:db8:0:0'),
    )
    expect(['::1', 'fe80::1%eth0', '1:2:3:4:5:6:7:8', '203.0.113.9'].map(countedAddress)).toEqual([
      '0:0:0:0',
      'fe80:0:0:0',
      '1:2:3:4',
      '203.0.113.9',
    ])
  })

  test('is recognized on this machine', () => {
    expect(['127.0.0.1', '127.9.9.9', '::1'].map(isLoopback)).toEqual([true, true, true])
    expect(['128.0.0.1', '10.0.0.1', '::2'].map(isLoopback)).toEqual([false, false, false])
  })

  test('is recognized on a local network by the form in which it is counted', () => {
    const areLocal = (addresses: readonly string[]) => addresses.map((one) => isLocalAddress(countedAddress(one)))
    const local = ['127.0.0.1', '10.1.2.3', '172.31.0.1', '192.168.1.1', '100.64.0.1', '::1', 'fd12::1', 'fe80::1']
    expect(areLocal(local)).toEqual(local.map(() => true))
    const remote = ['203.0.113.9', '172.32.0.1', '100.128.0.1', '2001:db8::1', '::1:0:0:0:1', '64:ff9b::1', '']
    expect(areLocal(remote)).toEqual(remote.map(() => false))
  })

  test('proxies that are neither addresses nor ranges are reported', () => {
    expect(['10.0.0.0/8', '::1', '::/0', '192.0.2.1/32'].map(trustedProxyProblem)).toEqual(new Array(4).fill(undefined))
    for (const wrong of ['proxy.example', '10.0.0.0/33', '10.0.0/8', '::/129', '10.0.0.0/', '']) {
      expect(trustedProxyProblem(wrong)).toContain(`"${wrong}"`)
    }
  })
})

describe('the bucket of an address', () => {
  const PUBLIC = { name: 'public', sparesLoopback: false }

  function openLimits(trustedProxies: readonly string[] = []) {
    const clock = new HandClock()
    const start = { cells: allocateCells(), seed: 7n, trustedProxies }
    const threads = [new AddressLimits(start, clock), new AddressLimits(start, clock)]
    let calls = 0
    const ask = (peer: string | undefined, kind = PUBLIC, forwardedFor?: string) => {
      const headers: Record<string, string> = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor }
      const request = new Request('http://localhost/docs', { headers })
      const peers = { requestIP: () => (peer === undefined ? null : { address: peer, port: 1 }) }
      return threads[calls++ % 2].take(request, peers, kind)
    }
    return { ask, clock }
  }

  test('limits requests across all threads, and refills; other addresses have their own', () => {
    const { ask, clock } = openLimits()
    for (let call = 0; call < ADDRESS_RATE.burst; call++) expect(ask('203.0.113.9')).toBe(0)
    expect(ask('203.0.113.9')).toBe(1)
    expect(ask('203.0.113.10')).toBe(0)
    expect(ask('203.0.113.9', { ...PUBLIC, name: 'refused' })).toBe(0)
    clock.millis += 1000
    for (let call = 0; call < ADDRESS_RATE.perSecond; call++) expect(ask('203.0.113.9')).toBe(0)
    expect(ask('203.0.113.9')).toBe(1)
  })

  test('cannot be avoided by a forged header or another address of the same network', () => {
    const { ask } = openLimits(['10.0.0.0/8'])
    for (let call = 0; call < ADDRESS_RATE.burst; call++) {
      expect(ask('203.0.113.9', PUBLIC, `192.0.2.${call}`)).toBe(0)
      expect(ask('10.0.0.1', PUBLIC, `192.0.2.${call}, 203.0.113.8`)).toBe(0)
      expect(ask(`2001:db8::${call + 1}`)).toBe(0)
    }
    expect(ask('203.0.113.9', PUBLIC, '192.0.2.200')).toBe(1)
    expect(ask('10.0.0.1', PUBLIC, '192.0.2.200, 203.0.113.8')).toBe(1)
    expect(ask('2001:db8::ffff')).toBe(1)
  })

  test('exempts this machine if configured, unless a trusted proxy forwards for another client', () => {
    const { ask } = openLimits(['127.0.0.1'])
    const sparing = { name: 'public', sparesLoopback: true }
    for (let call = 0; call < 2 * ADDRESS_RATE.burst; call++) expect(ask('127.0.0.1', sparing)).toBe(0)
    for (let call = 0; call < ADDRESS_RATE.burst; call++) expect(ask('127.0.0.1', sparing, '203.0.113.9')).toBe(0)
    expect(ask('127.0.0.1', sparing, '203.0.113.9')).toBe(1)
    expect(ask(undefined)).toBe(0) // the address is undefined if the connection is already closed
  })
})
