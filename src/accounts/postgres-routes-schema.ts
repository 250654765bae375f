// An addition to the PostgreSQL database: response counts by route and status class, which the console shows to owners.
// They are not used for billing.

/** The statements of the addition. */
export const ROUTES_SCHEMA: readonly string[] = [
  `CREATE TABLE quai.route_usage (
     account_id text COLLATE "C" NOT NULL REFERENCES quai.accounts (id),
     utc_day integer NOT NULL,
     key_id text COLLATE "C" NOT NULL,
     route text COLLATE "C" NOT NULL,
     answered float8 NOT NULL,
     refused float8 NOT NULL,
     over_limit float8 NOT NULL,
     failed float8 NOT NULL,
     PRIMARY KEY (account_id, utc_day, key_id, route)
   )`,
  `CREATE INDEX route_usage_by_day ON quai.route_usage (utc_day)`,
  // The last batch added for each writer, so that a repeated batch is not added twice.
  `CREATE TABLE quai.route_batches (
     writer_id text COLLATE "C" PRIMARY KEY,
     sequence bigint NOT NULL,
     utc_day integer NOT NULL
   )`,
]
