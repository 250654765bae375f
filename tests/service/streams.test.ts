// Tests streams of a running service over real sockets, on two threads. Fails if a frame is late or missing, if a
// stream outlives its key, its client or its process, if a limit only counts the streams of one thread, or if too many
// units are charged.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { dedent, SMALL_FEED } from '../feeds/text-feed.ts'
import { bySize, SIZE } from '../size.ts'
import { commandOf, end, ServiceFolder, type Serving, until } from './running.ts'
import { StreamClient } from './stream-client.ts'

const PORT = 18_720
const BOARD = '/v1/stops/ville:stop:CA/departures'
const STREAM = `${BOARD}/stream`
/** Maximum number of open streams per account. */
const ACCOUNT_LIMIT = 50
const KEY_LIMIT = 10

const service = new ServiceFolder(commandOf('source'))
let serving: Serving
/** Five keys of one account, so that the account can reach its limit. */
const keys: string[] = []
let key = ''

const open = (path = STREAM, as = key, headers: Readonly<Record<string, string>> = {}) =>
  new StreamClient(`${serving.base}${path}`, as, headers)
const openMany = (count: number, as: string, path = STREAM) => Array.from({ length: count }, () => open(path, as))
const leaveAll = (clients: readonly StreamClient[]) => Promise.all(clients.map((client) => client.leave()))
const usedUnits = async (as = key): Promise<number> => {
  const answer = await fetch(`${serving.base}/v1/usage`, { headers: { authorization: `Bearer ${as}` } })
  return JSON.parse(await answer.text()).data.units
}
/** Number of files and sockets that the process holds open. */
const openFiles = () => readdirSync(`/proc/${serving.child.pid}/fd`).length
const unitsOf = (client: StreamClient) => client.events.map(({ data }) => JSON.parse(data).meta?.units)

beforeAll(async () => {
  for (let at = 0; at < 5; at++) keys.push(await service.makeKey(`streams ${at}`))
  key = keys[0] ?? ''
  serving = await service.serve({ workers: 2, port: PORT })
}, 60_000)
afterAll(async () => {
  await end(serving)
  rmSync(service.folder, { recursive: true })
})

test('the first frame is the polled response, at once, on either thread', async () => {
  const polled = await (
    await fetch(serving.base + BOARD, { headers: { authorization: `Bearer ${key}`, connection: 'close' } })
  ).text()
  const clients = openMany(8, key)
  for (const client of clients) {
    const [first] = await client.waitFor('departures')
    expect(client.headers.get('content-type')).toBe('text/event-stream')
    expect(client.headers.get('cache-control')).toBe('no-store')
    expect(client.headers.get('x-accel-buffering')).toBe('no')
    expect(first?.data).toBe(polled)
    expect((first?.atMillis ?? Number.NaN) - client.sentAt).toBeLessThan(1_000)
    expect(client.retryMillis).toBe(5_000)
  }
  await leaveAll(clients)
})

test('rejections equal those of the polled route and cost nothing', async () => {
  const before = await usedUnits()
  const refusals = [
    [await open(STREAM, '').opened(), 401, 'invalid_token'],
    [await open(`${STREAM}?interval=4`).opened(), 400, 'transit_query_invalid'],
    [await open(`${STREAM}?interval=61`).opened(), 400, 'transit_query_invalid'],
    [await open(`${STREAM}?when=now`).opened(), 400, 'transit_query_invalid'],
    [await open('/v1/stops/ville:stop:nope/departures/stream').opened(), 404, 'not_found'],
    [await open('/v1/lines/ville:line:A/vehicles/stream').opened(), 404, 'capability_unsupported'],
    [await open('/v1/stops/late:stop:A/departures/stream').opened(), 503, 'not_ready'],
    [await open(STREAM, key, { accept: 'application/json' }).opened(), 406, 'not_acceptable'],
  ] as const
  for (const [{ status, refusal, headers }, expected, reason] of refusals) {
    expect({ status, reason: JSON.parse(refusal).reason }).toEqual({ status: expected, reason })
    expect(headers.get('content-type')).toBe('application/problem+json')
  }
  expect(await usedUnits()).toBe(before)
})

test('a key may have ten streams and an account fifty, on any threads; each costs a unit', async () => {
  const before = await usedUnits()
  const clients = keys.flatMap((each) => openMany(KEY_LIMIT, each))
  for (const client of clients) expect((await client.opened()).status).toBe(200)
  expect(clients.length).toBe(ACCOUNT_LIMIT)
  expect(await usedUnits()).toBe(before + ACCOUNT_LIMIT)
  for (const each of [...openMany(6, key), ...openMany(6, await service.makeKey('one more'))]) {
    const { status, refusal, headers } = await each.opened()
    expect({ status, reason: JSON.parse(refusal).reason }).toEqual({ status: 429, reason: 'too_many_streams' })
    expect(headers.get('retry-after')).not.toBeNull()
  }
  expect(await usedUnits()).toBe(before + ACCOUNT_LIMIT)
  await leaveAll(clients)
}, 30_000)

test('clients that leave are forgotten', async () => {
  const before = openFiles()
  const rounds = bySize({ quick: 3, ci: 10, full: 100 })
  for (let round = 0; round < rounds; round++) {
    let clients: StreamClient[] = []
    // It takes the service a moment to notice that the clients of the previous round are gone. Until then, their
    // streams count.
    await until(async () => {
      await leaveAll(clients)
      clients = keys.flatMap((each) => openMany(KEY_LIMIT, each))
      for (const client of clients) await client.opened()
      return clients.every(({ status }) => status === 200)
    }, 'all can be opened again')
    await leaveAll(clients)
  }
  await until(() => openFiles() <= before, 'all sockets are closed')
}, 60_000)

test('a revoked key ends its streams within 50 ms of the response, on both threads, and no others', async () => {
  const doomed = await service.makeKey('doomed', '--account', 'b@ville.example')
  const clients = openMany(KEY_LIMIT, doomed)
  const other = await open().opened()
  for (const client of clients) await client.opened()
  const listed = JSON.parse((await service.run('keys', 'list', '--json')).stdout)
  const { id } = listed.find((each: { name: string }) => each.name === 'doomed')
  expect((await service.run('keys', 'revoke', id)).status).toBe(0)
  const answeredAt = performance.now()
  for (const client of clients) {
    const [last] = await client.waitFor('end')
    expect(last?.data).toBe('{"reason":"key_revoked"}')
    expect((last?.atMillis ?? Number.NaN) - answeredAt).toBeLessThan(50)
    await until(() => client.isEnded, 'the body ends')
  }
  expect(other.isEnded).toBe(false)
  expect((await open(STREAM, doomed).opened()).status).toBe(401)
  await other.leave()
}, 30_000)

test('frames arrive every interval, heartbeats in longer ones; only the first frame shows a unit', async () => {
  if (SIZE === 'quick') return console.log('left out: waiting for intervals (QUAI_SIZE=ci)')
  const [often, seldom] = [
    openMany(10, key, `${STREAM}?interval=5`),
    openMany(10, keys[1] ?? '', `${STREAM}?interval=20`),
  ]
  await Bun.sleep(21_000)
  for (const client of often) {
    const frames = await client.waitFor('departures', 5)
    expect(unitsOf(client)).toEqual([1, 0, 0, 0, 0])
    for (const [at, { atMillis, id }] of frames.entries()) {
      expect(Math.abs(atMillis - (frames[0]?.atMillis ?? 0) - at * 5_000)).toBeLessThan(250)
      if (at > 0) expect(Number(id)).toBeGreaterThan(Number(frames[at - 1]?.id))
    }
    expect(client.heartbeats).toEqual([])
  }
  for (const client of seldom) {
    const [first] = await client.waitFor('departures', 2)
    const beats = client.heartbeats.map((atMillis) => Math.round((atMillis - (first?.atMillis ?? 0)) / 1_000))
    expect(beats).toEqual([8, 16])
  }
  await leaveAll([...often, ...seldom])
}, 60_000)

test('a new snapshot shows in the next frame; the stream of a removed stop ends', async () => {
  if (SIZE === 'quick') return console.log('left out: waiting for intervals (QUAI_SIZE=ci)')
  const stays = await open(`${STREAM}?interval=5`).opened()
  const goes = await open('/v1/stops/ville:stop:T/departures/stream?interval=5').opened()
  const stops = dedent(SMALL_FEED['stops.txt'] ?? '').replace(/\nT,.*/, '\nU,400,Stade,48.59,7.76,0,,,')
  writeFileSync(join(service.folder, 'ville', 'stops.txt'), stops)
  const times = dedent(SMALL_FEED['stop_times.txt'] ?? '')
    .replaceAll(',T,', ',U,')
    .replaceAll('08:05:30', '08:06:10')
  writeFileSync(join(service.folder, 'ville', 'stop_times.txt'), times)
  expect(await service.run('import', '--force')).toMatchObject({ stderr: expect.any(String) })
  const [last] = await goes.waitFor('end')
  expect(last?.data).toBe('{"reason":"not_found"}')
  await until(() => stays.events.at(-1)?.data.includes('T08:06:10') === true, 'the new time shows')
  await stays.leave()
}, 60_000)

test('a shutdown announces the end, and the next process accepts one free reconnect for each stream', async () => {
  const clients = [...openMany(KEY_LIMIT, key), ...openMany(5, keys[1] ?? '')]
  for (const client of clients) await client.opened()
  const before = await usedUnits()
  const started = performance.now()
  expect(await end(serving)).toBe(0)
  expect(performance.now() - started).toBeLessThan(3_000)
  for (const client of clients) {
    const [last] = await client.waitFor('end')
    expect(last?.data).toBe('{"reason":"shutdown"}')
    expect(client.retryMillis).toBeGreaterThanOrEqual(500)
    expect(client.retryMillis).toBeLessThanOrEqual(5_000)
    await until(() => client.isEnded, 'the body ends')
    expect(client.refusal).toBe('')
  }
  serving = await service.serve({ workers: 2, port: PORT })
  const lastId = clients[0]?.events[0]?.id ?? ''
  const again = Array.from({ length: KEY_LIMIT }, () => open(STREAM, key, { 'last-event-id': lastId }))
  for (const client of again) {
    const [first] = await client.waitFor('departures')
    expect(unitsOf(client)[0]).toBe(0)
    expect(Number(first?.id)).toBeGreaterThan(Number(lastId))
  }
  expect(await usedUnits()).toBe(before)
  await leaveAll(again)
  await until(async () => (await open().opened()).status === 200, 'there is room')
  expect(await usedUnits()).toBe(before + 1)
}, 60_000)
