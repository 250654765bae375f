// The files that the replicas in a cluster share: timetables, addresses and streets. The replica with the importer's
// role imports the files and offers them. All replicas fetch the offered files. When every replica has the files, all
// replicas start to serve them at the same time. Shared files have the same paths as imported ones, so the rest of the
// code works as it does in a single service.
import { join } from 'node:path'
import { mayPass } from '../accounts/account-store.ts'
import { ROLE_RENEW_MILLIS, RoleLost } from '../accounts/fleet-role.ts'
import type { SnapshotStoreConfig } from '../config/config.ts'
import type { LastError } from '../networks/network.ts'
import {
  nameBesideNetworks,
  type Obtained,
  SHARED_KINDS,
  type SharedKind,
  type SharedName,
  type Sharer,
  type SnapshotExchange,
  type SnapshotFacts,
} from '../networks/snapshot-exchange.ts'
import { FileHashes } from '../system/file-hashes.ts'
import { Rerun } from '../system/rerun.ts'
import { ObjectStore, ObjectsUnavailable } from './object-store.ts'
import { objectName, SharedItem } from './shared-item.ts'
import { SHARED_FORMAT, shelfOf } from './shelves.ts'
import { SnapshotRows } from './snapshot-rows.ts'

/** How long a replica without files waits for shared files. After that, it imports files for itself. */
const WAIT_MILLIS = 60_000
/** A starting replica waits at most this long for shared files. After that, it serves the files that it has. */
const BEGIN_MILLIS = 5_000
/** Interval between two checks while code waits for something. */
const LOOK_MILLIS = 200
/**
 * If a replica has not fetched an offered set after this time, that replica is reported, and only the other replicas
 * serve the set.
 */
const PREPARE_MILLIS = 30_000
/** Pause before a failed fetch is repeated. */
const RETRY_MILLIS = 15_000

/** What the library depends on. */
export interface LibraryParts {
  readonly config: SnapshotStoreConfig
  readonly dataDir: string
  readonly databaseUrl: string
  readonly isPooled: boolean
  /** This replica's id. */
  readonly id: string
  readonly onProblem: (message: string) => void
}

/** A shared item on this replica, and the job that fetches and serves its newest set. */
interface Held {
  readonly item: SharedItem
  readonly adoption: Rerun
  retry?: ReturnType<typeof setTimeout>
}

/** The shared files on one replica, and the replica's part in importing, fetching and serving them. */
export class SnapshotLibrary implements SnapshotExchange {
  private readonly parts: LibraryParts
  private readonly rows: SnapshotRows
  private readonly objects: ObjectStore
  private readonly hashes: FileHashes
  private readonly held = new Map<string, Held>()
  private sharers: Readonly<Record<SharedKind, Sharer>> | undefined
  private readonly renewing: ReturnType<typeof setInterval>
  private isLeaving = false
  /**
   * How long the last change to another set took, in seconds. Includes the time to fetch missing files, put them in
   * place and serve them.
   */
  adoptSeconds: number | undefined

  constructor(parts: LibraryParts) {
    this.parts = parts
    this.objects = new ObjectStore(parts.config)
    this.hashes = new FileHashes(join(parts.dataDir, 'file-hashes.json'))
    this.rows = new SnapshotRows({ ...parts, format: SHARED_FORMAT })
    this.renewing = setInterval(() => void this.renew(), ROLE_RENEW_MILLIS)
  }

  get facts(): SnapshotFacts {
    const items = [...this.held.values()].map(({ item }) => item)
    const served = items.flatMap(({ shared, served }) =>
      served === undefined ? [] : [[nameBesideNetworks(shared), served]],
    )
    return {
      format: SHARED_FORMAT,
      prepared: items.flatMap(({ prepared }) => [...prepared]),
      served: Object.fromEntries(served),
    }
  }

  /** Whether this replica imports for all replicas. */
  get isImporter(): boolean {
    return this.token !== undefined
  }

  async begin(kind: SharedKind, names: readonly string[]): Promise<void> {
    for (const [what, { item, retry }] of this.held) {
      if (item.shared.kind !== kind || names.includes(item.shared.name)) continue
      clearTimeout(retry)
      this.held.delete(what)
    }
    const held = names.map((name) => this.hold({ kind, name }))
    await this.renew()
    await Promise.race([Promise.all(held.map(({ item }) => this.takeInTurn(item))), Bun.sleep(BEGIN_MILLIS)])
  }

  connect(sharers: Readonly<Record<SharedKind, Sharer>>): void {
    this.sharers = sharers
    this.note(undefined)
  }

  /**
   * Called when the database has new shared files, or when the state of an import has changed.
   * @param what `<kind>:<name>` for an item's new files, `state:<name>` for the state of its import; undefined for all
   * items
   */
  note(what: string | undefined): void {
    for (const [key, { item, adoption }] of this.held) {
      const isMeant = what === undefined || what === key || what === `state:${nameBesideNetworks(item.shared)}`
      if (isMeant) void adoption.request()
    }
  }

  async obtain(shared: SharedName, canWait: boolean): Promise<Obtained> {
    const { item } = this.hold(shared)
    const giveUpMillis = performance.now() + (canWait ? 0 : WAIT_MILLIS)
    const late = canWait ? [] : [Bun.sleep(WAIT_MILLIS).then(() => false)]
    for (;;) {
      if (this.isImporter) return 'import'
      if (await Promise.race([this.takeInTurn(item), ...late])) return 'shared'
      if (performance.now() >= giveUpMillis || this.isLeaving) break
      await Bun.sleep(LOOK_MILLIS)
    }
    if (canWait) return 'none'
    this.parts.onProblem(`${titleOf(shared)}: no replica has shared new files; importing for this replica only`)
    return 'import'
  }

  async offer(shared: SharedName): Promise<string | undefined> {
    const { token } = this
    if (token === undefined) return undefined // this replica is not the importer, so the import is only for itself
    const { item } = this.hold(shared)
    try {
      const set = await item.store()
      if (set === undefined) return undefined
      await this.rows.offer(token, shared, set)
      await this.untilPrepared(item, set.hash)
      await this.rows.serve(token, shared, set.hash)
      item.served = set.hash
      await this.dropOld(token)
      return undefined
    } catch (error) {
      if (error instanceof RoleLost || error instanceof ObjectsUnavailable || mayPass(error)) return error.message
      throw error
    }
  }

  async announceError(shared: SharedName, error: LastError | undefined): Promise<void> {
    const { token } = this
    if (token === undefined) return
    await this.passing(shared, () => this.rows.note(token, shared, error ?? null))
  }

  async close(): Promise<void> {
    this.isLeaving = true
    clearInterval(this.renewing)
    for (const { retry } of this.held.values()) clearTimeout(retry)
    await this.rows.role.leave()
    await this.rows.close()
  }

  private get token(): number | undefined {
    return this.rows.role.token
  }

  private hold(shared: SharedName): Held {
    return this.held.getOrInsertComputed(`${shared.kind}:${shared.name}`, () => {
      const shelf = shelfOf(this.parts.dataDir, shared.kind, shared.name)
      const { rows, objects, hashes } = this
      const item = new SharedItem({ shared, shelf, rows, objects, hashes })
      const adoption = new Rerun(async (begin) => {
        begin()
        const isDone = await this.passing(shared, () => item.inTurn(() => this.adopt(item)))
        if (isDone !== true) this.retry(held)
      })
      const held: Held = { item, adoption }
      return held
    })
  }

  private async renew(): Promise<void> {
    try {
      const wasImporter = this.isImporter
      await this.rows.role.take()
      if (!this.isImporter || wasImporter || this.sharers === undefined) return
      for (const kind of SHARED_KINDS) await this.sharers[kind].recheck()
    } catch (error) {
      if (!mayPass(error)) throw error // the database is unavailable, so the role is not renewed and expires
    }
  }

  /** Serves the files that all replicas should serve, and fetches the offered files. */
  private async adopt(item: SharedItem): Promise<true> {
    const { kind, name } = item.shared
    const sharer = this.sharers?.[kind]
    const { offered, served, error } = await this.rows.find(item.shared)
    if (!this.isImporter) await sharer?.showError(name, error ?? undefined)
    if (served !== null && item.served !== served.hash) {
      const startedMillis = performance.now()
      await item.take()
      const problem = await sharer?.serveShared(name)
      this.adoptSeconds = (performance.now() - startedMillis) / 1_000
      if (problem !== undefined)
        this.parts.onProblem(`${titleOf(item.shared)}: cannot serve the shared files: ${problem}`)
    }
    if (offered !== null) await item.prepare(offered)
    item.dropAside(offered)
    return true
  }

  /**
   * Puts an item's shared files in place when the item's earlier steps have ended. Returns false if no files are shared
   * yet; undefined if the files cannot be fetched now.
   */
  private takeInTurn(item: SharedItem): Promise<boolean | undefined> {
    return this.passing(item.shared, () => item.inTurn(() => item.take()))
  }

  private async untilPrepared(item: SharedItem, hash: string): Promise<void> {
    item.prepared.add(hash)
    const giveUpMillis = performance.now() + PREPARE_MILLIS
    for (;;) {
      await Bun.sleep(LOOK_MILLIS)
      const names = await this.rows.listUnprepared(hash)
      if (names.length === 0) return
      if (performance.now() < giveUpMillis) continue
      const late = names.join(', ')
      this.parts.onProblem(
        `${titleOf(item.shared)}: ${late} did not fetch the new files in time; only the other replicas serve the new data`,
      )
      return
    }
  }

  private async dropOld(token: number): Promise<void> {
    for (const file of await this.rows.drop(token)) await this.objects.remove(objectName(file, file.hash))
  }

  private retry(held: Held): void {
    clearTimeout(held.retry)
    if (!this.isLeaving) held.retry = setTimeout(() => void held.adoption.request(), RETRY_MILLIS)
  }

  /**
   * Runs a step. If the store or the database is unavailable, or if an object has the wrong content, reports the error
   * and returns undefined: the service continues with the files that it has. Also returns undefined if this replica has
   * lost the importer's role.
   */
  private async passing<Result>(shared: SharedName, step: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await step()
    } catch (error) {
      if (error instanceof RoleLost) return undefined
      if (!(error instanceof ObjectsUnavailable || mayPass(error))) throw error
      this.parts.onProblem(`${titleOf(shared)}: ${error.message}`)
      return undefined
    }
  }
}

/** The name of a shared item in messages. */
function titleOf({ kind, name }: SharedName): string {
  return kind === 'timetable' ? name : kind
}
