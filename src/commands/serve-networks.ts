// Opens the networks of a running service, their live feeds and streets, and the addresses. Also opens the relay,
// through which the data threads receive changed networks and new live data.
import type { Config } from '../config/config.ts'
import type { DataThreads } from '../control/data-threads.ts'
import { ThreadRelay } from '../control/thread-relay.ts'
import { NetworksControl } from '../imports/networks-control.ts'
import type { SnapshotExchange } from '../networks/snapshot-exchange.ts'
import { AddressesControl } from '../places/addresses-control.ts'
import { LiveFeeds } from '../realtime/live-feeds.ts'
import { StreetsControl } from '../streets/streets-control.ts'
import { type ClockStart, startClock } from '../system/clock.ts'
import { toControlled } from './serve-reload.ts'

/** Opens the networks, their live feeds and streets, the addresses, and the relay to the data threads. */
export function openFeeds(
  config: Config,
  parts: {
    readonly threads: DataThreads
    readonly clock: ClockStart
    readonly log: (line: string) => void
    readonly welcome: (line: string) => void
    readonly onLiveFailure: (error: Error) => void
    readonly exchange: SnapshotExchange | undefined
  },
) {
  const { threads, clock, log, welcome, onLiveFailure, exchange } = parts
  const live = new LiveFeeds(config.networks, {
    onLive: (network, packed) => relay.replaceLive(network, packed),
    onFailure: onLiveFailure,
    onProblem: log,
  })
  const relay = new ThreadRelay(threads, live)
  const addresses = new AddressesControl({
    config,
    clock: startClock(clock),
    onChange: (message) => threads.replaceAddresses(message),
    log,
    welcome,
    exchange,
  })
  return { live, relay, addresses, ...openNetworks(config, { clock, log, relay, exchange }) }
}

/** Opens the networks, and the street maps on which walks are planned. */
function openNetworks(
  config: Config,
  {
    clock,
    log,
    relay,
    exchange,
  }: {
    readonly clock: ClockStart
    readonly log: (line: string) => void
    readonly relay: ThreadRelay
    readonly exchange: SnapshotExchange | undefined
  },
): { readonly networks: NetworksControl; readonly streets: StreetsControl } {
  const common = { clock: startClock(clock), log }
  const streets = new StreetsControl({ ...common, config, exchange, onChange: () => networks.announceAll() })
  const networks = new NetworksControl({
    ...common,
    dataDir: config.dataDir,
    hasAddresses: config.addresses.length > 0,
    networks: config.networks.map(toControlled),
    onChange: (message) => relay.replaceNetwork(message),
    membersOf: (network, served) => streets.membersOf({ network, snapshot: served?.loaded.snapshot.id }),
    onServed: () => void streets.refresh(),
    exchange,
  })
  return { networks, streets }
}
