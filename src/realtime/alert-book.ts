// First sightings of each network's alerts, kept across restarts, so that `updated_at` does not depend on process
// starts.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { FirstSightings } from '../../indexes/live/alert-memory.ts'
import { readJsonFile, writeFileWhole } from '../system/whole-file.ts'

/** The alerts of all networks, in one file of the data directory. */
export class AlertBook {
  private readonly path: string
  private readonly networks: Record<string, FirstSightings>

  constructor(dataDir: string) {
    mkdirSync(dataDir, { recursive: true })
    this.path = join(dataDir, 'seen-alerts.json')
    this.networks = readJsonFile(this.path) ?? {}
  }

  /** The first sightings of a network's alerts. */
  of(network: string): FirstSightings {
    return this.networks[network] ?? {}
  }

  /** Stores the first sightings of a network's alerts. */
  keep(network: string, sightings: FirstSightings): void {
    this.networks[network] = sightings
    writeFileWhole(this.path, JSON.stringify(this.networks))
  }
}
