// The store of the ledger in the model of metering. If a row arrives twice, the store keeps the larger count, as every
// store must. A merge can fail before or after it has an effect, can be applied twice, or can arrive long afterwards.
import type { StoredKey } from '../../../src/accounts/account-store.ts'
import type { UsageRow, UsageStore } from '../../../src/metering/usage-store.ts'

/** How the next merge fails. */
export type StoreFault = 'refused' | 'answer lost' | 'twice' | 'late'

/** A row's key in the ledger. */
export function rowKey(row: { writerId: string; keyId: string; utcDay: number }): string {
  return `${row.writerId} ${row.keyId} ${row.utcDay}`
}

/** An in-memory store whose merges can fail, arrive twice or arrive late. */
export class FaultyStore implements UsageStore {
  readonly rows = new Map<string, UsageRow>()
  fault: StoreFault | undefined
  /** Whether all merges and reads of usage fail. */
  isDown = false
  private readonly keys: StoredKey[]
  /** Merges that were sent but have not arrived yet. They can be delivered at any time. */
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
      throw new Error('the store did not respond')
    }
    this.merge(rows)
    if (fault === 'twice') this.merge(rows)
    if (fault === 'answer lost') throw new Error('the store lost its response')
  }

  async listUsage(writerId?: string): Promise<UsageRow[]> {
    if (this.isDown) throw new Error('the store is down')
    return [...this.rows.values()].filter((row) => writerId === undefined || row.writerId === writerId)
  }

  async listKeys(): Promise<StoredKey[]> {
    return this.keys
  }

  /** Drops the late merges, so that they never arrive. */
  forgetLate(): void {
    this.underWay.length = 0
  }

  /** Delivers the newest of the late merges first, so that late merges arrive out of order. */
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
