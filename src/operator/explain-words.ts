// Verdicts of explain-board.ts as sentences for an operator: what decided, with the facts that show it.
import type { BoardCheck, ExplainedCall, HiddenReason } from '../../indexes/explain/explain-board.ts'
import { effectiveDeparture, type LiveCallIndex, NO_POSITION, type Overlay } from '../../indexes/live/overlay.ts'
import type { EmptyBoardReason } from '../../indexes/timetable/empty-board.ts'
import { isActive, type ServiceIndex, type StopIndex, type Timetable } from '../../indexes/timetable/timetable.ts'
import { textOf } from '../../loaders/strings.ts'
import { type LiveDeparture, liveDepartureOf } from '../rendering/live-departure.ts'
import { dateText } from '../rendering/timestamps.ts'
import type { ExplainQuestion } from './explain-question.ts'

/** What each check asks. */
export const CHECK_QUESTIONS: Readonly<Record<BoardCheck, string>> = {
  filter: 'of the line asked for',
  calendar: 'its day is in the calendar',
  service: 'its service runs that day',
  last_call: 'the trip goes on from here',
  boarding: 'one may board here',
  feed: 'live feeds leave it here',
  window: 'it leaves within the window',
  runs: 'no live run stands for it',
  limit: 'the board has room for it',
}

/** Each reason as a heading over the calls that have it. */
export const REASON_TITLES: Readonly<Record<HiddenReason, string>> = {
  other_line: 'Of another line',
  other_direction: 'In the other direction',
  outside_calendar: 'Outside the calendar',
  service_not_running: 'Service does not run that day',
  trip_ends_here: 'Last call of the trip',
  no_boarding: 'No boarding here',
  deleted_by_feed: 'Deleted by a live feed',
  moved_to_other_stop: 'Moved to another stop by a live feed',
  left_before_window: 'Leaves before the window',
  after_window: 'Leaves after the window',
  predicted_before_window: 'Has left by its forecast',
  predicted_after_window: 'Late: leaves after the window by its forecast',
  left_behind: 'Known to have left',
  replaced_by_live_run: 'A live run stands for it',
  beyond_limit: 'Beyond the rows of the board',
}

/** Why a board has no rows at all. */
export const EMPTY_WORDS: Readonly<Record<EmptyBoardReason, string>> = {
  outside_service_period: 'The instant lies outside the days on which any trip of the network runs.',
  terminus: 'Trips only end here: all calls are last calls.',
  no_boarding: 'Nothing that leaves here, of what was asked for, may be boarded on any day.',
  active_disruption: 'An alert says that nothing serves the stop, or any of its lines.',
  no_service_today: 'Nothing of what was asked for leaves here on this day.',
  no_more_service_today: 'Something leaves here on this day, but not in the window.',
}

/** What a verdict is told with. */
export interface WordContext {
  readonly question: ExplainQuestion
  readonly overlay: Overlay | undefined
}

/** The verdict on a call as a sentence. */
export function verdictSentence(call: ExplainedCall, context: WordContext): string {
  const { verdict } = call
  if (verdict.kind === 'shown') return shownSentence(call, verdict.row, context)
  if (verdict.kind === 'hidden') return hiddenSentence(call, verdict.reason, context)
  return 'It is not on the board, and nothing known here keeps it away: a fault of this program, worth a report.'
}

function shownSentence({ call }: ExplainedCall, row: number, context: WordContext): string {
  const place = `Row ${row + 1} of the board`
  const { overlay } = context
  if (overlay === undefined || call === undefined)
    return `${place}, by the timetable: no live update was matched with it.`
  const { status, expectedSeconds, delaySeconds } = liveDepartureOf(overlay, call)
  const feed = feedOf(overlay, call)
  if (status === 'canceled') return `${place}, as canceled: feed ${feed} has called it off.`
  if (status === 'skipped') return `${place}, as skipped: by feed ${feed} the trip does not stop here.`
  if (expectedSeconds === undefined)
    return `${place}: feed ${feed} speaks of the trip, but has no forecast for this call.`
  const when = `expected at ${timeIn(context.question, expectedSeconds)} by feed ${feed}`
  return `${place}, ${when}${delaySeconds === undefined ? '' : `, ${delayWords(delaySeconds)}`}.`
}

/** `08:00:00`, with the date where that is not the question's; the local clock's. */
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
      return `The question keeps line ${question.line?.code || question.line?.id} alone.`
    case 'other_direction':
      return 'The question keeps the other direction alone.'
    case 'outside_calendar':
      return `${dayText(timetable, call.day)} is not in the calendar, which ${calendarWords(timetable)}.`
    case 'service_not_running':
      return call.trip === undefined ? '' : serviceSentence(timetable, timetable.trips.service[call.trip], call.day)
    case 'trip_ends_here':
      return 'It is the last call of the trip: boards have departures alone.'
    case 'no_boarding':
      return boardingSentence(call)
    case 'left_before_window':
      return `It leaves at ${time(call.effectiveSeconds)}, before the window (${window}).`
    case 'after_window':
      return `It leaves at ${time(call.effectiveSeconds)}, after the window (${window}).`
    case 'replaced_by_live_run':
      return 'A run that a live feed tells of is within half a headway: it is shown in place of this nominal one.'
    case 'beyond_limit':
      return `It is in the window, but the board ends after ${question.limit} rows.`
    default:
      return feedSentence(call, reason, context)
  }
}

function boardingSentence({ call, position }: ExplainedCall): string {
  if (call === undefined) return 'pickup_type is 1: nobody may board here.'
  return position === NO_POSITION
    ? 'The live feed that added this call says that nobody may board here.'
    : 'pickup_type is 1: nobody may board here, and no live feed says otherwise.'
}

/** What a feed did to a call. */
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
      return `Feed ${feed} has deleted the trip: it is not to be shown.`
    case 'moved_to_other_stop':
      return `Feed ${feed} has moved it to ${stopWords(timetable, overlay.calls.stop[call])}, which this board does not show.`
    case 'predicted_before_window':
      return `Scheduled at ${time(scheduledSeconds)}, it has left at ${time(effectiveSeconds)} by feed ${feed}: before the window.`
    case 'predicted_after_window':
      return `Scheduled at ${time(scheduledSeconds)}, it is expected at ${time(effectiveSeconds)} by feed ${feed}: after the window.`
    default:
      return (
        `Feed ${feed} has no forecast for this call, but for a later one of the trip, so that it must have left by ` +
        `${time(overlay.calls.departure[call] + overlay.meta.baseSeconds)}.`
      )
  }
}

/** A stop as people and feeds know it. */
export function stopWords({ stops, strings }: Timetable, stop: StopIndex): string {
  const platform = textOf(strings, stops.platformCode[stop])
  const name = textOf(strings, stops.name[stop])
  return `${name}${platform === '' ? '' : `, platform ${platform}`} (${textOf(strings, stops.id[stop])})`
}

/** The feed that speaks of a live call. */
export function feedOf({ calls, instances, meta }: Overlay, call: LiveCallIndex): string {
  return meta.feedIds[instances.feed[calls.instance[call]]] ?? ''
}

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const
/** 1970-01-01 was a Thursday. */
const FIRST_WEEKDAY = 4
const WEEK = 7

/** `Saturday 2026-11-21` for a service day, counted from `meta.firstDay`. */
export function dayText({ meta }: Timetable, day: number): string {
  return `${weekdayOf(meta.firstDay + day)} ${dateText(meta.firstDay + day)}`
}

function weekdayOf(epochDay: number): string {
  return WEEKDAYS[(((epochDay + FIRST_WEEKDAY) % WEEK) + WEEK) % WEEK] ?? ''
}

function calendarWords({ meta }: Timetable): string {
  if (meta.dayCount === 0) return 'has no day'
  return `has ${dateText(meta.firstDay)} to ${dateText(meta.firstDay + meta.dayCount - 1)}`
}

/** That a service does not run on a day of the calendar, and when it does. */
export function serviceSentence(timetable: Timetable, service: ServiceIndex, day: number): string {
  const { meta, serviceDays, strings } = timetable
  const runs = (other: number) => other >= 0 && other < meta.dayCount && isActive(timetable, service, other)
  let [before, after] = [day - 1, day + 1]
  while (before >= 0 && !runs(before)) before--
  while (after < meta.dayCount && !runs(after)) after++
  const weekday = weekdayOf(meta.firstDay + day)
  const last = before < 0 ? 'it has not run before' : `it last ran on ${dayText(timetable, before)}`
  const next = after >= meta.dayCount ? 'it does not run any more' : `it runs next on ${dayText(timetable, after)}`
  const isException = runs(day - WEEK) && runs(day + WEEK)
  const exception = isException
    ? ` It runs on the ${weekday}s before and after: most likely calendar_dates.txt takes this one out.`
    : ''
  const id = textOf(strings, serviceDays.serviceId[service])
  return `Its service ${id} does not run on ${dayText(timetable, day)}: ${last}, and ${next}.${exception}`
}

/** When a board counts a live call, and what is known of it. */
export function liveFactsOf(
  overlay: Overlay,
  call: LiveCallIndex,
): LiveDeparture & { readonly feed: string; readonly effectiveSeconds: number } {
  const effectiveSeconds = effectiveDeparture(overlay, call) + overlay.meta.baseSeconds
  return { ...liveDepartureOf(overlay, call), feed: feedOf(overlay, call), effectiveSeconds }
}
