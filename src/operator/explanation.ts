// Makes the board explainer's answer: the departures that could be on the board, each with a verdict; the requested
// trip; and unmatched live updates. The page renders the answer, and `/explain.json` returns it as data.

import {
  BOARD_CHECKS,
  type BoardCheck,
  type ExplainedCall,
  explainBoard,
  HIDDEN_REASONS,
  type HiddenReason,
  wayOf,
} from '../../indexes/explain/explain-board.ts'
import type { UnmatchedUpdate } from '../../indexes/live/feed-matches.ts'
import { refOfInstance } from '../../indexes/live/live-order.ts'
import { liveHeadsign, NO_POSITION, type Overlay } from '../../indexes/live/overlay.ts'
import { emptyBoardReason } from '../../indexes/timetable/empty-board.ts'
import { lineCode } from '../../indexes/timetable/lines.ts'
import type { Timetable } from '../../indexes/timetable/timetable.ts'
import { runSuffix, stopHeadsign } from '../../indexes/timetable/trips.ts'
import { nextIndex } from '../../loaders/columns.ts'
import { textOf } from '../../loaders/strings.ts'
import type { UnmatchedUpdates } from '../realtime/live-messages.ts'
import { clockText, dateText, utcText } from '../rendering/timestamps.ts'
import {
  boardQueryOf,
  type ExplainForm,
  type ExplainQuestion,
  type FieldFault,
  readQuestion,
} from './explain-question.ts'
import { EMPTY_WORDS, liveFactsOf, verdictSentence } from './explain-words.ts'
import { reasonWords } from './feed-reasons.ts'
import { type ExplainedNotice, readLastImports } from './last-imports.ts'
import type { OperatorSources } from './operator-sources.ts'
import { answerTrip, type KnownTrip, type RequestedTrip, readTrip } from './trip-answer.ts'

/** Departures are listed if they are in the board's time window, or at most this long before or after it. */
const LOOK_SECONDS = 3 * 3600
/** Used instead of LOOK_SECONDS if one trip is requested. It is long enough to include the neighboring days. */
const LOOK_FOR_TRIP_SECONDS = 86_400
/** Maximum number of calls listed per reason. A busy station can have a hundred thousand calls a day. */
const MAX_LISTED_CALLS = 300
/**
 * Longest wait for the live thread, which may be busy with feeds. If it does not reply in time, the answer leaves out
 * unmatched updates.
 */
const LISTING_MILLIS = 2_000
/** Live feeds are assumed to cover only times that are at most this far from the current time. */
const LIVE_REACH_SECONDS = 6 * 3600

/** The result for a submitted form: the first field with an invalid value, or an answer. */
export type Explanation = { readonly fault: FieldFault } | { readonly answer: ExplainAnswer }
/** The answer to a valid question. */
export type ExplainAnswer = Awaited<ReturnType<typeof answerQuestion>>
/** A departure in an answer. */
export type ExplainedDeparture = ReturnType<typeof describeCall>
/** A live update that matched no trip. */
export type ExplainedUpdate = ReturnType<typeof describeUpdate>

/** Parses a form and answers its question. */
export async function explainForm(sources: OperatorSources, form: ExplainForm): Promise<Explanation> {
  const question = readQuestion(sources, form)
  return 'field' in question ? { fault: question } : { answer: await answerQuestion(sources, question) }
}

/** Everything an answer is built from. */
interface AnswerParts {
  readonly question: ExplainQuestion
  readonly overlay: Overlay | undefined
  readonly unmatched: readonly ExplainedUpdate[]
  /** Trip id → the unmatched updates with this trip id. Updates without a trip id are under null. */
  readonly unmatchedOf: ReadonlyMap<string | null, readonly ExplainedUpdate[]>
}

async function answerQuestion(sources: OperatorSources, question: ExplainQuestion) {
  const { network, snapshot, place, localTime, atSeconds } = question
  const { timetable } = snapshot
  const listed = await Promise.race([sources.live.listUnmatched(network), Bun.sleep(LISTING_MILLIS)])
  const feeds = listed ?? []
  // The overlay is read only once, after waiting for the live thread, so that the whole answer uses the same live data.
  const live = sources.live.overlayOf(network)
  const overlay = live?.meta.snapshotId === snapshot.id ? live : undefined
  const requested = question.trip === '' ? undefined : readTrip(timetable, network, question.trip)
  const unmatched = feeds.flatMap(({ feed, updates }) => updates.map((update) => describeUpdate(feed, update)))
  const unmatchedOf = Map.groupBy(unmatched, ({ trip_id }) => trip_id)
  const parts: AnswerParts = { question, overlay, unmatched, unmatchedOf }
  const related = relatedUpdates(parts, requested)
  const toSeconds = atSeconds + question.horizonMinutes * 60
  return {
    network,
    snapshot_id: snapshot.id,
    now: utcText(sources.clock.nowMillis()),
    from: localTime.text(atSeconds),
    to: localTime.text(toSeconds),
    horizon_minutes: question.horizonMinutes,
    limit: question.limit,
    line: question.line === undefined ? null : { id: question.line.id, code: question.line.code },
    trip: requested === undefined ? null : describeTrip(sources, requested, parts),
    board: place === undefined ? null : describeBoard(parts, requested),
    notes: [
      ...listNotes(sources, parts),
      ...(listed === undefined ? ['The live thread is busy, so unmatched updates are missing from this answer.'] : []),
    ],
    unmatched: {
      /**
       * `total` is the number of unmatched updates from all feeds. The live thread may list only some of them:
       * `related` is the number of listed updates related to the question. `updates` contains the first of those.
       */
      total: feeds.reduce((sum, { total }: UnmatchedUpdates) => sum + total, 0),
      related: related.length,
      updates: related.slice(0, MAX_LISTED_UPDATES),
    },
  }
}

/** Describes the board and the departures that could be on it. */
function describeBoard(parts: AnswerParts, requested: RequestedTrip | undefined) {
  const { question, overlay } = parts
  const { place, network } = question
  const { timetable } = question.snapshot
  if (place === undefined) throw new Error('a board needs a stop or an area')
  const query = boardQueryOf(question)
  const isTripUnknown = requested !== undefined && requested.trip === undefined
  const lookSeconds = requested === undefined ? LOOK_SECONDS : LOOK_FOR_TRIP_SECONDS
  const explained = explainBoard(timetable, overlay, query, {
    beforeSeconds: lookSeconds,
    afterSeconds: lookSeconds,
    ...(requested?.trip === undefined ? {} : { trip: requested.trip }),
  })
  const isEmpty = explained.shownCount === 0
  const calls = isTripUnknown ? [] : explained.calls
  const parameters = new URLSearchParams({
    when: new Date(question.atSeconds * 1000).toISOString().replace('.000', ''),
    horizon: `${question.horizonMinutes}`,
    limit: `${question.limit}`,
    ...(question.line === undefined ? {} : { line: `${network}:line:${question.line.id}` }),
  })
  return {
    place: {
      kind: place.kind,
      id: place.id,
      name: place.name,
      stops: place.stops.map((stop) => describeStop(timetable, stop)),
    },
    shown: explained.shownCount,
    fitting: explained.fittingCount,
    request: `/v1/stops/${encodeURIComponent(place.id).replaceAll('%3A', ':')}/departures?${`${parameters}`.replaceAll('%3A', ':')}`,
    looked_hours: lookSeconds / 3600,
    empty_because: isEmpty ? EMPTY_WORDS[emptyBoardReason(timetable, query)] : null,
    /**
     * Number of calls by reason. For each reason, `departures` contains only the calls that are closest to the window.
     */
    counts: countReasons(calls),
    departures: nearestCalls(calls, question).map((call) => describeCall(call, parts)),
  }
}

/** The verdict on a call, as one word. */
function outcomeOf({ verdict }: ExplainedCall): HiddenReason | 'shown' | 'unexplained' {
  return verdict.kind === 'hidden' ? verdict.reason : verdict.kind
}

function countReasons(calls: readonly ExplainedCall[]): Partial<Record<ReturnType<typeof outcomeOf>, number>> {
  const counts: ReturnType<typeof countReasons> = {}
  for (const call of calls) counts[outcomeOf(call)] = (counts[outcomeOf(call)] ?? 0) + 1
  return counts
}

/**
 * Selects the calls to list. The calls on the board form one group, and the hidden calls form one group for each
 * reason. Selects the MAX_LISTED_CALLS calls in each group that are closest to the window. Does not change their order.
 */
function nearestCalls(
  calls: readonly ExplainedCall[],
  { atSeconds, horizonMinutes }: ExplainQuestion,
): ExplainedCall[] {
  const toSeconds = atSeconds + horizonMinutes * 60
  const distanceOf = ({ effectiveSeconds: at }: ExplainedCall) => Math.max(atSeconds - at, at - toSeconds, 0)
  const left: Partial<Record<string, number>> = {}
  const kept = new Set(
    [...calls]
      .sort((a, b) => distanceOf(a) - distanceOf(b))
      .filter((call) => {
        const outcome = outcomeOf(call)
        const before = left[outcome] ?? 0
        left[outcome] = before + 1
        return before < MAX_LISTED_CALLS
      }),
  )
  return calls.filter((call) => kept.has(call))
}

function describeStop({ stops, strings }: Timetable, stop: ExplainedCall['stop']) {
  return {
    id: textOf(strings, stops.id[stop]),
    name: textOf(strings, stops.name[stop]),
    platform: textOf(strings, stops.platformCode[stop]),
  }
}

/** Describes a departure and its verdict. */
function describeCall(call: ExplainedCall, parts: AnswerParts) {
  const { question, overlay, unmatchedOf } = parts
  const { timetable } = question.snapshot
  const { lines, trips, strings, serviceDays } = timetable
  const { line } = wayOf(timetable, overlay, call)
  const { verdict, trip } = call
  const time = (seconds: number | undefined) => (seconds === undefined ? null : question.localTime.text(seconds))
  const live = overlay === undefined || call.call === undefined ? undefined : liveFactsOf(overlay, call.call)
  const tripId = trip === undefined ? undefined : textOf(strings, trips.id[trip])
  const reason = verdict.kind === 'hidden' ? verdict.reason : null
  const ref = refOf(call, parts)
  return {
    verdict: verdict.kind,
    row: verdict.kind === 'shown' ? verdict.row + 1 : null,
    reason,
    because: verdictSentence(call, { question, overlay }),
    trip_id: `${question.network}:trip:${ref}`,
    feed_trip_id: tripId ?? null,
    /** The feed's trip id, followed by the run's start time if there is one. */
    run: ref.slice(ref.indexOf(':') + 1),
    place_id: question.place?.id ?? '',
    line_id: textOf(strings, lines.id[line]),
    line_code: lineCode(timetable, line),
    headsign: headsignOf(call, parts),
    stop: describeStop(timetable, call.stop),
    service_id: trip === undefined ? null : textOf(strings, serviceDays.serviceId[trips.service[trip]]),
    service_date: dateText(timetable.meta.firstDay + call.day),
    scheduled_at: question.localTime.text(call.scheduledSeconds),
    expected_at: time(live?.expectedSeconds),
    delay_seconds: live?.delaySeconds ?? null,
    status: live?.status ?? null,
    feed: live?.feed ?? null,
    checks: listChecks(reason),
    // Updates with this trip's id that could not be matched. They explain why the trip has no live times.
    unmatched_updates: (tripId === undefined ? undefined : unmatchedOf.get(tripId)) ?? [],
  }
}

/** The checks that a call passed, and the check that it failed, if any. */
function listChecks(
  reason: keyof typeof HIDDEN_REASONS | null,
): { readonly check: BoardCheck; readonly passed: boolean }[] {
  const failed = reason === null ? undefined : HIDDEN_REASONS[reason]
  const passed = failed === undefined ? BOARD_CHECKS : BOARD_CHECKS.slice(0, BOARD_CHECKS.indexOf(failed))
  return [
    ...passed.map((check) => ({ check, passed: true })),
    ...(failed === undefined ? [] : [{ check: failed, passed: false }]),
  ]
}

/** The trip's public id without the network and kind: its service day as yyyymmdd, its id in the feed, and its run. */
function refOf({ trip, day, runStartSeconds, call }: ExplainedCall, { question, overlay }: AnswerParts): string {
  const { timetable } = question.snapshot
  if (overlay !== undefined && call !== undefined)
    return refOfInstance(timetable, overlay, overlay.calls.instance[call])
  const id = trip === undefined ? '' : textOf(timetable.strings, timetable.trips.id[trip])
  return `${dateText(timetable.meta.firstDay + day).replaceAll('-', '')}:${id}${runSuffix(runStartSeconds)}`
}

function headsignOf({ trip, position, call }: ExplainedCall, { question, overlay }: AnswerParts): string {
  const { timetable } = question.snapshot
  if (overlay !== undefined && call !== undefined) return liveHeadsign(timetable, overlay, call)
  return trip === undefined || position === NO_POSITION ? '' : stopHeadsign(timetable, trip, position)
}

function describeTrip(sources: OperatorSources, requested: RequestedTrip, parts: AnswerParts) {
  const { question, overlay } = parts
  const { timetable } = question.snapshot
  const found = answerTrip(requested, question, overlay)
  if (found.kind === 'known') {
    return {
      id: found.feedId,
      is_known: true,
      line_code: lineCodeOf(found, question),
      because: found.sentences,
      calls: found.calls.map((call) => ({
        stop: describeStop(timetable, call.stop),
        is_here: question.place?.stops.includes(call.stop) ?? false,
        arrival: question.localTime.text(call.arrivalSeconds),
        departure: question.localTime.text(call.departureSeconds),
        is_boardable: call.isBoardable,
        expected_at:
          call.live?.expectedSeconds === undefined ? null : question.localTime.text(call.live.expectedSeconds),
        status: call.live?.status ?? null,
      })),
      nearest: [],
      import_notices: [],
    }
  }
  const notices = noticesOnTrips(sources, question.network, found.feedId)
  const isNamed = notices.some(({ example }) => example.includes(found.feedId))
  const because = [
    'Neither the snapshot nor a live feed has this trip.',
    isNamed
      ? 'The import report names it; see the rule below.'
      : notices.length > 0
        ? 'The import dropped trips under the rules below; this trip may be one of them.'
        : 'The import dropped no trips.',
  ]
  return {
    id: found.feedId,
    is_known: false,
    line_code: null,
    because,
    calls: [],
    nearest: found.nearest,
    import_notices: notices,
  }
}

function lineCodeOf({ trip }: KnownTrip, question: ExplainQuestion): string | null {
  if (trip === undefined) return null
  const { timetable } = question.snapshot
  const { line } = wayOf(timetable, undefined, { trip, call: undefined })
  return lineCode(timetable, line)
}

/** Paths of the GTFS files whose rows a trip depends on. */
const TRIP_FILES = /(?:^|[/:])(?:trips|stop_times|routes|calendar|calendar_dates|frequencies|stops)\.txt$/

/** Notices from the import that may explain why a trip is missing. Notices that name the trip come first. */
function noticesOnTrips(sources: OperatorSources, network: string, feedId: string): ExplainedNotice[] {
  const notices = readLastImports(sources, network)?.serving?.notices ?? []
  return notices
    .filter(({ file, action, example }) => (action === 'dropped_row' && TRIP_FILES.test(file)) || example === feedId)
    .sort((a, b) => Number(b.example.includes(feedId)) - Number(a.example.includes(feedId)))
}

/** Remarks about the whole answer, such as that a feed is ignored. */
function listNotes(sources: OperatorSources, { question, overlay }: AnswerParts): string[] {
  const { network, atSeconds } = question
  const feeds = sources.live.listFeeds().filter((feed) => feed.network === network)
  const trips = feeds.filter(({ status }) => status.carries.trips)
  const nowMillis = sources.clock.nowMillis()
  const notes: string[] = []
  const isFar = Math.abs(nowMillis / 1000 - atSeconds) > LIVE_REACH_SECONDS
  if (feeds.length === 0) notes.push('This network has no live feed, so boards show scheduled times.')
  else if (overlay === undefined)
    notes.push('No live feed has updated trips in this snapshot yet, so boards show scheduled times.')
  else if (isFar)
    notes.push('The time is far from now. Live feeds cover only the near future, so few departures have live data.')
  for (const { status } of trips) {
    const { id, timestampMillis, maxAgeMillis, matches } = status
    if (timestampMillis !== undefined && nowMillis - timestampMillis > maxAgeMillis) {
      notes.push(`Feed ${id} is ignored because its newest message is more than ${maxAgeMillis / 1000} s old.`)
    }
    const left = matches === undefined ? 0 : matches.total - matches.matched
    if (left > 0) notes.push(`Feed ${id}: ${left} of ${matches?.total} trip updates matched no trip.`)
  }
  return notes
}

function describeUpdate(feed: string, { reason, trip }: UnmatchedUpdate) {
  return {
    feed,
    reason,
    means: reasonWords(reason),
    trip_id: trip.tripId ?? null,
    route_id: trip.routeId ?? null,
    direction_id: trip.directionId ?? null,
    start_date: trip.startDate ?? null,
    start_time: trip.startSeconds === undefined ? null : clockText(trip.startSeconds),
    relationship: trip.relationship,
  }
}

/** Maximum number of unmatched updates in the answer. The counts in the answer are not limited by it. */
const MAX_LISTED_UPDATES = 200

/**
 * Unmatched updates that may be related to the question: those for its trip, for its line, or for the lines at its
 * place.
 */
function relatedUpdates(
  { question, unmatched, unmatchedOf }: AnswerParts,
  requested: RequestedTrip | undefined,
): readonly ExplainedUpdate[] {
  if (requested !== undefined) return unmatchedOf.get(requested.feedId) ?? []
  const { timetable } = question.snapshot
  const { lines, stops, strings } = timetable
  const routes = new Set<string>(question.line === undefined ? [] : [question.line.id])
  for (const stop of question.line === undefined ? (question.place?.stops ?? []) : []) {
    const end = stops.lineOffset[nextIndex(stop)]
    for (let at = stops.lineOffset[stop]; at < end; at++) routes.add(textOf(strings, lines.id[stops.lineAt[at]]))
  }
  // An update without a route may concern any line.
  return unmatched.filter(({ route_id }) => route_id === null || routes.has(route_id))
}
