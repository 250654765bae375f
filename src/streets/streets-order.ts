// The order for an import of streets, from the settings.
import type { Config } from '../config/config.ts'
import type { StreetOrder } from './street-import.ts'

/** Everything that walks on streets. */
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
