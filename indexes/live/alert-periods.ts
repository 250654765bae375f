// The periods of alerts: drops invalid periods, and finds the period to show at a given time.
import type { TimeRange } from '../../loaders/gtfs-rt/message.ts'

/**
 * The start of 9999-12-31 UTC, in seconds after 1970. Some producers use later times for "no end". In some time zones,
 * such times cannot be written as a timestamp.
 */
const LAST_SECONDS = 253_402_214_400
/** A period that has neither a start nor an end. */
export const ALWAYS: TimeRange = { startSeconds: undefined, endSeconds: undefined }

/** Sorts periods by start; those without a start come first. Drops empty periods, and calls `onEmpty` for each. */
export function soundPeriods(ranges: readonly TimeRange[], onEmpty: () => void): TimeRange[] {
  const sound: TimeRange[] = []
  for (const { startSeconds, endSeconds } of ranges) {
    const start = startSeconds === undefined || startSeconds <= 0 ? undefined : startSeconds
    const end = endSeconds === undefined || endSeconds <= 0 || endSeconds >= LAST_SECONDS ? undefined : endSeconds
    const isEmpty = start !== undefined && (start >= LAST_SECONDS || (end !== undefined && end <= start))
    if (isEmpty) onEmpty()
    else sound.push({ startSeconds: start, endSeconds: end })
  }
  return sound.sort((a, b) => startOf(a) - startOf(b) || endOf(a) - endOf(b))
}

/** Whether any period contains a given time: start ≤ seconds < end. */
export function isWithin(periods: readonly TimeRange[], seconds: number): boolean {
  return periods.some((period) => startOf(period) <= seconds && seconds < endOf(period))
}

/**
 * The period that contains the given time, otherwise the next one, otherwise the one that ends last.
 * @param periods sorted by start
 */
export function periodAt(periods: readonly TimeRange[], seconds: number): TimeRange {
  const holding = periods.find((period) => startOf(period) <= seconds && seconds < endOf(period))
  return holding ?? periods.find((period) => startOf(period) > seconds) ?? lastOf(periods)
}

/** The period that ends last. */
function lastOf(periods: readonly TimeRange[]): TimeRange {
  let last = periods[0] ?? ALWAYS
  for (const period of periods) if (endOf(period) >= endOf(last)) last = period
  return last
}

function startOf({ startSeconds }: TimeRange): number {
  return startSeconds ?? Number.NEGATIVE_INFINITY
}

function endOf({ endSeconds }: TimeRange): number {
  return endSeconds ?? Number.POSITIVE_INFINITY
}
