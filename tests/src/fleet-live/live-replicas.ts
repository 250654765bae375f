// The live threads of several replicas in one process, with one database and without the rest of the service. There are
// no data threads: the test receives the messages of the live threads.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openOverlay } from '../../../indexes/live/build-overlay.ts'
import { buildTimetable } from '../../../indexes/timetable/build-timetable.ts'
import { loadFeed } from '../../../loaders/gtfs/load-feed.ts'
import { openPostgresStore } from '../../../src/accounts/postgres-account-store.ts'
import { FleetNetworks } from '../../../src/fleet-live/fleet-networks.ts'
import { digestOf, OPENED, type OpenedLive, takeLive } from '../../../src/networks/live-state.ts'
import type { Snapshot } from '../../../src/networks/network.ts'
import type { PackedLive } from '../../../src/networks/network-messages.ts'
import { layoutSnapshot, snapshotBytes, writeSnapshot } from '../../../src/networks/snapshot-store.ts'
import type { FromLiveThread, LiveNetworkOrder } from '../../../src/realtime/live-messages.ts'
import { FaultyLink } from '../../databases/faulty-link.ts'
import type { OwnPostgres } from '../../databases/own-postgres.ts'
import { SMALL_FEED, textFeed } from '../../feeds/text-feed.ts'

/** The network that all replicas serve. */
export const NETWORK = 'ville'
export const CLOCK = '2026-06-10T06:00:00Z,x0'

/** The live thread of one replica, and what it reported. */
export class LiveReplica {
  readonly link: FaultyLink
  readonly networks: FleetNetworks
  live: OpenedLive | undefined
  isPoller = false
  lagSeconds: number | undefined
  readonly problems: string[] = []
  failure: string | undefined
  private readonly folder = mkdtempSync(join(tmpdir(), 'quai-live-replica-'))

  /** The replica `r2` connects without prepared statements, as if through pgbouncer. */
  constructor(
    id: string,
    database: OwnPostgres,
    { order, memoryMillis }: { readonly order: LiveNetworkOrder; readonly memoryMillis?: number },
  ) {
    this.link = new FaultyLink({ hostname: '127.0.0.1', port: database.primary.port })
    this.networks = new FleetNetworks(
      {
        dataDir: this.folder,
        clock: { setting: CLOCK, readAtMillis: Date.now() },
        networks: [order],
        logLevel: 'silent',
        fleet: { replica: id, databaseUrl: this.link.addressOf(database.url()), hasPreparedStatements: id !== 'r2' },
      },
      (message) => this.take(message),
      memoryMillis,
    )
  }

  async serve(snapshot: Snapshot): Promise<void> {
    const live = await this.networks.prepare(NETWORK, () => snapshot)
    if (live !== undefined) this.merge(live)
  }

  /** A digest of all live data that responses use. */
  get digest(): string {
    const { live } = this
    if (live === undefined) return ''
    return digestOfLive(live)
  }

  async remove(): Promise<void> {
    await this.networks.close()
    this.link.stop()
    rmSync(this.folder, { recursive: true, force: true })
  }

  private take(message: FromLiveThread): void {
    if (message.kind === 'live') this.merge(message.live)
    else if (message.kind === 'problem') this.problems.push(message.message)
    else if (message.kind === 'failed') this.failure = message.message
    else if (message.kind === 'fleet') {
      this.isPoller = message.figures.isPoller
      this.lagSeconds = message.figures.lagSeconds
    }
  }

  private merge(live: PackedLive): void {
    this.live = takeLive(this.live, live, { ...OPENED, overlay: openOverlay })
  }
}

/** A snapshot of the small feed. */
export async function smallSnapshot(): Promise<Snapshot> {
  const dataDir = mkdtempSync(join(tmpdir(), 'quai-live-snapshot-'))
  const { feed } = await loadFeed(textFeed(SMALL_FEED))
  const making = { network: NETWORK, refreshedAtMillis: 0, sourceStamp: '', feedHash: 'small000' }
  const { path } = writeSnapshot({ dataDir, making, timetable: buildTimetable(feed) }, () => {})
  const { snapshot } = layoutSnapshot(snapshotBytes(path))
  rmSync(dataDir, { recursive: true })
  return snapshot
}

/** Creates the tables, and a row for each of these replicas so that it may take roles. */
export async function prepareDatabase(database: OwnPostgres, ids: readonly string[]): Promise<void> {
  const store = await openPostgresStore(database.url(), { use: { isShared: true, isPooled: false } })
  await store.close()
  for (const id of ids) {
    await database.query(
      `INSERT INTO quai.replicas (id, name, folder, about, state, beat, told_life)
       VALUES ('${id}', '${id}', '', '{}', 'serving', 0, '')`,
    )
  }
}

/** A digest of all live data that responses use. Versions are left out, since each process numbers them itself. */
export function digestOfLive({ overlay, vehicles, ...live }: OpenedLive): string {
  return digestOf({
    ...live,
    overlay: overlay && { ...overlay, meta: { ...overlay.meta, version: 0 } },
    vehicles: vehicles && { ...vehicles, meta: { ...vehicles.meta, version: 0 } },
  })
}
