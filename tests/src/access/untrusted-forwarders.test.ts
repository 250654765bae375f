// Tests the report on proxies that `trusted_proxies` does not name. Fails if a proxy is reported twice, if clients can
// hide a proxy by sending a forwarding header themselves, or if a trusted proxy is reported.
import { expect, test } from 'bun:test'
import { TrustedProxies } from '../../../src/access/client-address.ts'
import { describeForwarder, type Forwarder, UntrustedForwarders } from '../../../src/access/untrusted-forwarders.ts'

/**
 * Handles these requests; returns the proxies that are reported. Each request has the address of its peer, and may have
 * a forwarding header.
 */
function reportedOf(trusted: readonly string[], requests: readonly (readonly [peer: string, header?: string])[]) {
  const reported: Forwarder[] = []
  const forwarders = new UntrustedForwarders((one) => reported.push(one))
  const proxies = new TrustedProxies(trusted, (one) => forwarders.note(one))
  for (const [peer, header] of requests) {
    proxies.clientOfRequest(new Headers(header === undefined ? {} : { [header]: '203.0.113.9' }), peer)
  }
  return { reported, forwarders }
}

test('each address is reported once, with the first header it sent', () => {
  const { reported } = reportedOf(
    ['10.0.0.0/8'],
    [
      ['192.168.0.1'],
      ['192.168.0.1', 'x-forwarded-for'],
      ['::ffff:192.168.0.1', 'forwarded'],
      ['2001:db8::1', 'forwarded'],
      ['2001:db8::2', 'x-real-ip'],
      ['10.1.2.3', 'x-forwarded-for'],
    ],
  )
  expect(reported).toEqual([
    { address: '192.168.0.1', header: 'X-Forwarded-For' },
    { address: '2001:db8::1', header: 'Forwarded' },
  ])
})

test('strangers cannot hide a proxy on a local network, nor flood the log', () => {
  const strangers = Array.from({ length: 1_000 }, (_, number) => [`2001:db8:${number}::1`, 'x-forwarded-for'] as const)
  const { reported, forwarders } = reportedOf([], [...strangers, ['10.0.0.5', 'x-forwarded-for']])
  expect(reported).toHaveLength(9)
  expect(forwarders.list([])[0]).toEqual({ address: '10.0.0.5', header: 'X-Forwarded-For' })
  // A proxy that is trusted later is no longer listed.
  expect(forwarders.list(['10.0.0.0/24']).map(({ address }) => address)).not.toContain('10.0.0.5')
})

test('the log names the setting to change', () => {
  const text = describeForwarder({ address: '10.0.0.5', header: 'X-Forwarded-For' })
  expect(text).toContain('10.0.0.5 sent X-Forwarded-For but is not in trusted_proxies')
  expect(text).toContain('trusted_proxies = ["10.0.0.5"]')
})
