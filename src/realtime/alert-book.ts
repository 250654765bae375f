// Stores when each alert of each network was first seen. The times survive a restart, so that `updated_at` does not
// depend on when the process started.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { FirstSightings } from '../../indexes/live/alert-memory.ts'
import { KeptFile } from '../system/kept-file.ts'

/** The first sightings of all networks' alerts, stored in one file in the data directory. */
export class AlertBook {
  private readonly file: KeptFile<Record<string, FirstSightings>>
  private readonly networks: Record<string, FirstSightings>

  /** @param onProblem called if the file cannot be written; the write is retried later */
  constructor(dataDir: string, onProblem: (message: string) => void) {
    mkdirSync(dataDir, { recursive: true })
    this.file = new KeptFile(join(dataDir, 'seen-alerts.json'), onProblem)
    this.networks = this.file.read() ?? {}
  }

  /** The first sightings of a network's alerts; empty if there are none. */
  of(network: string): FirstSightings {
    return this.networks[network] ?? {}
  }

  /** Stores the first sightings of a network's alerts. */
  keep(network: string, sightings: FirstSightings): void {
    this.networks[network] = sightings
    this.file.keep(this.networks)
  }
}
