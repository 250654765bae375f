// One data thread: maps the snapshots it is told of, opens its own gate, and serves the API on the shared port.
import { openGate } from './accounts/accounts-service.ts'
import { BODY_LIMIT_BYTES } from './api/message-faults.ts'
import { SnapshotViews } from './api/snapshot-view.ts'
import { startClock, TRUE_CLOCK } from './clock.ts'
import { openLog } from './log.ts'
import { Networks, type Snapshot } from './network.ts'
import { MemorySweeper } from './networks/memory-sweeper.ts'
import { layoutSnapshot, snapshotBytes } from './networks/snapshot-store.ts'
import { serveAddresses } from './places/served-addresses.ts'
import { type ToldNetwork, takeLive } from './realtime/taken-live.ts'
import { createServer } from './server.ts'
import { FreeReconnects } from './streams/free-reconnects.ts'
import { StreamHub } from './streams/stream-hub.ts'
import { StreamSlots } from './streams/stream-slots.ts'
import type {
  DataThreadStart,
  FromDataThread,
  NetworkMessage,
  SnapshotMessage,
  ToDataThread,
} from './thread-messages.ts'
import { VERSION } from './version.ts'

declare const self: Worker

/** An idle connection is closed after this; a partial request does not refresh it. */
const IDLE_TIMEOUT_SECONDS = 10

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

/** What a thread would serve of a network, made ready beside what it serves. */
interface PreparedNetwork {
  readonly network: ThreadNetwork
  readonly message: NetworkMessage
  readonly snapshot: Snapshot | undefined
}

/** A network of this thread, and where the snapshot it serves came from. */
interface ThreadNetwork extends ToldNetwork {
  source: SnapshotMessage | undefined
}

class DataThread {
  private readonly start: DataThreadStart
  private readonly list: readonly ThreadNetwork[]
  private readonly views: SnapshotViews
  private readonly access: ReturnType<typeof openGate>
  private readonly streams: StreamHub
  private readonly app: ReturnType<typeof createServer>
  private readonly prepared = new Map<number, PreparedNetwork>()
  private readonly sweeper = new MemorySweeper()

  constructor(start: DataThreadStart) {
    this.start = start
    this.list = start.networks.map(openNetwork)
    const networks = new Networks(this.list)
    const addresses = serveAddresses(start.addresses)
    const townAt = (lat: number, lon: number) => addresses?.townAt(lat, lon) ?? ''
    this.views = new SnapshotViews(networks, start.textCacheBytes, townAt)
    this.access = openGate(start.access, start.ordinal)
    this.streams = new StreamHub({
      gate: this.access.gate,
      clock: TRUE_CLOCK,
      slots: new StreamSlots(start.streams.slots),
      reconnects: new FreeReconnects(start.streams.reconnects),
    })
    this.app = createServer({
      networks,
      streams: this.streams,
      views: this.views,
      addresses,
      gate: this.access.gate,
      clock: startClock(start.clock),
      baseUrl: start.baseUrl,
      corsOrigins: start.corsOrigins,
      version: VERSION,
      logger: openLog(`data-${start.ordinal}`),
    })
  }

  obey(message: Exclude<ToDataThread, { kind: 'start' }>, post: (message: FromDataThread) => void): void {
    switch (message.kind) {
      case 'listen':
        post({ kind: 'listening', port: this.listen(message.port) })
        break
      case 'prepare':
        post({ kind: 'prepared', number: message.number, problem: this.prepare(message.number, message.network) })
        break
      case 'commit':
        this.commit(message.number)
        post({ kind: 'committed', number: message.number })
        break
      case 'discard':
        this.prepared.delete(message.number)
        break
      case 'live': {
        const network = this.list.find((each) => each.settings.id === message.network)
        if (network !== undefined) takeLive(network, message.live)
        break
      }
      case 'access':
        this.access.apply(message.change)
        this.streams.recheck()
        post({ kind: 'applied', number: message.number })
        break
      case 'end_streams':
        post({ kind: 'streams_ended', ended: this.streams.close() })
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

  /** Why the network cannot be served as the message says, or undefined. What is served now stays untouched. */
  private prepare(number: number, message: NetworkMessage): string | undefined {
    const network = this.list.find((each) => each.settings.id === message.settings.id)
    if (network === undefined) return `this thread was not started with a network "${message.settings.id}"`
    try {
      const isServed = isSameSource(network.source, message.snapshot)
      const snapshot = isServed ? network.current : openSnapshot(message.snapshot)
      this.prepared.set(number, { network, message, snapshot })
      return undefined
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }

  /** One assignment: a request that has begun keeps what it read. */
  private commit(number: number): void {
    const prepared = this.prepared.get(number)
    if (prepared === undefined) throw new Error(`nothing was prepared under the number ${number}`)
    this.prepared.delete(number)
    const { network, message, snapshot } = prepared
    const isReplaced = network.current !== undefined && network.current !== snapshot
    network.source = message.snapshot
    network.lastError = message.lastError
    network.current = snapshot
    if (message.live !== undefined) takeLive(network, message.live)
    this.views.viewOf(network) // drops what was rendered of the old snapshot
    if (isReplaced) this.sweeper.sweepSoon()
  }
}

function openNetwork(message: NetworkMessage): ThreadNetwork {
  const { settings, snapshot, lastError } = message
  const network: ThreadNetwork = {
    settings,
    current: openSnapshot(snapshot),
    live: undefined,
    lastError,
    source: snapshot,
    liveVersion: 0,
    overlayVersion: 0,
    alertVersion: 0,
  }
  if (message.live !== undefined) takeLive(network, message.live)
  return network
}

function openSnapshot(message: SnapshotMessage | undefined): Snapshot | undefined {
  if (message === undefined) return undefined
  return layoutSnapshot('bytes' in message ? message.bytes : snapshotBytes(message.path)).snapshot
}

/** Memory that was sent twice is not the same object here: only files are known again. */
function isSameSource(served: SnapshotMessage | undefined, told: SnapshotMessage | undefined): boolean {
  if (served === undefined || told === undefined) return served === told
  return 'path' in served && 'path' in told && served.path === told.path
}
