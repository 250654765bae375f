// One data thread: maps the snapshots it is told of, opens its own gate, and serves the API on the shared port.
import { openGate } from './accounts/accounts-service.ts'
import { startClock } from './clock.ts'
import { openLog } from './log.ts'
import { type Network, Networks } from './network.ts'
import { createServer } from './server.ts'
import { layoutSnapshot, snapshotBytes } from './snapshot-store.ts'
import type { DataThreadStart, FromDataThread, NetworkMessage, ToDataThread } from './thread-messages.ts'
import { VERSION } from './version.ts'

declare const self: Worker

/** An idle connection is closed after this; a partial request does not refresh it. */
const IDLE_TIMEOUT_SECONDS = 10
/** No route takes a body: what a client sends with one is refused beyond this. */
const BODY_LIMIT_BYTES = 64 * 1024

/** Runs in a Worker: waits for the control thread's start, then serves until told to stop. */
export function runDataThread(): void {
  const post = (message: FromDataThread) => self.postMessage(message)
  let thread: DataThread | undefined
  self.onmessage = (event: MessageEvent<ToDataThread>) => {
    const message = event.data
    try {
      if (message.kind === 'start') {
        thread = new DataThread(message.start)
        post({ kind: 'ready' })
      } else if (thread !== undefined) thread.obey(message, post)
    } catch (error) {
      post({ kind: 'failed', message: error instanceof Error ? (error.stack ?? error.message) : String(error) })
    }
  }
  post({ kind: 'awake' })
}

class DataThread {
  private readonly start: DataThreadStart
  private readonly networks: Networks
  private readonly access: ReturnType<typeof openGate>
  private readonly app: ReturnType<typeof createServer>

  constructor(start: DataThreadStart) {
    this.start = start
    this.networks = new Networks(start.networks.map(openNetwork))
    this.access = openGate(start.access, start.ordinal)
    this.app = createServer({
      networks: this.networks,
      gate: this.access.gate,
      clock: startClock(start.clock),
      baseUrl: start.baseUrl,
      corsOrigins: start.corsOrigins,
      version: VERSION,
      logger: openLog(`data-${start.ordinal}`),
      textCacheBytes: start.textCacheBytes,
    })
  }

  obey(message: Exclude<ToDataThread, { kind: 'start' }>, post: (message: FromDataThread) => void): void {
    switch (message.kind) {
      case 'listen':
        post({ kind: 'listening', port: this.listen(message.port) })
        break
      case 'network':
        this.replace(message.network)
        break
      case 'access':
        this.access.apply(message.change)
        post({ kind: 'applied', number: message.number })
        break
      case 'stop':
        void this.app.server?.stop().then(() => post({ kind: 'stopped' }))
        break
    }
  }

  private listen(port: number): number {
    const { bind, tls } = this.start
    this.app.listen({
      hostname: bind,
      port,
      reusePort: true,
      idleTimeout: IDLE_TIMEOUT_SECONDS,
      maxRequestBodySize: BODY_LIMIT_BYTES,
      development: false,
      ...(tls === undefined ? {} : { tls: { cert: Bun.file(tls.certFile), key: Bun.file(tls.keyFile) } }),
    })
    const opened = this.app.server?.port
    if (opened === undefined) throw new Error(`the API could not listen on ${bind}:${port}`)
    return opened
  }

  private replace(message: NetworkMessage): void {
    const network = this.networks.find(message.settings.id)
    if (network === undefined) throw new Error(`this thread was not started with a network "${message.settings.id}"`)
    takeOver(network, message)
  }
}

function openNetwork(message: NetworkMessage): Network {
  const network: Network = { settings: message.settings, current: undefined, lastError: undefined }
  takeOver(network, message)
  return network
}

/** One assignment: a request that has begun keeps what it read. */
function takeOver(network: Network, message: NetworkMessage): void {
  const { snapshot } = message
  network.lastError = message.lastError
  network.current =
    snapshot === undefined
      ? undefined
      : layoutSnapshot('bytes' in snapshot ? snapshot.bytes : snapshotBytes(snapshot.path)).snapshot
}
