// A data thread: maps snapshots, opens its own gate and serves the API on the shared port.
import { AddressLimits } from '../access/address-limits.ts'
import type { FleetNotice, FleetRequest } from '../access/fleet-talk.ts'
import { type OpenGate, openGate } from '../access/open-gate.ts'
import { UntrustedForwarders } from '../access/untrusted-forwarders.ts'
import { closeConnections } from '../http/closing-connections.ts'
import { BODY_LIMIT_BYTES } from '../http/request-head.ts'
import { serverTls } from '../http/server-tls.ts'
import { PlannerDesk, type PlannerWorker } from '../journeys/planner-desk.ts'
import type { FromPlanner, ToPlanner } from '../journeys/planner-messages.ts'
import { COUNTED_ROUTES, RouteTally, ThreadCounts, watchLoopLag } from '../metrics/thread-counts.ts'
import type { NetworkMessage } from '../networks/network-messages.ts'
import { prepareSearches } from '../places/place-hits.ts'
import { type AddressesMessage, type ServedAddresses, serveAddresses } from '../places/served-addresses.ts'
import { warmUpBetweenRequests } from '../places/warm-up.ts'
import { IDLE_SECONDS } from '../requests/endpoint.ts'
import { RequestLog } from '../requests/request-log.ts'
import type { FleetReconnects } from '../streams/fleet-reconnects.ts'
import { FreeReconnects } from '../streams/free-reconnects.ts'
import { StreamHub } from '../streams/stream-hub.ts'
import { StreamSlots } from '../streams/stream-slots.ts'
import { startClock, TRUE_CLOCK } from '../system/clock.ts'
import { type Log, openGatheringLog, openLog, setLogLevel } from '../system/log.ts'
import { MemorySweeper, sweepThread } from '../system/memory-sweeper.ts'
import { VERSION } from '../system/version.ts'
import { RouteReports } from './route-reports.ts'
import { createServer } from './server.ts'
import type {
  DataThreadStart,
  FromDataThread,
  LeaveMessage,
  RoomMessage,
  ThreadReload,
  ToDataThread,
} from './thread-messages.ts'
import { ThreadNetworks } from './thread-networks.ts'

declare const self: Worker

/** How often a data thread checks that its slot file still exists. */
const SLOT_CHECK_MILLIS = 500

/** Runs in a Worker: waits for the control thread's start message, then serves until it is stopped. */
export function runDataThread(): void {
  const post = (message: FromDataThread) => self.postMessage(message)
  let thread: DataThread | undefined
  /** Settles once the thread has started. Messages that arrive before the thread has started wait for this promise. */
  let started: Promise<void> | undefined
  const orFail = (run: () => void) => {
    try {
      run()
    } catch (error) {
      fail(error)
    }
  }
  const fail = (error: unknown) => {
    post({ kind: 'failed', message: error instanceof Error ? (error.stack ?? error.message) : String(error) })
    process.exit(1) // ends only this thread, with its port and its planner; the control thread then starts a new data thread
  }
  const begin = (start: DataThreadStart, access: OpenGate, elsewhere?: FleetReconnects) => {
    thread = new DataThread(start, { access, elsewhere }, post)
    post({ kind: 'ready' })
  }
  self.onmessage = (event: MessageEvent<ToDataThread>) => {
    const message = event.data
    if (message.kind !== 'start') {
      const obey = () => orFail(() => thread?.obey(message, post))
      return started === undefined ? obey() : void started.then(obey)
    }
    const { start } = message
    if (start.access.grantCells === undefined) return orFail(() => begin(start, openGate(start.access, start.ordinal)))
    const send = (request: FleetRequest) => post({ kind: 'fleet', request })
    started = Promise.all([import('../cluster/grant-gate.ts'), import('../streams/fleet-reconnects.ts')])
      .then(([{ openGrantGate }, { FleetReconnects }]) => {
        begin(start, openGrantGate(start.access, start.ordinal, send), new FleetReconnects(send))
        started = undefined
      })
      .catch(fail)
  }
  post({ kind: 'awake' })
}

/** Starts this thread's planner, a separate Worker. */
function startPlanner(
  { clock, threads }: Pick<DataThreadStart, 'clock' | 'threads'>,
  log: Log,
  onMessage: (message: FromPlanner) => void,
): PlannerWorker {
  const worker = new Worker(Bun.main, { argv: ['planner'] })
  const post = (message: ToPlanner) => worker.postMessage(message)
  worker.onmessage = (event: MessageEvent<FromPlanner>) => {
    if (event.data.kind === 'awake') post({ kind: 'clock', clock, isAlone: threads === 1 })
    if (event.data.kind === 'warned') log.warn(event.data.message)
    else onMessage(event.data)
  }
  worker.onerror = (event) => onMessage({ kind: 'failed', message: event.message })
  return {
    post,
    end: () => worker.terminate(),
  }
}

/** The objects with which a thread checks the keys, quotas and limits of requests and streams. */
interface OpenAccess {
  readonly access: OpenGate
  /**
   * Streams that other replicas ended. Clients can reconnect to them on this replica free of charge. Undefined outside
   * a cluster.
   */
  readonly elsewhere: FleetReconnects | undefined
}

class DataThread {
  private readonly start: DataThreadStart
  private readonly log: Log
  private readonly networks: ThreadNetworks
  private readonly planners: PlannerDesk
  private readonly access: OpenGate
  private readonly elsewhere: FleetReconnects | undefined
  private readonly addressLimits: AddressLimits
  private readonly requestLog: RequestLog
  private readonly routeReports: RouteReports
  private readonly gathering: ReturnType<typeof openGatheringLog>
  private readonly streams: StreamHub
  private readonly streamSlots: StreamSlots
  private readonly app: ReturnType<typeof createServer>
  private addresses: ServedAddresses | undefined
  private readonly sweeper = new MemorySweeper()
  private isPaused = false
  /** One promise per pause. It settles at the end of the last request that was in progress when the pause began. */
  private readonly stopping: Promise<void>[] = []

  constructor(start: DataThreadStart, { access, elsewhere }: OpenAccess, post: (message: FromDataThread) => void) {
    this.start = start
    this.access = access
    this.elsewhere = elsewhere
    setLogLevel(start.log.level)
    const forwarders = new UntrustedForwarders((forwarder) => post({ kind: 'forwarder', forwarder }))
    this.addressLimits = new AddressLimits(start.addressLimits, TRUE_CLOCK, (one) => forwarders.note(one))
    this.addresses = serveAddresses(start.addresses)
    if (this.addresses !== undefined) warmUpBetweenRequests(this.addresses)
    this.networks = new ThreadNetworks(start.networks, {
      textCacheBytes: start.textCacheBytes,
      towns: this.addresses,
    })
    this.log = openLog(`data-${start.ordinal}`)
    const { log } = this
    this.planners = new PlannerDesk(start.networks, (onMessage) => startPlanner(start, log, onMessage))
    const counts = new ThreadCounts(start.counts, start.ordinal)
    const tally = new RouteTally(COUNTED_ROUTES)
    this.routeReports = new RouteReports(tally, TRUE_CLOCK, (report) => post({ kind: 'routes', report }))
    const { gate } = this.access
    watchLoopLag(counts)
    sweepThread(() => counts.answers)
    this.streamSlots = new StreamSlots(start.streams.slots, start.ordinal)
    this.streams = new StreamHub({
      gate,
      clock: TRUE_CLOCK,
      slots: this.streamSlots,
      reconnects: new FreeReconnects(start.streams.reconnects),
      elsewhere,
      onDropped: () => counts.droppedStream(),
    })
    this.keepSlots(log)
    const { networks } = this.networks
    this.gathering = openGatheringLog(`data-${start.ordinal}`)
    this.requestLog = new RequestLog(
      { log, gathering: this.gathering.log, gate, networks, chargedUnits: () => counts.chargedUnits },
      start.log,
    )
    const readAddresses = () => this.addresses
    this.app = createServer({
      networks,
      requestLog: this.requestLog,
      streams: this.streams,
      planners: this.planners,
      views: this.networks.views,
      get addresses() {
        return readAddresses()
      },
      gate,
      counts,
      tally,
      addressLimits: this.addressLimits,
      clock: startClock(start.clock),
      baseUrl: start.baseUrl,
      corsOrigins: start.corsOrigins,
      pages: start.pages,
      version: VERSION,
      logger: log,
    })
  }

  /** Checks the slot file regularly, and restores it if it was removed or replaced. */
  private keepSlots(log: Log): void {
    let lastFault = ''
    setInterval(() => {
      try {
        if (this.access.keepSlots()) log.warn('the slot file was removed or replaced; it was restored with all counts')
        lastFault = ''
      } catch (error) {
        const fault = `${error}`
        if (fault !== lastFault)
          log.error({ error }, 'the slot file was removed and cannot be restored; counts are only in RAM for now')
        lastFault = fault
      }
    }, SLOT_CHECK_MILLIS)
  }

  obey(message: Exclude<ToDataThread, { kind: 'start' }>, post: (message: FromDataThread) => void): void {
    switch (message.kind) {
      case 'listen':
        post({ kind: 'listening', port: this.listen(message.port) })
        this.prepareSearches()
        break
      case 'prepare':
        post({ kind: 'prepared', number: message.number, problem: this.prepare(message.number, message.network) })
        break
      case 'commit':
        this.networks.commit(message.number)
        this.planners.commit(message.number)
        post({ kind: 'committed', number: message.number })
        break
      case 'discard':
        this.networks.discard(message.number)
        this.planners.discard(message.number)
        break
      case 'live':
        this.networks.replaceLive(message.network, message.live)
        this.planners.replaceLive(message.network, message.live)
        break
      case 'digest_live':
        void this.planners.digestLive().then((planning) => {
          post({ kind: 'live_digested', number: message.number, serving: this.networks.digestLive(), planning })
        })
        break
      case 'reload':
        this.reload(message.reload)
        post({ kind: 'reloaded', number: message.number })
        break
      case 'addresses':
        post({ kind: 'addresses_replaced', number: message.number, problem: this.replaceAddresses(message.addresses) })
        break
      case 'access':
        this.access.apply(message.change)
        this.streams.recheck()
        post({ kind: 'applied', number: message.number })
        break
      case 'fleet':
        this.takeFleetNotice(message.notice)
        break
      case 'turn_away':
      case 'close_idle':
      case 'pause':
      case 'resume':
        this.makeRoom(message, post)
        break
      case 'drain':
      case 'refuse_streams':
      case 'end_streams':
      case 'stop':
        this.leave(message, post)
        break
    }
  }

  /** Handles the messages for an orderly shutdown of the process. */
  private leave(message: LeaveMessage, post: (message: FromDataThread) => void): void {
    switch (message.kind) {
      case 'drain':
        closeConnections(this.app)
        post({ kind: 'ending', streams: this.streams.drain() })
        break
      case 'refuse_streams':
        post({ kind: 'ending', streams: this.streams.close() })
        break
      case 'end_streams':
        this.streams.endAnnounced()
        post({ kind: 'streams_ended' })
        break
      case 'stop':
        this.pause()
        void Promise.all(this.stopping).then(() => {
          this.gathering.flush()
          this.routeReports.report()
          post({ kind: 'stopped' })
        })
        break
    }
  }

  /** Handles messages sent when there are too many connections (control/connection-watch.ts). */
  private makeRoom(message: RoomMessage, post: (message: FromDataThread) => void): void {
    switch (message.kind) {
      case 'turn_away':
        this.addressLimits.crowd.replace(message.connections)
        break
      case 'close_idle':
        this.app.server?.closeIdleConnections()
        break
      case 'pause':
        this.pause()
        post({ kind: 'paused' })
        break
      case 'resume':
        post({ kind: 'listening', port: this.isPaused ? this.listen(message.port) : message.port })
        this.isPaused = false
        break
    }
  }

  /** Stops accepting connections; requests in progress continue. */
  private pause(): void {
    const { server } = this.app
    if (this.isPaused || server === null) return
    this.isPaused = true
    this.stopping.push(server.stop())
  }

  /** Applies new settings; requests in progress use the old settings. */
  private reload({ networks, trustedProxies, log }: ThreadReload): void {
    setLogLevel(log.level)
    this.requestLog.set(log)
    this.addressLimits.trust(trustedProxies)
    this.networks.select(networks)
    this.planners.select(networks)
    this.streams.recheck()
  }

  /** In a cluster: applies a notice about the other replicas. */
  private takeFleetNotice(notice: FleetNotice): void {
    if (notice.kind === 'streams') this.streamSlots.elsewhere = notice.elsewhere
    else if (notice.kind === 'streams_ended') this.elsewhere?.noteEnded()
    else if (notice.kind === 'claimed') this.elsewhere?.answered(notice)
    else this.access.notify?.(notice)
  }

  /** Prepares place searches. If that fails, the first search reports the error. */
  private prepareSearches(): void {
    const { list } = this.networks.views.ready()
    prepareSearches(list).catch((error) => this.log.warn({ error }, 'searches for places could not be prepared'))
  }

  /** Replaces the addresses. If the new addresses cannot be loaded, keeps the old ones and returns the reason. */
  private replaceAddresses(message: AddressesMessage): string | undefined {
    try {
      const addresses = serveAddresses(message)
      this.addresses = addresses
      if (addresses !== undefined) {
        this.networks.views.replaceTowns(addresses)
        this.prepareSearches()
        warmUpBetweenRequests(addresses)
      }
      this.sweeper.sweepSoon() // frees the memory of the old addresses
      return undefined
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }

  private listen(port: number): number {
    const { bind, tls } = this.start
    this.app.listen({
      hostname: bind,
      port,
      reusePort: true,
      idleTimeout: IDLE_SECONDS,
      maxRequestBodySize: BODY_LIMIT_BYTES,
      development: false,
      ...serverTls(tls),
    })
    const opened = this.app.server?.port
    if (opened === undefined) throw new Error(`the API could not listen on ${bind}:${port}`)
    return opened
  }

  /** Prepares a network on this thread and its planner. Returns why it cannot be served, or undefined. */
  private prepare(number: number, message: NetworkMessage): string | undefined {
    const problem = this.networks.prepare(number, message)
    if (problem === undefined) this.planners.prepare(number, message)
    return problem
  }
}
