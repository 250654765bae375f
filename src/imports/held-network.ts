// The state of a network on the control thread: the served snapshot, the step in progress, and the last failure.
import { existsSync } from 'node:fs'
import type { LastError } from '../networks/network.ts'
import { Rerun } from '../system/rerun.ts'
import type { ImportOutcome } from './import-runner.ts'
import type { ControlledNetwork, Served } from './network-states.ts'
import type { SourceWatch } from './source-watch.ts'

/** Delay before the first retry of a failed import; doubled after each further failure. */
export const RETRY_SHORTEST_MILLIS = 30_000

/** The state of a network. */
export interface Held {
  network: ControlledNetwork
  watch: SourceWatch | undefined
  /** Whether the network was removed from the configuration. If so, its pending imports are abandoned. */
  isGone: boolean
  served: Served | undefined
  lastError: LastError | undefined
  /** Stamp of the local feeds at the last import attempt. */
  importedStamp: string
  readonly importing: Rerun
  /** Whether the network's first snapshot is being sent to the data threads. */
  isComing: boolean
  retryMillis: number
  retryTimer: ReturnType<typeof setTimeout> | undefined
  verifyTimer: ReturnType<typeof setTimeout> | undefined
  importSeconds: number | undefined
  readonly imports: Record<ImportOutcome['kind'], number>
}

/** The initial state of a network, before its snapshots are looked up. @param run imports the network */
export function holdNetwork(network: ControlledNetwork, run: (held: Held, begin: () => void) => Promise<void>): Held {
  const held: Held = {
    network,
    watch: undefined,
    isGone: false,
    served: undefined,
    lastError: undefined,
    importedStamp: '',
    importing: new Rerun((begin) => run(held, begin)),
    isComing: false,
    retryMillis: RETRY_SHORTEST_MILLIS,
    retryTimer: undefined,
    verifyTimer: undefined,
    importSeconds: undefined,
    imports: { imported: 0, up_to_date: 0, failed: 0 },
  }
  return held
}

/**
 * The stamp of the feeds in the served snapshot. Undefined if the snapshot is no longer on disk, or if the network has
 * an error.
 */
export function servedStamp({ served, lastError }: Held): string | undefined {
  if (served === undefined || lastError !== undefined || !existsSync(served.path)) return undefined
  return served.loaded.making.inputStamp
}
