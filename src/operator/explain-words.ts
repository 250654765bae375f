// Turns the verdicts from explain-board.ts into sentences for an operator, with the facts behind each verdict.
import type { BoardCheck, ExplainedCall, HiddenReason } from '../../indexes/explain/explain-board.ts'
import { effectiveDeparture, type LiveCallIndex, NO_POSITION, type Overlay } from '../../indexes/live/overlay.ts'
import type { EmptyBoardReason } from '../../indexes/timetable/empty-board.ts'
import { isActive, type ServiceIndex, type StopIndex, type Timetable } from '../../indexes/timetable/timetable.ts'
import { textOf } from '../../loaders/strings.ts'
import { type LiveDeparture, liveDepartureOf } from '../rendering/live-departure.ts'
import { dateText } from '../rendering/timestamps.ts'
import type { ExplainQuestion } from './explain-question.ts'

/** The label of each check that decides whether a call is on the board. */
export const CHECK_QUESTIONS: Readonly<Record<BoardCheck, string>> = {
  filter: 'matches the filter',
  calendar: 'day is in the calendar',
  service: 'service runs on that day',
  last_call: 'not the last call of the trip',
  boarding: 'boarding is allowed',
  feed: 'not removed by a live feed',
  window: 'departs within the window',
  runs: 'not replaced by a live run',
  limit: 'within the row limit',
}

/** For each reason, the heading above the calls that are hidden for this reason. */
export const REASON_TITLES: Readonly<Record<HiddenReason, string>> = {
  other_line: 'Another line',
  other_direction: 'Other direction',
  outside_calendar: 'Day outside the calendar',
  service_not_running: 'Service does not run on that day',
  trip_ends_here: 'Last call of the trip',
  no_boarding: 'Boarding not allowed',
  deleted_by_feed: 'Deleted by a live feed',
  moved_to_other_stop: 'Moved to another stop by a live feed',
  left_before_window: 'Departs before the window',
  after_window: 'Departs after the window',
  predicted_before_window: 'Departed early, before the window',
  predicted_after_window: 'Late: departs after the window',
  left_behind: 'Already departed',
  replaced_by_live_run: 'Replaced by a live run',
  beyond_limit: 'Beyond the row limit',
}

/** For each reason why a board is empty, a sentence that explains it. */
export const EMPTY_WORDS: Readonly<Record<EmptyBoardReason, string>> = {
  outside_service_period: 'No trip in this network runs at this time: it is outside the service period.',
  terminus: 'All trips end here: every call is the last one of its trip.',
  no_boarding: 'No matching departure allows boarding here on any day.',
  active_disruption: 'According to an alert, the stop or all of its lines have no service.',
  no_service_today: 'No matching departure on this day.',
  no_more_service_today: 'There are matching departures on this day, but none in the window.',
}

/** The data that sentences about verdicts need: the question and the live data. */
export interface WordContext {
  readonly question: ExplainQuestion
  readonly overlay: Overlay | undefined
}

/** The verdict on a call as a sentence. */
export function verdictSentence(call: ExplainedCall, context: WordContext): string {
  const { verdict } = call
  if (verdict.kind === 'shown') return shownSentence(call, verdict.row, context)
  if (verdict.kind === 'hidden') return hiddenSentence(call, verdict.reason, context)
  return 'It is not on the board, and no check explains why. This is a bug in Quai; please report it.'
}

function shownSentence({ call }: ExplainedCall, row: number, context: WordContext): string {
  const place = `Row ${row + 1} of the board`
  const { overlay } = context
  if (overlay === undefined || call === undefined) return `${place}, as scheduled: no live update matches this trip.`
  const { status, expectedSeconds, delaySeconds } = liveDepartureOf(overlay, call)
  const feed = feedOf(overlay, call)
  if (status === 'canceled') return `${place}, shown as canceled by feed ${feed}.`
  if (status === 'skipped') return `${place}, shown as skipped: according to feed ${feed}, the trip does not stop here.`
  if (expectedSeconds === undefined)
    return `${place}: feed ${feed} has an update for the trip, but no prediction for this call.`
  const when = `expected at ${timeIn(context.question, expectedSeconds)} according to feed ${feed}`
  return `${place}, ${when}${delaySeconds === undefined ? '' : `, ${delayWords(delaySeconds)}`}.`
}

/** A local time such as `08:00:00`. The date is added in front unless it is the date in the question. */
function timeIn({ localTime, atSeconds }: ExplainQuestion, seconds: number): string {
  const [date, time = ''] = localTime.text(seconds).slice(0, 19).split('T')
  return localTime.text(atSeconds).startsWith(`${date}T`) ? time : `${date} ${time}`
}

function delayWords(seconds: number): string {
  if (seconds === 0) return 'on time'
  const size = Math.abs(seconds)
  const text = size < 60 ? `${size} s` : `${Math.floor(size / 60)} min${size % 60 === 0 ? '' : ` ${size % 60} s`}`
  return `${text} ${seconds > 0 ? 'late' : 'early'}`
}

function hiddenSentence(call: ExplainedCall, reason: HiddenReason, context: WordContext): string {
  const { question } = context
  const { timetable } = question.snapshot
  const time = (seconds: number) => timeIn(question, seconds)
  const window = `${time(question.atSeconds)} to ${time(question.atSeconds + question.horizonMinutes * 60)}`
  switch (reason) {
    case 'other_line':
      return `The query is limited to line ${question.line?.code || question.line?.id}.`
    case 'other_direction':
      return 'The query is limited to the other direction.'
    case 'outside_calendar':
      return `${dayText(timetable, call.day)} is outside the calendar, which ${calendarWords(timetable)}.`
    case 'service_not_running':
      return call.trip === undefined ? '' : serviceSentence(timetable, timetable.trips.service[call.trip], call.day)
    case 'trip_ends_here':
      return 'It is the last call of the trip. Boards show departures only.'
    case 'no_boarding':
      return boardingSentence(call)
    case 'left_before_window':
      return `It departs at ${time(call.effectiveSeconds)}, before the window (${window}).`
    case 'after_window':
      return `It departs at ${time(call.effectiveSeconds)}, after the window (${window}).`
    case 'replaced_by_live_run':
      return 'A live run that departs within half a headway of this scheduled one is shown instead.'
    case 'beyond_limit':
      return `It is in the window, but the board is limited to ${question.limit} rows.`
    default:
      return feedSentence(call, reason, context)
  }
}

function boardingSentence({ call, position }: ExplainedCall): string {
  if (call === undefined) return 'Boarding is not allowed: pickup_type is 1.'
  return position === NO_POSITION
    ? 'The live feed that added this call does not allow boarding here.'
    : 'Boarding is not allowed: pickup_type is 1, and no live feed overrides it.'
}

/** A sentence about how live data from a feed hides a call. */
function feedSentence(
  { call, scheduledSeconds, effectiveSeconds }: ExplainedCall,
  reason: HiddenReason,
  { question, overlay }: WordContext,
): string {
  if (overlay === undefined || call === undefined) return ''
  const time = (seconds: number) => timeIn(question, seconds)
  const feed = feedOf(overlay, call)
  const { timetable } = question.snapshot
  switch (reason) {
    case 'deleted_by_feed':
      return `Feed ${feed} deleted the trip, so it is not shown.`
    case 'moved_to_other_stop':
      return `Feed ${feed} moved it to ${stopWords(timetable, overlay.calls.stop[call])}, which is not on this board.`
    case 'predicted_before_window':
      return `Scheduled at ${time(scheduledSeconds)}. According to feed ${feed}, it departed at ${time(effectiveSeconds)}, before the window.`
    case 'predicted_after_window':
      return `Scheduled at ${time(scheduledSeconds)}. According to feed ${feed}, it departs at ${time(effectiveSeconds)}, after the window.`
    default:
      return (
        `Feed ${feed} has no prediction for this call, but has one for a later call of the trip, so it departed no later than ` +
        `${time(overlay.calls.departure[call] + overlay.meta.baseSeconds)}.`
      )
  }
}

/** Name, platform and id of a stop. */
export function stopWords({ stops, strings }: Timetable, stop: StopIndex): string {
  const platform = textOf(strings, stops.platformCode[stop])
  const name = textOf(strings, stops.name[stop])
  return `${name}${platform === '' ? '' : `, platform ${platform}`} (${textOf(strings, stops.id[stop])})`
}

/** The feed that updates a live call. */
export function feedOf({ calls, instances, meta }: Overlay, call: LiveCallIndex): string {
  return meta.feedIds[instances.feed[calls.instance[call]]] ?? ''
}

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const
/** Index of the weekday of 1970-01-01, which was a Thursday. */
const FIRST_WEEKDAY = 4
const WEEK = 7

/** Formats a service day, counted from `meta.firstDay`, as `Saturday 2026-11-21`. */
export function dayText({ meta }: Timetable, day: number): string {
  return `${weekdayOf(meta.firstDay + day)} ${dateText(meta.firstDay + day)}`
}

function weekdayOf(epochDay: number): string {
  return WEEKDAYS[(((epochDay + FIRST_WEEKDAY) % WEEK) + WEEK) % WEEK] ?? ''
}

function calendarWords({ meta }: Timetable): string {
  if (meta.dayCount === 0) return 'has no days'
  return `covers ${dateText(meta.firstDay)} to ${dateText(meta.firstDay + meta.dayCount - 1)}`
}

/**
 * A sentence about a service that does not run on a day. It says when the service last ran before that day, and when it
 * runs next.
 */
export function serviceSentence(timetable: Timetable, service: ServiceIndex, day: number): string {
  const { meta, serviceDays, strings } = timetable
  const runs = (other: number) => other >= 0 && other < meta.dayCount && isActive(timetable, service, other)
  let [before, after] = [day - 1, day + 1]
  while (before >= 0 && !runs(before)) before--
  while (after < meta.dayCount && !runs(after)) after++
  const weekday = weekdayOf(meta.firstDay + day)
  const last = before < 0 ? 'it never ran before' : `it last ran on ${dayText(timetable, before)}`
  const next = after >= meta.dayCount ? 'it does not run again' : `it next runs on ${dayText(timetable, after)}`
  const isException = runs(day - WEEK) && runs(day + WEEK)
  const exception = isException
    ? ` It runs on the ${weekday}s before and after, so calendar_dates.txt probably removes this day.`
    : ''
  const id = textOf(strings, serviceDays.serviceId[service])
  return `Its service ${id} does not run on ${dayText(timetable, day)}: ${last}, and ${next}.${exception}`
}

/** The live status of a call, and the departure time that boards use for it. */
export function liveFactsOf(
  overlay: Overlay,
  call: LiveCallIndex,
): LiveDeparture & { readonly feed: string; readonly effectiveSeconds: number } {
  const effectiveSeconds = effectiveDeparture(overlay, call) + overlay.meta.baseSeconds
  return { ...liveDepartureOf(overlay, call), feed: feedOf(overlay, call), effectiveSeconds }
}
