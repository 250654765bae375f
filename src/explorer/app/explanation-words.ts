// Why a call is on a board or not, in words for passengers.
import type { Explanation } from './contract.ts'
import { toAge, toClock } from './formats.ts'

/** A sentence for each reason; the API may add others. */
const SENTENCES: Readonly<Record<string, (of: Explanation) => string>> = {
  on_time: (of) => `It is on time: expected at ${expectedClock(of)}.`,
  delayed: (of) => `It is ${minutesOf(of)} late: expected at ${expectedClock(of)}.`,
  early: (of) => `It is ${minutesOf(of)} early: expected at ${expectedClock(of)}.`,
  canceled: () => 'It is canceled.',
  skipped: () => 'It doesn’t stop here this time.',
  added: (of) => `It is an extra trip, expected at ${expectedClock(of)}.`,
  unscheduled: (of) => `It is not in the timetable, but it runs: expected at ${expectedClock(of)}.`,
  no_live_data: () => 'It is in the timetable, but nothing is known about where it is.',
  feed_stale: ({ feed_age_seconds }) =>
    `Live data is interrupted${feed_age_seconds === null ? '' : ` since ${toAge(feed_age_seconds)}`}: only the timetable is known.`,
  left_before_window: (of) => `It was due at ${expectedClock(of)} and should have left.`,
  predicted_before_window: (of) => `It left at ${expectedClock(of)}.`,
  left_behind: () => 'It has already passed this stop.',
  after_window: () => 'It leaves in more than an hour.',
  predicted_after_window: (of) => `It is ${minutesOf(of)} late: expected at ${expectedClock(of)}.`,
  moved_to_other_stop: () => 'It leaves from another platform or stop.',
  deleted_by_feed: () => 'The operator has withdrawn it.',
  replaced_by_live_run: () => 'Another run of the line comes in its place.',
  trip_ends_here: () => 'It ends here and takes no passengers.',
  no_boarding: () => 'It takes no passengers here.',
  service_not_running: () => 'It doesn’t run on this day.',
  outside_calendar: () => 'The timetable doesn’t cover this day.',
}

/** Why a call is on the board, or not. */
export function sentenceOf(explanation: Explanation): string {
  const sentence = SENTENCES[explanation.reason]
  if (sentence !== undefined) return sentence(explanation)
  return explanation.shown ? 'It is among the departures.' : 'It is not among the departures.'
}

function expectedClock({ expected_at, scheduled_at }: Explanation): string {
  return toClock(expected_at ?? scheduled_at)
}

function minutesOf({ delay_seconds }: Explanation): string {
  return `${Math.floor(Math.abs(delay_seconds ?? 0) / 60)} min`
}
