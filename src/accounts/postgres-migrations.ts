// The tables of the account database in PostgreSQL: the same tables as in migrations.ts, and the tables for a cluster.
// They are written as migrations and additions (schema-steps.ts). All tables are in the schema `quai`, so that the
// database can also be used for other data. Only append to the lists.
import { CLUSTER_SCHEMA } from './postgres-cluster-schema.ts'
import { FILES_SCHEMA } from './postgres-files-schema.ts'
import { FREQUENT_SCHEMA } from './postgres-frequent-schema.ts'
import { LATE_SCHEMA } from './postgres-late-schema.ts'
import { LIVE_SCHEMA } from './postgres-live-schema.ts'
import { ROUTES_SCHEMA } from './postgres-routes-schema.ts'
import { SNAPSHOT_SCHEMA } from './postgres-snapshot-schema.ts'
import { STREAMS_SCHEMA } from './postgres-streams-schema.ts'
import type { Addition } from './schema-steps.ts'

/**
 * Migrations, each run in one transaction. A migration's position in the list, counted from 1, is the resulting
 * version. Names and ids are compared bytewise, as in SQLite, regardless of the database's locale.
 */
export const POSTGRES_MIGRATIONS: readonly (readonly string[])[] = [
  [
    `CREATE TABLE quai.accounts (
     id text COLLATE "C" PRIMARY KEY,
     email text,
     email_folded text COLLATE "C" CONSTRAINT accounts_email_taken UNIQUE,
     plan text NOT NULL,
     verified boolean NOT NULL,
     suspended_at bigint,
     deleted_at bigint,
     overage_enabled boolean NOT NULL,
     spend_cap_cents bigint NOT NULL,
     created_at bigint NOT NULL
   )`,
    `CREATE TABLE quai.keys (
     id text COLLATE "C" PRIMARY KEY,
     account_id text COLLATE "C" NOT NULL REFERENCES quai.accounts (id),
     name text NOT NULL,
     scopes text NOT NULL,
     audience text NOT NULL,
     prefix text NOT NULL,
     last_four text NOT NULL,
     digest text COLLATE "C" NOT NULL UNIQUE,
     pepper_id text NOT NULL,
     created_at bigint NOT NULL,
     expires_at bigint,
     revoked_at bigint
   )`,
    `CREATE INDEX keys_of_account ON quai.keys (account_id)`,
    `CREATE TABLE quai.usage (
     writer_id text COLLATE "C" NOT NULL,
     key_id text COLLATE "C" NOT NULL,
     utc_day integer NOT NULL,
     units double precision NOT NULL,
     calls double precision NOT NULL,
     last_used double precision NOT NULL,
     PRIMARY KEY (writer_id, key_id, utc_day)
   )`,
    `CREATE INDEX usage_of_key ON quai.usage (key_id, utc_day)`,
  ],
  [
    `CREATE TABLE quai.passwords (
     account_id text COLLATE "C" PRIMARY KEY REFERENCES quai.accounts (id),
     hash text NOT NULL
   )`,
    `CREATE TABLE quai.sessions (
     digest text COLLATE "C" PRIMARY KEY,
     account_id text COLLATE "C" NOT NULL REFERENCES quai.accounts (id),
     created_at bigint NOT NULL,
     last_seen_at bigint NOT NULL,
     expires_at bigint NOT NULL
   )`,
    `CREATE INDEX sessions_of_account ON quai.sessions (account_id)`,
    `CREATE INDEX sessions_by_end ON quai.sessions (expires_at)`,
    `CREATE TABLE quai.links (
     digest text COLLATE "C" PRIMARY KEY,
     purpose text NOT NULL,
     account_id text COLLATE "C" REFERENCES quai.accounts (id),
     password_hash text,
     expires_at bigint NOT NULL
   )`,
    `CREATE INDEX links_of_account ON quai.links (account_id)`,
    `CREATE INDEX links_by_end ON quai.links (expires_at)`,
  ],
  [
    `CREATE TABLE quai.events (
     id text COLLATE "C" PRIMARY KEY,
     account_id text COLLATE "C" NOT NULL REFERENCES quai.accounts (id),
     at bigint NOT NULL,
     kind text NOT NULL,
     key_id text COLLATE "C",
     actor text NOT NULL,
     detail text NOT NULL
   )`,
    `CREATE INDEX events_of_account ON quai.events (account_id, id)`,
    `CREATE TABLE quai.term_changes (
     account_id text COLLATE "C" NOT NULL REFERENCES quai.accounts (id),
     sequence bigint NOT NULL,
     at bigint NOT NULL,
     from_units double precision NOT NULL,
     plan_before text NOT NULL,
     overage_before boolean NOT NULL,
     plan text NOT NULL,
     overage_enabled boolean NOT NULL,
     PRIMARY KEY (account_id, sequence)
   )`,
    `CREATE TABLE quai.plan_tables (
     sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     at bigint NOT NULL,
     plans text NOT NULL
   )`,
    `CREATE TABLE quai.closed_months (
     month text COLLATE "C" PRIMARY KEY,
     closed_at bigint NOT NULL
   )`,
    `CREATE TABLE quai.statements (
     account_id text COLLATE "C" NOT NULL REFERENCES quai.accounts (id),
     month text COLLATE "C" NOT NULL,
     closed_at bigint NOT NULL,
     plan text NOT NULL,
     units double precision NOT NULL,
     included_units bigint NOT NULL,
     overage_units double precision NOT NULL,
     amount_cents bigint NOT NULL,
     document text NOT NULL,
     PRIMARY KEY (account_id, month)
   )`,
    `CREATE FUNCTION quai.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN RAISE EXCEPTION 'a closed month is never changed'; END $$`,
    `CREATE TRIGGER statements_stay BEFORE UPDATE OR DELETE ON quai.statements
     FOR EACH ROW EXECUTE FUNCTION quai.refuse_change()`,
  ],
  // With this index, pruning does not read verified accounts.
  [`CREATE INDEX accounts_unverified ON quai.accounts (created_at) WHERE NOT verified`],
  CLUSTER_SCHEMA,
  LIVE_SCHEMA,
  SNAPSHOT_SCHEMA,
  FREQUENT_SCHEMA,
  LATE_SCHEMA,
  FILES_SCHEMA,
  STREAMS_SCHEMA,
]

/** Programs of this version or later can use a database of the current version, together with newer programs. */
export const USABLE_FROM = 5

/**
 * Additions, with the same names as in `migrations.ts`. Running replicas wait while an addition is made, so an index on
 * a table with many rows must not be an addition.
 */
export const POSTGRES_ADDITIONS: readonly Addition<readonly string[]>[] = [
  {
    name: 'sessions with devices and confirmations',
    since: 11,
    sql: ['ALTER TABLE quai.sessions ADD COLUMN confirmed_at bigint, ADD COLUMN device text'],
  },
  {
    name: 'factors and recovery codes',
    since: 11,
    sql: [
      `CREATE TABLE quai.factors (
     account_id text COLLATE "C" PRIMARY KEY REFERENCES quai.accounts (id),
     secret text NOT NULL,
     enabled_at bigint,
     last_step bigint NOT NULL
   )`,
      `CREATE TABLE quai.recovery_codes (
     account_id text COLLATE "C" NOT NULL REFERENCES quai.accounts (id),
     digest text COLLATE "C" NOT NULL,
     PRIMARY KEY (account_id, digest)
   )`,
    ],
  },
  {
    name: 'links with new addresses',
    since: 11,
    sql: ['ALTER TABLE quai.links ADD COLUMN new_email text'],
  },
  {
    name: 'passkeys',
    since: 11,
    sql: [
      `CREATE TABLE quai.passkeys (
     id text COLLATE "C" PRIMARY KEY,
     account_id text COLLATE "C" NOT NULL REFERENCES quai.accounts (id),
     public_key text NOT NULL,
     counter bigint NOT NULL,
     name text NOT NULL,
     created_at bigint NOT NULL,
     used_at bigint
   )`,
      'CREATE INDEX passkeys_of_account ON quai.passkeys (account_id)',
    ],
  },
  { name: 'answers by route', since: 11, sql: ROUTES_SCHEMA },
  {
    // Takes a second for a million accounts, the maximum for one process (CELL_COUNT in metering/limit-cells.ts).
    name: 'erased accounts',
    since: 11,
    sql: [
      'ALTER TABLE quai.accounts ADD COLUMN erased_at bigint',
      `CREATE INDEX accounts_to_erase ON quai.accounts (deleted_at)
     WHERE deleted_at IS NOT NULL AND erased_at IS NULL`,
    ],
  },
]

/** The tables of this program. */
export const POSTGRES_SCHEMA = {
  migrations: POSTGRES_MIGRATIONS,
  additions: POSTGRES_ADDITIONS,
  usableFrom: USABLE_FROM,
}
