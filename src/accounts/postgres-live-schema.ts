// Migration 6 of the PostgreSQL database: roles, and live data. A role belongs to one replica at a time. The replica
// with the role `live`, the poller, polls the live data for all replicas. Tables marked UNLOGGED are empty after a
// crash of the database; the poller fills them again.
//
// Each message from a feed is a row in quai.live_messages. Messages are numbered in the order of their commits, within
// a term. A term is a random number that is drawn again whenever messages are lost. A replica reads the messages that
// follow the last message it has read. The replica must start from quai.live_memory if that last message belongs to
// another term, or is newer than all messages in the table. quai.live_memory contains the state of a network after all
// messages up to the number `seq`.

const TABLES = [
  // token increases whenever the role moves to another replica. Every write that needs a role checks `holder`, `token`
  // and `until` in the same statement.
  `CREATE TABLE quai.roles (
     name text COLLATE "C" PRIMARY KEY,
     holder text COLLATE "C" NOT NULL,
     token bigint NOT NULL,
     until timestamptz NOT NULL
   ) WITH (fillfactor = 20)`,
  // used: number of requests to a feed's upstream in the current window of the feed's limit. window_start, polled_at:
  // Unix milliseconds. If a feed has no limit, only polled_at matters: the next poller waits for the rest of the
  // interval between polls.
  `CREATE TABLE quai.upstream_budgets (
     feed text COLLATE "C" PRIMARY KEY,
     window_start bigint NOT NULL,
     used bigint NOT NULL,
     polled_at bigint NOT NULL
   ) WITH (fillfactor = 50)`,
  `CREATE UNLOGGED TABLE quai.live_head (
     one boolean PRIMARY KEY DEFAULT true CHECK (one),
     term bigint NOT NULL,
     seq bigint NOT NULL
   ) WITH (fillfactor = 20)`,
  // before: the number of the network's previous message; 0 if there is none. status: see src/fleet-live/live-store.ts.
  // body: compressed; null if the upstream had nothing new or failed.
  `CREATE UNLOGGED TABLE quai.live_messages (
     seq bigint PRIMARY KEY,
     network text COLLATE "C" NOT NULL,
     before bigint NOT NULL,
     feed text COLLATE "C" NOT NULL,
     status jsonb NOT NULL,
     body bytea,
     at timestamptz NOT NULL
   )`,
  'ALTER TABLE quai.live_messages ALTER COLUMN body SET STORAGE EXTERNAL',
  'CREATE INDEX live_messages_of_network ON quai.live_messages (network, seq)',
  // seq: the last message that the memory includes. seq_before: the last message that the previous memory included.
  // Messages after seq_before are kept for replicas that lag.
  `CREATE UNLOGGED TABLE quai.live_memory (
     network text COLLATE "C" PRIMARY KEY,
     seq bigint NOT NULL,
     seq_before bigint NOT NULL,
     format text NOT NULL,
     memory bytea NOT NULL
   )`,
  'ALTER TABLE quai.live_memory ALTER COLUMN memory SET STORAGE EXTERNAL',
]

const ROLES = [
  // Takes or renews a role for p_seconds and returns its token. Returns null if another replica has the role, or if
  // this replica has ended.
  `CREATE FUNCTION quai.take_role(p_name text, p_id text, p_seconds float8) RETURNS bigint LANGUAGE plpgsql AS $$
   DECLARE v_token bigint;
   BEGIN
     IF NOT EXISTS (SELECT 1 FROM quai.replicas WHERE id = p_id AND state <> 'ended') THEN RETURN NULL; END IF;
     INSERT INTO quai.roles AS r VALUES (p_name, p_id, 1, clock_timestamp() + make_interval(secs => p_seconds))
     ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = clock_timestamp() + make_interval(secs => p_seconds),
       token = r.token + (r.holder <> p_id OR r.until < clock_timestamp())::int
     WHERE r.holder = p_id OR r.until < clock_timestamp() RETURNING token INTO v_token;
     RETURN v_token;
   END $$`,
  `CREATE FUNCTION quai.leave_role(p_name text, p_id text, p_token bigint) RETURNS boolean LANGUAGE plpgsql AS $$
   BEGIN
     UPDATE quai.roles SET until = clock_timestamp() WHERE name = p_name AND holder = p_id AND token = p_token
       AND until > clock_timestamp();
     RETURN FOUND;
   END $$`,
  // Fails (QU003) if the replica does not have the role with this token, so that the caller's write is undone.
  `CREATE FUNCTION quai.hold_role(p_name text, p_id text, p_token bigint) RETURNS void LANGUAGE plpgsql AS $$
   BEGIN
     IF NOT EXISTS (SELECT 1 FROM quai.roles WHERE name = p_name AND holder = p_id AND token = p_token
         AND until > clock_timestamp()) THEN
       RAISE EXCEPTION 'another replica has the role %', p_name USING ERRCODE = 'QU003';
     END IF;
   END $$`,
]

const LIVE = [
  // Every replica calls live_look ten times a second. It is in plpgsql, because sessions cache the query plans of
  // plpgsql functions. left_millis: how long the role lasts if it is not renewed.
  `CREATE FUNCTION quai.live_look() RETURNS jsonb LANGUAGE plpgsql AS $$
   BEGIN
     RETURN (SELECT jsonb_build_object('term', h.term, 'seq', h.seq, 'holder', r.holder, 'token', r.token,
       'left_millis', extract(epoch FROM r.until - clock_timestamp()) * 1000,
       'at', (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
     FROM (SELECT 1) one LEFT JOIN quai.live_head h ON true LEFT JOIN quai.roles r ON r.name = 'live');
   END $$`,
  // Counts one request to an upstream. Returns the number of requests in the window; null if the limit is reached. In
  // p_call, `limit` is null if there is no limit.
  `CREATE FUNCTION quai.permit_call(p_id text, p_token bigint, p_call jsonb) RETURNS bigint LANGUAGE plpgsql AS $$
   DECLARE
     v_limit bigint := (p_call ->> 'limit')::bigint;
     v_start bigint := (p_call ->> 'window_start')::bigint;
     v_used bigint;
   BEGIN
     PERFORM quai.hold_role('live', p_id, p_token);
     INSERT INTO quai.upstream_budgets AS b VALUES (p_call ->> 'feed', v_start, 1, (p_call ->> 'at')::bigint)
     ON CONFLICT (feed) DO UPDATE SET polled_at = excluded.polled_at, window_start = greatest(b.window_start, v_start),
       used = CASE WHEN v_start > b.window_start THEN 1 ELSE b.used + 1 END
     WHERE v_limit IS NULL OR v_start > b.window_start OR b.used < v_limit
     RETURNING used INTO v_used;
     RETURN v_used;
   END $$`,
  // Locks the head before it checks the role, so no message from an earlier poller can follow one from a later poller.
  `CREATE FUNCTION quai.lock_head(p_id text, p_token bigint) RETURNS void LANGUAGE plpgsql AS $$
   BEGIN
     PERFORM 1 FROM quai.live_head FOR UPDATE;
     PERFORM quai.hold_role('live', p_id, p_token);
   END $$`,
  // Begins a term without messages and returns the term.
  `CREATE FUNCTION quai.begin_term(p_id text, p_token bigint) RETURNS bigint LANGUAGE plpgsql AS $$
   DECLARE v_term bigint := (random() * 9e15)::bigint;
   BEGIN
     INSERT INTO quai.live_head VALUES (true, 0, 0) ON CONFLICT DO NOTHING;
     PERFORM quai.lock_head(p_id, p_token);
     DELETE FROM quai.live_messages;
     DELETE FROM quai.live_memory;
     UPDATE quai.live_head SET term = v_term, seq = 0;
     RETURN v_term;
   END $$`,
  // Stores a message and returns its number; returns null if the term is over.
  `CREATE FUNCTION quai.publish_message(p_id text, p_token bigint, p_term bigint, p_message jsonb, p_body text)
   RETURNS bigint LANGUAGE plpgsql AS $$
   DECLARE v_seq bigint; v_network text := p_message ->> 'network';
   BEGIN
     PERFORM quai.lock_head(p_id, p_token);
     UPDATE quai.live_head SET seq = seq + 1 WHERE term = p_term RETURNING seq INTO v_seq;
     IF NOT FOUND THEN RETURN NULL; END IF;
     INSERT INTO quai.live_messages VALUES (v_seq, v_network,
       coalesce((SELECT max(seq) FROM quai.live_messages WHERE network = v_network), 0), p_message ->> 'feed',
       p_message -> 'status', decode(p_body, 'base64'), clock_timestamp());
     RETURN v_seq;
   END $$`,
  // Stores a network's memory, which includes all messages up to the number `seq` in p_kept. Drops the messages that
  // the previous memory included. Keeps later messages for replicas that lag. Also keeps the last body of each feed,
  // for replicas that cannot read the format of this memory.
  `CREATE FUNCTION quai.keep_memory(p_id text, p_token bigint, p_term bigint, p_kept jsonb, p_memory text)
   RETURNS boolean LANGUAGE plpgsql AS $$
   DECLARE v_before bigint; v_network text := p_kept ->> 'network'; v_seq bigint := (p_kept ->> 'seq')::bigint;
   BEGIN
     PERFORM quai.lock_head(p_id, p_token);
     IF NOT EXISTS (SELECT 1 FROM quai.live_head WHERE term = p_term) THEN RETURN false; END IF;
     SELECT seq INTO v_before FROM quai.live_memory WHERE network = v_network;
     INSERT INTO quai.live_memory VALUES (v_network, v_seq, coalesce(v_before, 0), p_kept ->> 'format',
       decode(p_memory, 'base64'))
     ON CONFLICT (network) DO UPDATE SET seq = excluded.seq, seq_before = excluded.seq_before, format = excluded.format,
       memory = excluded.memory;
     DELETE FROM quai.live_messages m WHERE m.network = v_network AND m.seq <= v_before AND m.seq < v_seq
       AND (m.body IS NULL OR EXISTS (SELECT 1 FROM quai.live_messages n
         WHERE n.network = m.network AND n.feed = m.feed AND n.body IS NOT NULL AND n.seq > m.seq))
       AND EXISTS (SELECT 1 FROM quai.live_messages n WHERE n.network = m.network AND n.seq > m.seq);
     RETURN true;
   END $$`,
  // Drops old messages that keep_memory does not drop. keep_memory runs for a network only if the poller has the
  // network's snapshot, and it keeps the last message of a feed even if no replica has the feed any more.
  `CREATE FUNCTION quai.prune_messages(p_id text, p_token bigint) RETURNS void LANGUAGE plpgsql AS $$
   BEGIN
     PERFORM quai.lock_head(p_id, p_token);
     DELETE FROM quai.live_messages m WHERE m.at < clock_timestamp() - interval '10 min'
       AND EXISTS (SELECT 1 FROM quai.live_messages n WHERE n.network = m.network AND n.feed = m.feed AND n.seq > m.seq
         AND (m.body IS NULL OR n.body IS NOT NULL));
     DELETE FROM quai.live_messages m WHERE m.at < clock_timestamp() - interval '1 d'
       AND EXISTS (SELECT 1 FROM quai.live_messages n WHERE n.network = m.network AND n.seq > m.seq)
       AND NOT EXISTS (SELECT 1 FROM quai.live_messages n WHERE n.network = m.network AND n.feed = m.feed AND n.seq > m.seq);
   END $$`,
]

/** The statements of migration 6. */
export const LIVE_SCHEMA: readonly string[] = [...TABLES, ...ROLES, ...LIVE]
