// A TCP proxy in front of a database, for tests of failing connections: it passes bytes on, swallows them, or refuses
// connections.
import type { Socket, TCPSocketListener } from 'bun'

/**
 * - `passes`: all bytes go through
 * - `silent`: connections are accepted and kept open, but no bytes go through
 * - `refused`: connections are refused
 */
export type LinkState = 'passes' | 'silent' | 'refused'

interface Side {
  other: Socket<Side> | undefined
  /** Bytes that this socket received before the other socket was connected. */
  readonly early: Uint8Array[]
  /** Bytes for this socket that the kernel has not accepted yet. */
  readonly unsent: Uint8Array[]
}

/** A TCP proxy on a free loopback port. */
export class FaultyLink {
  readonly port: number
  private target: { readonly hostname: string; readonly port: number }
  private listener: TCPSocketListener<Side> | undefined
  private readonly sockets = new Set<Socket<Side>>()
  private state: LinkState = 'passes'

  constructor(target: { readonly hostname: string; readonly port: number }) {
    this.target = target
    this.listener = this.listen(0)
    this.port = this.listener.port
  }

  /** The URL of the database, changed so that connections go through this proxy. */
  addressOf(url: string): string {
    const over = new URL(url)
    over.hostname = '127.0.0.1'
    over.port = String(this.port)
    return over.href
  }

  /** Changes the state. Open connections stay open if the new state is `silent`, and are closed otherwise. */
  set(state: LinkState): void {
    if (state !== 'silent') for (const socket of this.sockets) socket.terminate()
    this.state = state
    if (state === 'refused') {
      this.listener?.stop(true)
      this.listener = undefined
    } else this.listener ??= this.listen(this.port)
  }

  /** Makes the proxy connect to another address, and closes open connections. */
  retarget(target: { readonly hostname: string; readonly port: number }): void {
    this.target = target
    for (const socket of this.sockets) socket.terminate()
  }

  /** Closes all connections and refuses new ones. */
  stop(): void {
    this.set('refused')
  }

  private listen(port: number): TCPSocketListener<Side> {
    const pass = {
      data: (socket: Socket<Side>, bytes: Uint8Array) => {
        if (this.state === 'silent') return
        if (socket.data.other === undefined) socket.data.early.push(bytes.slice())
        else write(socket.data.other, bytes)
      },
      drain: (socket: Socket<Side>) => flush(socket),
      close: (socket: Socket<Side>) => {
        this.sockets.delete(socket)
        socket.data.other?.terminate()
      },
      error: (socket: Socket<Side>) => socket.terminate(),
    }
    return Bun.listen<Side>({
      hostname: '127.0.0.1',
      port,
      socket: {
        ...pass,
        open: async (socket) => {
          socket.data = { other: undefined, early: [], unsent: [] }
          this.sockets.add(socket)
          if (this.state === 'silent') return
          const connecting = Bun.connect<Side>({
            ...this.target,
            socket: pass,
            data: { other: socket, early: [], unsent: [] },
          })
          const far = await connecting.catch(() => undefined)
          if (far === undefined) return void socket.terminate() // nothing listens at the target
          this.sockets.add(far)
          for (const bytes of socket.data.early.splice(0)) write(far, bytes)
          socket.data.other = far
        },
      },
    })
  }
}

function write(socket: Socket<Side>, bytes: Uint8Array): void {
  socket.data.unsent.push(bytes.slice())
  flush(socket)
}

function flush(socket: Socket<Side>): void {
  const { unsent } = socket.data
  while (unsent.length > 0) {
    const written = Math.max(socket.write(unsent[0]), 0)
    if (written < unsent[0].length) {
      unsent[0] = unsent[0].subarray(written)
      return
    }
    unsent.shift()
  }
}
