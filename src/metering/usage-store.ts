// The part of a database that the ledger needs: rows with counts of units and calls. Implemented by the account store
// (accounts/account-store.ts).

/** What one writer counted for one key on one UTC day. The counts never decrease. */
export interface UsageRow {
  readonly writerId: string
  readonly keyId: string
  /** UTC days since 1970-01-01. */
  readonly utcDay: number
  readonly units: number
  readonly calls: number
  readonly lastUsedMillis: number
}

/** The ledger's store. Every method is one transaction. */
export interface UsageStore {
  /**
   * Stores total counts. Of the stored and the new count, keeps the larger one, so repeated or late rows change
   * nothing.
   */
  mergeUsage(rows: readonly UsageRow[]): Promise<void>
  /** The ledger rows of one writer, or of all writers. */
  listUsage(writerId?: string): Promise<UsageRow[]>
  /** Keys of one account or of all accounts, revoked ones included, oldest first. */
  listKeys(accountId?: string): Promise<readonly { readonly id: string }[]>
}
