// The tables of the account database in SQLite, as migrations and additions (schema-steps.ts). Only append to the
// lists, because opening an older file runs only the steps that it lacks.
import type { Addition, Schema } from './schema-steps.ts'

/**
 * Migrations, each run in one transaction. A migration's position in the list, counted from 1, is the resulting
 * version.
 */
export const MIGRATIONS: readonly string[] = [
  `CREATE TABLE accounts (
     id TEXT PRIMARY KEY,
     email TEXT,
     email_folded TEXT UNIQUE,
     plan TEXT NOT NULL,
     verified INTEGER NOT NULL,
     suspended_at INTEGER,
     deleted_at INTEGER,
     overage_enabled INTEGER NOT NULL,
     spend_cap_cents INTEGER NOT NULL,
     created_at INTEGER NOT NULL
   ) STRICT;
   CREATE TABLE keys (
     id TEXT PRIMARY KEY,
     account_id TEXT NOT NULL REFERENCES accounts (id),
     name TEXT NOT NULL,
     scopes TEXT NOT NULL,
     audience TEXT NOT NULL,
     prefix TEXT NOT NULL,
     last_four TEXT NOT NULL,
     digest TEXT NOT NULL UNIQUE,
     pepper_id TEXT NOT NULL,
     created_at INTEGER NOT NULL,
     expires_at INTEGER,
     revoked_at INTEGER
   ) STRICT;
   CREATE INDEX keys_of_account ON keys (account_id);
   CREATE TABLE usage (
     writer_id TEXT NOT NULL,
     key_id TEXT NOT NULL,
     utc_day INTEGER NOT NULL,
     units REAL NOT NULL,
     calls REAL NOT NULL,
     last_used REAL NOT NULL,
     PRIMARY KEY (writer_id, key_id, utc_day)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX usage_of_key ON usage (key_id, utc_day);`,
  `CREATE TABLE passwords (
     account_id TEXT PRIMARY KEY REFERENCES accounts (id),
     hash TEXT NOT NULL
   ) STRICT;
   CREATE TABLE sessions (
     digest TEXT PRIMARY KEY,
     account_id TEXT NOT NULL REFERENCES accounts (id),
     created_at INTEGER NOT NULL,
     last_seen_at INTEGER NOT NULL,
     expires_at INTEGER NOT NULL
   ) STRICT;
   CREATE INDEX sessions_of_account ON sessions (account_id);
   CREATE INDEX sessions_by_end ON sessions (expires_at);
   CREATE TABLE links (
     digest TEXT PRIMARY KEY,
     purpose TEXT NOT NULL,
     account_id TEXT REFERENCES accounts (id),
     password_hash TEXT,
     expires_at INTEGER NOT NULL
   ) STRICT;
   CREATE INDEX links_of_account ON links (account_id);
   CREATE INDEX links_by_end ON links (expires_at);`,
  `CREATE TABLE events (
     id TEXT PRIMARY KEY,
     account_id TEXT NOT NULL REFERENCES accounts (id),
     at INTEGER NOT NULL,
     kind TEXT NOT NULL,
     key_id TEXT,
     actor TEXT NOT NULL,
     detail TEXT NOT NULL
   ) STRICT;
   CREATE INDEX events_of_account ON events (account_id, id);
   CREATE TABLE term_changes (
     account_id TEXT NOT NULL REFERENCES accounts (id),
     sequence INTEGER NOT NULL,
     at INTEGER NOT NULL,
     from_units REAL NOT NULL,
     plan_before TEXT NOT NULL,
     overage_before INTEGER NOT NULL,
     plan TEXT NOT NULL,
     overage_enabled INTEGER NOT NULL,
     PRIMARY KEY (account_id, sequence)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE plan_tables (
     sequence INTEGER PRIMARY KEY,
     at INTEGER NOT NULL,
     plans TEXT NOT NULL
   ) STRICT;
   CREATE TABLE closed_months (
     month TEXT PRIMARY KEY,
     closed_at INTEGER NOT NULL
   ) STRICT;
   CREATE TABLE statements (
     account_id TEXT NOT NULL REFERENCES accounts (id),
     month TEXT NOT NULL,
     closed_at INTEGER NOT NULL,
     plan TEXT NOT NULL,
     units REAL NOT NULL,
     included_units INTEGER NOT NULL,
     overage_units REAL NOT NULL,
     amount_cents INTEGER NOT NULL,
     document TEXT NOT NULL,
     PRIMARY KEY (account_id, month)
   ) STRICT;
   CREATE TRIGGER statements_stay BEFORE UPDATE ON statements
     BEGIN SELECT raise(ABORT, 'a closed month is never changed'); END;
   CREATE TRIGGER statements_remain BEFORE DELETE ON statements
     BEGIN SELECT raise(ABORT, 'a closed month is never changed'); END;`,
  // With this index, pruning does not read verified accounts.
  `CREATE INDEX accounts_unverified ON accounts (created_at) WHERE verified = 0;`,
]

/** Additions, each made in one transaction. Each has the name of the PostgreSQL addition that makes the same change. */
export const ADDITIONS: readonly Addition<string>[] = [
  {
    name: 'sessions with devices and confirmations',
    since: 4,
    sql: `ALTER TABLE sessions ADD COLUMN confirmed_at INTEGER;
   ALTER TABLE sessions ADD COLUMN device TEXT;`,
  },
  {
    name: 'factors and recovery codes',
    since: 4,
    sql: `CREATE TABLE factors (
     account_id TEXT PRIMARY KEY REFERENCES accounts (id),
     secret TEXT NOT NULL,
     enabled_at INTEGER,
     last_step INTEGER NOT NULL
   ) STRICT;
   CREATE TABLE recovery_codes (
     account_id TEXT NOT NULL REFERENCES accounts (id),
     digest TEXT NOT NULL,
     PRIMARY KEY (account_id, digest)
   ) STRICT, WITHOUT ROWID;`,
  },
  {
    name: 'links with new addresses',
    since: 4,
    sql: 'ALTER TABLE links ADD COLUMN new_email TEXT;',
  },
  {
    name: 'passkeys',
    since: 4,
    sql: `CREATE TABLE passkeys (
     id TEXT PRIMARY KEY,
     account_id TEXT NOT NULL REFERENCES accounts (id),
     public_key TEXT NOT NULL,
     counter INTEGER NOT NULL,
     name TEXT NOT NULL,
     created_at INTEGER NOT NULL,
     used_at INTEGER
   ) STRICT;
   CREATE INDEX passkeys_of_account ON passkeys (account_id);`,
  },
  {
    name: 'answers by route',
    since: 4,
    sql: `CREATE TABLE route_usage (
     account_id TEXT NOT NULL REFERENCES accounts (id),
     utc_day INTEGER NOT NULL,
     key_id TEXT NOT NULL,
     route TEXT NOT NULL,
     answered REAL NOT NULL,
     refused REAL NOT NULL,
     over_limit REAL NOT NULL,
     failed REAL NOT NULL,
     PRIMARY KEY (account_id, utc_day, key_id, route)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX route_usage_by_day ON route_usage (utc_day);
   CREATE TABLE route_batches (
     writer_id TEXT PRIMARY KEY,
     sequence INTEGER NOT NULL,
     utc_day INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;`,
  },
  {
    // In accounts that older programs have erased, `erased_at` is null. This program erases them again.
    name: 'erased accounts',
    since: 4,
    sql: `ALTER TABLE accounts ADD COLUMN erased_at INTEGER;
   CREATE INDEX accounts_to_erase ON accounts (deleted_at) WHERE deleted_at IS NOT NULL AND erased_at IS NULL;`,
  },
]

/** The tables of this program. */
export const SQLITE_SCHEMA: Schema<string> = { migrations: MIGRATIONS, additions: ADDITIONS }
