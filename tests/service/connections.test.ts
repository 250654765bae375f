// Tests that one IP address cannot keep other clients from being served. The address opens hundreds of idle connections
// to a service with few file descriptors, or more connections than one address may have. Fails if a request from
// another address waits or is refused, if the admin port does not respond, or if the service does not recover.
import { afterAll, afterEach, beforeAll, expect } from 'bun:test'
import { readFileSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { bySize, SIZE } from '../size.ts'
import { slowTest } from '../slow-test.ts'
import { PacedClient } from './paced-client.ts'
import { commandOf, end, ServiceFolder, type Serving, until } from './running.ts'

const PORT = 18_650
const DESCRIPTORS = 256
const IDLE = 400
const LIMIT = 1_000
const BEYOND = 30
const WAIT_MILLIS = 5_000
const MEASURED_MILLIS = bySize({ quick: 2_000, ci: 3_000, full: 10_000 })
const MOST_MILLIS = bySize({ quick: 300, ci: 200, full: 100 })
const BOARD = '/v1/stops/ville:stop:CA/departures'

const wide = new ServiceFolder(commandOf('source'))
const narrow = new ServiceFolder(
  ['bash', '-c', `ulimit -n ${DESCRIPTORS}; exec "$@"`, 'narrow', ...commandOf('source')],
  readFileSync(join(wide.folder, 'quai.toml'), 'utf8'),
  wide.folder,
)
let key = ''
let serving: Serving | undefined
let sockets: Socket[] = []

beforeAll(async () => {
  key = await wide.makeKey('callers')
  expect((await wide.run('import', 'ville')).status).toBe(0)
}, 60_000)
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  sockets = []
  if (serving !== undefined) await end(serving, 'SIGKILL')
  serving = undefined
})

afterAll(() => rmSync(wide.folder, { recursive: true }))

const request = (path = BOARD) => `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`

/**
 * Opens a connection from a local address and sends `text`. In the result, `received` is what the server has sent on
 * the connection so far.
 */
function open(from: string, text: string): { readonly socket: Socket; received: string } {
  const socket = connect({ host: '127.0.0.1', port: PORT, localAddress: from })
  const opened = { socket, received: '' }
  sockets.push(socket)
  socket.on('data', (data) => {
    opened.received += data
  })
  socket.on('error', () => socket.destroy())
  if (text !== '') socket.write(text)
  return opened
}

const KINDS: Readonly<Record<string, string | undefined>> = {
  'with half a request': 'GET / HTTP/1.1\r\nHo',
  ...(SIZE === 'full' ? { 'that send nothing': '', 'that were answered': undefined } : {}),
}

for (const [kind, text] of Object.entries(KINDS)) {
  slowTest(
    `${IDLE} connections ${kind} at ${DESCRIPTORS} descriptors: others get responses in time after 5 s`,
    async () => {
      serving = await narrow.serve({ workers: 2, port: PORT })
      for (let at = 0; at < IDLE; at++) open('127.0.0.3', text ?? request('/v1/health'))
      await Bun.sleep(WAIT_MILLIS)
      const board = { base: serving.base, key, paths: [BOARD], perSecond: 50, check: () => undefined }
      const clients = [
        new PacedClient(board),
        new PacedClient({ ...board, base: `http://127.0.0.1:${PORT + 1}`, paths: ['/readyz'] }),
      ]
      await Bun.sleep(MEASURED_MILLIS)
      const [calls, probes] = await Promise.all(clients.map((client) => client.stop()))
      console.log(
        `${IDLE} connections ${kind}: p99 of ${calls?.count} keyed calls ${calls?.p99Millis.toFixed(1)} ms, of ${probes?.count} /readyz ${probes?.p99Millis.toFixed(1)} ms, ${sockets.filter(({ closed }) => closed).length} closed`,
      )
      for (const reading of [calls, probes]) {
        expect(reading?.failures).toEqual([])
        expect(reading?.p99Millis).toBeLessThan(MOST_MILLIS)
      }
      expect(serving.output()).toContain('closing idle connections')
    },
    60_000,
  )
}

slowTest(
  'while slow requests take every descriptor, the admin port responds; afterwards everything works again',
  async () => {
    serving = await narrow.serve({ workers: 2, port: PORT })
    const drip = setInterval(() => {
      for (const socket of sockets) if (socket.writable) socket.write('x')
    }, 300)
    try {
      for (let at = 0; at < IDLE; at++) open('127.0.0.3', 'GET /')
      const ready = () => fetch(`http://127.0.0.1:${PORT + 1}/readyz`, { keepalive: false })
      await until(() => serving?.output().includes('only on the admin port') === true, 'the ports are closed')
      const answers = await Promise.all(Array.from({ length: 40 }, ready))
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    } finally {
      clearInterval(drip)
    }
    for (const socket of sockets) socket.destroy()
    await until(
      () => serving?.output().includes('accepting new connections again') === true,
      'the ports are open again',
    )
    const answer = await fetch(serving.base + BOARD, { headers: { authorization: `Bearer ${key}` } })
    expect(answer.status).toBe(200)
    expect(await end(serving)).toBe(0)
  },
  60_000,
)

slowTest(
  `requests on connections beyond the first ${LIMIT} of an address are rejected, and the connections closed`,
  async () => {
    serving = await wide.serve({ workers: 2, port: PORT })
    const all = Array.from({ length: LIMIT }, () => open('127.0.0.4', request()))
    await until(() => all.every(({ received }) => received !== ''), 'all are answered')
    await Bun.sleep(2_000) // by then, the service has recorded these connections as the address's first ones
    // The service counts connections only from time to time. Until the next count, it also accepts requests on
    // connections beyond the limit.
    const beyond = Array.from({ length: BEYOND }, () => open('127.0.0.4', request()))
    await until(() => beyond.every(({ received }) => received !== ''), 'these are answered too')
    const others = open('127.0.0.5', request())
    await until(() => serving?.output().includes(`over the limit of ${LIMIT} per address`) === true, 'they are counted')
    await Bun.sleep(1_500) // by then, the service has counted all connections
    const turnedAway = beyond.filter(({ socket }) => !socket.closed)
    expect(turnedAway.length).toBeGreaterThan(0)
    const marks = [...all.slice(0, BEYOND), ...turnedAway, others].map((each) => {
      const from = each.received.length
      each.socket.write(request())
      return { each, from }
    })
    await until(() => marks.every(({ each, from }) => each.received.length > from), 'all are answered again')
    const statuses = marks.map(({ each, from }) => each.received.slice(from).split(' ')[1])
    expect(statuses).toEqual(marks.map(({ each }) => (beyond.includes(each) ? '429' : '200')))
    for (const { received } of turnedAway) expect(received).toMatch(/\r\nconnection: close\r\n/i)
    await until(() => beyond.every(({ socket }) => socket.closed), 'their connections are closed')
    for (const { socket } of all.slice(BEYOND)) socket.destroy()
    await Bun.sleep(1_500)
    const later = open('127.0.0.4', request())
    await until(() => later.received.startsWith('HTTP/1.1 200'), 'there is room again')
  },
  60_000,
)
