// Tests the service as a process, from source and, if QUAI_BINARY names a binary, from that binary. Both ways of
// running get the same tests: every parameter over real HTTP, keys and units while a server runs and after it has been
// killed, signals, and snapshots on disk.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { readBody } from '../event-stream.ts'
import { SIZE } from '../size.ts'
import { slowTest } from '../slow-test.ts'
import { listParameterCases } from '../src/api/parameter-expectations.ts'
import { commandOf, end, ServiceFolder, type Serving, until } from './running.ts'

const hasBinary = process.env['QUAI_BINARY'] !== undefined
if (!hasBinary && SIZE !== 'quick') console.log('left out: the binary (QUAI_BINARY is not set)')

for (const [kind, port] of [
  ['source', 18_500],
  ['binary', 18_510],
] as const) {
  if (kind === 'source' || hasBinary) describe(kind, () => describeService(kind, port))
}

function describeService(kind: 'source' | 'binary', port: number): void {
  let service: ServiceFolder
  let serving: Serving
  let key = ''
  const ask = async (path: string, init: RequestInit = {}, as = key) => {
    const headers = {
      ...(as === '' ? {} : { authorization: `Bearer ${as}` }),
      ...init.headers,
    }
    const answer = await fetch(serving.base + path, { ...init, headers })
    const text = await readBody(answer)
    return { status: answer.status, headers: answer.headers, text, body: text === '' ? undefined : JSON.parse(text) }
  }
  const usedUnits = async (): Promise<number> => (await ask('/v1/usage')).body.data.units

  beforeAll(async () => {
    service = new ServiceFolder(commandOf(kind))
    key = await service.makeKey('tests')
    serving = await service.serve({ workers: 2, port })
  }, 60_000)
  afterAll(async () => {
    await end(serving)
    rmSync(service.folder, { recursive: true })
  })

  test('every parameter of every route, at its bounds and beyond', async () => {
    const cases = listParameterCases()
    const wrong: unknown[] = []
    for (const { address, status, reason, param } of cases) {
      const { status: got, body } = await ask(address)
      if (got !== status || (reason !== undefined && (body.reason !== reason || body.param !== param))) {
        wrong.push({ address, got, reason: body.reason, param: body.param, expected: { status, reason, param } })
      }
    }
    expect(cases.length).toBeGreaterThan(500)
    expect(wrong).toEqual([])
  }, 60_000)

  test('reported units equal counted units, on both threads, after a clean stop and after a kill', async () => {
    let reported = await usedUnits()
    const spend = async (calls: number) => {
      // Each request has its own connection, so each of the two threads gets some requests.
      const answers = await Promise.all(
        Array.from({ length: calls }, () =>
          ask('/v1/stops/ville:stop:CA/departures', { headers: { connection: 'close' } }),
        ),
      )
      for (const { body } of answers) reported += body.meta.units
    }
    await spend(200)
    expect(await usedUnits()).toBe(reported)
    expect(await end(serving)).toBe(0)
    serving = await service.serve({ workers: 2, port })
    expect(await usedUnits()).toBe(reported)
    await spend(200)
    await end(serving, 'SIGKILL')
    serving = await service.serve({ workers: 1, port })
    expect(await usedUnits()).toBe(reported)
    await end(serving)
    const ledger = await service.run('ledger', 'verify', '--json')
    expect(ledger.status).toBe(0)
    serving = await service.serve({ workers: 2, port })
  }, 60_000)

  test('rejected requests cost nothing, and checks run in order', async () => {
    const before = await usedUnits()
    const refusals = [
      [await ask('/v1/networks', {}, ''), 401, 'authentication_required'],
      [await ask('/v1/networks', {}, key.slice(0, -1) + (key.endsWith('x') ? 'y' : 'x')), 401, 'invalid_token'],
      [await ask('/v1/networks?key=x', {}, ''), 401, 'authentication_required'],
      [await ask('/v1/nothing', {}, ''), 401, 'authentication_required'],
      [await ask('/v1/nothing'), 404, 'not_found'],
      [await ask('/v1/stops/ville:stop:nope/departures'), 404, 'not_found'],
      [await ask('/v1/stops/ville:line:A'), 404, 'not_found'],
      [await ask('/v1/networks/late'), 503, 'not_ready'],
      [await ask('/v1/lines/ville:line:A/vehicles'), 404, 'capability_unsupported'],
      [await ask('/v1/networks', { method: 'POST' }), 405, 'method_not_allowed'],
      [await ask('/v1/networks', { headers: { accept: 'application/xml' } }), 406, 'not_acceptable'],
      [await ask(`/v1/networks?x=${'y'.repeat(5000)}`), 414, 'uri_too_long'],
    ] as const
    for (const [{ status, body, headers }, expected, reason] of refusals) {
      expect({ status, reason: body.reason }).toEqual({ status: expected, reason })
      expect(headers.get('content-type')).toBe('application/problem+json')
    }
    expect(await usedUnits()).toBe(before)
  })

  test('keys created and revoked alongside the running service apply from the next request, on every thread', async () => {
    const fresh = await service.makeKey('fresh')
    const calls = (expected: number) =>
      Promise.all(
        Array.from({ length: 40 }, async () => {
          const { status } = await ask('/v1/usage', { headers: { connection: 'close' } }, fresh)
          expect(status).toBe(expected)
        }),
      )
    await calls(200)
    const listed = JSON.parse((await service.run('keys', 'list', '--json')).stdout)
    const { id } = listed.find((each: { name: string }) => each.name === 'fresh')
    expect((await service.run('keys', 'revoke', id)).status).toBe(0)
    await calls(401)
    const narrow = await service.makeKey('narrow', '--scope', 'account:read')
    expect((await ask('/v1/usage', {}, narrow)).body.reason).toBe('insufficient_scope')
  }, 30_000)

  test('an unmodified response is not sent again, but charged', async () => {
    const first = await ask('/v1/lines/ville:line:A')
    const before = await usedUnits()
    const again = await ask('/v1/lines/ville:line:A', { headers: { 'if-none-match': first.headers.get('etag') ?? '' } })
    expect({ status: again.status, text: again.text }).toEqual({ status: 304, text: '' })
    expect(await usedUnits()).toBe(before + 1)
  })

  test('status shows the failed network, and the others are served', async () => {
    const { body } = await ask('/v1/status', {}, '')
    expect(body.data.map((entry: { network: string; realtime: string }) => [entry.network, entry.realtime])).toEqual([
      ['ville', 'ok'],
      ['late', 'down'],
    ])
    expect(body.data[1].last_error).toMatchObject({ source: 'gtfs', reason: 'static_import_failed' })
    expect((await fetch(`http://127.0.0.1:${port + 1}/readyz`)).status).toBe(200)
  })

  test('the document and its page', async () => {
    expect((await ask('/openapi.json', {}, '')).body.openapi).toBe('3.1.0')
    const script = await fetch(`${serving.base}/docs/scalar.js`)
    expect((await script.text()).length).toBeGreaterThan(1_000_000)
    expect((await fetch(`${serving.base}/docs`)).status).toBe(200)
    const guide = await (await fetch(`${serving.base}/docs/guides/quick-start`)).text()
    expect(guide).toContain('<h1 id="quick-start">Quick start</h1>')
    expect(guide).toContain(`QUAI_URL=http://localhost:${port}\n`)
  })

  test('a second service on the same data is rejected', async () => {
    const second = await service.run('serve', '--port', String(port + 5), '--admin-port', String(port + 6))
    expect(second.status).toBe(1)
    expect(second.stderr).toContain('data directory')
  })

  test('commands explain what they can’t do', async () => {
    expect(await service.run('import', 'nowhere')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('ville, late'),
    })
    expect(await service.run('import', 'late')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('missing_required_file'),
    })
    expect(await service.run('sevre')).toMatchObject({ status: 2, stderr: expect.stringContaining('serve') })
    expect(await service.run('serve', '--config', 'nowhere.toml')).toMatchObject({ status: 2 })
    expect((await service.run('--version')).stdout.trim()).toMatch(/^\d+\.\d+\.\d+$/)
    expect((await service.run('config', 'check')).status).toBe(0)
  }, 30_000)

  test('a flipped bit is found, and the network imported again', async () => {
    await end(serving)
    const [before] = service.snapshots('ville').slice(-1)
    const bytes = readFileSync(before ?? '')
    bytes[bytes.length - 200] = (bytes[bytes.length - 200] ?? 0) ^ 0x10
    writeFileSync(before ?? '', bytes)
    serving = await service.serve({ workers: 1, port })
    await until(() => service.snapshots('ville').some((path) => path !== before), 'there is another snapshot')
    expect(existsSync(`${before}.corrupt`)).toBe(true)
    await until(async () => (await ask('/v1/networks/ville')).status === 200, 'the network is served')
  }, 60_000)

  slowTest(
    'a snapshot in another format is rebuilt; a broken one is skipped for the previous one',
    async () => {
      await end(serving)
      const [newest = '', ...others] = service.snapshots('ville').reverse()
      const sound = readFileSync(newest)
      const broken = Buffer.from(sound)
      broken[20] = (broken[20] ?? 0) ^ 1
      writeFileSync(newest.replace(/[^/]*$/, '99999999T000000000Z-00000000.snapshot'), broken)
      serving = await service.serve({ workers: 1, port })
      expect((await ask('/v1/stops/ville:stop:CA')).status).toBe(200)
      await end(serving)
      for (const path of [...others, newest, ...service.snapshots('ville').slice(-1)]) {
        const old = Buffer.from(sound)
        old.writeUInt32LE(0, 8)
        old.writeUInt32LE(Bun.hash.crc32(old.subarray(0, 28)), 28)
        writeFileSync(path, old)
      }
      serving = await service.serve({ workers: 1, port })
      expect((await ask('/v1/stops/ville:stop:CA')).status).toBe(200)
      expect(await end(serving)).toBe(0)
      expect(await serving.talk).toContain('importing')
      serving = await service.serve({ workers: 1, port })
    },
    60_000,
  )
}
