// Second factors in the account store's PostgreSQL database.
import type { AccountEvent } from './account-event.ts'
import type { FactorStart, FactorStore, StoredFactor } from './factor-store.ts'
import { insertPostgresEvents } from './postgres-billing-store.ts'
import type { PostgresSession, RunStatement } from './postgres-session.ts'
import { type FactorRow, toFactor } from './store-rows.ts'

/** The second factors of the account store. */
export class PostgresFactorStore implements FactorStore {
  private readonly database: PostgresSession

  constructor(database: PostgresSession) {
    this.database = database
  }

  async find(accountId: string): Promise<StoredFactor | undefined> {
    const { rows } = await this.database.query<FactorRow>(
      `SELECT secret, enabled_at::float8 AS enabled_at, (SELECT count(*)::float8 FROM quai.recovery_codes
         WHERE recovery_codes.account_id = factors.account_id) AS code_count
       FROM quai.factors WHERE account_id = $1`,
      [accountId],
    )
    return rows[0] === undefined ? undefined : toFactor(rows[0])
  }

  async prepare(accountId: string, sealedSecret: string): Promise<boolean> {
    const text = `INSERT INTO quai.factors (account_id, secret, last_step) VALUES ($1, $2, 0)
      ON CONFLICT (account_id) DO UPDATE SET secret = excluded.secret WHERE factors.enabled_at IS NULL RETURNING 1`
    return (await this.database.query(text, [accountId, sealedSecret])).rows.length > 0
  }

  async enable({ accountId, step, codeDigests, event }: FactorStart, sealedSecret: string): Promise<boolean> {
    const text = `UPDATE quai.factors SET enabled_at = $1::bigint, last_step = $2::bigint
      WHERE account_id = $3 AND secret = $4 AND enabled_at IS NULL RETURNING 1`
    return await this.database.transaction(async (run) => {
      const { rows } = await run(text, [event.atMillis, step, accountId, sealedSecret])
      if (rows.length === 0) return false
      await putCodes(run, accountId, codeDigests)
      await insertPostgresEvents(run, [event])
      return true
    })
  }

  async useStep(accountId: string, step: number): Promise<boolean> {
    const text = `UPDATE quai.factors SET last_step = $2::bigint
      WHERE account_id = $1 AND last_step < $2::bigint RETURNING 1`
    return (await this.database.query(text, [accountId, step])).rows.length > 0
  }

  async useRecoveryCode(digest: string, event: AccountEvent): Promise<boolean> {
    const text = 'DELETE FROM quai.recovery_codes WHERE account_id = $1 AND digest = $2 RETURNING 1'
    return await this.database.transaction(async (run) => {
      if ((await run(text, [event.accountId, digest])).rows.length === 0) return false
      await insertPostgresEvents(run, [event])
      return true
    })
  }

  async replaceRecoveryCodes(codeDigests: readonly string[], event: AccountEvent): Promise<boolean> {
    return await this.database.transaction(async (run) => {
      if (!(await isEnabled(run, event.accountId))) return false
      await putCodes(run, event.accountId, codeDigests)
      await insertPostgresEvents(run, [event])
      return true
    })
  }

  async remove(event: AccountEvent): Promise<boolean> {
    return await this.database.transaction(async (run) => {
      if (!(await isEnabled(run, event.accountId))) return false
      await run('DELETE FROM quai.factors WHERE account_id = $1', [event.accountId])
      await run('DELETE FROM quai.recovery_codes WHERE account_id = $1', [event.accountId])
      await insertPostgresEvents(run, [event])
      return true
    })
  }
}

/** Whether a factor is enabled. Locks its row, so that the answer stays the same until the transaction ends. */
async function isEnabled(run: RunStatement, accountId: string): Promise<boolean> {
  const text = 'SELECT 1 FROM quai.factors WHERE account_id = $1 AND enabled_at IS NOT NULL FOR UPDATE'
  return (await run(text, [accountId])).rows.length > 0
}

async function putCodes(run: RunStatement, accountId: string, digests: readonly string[]): Promise<void> {
  await run('DELETE FROM quai.recovery_codes WHERE account_id = $1', [accountId])
  for (const digest of digests) {
    await run('INSERT INTO quai.recovery_codes (account_id, digest) VALUES ($1, $2)', [accountId, digest])
  }
}
