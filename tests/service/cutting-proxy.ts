// A TCP proxy in front of a service. It cuts the connections of event streams, alternately in the middle of an event
// and after a whole event, and makes clients reconnect sooner.
import { connect, createServer, type Socket } from 'node:net'

/** A running proxy. */
export interface CuttingProxy {
  readonly base: string
  /** Number of connections that the proxy has cut. */
  cuts(): number
  /** Ids of the events that were passed on completely. */
  readonly completed: readonly string[]
  /** `Last-Event-ID` of each stream request; '' if the request had none. */
  readonly resumedFrom: readonly string[]
  close(): void
}

/** The reconnection time that the service sends, and a shorter time with the same number of bytes. */
const RETRY = 'retry: 5000'
const SHORT_RETRY = 'retry: 0020'
/** A client sends this request after it has read a complete event. The proxy then cuts the connection of the stream. */
const HAS_READ = /^GET \/v1\/health /
const EVENT = /id: (\d+)\nevent: \w+\ndata: [^\n]*\n\n/

/**
 * Listens on a local port and forwards to the given port.
 * @param most how many connections to cut
 */
export async function startCuttingProxy(port: number, most: number): Promise<CuttingProxy> {
  let cuts = 0
  const completed: string[] = []
  const resumedFrom: string[] = []
  const sockets = new Set<Socket>()
  let isRead: (() => void) | undefined

  /** Forwards what the service sends. Cuts each stream at its first event, until `most` connections have been cut. */
  const forward = (client: Socket, upstream: Socket) => {
    let held = ''
    upstream.on('data', (bytes: Buffer) => {
      const text = bytes.toString('latin1')
      if (held === '' && !text.includes('text/event-stream')) return void client.write(bytes)
      held += text.replace(RETRY, SHORT_RETRY)
      const event = EVENT.exec(held)
      if (event === null) return
      const end = event.index + event[0].length
      if (cuts === most) {
        completed.push(event[1] ?? '')
        client.write(held, 'latin1')
        held = ''
        return
      }
      const isWhole = cuts++ % 2 === 1
      if (isWhole) completed.push(event[1] ?? '')
      client.write(held.slice(0, isWhole ? end : end - 20), 'latin1')
      upstream.destroy()
      if (isWhole) isRead = () => client.destroy()
      else client.end()
    })
  }

  const server = createServer((client) => {
    const upstream = connect({ port, host: '127.0.0.1' })
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => other.destroy())
    }
    client.on('close', () => upstream.destroy())
    client.on('data', (bytes: Buffer) => {
      const head = bytes.toString('latin1')
      if (HAS_READ.test(head)) isRead?.()
      if (/^GET \S+\/stream/.test(head)) resumedFrom.push(/^last-event-id: (\d+)/im.exec(head)?.[1] ?? '')
      upstream.write(bytes)
    })
    forward(client, upstream)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port')
  const close = () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
  return { base: `http://127.0.0.1:${address.port}`, cuts: () => cuts, completed, resumedFrom, close }
}
