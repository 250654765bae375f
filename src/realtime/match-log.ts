// Logs the share of live trips that match the timetable: at the start, when the share becomes good or bad, and once an
// hour. Counts ignored data by reason, so that operators know what to report to the agency.

import type { FeedMatchCounts } from '../networks/network.ts'

/** The part of a logger that the match log uses; pino loggers have it. */
export interface MatchLogger {
  info(fields: Readonly<Record<string, unknown>>, message: string): void
  warn(fields: Readonly<Record<string, unknown>>, message: string): void
}

/** If the share of matched trips is below this, the log entry is a warning. */
const GOOD_MATCH_RATE = 0.8
const REPEAT_SECONDS = 3600

/** The last log entry of one feed. */
interface LastEntry {
  readonly isGood: boolean
  readonly atSeconds: number
}

/** The log of one network. */
export class MatchLog {
  private readonly network: string
  private readonly log: MatchLogger
  private readonly lastEntries = new Map<string, LastEntry>()
  private readonly mismatched = new Set<string>()

  constructor(network: string, log: MatchLogger) {
    this.network = network
    this.log = log
  }

  /**
   * Logs how well a feed matched in one reading. Does so only for the first reading, if the match rate has become good
   * or bad, or if the last entry is an hour old. Logs an additional warning when the feed begins to match hardly any
   * trips.
   */
  note(feed: string, matches: FeedMatchCounts, nowSeconds: number): void {
    const { total, matched, reasons, mismatch } = matches
    if (total === 0) return
    if (mismatch === undefined) this.mismatched.delete(feed)
    else if (!this.mismatched.has(feed)) {
      this.mismatched.add(feed)
      const fields = { network: this.network, feed, trips: total, matched, commonest: mismatch }
      this.log.warn(fields, 'hardly any live trip matches the timetable')
    }
    const rate = matched / total
    const isGood = rate >= GOOD_MATCH_RATE
    const last = this.lastEntries.get(feed)
    if (last !== undefined && last.isGood === isGood && nowSeconds - last.atSeconds < REPEAT_SECONDS) return
    this.lastEntries.set(feed, { isGood, atSeconds: nowSeconds })
    const fields = {
      network: this.network,
      feed,
      trips: total,
      matched,
      match_rate: Math.round(rate * 1000) / 1000,
      reasons,
    }
    if (isGood) this.log.info(fields, 'live trips matched')
    else this.log.warn(fields, 'many live trips did not match the timetable')
  }
}
