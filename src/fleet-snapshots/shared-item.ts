// One shared item, such as a network's timetable, on one replica: the files that the replica serves, the files that it
// has fetched, and the steps to fetch files, put them in place and store them.
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { SharedName } from '../networks/snapshot-exchange.ts'
import type { FileHashes } from '../system/file-hashes.ts'
import { type InTurn, makeTurns } from '../system/turns.ts'
import type { ObjectStore } from './object-store.ts'
import { SHARED_FORMAT, type Shelf } from './shelves.ts'
import type { SharedSet, SnapshotRows } from './snapshot-rows.ts'

/** A fetched file that is not in place yet is named by its hash, followed by this suffix. */
const OFFERED = '.offered'

/** What a shared item depends on. */
export interface ItemParts {
  readonly shared: SharedName
  readonly shelf: Shelf
  readonly rows: SnapshotRows
  readonly objects: ObjectStore
  readonly hashes: FileHashes
}

/** One shared item. Its steps throw ObjectsUnavailable or StoreUnavailable. */
export class SharedItem {
  readonly shared: SharedName
  /** Runs a step when all steps that were queued earlier have ended, so that steps never overlap. */
  readonly inTurn: InTurn = makeTurns()
  /** Hashes of the file sets that have been fetched but are not served yet. */
  readonly prepared = new Set<string>()
  /** Hash of the file set that is served. */
  served: string | undefined
  private readonly parts: ItemParts

  constructor(parts: ItemParts) {
    this.parts = parts
    this.shared = parts.shared
  }

  /**
   * Fetches the missing files of the set that replicas serve, and puts them in place. Returns false if there is no such
   * set yet.
   */
  async take(): Promise<boolean> {
    const { shelf, rows } = this.parts
    const { served } = await rows.find(this.shared)
    if (served === null) return false
    const missing = await this.prepare(served)
    if (missing.size > 0) shelf.place(missing)
    shelf.prefer(Object.keys(served.files))
    this.prepared.delete(served.hash)
    this.served = served.hash
    return true
  }

  /** Fetches the files in a set, except those already in place. Returns the name and path of each fetched file. */
  async prepare({ hash, files }: SharedSet): Promise<ReadonlyMap<string, string>> {
    const { shelf, objects } = this.parts
    const fetched = new Map<string, string>()
    for (const [name, wanted] of Object.entries(files)) {
      const path = shelf.pathOf(name)
      if (path !== undefined && (await this.parts.hashes.of(path)) === wanted) continue
      const aside = join(shelf.folder, wanted + OFFERED)
      shelf.open()
      if (!existsSync(aside)) await objects.get({ name: objectName(this.shared, wanted), hash: wanted }, aside)
      fetched.set(name, aside)
    }
    this.prepared.add(hash)
    return fetched
  }

  /**
   * Uploads the files that are in place, except those that the store already has. Returns the set of all files that are
   * in place; undefined if there are none, or if this set is already served.
   */
  async store(): Promise<(SharedSet & { readonly bytes: number }) | undefined> {
    const { shelf, rows, objects, hashes } = this.parts
    const { served } = await rows.find(this.shared)
    const files: Record<string, string> = {}
    const paths = [...shelf.list()].sort(([a], [b]) => (a < b ? -1 : 1))
    for (const [name, path] of paths) files[name] = (await hashes.of(path)) ?? ''
    const hash = new Bun.CryptoHasher('sha256').update(JSON.stringify(files)).digest('hex')
    if (paths.length === 0 || served?.hash === hash) return undefined
    const stored = new Set(Object.values(served?.files ?? {}))
    for (const [name, path] of paths)
      if (!stored.has(files[name])) await objects.put(objectName(this.shared, files[name]), path)
    return { hash, files, bytes: paths.reduce((sum, [, path]) => sum + statSync(path).size, 0) }
  }

  /** Removes the fetched files that do not belong to the offered set. */
  dropAside(offered: SharedSet | null): void {
    const { folder } = this.parts.shelf
    if (!existsSync(folder)) return
    const kept = new Set(Object.values(offered?.files ?? {}).map((hash) => hash + OFFERED))
    for (const name of readdirSync(folder)) {
      if (name.endsWith(OFFERED) && !kept.has(name)) rmSync(join(folder, name), { force: true })
    }
    for (const hash of this.prepared) if (hash !== offered?.hash) this.prepared.delete(hash)
  }
}

/** The name of the object that contains a shared item's file. */
export function objectName({ kind, name }: SharedName, hash: string): string {
  return `${kind}/${name === '' ? 'all' : name}/${SHARED_FORMAT}/${hash}.zst`
}
