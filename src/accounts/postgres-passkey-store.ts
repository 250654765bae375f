// Passkeys in the account store's PostgreSQL database.
import type { AccountEvent } from './account-event.ts'
import type { PasskeyStore, StoredPasskey } from './passkey-store.ts'
import { insertPostgresEvents } from './postgres-billing-store.ts'
import type { PostgresSession } from './postgres-session.ts'
import { type PasskeyRow, toPasskey } from './store-rows.ts'

const COLUMNS = `id, account_id, public_key, counter::float8 AS counter, name, created_at::float8 AS created_at,
  used_at::float8 AS used_at`
const INSERT = `INSERT INTO quai.passkeys (id, account_id, public_key, counter, name, created_at, used_at)
  SELECT $1, $2, $3, $4::bigint, $5, $6::bigint, $7::bigint
  WHERE (SELECT count(*) FROM quai.passkeys WHERE account_id = $2) < $8::int
  ON CONFLICT (id) DO NOTHING RETURNING 1`

/** The passkeys of the account store. */
export class PostgresPasskeyStore implements PasskeyStore {
  private readonly database: PostgresSession

  constructor(database: PostgresSession) {
    this.database = database
  }

  async list(accountId: string): Promise<StoredPasskey[]> {
    const text = `SELECT ${COLUMNS} FROM quai.passkeys WHERE account_id = $1 ORDER BY passkeys.created_at, id`
    return (await this.database.query<PasskeyRow>(text, [accountId])).rows.map(toPasskey)
  }

  async find(id: string): Promise<StoredPasskey | undefined> {
    const text = `SELECT ${COLUMNS} FROM quai.passkeys WHERE id = $1`
    const [row] = (await this.database.query<PasskeyRow>(text, [id])).rows
    return row === undefined ? undefined : toPasskey(row)
  }

  async insert(passkey: StoredPasskey, limit: number, event: AccountEvent): Promise<boolean> {
    const { id, accountId, publicKey, counter, name, createdAtMillis, usedAtMillis } = passkey
    const values = [id, accountId, publicKey, counter, name, createdAtMillis, usedAtMillis, limit]
    return await this.database.transaction(async (run) => {
      // The lock makes concurrent inserts for the account wait, so that together they cannot exceed the limit.
      await run('SELECT id FROM quai.accounts WHERE id = $1 FOR UPDATE', [accountId])
      if ((await run(INSERT, values)).rows.length === 0) return false
      await insertPostgresEvents(run, [event])
      return true
    })
  }

  async use(id: string, { counter, atMillis }: { readonly counter: number; readonly atMillis: number }): Promise<void> {
    const text = 'UPDATE quai.passkeys SET counter = $2::bigint, used_at = $3::bigint WHERE id = $1'
    await this.database.query(text, [id, counter, atMillis])
  }

  async remove(id: string, event: AccountEvent): Promise<boolean> {
    const text = 'DELETE FROM quai.passkeys WHERE id = $1 AND account_id = $2 RETURNING 1'
    return await this.database.transaction(async (run) => {
      if ((await run(text, [id, event.accountId])).rows.length === 0) return false
      await insertPostgresEvents(run, [event])
      return true
    })
  }
}
