// Networks on the control thread: source, served snapshot, and health.
import type { LastError, NetworkSettings } from '../networks/network.ts'
import type { IdentifiedSnapshot } from '../networks/network-messages.ts'
import type { LoadedSnapshot } from '../networks/snapshot-store.ts'
import type { FeedOrder } from '../sources/feed-sources.ts'
import type { ImportOutcome } from './import-runner.ts'
import { serviceSpan } from './service-span.ts'

const DAY_SECONDS = 86_400

/** A network and its sources. */
export interface ControlledNetwork {
  readonly settings: NetworkSettings
  readonly feeds: readonly FeedOrder[]
  /** Overrides the time zone of the feeds. */
  readonly timezone: string | undefined
  /** Paths and URLs of the network's feeds. */
  readonly sources: readonly string[]
  readonly refreshSeconds: number | undefined
}

/** The served snapshot of a network. */
export interface Served {
  readonly path: string
  /** When the network began to serve the snapshot, in service time (Unix milliseconds). */
  readonly takenAtMillis: number
  readonly message: IdentifiedSnapshot
  readonly loaded: LoadedSnapshot
}

/** Health of a network, for metrics. */
export interface NetworkState {
  readonly id: string
  /** The served snapshot; undefined if there is none. */
  readonly snapshot:
    | {
        readonly madeAtMillis: number
        /** Start (UTC) of the day after the last day with service, in Unix seconds; undefined if no day has service. */
        readonly serviceEndSeconds: number | undefined
      }
    | undefined
  readonly isFailing: boolean
  /** Duration of the last import that made a snapshot. */
  readonly importSeconds: number | undefined
  readonly imports: ImportCounts
}

/** A network on the operator's pages. */
export interface NetworkInside extends NetworkState {
  readonly settings: NetworkSettings
  /** Paths and URLs of the network's feeds; they may contain secrets. */
  readonly sources: readonly string[]
  readonly served: Served | undefined
  readonly lastError: LastError | undefined
  /** Whether an import of the network is waiting for other imports to end. */
  readonly isQueued: boolean
}

/** Imports since start, by outcome. */
export type ImportCounts = Readonly<Record<ImportOutcome['kind'], number>>

/** The control thread's data about a network. `toState` derives the network's health from it. */
export interface KnownNetwork {
  readonly network: ControlledNetwork
  readonly served: Served | undefined
  /** Whether the network's first snapshot is being sent to the data threads. */
  readonly isComing: boolean
  readonly lastError: LastError | undefined
  /** Duration of the last import that made a snapshot. */
  readonly importSeconds: number | undefined
  readonly imports: ImportCounts
}

/** Makes the health of a network for metrics. */
export function toState({
  network: { settings },
  served,
  isComing,
  lastError,
  importSeconds,
  imports,
}: KnownNetwork): NetworkState {
  return {
    id: settings.id,
    snapshot: served === undefined || isComing ? undefined : describeServed(served),
    isFailing: lastError !== undefined,
    importSeconds,
    imports,
  }
}

function describeServed({ loaded }: Served): NetworkState['snapshot'] {
  const { refreshedAtMillis, timetable } = loaded.snapshot
  const span = serviceSpan(timetable)
  return { madeAtMillis: refreshedAtMillis, serviceEndSeconds: span && (span.last + 1) * DAY_SECONDS }
}
