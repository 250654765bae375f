// The versions of the account database. Only ever added to: a file of an older version is brought forward at opening.

/** One step forward, run in one transaction. The step's place in the list, from 1, is the version it leads to. */
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
]
