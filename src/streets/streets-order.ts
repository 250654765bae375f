// From the settings, makes the import orders (what to import) for the streets and for the base map.
import type { Config } from '../config/config.ts'
import type { GroundOrder } from './ground-import.ts'
import type { StreetOrder } from './street-import.ts'

/** The import order for the streets of all networks whose walks are planned on streets. */
export function streetOrder({
  dataDir,
  streets,
  networks,
}: Pick<Config, 'dataDir' | 'streets' | 'networks'>): StreetOrder {
  return {
    dataDir,
    sources: streets.map(({ source }) => source),
    networks: networks
      .filter((network) => network.streets)
      .map(({ id, journeys }) => ({ id, transferWalkMeters: journeys.transferWalkMeters })),
  }
}

/** The import order for the base map; undefined if no base map is configured. */
export function groundOrder({
  dataDir,
  streets,
  ground,
}: Pick<Config, 'dataDir' | 'streets' | 'ground'>): GroundOrder | undefined {
  if (ground === undefined || streets.length === 0) return undefined
  const credits = new Set(streets.map(({ attribution }) => attribution).filter((credit) => credit !== ''))
  return {
    dataDir,
    sources: streets.map(({ source }) => source),
    hasBuildings: ground.hasBuildings,
    attribution: [...credits].join(', '),
  }
}
