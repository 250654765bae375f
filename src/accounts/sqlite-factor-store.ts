// Second factors in the account store's SQLite file.
import type { Database } from 'bun:sqlite'
import type { AccountEvent } from './account-event.ts'
import type { FactorStart, FactorStore, StoredFactor } from './factor-store.ts'
import { insertSqliteEvents } from './sqlite-billing-store.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import { type FactorRow, toFactor } from './store-rows.ts'

/** The second factors of the account store. */
export class SqliteFactorStore implements FactorStore {
  private readonly connection: SqliteConnection
  private readonly database: Database

  constructor(connection: SqliteConnection) {
    this.connection = connection
    this.database = connection.database
  }

  async find(accountId: string): Promise<StoredFactor | undefined> {
    const find = this.database.query<FactorRow, [string]>(
      `SELECT secret, enabled_at,
         (SELECT count(*) FROM recovery_codes WHERE recovery_codes.account_id = factors.account_id) AS code_count
       FROM factors WHERE account_id = ?`,
    )
    const row = await this.connection.whenFree(() => find.get(accountId))
    return row === null ? undefined : toFactor(row)
  }

  async prepare(accountId: string, sealedSecret: string): Promise<boolean> {
    const text = `INSERT INTO factors (account_id, secret, last_step) VALUES (?, ?, 0)
      ON CONFLICT (account_id) DO UPDATE SET secret = excluded.secret WHERE enabled_at IS NULL`
    return (await this.connection.whenFree(() => this.run(text, accountId, sealedSecret))) > 0
  }

  async enable({ accountId, step, codeDigests, event }: FactorStart, sealedSecret: string): Promise<boolean> {
    const text = `UPDATE factors SET enabled_at = ?, last_step = ?
      WHERE account_id = ? AND secret = ? AND enabled_at IS NULL`
    return await this.connection.transaction(() => {
      if (this.run(text, event.atMillis, step, accountId, sealedSecret) === 0) return false
      this.putCodes(accountId, codeDigests)
      insertSqliteEvents(this.database, [event])
      return true
    })
  }

  async useStep(accountId: string, step: number): Promise<boolean> {
    const text = 'UPDATE factors SET last_step = ? WHERE account_id = ? AND last_step < ?'
    return (await this.connection.whenFree(() => this.run(text, step, accountId, step))) > 0
  }

  async useRecoveryCode(digest: string, event: AccountEvent): Promise<boolean> {
    const text = 'DELETE FROM recovery_codes WHERE account_id = ? AND digest = ?'
    return await this.connection.transaction(() => {
      if (this.run(text, event.accountId, digest) === 0) return false
      insertSqliteEvents(this.database, [event])
      return true
    })
  }

  async replaceRecoveryCodes(codeDigests: readonly string[], event: AccountEvent): Promise<boolean> {
    return await this.connection.transaction(() => {
      if (!this.isEnabled(event.accountId)) return false
      this.putCodes(event.accountId, codeDigests)
      insertSqliteEvents(this.database, [event])
      return true
    })
  }

  async remove(event: AccountEvent): Promise<boolean> {
    const { accountId } = event
    return await this.connection.transaction(() => {
      if (!this.isEnabled(accountId)) return false
      this.run('DELETE FROM factors WHERE account_id = ?', accountId)
      this.run('DELETE FROM recovery_codes WHERE account_id = ?', accountId)
      insertSqliteEvents(this.database, [event])
      return true
    })
  }

  private isEnabled(accountId: string): boolean {
    const text = 'SELECT 1 FROM factors WHERE account_id = ? AND enabled_at IS NOT NULL'
    return this.database.query(text).get(accountId) !== null
  }

  private putCodes(accountId: string, digests: readonly string[]): void {
    this.run('DELETE FROM recovery_codes WHERE account_id = ?', accountId)
    for (const digest of digests) {
      this.run('INSERT INTO recovery_codes (account_id, digest) VALUES (?, ?)', accountId, digest)
    }
  }

  /** Runs a statement; returns the number of rows changed. */
  private run(text: string, ...values: (string | number)[]): number {
    return this.database.query(text).run(...values).changes
  }
}
