// Tests the rules for all ports of a service: TLS only with forward secrecy, responses that browsers don't
// misinterpret, metrics that other sites' pages can't read, and a public status that reveals nothing about the machine.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeCertificate } from '../feeds/test-certificate.ts'
import { dedent, SMALL_FEED } from '../feeds/text-feed.ts'
import { commandOf, ServiceFolder, until } from './running.ts'

const PORTS = { api: 18_570, account: 18_571, admin: 18_572, explorer: 18_573 }

let folder = ''
let serving: ReturnType<ServiceFolder['spawn']>
let key = ''

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quai-ports-'))
  makeCertificate(folder, 'localhost')
  const { api, account, admin, explorer } = PORTS
  const service = new ServiceFolder(
    commandOf('source'),
    `data_dir = "data"
port = ${api}
account_port = ${account}
admin_port = ${admin}
explorer_port = ${explorer}
admin_hosts = ["metrics.example"]
workers = 1
[tls]
cert_file = "cert.pem"
key_file = "key.pem"
[[networks]]
id = "ville"
gtfs = "ville"
[[networks]]
id = "absent"
gtfs = "secret-folder/absent.zip"
[[networks]]
id = "away"
gtfs = "http://secret-host.invalid/feed.zip?token=SECRET"
[[networks.feeds]]
id = "trips"
url = "secret-folder/trips.pb"
`,
    folder,
  )
  mkdirSync(join(folder, 'ville'))
  for (const [name, text] of Object.entries(SMALL_FEED)) writeFileSync(join(folder, 'ville', name), dedent(text))
  key = await service.makeKey('tests')
  serving = service.spawn('serve', '--explorer-port', `${explorer}`)
  await until(async () => {
    const text = await metrics('localhost').then(({ text }) => text)
    return /served\{network="ville"\} 1/.test(text) && /failing\{network="absent"\} 1/.test(text)
  }, 'the networks were tried')
}, 60_000)
afterAll(async () => {
  serving.kill('SIGKILL')
  await serving.exited
  rmSync(folder, { recursive: true })
})

/** Requests the metrics with a given Host header, which `fetch` does not allow. */
function metrics(host: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve) => {
    const headers = { host }
    const requested = request({ port: PORTS.admin, host: '127.0.0.1', path: '/metrics', headers }, async (answer) => {
      let text = ''
      for await (const chunk of answer) text += chunk
      resolve({ status: answer.statusCode ?? 0, text })
    })
    requested.on('error', () => resolve({ status: 0, text: '' }))
    requested.end()
  })
}

const ask = (port: number, path: string, init: RequestInit = {}) =>
  fetch(`https://localhost:${port}${path}`, { ...init, tls: { rejectUnauthorized: false } })

test('every response of every port has its content type and asks for TLS', async () => {
  const keyed = { headers: { authorization: `Bearer ${key}` } }
  const requested: [number, string, RequestInit?][] = [
    [PORTS.api, '/v1/health'],
    [PORTS.api, '/v1/networks', keyed],
    [PORTS.api, '/v1/networks'],
    [PORTS.api, '/v1/nothing', keyed],
    [PORTS.api, '/v1/networks/absent', keyed],
    [PORTS.api, '/v1/networks', { method: 'OPTIONS' }],
    [PORTS.api, '/v1/stops/ville:stop:CA/departures', keyed],
    [PORTS.api, '/v1/stops/ville:stop:CA/departures/stream', keyed],
    [PORTS.api, '/docs'],
    [PORTS.api, '/docs/scalar.js'],
    [PORTS.api, '/openapi.json'],
    [PORTS.account, '/v1/health'],
    [PORTS.account, '/v1/me'],
    [PORTS.account, '/nothing'],
    [PORTS.account, '/console'],
    [PORTS.explorer, '/'],
    [PORTS.explorer, '/nothing'],
  ]
  for (const [port, path, init] of requested) {
    const { headers, body } = await ask(port, path, init)
    await body?.cancel()
    const reported = [headers.get('x-content-type-options'), headers.get('strict-transport-security')]
    expect([port, path, ...reported]).toEqual([port, path, 'nosniff', expect.stringMatching(/^max-age=31536000/)])
  }
  const first = await ask(PORTS.api, '/v1/networks/ville', keyed)
  const again = { headers: { ...keyed.headers, 'if-none-match': first.headers.get('etag') ?? '' } }
  const same = await ask(PORTS.api, '/v1/networks/ville', again)
  expect([same.status, same.headers.get('x-content-type-options')]).toEqual([304, 'nosniff'])
  for (const path of ['/livez', '/readyz', '/metrics', '/', '/nothing']) {
    const { headers } = await fetch(`http://localhost:${PORTS.admin}${path}`)
    expect([path, headers.get('x-content-type-options')]).toEqual([path, 'nosniff'])
  }
})

/** The cipher on which a TLS client and a port agree; undefined if there is none. */
async function agreedCipher(port: number, ...words: string[]): Promise<string | undefined> {
  const child = Bun.spawn(['openssl', 's_client', '-connect', `127.0.0.1:${port}`, ...words], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'ignore',
  })
  const cipher = /Cipher is (\S+)/.exec(await new Response(child.stdout).text())?.[1]
  return cipher === '(NONE)' ? undefined : cipher
}

test('only TLS 1.2 with forward secrecy, and 1.3', async () => {
  for (const port of [PORTS.api, PORTS.account, PORTS.explorer]) {
    const tried = [
      await agreedCipher(port, '-tls1_2', '-cipher', 'AES128-GCM-SHA256:AES256-GCM-SHA384:AES128-SHA'),
      await agreedCipher(port, '-tls1_2', '-cipher', 'ECDHE-RSA-AES128-SHA:ECDHE-RSA-AES256-SHA'),
      await agreedCipher(port, '-tls1_1', '-cipher', 'ALL:@SECLEVEL=0'),
      await agreedCipher(port, '-tls1_2', '-cipher', 'ECDHE-RSA-AES256-GCM-SHA384'),
      await agreedCipher(port, '-tls1_3'),
    ]
    expect(tried).toEqual([
      undefined,
      undefined,
      undefined,
      'ECDHE-RSA-AES256-GCM-SHA384',
      expect.stringMatching(/^TLS_/),
    ])
  }
})

test('metrics are served at IP addresses and internal names, and at no name that a website could have', async () => {
  const own = ['127.0.0.1', `127.0.0.1:${PORTS.admin}`, '[::1]:8082', 'localhost', 'quai', 'quai:8082', 'a.internal']
  for (const host of [...own, '10.1.2.3:8082', hostname(), 'metrics.example', 'METRICS.example:8082']) {
    expect([host, (await metrics(host)).status]).toEqual([host, 200])
  }
  for (const host of ['evil.example', '127.0.0.1.evil.example', 'localhost.evil.example', 'metrics.example.evil']) {
    const { status, text } = await metrics(host)
    expect([host, status, text]).toEqual([host, 403, expect.stringContaining('admin_hosts')])
  }
})

test('the public status has no path, host or system error', async () => {
  const text = await (await ask(PORTS.api, '/v1/status')).text()
  const { data } = JSON.parse(text)
  expect(data.map(({ network }: { network: string }) => network)).toEqual(['ville', 'absent', 'away'])
  expect(data[1].last_error.message).toBe('the timetable could not be imported')
  for (const secret of ['secret', 'SECRET', folder, 'ENOENT', 'ENOTFOUND', '/tmp']) expect(text).not.toContain(secret)
})
