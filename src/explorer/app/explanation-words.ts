// Explains to passengers, in plain words, why a call is or is not on a board.
import type { Explanation } from './contract.ts'
import { toAge, toClock } from './formats.ts'
import { texts } from './texts/texts.ts'

/** A sentence that explains why a call is or is not on the board. */
export function sentenceOf(explanation: Explanation): string {
  const { explanations, explanationShown, explanationNotShown } = texts()
  const { reason, expected_at, scheduled_at, delay_seconds, feed_age_seconds } = explanation
  // The API may add reasons that have no sentence in `explanations`.
  if (!Object.hasOwn(explanations, reason)) return explanation.shown ? explanationShown : explanationNotShown
  return explanations[reason]({
    at: toClock(expected_at ?? scheduled_at),
    minutes: Math.floor(Math.abs(delay_seconds ?? 0) / 60),
    age: feed_age_seconds === null ? undefined : toAge(feed_age_seconds),
  })
}
