// The snapshots that the replicas of a cluster share. The one with the role imports and offers; all fetch what is offered, then serve
// it together. The newest file in a network's folder is always the shared one, so that all else works as in a single service.
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { SNAPSHOT_FORMAT_VERSION } from '../../loaders/snapshot-file.ts'
import { mayPass } from '../accounts/account-store.ts'
import { ROLE_RENEW_MILLIS, RoleLost } from '../accounts/fleet-role.ts'
import type { SnapshotStoreConfig } from '../config/config.ts'
import type { Obtained, SharingNetworks, SnapshotExchange, SnapshotFacts } from '../imports/snapshot-exchange.ts'
import type { LastError } from '../networks/network.ts'
import {
  listSnapshots,
  openSnapshotFolder,
  placeSnapshot,
  snapshotFolder,
  stopsPath,
} from '../networks/snapshot-store.ts'
import { Rerun } from '../system/rerun.ts'
import { writeFileWhole } from '../system/whole-file.ts'
import { hashOf, ObjectStore, ObjectsUnavailable } from './object-store.ts'
import { type SharedFiles, type SnapshotRow, SnapshotRows } from './snapshot-rows.ts'

/** A network without a snapshot waits this long for the importer, then imports by itself. */
const WAIT_MILLIS = 60_000
/** A start waits this long for the store, then serves the files that it has. */
const BEGIN_MILLIS = 5_000
/** Waits look again this often. */
const LOOK_MILLIS = 200
/** How long an offer waits for slow replicas. */
const PREPARE_MILLIS = 30_000
/** What could not be fetched is tried again. */
const RETRY_MILLIS = 15_000
/** Characters of the hash in the name of a file. */
const NAME_LENGTH = 16

/** What the library needs. */
export interface LibraryParts {
  readonly config: SnapshotStoreConfig
  readonly dataDir: string
  readonly databaseUrl: string
  readonly isPooled: boolean
  /** This replica's id. */
  readonly id: string
  readonly onProblem: (message: string) => void
}

/** The library. */
export class SnapshotLibrary implements SnapshotExchange {
  private readonly parts: LibraryParts
  private readonly rows: SnapshotRows
  private readonly objects: ObjectStore
  private readonly format = String(SNAPSHOT_FORMAT_VERSION)
  private networks: readonly string[] = []
  /** Path → hash of files in the folders. */
  private readonly hashes = new Map<string, string>()
  private readonly prepared = new Set<string>()
  private readonly served = new Map<string, string>()
  private readonly adoptions = new Map<string, Rerun>()
  private sharing: SharingNetworks | undefined
  private readonly renewing: ReturnType<typeof setInterval>
  private isLeaving = false
  /** How long the last adoption took, from its row to its serving. */
  adoptSeconds: number | undefined
  private readonly turns = new Map<string, Promise<void>>()
  private readonly retries = new Map<string, ReturnType<typeof setTimeout>>()

  constructor(parts: LibraryParts) {
    this.parts = parts
    this.objects = new ObjectStore(parts.config)
    this.rows = new SnapshotRows({ ...parts, format: this.format })
    this.renewing = setInterval(() => void this.renew(), ROLE_RENEW_MILLIS)
  }

  get facts(): SnapshotFacts {
    return { format: this.format, prepared: [...this.prepared], served: Object.fromEntries(this.served) }
  }

  /** Whether this replica imports for all. */
  get isImporter(): boolean {
    return this.token !== undefined
  }

  async begin(networks: readonly string[]): Promise<void> {
    this.networks = networks
    await this.renew()
    await Promise.race([Promise.all(networks.map((network) => this.takeInTurn(network))), Bun.sleep(BEGIN_MILLIS)])
  }

  connect(sharing: SharingNetworks): void {
    this.sharing = sharing
    for (const network of this.networks) this.note(network)
  }

  /** The database has other snapshots of a network, or of all. */
  note(network: string | undefined): void {
    for (const each of network === undefined ? this.networks : [network]) {
      if (this.networks.includes(each)) void this.adoptionOf(each).ask()
    }
  }

  async obtain(network: string, hasServed: boolean): Promise<Obtained> {
    const giveUpMillis = performance.now() + (hasServed ? 0 : WAIT_MILLIS)
    const late = hasServed ? [] : [Bun.sleep(WAIT_MILLIS).then(() => false)]
    for (;;) {
      if (this.isImporter) return 'import'
      if (await Promise.race([this.takeInTurn(network), ...late])) return 'shared'
      if (performance.now() >= giveUpMillis || this.isLeaving) break
      await Bun.sleep(LOOK_MILLIS)
    }
    if (hasServed) return 'none'
    this.parts.onProblem(`${network}: no replica offers a snapshot; importing here, for this replica alone`)
    return 'import'
  }

  async offer(network: string): Promise<string | undefined> {
    const { token } = this
    const [path] = listSnapshots(this.parts.dataDir, network)
    if (token === undefined || path === undefined) return undefined // imported for this replica alone
    try {
      const hash = await this.newestHash(network)
      if (hash === undefined || (await this.rows.find(network)).served?.hash === hash) return undefined
      const bytes = await Bun.file(path).bytes()
      await this.objects.put(snapshotObject(network, hash), bytes)
      const stops = await this.putStops(network, path)
      const row: SnapshotRow = { kind: 'timetable', network, format: this.format, hash, stops, bytes: bytes.byteLength }
      await this.rows.offer(token, row)
      await this.untilPrepared(network, hash)
      await this.rows.serve(token, row)
      this.served.set(network, hash)
      await this.dropOld(token)
      return undefined
    } catch (error) {
      if (error instanceof RoleLost || error instanceof ObjectsUnavailable || mayPass(error)) return error.message
      throw error
    }
  }

  async tell(network: string, error: LastError | undefined): Promise<void> {
    const { token } = this
    if (token === undefined) return
    await this.passing(network, () => this.rows.note(token, network, error ?? null))
  }

  async close(): Promise<void> {
    this.isLeaving = true
    clearInterval(this.renewing)
    for (const timer of this.retries.values()) clearTimeout(timer)
    await this.rows.role.leave()
    await this.rows.close()
  }

  private get token(): number | undefined {
    return this.rows.role.token
  }

  private async renew(): Promise<void> {
    try {
      const wasImporter = this.isImporter
      await this.rows.role.take()
      if (this.isImporter && !wasImporter) await this.sharing?.recheck()
    } catch (error) {
      if (!mayPass(error)) throw error // the role ends by itself
    }
  }

  /** Fetches what is offered, and serves what is to be served. */
  private async adopt(network: string): Promise<void> {
    const { offered, served, error } = await this.rows.find(network)
    if (!this.isImporter) await this.sharing?.showError(network, error ?? undefined)
    if (served !== null && this.served.get(network) !== served.hash) {
      const startedMillis = performance.now()
      await this.takeServed(network)
      const problem = await this.sharing?.serveShared(network)
      this.adoptSeconds = (performance.now() - startedMillis) / 1_000
      if (problem !== undefined) this.parts.onProblem(`${network}: the shared snapshot cannot be served: ${problem}`)
    }
    if (offered !== null) await this.prepare(network, offered)
    this.dropAside(network, offered?.hash)
  }

  /** Drops what was offered and is no longer. */
  private dropAside(network: string, offered: string | undefined): void {
    const folder = snapshotFolder(this.parts.dataDir, network)
    if (!existsSync(folder)) return
    for (const name of readdirSync(folder)) {
      const [hash, rest] = name.split('.offered')
      if (rest === undefined || hash === offered) continue
      rmSync(join(folder, name), { force: true })
      this.prepared.delete(hash)
    }
  }

  private inTurn<Result>(network: string, step: () => Promise<Result>): Promise<Result> {
    const result = (this.turns.get(network) ?? Promise.resolve()).then(step)
    const ended = result.then(
      () => undefined,
      () => undefined, // the caller sees the failure; it must not fail the next step
    )
    this.turns.set(network, ended)
    return result
  }

  /** The same as `takeServed`, after what is under way; undefined if it cannot be had now. */
  private takeInTurn(network: string): Promise<boolean | undefined> {
    return this.passing(network, () => this.inTurn(network, () => this.takeServed(network)))
  }

  /** Makes the shared snapshot of a network the newest file; false if there is none. */
  private async takeServed(network: string): Promise<boolean> {
    const { served } = await this.rows.find(network)
    if (served === null) return false
    const { hash } = served
    if ((await this.newestHash(network)) !== hash) {
      await this.prepare(network, served)
      const aside = this.asidePath(network, hash)
      const { dataDir } = this.parts
      const path = placeSnapshot(aside, { dataDir, network, name: hash.slice(0, NAME_LENGTH) })
      const stops = stopsAside(aside)
      if (existsSync(stops)) renameSync(stops, stopsPath(path))
      this.hashes.set(path, hash)
    }
    this.prepared.delete(hash)
    this.served.set(network, hash)
    return true
  }

  /** Fetches a snapshot beside those that can be served. */
  private async prepare(network: string, { hash, stops }: SharedFiles): Promise<void> {
    const aside = this.asidePath(network, hash)
    if ((await this.newestHash(network)) !== hash && !existsSync(aside)) {
      const bytes = await this.objects.get(snapshotObject(network, hash), hash)
      openSnapshotFolder(this.parts.dataDir, network)
      if (stops !== null)
        writeFileWhole(stopsAside(aside), [await this.objects.get(stopsObject(network, stops), stops)])
      writeFileWhole(aside, [bytes])
    }
    this.prepared.add(hash)
  }

  /** Puts the stops of a snapshot as they are searched; their hash, if there are any. */
  private async putStops(network: string, path: string): Promise<string | null> {
    const file = Bun.file(stopsPath(path))
    if (!(await file.exists())) return null
    const bytes = await file.bytes()
    const hash = await hashOf(bytes)
    await this.objects.put(stopsObject(network, hash), bytes)
    return hash
  }

  private async newestHash(network: string): Promise<string | undefined> {
    const [path] = listSnapshots(this.parts.dataDir, network)
    if (path === undefined) return undefined
    const known = this.hashes.get(path) ?? (await hashOf(await Bun.file(path).bytes()))
    this.hashes.set(path, known)
    return known
  }

  private asidePath(network: string, hash: string): string {
    return join(snapshotFolder(this.parts.dataDir, network), `${hash}.offered`)
  }

  private async untilPrepared(network: string, hash: string): Promise<void> {
    this.prepared.add(hash)
    const giveUpMillis = performance.now() + PREPARE_MILLIS
    for (;;) {
      await Bun.sleep(LOOK_MILLIS)
      const names = await this.rows.listUnprepared(hash)
      if (names.length === 0) return
      if (performance.now() < giveUpMillis) continue
      this.parts.onProblem(
        `${network}: ${names.join(', ')} did not fetch the new snapshot in time; the others serve it`,
      )
      return
    }
  }

  private async dropOld(token: number): Promise<void> {
    for (const { network, hash, stops } of await this.rows.drop(token)) {
      await this.objects.remove(snapshotObject(network, hash))
      if (stops !== null) await this.objects.remove(stopsObject(network, stops))
    }
  }

  private adoptionOf(network: string): Rerun {
    return this.adoptions.getOrInsertComputed(
      network,
      () =>
        new Rerun(async (begin) => {
          begin()
          const isDone = await this.passing(network, async () => {
            await this.inTurn(network, () => this.adopt(network))
            return true
          })
          if (isDone !== true) this.retry(network)
        }),
    )
  }

  private retry(network: string): void {
    clearTimeout(this.retries.get(network))
    if (this.isLeaving) return
    this.retries.set(
      network,
      setTimeout(() => this.note(network), RETRY_MILLIS),
    )
  }

  /** A store that is away or gives wrong bytes never stops what is served. */
  private async passing<Result>(network: string, step: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await step()
    } catch (error) {
      if (error instanceof RoleLost) return undefined
      if (!(error instanceof ObjectsUnavailable || mayPass(error))) throw error
      this.parts.onProblem(`${network}: ${error.message}`)
      return undefined
    }
  }
}

function snapshotObject(network: string, hash: string): string {
  return `snapshots/${network}/${hash}.zst`
}

function stopsObject(network: string, hash: string): string {
  return `places/${network}/${hash}.zst`
}

/** Where stops are kept beside a snapshot that is not served yet. */
function stopsAside(aside: string): string {
  return `${aside}-stops`
}
