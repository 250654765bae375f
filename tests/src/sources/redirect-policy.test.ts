// Where redirects may lead. It fails by one followed into a private network from outside, back to plain http or to a file;
// or by one refused to an operator whose own server is inside.
import { expect, test } from 'bun:test'
import { isPrivateAddress } from '../../../src/sources/private-address.ts'
import { judgeRedirect } from '../../../src/sources/redirect-policy.ts'

const HOSTS: Readonly<Record<string, readonly string[]>> = {
  'feeds.example': ['203.0.113.5', '2001:db8::5'],
  'files.example': ['203.0.113.6'],
  'turned.example': ['203.0.113.7', '10.0.0.7'],
  'intranet.example': ['192.168.1.2'],
}

async function judge(location: string | null, first = 'https://feeds.example/a/b', from = first) {
  const resolve = async (host: string) => HOSTS[host] ?? [host]
  const verdict = await judgeRedirect({ first: new URL(first), from: new URL(from), location }, resolve)
  return verdict.kind === 'follow' ? verdict.to.href : verdict.why
}

test('to the web', async () => {
  expect(await judge('https://files.example/x')).toBe('https://files.example/x')
  expect(await judge('c?d')).toBe('https://feeds.example/a/c?d')
  expect(await judge('//files.example/x')).toBe('https://files.example/x')
  expect(await judge('https://feeds.example/x', 'http://feeds.example/')).toBe('https://feeds.example/x')
})

test('not back to http, not to what is not the web', async () => {
  expect(await judge('http://feeds.example/a/b')).toBe('from https to http')
  expect(await judge('http://files.example/', 'http://feeds.example/', 'https://feeds.example/')).toBe(
    'from https to http',
  )
  expect(await judge('file:///etc/passwd')).toBe('to file:')
  expect(await judge('data:,x')).toBe('to data:')
  expect(await judge('https://[')).toBe('to nowhere')
  expect(await judge(null)).toBe('to nowhere')
})

test('not from outside to inside, whatever the inside is called', async () => {
  const inside = [
    'intranet.example',
    'turned.example',
    '127.0.0.1',
    '2130706433',
    '0x7f.1',
    '[::1]',
    '[::ffff:10.0.0.1]',
  ]
  for (const host of inside) expect(await judge(`https://${host}/`)).toBe('into a private network')
  expect(await judge('https://10.0.0.1/', 'https://feeds.example/', 'https://files.example/')).toBe(
    'into a private network',
  )
})

test('from inside to anywhere', async () => {
  for (const first of ['https://intranet.example/', 'https://127.0.0.1:8443/']) {
    expect(await judge('https://10.0.0.1/x', first)).toBe('https://10.0.0.1/x')
    expect(await judge('https://files.example/x', first)).toBe('https://files.example/x')
  }
})

test('addresses inside, and their neighbors outside', () => {
  const inside = `127.0.0.1 127.255.255.255 10.1.2.3 172.16.0.1 172.31.255.255 192.168.1.1 169.254.169.254 0.0.0.0
    100.64.0.1 192.0.0.8 224.0.0.1 255.255.255.255 ::1 :: fe80::1 fe80::1%eth0 fec0::1 fd00::1 ff02::1
    ::ffff:10.0.0.1 ::ffff:7f00:1 0:0:0:0:0:ffff:7f00:1 ::127.0.0.1 ::ffff:0:10.0.0.1 64:ff9b::10.0.0.1 64:ff9b:1::1
    2002:7f00:1::1`
  const outside = `8.8.8.8 172.32.0.1 172.15.255.255 192.169.0.1 100.128.0.1 100.63.255.255 126.0.0.1 128.0.0.1
    223.255.255.255 169.253.0.1 2001:db8::1 2606:4700::1111 ::ffff:8.8.8.8 ::ffff:808:808 64:ff9b::8.8.8.8
    2002:808:808::1 ::1:2:3:4:5`
  expect(inside.split(/\s+/).filter((one) => !isPrivateAddress(one))).toEqual([])
  expect(outside.split(/\s+/).filter(isPrivateAddress)).toEqual([])
})
