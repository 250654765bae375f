// Tests migrations and additions in PostgreSQL, with the tests for both databases (schema-contract.ts). Also tests what
// only PostgreSQL can do: older replicas can use a newer version's database, and if a program is killed, all of its
// steps are rolled back. Fails if only some of the steps remain.
import { afterAll, describe, expect, test } from 'bun:test'
import { makeDatabase, POSTGRES, sayWhatIsLeftOut, type TestDatabase } from '../../databases/test-postgres.ts'
import { connectAndMigrate, programArguments } from './migrating-program.ts'
import { expectSteps, type SchemaDatabase, testSchemaContract } from './schema-contract.ts'
import { type History, postgresSchema } from './schema-history.ts'

sayWhatIsLeftOut()

const databases: TestDatabase[] = []
afterAll(async () => {
  for (const database of databases) await database.remove()
})

class SchemaInPostgres implements SchemaDatabase {
  readonly database: TestDatabase

  constructor(database: TestDatabase) {
    this.database = database
  }

  static async make(): Promise<SchemaInPostgres> {
    const database = await makeDatabase()
    databases.push(database)
    return new SchemaInPostgres(database)
  }

  async clear(): Promise<void> {
    await this.database.query('DROP SCHEMA IF EXISTS quai CASCADE')
  }

  async start(history: History): Promise<void> {
    await connectAndMigrate(this.database.url, postgresSchema(history))
  }

  spawn(history: History) {
    const command = programArguments(this.database.url, history)
    return Bun.spawn(command, { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  }

  async state() {
    const [{ version }] = await this.database.query<{ version: number }>('SELECT version FROM quai.schema_version')
    const [{ exists }] = await this.database.query<{ exists: boolean }>(
      `SELECT EXISTS (SELECT FROM pg_tables WHERE schemaname = 'quai' AND tablename = 'additions') AS exists`,
    )
    const found = exists
      ? await this.database.query<{ name: string }>('SELECT name FROM quai.additions ORDER BY name')
      : []
    return { version, additions: found.map(({ name }) => name) }
  }

  async shape() {
    const found = await this.database.query<{ shape: string }>(
      `SELECT c.relname || '(' || (SELECT string_agg(attname, ',' ORDER BY attnum) FROM pg_attribute
           WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped) || ') ' ||
         coalesce((SELECT string_agg(i.relname, ',' ORDER BY i.oid) FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid
           WHERE x.indrelid = c.oid AND NOT x.indisprimary), '') AS shape
       FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE n.nspname = 'quai' AND c.relkind = 'r' AND c.relname NOT IN ('schema_version', 'additions')`,
    )
    return found.map(({ shape }) => shape).sort()
  }
}

describe.skipIf(POSTGRES === undefined)('a PostgreSQL database', () => {
  testSchemaContract(() => SchemaInPostgres.make())

  test('of a compatible newer version is used by older programs, and they change neither version', async () => {
    const schema = await SchemaInPostgres.make()
    const newer: History = ['column', 'rename', 'index']
    await connectAndMigrate(schema.database.url, postgresSchema(newer, 1))
    await connectAndMigrate(schema.database.url, postgresSchema(['column']))
    await expectSteps(schema, newer)
    expect(await schema.database.query('SELECT version, usable_from FROM quai.schema_version')).toEqual([
      { version: 2, usable_from: 1 },
    ])
  })

  test('is unchanged if its program is killed during the steps, and the next start runs them all', async () => {
    const schema = await SchemaInPostgres.make()
    const older: History = ['column', 'rename']
    const newer: History = [...older, 'table', 'rename', 'index']
    await schema.start(older)
    // One step of the spawned program needs the table that this transaction locks. So the program waits at that step,
    // and can be killed there.
    await schema.database.query('BEGIN')
    await schema.database.query('LOCK TABLE quai.things_1')
    const program = schema.spawn(newer)
    const waits = `SELECT FROM pg_locks WHERE NOT granted AND relation = 'quai.things_1'::regclass`
    while ((await schema.database.query(waits)).length === 0) await Bun.sleep(5)
    program.kill('SIGKILL')
    await program.exited
    await schema.database.query('ROLLBACK')
    await expectSteps(schema, older)
    await schema.start(newer)
    await expectSteps(schema, newer)
  }, 30_000)
})
