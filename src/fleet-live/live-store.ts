// The part of the database that a replica's live thread uses: the poller's role, permits for its polls, and the
// messages for all replicas. Every method runs one SQL statement. The SQL functions are in
// accounts/postgres-live-schema.ts.
import type { FleetLive } from '../accounts/fleet.ts'
import { FleetRole } from '../accounts/fleet-role.ts'
import type { SourceStatus } from '../realtime/feed-source.ts'

/** Maximum number of messages that one SQL statement reads. */
const MESSAGES_AT_ONCE = 50

/** The number of the newest message, and the state of the poller's role. */
export interface LiveHead {
  /** Number of the current term; null before the first poller, and after a crash of the database. */
  readonly term: number | null
  /** Number of the newest message; null if `term` is null. */
  readonly seq: number | null
  /** Id of the replica that has the role, or had it last; null if no replica has ever had it. */
  readonly holder: string | null
  /** Increases each time the role moves to another replica; null if no replica has ever had the role. */
  readonly token: number | null
  /**
   * Milliseconds until `holder` loses the role if the role is not renewed; null if no replica has ever had the role.
   */
  readonly left_millis: number | null
  /** The current time by the database's clock, in Unix milliseconds. */
  readonly at: number
}

/** The result of fetching a feed. */
export interface MessageStatus extends SourceStatus {
  /** Service time of the fetch, in Unix milliseconds. */
  readonly atMillis: number
  readonly kind: 'body' | 'same' | 'failed'
}

/** The result of one poll of a feed, which the poller stores for all replicas. */
export interface LiveMessage {
  readonly seq: number
  readonly network: string
  /** Number of the network's previous message; 0 if there is none. */
  readonly before: number
  readonly feed: string
  readonly status: MessageStatus
  readonly body: Uint8Array | undefined
  /** When the message was committed, by the database's clock, in Unix milliseconds. */
  readonly committedMillis: number
}

/** The state of a network after all messages up to the number `seq`. */
export interface KeptMemory {
  readonly seq: number
  /** Identifies the program version that can read `bytes`. */
  readonly format: string
  readonly bytes: Uint8Array
}

/** A poll of a feed, with the details that the database needs to count it. */
export interface UpstreamCall {
  /** `network/feed`. */
  readonly feed: string
  readonly atMillis: number
  readonly windowStartMillis: number
  /** Maximum number of polls in the window; undefined if there is no limit. */
  readonly limit: number | undefined
}

/**
 * The token and term that each write by the poller must contain. The database does not accept a write with an earlier
 * token or another term.
 */
export interface Fence {
  readonly token: number
  readonly term: number
}

/**
 * The live thread's SQL statements. They throw StoreUnavailable, or RoleLost if another replica now has the poller's
 * role.
 */
export class LiveStore {
  /** The poller's role. */
  readonly role: FleetRole

  constructor({ replica, databaseUrl, hasPreparedStatements }: FleetLive) {
    this.role = new FleetRole({ name: 'live', replica, databaseUrl, isPooled: !hasPreparedStatements })
  }

  async look(): Promise<LiveHead> {
    return await this.role.value('quai.live_look()', [])
  }

  /** Begins another term, which has no messages yet. Returns its number. */
  async beginTerm(token: number): Promise<number> {
    return await this.role.value('quai.begin_term($1, $2::bigint)', [this.role.replica, token])
  }

  /**
   * Counts a poll. Returns the number of polls in the window, including this one; undefined if the limit is reached.
   */
  async permit(token: number, { feed, atMillis, windowStartMillis, limit }: UpstreamCall): Promise<number | undefined> {
    const call = { feed, at: Math.floor(atMillis), window_start: windowStartMillis, limit: limit ?? null }
    const text = 'quai.permit_call($1, $2::bigint, $3::text::jsonb)'
    return (await this.role.value<number | null>(text, [this.role.replica, token, JSON.stringify(call)])) ?? undefined
  }

  /** `network/feed` → when the feed was last polled, in Unix milliseconds. */
  async polledAt(): Promise<Readonly<Record<string, number>>> {
    return await this.role.value(
      `(SELECT coalesce(jsonb_object_agg(feed, polled_at), '{}') FROM quai.upstream_budgets)`,
      [],
    )
  }

  /** Stores a message and returns its number. If the term has ended, stores nothing and returns undefined. */
  async publish(
    { token, term }: Fence,
    message: Pick<LiveMessage, 'network' | 'feed' | 'status' | 'body'>,
  ): Promise<number | undefined> {
    const { network, feed, status, body } = message
    const packed = body === undefined ? null : Bun.zstdCompressSync(body, { level: 1 }).toString('base64')
    const text = 'quai.publish_message($1, $2::bigint, $3::bigint, $4::text::jsonb, $5::text)'
    const described = JSON.stringify({ network, feed, status })
    return (
      (await this.role.value<number | null>(text, [this.role.replica, token, term, described, packed])) ?? undefined
    )
  }

  /** Stores a network's memory. Returns false if the term has ended. */
  async keepMemory({ token, term }: Fence, network: string, { seq, format, bytes }: KeptMemory): Promise<boolean> {
    const packed = Bun.zstdCompressSync(bytes, { level: 1 }).toString('base64')
    const text = 'quai.keep_memory($1, $2::bigint, $3::bigint, $4::text::jsonb, $5::text)'
    return await this.role.value(text, [
      this.role.replica,
      token,
      term,
      JSON.stringify({ network, seq, format }),
      packed,
    ])
  }

  async prune(token: number): Promise<void> {
    await this.role.value('to_jsonb(quai.prune_messages($1, $2::bigint)::text)', [this.role.replica, token])
  }

  /** A network's memory; undefined if there is none. */
  async memoryOf(network: string): Promise<KeptMemory | undefined> {
    const rows = await this.role.rows<{ seq: string; format: string; memory: string }>(
      `SELECT seq::text, format, encode(memory, 'base64') AS memory FROM quai.live_memory WHERE network = $1`,
      [network],
    )
    const [row] = rows
    if (row === undefined) return undefined
    return { seq: Number(row.seq), format: row.format, bytes: unpacked(row.memory) }
  }

  /** The next messages after the number `seq`, in order, from all networks or from one; empty if there are no more. */
  async messagesAfter(seq: number, network?: string): Promise<LiveMessage[]> {
    const rows = await this.role.rows<MessageRow>(
      `SELECT seq::text, network, before::text, feed, status::text, encode(body, 'base64') AS body,
         (extract(epoch FROM at) * 1000)::float8 AS at
       FROM quai.live_messages WHERE seq > $1::bigint AND ($2::text IS NULL OR network = $2::text)
       ORDER BY seq LIMIT ${MESSAGES_AT_ONCE}`,
      [seq, network ?? null],
    )
    return rows.map(toMessage)
  }

  async close(): Promise<void> {
    await this.role.close()
  }
}

interface MessageRow {
  readonly seq: string
  readonly network: string
  readonly before: string
  readonly feed: string
  readonly status: string
  readonly body: string | null
  readonly at: number
}

function toMessage({ seq, network, before, feed, status, body, at }: MessageRow): LiveMessage {
  return {
    seq: Number(seq),
    network,
    before: Number(before),
    feed,
    status: JSON.parse(status),
    body: body === null ? undefined : unpacked(body),
    committedMillis: at,
  }
}

function unpacked(text: string): Uint8Array {
  return Bun.zstdDecompressSync(Buffer.from(text, 'base64'))
}
