// Tests the request log of a running service. The log is turned on and off, and read from the service's output. Fails
// if a request has no line, if a line contradicts the response, or if a line contains a key or the value of a query
// parameter.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { aroundTheClockZip } from '../feeds/around-the-clock-feed.ts'
import { OperatorsMachine, type RunningService } from './operators-machine.ts'
import { until } from './running.ts'

const PORTS = { port: 18_984, adminPort: 18_985 }
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'

let machine: OperatorsMachine
let service: RunningService
let key = ''
let keyId = ''

const writeSettings = (log: string) =>
  machine.writeSettings(
    { ...PORTS, workers: 2 },
    `${log}
[[networks]]
id = "ville"
gtfs = "ville.zip"
`,
  )

const requestLines = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
    .filter(({ msg }) => msg === 'request')

async function reload(log: string): Promise<void> {
  const before = service.log().length
  writeSettings(log)
  service.child.kill('SIGHUP')
  await until(() => service.log().slice(before).includes('settings applied'), 'the settings were read again')
}

beforeAll(async () => {
  machine = new OperatorsMachine()
  writeFileSync(machine.path('ville.zip'), aroundTheClockZip('Ville'))
  writeSettings('')
  const made = await machine.quai('keys', 'create', '--account', 'a@b.example', '--plan', 'max', '--name', 'a')
  key = made.stdout.trim()
  keyId = JSON.parse((await machine.quai('keys', 'list', '--json')).stdout)[0].id
  service = await machine.serve(PORTS)
}, 60_000)
afterAll(() => {
  service.child.kill('SIGKILL')
  machine.remove()
})

test('off by default; when on, each request has a line; errors only; and off again', async () => {
  const headers = { authorization: `Bearer ${key}`, traceparent: `00-${TRACE}-00f067aa0ba902b7-01` }
  const ask = async (path: string, more: RequestInit = {}) =>
    (await fetch(service.base + path, { headers, ...more })).status
  await ask('/v1/networks')
  expect(requestLines(service.log())).toEqual([])
  await reload('[log]\nrequests = "all"\n')
  const statuses = [
    await ask(`/v1/stops/ville:stop:north/departures?limit=3&cursor=${key}`),
    await ask('/v1/networks/ville/lines'),
    await ask('/v1/journeys?from=ville:stop:north&to=ville:stop:south&secret=hidden-value'),
    await ask('/v1/networks/elsewhere'),
    await ask('/v1/networks', { headers: { authorization: 'Bearer nonsense', 'x-request-id': key } }),
    await ask(`/v1/${key}`, { method: 'POST' }),
    await ask('/v1/health', { headers: {} }),
  ]
  const stream = new AbortController()
  statuses.push(await ask('/v1/stops/ville:stop:north/departures/stream', { signal: stream.signal }))
  stream.abort()
  expect(statuses).toEqual([200, 200, 200, 404, 401, 404, 200, 200])
  await until(() => requestLines(service.log()).length >= statuses.length, 'every request has its line')
  const lines = requestLines(service.log())
  const reported = lines.map(({ method, route, status, units, network = '' }) =>
    [method, route, status, units, network].join(' ').trim(),
  )
  expect(reported.sort()).toEqual([
    'GET /v1/health 200 0',
    'GET /v1/journeys 200 5',
    'GET /v1/networks 401 0',
    'GET /v1/networks/{network} 404 0',
    'GET /v1/networks/{network}/lines 200 1 ville',
    'GET /v1/stops/{stop_id}/departures 200 1 ville',
    'GET /v1/stops/{stop_id}/departures/stream 200 1 ville',
    'POST other 404 0',
  ])
  const board = lines.find(({ route }) => route === '/v1/stops/{stop_id}/departures')
  expect(board).toMatchObject({ request_id: TRACE, key: keyId, thread: expect.stringMatching(/^data-[01]$/) })
  expect(board.duration_ms).toBeGreaterThan(0)
  expect(lines.find(({ status }) => status === 401)).not.toHaveProperty('key')
  expect(service.log()).not.toContain(key.slice(20))
  expect(service.log()).not.toContain('hidden-value')
  await reload('[log]\nrequests = "errors"\n')
  await ask('/v1/networks')
  await reload('')
  await ask('/v1/networks')
  expect(requestLines(service.log())).toHaveLength(lines.length)
}, 30_000)

test('beyond the limit, a line stands for several requests, and together for all', async () => {
  await reload('[log]\nrequests = "all"\nrequest_lines_per_second = 40\n') // the limit is divided among two threads
  const before = requestLines(service.log()).length
  const count = 400
  const headers = { authorization: `Bearer ${key}` }
  await Promise.all(Array.from({ length: count }, () => fetch(`${service.base}/v1/networks`, { headers })))
  expect(await service.stop()).toBe(0) // the process writes buffered lines when it ends
  const lines = requestLines(readFileSync(machine.path('serve-1.log'), 'utf8')).slice(before)
  expect(lines.length).toBeGreaterThan(10)
  expect(lines.length).toBeLessThan(count)
  const represented = lines.reduce((sum, { stands_for = 1 }) => sum + stands_for, 0)
  expect(represented).toBeLessThanOrEqual(count)
}, 30_000)
