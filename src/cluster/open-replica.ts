// Opens a replica's accounts: locks the data directory, joins the cluster under a new id, merges the counts of earlier
// processes into the database, and begins new slot files.
import { existsSync, readFileSync, statSync } from 'node:fs'
import { type AccountStore, StoreUnavailable } from '../accounts/account-store.ts'
import { AccountsService } from '../accounts/accounts-service.ts'
import { findFirstOpenDay, notePlans } from '../accounts/month-closing.ts'
import { openAccountStore } from '../accounts/open-account-store.ts'
import {
  type AccountsOptions,
  firstReportDay,
  loadUsedPeppers,
  refuseMissingPepper,
} from '../accounts/open-accounts.ts'
import { RevocationFile } from '../accounts/revocation-file.ts'
import type { Config, ReplicaConfig } from '../config/config.ts'
import { ConfigError } from '../config/config-file.ts'
import { SnapshotLibrary } from '../fleet-snapshots/snapshot-library.ts'
import { makeWriterId, segmentFolder } from '../metering/segment.ts'
import { TRUE_CLOCK } from '../system/clock.ts'
import { holdFolder } from '../system/data-dir-lock.ts'
import { VERSION } from '../system/version.ts'
import { FleetMember } from './fleet-member.ts'
import { beginSegments, readFound } from './found-segments.ts'
import { OutageFile } from './outage-book.ts'
import { TRUE_PACE } from './pace.ts'
import { openFleetStore, type PostgresFleetStore } from './postgres-fleet-store.ts'

/** Pause before a startup step is repeated because the database did not answer. */
const RETRY_MILLIS = 250
const OWN_CLOCK = process.env['QUAI_CLOCK'] ?? ''

/** Options for a replica, which include those for a single service. */
export interface ReplicaOptions extends AccountsOptions {
  /** Called when another process or an operator has ended this replica. The process must then exit. */
  onEnded(why: string): void
}

/** Opens a replica's accounts. The replica does not serve yet. */
export async function openReplica(config: ReplicaConfig, options: ReplicaOptions): Promise<AccountsService> {
  refuseMissingPepper(config)
  const { onProblem, onLost = (error: Error) => onProblem(error.message) } = options
  const lock = await holdFolder(config.dataDir, { onProblem, onLost })
  try {
    const store = await patiently(() => openAccountStore(config), onProblem)
    try {
      return await openOverStore(config, options, { lock, store })
    } catch (error) {
      await store.close()
      throw error
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

async function openOverStore(
  config: ReplicaConfig,
  options: ReplicaOptions,
  held: { readonly lock: Awaited<ReturnType<typeof holdFolder>>; readonly store: AccountStore },
): Promise<AccountsService> {
  const { store } = held
  const { onProblem, steady } = options
  const clock = options.clock ?? TRUE_CLOCK
  const patient = <Result>(step: () => Promise<Result>) => patiently(step, onProblem)
  const peppers = await patient(() => loadUsedPeppers(store, config))
  const fleetStore = openFleetStore(config)
  const member = makeMember(config, { store, fleetStore }, options)
  const folder = segmentFolder(config.dataDir)
  try {
    await patient(() => refuseOtherClock(fleetStore))
    await member.replica.join()
    const begun = { owner: member.replica.id, count: config.workers, nowMillis: clock.nowMillis() }
    const segments = beginSegments(folder, begun)
    const firstOpenDay = await patient(() => findFirstOpenDay(store))
    const plans = await patient(() => takePlans(config, { member, store, onProblem }))
    const service = new AccountsService({
      config: { ...config, plans },
      ...held,
      revocations: new RevocationFile(config.dataDir),
      clock,
      peppers,
      folder,
      segments: segments.map((one) => ({ ...one, lastUtcDay: firstOpenDay })),
      past: [],
      steady,
      fleet: member,
      onProblem,
    })
    member.attach(service, folder)
    await patient(() => member.changes.begin())
    return service
  } catch (error) {
    await member.leave()
    throw error
  }
}

/** Runs a startup step, and repeats it until the database answers. */
async function patiently<Result>(step: () => Promise<Result>, onProblem: (message: string) => void): Promise<Result> {
  for (let isSaid = false; ; isSaid = true) {
    try {
      return await step()
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      if (!isSaid) onProblem(`${error.message}; waiting for the database`)
    }
    await Bun.sleep(RETRY_MILLIS)
  }
}

function makeMember(
  config: ReplicaConfig,
  stores: { readonly store: AccountStore; readonly fleetStore: PostgresFleetStore },
  { onProblem, onEnded }: ReplicaOptions,
): FleetMember {
  const { cluster, databaseUrl, dataDir, workers } = config
  const id = makeWriterId()
  const isPooled = !cluster.hasPreparedStatements
  const shared = { dataDir, databaseUrl, isPooled, id, onProblem }
  const { counts, predecessors } = readFound(segmentFolder(dataDir), onProblem)
  return new FleetMember({
    id,
    about: {
      name: cluster.name,
      folder: folderId(dataDir),
      admin: `http://${config.adminBind}:${config.adminPort}`,
      program: VERSION,
      clock: OWN_CLOCK,
    },
    cluster,
    databaseUrl,
    snapshots: cluster.snapshots && new SnapshotLibrary({ ...shared, config: cluster.snapshots }),
    workers,
    predecessors,
    found: counts,
    ...stores,
    plans: JSON.stringify(config.plans),
    configDigest: digestOf(config),
    outage: new OutageFile(dataDir, onProblem),
    pace: TRUE_PACE,
    firstReportDay: () => firstReportDay(TRUE_CLOCK),
    onEnded,
    onProblem,
  })
}

/** Throws if a running replica has another QUAI_CLOCK, because the two replicas would return different departures. */
async function refuseOtherClock(store: PostgresFleetStore): Promise<void> {
  const other = await store.findOtherClock(OWN_CLOCK)
  if (other === undefined) return
  throw new ConfigError(
    `QUAI_CLOCK is "${OWN_CLOCK}" on this replica, but "${other}" on the running replicas; all replicas need the same value`,
  )
}

/**
 * Returns the cluster's plans. The first replica stores the plans from its configuration. A later replica with other
 * plans in its configuration gets no traffic.
 */
async function takePlans(
  config: Config,
  { member, store, onProblem }: { member: FleetMember; store: AccountStore; onProblem(message: string): void },
): Promise<Config['plans']> {
  const noted = (await store.billing.listPlans()).at(-1)
  if (noted === undefined) {
    await notePlans({ store, clock: TRUE_CLOCK, plans: config.plans })
    return config.plans
  }
  member.arePlansEqual = noted.plans === JSON.stringify(config.plans)
  if (!member.arePlansEqual) {
    onProblem(
      "the configuration's plans differ from the cluster's plans; to apply the configuration and make this replica ready, run `quai plans apply`",
    )
  }
  return JSON.parse(noted.plans)
}

/** The digest of the settings that all replicas must share in order to give the same answers. */
function digestOf({ networks, plans, addresses, streets, audience, mail, cluster }: ReplicaConfig): string {
  const { name: _, ...shared } = cluster
  const settings = { networks, plans, addresses, streets, audience, mail, shared }
  return new Bun.CryptoHasher('sha256').update(JSON.stringify(settings)).digest('hex')
}

/** An id for a folder on this machine, valid until the machine restarts. A copy of the folder has another id. */
function folderId(folder: string): string {
  const boot = '/proc/sys/kernel/random/boot_id'
  const { dev, ino } = statSync(folder, { bigint: true })
  return `${existsSync(boot) ? readFileSync(boot, 'utf8').trim() : ''}:${dev}:${ino}`
}
