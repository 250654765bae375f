// Tests finding this process's connections by their descriptors. Fails if an active connection counts as silent, if a
// connection to another port is included, or if the server does not notice that a connection was ended.
import { afterAll, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { descriptorCount, descriptorLimit, SpareDescriptors } from '../../../src/system/descriptors.ts'
import { type OpenSocket, Sockets } from '../../../src/system/sockets.ts'
import { until } from '../../service/running.ts'

const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('ok') })
const clients: Socket[] = []
afterAll(() => server.stop(true))

function open(text: string): Socket {
  const client = connect({ host: '127.0.0.1', port: server.port ?? 0, localAddress: '127.0.0.9' })
  clients.push(client)
  client.resume()
  if (text !== '') client.write(text)
  return client
}

const isLinux = process.platform === 'linux'

test.skipIf(!isLinux)('what was received and sent, and the end of a silent connection', async () => {
  const silent = open('')
  open('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  open('GET / HTTP/1.1\r\nHo')
  const sockets = new Sockets()
  const isOurs = (each: OpenSocket | undefined): each is OpenSocket =>
    each?.nearPort === server.port && each?.farAddress === '127.0.0.9'
  const list = () => Array.from({ length: 256 }, (_, descriptor) => sockets.find(descriptor)).filter(isOurs)
  // After a second, the kernel passes a connection to the server even if nothing has arrived on it.
  await until(() => list().length === 3 && list().some(({ sentBytes }) => sentBytes > 0), 'all are accepted')
  const found = list().map(({ receivedBytes, sentBytes }) => [receivedBytes, sentBytes > 0] as const)
  expect(found.sort(([a], [b]) => a - b)).toEqual([
    [0, false],
    [18, false],
    [27, true],
  ])
  const closed = Promise.withResolvers<void>()
  silent.on('close', () => closed.resolve())
  for (const each of list().filter(({ receivedBytes }) => receivedBytes === 0)) sockets.end(each)
  await closed.promise
  await until(() => list().length === 2, 'its descriptor is free')
})

test.skipIf(!isLinux)('descriptors are counted, including spare ones', () => {
  const limit = descriptorLimit() ?? 0
  const before = descriptorCount(limit)
  expect(before).toBeGreaterThan(2)
  expect(limit).toBeGreaterThan(before)
  const spare = new SpareDescriptors()
  spare.hold(64)
  expect(spare.count).toBe(64)
  expect(descriptorCount(limit)).toBe(before + 64)
  spare.release()
  expect(descriptorCount(limit)).toBe(before)
})
