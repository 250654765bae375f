// A network's live state, as in a data thread, with the alerts of one feed and nothing else.
import { AlertReader } from '../../../indexes/live/alert-reader.ts'
import type { AlertReport } from '../../../loaders/gtfs-rt/message.ts'
import type { Network, NetworkLive } from '../../../src/networks/network.ts'

/** When a feed published its alerts, in milliseconds since 1970, and the age at which they are dropped. */
export interface PublishedAt {
  readonly atMillis: number
  readonly maxAgeMillis?: number
}

/** The live state after a feed with the id `alerts` has published these alerts. */
export function publishedAlerts(network: Network, alerts: readonly AlertReport[], reported: PublishedAt): NetworkLive {
  if (network.current === undefined) throw new Error('the network has no snapshot')
  const { id: snapshotId, timetable } = network.current
  const { atMillis, maxAgeMillis = 300_000 } = reported
  const reader = new AlertReader({ snapshotId, timetable })
  return {
    feeds: [
      {
        id: 'alerts',
        fetchedAtMillis: atMillis,
        timestampMillis: atMillis,
        freshMillis: 90_000,
        maxAgeMillis,
        carries: { trips: false, vehicles: false, alerts: true },
        matchRate: undefined,
        lastError: undefined,
        budget: undefined,
      },
    ],
    capabilities: { trips: false, alerts: true, vehicles: 'none' },
    overlay: undefined,
    alerts: reader.read([{ id: 'alerts', alerts }], atMillis / 1000).alerts,
  }
}
