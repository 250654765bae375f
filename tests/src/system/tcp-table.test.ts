// Tests reading the kernel's connection tables. Fails if an address or a port differs from the one that `requestIP`
// returns, or if the result includes a connection to another port, a closed connection, or the client's end of a local
// connection.
import { afterAll, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { listConnections, parseTcpTable } from '../../../src/system/tcp-table.ts'

const sockets: Socket[] = []
const servers = ['127.0.0.1', '::'].map((hostname) =>
  Bun.serve({
    hostname,
    port: 0,
    fetch: (request, server) => Response.json(server.requestIP(request)),
  }),
)
afterAll(() => {
  for (const socket of sockets) socket.destroy()
  for (const server of servers) server.stop(true)
})

/** Connects and sends a request; returns the remote address and port that the server reports for it. */
async function open(host: string, port: number): Promise<{ address: string; port: number }> {
  const socket = connect({ host, port })
  sockets.push(socket)
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  const answered = Promise.withResolvers<string>()
  socket.on('data', (data) => answered.resolve(String(data)))
  const { address, port: farPort } = JSON.parse((await answered.promise).split('\r\n\r\n')[1] ?? '')
  return { address: address.replace(/^::ffff:/, ''), port: farPort }
}

test.skipIf(process.platform !== 'linux')('each connection is listed from the server’s side', async () => {
  const [ipv4, ipv6] = servers.map(({ port }) => port ?? 0)
  const expected = [
    await open('127.0.0.1', ipv4 ?? 0),
    await open('127.0.0.1', ipv6 ?? 0),
    await open('::1', ipv6 ?? 0),
  ]
  const listed = await listConnections([ipv4 ?? 0, ipv6 ?? 0])
  const byPort = (a: { port: number }, b: { port: number }) => a.port - b.port
  expect(listed.sort(byPort)).toEqual(expected.sort(byPort))
  expect(await listConnections([1])).toEqual([])
})

test('addresses of both families; listeners and ended connections are omitted', () => {
  const table = `  sl  local_address rem_address   st tx_queue
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000
   1: 0100007F:1F90 0200007F:C001 01 00000000:00000000
   2: 0100007F:1F90 0300007F:C002 06 00000000:00000000
   3: 0100007F:1F91 0300007F:C003 01 00000000:00000000
   4: 0100007F:1F90 0A0200C0:0050 08 00000000:00000000
  10: 00000000000000000000000001000000:1F90 B80D0120000000000000000001000000:D431 01 00000000:00000000
  11: 00000000000000000000000001000000:1F90 0000000000000000FFFF0000070200C0:D432 01 00000000:00000000
`
  expect(parseTcpTable(table, [8080])).toEqual([
    { address: '127.0.0.2', port: 49_153 },
    { address: '192.0.2.10', port: 80 },
    { address: '2001:db8::1', port: 54_321 },
    { address: '192.0.2.7', port: 54_322 },
  ])
})
