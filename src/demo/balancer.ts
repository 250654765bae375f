// The load balancer of the demo: forwards each connection to one of the ready replicas, in turn. It is only for the
// demo, because it has no limits and no timeouts.
import type { Socket } from 'bun'

const CHECK_MILLIS = 500
const CHECK_DEADLINE_MILLIS = 1_000

/** A replica behind the balancer. */
export interface Backend {
  readonly port: number
  /** Responds with 200 while the replica accepts traffic. */
  readonly readyUrl: string
}

interface Side {
  other: Socket<Side> | undefined
  /** Bytes that this connection has received and that the connection `other` has not accepted yet. */
  unsent: Uint8Array[]
}

/** Listens on a port of all loopback addresses until `stop` is called. Throws if the port is in use. */
export function startBalancer(port: number, backends: readonly Backend[]): { stop(): void } {
  let ready: readonly Backend[] = []
  let turn = 0
  const check = async () => {
    const answers = await Promise.all(backends.map(isReady))
    ready = backends.filter((_, at) => answers[at])
  }
  const timer = setInterval(check, CHECK_MILLIS)
  void check()
  const pass = {
    data(socket: Socket<Side>, bytes: Uint8Array) {
      socket.data.unsent.push(bytes.slice())
      flush(socket)
    },
    drain(socket: Socket<Side>) {
      if (socket.data.other !== undefined) flush(socket.data.other)
    },
    close(socket: Socket<Side>) {
      flush(socket)
      socket.data.other?.end()
    },
    error(socket: Socket<Side>) {
      socket.data.other?.end()
    },
  }
  const listener = Bun.listen<Side>({
    hostname: 'localhost',
    port,
    socket: {
      ...pass,
      async open(socket) {
        socket.data = { other: undefined, unsent: [] }
        for (let tries = 0; tries < ready.length; tries++) {
          const backend = ready[turn++ % ready.length]
          const data: Side = { other: socket, unsent: [] }
          const far = await Bun.connect<Side>({ hostname: 'localhost', port: backend.port, data, socket: pass }).catch(
            () => undefined, // the replica has just ended; the loop tries the next one
          )
          if (far === undefined) continue
          socket.data.other = far
          return flush(socket)
        }
        socket.end()
      },
    },
  })
  return {
    stop() {
      clearInterval(timer)
      listener.stop(true)
    },
  }
}

async function isReady({ readyUrl }: Backend): Promise<boolean> {
  try {
    return (await fetch(readyUrl, { signal: AbortSignal.timeout(CHECK_DEADLINE_MILLIS) })).ok
  } catch {
    return false
  }
}

/** Forwards the unsent bytes of one connection, as far as the other connection accepts them. */
function flush({ data }: Socket<Side>): void {
  const { other, unsent } = data
  while (other !== undefined && unsent.length > 0) {
    const written = Math.max(0, other.write(unsent[0]))
    if (written < unsent[0].length) {
      unsent[0] = unsent[0].subarray(written)
      return
    }
    unsent.shift()
  }
}
