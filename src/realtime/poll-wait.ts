// How long to wait before a feed is asked again: its interval while all is well, ever longer while it fails, never
// shorter than its upstream asks for.

/** Wait after the first failure; doubled with each further one. */
const BACK_OFF_SHORTEST_MILLIS = 2_000
const BACK_OFF_LONGEST_MILLIS = 5 * 60_000
/** Waits differ by up to this share, so that many feeds do not come due together. */
const JITTER = 0.1
/** An upstream may ask to be left alone for so long; more is a mistake that would silence a feed until a restart. */
const RETRY_AFTER_LONGEST_MILLIS = 86_400_000
/** What a timer can wait for. A longer wait would end at once. */
const TIMER_LONGEST_MILLIS = 2 ** 31 - 1

/** What a wait depends on; times in milliseconds. */
export interface WaitReasons {
  readonly intervalMillis: number
  /** Failures since the last success. */
  readonly failures: number
  /** The last failure was an answer that is not read, such as one too large: the upstream is up, and may have mended it by its next turn. */
  readonly isRefused: boolean
  /** What the upstream asked for with its last answer; 0 for nothing. */
  readonly retryAfterMillis: number
  /** What the budget asks for. */
  readonly budgetMillis: number
}

/**
 * The wait before the next fetch, in milliseconds.
 * @param chance from 0 to 1: the jitter. Around the interval it goes both ways, else only to longer waits
 */
export function waitBefore(reasons: WaitReasons, chance: number): number {
  const { intervalMillis, failures, isRefused, retryAfterMillis, budgetMillis } = reasons
  const backOff = Math.min(BACK_OFF_SHORTEST_MILLIS * 2 ** (failures - 1), BACK_OFF_LONGEST_MILLIS)
  const asked = Math.min(retryAfterMillis, RETRY_AFTER_LONGEST_MILLIS)
  const wait =
    failures === 0 || isRefused
      ? intervalMillis * (1 + JITTER * (chance - 0.5))
      : Math.max(backOff, asked) * (1 + JITTER * chance)
  return Math.min(Math.max(wait, budgetMillis), TIMER_LONGEST_MILLIS)
}
