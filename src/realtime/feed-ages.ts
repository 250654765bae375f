// The age limits of a live feed's data: up to which it is fresh, and from which it is dropped.

/** Live data is fresh at least this long. The next two constants: minimum and maximum default age to drop it. */
const FRESH_SECONDS = 90
const MAX_AGE_SECONDS = 300
const LONGEST_AGE_SECONDS = 900
/** Alerts stay valid longer than predictions. */
export const ALERTS_MAX_AGE_SECONDS = 600

/** Settings of a feed that determine its ages. */
export interface FeedPace {
  readonly intervalSeconds: number
  /** The configured age to drop its data, if any. */
  readonly maxAgeSeconds?: number | undefined
}

/** The ages at which data of a feed is no longer fresh, and at which it is dropped. */
export function feedAges({ intervalSeconds, maxAgeSeconds }: FeedPace) {
  const freshSeconds = Math.max(FRESH_SECONDS, 3 * intervalSeconds)
  const usualSeconds = Math.min(Math.max(MAX_AGE_SECONDS, 2 * freshSeconds), LONGEST_AGE_SECONDS)
  return { freshSeconds, maxAgeSeconds: maxAgeSeconds ?? usualSeconds }
}
