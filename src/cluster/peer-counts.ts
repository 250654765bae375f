// The counts that replicas report to each other with their ticks, so that limits apply to all replicas together. A
// replica reports how many requests it admitted for accounts that use much of their rate, and how many streams are
// open. It also reports its own counts for every account and key that another replica reports. Counts are totals, not
// differences, so a lost or repeated message changes nothing.
import type { HeldStreams } from '../accounts/fleet.ts'
import type { Rate, RateCells } from '../metering/limit-cells.ts'
import { ACCOUNT_STREAM_LIMIT, KEY_STREAM_LIMIT } from '../streams/stream-slots.ts'
import type { GrantCells } from './grant-cells.ts'
import type { Pace } from './pace.ts'
import type { ReportedTry } from './peer-tries.ts'

/** Requests admitted elsewhere can put a rate bucket into debt, but by no more than the bucket refills in this time. */
export const MOST_RATE_DEBT_MICROS = 10_000_000
/** How long a replica reports an account after the account last used much of its rate. */
const HOT_MILLIS = 10_000
/** How long a replica's last count for an account is remembered after the replica stops reporting the account. */
const REMEMBERED_MILLIS = 60_000
/**
 * A replica reports the open streams of a key or account if there are at least this many, and at least the limit
 * divided by the number of replicas. It reports a smaller number only if another replica reports the same key or
 * account.
 */
const FEWEST_STREAMS = 2
const MICROS_PER_MILLI = 1_000

/** What a replica reports about rates and streams. */
export interface Counts {
  /**
   * Account → three numbers: the count of admitted requests when the account's rate bucket was last full; the count
   * now; and 1 if the account uses much of its rate on this replica, otherwise 0. Counts wrap around as 32-bit
   * integers.
   */
  readonly rates?: Readonly<Record<string, readonly [full: number, now: number, isOwn: 0 | 1]>>
  /** The number that stands for a key or account (see streams/stream-slots.ts) → its open streams on this replica. */
  readonly streams?: Readonly<Record<string, number>>
  readonly tries?: readonly ReportedTry[]
}

/** Dependencies of the counts. */
export interface PeerCountParts {
  readonly cells: GrantCells
  readonly rates: RateCells
  readonly pace: Pace
  /**
   * The index of an account's cell in shared memory, and its rate; undefined if the account is unknown or has no rate.
   */
  rateOf(accountId: string): { readonly cell: number; readonly rate: Rate } | undefined
  /** This replica's open streams. */
  heldStreams(): HeldStreams
  /** Sends the numbers of open streams on other replicas to the data threads. */
  announceStreams(elsewhere: ReadonlyMap<number, number>): void
}

interface Hot {
  /** The count of admitted requests when the account's rate bucket was last full. */
  readonly full: number
  untilMillis: number
  /** The time until which the account counts as using much of its rate on this replica. */
  ownUntilMillis: number
}

/** Writes the counts that this replica reports, and applies the counts that other replicas reported. */
export class PeerCounts {
  private readonly parts: PeerCountParts
  private readonly hot = new Map<string, Hot>()
  /** Replica id and account id → the last count of admitted requests that the replica reported for the account. */
  private readonly received = new Map<string, { readonly count: number; readonly atMillis: number }>()
  private streamsElsewhere: ReadonlyMap<number, number> = new Map()

  constructor(parts: PeerCountParts) {
    this.parts = parts
  }

  /** Called when an account uses much of its rate on this replica. */
  noteHot(accountId: string): void {
    this.warm(accountId, true)
  }

  /** The counts that this replica reports to the other replicas. */
  report(): Counts {
    const rates = this.rates()
    const streams = this.streams()
    return { ...(rates && { rates }), ...(streams && { streams }) }
  }

  /** Applies the counts that other replicas reported. The keys of `reports` are replica ids. */
  take(reports: Readonly<Record<string, Counts>>): void {
    const nowMillis = this.parts.pace.nowMillis()
    const streams = new Map<number, number>()
    for (const [replica, { rates = {}, streams: held = {} }] of Object.entries(reports)) {
      for (const [accountId, [full, now, isOwn]] of Object.entries(rates)) {
        if (isOwn === 1) this.warm(accountId, false)
        this.admit(accountId, this.since(`${replica} ${accountId}`, { full, now, nowMillis }))
      }
      for (const [number, count] of Object.entries(held)) {
        streams.set(Number(number), (streams.get(Number(number)) ?? 0) + count)
      }
    }
    for (const [key, { atMillis }] of this.received) {
      if (nowMillis - atMillis > REMEMBERED_MILLIS) this.received.delete(key)
    }
    if (streams.size === 0 && this.streamsElsewhere.size === 0) return
    this.streamsElsewhere = streams
    this.parts.announceStreams(streams)
  }

  /** The number of requests that another replica has admitted for an account since that replica's previous report. */
  private since(key: string, { full, now, nowMillis }: { full: number; now: number; nowMillis: number }): number {
    const last = this.received.get(key)?.count ?? full
    this.received.set(key, { count: now, atMillis: nowMillis })
    return Math.max(0, Math.min(difference(now, last), difference(now, full)))
  }

  private admit(accountId: string, requests: number): void {
    const found = requests === 0 ? undefined : this.parts.rateOf(accountId)
    if (found === undefined) return
    this.parts.rates.move(found.cell, found.rate, { requests, nowMicros: this.nowMicros })
  }

  private warm(accountId: string, isOwn: boolean): void {
    const { pace, cells, rates, rateOf } = this.parts
    const found = rateOf(accountId)
    if (found === undefined) return
    const untilMillis = pace.nowMillis() + HOT_MILLIS
    const known = this.hot.getOrInsertComputed(accountId, () => {
      const full = (cells.admitted(found.cell) - rates.missing(found.cell, found.rate, this.nowMicros)) | 0
      return { full, untilMillis, ownUntilMillis: 0 }
    })
    known.untilMillis = untilMillis
    if (isOwn) known.ownUntilMillis = untilMillis
  }

  private rates(): Counts['rates'] {
    const { pace, cells, rateOf } = this.parts
    const nowMillis = pace.nowMillis()
    const rates: Record<string, [number, number, 0 | 1]> = {}
    for (const [accountId, { full, untilMillis, ownUntilMillis }] of this.hot) {
      const cell = rateOf(accountId)?.cell
      if (cell === undefined || nowMillis > untilMillis) this.hot.delete(accountId)
      else rates[accountId] = [full, cells.admitted(cell), nowMillis > ownUntilMillis ? 0 : 1]
    }
    return this.hot.size === 0 ? undefined : rates
  }

  /**
   * The open streams to report. A replica's share of a limit is the limit divided by the number of replicas. If a key
   * or account has fewer streams than this share, they are reported only if another replica reports the same key or
   * account. If the streams are below the share on every replica, all of them together are below the limit.
   */
  private streams(): Counts['streams'] {
    const { replicaCount } = this.parts.cells
    if (replicaCount < 2) return undefined
    const streams: Record<string, number> = {}
    const { keys, accounts } = this.parts.heldStreams()
    const kinds = [
      [keys, KEY_STREAM_LIMIT],
      [accounts, ACCOUNT_STREAM_LIMIT],
    ] as const
    for (const [held, limit] of kinds) {
      const fewest = Math.max(FEWEST_STREAMS, Math.ceil(limit / replicaCount))
      for (const [number, count] of held) {
        if (count >= fewest || this.streamsElsewhere.has(number)) streams[number] = count
      }
    }
    return Object.keys(streams).length === 0 ? undefined : streams
  }

  private get nowMicros(): number {
    return this.parts.pace.wallMillis() * MICROS_PER_MILLI
  }
}

/** The difference between two counts that wrap around as 32-bit integers. */
function difference(count: number, before: number): number {
  return (count - before) | 0
}
