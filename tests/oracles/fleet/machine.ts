// The machines in cluster histories, each with a disk and a process.
import type { SimulatedReplica } from './simulated-replica.ts'

/** In histories, these three times are a few seconds long. In the service, they are minutes or hours. */
export const LEASE_SECONDS = 4
export const LOST_MILLIS = 10_000
export const RING_AGE_MILLIS = 8_000
/**
 * An account's outage share: the units that it may use beyond its grants during outages, once per month and data
 * directory.
 */
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
  /** By cell: the outage units that are already booked. */
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
