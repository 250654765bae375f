// Reads the changes to a cluster's accounts, keys, plans, shared files and streams, in commit order.
import type { FleetStore, Version } from './fleet-store.ts'
import type { Pace } from './pace.ts'

/** The longest time that the response to a change waits for other replicas to read the change. */
const CONFIRMED_IN_MILLIS = 1_000
const LOOK_MILLIS = 25

/** Dependencies of the change log. */
export interface ChangeLogParts {
  readonly store: Pick<FleetStore, 'changesSince' | 'readMarks' | 'listUnconfirmed' | 'lastVersion'>
  readonly pace: Pace
  /** Reads all accounts, keys and plans, and publishes them to the data threads. */
  loadAll(): Promise<void>
  /** Like `loadAll`, but only for these accounts and their keys. */
  loadAccounts(ids: readonly string[]): Promise<void>
  loadPlans(): Promise<void>
  /**
   * Called when shared files or the state of an import have changed. `what` is `<kind>:<name>` for shared files, or
   * `state:<name>` for an import; undefined if any of these may have changed.
   */
  onShared(what: string | undefined): void
  /** Called when a replica has ended streams. */
  onStreamsEnded(): void
  /** Called when the terms (plan, overage, spend cap) of these accounts may have changed. */
  onChanged(ids: Iterable<string>): void
}

/** Reads the changes in the cluster, and remembers which of them this replica has read. */
export class ChangeLog {
  seen: Version = { version: -1, mark: 0 }
  /** Sequence number of the loaded plans. */
  plans = 0
  private readonly parts: ChangeLogParts
  private marks = new Map<string, number>()

  constructor(parts: ChangeLogParts) {
    this.parts = parts
  }

  /**
   * The random number that identifies a version of an account's terms (plan, overage, spend cap). This is the version
   * that the replica has loaded, or an older one, but never a newer one. If a request for units contains an outdated
   * number, the database grants nothing.
   */
  termsMark(accountId: string): number {
    return this.marks.get(accountId) ?? 0
  }

  /**
   * Called before the accounts are loaded for the first time. Remembers the last change, so that `read` starts after
   * it.
   */
  async begin(): Promise<void> {
    const { version, mark, marks, plans } = await this.parts.store.readMarks()
    this.marks = new Map(marks)
    this.plans = plans
    this.seen = { version, mark }
  }

  /**
   * Reads all accounts, keys and plans again, and reports that shared files, streams and all terms may have changed.
   */
  async readAll(): Promise<void> {
    const { version, mark, marks, plans } = await this.parts.store.readMarks()
    await this.parts.loadAll()
    this.parts.onShared(undefined)
    this.parts.onStreamsEnded()
    this.marks = new Map(marks)
    this.plans = plans
    this.seen = { version, mark }
    this.parts.onChanged(marks.keys())
  }

  /** Reads the changes that this replica has not read yet. */
  async read(): Promise<void> {
    const changes = await this.parts.store.changesSince(this.seen)
    if (changes === undefined) return await this.readAll()
    const marks = new Map<string, number>()
    let plans = this.plans
    for (const { what, termsMark } of changes) {
      const [kind, id = ''] = what.split(':', 2)
      if (kind === 'account') marks.set(id, termsMark)
      if (kind === 'snapshot') this.parts.onShared(what.slice(kind.length + 1))
      if (kind === 'streams') this.parts.onStreamsEnded()
      if (kind === 'plans') plans = Math.max(plans, Number(id))
    }
    if (plans > this.plans) await this.parts.loadPlans()
    if (marks.size > 0) await this.parts.loadAccounts([...marks.keys()])
    const areAll = plans > this.plans
    for (const [id, mark] of marks) this.marks.set(id, mark)
    this.plans = plans
    const last = changes.at(-1)
    if (last !== undefined) this.seen = { version: last.version, mark: last.mark }
    this.parts.onChanged(areAll ? this.marks.keys() : marks.keys())
  }

  /**
   * Waits until all serving replicas have read all changes made so far, but for at most a second. Returns the names of
   * the replicas that have not read them.
   */
  awaitConfirmed(): Promise<readonly string[]> {
    return awaitConfirmed(this.parts.store, this.parts.pace)
  }
}

/**
 * Waits until all serving replicas have confirmed the last change, but for at most a second. Also works in a process
 * that is not a replica. Returns the names of the replicas that have not confirmed the change.
 */
export async function awaitConfirmed(
  store: Pick<FleetStore, 'listUnconfirmed' | 'lastVersion'>,
  pace: Pace,
): Promise<readonly string[]> {
  const giveUpMillis = pace.nowMillis() + CONFIRMED_IN_MILLIS
  const version = await store.lastVersion()
  for (;;) {
    const names = await store.listUnconfirmed(version)
    if (names.length === 0 || pace.nowMillis() >= giveUpMillis) return names
    await pace.sleep(LOOK_MILLIS)
  }
}
