// Runs the service as a process, from source and, if QUAI_BINARY names a binary, from that binary. Sends the service
// requests that no well-behaved client sends. Tests every refusal on the wire, that requests are neither split nor
// merged, and that the process survives without growing in memory. Fails on a wrong status, a 5xx, silence, or a
// response that belongs to another request.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync, rmSync } from 'node:fs'
import { ROUTE_LIST } from '../../src/contract/routes.ts'
import { seededRandom } from '../../src/demo/seeded-random.ts'
import { bySize, SEED } from '../size.ts'
import { type RawAnswer, RawConnection, type Sent } from './raw-http-client.ts'
import { listRawCases, request, STOP_PATH } from './raw-http-corpus.ts'
import { ANSWER_MILLIS, faultsOfCase, makeProbe, probeFresh } from './raw-http-exchange.ts'
import { faultsOfMutation, mutate } from './raw-http-mutations.ts'
import { listSmugglingCases } from './raw-http-smuggling.ts'
import { commandOf, end, ServiceFolder, type Serving } from './running.ts'

for (const [kind, port] of [
  ['source', 18_700],
  ['binary', 18_710],
] as const) {
  if (kind === 'source' || process.env['QUAI_BINARY'] !== undefined) describe(kind, () => describeRaw(kind, port))
}

function describeRaw(kind: 'source' | 'binary', port: number): void {
  let service: ServiceFolder
  let serving: Serving
  let key = ''

  beforeAll(async () => {
    service = new ServiceFolder(commandOf(kind))
    key = await service.makeKey('raw')
    serving = await service.serve({ workers: 1, port })
  }, 60_000)
  afterAll(async () => {
    expect(await end(serving)).toBe(0)
    rmSync(service.folder, { recursive: true })
  })

  test('every case of the corpus', async () => {
    const faults: string[] = []
    const cases = listRawCases({ key })
    for (const rawCase of cases) faults.push(...(await faultsOfCase(port, key, rawCase)))
    expect(faults).toEqual([])
    expect(cases.length).toBeGreaterThan(250)
  }, 60_000)

  test('rejects request smuggling', async () => {
    const faults: string[] = []
    const cases = listSmugglingCases({ key })
    for (const rawCase of cases) faults.push(...(await faultsOfCase(port, key, rawCase)))
    expect(faults).toEqual([])
    expect(cases.length).toBeGreaterThan(300)
  }, 60_000)

  test(`randomly changed requests (seed ${SEED})`, async () => {
    const random = seededRandom(SEED, 'raw requests')
    const cases = listRawCases({ key })
    // Cases after which the connection stays open are listed twice, because changes to accepted requests reach more
    // code than changes to refused ones.
    const answered = cases.filter(({ after }) => after === 'stays')
    const originals = [...cases, ...answered, ...listSmugglingCases({ key })].map(({ sent }) => textOf(sent))
    const faults: string[] = []
    let left = bySize({ quick: 60, ci: 500, full: 5_000 })
    const residentBefore = residentBytes(serving.child.pid)
    const worker = async () => {
      while (left-- > 0) faults.push(...(await faultsOfMutation(port, key, mutate(random, originals))))
    }
    await Promise.all(Array.from({ length: 8 }, worker))
    expect(faults).toEqual([])
    expect(await probeFresh(port, key)).toBeUndefined()
    expect(serving.child.exitCode).toBeNull()
    expect(residentBytes(serving.child.pid) - residentBefore).toBeLessThan(100_000_000)
  }, 300_000)

  test('pipelined requests get responses in order, up to one that closes the connection', async () => {
    const probes = Array.from({ length: 200 }, () => makeProbe(key))
    const connection = await RawConnection.open(port)
    const refused = request({ key }, 'GET /v1/nothing HTTP/1.1')
    const last = request({ key }, 'GET /v1/health HTTP/1.1', 'Host: another\r\n')
    await connection.send(probes.map(({ sent }) => refused + sent).join('') + last + makeProbe(key).sent)
    const faults: unknown[] = []
    const statuses: unknown[] = []
    const next = async () => {
      const answer = await connection.read({ millis: ANSWER_MILLIS })
      statuses.push(typeof answer === 'string' ? answer : answer.status)
      return answer
    }
    for (const { check } of probes) {
      await next()
      faults.push(check(await next()))
    }
    await next()
    await next()
    expect(faults.filter((fault) => fault !== undefined)).toEqual([])
    expect(statuses).toEqual([...probes.flatMap(() => [404, 200]), 400, 'closed'])
  }, 30_000)

  const ask = async (line: string, headers = ''): Promise<RawAnswer> => {
    const connection = await RawConnection.open(port)
    await connection.send(`${line} HTTP/1.1\r\nAuthorization: Bearer ${key}\r\n${headers}\r\n`)
    const answer = await connection.read({ millis: ANSWER_MILLIS, isHead: line.startsWith('HEAD') })
    connection.drop()
    if (typeof answer === 'string') throw new Error(`${line}: ${answer}`)
    return answer
  }
  const usedUnits = async (): Promise<number> =>
    JSON.parse((await ask('GET /v1/usage', 'Host: localhost\r\n')).body).data.units

  test('HEAD costs the same as GET; OPTIONS and malformed requests cost nothing', async () => {
    const spent = async (line: string, more = '') => {
      const before = await usedUnits()
      await ask(line, `Host: localhost\r\n${more}`)
      return (await usedUnits()) - before
    }
    for (const path of [STOP_PATH, `${STOP_PATH}/departures`, '/v1/networks']) {
      expect(await spent(`GET ${path}`)).toBe(1)
      expect(await spent(`HEAD ${path}`)).toBe(1)
      expect(await spent(`GET ${path}`, 'Content-Length: 2\r\n\r\nhi')).toBe(1)
      expect(await spent(`OPTIONS ${path}`)).toBe(0)
      expect(await spent(`CONNECT ${path}`)).toBe(0)
      expect(await spent(`GET ${path}`, 'Host: localhost\r\n')).toBe(0)
      expect(await spent(`GET ${path}`, 'Transfer-Encoding: chunked\r\n')).toBe(0)
      expect(await spent(`GET ${path}`, 'Content-Length: 70000\r\n')).toBe(0)
    }
  })

  test('forwarding and host headers of clients change no response', async () => {
    // The service trusts no proxy here. From a trusted proxy, these headers would only decide which address the rate
    // limit applies to.
    const forged = [
      'Host: evil.example',
      'X-Forwarded-For: 127.0.0.1, 10.0.0.1',
      'X-Real-IP: 127.0.0.1',
      'Forwarded: for=127.0.0.1;host=evil.example;proto=gopher',
      'X-Forwarded-Host: evil.example',
      'X-Forwarded-Proto: gopher',
      'X-Original-URL: /metrics',
      'X-HTTP-Method-Override: DELETE',
    ]
    const lasting = ({ headers, ...rest }: RawAnswer) => ({
      ...rest,
      headers: headers.filter(([name]) => name !== 'date' && name !== 'ratelimit'),
    })
    // These responses contain the service's own URL, in a Link to the next page or in `type`.
    for (const path of [
      '/v1/networks/ville/stops?limit=1',
      '/v1/nothing',
      '/metrics',
      '/v1/networks/ville/stops?limit=x',
    ]) {
      const plain = await ask(`GET ${path}`, 'Host: localhost\r\nX-Request-Id: same\r\n')
      const claimed = await ask(`GET ${path}`, `${forged.join('\r\n')}\r\nX-Request-Id: same\r\n`)
      expect(lasting(claimed)).toEqual(lasting(plain))
      expect(JSON.stringify(claimed)).not.toContain('evil.example')
    }
  })

  test('the addresses in the document are exactly the routes', async () => {
    const { paths } = JSON.parse((await ask('GET /openapi.json', 'Host: localhost\r\n')).body)
    expect(Object.keys(paths).toSorted()).toEqual(
      ROUTE_LIST.map(({ path }) => path.replace(/:(\w+)/, '{$1}')).toSorted(),
    )
  })
}

function textOf(sent: Sent): string {
  if (typeof sent === 'string') return sent
  return sent instanceof Uint8Array ? Buffer.from(sent).toString('latin1') : sent.map(textOf).join('')
}

/** Resident memory of a process, in bytes. */
function residentBytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes) * 1024
}
