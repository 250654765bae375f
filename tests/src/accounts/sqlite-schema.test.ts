// Tests migrations and additions of a SQLite file, with the tests for both databases (schema-contract.ts). Also kills a
// program, which must leave only complete steps. Fails if a file remains that the next start cannot migrate.
import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { ADDITIONS, MIGRATIONS } from '../../../src/accounts/migrations.ts'
import { POSTGRES_ADDITIONS, POSTGRES_MIGRATIONS } from '../../../src/accounts/postgres-migrations.ts'
import { findSqliteSchema, migrateSqlite } from '../../../src/accounts/sqlite-schema.ts'
import { roundsBySize } from '../../size.ts'
import { makeFolder } from '../account-fixture.ts'
import { openAndMigrate, programArguments } from './migrating-program.ts'
import { expectSteps, type SchemaDatabase, testSchemaContract } from './schema-contract.ts'
import { additionsOf, expectedShape, type History, sqliteSchema } from './schema-history.ts'

const KILLS = roundsBySize({ quick: 3, ci: 8, full: 40 })
/** Enough steps that a kill arrives before the last one. */
const LONG: History = Array.from({ length: 120 }, (_, at) => (['column', 'rename', 'table', 'index'] as const)[at % 4])

class SchemaFile implements SchemaDatabase {
  readonly path = join(makeFolder(), 'quai.db')

  async clear(): Promise<void> {
    for (const tail of ['', '-wal', '-shm']) rmSync(this.path + tail, { force: true })
  }

  async start(history: History): Promise<void> {
    openAndMigrate(this.path, sqliteSchema(history))
  }

  spawn(history: History) {
    return Bun.spawn(programArguments(this.path, history), { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  }

  async state() {
    return this.reading((database) => findSqliteSchema(database))
  }

  async shape() {
    return this.reading((database) => {
      const names = database
        .query<{ name: string }, []>(`SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`)
        .all()
        .map(({ name }) => name)
        .filter((name) => name !== 'schema_version' && name !== 'additions')
      const shapes = names.map((name) => {
        const columns = database.query<{ name: string }, []>(`SELECT name FROM pragma_table_info('${name}')`).all()
        const indexes = database
          .query<{ name: string }, []>(
            `SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = '${name}' AND sql IS NOT NULL ORDER BY rowid`,
          )
          .all()
        return `${name}(${columns.map((column) => column.name)}) ${indexes.map((index) => index.name)}`
      })
      return shapes.sort()
    })
  }

  private reading<Result>(read: (database: Database) => Result): Result {
    const database = new Database(this.path)
    try {
      return read(database)
    } finally {
      database.close()
    }
  }
}

describe('a SQLite file', () => {
  testSchemaContract(async () => new SchemaFile())

  test('keeps completed steps if its program fails at one, and the next start runs the others', async () => {
    const history: History = ['column', 'rename', 'table', 'rename', 'index']
    for (const failing of [0, 2, 4]) {
      const file = new SchemaFile()
      const schema = sqliteSchema(history)
      const name = additionsOf(history).find((addition) => addition.endsWith(`-${failing}`))
      const broken = schema.additions.map((addition) =>
        addition.name === name ? { ...addition, sql: `${addition.sql}; CREATE TABLE things_0 (` } : addition,
      )
      expect(() => openAndMigrate(file.path, { ...schema, additions: broken })).toThrow('incomplete input')
      expect(await file.shape()).toEqual(expectedShape(history.slice(0, failing)))
      await file.start(history)
      await expectSteps(file, history)
    }
  })

  test('is migrated by the next start if its program is killed during the steps', async () => {
    const cut: number[] = []
    for (let kill = 0; kill < KILLS; kill++) {
      const file = new SchemaFile()
      await file.start([])
      const program = file.spawn(LONG)
      const stepsBefore = 1 + Math.floor((kill / KILLS) * LONG.length * 0.7)
      for (;;) {
        const { version, additions } = await file.state()
        if (version - 1 + additions.length >= stepsBefore || program.exitCode !== null) break
        await Bun.sleep(1)
      }
      program.kill('SIGKILL')
      await program.exited
      const { version, additions } = await file.state()
      const steps = version - 1 + additions.length
      expect(await file.shape()).toEqual(expectedShape(LONG.slice(0, steps)))
      if (steps < LONG.length) cut.push(steps)
      await file.start(LONG)
      await expectSteps(file, LONG)
    }
    console.error(`killed after ${cut} of ${LONG.length} steps`)
    expect(cut.length).toBeGreaterThan(0)
  }, 120_000)

  test('without tables is rejected and left unchanged, if keys were used before', async () => {
    const file = new SchemaFile()
    const database = new Database(file.path, { create: true })
    expect(() => migrateSqlite(database, file.path, { refusal: 'the keys are gone' })).toThrow('the keys are gone')
    expect(database.query('SELECT count(*) AS count FROM sqlite_schema').get()).toEqual({ count: 0 })
    database.close()
  })
})

describe('the additions of this program', () => {
  test('are the same in both databases, in order, each with a unique name', () => {
    for (const additions of [ADDITIONS, POSTGRES_ADDITIONS]) {
      const names = additions.map(({ name }) => name)
      expect(names).toEqual([...new Set(names)])
      const since = additions.map((addition) => addition.since)
      expect(since).toEqual(since.toSorted((a, b) => a - b))
    }
    const inPostgres = POSTGRES_ADDITIONS.map(({ name }) => name)
    expect(inPostgres).toEqual(expect.arrayContaining(ADDITIONS.map(({ name }) => name)))
    for (const { since } of ADDITIONS) expect(since).toBeLessThanOrEqual(MIGRATIONS.length)
    for (const { since } of POSTGRES_ADDITIONS) expect(since).toBeLessThanOrEqual(POSTGRES_MIGRATIONS.length)
  })

  test('only add', () => {
    const statements = [
      ...ADDITIONS.flatMap(({ sql }) => sql.split(';')),
      ...POSTGRES_ADDITIONS.flatMap(({ sql }) => sql),
    ]
    for (const statement of statements) if (statement.trim() !== '') expect(isAdditive(statement)).toBe(true)
    const additive = [
      'CREATE TABLE quai.remarks (id text PRIMARY KEY, words text NOT NULL)',
      'CREATE INDEX remarks_by_day ON remarks (day)',
      'ALTER TABLE keys ADD COLUMN origins TEXT',
      'ALTER TABLE keys ADD COLUMN weight INTEGER NOT NULL DEFAULT 1',
      'CREATE FUNCTION quai.remark() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$',
    ]
    expect(additive.filter((statement) => !isAdditive(statement))).toEqual([])
    const others = [
      'CREATE UNIQUE INDEX remarks_once ON remarks (day)',
      'ALTER TABLE keys ADD COLUMN origins TEXT NOT NULL',
      'ALTER TABLE keys DROP COLUMN name',
      'CREATE OR REPLACE FUNCTION quai.remark() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$',
      'CREATE TRIGGER keys_remark AFTER INSERT ON keys BEGIN SELECT 1; END',
      'UPDATE keys SET name = upper(name)',
    ]
    expect(others.filter(isAdditive)).toEqual([])
  })
})

/** Whether programs of earlier versions can still use the database after a statement has run. */
function isAdditive(statement: string): boolean {
  const words = statement.trim().split(/\s+/).join(' ')
  if (/^CREATE (TABLE|INDEX|FUNCTION) /.test(words)) return true
  if (!/^ALTER TABLE \S+ ADD COLUMN /.test(words)) return false
  return !words.includes(' NOT NULL') || words.includes(' DEFAULT ')
}
