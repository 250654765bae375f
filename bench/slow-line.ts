// Simulates a slow connection to a service on this machine. All TCP connections share one downstream bandwidth, and
// each round trip takes the configured time. Unlike the browser's own emulation, the simulation also slows down web
// workers and CORS preflight requests, and each new connection costs a round trip.
import { connect, createServer, type Server, type Socket } from 'node:net'

/** The speed of the connection. */
export interface SlowLine {
  readonly bytesPerSecond: number
  readonly roundTripMillis: number
}

/** Maximum size of a packet. TCP connections take turns in sending packets. */
const PACKET_BYTES = 1_400

/** Forwards ports of this machine over one slow connection. */
export class SlowPorts {
  private readonly line: SlowLine
  private readonly servers: Server[] = []
  /** Time at which the connection is free again, as a value of `performance.now()`. */
  private freeAtMillis = 0

  constructor(line: SlowLine) {
    this.line = line
  }

  /** Opens a port that forwards to the given port. Returns the number of the opened port. */
  async open(port: number): Promise<number> {
    const server = createServer((client) => this.forward(client, port))
    this.servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('the port has no number')
    return address.port
  }

  /** Waits until nothing is in transit. Responses to a page that was closed can still be in transit. */
  async untilFree(): Promise<void> {
    await Bun.sleep(Math.max(0, this.freeAtMillis - performance.now()) + 2 * this.line.roundTripMillis)
  }

  close(): void {
    for (const server of this.servers) server.close()
  }

  private forward(client: Socket, port: number): void {
    const { roundTripMillis } = this.line
    const service = connect(port, '127.0.0.1')
    const openAtMillis = performance.now() + roundTripMillis // the TCP handshake
    const at = (millis: number, run: () => void) => void setTimeout(run, Math.max(0, millis - performance.now()))
    client.on('data', (bytes) => {
      at(Math.max(openAtMillis, performance.now()) + roundTripMillis / 2, () => service.write(bytes))
    })
    service.on('data', (bytes: Buffer) => {
      for (let from = 0; from < bytes.length; from += PACKET_BYTES) {
        const packet = bytes.subarray(from, from + PACKET_BYTES)
        at(this.takeTurn(packet.length) + roundTripMillis / 2, () => client.write(packet))
      }
    })
    client.on('close', () => service.destroy())
    service.on('close', () => at(this.freeAtMillis + roundTripMillis, () => client.end()))
    for (const socket of [client, service]) socket.on('error', () => socket.destroy())
  }

  /** Reserves the connection for a packet. Returns the time at which the whole packet has been sent. */
  private takeTurn(bytes: number): number {
    const begins = Math.max(this.freeAtMillis, performance.now())
    this.freeAtMillis = begins + (bytes / this.line.bytesPerSecond) * 1_000
    return this.freeAtMillis
  }
}
