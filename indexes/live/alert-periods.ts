// When an alert holds: its periods made sound, and which of them a moment lies in, or is shown by.
import type { TimeRange } from '../../loaders/gtfs-rt/message.ts'

/** 9999-12-31, UTC: what lies behind it is how some producers say "for good", and no timestamp of any zone can show it. */
const LAST_SECONDS = 253_402_214_400
/** The whole of time. */
export const ALWAYS: TimeRange = { startSeconds: undefined, endSeconds: undefined }

/** Periods by start, open ones first; those that no moment lies in are left out, and told one by one. */
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

/** Whether some period holds the moment: start ≤ seconds < end. */
export function isWithin(periods: readonly TimeRange[], seconds: number): boolean {
  return periods.some((period) => startOf(period) <= seconds && seconds < endOf(period))
}

/** The period that holds the moment, else the next one, else the last. @param periods by start */
export function periodAt(periods: readonly TimeRange[], seconds: number): TimeRange {
  const holding = periods.find((period) => startOf(period) <= seconds && seconds < endOf(period))
  return holding ?? periods.find((period) => startOf(period) > seconds) ?? lastOf(periods)
}

/** The one that ends last. */
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
