// The age limits of a live feed's data: the age up to which it is fresh, and the age at which it is dropped.

/** Live data counts as fresh up to this age, or longer if the feed is polled rarely. */
const FRESH_SECONDS = 90
/** By default, live data is dropped no earlier than at this age. */
const MAX_AGE_SECONDS = 300
/** By default, live data is dropped no later than at this age. */
const LONGEST_AGE_SECONDS = 900
/** Alerts are kept until at least this age, because they stay valid longer than predictions. */
export const ALERTS_MAX_AGE_SECONDS = 600

/** Settings of a feed that determine its age limits. */
export interface FeedPace {
  readonly intervalSeconds: number
  /** The configured age at which the feed's data is dropped, if any. */
  readonly maxAgeSeconds?: number | undefined
}

/** The age up to which a feed's data is fresh, and the age at which it is dropped. */
export function feedAges({ intervalSeconds, maxAgeSeconds }: FeedPace) {
  const freshSeconds = Math.max(FRESH_SECONDS, 3 * intervalSeconds)
  const usualSeconds = Math.min(Math.max(MAX_AGE_SECONDS, 2 * freshSeconds), LONGEST_AGE_SECONDS)
  return { freshSeconds, maxAgeSeconds: maxAgeSeconds ?? usualSeconds }
}
