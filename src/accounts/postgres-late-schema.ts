// Migration 9 of the PostgreSQL database: an operator decides what happens to units that arrived for a closed month. A
// statement never changes, so billed units are counted in a month that is still open.

/** The statements of migration 9. */
export const LATE_SCHEMA: readonly string[] = [
  // decided: the row's units that an operator has billed or waived. Units that are added to the row afterwards wait for
  // another decision.
  `ALTER TABLE quai.late_usage ADD COLUMN decided double precision NOT NULL DEFAULT 0,
     ADD COLUMN decided_calls double precision NOT NULL DEFAULT 0`,
  `CREATE FUNCTION quai.open_again() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     IF NEW.units > OLD.units THEN NEW.state := 'open'; END IF;
     RETURN NEW;
   END $$`,
  `CREATE TRIGGER late_usage_grows BEFORE UPDATE ON quai.late_usage FOR EACH ROW EXECUTE FUNCTION quai.open_again()`,
  `CREATE FUNCTION quai.month_name(p_day int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
     SELECT to_char(date '1970-01-01' + p_day, 'YYYY-MM') $$`,
  // The units of each late row that are neither in the ledger nor decided.
  `CREATE VIEW quai.late_open AS
     SELECT k.account_id, quai.month_name(l.utc_day) AS month, l.key_id, l.last_used,
       l.units - greatest(coalesce(u.units, 0), l.decided) AS units,
       greatest(l.calls - greatest(coalesce(u.calls, 0), l.decided_calls), 0) AS calls
     FROM quai.late_usage l JOIN quai.keys k ON k.id = l.key_id LEFT JOIN quai.usage u USING (writer_id, key_id, utc_day)
     WHERE l.units > greatest(coalesce(u.units, 0), l.decided)`,
  // Bills or waives an account's undecided units for a month, and returns their number. p_state is billed or waived.
  // p_day is the current UTC day. Billed units are added to the usage on p_day, or on the first open day if that is
  // later. They are stored under a writer that belongs to no replica. p_event is the id of the event, which is shown to
  // the owner.
  `CREATE FUNCTION quai.decide_late(p_account text, p_month text, p_state text, p_day int, p_at bigint, p_event text)
   RETURNS double precision LANGUAGE plpgsql AS $$
   DECLARE v_units double precision; v_day int; v_is_granted boolean;
   BEGIN
     PERFORM pg_advisory_xact_lock_shared(${0x71756169}, 2); -- no month is closed meanwhile
     SELECT greatest(p_day, value) INTO v_day FROM quai.counters WHERE name = 'first_open_day';
     PERFORM 1 FROM quai.quota WHERE account_id = p_account AND month = quai.month_of(v_day) FOR UPDATE;
     v_is_granted := FOUND;
     PERFORM 1 FROM quai.late_usage l JOIN quai.keys k ON k.id = l.key_id
     WHERE k.account_id = p_account AND quai.month_name(l.utc_day) = p_month ORDER BY writer_id, key_id, utc_day FOR UPDATE OF l;
     SELECT coalesce(sum(units), 0) INTO v_units FROM quai.late_open WHERE account_id = p_account AND month = p_month;
     IF v_units = 0 THEN RETURN 0; END IF;
     IF p_state = 'billed' THEN
       INSERT INTO quai.usage AS o (writer_id, key_id, utc_day, units, calls, last_used)
         SELECT 'late-' || p_month, key_id, v_day, sum(units), sum(calls), max(last_used) FROM quai.late_open
         WHERE account_id = p_account AND month = p_month GROUP BY key_id
       ON CONFLICT (writer_id, key_id, utc_day) DO UPDATE SET units = o.units + excluded.units,
         calls = o.calls + excluded.calls, last_used = greatest(o.last_used, excluded.last_used);
       IF v_is_granted THEN
         INSERT INTO quai.grants AS g SELECT p_account, quai.month_of(v_day), '', 0, 0, l.units
           FROM quai.ledger_units(p_account, quai.month_of(v_day)) l WHERE l.replica = ''
         ON CONFLICT (account_id, month, replica) DO UPDATE SET used = greatest(g.used, excluded.used);
       END IF;
     END IF;
     UPDATE quai.late_usage l SET decided = l.units, decided_calls = l.calls, state = p_state
     FROM quai.keys k WHERE k.id = l.key_id AND k.account_id = p_account AND quai.month_name(l.utc_day) = p_month
       AND l.units > l.decided;
     INSERT INTO quai.events VALUES (p_event, p_account, p_at, 'late_usage_' || p_state, NULL, 'operator',
       jsonb_build_object('month', p_month, 'units', v_units)::text);
     RETURN v_units;
   END $$`,
]
