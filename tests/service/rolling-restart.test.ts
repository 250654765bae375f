// Tests two services behind HAProxy, on copies of one data directory, that are restarted one after the other under
// load. Fails if a request gets an error or no response, or if a service takes too long to stop.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dedent, SMALL_FEED } from '../feeds/text-feed.ts'
import { bySize } from '../size.ts'
import { hasHaproxy, startHaproxy } from './haproxy.ts'
import { commandOf, ServiceFolder, type Serving, until } from './running.ts'
import { SteadyClients } from './steady-client.ts'

const PORT = 18_640
const PROXY_PORTS = { http: PORT + 8, tcp: PORT + 9 }
const RESTARTS = bySize({ quick: 2, ci: 4, full: 20 })
const CONNECTIONS = 24
const PAUSE_MILLIS = bySize({ quick: 20, ci: 10, full: 4 })
const DRAIN_SECONDS = 1
const BOARD = '/v1/stops/ville:stop:CA/departures?limit=5'

const CONFIG = `data_dir = "data"
drain_seconds = ${DRAIN_SECONDS}
[[networks]]
id = "ville"
gtfs = "ville"
`

let folder = ''
let services: readonly { readonly service: ServiceFolder; readonly port: number }[] = []
const running: Serving[] = []
let key = ''
let proxy: Bun.Subprocess | undefined

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quai-rolling-'))
  const first = new ServiceFolder(commandOf('source'), CONFIG, makeFolder('a'))
  mkdirSync(join(first.folder, 'ville'))
  for (const [name, text] of Object.entries(SMALL_FEED)) writeFileSync(join(first.folder, 'ville', name), dedent(text))
  key = await first.makeKey('tests')
  expect((await first.run('import')).status).toBe(0)
  for (const copy of ['b', 'c']) cpSync(first.folder, join(folder, copy), { recursive: true })
  const second = new ServiceFolder(commandOf('source'), CONFIG, join(folder, 'b'))
  services = [
    { service: first, port: PORT },
    { service: second, port: PORT + 4 },
  ]
  for (const { service, port } of services) running.push(await service.serve({ workers: 2, port }))
  const servers = services.map(({ port }) => ({ port, check: port + 1 }))
  if (hasHaproxy()) proxy = startHaproxy(folder, PROXY_PORTS, servers)
}, 60_000)
afterAll(async () => {
  proxy?.kill('SIGKILL')
  for (const { child } of running) {
    child.kill('SIGKILL')
    await child.exited
  }
  rmSync(folder, { recursive: true })
})

function makeFolder(name: string): string {
  mkdirSync(join(folder, name))
  return join(folder, name)
}

const isAnswered = (url: string, wanted = 200) =>
  fetch(url, { headers: { authorization: `Bearer ${key}` }, keepalive: false }).then(
    ({ status }) => status === wanted,
    () => false,
  )

if (!hasHaproxy()) console.log('left out: rolling restarts behind HAProxy (it is not installed)')

for (const mode of ['http', 'tcp'] as const) {
  test.skipIf(!hasHaproxy())(
    `${RESTARTS} rolling restarts behind HAProxy, ${mode}: no request fails`,
    async () => {
      await until(() => isAnswered(`http://127.0.0.1:${PROXY_PORTS[mode]}/v1/networks`), 'the proxy answers')
      const clients = new SteadyClients({ port: PROXY_PORTS[mode], path: BOARD, key }, CONNECTIONS, PAUSE_MILLIS)
      const endings: number[] = []
      for (let restart = 0; restart < RESTARTS; restart++) {
        const at = restart % 2
        const { service, port } = services[at]
        const { child } = running[at]
        const began = performance.now()
        child.kill('SIGTERM')
        await until(() => isAnswered(`http://127.0.0.1:${port + 1}/readyz`, 503), 'it is not ready')
        expect(await isAnswered(`http://127.0.0.1:${port}${BOARD}`)).toBe(true)
        await child.exited
        expect(child.exitCode).toBe(0)
        endings.push(performance.now() - began)
        running[at] = await service.serve({ workers: 2, port })
        await until(() => isAnswered(`http://127.0.0.1:${port + 1}/readyz`), 'it is ready')
        await Bun.sleep(500) // the proxy needs a moment to notice that the service is ready
      }
      const { answers, failures, closed } = await clients.stop()
      console.log(
        `${mode}: ${answers} responses, ${failures.length} failures, ${closed} connections closed, ends within ${(Math.max(...endings) / 1000).toFixed(1)} s`,
      )
      expect(failures.slice(0, 5)).toEqual([])
      expect(answers).toBeGreaterThan(100 * RESTARTS)
      expect(Math.max(...endings)).toBeLessThan((DRAIN_SECONDS + 12) * 1000)
    },
    600_000,
  )
}

test('a stopping service announces it on each connection, and still responds on idle ones', async () => {
  const port = PORT + 12
  const third = new ServiceFolder(commandOf('source'), CONFIG, join(folder, 'c'))
  const serving = await third.serve({ workers: 1, port })
  const address = { port, path: BOARD, key }
  const clients = new SteadyClients(address, 4, 20)
  await Bun.sleep(200)
  serving.child.kill('SIGTERM')
  await until(() => isAnswered(`http://127.0.0.1:${port + 1}/readyz`, 503), 'it is not ready')
  await Bun.sleep(300)
  const { failures, closed } = await clients.stop()
  expect(failures).toEqual([])
  expect(closed).toBeGreaterThanOrEqual(4)
  await serving.child.exited
  expect(serving.child.exitCode).toBe(0)
}, 60_000)

test('SIGINT stops without a drain', async () => {
  const third = new ServiceFolder(
    commandOf('source'),
    CONFIG.replace(/drain_seconds = \d+/, 'drain_seconds = 60'),
    join(folder, 'c'),
  )
  const serving = await third.serve({ workers: 1, port: PORT + 12 })
  const began = performance.now()
  serving.child.kill('SIGINT')
  await serving.child.exited
  expect(serving.child.exitCode).toBe(0)
  expect(performance.now() - began).toBeLessThan(11_000)
}, 60_000)
