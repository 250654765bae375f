// Migration 10 of the PostgreSQL database: replicas share sets of files instead of single files. A set is, for example,
// a timetable with its stops, or streets with their links to stops. A file that has not changed is not stored again.
// Replicas of the previous version still call migration 7's functions for single files, so these stay.

/** The statements of migration 10. */
export const FILES_SCHEMA: readonly string[] = [
  // files: name of each file → SHA-256 of its content. hash: SHA-256 of `files`, which identifies the set.
  `ALTER TABLE quai.snapshots ADD COLUMN files jsonb NOT NULL DEFAULT '{}'`,
  `CREATE FUNCTION quai.offer_files(p_role text, p_id text, p_token bigint, p_row jsonb) RETURNS void
   LANGUAGE plpgsql AS $$
   BEGIN
     PERFORM quai.hold_role(p_role, p_id, p_token);
     DELETE FROM quai.snapshots WHERE kind = p_row ->> 'kind' AND network = p_row ->> 'network'
       AND format = p_row ->> 'format' AND hash = p_row ->> 'hash' AND state <> 'served';
     INSERT INTO quai.snapshots (kind, network, format, hash, files, state, bytes) VALUES (p_row ->> 'kind',
       p_row ->> 'network', p_row ->> 'format', p_row ->> 'hash', p_row -> 'files', 'offered', (p_row ->> 'bytes')::bigint)
     ON CONFLICT DO NOTHING;
   END $$`,
  // Removes withdrawn sets that are older than a day and are not among the last three of their kind, network and
  // format. Returns the removed sets' files, except files that another set of this format contains. The caller deletes
  // the returned files from the object store.
  `CREATE FUNCTION quai.drop_files(p_role text, p_id text, p_token bigint, p_format text) RETURNS jsonb
   LANGUAGE plpgsql AS $$
   DECLARE v_dropped jsonb;
   BEGIN
     PERFORM quai.hold_role(p_role, p_id, p_token);
     WITH ranked AS (
       SELECT s.*, row_number() OVER (PARTITION BY kind, network ORDER BY offered_in DESC) AS place
       FROM quai.snapshots s WHERE format = p_format
     ), dropped AS (
       DELETE FROM quai.snapshots s USING ranked r WHERE s.offered_in = r.offered_in AND r.place > 3
         AND s.state = 'withdrawn' AND s.at < clock_timestamp() - interval '24 h' RETURNING s.kind, s.network, s.files
     ) SELECT coalesce(jsonb_agg(DISTINCT jsonb_build_object('kind', kind, 'name', network, 'hash', f.value)), '[]')
       INTO v_dropped FROM dropped, jsonb_each_text(dropped.files) f;
     RETURN (SELECT coalesce(jsonb_agg(d), '[]') FROM jsonb_array_elements(v_dropped) d WHERE NOT EXISTS (
       SELECT FROM quai.snapshots s, jsonb_each_text(s.files) f WHERE s.kind = d ->> 'kind' AND s.network = d ->> 'name'
         AND s.format = p_format AND f.value = d ->> 'hash'));
   END $$`,
]
