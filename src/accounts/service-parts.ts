// Dependencies of the accounts service.
import type { Config } from '../config/config.ts'
import type { Pepper } from '../keys/pepper.ts'
import type { PastUsage } from '../metering/live-usage.ts'
import type { RecoveredSegment } from '../metering/segment-recovery.ts'
import type { Clock } from '../system/clock.ts'
import type { DataDirLock } from '../system/data-dir-lock.ts'
import type { AccountStore } from './account-store.ts'
import type { Fleet } from './fleet.ts'
import type { RevocationFile } from './revocation-file.ts'

/** Dependencies of AccountsService. */
export interface ServiceParts {
  readonly config: Config
  readonly lock: Pick<DataDirLock, 'release'>
  readonly revocations: RevocationFile
  readonly store: AccountStore
  readonly clock: Clock
  readonly peppers: readonly Pepper[]
  readonly folder: string
  readonly segments: readonly RecoveredSegment[]
  readonly past: readonly PastUsage[]
  readonly steady: (() => number) | undefined
  /** The other replicas; undefined in a single service. */
  readonly fleet?: Fleet | undefined
  onProblem(message: string): void
}
