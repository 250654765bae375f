// What the ledger needs of a database: rows of counted units, merged by maximum. Implemented by the store of accounts
// (accounts/).

/** One writer's count of one key on one UTC day. Values never fall. */
export interface UsageRow {
  readonly writerId: string
  readonly keyId: string
  /** Days after 1970 (UTC). */
  readonly utcDay: number
  readonly units: number
  readonly calls: number
  readonly lastUsedMillis: number
}

/** The ledger's store. Every method is one transaction. */
export interface UsageStore {
  /** Merges absolute counts by maximum: repeated, late or reordered merges change nothing. */
  mergeUsage(rows: readonly UsageRow[]): Promise<void>
  /** The ledger rows of one writer, or all. */
  listUsage(writerId?: string): Promise<UsageRow[]>
  /** Keys of one account or of all, revoked ones included, oldest first. */
  listKeys(accountId?: string): Promise<readonly { readonly id: string }[]>
}
