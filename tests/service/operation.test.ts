// Tests the service as its operator sees it: the admin port from start to end, counts of real requests on all threads,
// and the deployment kit. Fails if a probe reports something wrong, or if a request is not counted.
import { expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { KIT_FILES } from '../../src/kit/kit.ts'
import { VERSION } from '../../src/system/version.ts'
import { commandOf, end, ServiceFolder, until } from './running.ts'

const PORT = 18_972
const ADMIN = `http://127.0.0.1:${PORT + 1}`
const COMMAND = commandOf(process.env['QUAI_BINARY'] === undefined ? 'source' : 'binary')

/** Requests a probe. Returns its status; undefined if the port is closed. */
async function probe(path: string): Promise<number | undefined> {
  return await fetch(ADMIN + path).then(
    (answer) => answer.status,
    () => undefined,
  )
}

/** Requests the value of one sample in the metrics. */
async function metric(sample: string): Promise<number> {
  const text = await (await fetch(`${ADMIN}/metrics`)).text()
  const line = text.split('\n').find((each) => each.startsWith(`${sample} `))
  return Number(line?.slice(sample.length) ?? Number.NaN)
}

test('probes distinguish an importing start from a serving service, and metrics count on all threads', async () => {
  const service = new ServiceFolder(COMMAND)
  const key = await service.makeKey('watch')
  const seen = new Set<string>()
  const starting = service.serve({ workers: 2, port: PORT })
  let hasStarted = false
  void starting.finally(() => {
    hasStarted = true
  })
  while (!hasStarted) {
    seen.add(`${await probe('/livez')} ${await probe('/startupz')} ${await probe('/readyz')}`)
    await Bun.sleep(2)
  }
  const serving = await starting
  try {
    // While the first start imports, the service is alive, but neither started nor ready.
    expect([...seen]).toContain('200 503 503')
    await until(async () => (await probe('/readyz')) === 200, 'it is ready')
    expect([await probe('/livez'), await probe('/startupz'), await probe('/nothing')]).toEqual([200, 200, 404])
    const authorization = { headers: { authorization: `Bearer ${key}` } }
    const ask = (path: string, keyed: boolean) => fetch(serving.base + path, keyed ? authorization : {})
    await Promise.all(Array.from({ length: 60 }, () => ask('/v1/networks', true)))
    await Promise.all(Array.from({ length: 7 }, () => ask('/v1/networks/none', true)))
    await Promise.all(Array.from({ length: 5 }, () => ask('/v1/stops/ville:stop:CA', false)))
    expect(await metric('quai_requests_total{route="/v1/networks",status="2xx"}')).toBe(60)
    expect(await metric('quai_requests_total{route="/v1/networks/{network}",status="4xx"}')).toBe(7)
    expect(await metric('quai_request_duration_seconds_count{route="/v1/networks"}')).toBe(60)
    expect(await metric('quai_refusals_total{reason="authentication_required"}')).toBe(5)
    expect(await metric('quai_refusals_total{reason="not_found"}')).toBe(7)
    expect(await metric('quai_units_total')).toBe(60)
    expect([await metric('quai_network_served{network="ville"}'), await metric('quai_ready')]).toEqual([1, 1])
    expect([
      await metric('quai_network_served{network="late"}'),
      await metric('quai_import_failing{network="late"}'),
    ]).toEqual([0, 1])
    await until(async () => (await metric('quai_ledger_unflushed_units')) === 0, 'all units are in the ledger')
    const stream = await fetch(`${serving.base}/v1/stops/ville:stop:CA/departures/stream`, authorization)
    expect([stream.status, await metric('quai_streams_open')]).toEqual([200, 1])
    await stream.body?.cancel()
    await until(async () => (await metric('quai_streams_open')) === 0, 'the stream is given back')
  } finally {
    expect(await end(serving)).toBe(0)
  }
  expect(await probe('/livez')).toBeUndefined()
}, 30_000)

test('a port in use is reported clearly, before anything is served', async () => {
  const [first, second] = [new ServiceFolder(COMMAND), new ServiceFolder(COMMAND)]
  const serving = await first.serve({ workers: 2, port: PORT })
  try {
    const ports = ['--account-port', '0', '--admin-port']
    const api = await second.run('serve', '--port', String(PORT), ...ports, String(PORT + 2))
    expect([api.status, api.stderr]).toEqual([
      1,
      expect.stringContaining(
        `quai: the API could not listen on 127.0.0.1:${PORT} (port): the port is in use. Stop the process that uses it, or choose another port with --port, QUAI_PORT or port in quai.toml.`,
      ),
    ])
    const admin = await second.run('serve', '--port', String(PORT + 2), ...ports, String(PORT + 1))
    expect([admin.status, admin.stderr]).toEqual([1, expect.stringContaining(`127.0.0.1:${PORT + 1} (admin_port): `)])
    expect(admin.stderr).not.toContain('    at ')
  } finally {
    expect(await end(serving)).toBe(0)
  }
}, 30_000)

test('without a configuration, it says what is missing and how to begin', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quai-without-'))
  const ports = ['port', 'account-port', 'admin-port', 'explorer-port'].flatMap((name) => [`--${name}`, '0'])
  const child = Bun.spawn([...COMMAND, 'serve', ...ports], { cwd: folder, stdout: 'ignore', stderr: 'pipe' })
  let output = ''
  const decoder = new TextDecoder()
  for await (const chunk of child.stderr) {
    output += decoder.decode(chunk, { stream: true })
    if (output.includes('serving 0 of 0')) child.kill('SIGINT')
  }
  rmSync(folder, { recursive: true })
  expect(output).toContain(`there is no quai.toml in ${folder}`)
  expect(output).toContain(`Quai ${VERSION}: serving 0 of 0 networks on http://`)
  // The help text contains sample settings, which the service must accept.
  const example = output.slice(output.indexOf('  [[networks]]'), output.indexOf('Then start'))
  expect(Bun.TOML.parse(example)).toEqual({ networks: [{ id: 'mycity', name: 'My city', gtfs: 'feed.zip' }] })
}, 30_000)

test('the kit is written by the same program that serves', async () => {
  const service = new ServiceFolder(COMMAND)
  const { status, stdout } = await service.run('kit', 'ops')
  const names = readdirSync(join(service.folder, 'ops')).sort()
  expect([status, names.length]).toEqual([0, Object.keys(KIT_FILES).length])
  expect(stdout.trim().split('\n').sort()).toEqual(names.map((name) => join(service.folder, 'ops', name)).sort())
  const checked = await service.run('config', 'check', '--config', 'ops/quai.toml')
  expect([checked.status, checked.stdout]).toEqual([0, expect.stringContaining('is valid: 1 network\n')])
})
