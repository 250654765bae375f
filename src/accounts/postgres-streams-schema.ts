// Migration 11 of the PostgreSQL database: streams that a replica ended because it was stopping. Each can be reopened
// once free of charge, on any replica.
import { RANDOM_MARK } from './postgres-cluster-schema.ts'

/** The statements of migration 11. */
export const STREAMS_SCHEMA: readonly string[] = [
  // name: a stream's topic and interval, in the form that src/streams/stream-hub.ts uses.
  `CREATE TABLE quai.ended_streams (
     id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     key_id text COLLATE "C" NOT NULL,
     name text COLLATE "C" NOT NULL,
     free_until timestamptz NOT NULL
   )`,
  `CREATE INDEX ended_streams_of_key ON quai.ended_streams (key_id, name)`,
  // Stores streams as ended and informs all replicas. p_streams: [key, name] of each stream. p_seconds: how long the
  // streams can be reopened free of charge.
  `CREATE FUNCTION quai.end_streams(p_streams jsonb, p_seconds float8) RETURNS void LANGUAGE plpgsql AS $$
   BEGIN
     DELETE FROM quai.ended_streams WHERE free_until < clock_timestamp();
     INSERT INTO quai.ended_streams (key_id, name, free_until)
       SELECT x ->> 0, x ->> 1, clock_timestamp() + p_seconds * interval '1 s' FROM jsonb_array_elements(p_streams) x;
     INSERT INTO quai.changes (mark, what) VALUES (${RANDOM_MARK}, 'streams:ended');
   END $$`,
  // Deletes one ended stream for each [key, name]. Returns, in the order of p_streams, whether each stream was found.
  `CREATE FUNCTION quai.claim_streams(p_streams jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
   DECLARE v_stream jsonb; v_found jsonb := '[]';
   BEGIN
     FOR v_stream IN SELECT * FROM jsonb_array_elements(p_streams) LOOP
       DELETE FROM quai.ended_streams WHERE id = (SELECT id FROM quai.ended_streams WHERE key_id = v_stream ->> 0
         AND name = v_stream ->> 1 AND free_until > clock_timestamp() ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED);
       v_found := v_found || to_jsonb(FOUND);
     END LOOP;
     RETURN v_found;
   END $$`,
]
