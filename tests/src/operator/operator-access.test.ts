// Tests who may open the operator pages. Fails if another machine, another host name or a wrong token is accepted, or
// if this machine's own names are refused.
import { describe, expect, test } from 'bun:test'
import { findAccessRefusal } from '../../../src/operator/operator-access.ts'

const TOKEN = 'correct horse battery staple:1'

/** The status of the refusal, or 200 if access is allowed. */
function statusOf(
  peer: string | undefined,
  headers: Record<string, string> = { host: 'localhost:8082' },
  token?: string,
): number {
  return findAccessRefusal({ peer, headers: new Headers(headers) }, token)?.status ?? 200
}

describe('without a token', () => {
  test('only this machine is served, whatever the form of its address', () => {
    for (const peer of ['127.0.0.1', '127.8.9.1', '::1', '::ffff:127.0.0.1'])
      expect([peer, statusOf(peer)]).toEqual([peer, 200])
    for (const peer of ['10.0.0.1', '172.17.0.1', '::ffff:10.0.0.1', '2001:db8::1', 'localhost', '', undefined]) {
      expect([peer, statusOf(peer)]).toEqual([peer, 403])
    }
  })

  test('another site’s page cannot read it under its own host name', () => {
    for (const host of ['localhost', 'LOCALHOST:8082', 'a.localhost', '127.0.0.1:8082', '[::1]:8082', '192.168.1.2']) {
      expect([host, statusOf('127.0.0.1', { host })]).toEqual([host, 200])
    }
    for (const host of ['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', 'notlocalhost', 'quai']) {
      expect([host, statusOf('127.0.0.1', { host })]).toEqual([host, 403])
    }
    for (const host of ['', 'a, b', 'localhost/', 'a@localhost', '[::1', 'localhost:99999999']) {
      expect([host, statusOf('127.0.0.1', { host })]).toEqual([host, 400])
    }
    expect(statusOf('127.0.0.1', {})).toBe(400)
  })

  test('forwarded requests do not count as from this machine', () => {
    for (const name of ['Forwarded', 'X-Forwarded-For', 'X-Real-IP']) {
      expect([name, statusOf('127.0.0.1', { host: 'localhost', [name]: '127.0.0.1' })]).toEqual([name, 403])
    }
  })
})

describe('with a token', () => {
  const basic = (user: string, password: string) => ({
    authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
  })

  test('whoever has it is served, from anywhere and under any name', () => {
    expect(statusOf('10.0.0.1', { host: 'quai.example', ...basic('operator', TOKEN) }, TOKEN)).toBe(200)
    expect(statusOf('10.0.0.1', basic('', TOKEN), TOKEN)).toBe(200)
    expect(statusOf('10.0.0.1', { authorization: 'Bearer abc' }, 'abc')).toBe(200)
    expect(statusOf('10.0.0.1', { authorization: 'bearer  abc' }, 'abc')).toBe(200)
  })

  test('nobody else is, not even this machine', () => {
    expect(statusOf('127.0.0.1', { host: 'localhost' }, TOKEN)).toBe(401)
    const wrong = [
      { authorization: 'Bearer abd' },
      { authorization: 'Bearer' },
      { authorization: 'abc' },
      { authorization: 'Bearer abc abc' },
      { authorization: 'Digest abc' },
      { authorization: 'Basic abc' },
      basic('abc', ''),
      basic('operator', 'abcd'),
    ]
    for (const headers of wrong) expect([headers, statusOf('127.0.0.1', headers, 'abc')]).toEqual([headers, 401])
  })
})
