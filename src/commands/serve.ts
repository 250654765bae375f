// `quai serve`: the control thread of a running service. Locks the data directory, loads the networks, starts the data
// threads, opens the ports, and shuts everything down in order.

import { startAddressLimits } from '../access/address-limits.ts'
import { describeForwarder, UntrustedForwarders } from '../access/untrusted-forwarders.ts'
import type { AccountListener } from '../account-api/account-listener.ts'
import type { AccountsService } from '../accounts/accounts-service.ts'
import { type AccountsOptions, openAccounts } from '../accounts/open-accounts.ts'
import { type Config, isReplicaConfig } from '../config/config.ts'
import { configWarnings } from '../config/config-document.ts'
import type { openAdmin } from '../control/admin.ts'
import { ConnectionWatch } from '../control/connection-watch.ts'
import { listenControl } from '../control/control-socket.ts'
import { DataThreads } from '../control/data-threads.ts'
import { type ExplorerListener, openExplorerListener, originsWith } from '../explorer/explorer-listener.ts'
import type { NetworksControl } from '../imports/networks-control.ts'
import { allocateCounts } from '../metrics/count-memory.ts'
import { SHARED_KINDS, type SnapshotExchange } from '../networks/snapshot-exchange.ts'
import type { AddressesControl } from '../places/addresses-control.ts'
import type { AddressesMessage } from '../places/served-addresses.ts'
import type { LiveFeeds } from '../realtime/live-feeds.ts'
import type { DataThreadStart, StreamsStart } from '../server/thread-messages.ts'
import {
  type EndedStream,
  FreeReconnects,
  reconnectsOf,
  saveEndedStreams,
  takeEndedStreams,
} from '../streams/free-reconnects.ts'
import { allocateStreamSlots, StreamSlots } from '../streams/stream-slots.ts'
import type { StreetsControl } from '../streets/streets-control.ts'
import { type ClockStart, TRUE_CLOCK } from '../system/clock.ts'
import { setLogLevel } from '../system/log.ts'
import { ensureOwnPort } from '../system/ports.ts'
import { VERSION } from '../system/version.ts'
import type { CommandIo } from './command-io.ts'
import { toPrintable } from './printable.ts'
import { openAdminPort, type Stage } from './serve-admin.ts'
import { openFeeds } from './serve-networks.ts'
import { type ReloadParts, ServeReload, threadLog } from './serve-reload.ts'
import { takeSignals } from './serve-signals.ts'

/** Maximum number of bytes of rendered text that all data threads together keep in memory. */
const TEXT_CACHE_BYTES = 64 * 1024 * 1024

/** Options of `serve` besides the configuration. */
export interface ServeOptions {
  readonly clock: ClockStart
  /** Reads the configuration again on SIGHUP. If absent, SIGHUP ends the process, as expected in a terminal. */
  readonly reload?: Pick<ReloadParts, 'loaded' | 'read'>
  /** Whether to leave out the addresses of the pages, because `onReady` prints them. */
  readonly isQuiet?: boolean
  /** Whether to replace a missing, empty or damaged account database. */
  readonly isNewStore?: boolean
  /** Called when the ports are open. */
  readonly onReady?: (opened: OpenService) => void | Promise<void>
}

/** A service with open ports. */
export interface OpenService {
  /** Port of the data API. */
  readonly port: number
  /** Port of the operator pages. */
  readonly adminPort: number | undefined
  readonly account: AccountListener
  readonly explorer: ExplorerListener
}

/** Runs until SIGTERM or SIGINT; returns the exit status. */
export async function runServe(config: Config, options: ServeOptions, io: CommandIo): Promise<number> {
  const { clock, isNewStore = false } = options
  const { log, welcome } = openOutput(options, io)
  setLogLevel(config.log.level)
  for (const warning of configWarnings(config)) log(warning)
  const ended = Promise.withResolvers<number>()
  const failed = (which: string) => (error: Error) => {
    log(`${which} failed: ${error.message}`)
    ended.resolve(1)
  }
  const [streams, counts] = [openStreams(config), allocateCounts(config.workers)]
  const forwarders = new UntrustedForwarders((one) => log(describeForwarder(one)))
  const threads = wakeThreads(config, { streams, log, forwarders, failed, accounts: () => accounts })
  const onLost = failed('keeping the data directory lock')
  const accounts = await openConfigured(config, { onProblem: log, onLost, isNewStore, ended })
  const exchange = accounts.fleet?.snapshots
  const parts = { threads, clock, log, welcome, onLiveFailure: failed('the live thread'), exchange }
  const { live, relay, networks, streets, addresses } = openFeeds(config, parts)
  // Commands are answered even while networks are still being imported.
  accounts.subscribe((change) => relay.changeAccess(change))
  const control = openControl(config, accounts, networks)
  const stage: Stage = { isStarted: false, isReady: false, isDraining: false, config }
  const imports = { networks, streets, live }
  const running = { config, accounts, ...imports, threads, ended, stage, streams, counts, clock, forwarders }
  let [admin, account, explorer]: [ReturnType<typeof openAdmin>?, AccountListener?, ExplorerListener?] = []
  try {
    ensureOwnPort(config.bind, config.port)
    admin = openAdminPort(config, running)
    await openImported(exchange, { config, networks, streets, addresses })
    const imported = importMissing(networks, { log, ended })
    await live.start({ dataDir: config.dataDir, clock, logLevel: config.log.level, fleet: accounts.fleet?.live })
    explorer = openExplorerListener(config, () => streets.ground.path)
    const corsOrigins = originsWith(config, explorer)
    const starts = await listStarts(config, { ...running, addresses: addresses.present(), corsOrigins, explorer })
    const opening = openAccountPort(config, accounts, { explorer, io, log, welcome, forwarders })
    ;[account] = await Promise.all([opening, threads.start(starts)])
    await relay.open(() => networks.messages())
    exchange?.connect({ timetable: networks, streets, addresses })
    void Promise.all([addresses.refresh(), streets.watch(imported)])
    const watch = new ConnectionWatch(config, { listeners: [threads, account, explorer], log })
    // From here on, signals are handled. An earlier signal ends the process at once; no API request can be lost yet.
    const reload = options.reload && new ServeReload({ ...options.reload, ...running, account, watch, log, stage })
    takeSignals({ ended, stage }, reload)
    await serveWithOthers(accounts, { threads, streams, live }, ended)
    const port = await threads.listen(config.port)
    watch.start([port, account.port, explorer.port])
    welcome(`the explorer is at ${explorer.show(port)}`)
    accounts.startFlushing()
    const served = `${networks.servedCount} of ${networks.count} networks`
    welcome(`Quai ${VERSION}: serving ${served} on http://${config.bind}:${port}/v1`)
    const opened: OpenService = { port, adminPort: admin?.port, account, explorer }
    return await runUntilEnded({ ...running, account, explorer, watch, log, onReady: () => options.onReady?.(opened) })
  } finally {
    for (const part of [networks, streets, live]) part.close()
    await Promise.all([explorer?.close(), account?.close()])
    await control.close()
    await admin?.stop(true)
    await accounts.close()
  }
}

/** The service's output on stderr: problems and, unless `isQuiet`, the addresses of the service's pages. */
function openOutput({ isQuiet = false }: ServeOptions, io: CommandIo) {
  const log = (line: string) => io.stderr(`quai: ${toPrintable(line)}\n`)
  return { log, welcome: isQuiet ? () => {} : log }
}

/** Opens the accounts of a single service or of a replica. The code for replicas is loaded only in a cluster. */
async function openConfigured(
  config: Config,
  { ended, ...options }: AccountsOptions & { readonly ended: PromiseWithResolvers<number> },
): Promise<AccountsService> {
  if (config.cluster === undefined) return await openAccounts(config, options)
  const { openReplica } = await import('../cluster/open-replica.ts')
  if (!isReplicaConfig(config)) throw new Error('the configuration has [cluster], but no database_url')
  const onEnded = (why: string) => {
    options.onProblem(`this replica was removed from the cluster (${why}); exiting; start it again to rejoin`)
    ended.resolve(1)
  }
  return await openReplica(config, { ...options, onEnded })
}

/** In a cluster: connects the data threads to the other replicas, and starts serving. */
async function serveWithOthers(
  { fleet }: AccountsService,
  {
    threads,
    streams,
    live,
  }: { readonly threads: DataThreads; readonly streams: StreamsStart; readonly live: LiveFeeds },
  ended: PromiseWithResolvers<number>,
): Promise<void> {
  const slots = new StreamSlots(streams.slots)
  fleet?.connect({
    notify: (notice, ordinal) => threads.notifyThreads(notice, ordinal),
    heldStreams: () => slots.countHeld(),
    liveFigures: () => live.fleetFigures,
  })
  await Promise.race([fleet?.serve(), ended.promise]) // `serve` waits while the database is unavailable
}

/**
 * At startup, imports networks that have no snapshot. If networks are configured but none can be served afterwards, the
 * process ends.
 */
async function importMissing(
  networks: NetworksControl,
  parts: { readonly log: (line: string) => void; readonly ended: PromiseWithResolvers<number> },
): Promise<void> {
  // A network that was served before the import counts as served, even if its snapshot later proves to be damaged.
  const servedAtStart = networks.servedCount
  try {
    await networks.importMissing()
  } catch (error) {
    parts.ended.reject(error)
    return
  }
  if (networks.count === 0 || servedAtStart + networks.servedCount > 0) return
  parts.log('none of the configured networks can be served')
  parts.ended.resolve(1)
}

/**
 * Opens the networks that can be served without an import. In a cluster, first copies the available shared files to the
 * data directory.
 */
async function openImported(
  exchange: SnapshotExchange | undefined,
  parts: {
    readonly config: Config
    readonly networks: NetworksControl
    readonly streets: StreetsControl
    readonly addresses: AddressesControl
  },
): Promise<void> {
  const { config, networks, streets, addresses } = parts
  const timetables = config.networks.map(({ id }) => id)
  const names = { timetable: timetables, addresses: addresses.sharedNames, streets: streets.sharedNames }
  await Promise.all(SHARED_KINDS.map((kind) => exchange?.begin(kind, names[kind])))
  streets.open()
  networks.open()
}

/** Starts the data threads. Called before the accounts are open, to save time. */
function wakeThreads(
  config: Config,
  parts: {
    readonly streams: StreamsStart
    readonly forwarders: UntrustedForwarders
    readonly log: (line: string) => void
    readonly failed: (which: string) => (error: Error) => void
    readonly accounts: () => AccountsService
  },
): DataThreads {
  const { streams, log, failed, accounts, forwarders } = parts
  return DataThreads.wake(config.workers, {
    onFailure: failed('a data thread'),
    onDeath: (ordinal, error) => {
      log(`data thread ${ordinal} crashed: ${error.message}; restarting it`)
      new StreamSlots(streams.slots).releaseOf(ordinal)
      accounts().giveBack(ordinal)
    },
    onWait: (ordinal, error) => log(`data thread ${ordinal} is waiting for accounts and keys: ${error.message}`),
    onForwarder: (one) => forwarders.note(one),
    onRoutes: (report) => accounts().routes.add(report),
    onFleetRequest: (request, ordinal) => accounts().fleet?.answer(request, ordinal),
    openAccess: () => accounts().start(),
  })
}

/** Answers commands from other processes. */
function openControl(config: Config, accounts: AccountsService, networks: NetworksControl) {
  return listenControl(config.dataDir, {
    ...accounts.operations,
    refreshNetwork: async ({ network }) => {
      const problem = await networks.refresh(network)
      return problem === undefined ? {} : { problem }
    },
  })
}

/** Loads the account API, opens its port and prints the console's address. Meanwhile, the data threads start. */
async function openAccountPort(
  config: Config,
  accounts: AccountsService,
  parts: {
    readonly explorer: ExplorerListener
    readonly io: CommandIo
    readonly log: (line: string) => void
    readonly welcome: (line: string) => void
    readonly forwarders: UntrustedForwarders
  },
): Promise<AccountListener> {
  const { explorer, io, log, welcome, forwarders } = parts
  const { openAccountListener } = await import('../account-api/account-listener.ts')
  const opened = openAccountListener({ ...config, explorerUrl: explorer.url }, accounts, {
    print: (text) => io.stderr(text.split('\n').map(toPrintable).join('\n')),
    onProblem: log,
    onUntrusted: (one) => forwarders.note(one),
  })
  if (config.mail === undefined) welcome('no mail server is configured ([mail]); emails are printed here')
  welcome(`the console is at ${opened.api.addresses.consoleUrl}/console`)
  return opened
}

/** The initial state of each data thread. */
async function listStarts(
  config: Config,
  parts: {
    readonly accounts: AccountsService
    readonly networks: NetworksControl
    readonly live: LiveFeeds
    readonly streams: StreamsStart
    readonly counts: SharedArrayBuffer
    readonly addresses: AddressesMessage | undefined
    readonly corsOrigins: readonly string[]
    readonly explorer: ExplorerListener
    readonly clock: ClockStart
  },
): Promise<DataThreadStart[]> {
  const access = await parts.accounts.start()
  const networks = await Promise.all(parts.networks.messages().map((message) => parts.live.add(message)))
  const addressLimits = startAddressLimits(config.trustedProxies)
  return Array.from({ length: config.workers }, (_, ordinal) => ({
    ordinal,
    threads: config.workers,
    access,
    addressLimits,
    bind: config.bind,
    tls: config.tls,
    baseUrl: config.baseUrl,
    corsOrigins: parts.corsOrigins,
    pages: { consoleUrl: `${config.accountConsoleUrl}/console`, explorerUrl: parts.explorer.url },
    textCacheBytes: Math.floor(TEXT_CACHE_BYTES / config.workers),
    clock: parts.clock,
    log: threadLog(config),
    networks,
    streams: parts.streams,
    counts: parts.counts,
    addresses: parts.addresses,
  }))
}

/**
 * The initial state of all streams, in memory that all threads share. No stream is open yet. Clients of an earlier
 * process may reopen their streams at no cost.
 */
function openStreams({ dataDir }: Config): StreamsStart {
  return {
    slots: allocateStreamSlots(),
    reconnects: reconnectsOf(takeEndedStreams(dataDir, TRUE_CLOCK.nowMillis())),
  }
}

/** Marks the service as ready, waits until `ended` resolves, and drains the service. Returns the exit status. */
async function runUntilEnded(running: {
  readonly config: Config
  readonly accounts: AccountsService
  readonly stage: Stage
  readonly networks: NetworksControl
  readonly live: LiveFeeds
  readonly threads: DataThreads
  readonly streams: StreamsStart
  readonly account: AccountListener
  readonly explorer: ExplorerListener
  readonly watch: ConnectionWatch
  readonly ended: PromiseWithResolvers<number>
  readonly log: (line: string) => void
  readonly onReady: () => void | Promise<void>
}): Promise<number> {
  const { config, stage, networks, threads, account, explorer, ended } = running
  stage.isReady = true
  networks.watch()
  await running.onReady()
  networks.verifyAll().catch((error: unknown) => ended.reject(error))
  const status = await ended.promise
  stage.isReady = false
  running.watch.close()
  await running.live.leave()
  const endedStreams: EndedStream[] = []
  const { fleet } = running.accounts
  /**
   * In a cluster, ended streams are stored in the database, so that clients can reopen them on any replica at no cost.
   * Streams that the database did not store are saved for the next start of this process.
   */
  const announce = async (streams: readonly EndedStream[]) => {
    if ((await fleet?.endStreams(streams)) !== true) endedStreams.push(...streams)
  }
  if (stage.isDraining) {
    // While the service drains, `/readyz` fails, so load balancers send clients to other replicas. Open connections close
    // after their next response.
    account.closeConnections()
    explorer.closeConnections()
    await threads.closeConnections(announce)
    await Bun.sleep(stage.config.drainSeconds * 1000)
  }
  await threads.drain(announce)
  const unused = new FreeReconnects(running.streams.reconnects).listUnused(TRUE_CLOCK.nowMillis())
  saveEndedStreams(config.dataDir, [...unused, ...endedStreams], running.log)
  return status
}
