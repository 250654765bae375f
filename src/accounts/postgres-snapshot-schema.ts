// Migration 7 of the PostgreSQL database: the snapshots that replicas share. The files are objects in an S3-compatible
// store, named by the hash of their content. The rows in this migration's tables determine which files all replicas
// serve.

/** The statements of migration 7. */
export const SNAPSHOT_SCHEMA: readonly string[] = [
  // state: offered (all replicas fetch the files), served, or withdrawn. offered_in: grows with each offer. format: see
  // SHARED_FORMAT; replicas with another version of Quai may need another format. stops: hash of the stop search index;
  // null if there is none. what: the name that this row has in quai.changes.
  `CREATE TABLE quai.snapshots (
     kind text COLLATE "C" NOT NULL,
     network text COLLATE "C" NOT NULL,
     format text COLLATE "C" NOT NULL,
     hash text COLLATE "C" NOT NULL,
     stops text,
     state text NOT NULL,
     offered_in bigint GENERATED ALWAYS AS IDENTITY,
     bytes bigint NOT NULL,
     at timestamptz NOT NULL DEFAULT clock_timestamp(),
     what text GENERATED ALWAYS AS (kind || ':' || network) STORED,
     PRIMARY KEY (kind, network, format, hash)
   )`,
  `CREATE TRIGGER snapshots_note_change AFTER INSERT OR UPDATE ON quai.snapshots FOR EACH ROW
   EXECUTE FUNCTION quai.note_change('what', 'snapshot:')`,
  // error: why the last import of a network failed, as a LastError (src/networks/network.ts); null if the import did
  // not fail. All replicas show the error.
  `CREATE TABLE quai.network_state (
     network text COLLATE "C" NOT NULL,
     format text COLLATE "C" NOT NULL,
     error jsonb,
     what text GENERATED ALWAYS AS ('state:' || network) STORED,
     PRIMARY KEY (network, format)
   )`,
  `CREATE TRIGGER network_state_note_change AFTER INSERT OR UPDATE ON quai.network_state FOR EACH ROW
   EXECUTE FUNCTION quai.note_change('what', 'snapshot:')`,
  `CREATE FUNCTION quai.note_network(p_role text, p_id text, p_token bigint, p_row jsonb) RETURNS void
   LANGUAGE plpgsql AS $$
   BEGIN
     PERFORM quai.hold_role(p_role, p_id, p_token);
     INSERT INTO quai.network_state AS n (network, format, error)
     VALUES (p_row ->> 'network', p_row ->> 'format', nullif(p_row -> 'error', 'null'))
     ON CONFLICT (network, format) DO UPDATE SET error = excluded.error WHERE n.error IS DISTINCT FROM excluded.error;
   END $$`,
  // Offers a snapshot to all replicas. Called by the replica that imports for all replicas with the same format.
  `CREATE FUNCTION quai.offer_snapshot(p_role text, p_id text, p_token bigint, p_row jsonb) RETURNS void
   LANGUAGE plpgsql AS $$
   BEGIN
     PERFORM quai.hold_role(p_role, p_id, p_token);
     DELETE FROM quai.snapshots WHERE kind = p_row ->> 'kind' AND network = p_row ->> 'network'
       AND format = p_row ->> 'format' AND hash = p_row ->> 'hash' AND state <> 'served';
     INSERT INTO quai.snapshots (kind, network, format, hash, stops, state, bytes) VALUES (p_row ->> 'kind',
       p_row ->> 'network', p_row ->> 'format', p_row ->> 'hash', p_row ->> 'stops', 'offered', (p_row ->> 'bytes')::bigint)
     ON CONFLICT DO NOTHING;
   END $$`,
  `CREATE FUNCTION quai.serve_snapshot(p_role text, p_id text, p_token bigint, p_row jsonb) RETURNS void
   LANGUAGE plpgsql AS $$
   BEGIN
     PERFORM quai.hold_role(p_role, p_id, p_token);
     UPDATE quai.snapshots SET state = CASE WHEN hash = p_row ->> 'hash' THEN 'served' ELSE 'withdrawn' END
     WHERE kind = p_row ->> 'kind' AND network = p_row ->> 'network' AND format = p_row ->> 'format'
       AND state <> 'withdrawn';
   END $$`,
  // Returns the names of the serving replicas with this format that have not fetched an offered snapshot. Leaves out
  // replicas that have not been seen for 3 seconds.
  `CREATE FUNCTION quai.unprepared(p_format text, p_hash text) RETURNS text[] LANGUAGE sql STABLE AS $$
     SELECT coalesce(array_agg(r.name ORDER BY r.name), '{}') FROM quai.replicas r JOIN quai.looks l ON l.replica = r.id
     WHERE r.state = 'serving' AND l.seen_at > clock_timestamp() - interval '3 s'
       AND l.facts -> 'snapshots' ->> 'format' = p_format
       AND NOT (l.facts -> 'snapshots' -> 'prepared' ? p_hash) $$`,
  // Removes withdrawn rows that are older than a day and are not among the last three of their kind, network and
  // format. Returns these rows; the caller deletes their files from the object store.
  `CREATE FUNCTION quai.drop_snapshots(p_role text, p_id text, p_token bigint, p_format text) RETURNS jsonb
   LANGUAGE plpgsql AS $$
   DECLARE v_dropped jsonb;
   BEGIN
     PERFORM quai.hold_role(p_role, p_id, p_token);
     WITH ranked AS (
       SELECT s.*, row_number() OVER (PARTITION BY kind, network ORDER BY offered_in DESC) AS place
       FROM quai.snapshots s WHERE format = p_format
     ), dropped AS (
       DELETE FROM quai.snapshots s USING ranked r WHERE s.offered_in = r.offered_in AND r.place > 3
         AND s.state = 'withdrawn' AND s.at < clock_timestamp() - interval '24 h' RETURNING s.kind, s.network, s.hash, s.stops
     ) SELECT coalesce(jsonb_agg(to_jsonb(dropped)), '[]') INTO v_dropped FROM dropped;
     RETURN v_dropped;
   END $$`,
]
