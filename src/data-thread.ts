// One data thread: maps the snapshots it is told of, opens its own gate, and serves the API on the shared port.
import { openOverlay } from '../indexes/live/build-overlay.ts'
import { openVehicles } from '../indexes/live/build-vehicles.ts'
import { openGate } from './accounts/accounts-service.ts'
import { BODY_LIMIT_BYTES } from './api/message-faults.ts'
import { SnapshotViews } from './api/snapshot-view.ts'
import { startClock } from './clock.ts'
import { openLog } from './log.ts'
import { type Network, Networks, type Snapshot } from './network.ts'
import { MemorySweeper } from './networks/memory-sweeper.ts'
import { layoutSnapshot, snapshotBytes } from './networks/snapshot-store.ts'
import type { PackedLive } from './realtime/live-messages.ts'
import { createServer } from './server.ts'
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
interface ThreadNetwork extends Network {
  source: SnapshotMessage | undefined
  /** Of what live feeds say. */
  liveVersion: number
}

class DataThread {
  private readonly start: DataThreadStart
  private readonly list: readonly ThreadNetwork[]
  private readonly views: SnapshotViews
  private readonly access: ReturnType<typeof openGate>
  private readonly app: ReturnType<typeof createServer>
  private readonly prepared = new Map<number, PreparedNetwork>()
  private readonly sweeper = new MemorySweeper()

  constructor(start: DataThreadStart) {
    this.start = start
    this.list = start.networks.map(openNetwork)
    const networks = new Networks(this.list)
    this.views = new SnapshotViews(networks, start.textCacheBytes)
    this.access = openGate(start.access, start.ordinal)
    this.app = createServer({
      networks,
      views: this.views,
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
  }
  if (message.live !== undefined) takeLive(network, message.live)
  return network
}

/** Puts what live feeds say now in place of what they said before; a message that was overtaken changes nothing. */
function takeLive(network: ThreadNetwork, { version, feeds, overlay, vehicles }: PackedLive): void {
  if (version <= network.liveVersion) return
  network.liveVersion = version
  network.live = {
    feeds,
    overlay: overlay === 'same' ? network.live?.overlay : overlay === undefined ? undefined : openOverlay(overlay),
    vehicles: vehicles === undefined ? undefined : openVehicles(vehicles),
  }
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
