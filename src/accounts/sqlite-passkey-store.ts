// Passkeys in the account store's SQLite file.
import type { Database } from 'bun:sqlite'
import type { AccountEvent } from './account-event.ts'
import type { PasskeyStore, StoredPasskey } from './passkey-store.ts'
import { insertSqliteEvents } from './sqlite-billing-store.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import { type PasskeyRow, toPasskey } from './store-rows.ts'

const INSERT = `INSERT INTO passkeys (id, account_id, public_key, counter, name, created_at, used_at)
  SELECT $id, $accountId, $publicKey, $counter, $name, $createdAtMillis, $usedAtMillis
  WHERE (SELECT count(*) FROM passkeys WHERE account_id = $accountId) < $limit
  ON CONFLICT (id) DO NOTHING`

/** The passkeys of the account store. */
export class SqlitePasskeyStore implements PasskeyStore {
  private readonly connection: SqliteConnection
  private readonly database: Database

  constructor(connection: SqliteConnection) {
    this.connection = connection
    this.database = connection.database
  }

  async list(accountId: string): Promise<StoredPasskey[]> {
    const list = this.database.query<PasskeyRow, [string]>(
      'SELECT * FROM passkeys WHERE account_id = ? ORDER BY created_at, id',
    )
    return (await this.connection.whenFree(() => list.all(accountId))).map(toPasskey)
  }

  async find(id: string): Promise<StoredPasskey | undefined> {
    const find = this.database.query<PasskeyRow, [string]>('SELECT * FROM passkeys WHERE id = ?')
    const row = await this.connection.whenFree(() => find.get(id))
    return row === null ? undefined : toPasskey(row)
  }

  async insert(passkey: StoredPasskey, limit: number, event: AccountEvent): Promise<boolean> {
    const insert = this.database.query(INSERT)
    return await this.connection.transaction(() => {
      if (insert.run({ ...passkey, limit }).changes === 0) return false
      insertSqliteEvents(this.database, [event])
      return true
    })
  }

  async use(id: string, { counter, atMillis }: { readonly counter: number; readonly atMillis: number }): Promise<void> {
    const use = this.database.query('UPDATE passkeys SET counter = ?, used_at = ? WHERE id = ?')
    await this.connection.whenFree(() => use.run(counter, atMillis, id))
  }

  async remove(id: string, event: AccountEvent): Promise<boolean> {
    const remove = this.database.query('DELETE FROM passkeys WHERE id = ? AND account_id = ?')
    return await this.connection.transaction(() => {
      if (remove.run(id, event.accountId).changes === 0) return false
      insertSqliteEvents(this.database, [event])
      return true
    })
  }
}
