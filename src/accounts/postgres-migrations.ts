// The versions of the account database in PostgreSQL: the tables of `migrations.ts`, in a schema of their own, so that
// the database may hold other things too. Only ever added to.

/**
 * One step forward: statements run in one transaction. The step's place in the list, from 1, is the version it leads to. Names and
 * ids are compared byte by byte, as SQLite does, whatever the language of the database.
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
]
