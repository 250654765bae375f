// Tests where redirects may lead. Fails if a redirect is followed into a private network from outside, back to plain
// http or to a file; if a redirect is refused although the operator's own server is in the private network; or if a
// name is resolved again after the check.
import { afterEach, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DownloadFailed } from '../../../src/sources/download-failed.ts'
import { fetchGuarded } from '../../../src/sources/guarded-fetch.ts'
import { isPrivateAddress } from '../../../src/sources/private-address.ts'
import { judgeRedirect } from '../../../src/sources/redirect-policy.ts'
import { makeCertificate } from '../../feeds/test-certificate.ts'

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

test('not back to http, not to other schemes', async () => {
  expect(await judge('http://feeds.example/a/b')).toBe('from https to http')
  expect(await judge('http://files.example/', 'http://feeds.example/', 'https://feeds.example/')).toBe(
    'from https to http',
  )
  expect(await judge('file:///etc/passwd')).toBe('to a file: address')
  expect(await judge('data:,x')).toBe('to a data: address')
  expect(await judge('https://[')).toBe('without a valid address')
  expect(await judge(null)).toBe('without a valid address')
})

test('not from outside to inside, whatever the name of the inside host', async () => {
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

test('inside addresses, and their neighbors outside', () => {
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

const servers: ReturnType<typeof Bun.serve>[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.stop(true)
})

function serve(answer: (request: Request) => Response, tls?: { cert: string; key: string }): number {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: answer, ...(tls && { tls }) })
  servers.push(server)
  return server.port ?? 0
}

/** A resolver. Each lookup of a host returns the host's next list of addresses; after the last list, lookups fail. */
function rebinding(hosts: Record<string, (readonly string[])[]>) {
  const requested: string[] = []
  const lookUp = async (host: string) => {
    requested.push(host)
    const addresses = hosts[host]?.shift()
    if (addresses === undefined) throw new Error(`${host} is not known`)
    return addresses
  }
  return { requested, lookUp }
}

async function fetchText(url: string, lookUp: (host: string) => Promise<readonly string[]>): Promise<string> {
  const bounds = { deadlineMillis: 5_000, idleMillis: 5_000, maxBytes: 1_000 }
  try {
    const answer = await fetchGuarded({ url, headers: {}, headersFor: () => ({}), lookUp, ...bounds })
    let text = ''
    for await (const chunk of answer.chunks()) text += Buffer.from(chunk).toString()
    return text
  } catch (error) {
    if (!(error instanceof DownloadFailed)) throw error
    return error.reason
  }
}

test('a redirect goes to the exact address that was checked, by its own name', async () => {
  const there = serve(({ headers }) => new Response(`there, as ${headers.get('host')}`))
  const first = serve(() => new Response(null, { status: 302, headers: { location: `http://files.test:${there}/x` } }))
  const { requested, lookUp } = rebinding({ '127.0.0.1': [['127.0.0.1']], 'files.test': [['127.0.0.1']] })
  expect(await fetchText(`http://127.0.0.1:${first}/`, lookUp)).toBe(`there, as files.test:${there}`)
  expect(requested).toEqual(['127.0.0.1', 'files.test'])
})

test('another address of a host is tried if the first is unreachable', async () => {
  const there = serve(() => new Response('there'))
  const first = serve(() => new Response(null, { status: 302, headers: { location: `http://files.test:${there}/x` } }))
  const { lookUp } = rebinding({ '127.0.0.1': [['127.0.0.1']], 'files.test': [['127.0.0.9', '127.0.0.1']] })
  expect(await fetchText(`http://127.0.0.1:${first}/`, lookUp)).toBe('there')
})

test('a first host that moves inside after the check gives no access to the inside', async () => {
  const inside = serve(() => new Response('secret'))
  const first = serve(() => new Response(null, { status: 302, headers: { location: `http://127.0.0.1:${inside}/` } }))
  const { lookUp } = rebinding({ localhost: [['203.0.113.7'], ['127.0.0.1']], '127.0.0.1': [['127.0.0.1']] })
  expect(await fetchText(`http://localhost:${first}/`, lookUp)).toBe('redirect_refused')
})

test('name resolution ends with the deadline', async () => {
  const never = () => new Promise<string[]>(() => {})
  const bounds = { deadlineMillis: 50, idleMillis: 5_000, maxBytes: 1_000 }
  const order = { url: 'http://files.test/', headers: {}, headersFor: () => ({}), lookUp: never, ...bounds }
  expect(await fetchGuarded(order).catch(({ reason }) => reason)).toBe('fetch_timeout')
})

test('over TLS, the certificate is checked against the name, not the address', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quai-tls-'))
  const { certFile, keyFile } = makeCertificate(folder, 'files.test')
  const tls = { key: readFileSync(keyFile, 'utf8'), cert: readFileSync(certFile, 'utf8') }
  const there = serve(() => new Response('there'), tls)
  const code = `
    const { fetchGuarded } = await import(process.env.MODULE)
    const bounds = { deadlineMillis: 5_000, idleMillis: 5_000, maxBytes: 1_000, lookUp: async () => ['127.0.0.1'] }
    for (const host of ['files.test', 'other.test']) {
      const order = { url: \`https://\${host}:${there}/\`, headers: {}, headersFor: () => ({}), ...bounds }
      console.log(await fetchGuarded(order).then(({ status }) => status, ({ reason }) => reason))
    }
    process.exit()`
  const MODULE = join(import.meta.dir, '../../../src/sources/guarded-fetch.ts')
  const env = { ...process.env, MODULE, NODE_EXTRA_CA_CERTS: certFile }
  const child = Bun.spawn([process.execPath, '-e', code], { env })
  expect(await child.stdout.text()).toBe('200\nfetch_failed\n')
  rmSync(folder, { recursive: true })
})
