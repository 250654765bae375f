// The networks as the control thread knows them: where each comes from, what it serves, how it fares.
import type { LastError, NetworkSettings } from '../networks/network.ts'
import type { SnapshotMessage } from '../networks/network-messages.ts'
import type { LoadedSnapshot } from '../networks/snapshot-store.ts'
import type { FeedOrder } from '../sources/feed-sources.ts'
import type { ImportOutcome } from './import-runner.ts'
import { serviceSpan } from './service-span.ts'

const DAY_SECONDS = 86_400

/** A network and where its data comes from. */
export interface ControlledNetwork {
  readonly settings: NetworkSettings
  readonly feeds: readonly FeedOrder[]
  /** Replaces the time zone of the feeds. */
  readonly timezone: string | undefined
  /** Paths and addresses of its feeds. */
  readonly sources: readonly string[]
  readonly refreshSeconds: number | undefined
}

/** What a network serves. */
export interface Served {
  readonly path: string
  /** When it was taken, in service time; milliseconds after 1970. */
  readonly takenAtMillis: number
  readonly message: SnapshotMessage
  readonly loaded: LoadedSnapshot
}

/** How a network fares, for metrics. */
export interface NetworkState {
  readonly id: string
  /** What serves; undefined where nothing does. */
  readonly snapshot:
    | {
        readonly madeAtMillis: number
        /** Start (UTC) of the day behind the last with service, in seconds after 1970; undefined without any. */
        readonly serviceEndSeconds: number | undefined
      }
    | undefined
  readonly isFailing: boolean
  /** What the last import took that made a snapshot. */
  readonly importSeconds: number | undefined
  readonly imports: ImportCounts
}

/** A network as an operator looks at it. */
export interface NetworkInside extends NetworkState {
  readonly settings: NetworkSettings
  /** Paths and addresses of its feeds; they may hold secrets. */
  readonly sources: readonly string[]
  readonly served: Served | undefined
  readonly lastError: LastError | undefined
  /** An import waits for its turn. */
  readonly isQueued: boolean
}

/** Imports since the start, by what they came to. */
export type ImportCounts = Readonly<Record<ImportOutcome['kind'], number>>

/** What is known of a network. */
export interface KnownNetwork {
  readonly network: ControlledNetwork
  readonly served: Served | undefined
  /** It is on its way to the data threads, and nothing was served before. */
  readonly isComing: boolean
  readonly lastError: LastError | undefined
  /** What the last import took that made a snapshot. */
  readonly importSeconds: number | undefined
  readonly imports: ImportCounts
}

/** How a network fares. */
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
