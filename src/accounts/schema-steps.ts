// The steps that change the tables of the account database from one version of Quai to the next, in SQLite and in
// PostgreSQL. There are two kinds of steps. A migration raises the schema version; programs that don't support the new
// version refuse the database. An addition does not change the version. It is recorded by its name in the table
// `additions`, and programs without it continue to work.

/**
 * A change that programs without it can ignore: new tables, new indexes that are not unique, and new columns that are
 * nullable or have a default. It neither changes nor removes anything that exists.
 */
export interface Addition<Sql> {
  /** Stored in the database when the addition is made. Never changed or reused. */
  readonly name: string
  /** The schema version to which the addition belongs: the number of migrations when the addition was written. */
  readonly since: number
  readonly sql: Sql
}

/** Everything that makes up a program's tables. Both lists are append-only. */
export interface Schema<Sql> {
  /** A migration's position, counted from 1, is the resulting version. */
  readonly migrations: readonly Sql[]
  /** Sorted by `since`. */
  readonly additions: readonly Addition<Sql>[]
}

/** The state of a database's schema. A database without tables has version 0. */
export interface SchemaState {
  readonly version: number
  readonly additions: readonly string[]
}

/** One change to make: a migration with the resulting version, or an addition. */
export type SchemaStep<Sql> =
  | { readonly kind: 'migration'; readonly version: number; readonly sql: Sql }
  | { readonly kind: 'addition'; readonly name: string; readonly sql: Sql }

/**
 * The steps that a database lacks, in order. The additions to a version come before the migration to the next version.
 */
export function missingSteps<Sql>({ migrations, additions }: Schema<Sql>, found: SchemaState): SchemaStep<Sql>[] {
  const missing = additions.filter(({ name }) => !found.additions.includes(name))
  const steps: SchemaStep<Sql>[] = []
  const addUpTo = (version: number) => {
    while (missing.length > 0 && missing[0].since <= version) {
      const [{ name, sql }] = missing.splice(0, 1)
      steps.push({ kind: 'addition', name, sql })
    }
  }
  for (let version = found.version; version < migrations.length; version++) {
    addUpTo(version)
    steps.push({ kind: 'migration', version: version + 1, sql: migrations[version] })
  }
  addUpTo(Math.max(found.version, migrations.length))
  return steps
}

/**
 * The message that says why a database with a newer schema is not opened, and what to do.
 * @param known the newest version that this program supports
 */
export function newerSchema(what: string, version: number, known: number): string {
  return (
    `${what} has version ${version}, but this Quai only supports versions up to ${known}: ` +
    'a newer Quai has upgraded it. Start the newer one, or restore the backup made before the upgrade'
  )
}
