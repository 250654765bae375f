// Generated schemas for both databases: the steps of a program, and what a database must contain after them.
import fc from 'fast-check'
import type { PostgresSchema } from '../../../src/accounts/postgres-schema.ts'
import type { Addition, Schema } from '../../../src/accounts/schema-steps.ts'

/** One step. `rename` renames the first table, which breaks older programs. The other steps are additions. */
export type HistoryStep = 'rename' | 'table' | 'column' | 'index'

/** The steps after the first migration, which creates a table. */
export type History = readonly HistoryStep[]

export const histories: fc.Arbitrary<History> = fc.array(fc.constantFrom('rename', 'table', 'column', 'index'), {
  maxLength: 8,
})

/** The number of migrations in a program with these steps. */
export function versionOf(history: History): number {
  return 1 + history.filter((step) => step === 'rename').length
}

/** The names of the additions in a program with these steps. */
export function additionsOf(history: History): string[] {
  return history.flatMap((step, at) => (step === 'rename' ? [] : [`${step}-${at}`]))
}

/** What a database contains after these steps: `table(columns) indexes` for each table, by name. */
export function expectedShape(history: History): string[] {
  let name = 'things'
  const columns = ['id']
  const indexes: string[] = []
  const others: string[] = []
  for (const [at, step] of history.entries()) {
    if (step === 'rename') name = `things_${at}`
    else if (step === 'table') others.push(`other_${at}(id) `)
    else if (step === 'column') columns.push(`column_${at}`)
    else indexes.push(`index_${at}`)
  }
  return [...others, `${name}(${columns}) ${indexes}`].sort()
}

/** A program's schema for SQLite. */
export function sqliteSchema(history: History): Schema<string> {
  const { migrations, additions } = toSchema(history, '')
  return { migrations, additions }
}

/**
 * A program's schema for PostgreSQL.
 * @param usableFrom lowest version of programs that can use the database; if 0, only this version can
 */
export function postgresSchema(history: History, usableFrom = 0): PostgresSchema {
  const { migrations, additions } = toSchema(history, 'quai.')
  return {
    migrations: migrations.map((sql, at) =>
      at === 0 ? [sql, 'ALTER TABLE quai.schema_version ADD COLUMN usable_from integer'] : [sql],
    ),
    additions: additions.map((addition) => ({ ...addition, sql: [addition.sql] })),
    usableFrom: usableFrom === 0 ? migrations.length : usableFrom,
  }
}

function toSchema(history: History, prefix: string) {
  const migrations = [`CREATE TABLE ${prefix}things (id integer PRIMARY KEY)`]
  const additions: Addition<string>[] = []
  let name = 'things'
  for (const [at, step] of history.entries()) {
    const table = `${prefix}${name}`
    if (step === 'rename') {
      name = `things_${at}`
      migrations.push(`ALTER TABLE ${table} RENAME TO ${name}`)
      continue
    }
    const sql = {
      table: `CREATE TABLE ${prefix}other_${at} (id integer PRIMARY KEY)`,
      column: `ALTER TABLE ${table} ADD COLUMN column_${at} integer`,
      index: `CREATE INDEX index_${at} ON ${table} (id)`,
    }[step]
    additions.push({ name: `${step}-${at}`, since: migrations.length, sql })
  }
  return { migrations, additions }
}
