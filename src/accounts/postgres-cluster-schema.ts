// Migration 5 of the PostgreSQL database: what several replicas share. Tables marked UNLOGGED are rebuilt by the replicas
// after a crash of the database. Every function is one statement for its caller, so no lock of a shared row outlives it.
//
// Counts of replicas only grow and are merged by maximum, so a message that is lost, repeated or late changes nothing.
// `replicas.beat` numbers the durable writes of a replica; a write is refused (QU002) if the database has forgotten one
// that it confirmed. Locks are taken in this order: quota or usage, grants, replicas.

/** A random mark: equal marks mean the same change, whatever happened to the database in between. */
const RANDOM_MARK = '(random() * 9e15)::bigint'

const TABLES = [
  'ALTER TABLE quai.schema_version ADD COLUMN usable_from integer',
  'ALTER TABLE quai.accounts ADD COLUMN terms_mark bigint NOT NULL DEFAULT 0',
  // mode: single or cluster. life: see quai.store_life, as last seen by quai.grant_units.
  `CREATE TABLE quai.store (
     one boolean PRIMARY KEY DEFAULT true CHECK (one),
     mode text NOT NULL,
     life text NOT NULL,
     life_since timestamptz NOT NULL
   )`,
  `INSERT INTO quai.store (mode, life, life_since) VALUES ('single', '', clock_timestamp())`,
  // version: of the last change. sealing_day, first_open_day: replicas charge to, and flushes write, this UTC day or later.
  `CREATE TABLE quai.counters (name text COLLATE "C" PRIMARY KEY, value bigint NOT NULL) WITH (fillfactor = 10)`,
  `INSERT INTO quai.counters (name, value) VALUES ('version', 0), ('sealing_day', 0), ('first_open_day', 0)`,
  // Versions are gapless and in the order of commits. what: account:<id> or plans:<sequence>.
  `CREATE TABLE quai.changes (
     mark bigint PRIMARY KEY,
     version bigint UNIQUE,
     at timestamptz NOT NULL DEFAULT clock_timestamp(),
     what text NOT NULL
   )`,
  // Each start of a process is a new replica. state: joining, serving, ended. ended_why: left, replaced, lost, forgotten.
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
  // Locks an account's month. Months count from year 0, as in the replicas.
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
  // Arguments: the column of the id, and what the id is of.
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
  // Inside the COMMIT: a client that hangs between its change and its COMMIT delays nobody's version.
  `CREATE FUNCTION quai.number_change() RETURNS trigger LANGUAGE plpgsql AS $$
   DECLARE v_version bigint;
   BEGIN
     UPDATE quai.counters SET value = value + 1 WHERE name = 'version' RETURNING value INTO v_version;
     UPDATE quai.changes SET version = v_version WHERE mark = NEW.mark;
     RETURN NULL;
   END $$`,
  `CREATE CONSTRAINT TRIGGER changes_number AFTER INSERT ON quai.changes DEFERRABLE INITIALLY DEFERRED
   FOR EACH ROW EXECUTE FUNCTION quai.number_change()`,
  // A mark exists from the first version on.
  `INSERT INTO quai.changes (mark, what) VALUES (${RANDOM_MARK}, 'begin')`,
  // The changes after a version, [version, mark, what], and the terms marks of their accounts. Null: the version is gone
  // or was another, so everything must be read again.
  `CREATE FUNCTION quai.changes_since(p_version bigint, p_mark bigint) RETURNS jsonb LANGUAGE sql STABLE AS $$
     SELECT CASE WHEN EXISTS (SELECT 1 FROM quai.changes WHERE version = p_version AND mark = p_mark) THEN (
       SELECT coalesce(jsonb_agg(jsonb_build_array(c.version, c.mark, c.what, coalesce(a.terms_mark, 0)) ORDER BY c.version),
         '[]')
       FROM quai.changes c LEFT JOIN quai.accounts a ON c.what = 'account:' || a.id WHERE c.version > p_version
     ) END $$`,
  // Names of the serving replicas that have not confirmed a version. A version is confirmed by its mark: a number from
  // before a failover confirms nothing.
  `CREATE FUNCTION quai.unconfirmed(p_version bigint) RETURNS text[] LANGUAGE sql STABLE AS $$
     SELECT coalesce(array_agg(r.name ORDER BY r.name), '{}') FROM quai.replicas r WHERE r.state = 'serving'
       AND NOT EXISTS (
         SELECT 1 FROM quai.looks l JOIN quai.changes c ON c.version = l.version_seen AND c.mark = l.mark_seen
         WHERE l.replica = r.id AND l.version_seen >= p_version) $$`,
]

const LIVES = [
  // Changes with a failover to a standby and with a restore into another server. An ordinary role may read both.
  `CREATE FUNCTION quai.store_life() RETURNS text LANGUAGE plpgsql STABLE AS $$
   BEGIN
     RETURN (SELECT system_identifier FROM pg_control_system())::text || ':' ||
       left(pg_walfile_name(pg_current_wal_lsn()), 8);
   EXCEPTION WHEN insufficient_privilege THEN RETURN 'hidden';
   END $$`,
  // Numbers a durable write. An ended replica may still flush: its counts merge by maximum.
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
  // A start, or (p_again) a replica that tells everything again. Writers: {"writer id": "replica"}. Returns the beat that
  // counts as confirmed from here on.
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
  // Returns the state that the replica has now; null if the database does not know it.
  `CREATE FUNCTION quai.serve_replica(p_id text) RETURNS text LANGUAGE plpgsql AS $$
   BEGIN
     UPDATE quai.replicas SET state = 'serving' WHERE id = p_id AND state = 'joining';
     RETURN (SELECT state FROM quai.replicas WHERE id = p_id);
   END $$`,
  // Whether it was ended by this call. A lost replica is only ended if nobody has seen it since p_seen_at.
  `CREATE FUNCTION quai.end_replica(p_id text, p_why text, p_seen_at timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$
   BEGIN
     UPDATE quai.replicas SET state = 'ended', ended_why = p_why, ended_at = clock_timestamp()
     WHERE id = p_id AND state <> 'ended' AND (p_why <> 'lost'
       OR (SELECT l.seen_at FROM quai.looks l WHERE l.replica = p_id) IS NOT DISTINCT FROM p_seen_at);
     RETURN FOUND;
   END $$`,
  // The replica has told all its grants in this life of the database.
  `CREATE FUNCTION quai.tell_life(p_id text, p_acked bigint, p_life text) RETURNS bigint LANGUAGE plpgsql AS $$
   BEGIN
     UPDATE quai.replicas SET told_life = p_life WHERE id = p_id;
     RETURN quai.count_beat(p_id, p_acked, false);
   END $$`,
  // Notes that a replica is alive and which change it has applied; returns what it must know. Writes an unlogged row only.
  `CREATE FUNCTION quai.tick(p_id text, p_version bigint, p_mark bigint, p_facts jsonb) RETURNS jsonb LANGUAGE sql AS $$
     INSERT INTO quai.looks AS l VALUES (p_id, clock_timestamp(), p_version, p_mark, p_facts)
     ON CONFLICT (replica) DO UPDATE SET seen_at = excluded.seen_at, version_seen = excluded.version_seen,
       mark_seen = excluded.mark_seen, facts = excluded.facts;
     SELECT jsonb_build_object(
       'state', r.state, 'why', r.ended_why, 'beat', r.beat, 'told_life', r.told_life, 'life', quai.store_life(),
       'version', (SELECT value FROM quai.counters WHERE name = 'version'),
       'sealing_day', (SELECT value FROM quai.counters WHERE name = 'sealing_day'),
       'sealed_day', r.sealed_day,
       'replicas', (SELECT coalesce(jsonb_object_agg(e.state, e.n), '{}') FROM (
         SELECT state, count(*) AS n FROM quai.replicas WHERE state <> 'ended' GROUP BY state) e),
       'is_first', NOT EXISTS (SELECT 1 FROM quai.replicas o JOIN quai.looks l ON l.replica = o.id
         WHERE o.state = 'serving' AND o.id < p_id AND l.seen_at > clock_timestamp() - interval '3 s'),
       'recalls', (SELECT jsonb_agg(jsonb_build_array(c.account_id, c.month)) FROM quai.recalls c
         WHERE c.at > clock_timestamp() - interval '1 s'),
       'peers', (SELECT jsonb_object_agg(l.replica, l.facts -> 'counts') FROM quai.looks l
         WHERE l.facts ? 'counts' AND l.replica <> p_id AND l.seen_at > clock_timestamp() - interval '3 s'),
       'at', (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
     FROM (SELECT 1) one LEFT JOIN quai.replicas r ON r.id = p_id $$`,
]

const USAGE = [
  `CREATE FUNCTION quai.first_day(p_month int) RETURNS int LANGUAGE sql IMMUTABLE AS $$
     SELECT make_date(p_month / 12, p_month % 12 + 1, 1) - date '1970-01-01' $$`,
  `CREATE FUNCTION quai.month_of(p_day int) RETURNS int LANGUAGE sql IMMUTABLE AS $$
     SELECT (extract(year FROM date '1970-01-01' + p_day) * 12 + extract(month FROM date '1970-01-01' + p_day) - 1)::int $$`,
  // An account's units in a month by replica; '' for writers of a single service.
  `CREATE FUNCTION quai.ledger_units(p_account text, p_month int) RETURNS TABLE (replica text, units bigint)
   LANGUAGE sql STABLE AS $$
     SELECT coalesce(w.replica, ''), sum(u.units)::bigint
     FROM quai.keys k JOIN quai.usage u ON u.key_id = k.id LEFT JOIN quai.writers w ON w.writer_id = u.writer_id
     WHERE k.account_id = p_account AND u.utc_day >= quai.first_day(p_month) AND u.utc_day < quai.first_day(p_month + 1)
     GROUP BY 1 $$`,
  // Merges rows [writer, key, day, units, calls, last used] by maximum, under owner's name. A replica tells with its own
  // rows what it used beyond its grants, [account, month, units]; for rows that a start found (p_used null), the ledger
  // is summed. Rows of closed months go to late_usage.
  `CREATE FUNCTION quai.flush(p_replica text, p_owner text, p_acked bigint, p_rows jsonb, p_used jsonb) RETURNS bigint
   LANGUAGE plpgsql AS $$
   DECLARE v_open int; v_used jsonb := p_used;
   BEGIN
     PERFORM pg_advisory_xact_lock_shared(${0x71756169}, 2); -- a month is closed when no flush is running
     SELECT value INTO v_open FROM quai.counters WHERE name = 'first_open_day';
     INSERT INTO quai.writers SELECT DISTINCT x ->> 0, p_owner FROM jsonb_array_elements(p_rows) x ON CONFLICT DO NOTHING;
     INSERT INTO quai.late_usage AS o (writer_id, key_id, utc_day, units, calls, last_used)
       SELECT x ->> 0, x ->> 1, (x ->> 2)::int, (x ->> 3)::float8, (x ->> 4)::float8, (x ->> 5)::float8
       FROM jsonb_array_elements(p_rows) x LEFT JOIN quai.usage u
         ON u.writer_id = x ->> 0 AND u.key_id = x ->> 1 AND u.utc_day = (x ->> 2)::int
       WHERE (x ->> 2)::int < v_open AND (x ->> 3)::float8 > coalesce(u.units, 0) ORDER BY 1, 2, 3
     ON CONFLICT (writer_id, key_id, utc_day) DO UPDATE SET units = greatest(o.units, excluded.units),
       calls = greatest(o.calls, excluded.calls), last_used = greatest(o.last_used, excluded.last_used);
     INSERT INTO quai.usage AS o (writer_id, key_id, utc_day, units, calls, last_used)
       SELECT x ->> 0, x ->> 1, (x ->> 2)::int, (x ->> 3)::float8, (x ->> 4)::float8, (x ->> 5)::float8
       FROM jsonb_array_elements(p_rows) x WHERE (x ->> 2)::int >= v_open ORDER BY 1, 2, 3
     ON CONFLICT (writer_id, key_id, utc_day) DO UPDATE SET units = greatest(o.units, excluded.units),
       calls = greatest(o.calls, excluded.calls), last_used = greatest(o.last_used, excluded.last_used)
     WHERE excluded.units > o.units OR excluded.calls > o.calls OR excluded.last_used > o.last_used;
     IF v_used IS NULL THEN
       SELECT jsonb_agg(jsonb_build_array(c.account_id, c.month, l.units)) INTO v_used FROM (
         SELECT DISTINCT k.account_id, quai.month_of((x ->> 2)::int) AS month
         FROM jsonb_array_elements(p_rows) x JOIN quai.keys k ON k.id = x ->> 1) c,
         LATERAL quai.ledger_units(c.account_id, c.month) l WHERE l.replica = p_owner;
     END IF;
     INSERT INTO quai.grants AS g SELECT x ->> 0, (x ->> 1)::int, p_owner, 0, 0, (x ->> 2)::bigint
       FROM jsonb_array_elements(coalesce(v_used, '[]')) x
       WHERE EXISTS (SELECT 1 FROM quai.quota q WHERE q.account_id = x ->> 0 AND q.month = (x ->> 1)::int) ORDER BY (x ->> 0) COLLATE "C", (x ->> 1)::int
     ON CONFLICT (account_id, month, replica) DO UPDATE SET used = greatest(g.used, excluded.used)
     WHERE excluded.used > g.used;
     RETURN quai.count_beat(p_replica, p_acked, true);
   END $$`,
  // What other writers than this replica's counted for an account: by key and day from p_first_day on, and the last use of
  // each key before that (day 0).
  `CREATE FUNCTION quai.usage_elsewhere(p_replica text, p_account text, p_first_day int) RETURNS jsonb
   LANGUAGE sql STABLE AS $$
     SELECT coalesce(jsonb_agg(jsonb_build_array(key_id, day, units, last_used)), '[]') FROM (
       SELECT u.key_id, CASE WHEN u.utc_day >= p_first_day THEN u.utc_day ELSE 0 END AS day,
         sum(CASE WHEN u.utc_day >= p_first_day THEN u.units ELSE 0 END) AS units, max(u.last_used) AS last_used
       FROM quai.keys k JOIN quai.usage u ON u.key_id = k.id LEFT JOIN quai.writers w ON w.writer_id = u.writer_id
       WHERE k.account_id = p_account AND w.replica IS DISTINCT FROM p_replica GROUP BY 1, 2) sums $$`,
]

/** Sets v_waits: nothing is granted until all replicas have told their grants, for 3 s at most. */
const WAITS_FOR_KNOWN = `UPDATE quai.store SET life = v_life, life_since = clock_timestamp() WHERE life <> v_life;
     SELECT clock_timestamp() < s.life_since + interval '3 s' AND EXISTS (
       SELECT 1 FROM quai.replicas o WHERE o.state <> 'ended' AND o.told_life <> v_life) INTO v_waits FROM quai.store s;`

/**
 * Asks: {a: account, m: month, cap, need, size, returned, used, known, mark}. Raises the replica's row to what it tells,
 * then grants between need and size, if the account has that many left. Fewer than it needs: the others are asked to
 * give back. Rows: [account, month, granted in all, granted now, used elsewhere, unspent elsewhere, the part of silent
 * replicas, whether the asker's terms are stale]. waits: nothing is granted while replicas tell their grants after a failover.
 * @param waits how v_waits is set
 */
export function grantUnits(waits: string): string {
  return `CREATE OR REPLACE FUNCTION quai.grant_units(p_replica text, p_acked bigint, p_plans bigint, p_asks jsonb) RETURNS jsonb
   LANGUAGE plpgsql AS $$
   DECLARE
     v_life text := quai.store_life(); v_waits boolean; v_count int; v_rows jsonb := '[]'; v_stale boolean;
     r record; own record; other record; v_held bigint; v_n bigint;
     v_old_plans boolean := (SELECT coalesce(max(sequence), 0) FROM quai.plan_tables) <> p_plans;
   BEGIN
     ${waits}
     SELECT greatest(count(*), 1) INTO v_count FROM quai.replicas WHERE state <> 'ended';
     FOR r IN SELECT * FROM jsonb_to_recordset(p_asks) AS x (a text, m int, cap bigint, need bigint, size bigint,
       returned bigint, used bigint, known bigint, mark bigint) ORDER BY a COLLATE "C", m
     LOOP
       INSERT INTO quai.quota VALUES (r.a, r.m) ON CONFLICT DO NOTHING;
       IF FOUND THEN
         INSERT INTO quai.grants SELECT r.a, r.m, l.replica, l.units, 0, l.units FROM quai.ledger_units(r.a, r.m) l;
       ELSE
         PERFORM 1 FROM quai.quota q WHERE q.account_id = r.a AND q.month = r.m FOR UPDATE;
       END IF;
       SELECT coalesce(max(g.granted), 0) AS granted, greatest(coalesce(max(g.returned), 0), r.returned) AS returned,
           greatest(coalesce(max(g.used), 0), r.used) AS used INTO own
         FROM quai.grants g WHERE g.account_id = r.a AND g.month = r.m AND g.replica = p_replica;
       own.granted := greatest(own.granted, r.known, own.used + own.returned);
       SELECT coalesce(sum(greatest(g.granted - g.returned, g.used)), 0) AS held, coalesce(sum(g.used), 0) AS used,
           coalesce(sum(greatest(g.granted - g.returned - g.used, 0)), 0) AS unspent,
           coalesce(sum(greatest(g.granted - g.returned - g.used, 0)) FILTER (WHERE NOT EXISTS (SELECT 1 FROM quai.looks l
             WHERE l.replica = g.replica AND l.seen_at > clock_timestamp() - interval '3 s')), 0) AS silent INTO other
         FROM quai.grants g WHERE g.account_id = r.a AND g.month = r.m AND g.replica <> p_replica;
       v_held := other.held + greatest(own.granted - own.returned, own.used);
       v_stale := v_old_plans OR (SELECT a.terms_mark FROM quai.accounts a WHERE a.id = r.a) IS DISTINCT FROM r.mark;
       v_n := 0;
       IF r.cap IS NOT NULL AND NOT v_waits AND NOT v_stale AND (r.need > 0 OR r.size > 0) THEN
         v_n := greatest(0, least(r.cap - v_held, greatest(r.need, 5, least(r.size, (r.cap - v_held) / (4 * v_count)))));
         IF v_n < r.need THEN
           INSERT INTO quai.recalls AS c VALUES (r.a, r.m, clock_timestamp()) ON CONFLICT (account_id, month)
           DO UPDATE SET at = excluded.at WHERE c.at < excluded.at - interval '100 ms';
         END IF;
       END IF;
       INSERT INTO quai.grants AS g VALUES (r.a, r.m, p_replica, own.granted + v_n, own.returned, own.used)
       ON CONFLICT (account_id, month, replica) DO UPDATE
         SET granted = excluded.granted, returned = excluded.returned, used = greatest(g.used, excluded.used)
         WHERE (g.granted, g.returned, g.used) IS DISTINCT FROM (excluded.granted, excluded.returned, excluded.used);
       v_rows := v_rows || jsonb_build_array(jsonb_build_array(r.a, r.m, own.granted + v_n, v_n, other.used,
         other.unspent, other.silent, v_stale));
     END LOOP;
     RETURN jsonb_build_object('beat', quai.count_beat(p_replica, p_acked, false), 'waits', v_waits, 'rows', v_rows);
   END $$`
}

const GRANTS = [
  // Frees what an ended replica did not use, at most p_most grants a call; returns how many. p_by: the start that merged
  // its counts; if the database lost that merge, nothing is freed.
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
  grantUnits(WAITS_FOR_KNOWN),
]

const MONTHS = [
  // A replica has flushed all days before p_day and charges none of them any more.
  `CREATE FUNCTION quai.seal(p_id text, p_day int) RETURNS boolean LANGUAGE plpgsql AS $$
   BEGIN
     UPDATE quai.replicas SET sealed_day = greatest(sealed_day, p_day) WHERE id = p_id;
     RETURN FOUND;
   END $$`,
  // From here on, counts of earlier days are late. False while a replica that has not ended may still flush some.
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
