// Migration 8 of the PostgreSQL database: the functions that replicas call most. `tick` is in plpgsql, because sessions
// cache the query plans of plpgsql functions.

/** The statements of migration 8. In older databases, they replace the previous bodies of these functions. */
export const FREQUENT_SCHEMA: readonly string[] = [
  // Grants units to the replica p_replica. Each element of p_asks is {a: account, m: month, cap, need, size, returned,
  // used, known, mark}; see UnitRequest in src/cluster/fleet-store.ts. For each element, the function first raises the
  // replica's stored counts to the reported counts. Then it grants `size` units. Near the cap, it grants fewer, but at
  // least `need`. If fewer than `need` are left, it grants what is left, and adds a row to quai.recalls, which makes
  // the other replicas return units.
  //
  // Returns `rows`, one per element: [account, month, granted in all, granted now, used by other replicas, unspent by
  // other replicas, unspent by silent replicas, whether p_replica has outdated terms]. With outdated terms, nothing is
  // granted. Also returns `waits`, which is true for 3 s after a failover. During this time, nothing is granted, even
  // if every replica in the database has reported its grants: the database may have lost a replica that also holds
  // units.
  `CREATE OR REPLACE FUNCTION quai.grant_units(p_replica text, p_acked bigint, p_plans bigint, p_asks jsonb) RETURNS jsonb
   LANGUAGE plpgsql AS $$
   DECLARE
     v_life text := quai.store_life(); v_waits boolean; v_count int; v_rows jsonb := '[]'; v_stale boolean;
     r record; own record; other record; v_held bigint; v_n bigint;
     v_old_plans boolean := (SELECT coalesce(max(sequence), 0) FROM quai.plan_tables) <> p_plans;
   BEGIN
     -- A database without a life before has not failed over, unless a replica has reported its grants in another one.
     UPDATE quai.store SET life = v_life, life_since = CASE
       WHEN life = '' AND NOT EXISTS (SELECT 1 FROM quai.replicas WHERE told_life <> v_life) THEN '-infinity'
       ELSE clock_timestamp() END
     WHERE life <> v_life;
     SELECT clock_timestamp() < s.life_since + interval '3 s' INTO v_waits FROM quai.store s;
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
   END $$`,
  // Records that a replica is alive, and which change it applied last. Returns the state of the cluster. Writes only an
  // unlogged row. `is_known` in the result: whether the database has the change that the replica applied last. If the
  // database was restored to an earlier state, the change may be missing, or its number may belong to another change.
  `CREATE OR REPLACE FUNCTION quai.tick(p_id text, p_version bigint, p_mark bigint, p_facts jsonb) RETURNS jsonb
   LANGUAGE plpgsql AS $$
   BEGIN
     INSERT INTO quai.looks AS l VALUES (p_id, clock_timestamp(), p_version, p_mark, p_facts)
     ON CONFLICT (replica) DO UPDATE SET seen_at = excluded.seen_at, version_seen = excluded.version_seen,
       mark_seen = excluded.mark_seen, facts = excluded.facts;
     RETURN (SELECT jsonb_build_object(
       'state', r.state, 'why', r.ended_why, 'beat', r.beat, 'told_life', r.told_life, 'life', quai.store_life(),
       'version', (SELECT value FROM quai.counters WHERE name = 'version'),
       'is_known', EXISTS (SELECT 1 FROM quai.changes WHERE version = p_version AND mark = p_mark),
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
     FROM (SELECT 1) one LEFT JOIN quai.replicas r ON r.id = p_id);
   END $$`,
  // Stores the rows p_rows: [writer, key, day, units, calls, last used]. If a row exists, the larger values are stored.
  // Rows for closed months go to late_usage. p_replica is the replica that sends the rows; p_owner is the replica that
  // counted them. p_used lists the accounts that used more units on p_owner than were granted to p_owner: [account,
  // month, units], where `units` is everything that the account used on p_owner in the month. p_used is null if
  // p_replica found the rows of an earlier process when it started. In that case, the function computes the units from
  // the ledger.
  `CREATE OR REPLACE FUNCTION quai.flush(p_replica text, p_owner text, p_acked bigint, p_rows jsonb, p_used jsonb)
   RETURNS bigint LANGUAGE plpgsql AS $$
   DECLARE v_open int; v_used jsonb := p_used;
   BEGIN
     PERFORM pg_advisory_xact_lock_shared(${0x71756169}, 2); -- a month is closed when no flush is running
     SELECT value INTO v_open FROM quai.counters WHERE name = 'first_open_day';
     WITH sent AS MATERIALIZED (
       SELECT x ->> 0 AS writer_id, x ->> 1 AS key_id, (x ->> 2)::int AS utc_day, (x ->> 3)::float8 AS units,
         (x ->> 4)::float8 AS calls, (x ->> 5)::float8 AS last_used FROM jsonb_array_elements(p_rows) x
     ), writers AS (
       INSERT INTO quai.writers SELECT DISTINCT writer_id, p_owner FROM sent ON CONFLICT DO NOTHING
     ), late AS (
       INSERT INTO quai.late_usage AS o (writer_id, key_id, utc_day, units, calls, last_used)
         SELECT t.* FROM sent t LEFT JOIN quai.usage u USING (writer_id, key_id, utc_day)
         WHERE t.utc_day < v_open AND t.units > coalesce(u.units, 0) ORDER BY 1, 2, 3
       ON CONFLICT (writer_id, key_id, utc_day) DO UPDATE SET units = greatest(o.units, excluded.units),
         calls = greatest(o.calls, excluded.calls), last_used = greatest(o.last_used, excluded.last_used)
     )
     INSERT INTO quai.usage AS o (writer_id, key_id, utc_day, units, calls, last_used)
       SELECT * FROM sent WHERE utc_day >= v_open ORDER BY 1, 2, 3
     ON CONFLICT (writer_id, key_id, utc_day) DO UPDATE SET units = greatest(o.units, excluded.units),
       calls = greatest(o.calls, excluded.calls), last_used = greatest(o.last_used, excluded.last_used)
     WHERE excluded.units > o.units OR excluded.calls > o.calls OR excluded.last_used > o.last_used;
     IF v_used IS NULL THEN
       SELECT jsonb_agg(jsonb_build_array(c.account_id, c.month, l.units)) INTO v_used FROM (
         SELECT DISTINCT k.account_id, quai.month_of((x ->> 2)::int) AS month
         FROM jsonb_array_elements(p_rows) x JOIN quai.keys k ON k.id = x ->> 1) c,
         LATERAL quai.ledger_units(c.account_id, c.month) l WHERE l.replica = p_owner;
     END IF;
     IF jsonb_array_length(v_used) > 0 THEN
       INSERT INTO quai.grants AS g SELECT x ->> 0, (x ->> 1)::int, p_owner, 0, 0, (x ->> 2)::bigint
         FROM jsonb_array_elements(v_used) x
         WHERE EXISTS (SELECT 1 FROM quai.quota q WHERE q.account_id = x ->> 0 AND q.month = (x ->> 1)::int)
         ORDER BY (x ->> 0) COLLATE "C", (x ->> 1)::int
       ON CONFLICT (account_id, month, replica) DO UPDATE SET used = greatest(g.used, excluded.used)
       WHERE excluded.used > g.used;
     END IF;
     RETURN quai.count_beat(p_replica, p_acked, true);
   END $$`,
]
