// Implements the SQL functions in src/accounts/postgres-cluster-schema.ts as plain TypeScript on maps. It is the
// database of the cluster histories, and the model with which PostgreSQL is compared.
import type { Change, Grant, TickAnswer, UnitRequest, Version } from '../../../src/cluster/fleet-store.ts'
import { ReplicaEnded, StoreLostWrites } from '../../../src/cluster/fleet-store.ts'
import type { UsageRow } from '../../../src/metering/usage-store.ts'
import type { DatabaseWorld, Durable, GrantState, ReplicaState, StoredTerms } from './fleet-state.ts'

/** After a failover, the database grants nothing for this long, so that replicas can first report their grants. */
const TELL_MILLIS = 3_000
const SILENT_MILLIS = 3_000
const RECALL_MILLIS = 1_000

/** The simulated database in a cluster history. */
export class FleetDatabase {
  durable: Durable
  /**
   * Replica id → when it was last seen, and the version it has confirmed. A crash or a failover loses this map.
   */
  looks = new Map<string, { seenAt: number; version: number; mark: number }>()
  recalls = new Map<string, number>()
  /** Called when the unspent units of an ended replica are freed. */
  onSettled: (of: { id: string; key: string; used: number; why: string; isByStart: boolean }) => void = () => {}
  /** Called before a replica is ended. */
  onEnd: (replica: string, why: string) => void = () => {}
  private readonly world: DatabaseWorld

  constructor(world: DatabaseWorld, accounts: ReadonlyMap<string, StoredTerms>, firstMark: number) {
    this.world = world
    this.durable = {
      changes: [{ mark: firstMark, what: 'begin' }],
      accounts: new Map(accounts),
      replicas: new Map(),
      writers: new Map(),
      usage: new Map(),
      late: new Map(),
      quota: new Set(),
      grants: new Map(),
      sealingDay: 0,
      firstOpenDay: 0,
      billed: undefined,
      life: '',
      lifeSince: Number.NEGATIVE_INFINITY,
    }
  }

  /** The number of the last change; the first is 1. */
  get version(): number {
    return this.durable.changes.length
  }

  /** A copy of the durable data: a standby, or a backup. */
  copy(): Durable {
    return structuredClone(this.durable)
  }

  /** Replaces the durable data with a copy, as in a failover or a restore. */
  become(copy: Durable): void {
    this.durable = structuredClone(copy)
    this.crash()
  }

  crash(): void {
    this.looks.clear()
    this.recalls.clear()
  }

  change(accountId: string, terms: StoredTerms, mark: number): number {
    this.durable.accounts.set(accountId, terms)
    return this.durable.changes.push({ mark, what: `account:${accountId}` })
  }

  join(of: {
    id: string
    folder: string
    predecessors: readonly string[]
    writers: Record<string, string>
    isAgain: boolean
  }): number {
    const { replicas, writers } = this.durable
    for (const [writer, owner] of Object.entries(of.writers)) if (!writers.has(writer)) writers.set(writer, owner)
    for (const predecessor of of.predecessors) this.endNow(predecessor, 'replaced')
    if (!replicas.has(of.id)) {
      replicas.set(of.id, {
        folder: of.folder,
        state: of.isAgain ? 'serving' : 'joining',
        why: null,
        beat: 0,
        toldLife: of.isAgain ? '' : this.world.life(),
        sealedDay: 0,
      })
    }
    return this.require(of.id).beat
  }

  serve(id: string): TickAnswer['state'] {
    const replica = this.durable.replicas.get(id)
    if (replica?.state === 'joining') replica.state = 'serving'
    return replica?.state ?? null
  }

  tick(id: string, { version, mark }: Version): TickAnswer {
    const { replicas, sealingDay } = this.durable
    const now = this.world.now()
    this.looks.set(id, { seenAt: now, version, mark })
    const own = replicas.get(id)
    const alive = [...replicas].filter(([, { state }]) => state !== 'ended')
    const isFirst = !alive.some(([other, { state }]) => state === 'serving' && other < id && this.isSeen(other))
    const recalls = [...this.recalls].filter(([, at]) => at > now - RECALL_MILLIS)
    return {
      state: own?.state ?? null,
      why: own?.why ?? null,
      beat: this.world.isOn('beatIsRead') ? (own?.beat ?? null) : Number.MAX_SAFE_INTEGER,
      told_life: own?.toldLife ?? null,
      life: this.world.life(),
      version: this.version,
      is_known: this.durable.changes[version - 1]?.mark === mark || !this.world.isOn('tickByMark'),
      sealing_day: sealingDay,
      sealed_day: own?.sealedDay ?? null,
      replicas: Object.fromEntries(
        Map.groupBy(alive, ([, { state }]) => state)
          .entries()
          .map(([state, some]) => [state, some.length]),
      ),
      is_first: isFirst,
      recalls: recalls.map(([key]) => toPair(key)),
      peers: null,
      at: now,
    }
  }

  find(id: string): { folder: string; seenAt: string | null } | undefined {
    const replica = this.durable.replicas.get(id)
    return replica && { folder: replica.folder, seenAt: this.lookText(id) }
  }

  list() {
    return [...this.durable.replicas].flatMap(([id, { state, why }]) => {
      const holdsUnits = [...this.durable.grants.values()].some((rows) => unspent(rows.get(id)) > 0)
      return state === 'ended' && !holdsUnits ? [] : [{ id, state, why, seenAt: this.lookText(id), holdsUnits }]
    })
  }

  end(id: string, why: string, seenAt: string | null): boolean {
    if (why === 'lost' && this.lookText(id) !== seenAt) return false
    return this.endNow(id, why)
  }

  settle(id: string, by: { id: string; acked: number } | undefined): number {
    const { replicas, grants } = this.durable
    const merger = by && replicas.get(by.id)
    if (by !== undefined && (merger === undefined || merger.beat < by.acked)) throw new StoreLostWrites('merge lost')
    const ended = replicas.get(id)
    if (ended?.state !== 'ended' || !this.world.isOn('sweep')) return 0
    let count = 0
    for (const [key, rows] of grants) {
      const row = rows.get(id)
      if (row === undefined || unspent(row) <= 0) continue
      row.used = Math.max(row.used, this.ledgerUnits(key).get(id) ?? 0)
      row.granted = Math.max(row.granted, row.used)
      row.returned = Math.max(row.returned, row.granted - row.used)
      this.onSettled({ id, key, used: row.used, why: ended.why ?? '', isByStart: by !== undefined })
      count++
    }
    return count
  }

  flush(write: {
    replica: string
    owner: string
    acked: number
    rows: readonly UsageRow[]
    used: readonly { accountId: string; month: number; units: number }[] | undefined
  }): number {
    const { isOn } = this.world
    const { writers, usage, late, firstOpenDay, grants, quota } = this.durable
    this.requireBeat(write.replica, write.acked, true)
    for (const { writerId, keyId, utcDay, units } of write.rows) {
      if (!writers.has(writerId)) writers.set(writerId, write.owner)
      const key = `${writerId} ${keyId} ${utcDay}`
      const before = usage.get(key) ?? 0
      if (units <= before) continue
      if (utcDay < firstOpenDay && isOn('lateUsage')) late.set(key, Math.max(units, late.get(key) ?? 0))
      else usage.set(key, units)
    }
    const months = new Set(write.rows.map(({ keyId, utcDay }) => this.monthKey(keyId, utcDay)))
    const summed = () => [...months].map((key) => ({ key, units: this.ledgerUnits(key).get(write.owner) ?? 0 }))
    const used = write.used?.map(({ accountId, month, units }) => ({ key: `${month} ${accountId}`, units })) ?? summed()
    for (const { key, units } of isOn('flushTellsUsed') ? used : []) {
      if (!quota.has(key)) continue
      const rows = grants.getOrInsertComputed(key, () => new Map<string, GrantState>())
      const row = rows.getOrInsertComputed(write.owner, () => ({ granted: 0, returned: 0, used: 0 }))
      row.used = isOn('usedIsAbsolute') ? Math.max(row.used, units) : row.used + units
    }
    const isCounted = write.replica === write.owner || isOn('mergeHasBeat')
    const replica = this.require(write.replica)
    return isCounted ? ++replica.beat : 0
  }

  grant(id: string, acked: number, units: readonly UnitRequest[]): { beat: number; waits: boolean; grants: Grant[] } {
    const { durable, world } = this
    this.requireBeat(id, acked, false)
    const life = world.life()
    if (durable.life !== life) {
      const isFirst = durable.life === '' && [...durable.replicas.values()].every(({ toldLife }) => toldLife === life)
      durable.lifeSince = isFirst ? Number.NEGATIVE_INFINITY : world.now()
      durable.life = life
    }
    const alive = [...durable.replicas.values()].filter(({ state }) => state !== 'ended')
    const isTelling = world.now() < durable.lifeSince + TELL_MILLIS
    const waits = isTelling && world.isOn('waitForOthers')
    const grants = [...units].sort(byKey).map((request) => this.grantOne(id, request, { waits, count: alive.length }))
    return { beat: ++this.require(id).beat, waits, grants }
  }

  reportLife(id: string, acked: number, life: string): number {
    this.requireBeat(id, acked, false)
    const replica = this.require(id)
    replica.toldLife = life
    return ++replica.beat
  }

  changesSince({ version, mark }: Version): Change[] | undefined {
    const { changes, accounts } = this.durable
    const isKnown = changes[version - 1]?.mark === mark || (!this.world.isOn('readByMark') && version <= this.version)
    if (!isKnown) return undefined
    return changes.slice(version).map(({ mark, what }, at) => {
      return {
        version: version + at + 1,
        mark,
        what,
        termsMark: accounts.get(what.slice('account:'.length))?.mark ?? 0,
      }
    })
  }

  readMarks(): Version & { marks: Map<string, number>; plans: number } {
    const { changes, accounts } = this.durable
    const marks = new Map([...accounts].map(([id, terms]) => [id, terms.mark]))
    return { version: this.version, mark: changes[this.version - 1].mark, marks, plans: 0 }
  }

  /** The ids of the serving replicas that have not confirmed a version. */
  unconfirmed(version: number): string[] {
    const { replicas, changes } = this.durable
    return [...replicas].flatMap(([id, { state }]) => {
      const look = this.looks.get(id)
      const isMarked =
        look !== undefined && (changes[look.version - 1]?.mark === look.mark || !this.world.isOn('ackByMark'))
      return state === 'serving' && !(isMarked && look.version >= version) ? [id] : []
    })
  }

  seal(id: string, day: number): boolean {
    const replica = this.durable.replicas.get(id)
    if (replica !== undefined) replica.sealedDay = Math.max(replica.sealedDay, day)
    return replica !== undefined
  }

  closeDays(day: number): boolean {
    this.durable.sealingDay = Math.max(this.durable.sealingDay, day)
    const isOpen = [...this.durable.replicas.values()].some(
      ({ state, sealedDay }) => state !== 'ended' && sealedDay < day,
    )
    if (isOpen && this.world.isOn('sealFirst')) return false
    this.durable.firstOpenDay = Math.max(this.durable.firstOpenDay, day)
    return true
  }

  /**
   * Replica → its units in the ledger for a month and account.
   * @param key `<month> <account>`
   */
  ledgerUnits(key: string): Map<string, number> {
    const sums = new Map<string, number>()
    for (const [row, units] of this.durable.usage) {
      const [writer = '', keyId = '', day] = row.split(' ')
      if (this.monthKey(keyId, Number(day)) !== key) continue
      const owner = this.durable.writers.get(writer) ?? ''
      sums.set(owner, (sums.get(owner) ?? 0) + units)
    }
    return sums
  }

  private grantOne(id: string, ask: UnitRequest, { waits, count }: { waits: boolean; count: number }): Grant {
    const { isOn } = this.world
    const { quota, grants, accounts } = this.durable
    const key = `${ask.month} ${ask.accountId}`
    const rows = grants.getOrInsertComputed(key, () => new Map<string, GrantState>())
    if (!quota.has(key)) {
      quota.add(key)
      for (const [owner, units] of isOn('rowsWithQuota') ? this.ledgerUnits(key) : []) {
        rows.set(owner, { granted: units, returned: 0, used: units })
      }
    }
    const own = rows.getOrInsertComputed(id, () => ({ granted: 0, returned: 0, used: 0 }))
    own.returned = Math.max(own.returned, ask.returned)
    own.used = Math.max(own.used, ask.used)
    own.granted = Math.max(own.granted, isOn('known') ? ask.known : 0, own.used + own.returned)
    let [held, usedElsewhere, unspentElsewhere, unspentBySilent] = [heldOf(own), 0, 0, 0]
    for (const [other, row] of rows) {
      if (other === id) continue
      held += heldOf(row)
      usedElsewhere += row.used
      unspentElsewhere += unspent(row)
      if (!this.isSeen(other)) unspentBySilent += unspent(row)
    }
    const isStale = isOn('termsMark') && accounts.get(ask.accountId)?.mark !== ask.termsMark
    let grantedNow = 0
    if (ask.cap !== null && !waits && !isStale && ask.need + ask.size > 0) {
      const left = ask.cap - held
      const share = Math.trunc(left / (4 * count))
      grantedNow = Math.max(0, Math.min(left, Math.max(ask.need, 5, Math.min(ask.size, share))))
      if (grantedNow < ask.need && isOn('recall')) this.recalls.set(key, this.world.now())
      own.granted += grantedNow
    }
    const { accountId, month } = ask
    const { granted } = own
    return { accountId, month, granted, grantedNow, usedElsewhere, unspentElsewhere, unspentBySilent, isStale }
  }

  private endNow(id: string, why: string): boolean {
    const replica = this.durable.replicas.get(id)
    if (replica === undefined || replica.state === 'ended') return false
    this.onEnd(id, why)
    replica.state = 'ended'
    replica.why = why
    return true
  }

  private require(id: string): ReplicaState {
    const replica = this.durable.replicas.get(id)
    if (replica === undefined) throw new StoreLostWrites('unknown replica')
    return replica
  }

  private requireBeat(id: string, acked: number, isEndedFine: boolean): void {
    const replica = this.require(id)
    if (replica.state === 'ended') {
      if (isEndedFine) return
      throw new ReplicaEnded(`ended: ${replica.why}`)
    }
    if (replica.beat < acked && this.world.isOn('beatRefuses')) throw new StoreLostWrites('beat lost')
  }

  private isSeen(id: string): boolean {
    return (this.looks.get(id)?.seenAt ?? Number.NEGATIVE_INFINITY) > this.world.now() - SILENT_MILLIS
  }

  private lookText(id: string): string | null {
    const look = this.looks.get(id)
    return look === undefined ? null : String(look.seenAt)
  }

  private monthKey(keyId: string, day: number): string {
    return `${this.world.monthOfDay(day)} ${this.world.accountOfKey(keyId)}`
  }
}

/** The units of a grant that count toward the account's cap. */
export function heldOf({ granted, returned, used }: GrantState): number {
  return Math.max(granted - returned, used)
}

function unspent(row: GrantState | undefined): number {
  return row === undefined ? 0 : Math.max(0, row.granted - row.returned - row.used)
}

function byKey(a: UnitRequest, b: UnitRequest): number {
  return a.accountId < b.accountId ? -1 : a.accountId > b.accountId ? 1 : a.month - b.month
}

function toPair(key: string): readonly [string, number] {
  const [month, accountId = ''] = key.split(' ')
  return [accountId, Number(month)]
}
