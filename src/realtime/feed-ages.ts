// The age limits of a live feed's data: the age up to which it is fresh, and the age at which it is dropped.

/** Live data is fresh for at least this long. */
const FRESH_SECONDS = 90
/** Minimum default age at which live data is dropped. */
const MAX_AGE_SECONDS = 300
/** Maximum default age at which live data is dropped. */
const LONGEST_AGE_SECONDS = 900
/** Alerts are kept at least up to this age, because they stay valid longer than predictions. */
export const ALERTS_MAX_AGE_SECONDS = 600

/** Settings of a feed that determine its age limits. */
export interface FeedPace {
  readonly intervalSeconds: number
  /** The configured age at which the feed's data is dropped, if any. */
  readonly maxAgeSeconds?: number | undefined
}

/** The ages at which data of a feed is no longer fresh, and at which it is dropped. */
export function feedAges({ intervalSeconds, maxAgeSeconds }: FeedPace) {
  const freshSeconds = Math.max(FRESH_SECONDS, 3 * intervalSeconds)
  const usualSeconds = Math.min(Math.max(MAX_AGE_SECONDS, 2 * freshSeconds), LONGEST_AGE_SECONDS)
  return { freshSeconds, maxAgeSeconds: maxAgeSeconds ?? usualSeconds }
}
