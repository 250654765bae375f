// The ledger of a model of metering. It keeps the larger of two counts, as every store must. Its connection can fail
// before or after a merge, send a merge twice, or deliver it long afterwards.
import type { StoredKey } from '../../../src/accounts/account-store.ts'
import type { UsageRow, UsageStore } from '../../../src/metering/usage-store.ts'

/** The fault of the next merge. */
export type StoreFault = 'refused' | 'answer lost' | 'twice' | 'late'

/** A row's key in the ledger. */
export function rowKey(row: { writerId: string; keyId: string; utcDay: number }): string {
  return `${row.writerId} ${row.keyId} ${row.utcDay}`
}

/** A store with rows in memory, whose merges can fail, arrive twice or arrive late. */
export class FaultyStore implements UsageStore {
  readonly rows = new Map<string, UsageRow>()
  fault: StoreFault | undefined
  /** Whether reads fail too. */
  isDown = false
  private readonly keys: StoredKey[]
  /** Merges that were sent but have not arrived: they may be delivered at any time. */
  private readonly underWay: UsageRow[][] = []

  constructor(keys: readonly StoredKey[]) {
    this.keys = [...keys]
  }

  async mergeUsage(rows: readonly UsageRow[]): Promise<void> {
    if (this.isDown) throw new Error('the store is down')
    const fault = this.fault
    this.fault = undefined
    if (fault === 'refused') throw new Error('the store refused')
    if (fault === 'late') {
      this.underWay.push([...rows])
      throw new Error('the store did not answer')
    }
    this.merge(rows)
    if (fault === 'twice') this.merge(rows)
    if (fault === 'answer lost') throw new Error('the answer of the store was lost')
  }

  async listUsage(writerId?: string): Promise<UsageRow[]> {
    if (this.isDown) throw new Error('the store is down')
    return [...this.rows.values()].filter((row) => writerId === undefined || row.writerId === writerId)
  }

  async listKeys(): Promise<StoredKey[]> {
    return this.keys
  }

  /** Drops the late merges: they never arrive. */
  forgetLate(): void {
    this.underWay.length = 0
  }

  /** Delivers one of the late merges, the newest first, so that they arrive in another order. */
  deliver(): void {
    this.merge(this.underWay.pop() ?? [])
  }

  private merge(rows: readonly UsageRow[]): void {
    for (const row of rows) {
      const before = this.rows.get(rowKey(row)) ?? row
      this.rows.set(rowKey(row), {
        ...row,
        units: Math.max(before.units, row.units),
        calls: Math.max(before.calls, row.calls),
        lastUsedMillis: Math.max(before.lastUsedMillis, row.lastUsedMillis),
      })
    }
  }
}
