// Migration 5 of the PostgreSQL database: the state that replicas share. Tables marked UNLOGGED are empty after a crash
// of the database; the replicas fill them again. Callers run each function as one statement, so locks on shared rows
// are released when the statement ends.
//
// A replica's counts only grow, and of two reports the larger one is stored. Therefore, it does no harm if a report is
// lost, repeated or late: a later report includes the same units. `replicas.beat` is the number of a replica's last
// durable write. If the database has lost a write that it had confirmed, it refuses later writes from that replica
// (QU002). Locks are taken in this order: quota or usage, grants, replicas.

/**
 * A mark: a random number that identifies a change. Equal marks mean the same change, even if the database was restored
 * in between.
 */
export const RANDOM_MARK = '(random() * 9e15)::bigint'

const TABLES = [
  'ALTER TABLE quai.schema_version ADD COLUMN usable_from integer',
  'ALTER TABLE quai.accounts ADD COLUMN terms_mark bigint NOT NULL DEFAULT 0',
  // mode: single or cluster. life: the result of quai.store_life when quai.grant_units was last called. life_since:
  // when life last changed.
  `CREATE TABLE quai.store (
     one boolean PRIMARY KEY DEFAULT true CHECK (one),
     mode text NOT NULL,
     life text NOT NULL,
     life_since timestamptz NOT NULL
   )`,
  `INSERT INTO quai.store (mode, life, life_since) VALUES ('single', '', clock_timestamp())`,
  // version: the version of the last change. sealing_day: replicas charge units to this UTC day or a later one.
  // first_open_day: counts for earlier UTC days are late if they are flushed now.
  `CREATE TABLE quai.counters (name text COLLATE "C" PRIMARY KEY, value bigint NOT NULL) WITH (fillfactor = 10)`,
  `INSERT INTO quai.counters (name, value) VALUES ('version', 0), ('sealing_day', 0), ('first_open_day', 0)`,
  // Versions have no gaps and follow the order of commits. what: the thing that changed, such as account:<id> or
  // plans:<sequence>.
  `CREATE TABLE quai.changes (
     mark bigint PRIMARY KEY,
     version bigint UNIQUE,
     at timestamptz NOT NULL DEFAULT clock_timestamp(),
     what text NOT NULL
   )`,
  // Each start of a process is a new replica. state: joining, serving, ended. ended_why: left, replaced, lost,
  // forgotten.
  `CREATE TABLE quai.replicas (
     id text COLLATE "C" PRIMARY KEY,
     name text NOT NULL,
     folder text NOT NULL,
     about jsonb NOT NULL,
     state text NOT NULL,
     ended_why text,
     beat bigint NOT NULL,
     told_life text NOT NULL,
     sealed_day integer NOT NULL DEFAULT 0,
     started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
     ended_at timestamptz
   ) WITH (fillfactor = 50)`,
  `CREATE INDEX replicas_alive ON quai.replicas (id) WHERE state <> 'ended'`,
  `CREATE UNLOGGED TABLE quai.looks (
     replica text COLLATE "C" PRIMARY KEY,
     seen_at timestamptz NOT NULL,
     version_seen bigint NOT NULL,
     mark_seen bigint NOT NULL,
     facts jsonb NOT NULL
   ) WITH (fillfactor = 50)`,
  `CREATE TABLE quai.writers (writer_id text COLLATE "C" PRIMARY KEY, replica text COLLATE "C" NOT NULL)`,
  `CREATE INDEX writers_of_replica ON quai.writers (replica)`,
  // Counts that arrived for a closed month. state: open, billed, waived.
  `CREATE TABLE quai.late_usage (LIKE quai.usage INCLUDING ALL, state text NOT NULL DEFAULT 'open')`,
  // A row is locked while units for its account and month are granted. month: numbered as in metering/limit-cells.ts.
  `CREATE TABLE quai.quota (account_id text COLLATE "C", month integer, PRIMARY KEY (account_id, month))`,
  `CREATE TABLE quai.grants (
     account_id text COLLATE "C",
     month integer,
     replica text COLLATE "C",
     granted bigint NOT NULL,
     returned bigint NOT NULL,
     used bigint NOT NULL,
     PRIMARY KEY (account_id, month, replica)
   ) WITH (fillfactor = 50)`,
  'CREATE INDEX grants_of_replica ON quai.grants (replica)',
  `CREATE UNLOGGED TABLE quai.recalls (
     account_id text COLLATE "C",
     month integer,
     at timestamptz NOT NULL,
     PRIMARY KEY (account_id, month)
   )`,
]

const CHANGES = [
  `CREATE FUNCTION quai.mark_terms() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN NEW.terms_mark := ${RANDOM_MARK}; RETURN NEW; END $$`,
  `CREATE TRIGGER accounts_mark_terms BEFORE UPDATE ON quai.accounts FOR EACH ROW
   WHEN ((OLD.plan, OLD.overage_enabled, OLD.spend_cap_cents)
     IS DISTINCT FROM (NEW.plan, NEW.overage_enabled, NEW.spend_cap_cents))
   EXECUTE FUNCTION quai.mark_terms()`,
  // Logs a changed row for the replicas in a cluster. Trigger arguments: the column with the id, and the prefix of
  // `what`.
  `CREATE FUNCTION quai.note_change() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     IF (SELECT mode FROM quai.store) = 'cluster' THEN
       INSERT INTO quai.changes (mark, what) VALUES (${RANDOM_MARK}, TG_ARGV[1] || (to_jsonb(NEW) ->> TG_ARGV[0]));
     END IF;
     RETURN NULL;
   END $$`,
  `CREATE TRIGGER accounts_note_change AFTER INSERT OR UPDATE ON quai.accounts FOR EACH ROW
   EXECUTE FUNCTION quai.note_change('id', 'account:')`,
  `CREATE TRIGGER keys_note_change AFTER INSERT OR UPDATE ON quai.keys FOR EACH ROW
   EXECUTE FUNCTION quai.note_change('account_id', 'account:')`,
  `CREATE TRIGGER plan_tables_note_change AFTER INSERT ON quai.plan_tables FOR EACH ROW
   EXECUTE FUNCTION quai.note_change('sequence', 'plans:')`,
  // Assigns the version of a change. A deferred trigger calls this function during COMMIT, so a client that hangs
  // before its COMMIT does not lock the version counter.
  `CREATE FUNCTION quai.number_change() RETURNS trigger LANGUAGE plpgsql AS $$
   DECLARE v_version bigint;
   BEGIN
     UPDATE quai.counters SET value = value + 1 WHERE name = 'version' RETURNING value INTO v_version;
     UPDATE quai.changes SET version = v_version WHERE mark = NEW.mark;
     RETURN NULL;
   END $$`,
  `CREATE CONSTRAINT TRIGGER changes_number AFTER INSERT ON quai.changes DEFERRABLE INITIALLY DEFERRED
   FOR EACH ROW EXECUTE FUNCTION quai.number_change()`,
  // Inserts a first change, so that a replica always has a version and a mark to continue from.
  `INSERT INTO quai.changes (mark, what) VALUES (${RANDOM_MARK}, 'begin')`,
  // Returns the changes after a version as [version, mark, what, terms_mark of the account or 0]. Returns null if the
  // version is missing or has another mark. The replica must then read everything again.
  `CREATE FUNCTION quai.changes_since(p_version bigint, p_mark bigint) RETURNS jsonb LANGUAGE sql STABLE AS $$
     SELECT CASE WHEN EXISTS (SELECT 1 FROM quai.changes WHERE version = p_version AND mark = p_mark) THEN (
       SELECT coalesce(jsonb_agg(jsonb_build_array(c.version, c.mark, c.what, coalesce(a.terms_mark, 0)) ORDER BY c.version),
         '[]')
       FROM quai.changes c LEFT JOIN quai.accounts a ON c.what = 'account:' || a.id WHERE c.version > p_version
     ) END $$`,
  // Returns the names of the serving replicas that have not confirmed a version. A replica confirms a version together
  // with its mark, because after a failover the same version can stand for a different change.
  `CREATE FUNCTION quai.unconfirmed(p_version bigint) RETURNS text[] LANGUAGE sql STABLE AS $$
     SELECT coalesce(array_agg(r.name ORDER BY r.name), '{}') FROM quai.replicas r WHERE r.state = 'serving'
       AND NOT EXISTS (
         SELECT 1 FROM quai.looks l JOIN quai.changes c ON c.version = l.version_seen AND c.mark = l.mark_seen
         WHERE l.replica = r.id AND l.version_seen >= p_version) $$`,
]

const LIVES = [
  // Identifies the history of the database: the result changes if a standby takes over, or if the database is restored
  // on another server. An ordinary database role can read both parts, the system identifier and the WAL timeline.
  `CREATE FUNCTION quai.store_life() RETURNS text LANGUAGE plpgsql STABLE AS $$
   BEGIN
     RETURN (SELECT system_identifier FROM pg_control_system())::text || ':' ||
       left(pg_walfile_name(pg_current_wal_lsn()), 8);
   EXCEPTION WHEN insufficient_privilege THEN RETURN 'hidden';
   END $$`,
  // Assigns the next number to a replica's durable write and returns the number. p_even_ended: whether an ended replica
  // may write, too. An ended replica may flush, because counts are merged by maximum.
  `CREATE FUNCTION quai.count_beat(p_replica text, p_acked bigint, p_even_ended boolean) RETURNS bigint
   LANGUAGE plpgsql AS $$
   DECLARE v_beat bigint; v_found record;
   BEGIN
     UPDATE quai.replicas SET beat = beat + 1
     WHERE id = p_replica AND ((state <> 'ended' AND beat >= p_acked) OR (state = 'ended' AND p_even_ended))
     RETURNING beat INTO v_beat;
     IF FOUND THEN RETURN v_beat; END IF;
     SELECT state, ended_why INTO v_found FROM quai.replicas WHERE id = p_replica;
     IF v_found.state = 'ended' THEN RAISE EXCEPTION 'ended: %', v_found.ended_why USING ERRCODE = 'QU001'; END IF;
     RAISE EXCEPTION 'the database has lost transactions' USING ERRCODE = 'QU002';
   END $$`,
  // Registers a replica that is starting or, with p_again, a replica that reports everything again. p_writers: {"writer
  // id": "replica"}. Returns the beat that counts as confirmed from now on.
  `CREATE FUNCTION quai.join_replica(p_id text, p_about jsonb, p_predecessors jsonb, p_writers jsonb, p_again boolean)
   RETURNS bigint LANGUAGE plpgsql AS $$
   DECLARE v_beat bigint;
   BEGIN
     UPDATE quai.store SET mode = 'cluster' WHERE mode <> 'cluster';
     INSERT INTO quai.writers SELECT key, value FROM jsonb_each_text(p_writers) ON CONFLICT DO NOTHING;
     UPDATE quai.replicas SET state = 'ended', ended_why = 'replaced', ended_at = clock_timestamp()
     WHERE p_predecessors ? id AND state <> 'ended';
     INSERT INTO quai.replicas (id, name, folder, about, state, beat, told_life)
     VALUES (p_id, p_about ->> 'name', p_about ->> 'folder', p_about, CASE WHEN p_again THEN 'serving' ELSE 'joining' END,
       0, CASE WHEN p_again THEN '' ELSE quai.store_life() END)
     ON CONFLICT DO NOTHING;
     SELECT beat INTO v_beat FROM quai.replicas WHERE id = p_id;
     RETURN v_beat;
   END $$`,
  // Changes a replica from joining to serving. Returns the new state; null if the replica is not in the database.
  `CREATE FUNCTION quai.serve_replica(p_id text) RETURNS text LANGUAGE plpgsql AS $$
   BEGIN
     UPDATE quai.replicas SET state = 'serving' WHERE id = p_id AND state = 'joining';
     RETURN (SELECT state FROM quai.replicas WHERE id = p_id);
   END $$`,
  // Ends a replica; returns whether this call ended it. If p_why is `lost`, ends the replica only if it has not been
  // seen since p_seen_at.
  `CREATE FUNCTION quai.end_replica(p_id text, p_why text, p_seen_at timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$
   BEGIN
     UPDATE quai.replicas SET state = 'ended', ended_why = p_why, ended_at = clock_timestamp()
     WHERE id = p_id AND state <> 'ended' AND (p_why <> 'lost'
       OR (SELECT l.seen_at FROM quai.looks l WHERE l.replica = p_id) IS NOT DISTINCT FROM p_seen_at);
     RETURN FOUND;
   END $$`,
  // Records that, since the last failover of the database, a replica has reported all its grants.
  `CREATE FUNCTION quai.tell_life(p_id text, p_acked bigint, p_life text) RETURNS bigint LANGUAGE plpgsql AS $$
   BEGIN
     UPDATE quai.replicas SET told_life = p_life WHERE id = p_id;
     RETURN quai.count_beat(p_id, p_acked, false);
   END $$`,
]

const USAGE = [
  `CREATE FUNCTION quai.first_day(p_month int) RETURNS int LANGUAGE sql IMMUTABLE AS $$
     SELECT make_date(p_month / 12, p_month % 12 + 1, 1) - date '1970-01-01' $$`,
  `CREATE FUNCTION quai.month_of(p_day int) RETURNS int LANGUAGE sql IMMUTABLE AS $$
     SELECT (extract(year FROM date '1970-01-01' + p_day) * 12 + extract(month FROM date '1970-01-01' + p_day) - 1)::int $$`,
  // An account's units in a month, by replica. The replica is '' for writers that belong to no replica.
  `CREATE FUNCTION quai.ledger_units(p_account text, p_month int) RETURNS TABLE (replica text, units bigint)
   LANGUAGE sql STABLE AS $$
     SELECT coalesce(w.replica, ''), sum(u.units)::bigint
     FROM quai.keys k JOIN quai.usage u ON u.key_id = k.id LEFT JOIN quai.writers w ON w.writer_id = u.writer_id
     WHERE k.account_id = p_account AND u.utc_day >= quai.first_day(p_month) AND u.utc_day < quai.first_day(p_month + 1)
     GROUP BY 1 $$`,
  // Returns an account's counts from all writers except those of p_replica. For p_first_day and later days, returns the
  // counts by key and day. For earlier days, returns only the last use of each key, as day 0.
  `CREATE FUNCTION quai.usage_elsewhere(p_replica text, p_account text, p_first_day int) RETURNS jsonb
   LANGUAGE sql STABLE AS $$
     SELECT coalesce(jsonb_agg(jsonb_build_array(key_id, day, units, last_used)), '[]') FROM (
       SELECT u.key_id, CASE WHEN u.utc_day >= p_first_day THEN u.utc_day ELSE 0 END AS day,
         sum(CASE WHEN u.utc_day >= p_first_day THEN u.units ELSE 0 END) AS units, max(u.last_used) AS last_used
       FROM quai.keys k JOIN quai.usage u ON u.key_id = k.id LEFT JOIN quai.writers w ON w.writer_id = u.writer_id
       WHERE k.account_id = p_account AND w.replica IS DISTINCT FROM p_replica GROUP BY 1, 2) sums $$`,
]

const GRANTS = [
  // Releases an ended replica's unused units from at most p_most grants; returns the number of these grants. p_by: the
  // replica that has flushed the ended replica's counts. Fails if the database has lost that flush.
  `CREATE FUNCTION quai.settle(p_id text, p_by text, p_acked bigint, p_most int) RETURNS int LANGUAGE plpgsql AS $$
   DECLARE r record; v_used bigint; v_count int := 0;
   BEGIN
     IF p_by IS NOT NULL AND NOT EXISTS (SELECT 1 FROM quai.replicas WHERE id = p_by AND beat >= p_acked) THEN
       RAISE EXCEPTION 'the database has lost transactions' USING ERRCODE = 'QU002';
     END IF;
     IF NOT EXISTS (SELECT 1 FROM quai.replicas WHERE id = p_id AND state = 'ended') THEN RETURN 0; END IF;
     FOR r IN SELECT account_id, month FROM quai.grants WHERE replica = p_id AND granted - returned > used
       ORDER BY account_id, month LIMIT p_most
     LOOP
       PERFORM 1 FROM quai.quota q WHERE q.account_id = r.account_id AND q.month = r.month FOR UPDATE;
       SELECT coalesce(sum(l.units), 0) INTO v_used FROM quai.ledger_units(r.account_id, r.month) l WHERE l.replica = p_id;
       UPDATE quai.grants g SET used = greatest(g.used, v_used), granted = greatest(g.granted, g.used, v_used),
         returned = greatest(g.returned, greatest(g.granted, g.used, v_used) - greatest(g.used, v_used))
       WHERE g.account_id = r.account_id AND g.month = r.month AND g.replica = p_id;
       v_count := v_count + 1;
     END LOOP;
     RETURN v_count;
   END $$`,
]

const MONTHS = [
  // Records that a replica has flushed all days before p_day and no longer charges units to them.
  `CREATE FUNCTION quai.seal(p_id text, p_day int) RETURNS boolean LANGUAGE plpgsql AS $$
   BEGIN
     UPDATE quai.replicas SET sealed_day = greatest(sealed_day, p_day) WHERE id = p_id;
     RETURN FOUND;
   END $$`,
  // Closes the days before p_day: counts for these days that arrive afterwards are late. Returns false and does not
  // close the days while a replica that has not ended may still flush such counts.
  `CREATE FUNCTION quai.close_days(p_day int) RETURNS boolean LANGUAGE plpgsql AS $$
   BEGIN
     PERFORM pg_advisory_xact_lock(${0x71756169}, 2);
     UPDATE quai.counters SET value = greatest(value, p_day) WHERE name = 'sealing_day';
     IF EXISTS (SELECT 1 FROM quai.replicas WHERE state <> 'ended' AND sealed_day < p_day) THEN RETURN false; END IF;
     UPDATE quai.counters SET value = greatest(value, p_day) WHERE name = 'first_open_day';
     RETURN true;
   END $$`,
]

/** The statements of migration 5. */
export const CLUSTER_SCHEMA: readonly string[] = [...TABLES, ...CHANGES, ...LIVES, ...USAGE, ...GRANTS, ...MONTHS]
