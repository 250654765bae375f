// The machines of cluster histories, each with a disk and a process.
import type { SimulatedReplica } from './simulated-replica.ts'

/** These three times are some seconds long. In the service, they are minutes or hours. */
export const LEASE_SECONDS = 4
export const LOST_MILLIS = 10_000
export const RING_AGE_MILLIS = 8_000
/** Units that an account may use in an outage, at most once per month. */
export const OUTAGE_UNITS = 7

/** A slot file: units by cell (account × 2 + month). */
export interface DiskSegment {
  readonly writerId: string
  readonly owner: string
  readonly units: number[]
  isMerged: boolean
}

/** A data directory. */
export interface Disk {
  segments: DiskSegment[]
  /** Outage units by cell. */
  booked: number[]
}

/** A machine. */
export interface Node {
  readonly name: string
  disk: Disk
  process: SimulatedReplica | undefined
  isCut: boolean
  restartAt: number
  /** The disk at the last sync: what remains after a power loss. */
  saved: Disk | undefined
}
