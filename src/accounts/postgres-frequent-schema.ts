// Migration 8 of the PostgreSQL database: what replicas ask most. A tick also tells whether the database has the change that the
// replica saw last: if it was set back, another change may have that version by now. A tick is in plpgsql, whose sessions
// keep the plans, and a flush reads its rows once. After a failover nothing is granted for 3 s, whoever has told: a replica
// whose start was lost holds units too, and the database does not know it.
import { grantUnits } from './postgres-cluster-schema.ts'

/** A database without a life before has not failed over, unless a replica has told its grants in another one. */
const WAITS_FOR_ALL = `UPDATE quai.store SET life = v_life, life_since = CASE
       WHEN life = '' AND NOT EXISTS (SELECT 1 FROM quai.replicas WHERE told_life <> v_life) THEN '-infinity'
       ELSE clock_timestamp() END
     WHERE life <> v_life;
     SELECT clock_timestamp() < s.life_since + interval '3 s' INTO v_waits FROM quai.store s;`

/** The statements of migration 8. */
export const FREQUENT_SCHEMA: readonly string[] = [
  grantUnits(WAITS_FOR_ALL),
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
