// Generates random live updates for trips of a random feed, explains a board with these updates, and checks the
// explanation. The calls that are explained as shown must be the rows of the board. Each reason must agree with the
// matched live trips, which are read as plain objects.
import { expect } from 'bun:test'
import fc from 'fast-check'
import { BoardJudge, type ExplainedCall, explainBoard } from '../../../indexes/explain/explain-board.ts'
import type { BoardRow } from '../../../indexes/live/board-rows.ts'
import { buildOverlay } from '../../../indexes/live/build-overlay.ts'
import { listBoard } from '../../../indexes/live/live-boards.ts'
import type { LiveCall, LiveTrip } from '../../../indexes/live/live-trip.ts'
import { LiveTripReader } from '../../../indexes/live/live-trips.ts'
import { INSTANCE_CANCELED, INSTANCE_DELETED } from '../../../indexes/live/overlay.ts'
import type { BoardQuery } from '../../../indexes/timetable/boards.ts'
import { serviceDate } from '../../../indexes/timetable/service-dates.ts'
import type { Timetable } from '../../../indexes/timetable/timetable.ts'
import type { TripUpdate } from '../../../loaders/gtfs-rt/message.ts'
import { textOf } from '../../../loaders/strings.ts'
import type { RandomFeed } from '../random-feed.ts'
import { holdNamedCalls } from './named-calls-check.ts'

const NOT_RUNNING: ReadonlySet<string> = new Set(['service_not_running', 'outside_calendar'])
const event = fc.record({ delaySeconds: fc.constantFrom(-5400, -1800, -60, 0, 300, 1800, 7200) })

const randomStopTime = fc.record({
  /**
   * Position of the updated call relative to the call that `around` selects: 1 is the next call of the trip, −1 the
   * previous one.
   */
  behind: fc.constantFrom(0, 0, 1, 2, -1, -2),
  departure: fc.option(event, { nil: undefined }),
  relationship: fc.constantFrom('scheduled', 'scheduled', 'skipped', 'no_data'),
  assignedStopId: fc.constantFrom(undefined, undefined, 's0', 's1', 's2'),
  pickupType: fc.constantFrom(undefined, undefined, 0, 1),
} as const)

/** Random live updates of trips that have calls around a board. */
export const randomReports = fc.array(
  fc.record({
    /** Selects a call around the board; the update is about the trip instance of this call. */
    around: fc.nat(),
    /** By how many seconds a run of a frequency trip starts late. */
    offSeconds: fc.constantFrom(0, 0, 300),
    relationship: fc.constantFrom(
      'scheduled',
      'scheduled',
      'scheduled',
      'scheduled',
      'scheduled',
      'scheduled',
      'canceled',
      'deleted',
      'added',
      'unscheduled',
      'replacement',
    ),
    delaySeconds: fc.constantFrom(undefined, undefined, 600),
    stopTimes: fc.array(randomStopTime, { maxLength: 3 }),
  } as const),
  { minLength: 1, maxLength: 16 },
)

type Reports = typeof randomReports extends fc.Arbitrary<infer Value> ? Value : never

/** The feed, with two of its stops as platforms of one station. */
export function withStation(feed: RandomFeed): RandomFeed {
  const stops = feed.files['stops.txt'] ?? ''
  const [header, ...rows] = stops.trim().split('\n')
  const inStation = rows.map((row) => `${row},0,${/^s[01],/.test(row) ? 'station' : ''}`)
  const text = [`${header},location_type,parent_station`, ...inStation, 'station,Station,48.0,7.7,1,', ''].join('\n')
  return { ...feed, files: { ...feed.files, 'stops.txt': text } }
}

/** The inputs of one check. */
export interface LiveRound {
  readonly query: BoardQuery
  readonly reports: Reports
  readonly nowSeconds: number
  readonly lookSeconds: number
}

/** The number of an update, the call that the update is about, and the current time. */
interface UpdateContext {
  readonly at: number
  readonly of: ExplainedCall
  readonly nowSeconds: number
}

/** Numbers of checked boards, shown calls and hidden calls by reason, over all rounds. */
export interface ExplanationCounts {
  boards: number
  shown: number
  readonly reasons: Record<string, number>
}

/**
 * Explains one board with random updates. Checks the explanation against the rows of the board and against the updates.
 */
export function checkLiveBoard(timetable: Timetable, round: LiveRound, reported: ExplanationCounts): void {
  const { query, nowSeconds, lookSeconds } = round
  const look = { beforeSeconds: lookSeconds, afterSeconds: lookSeconds }
  const running = explainBoard(timetable, undefined, query, look).calls.filter(
    ({ verdict }) => verdict.kind !== 'hidden' || !NOT_RUNNING.has(verdict.reason),
  )
  const updates = round.reports.flatMap((report, at) => {
    const of = running[report.around % running.length]
    return of === undefined ? [] : [toUpdate(timetable, report, { at, of, nowSeconds })]
  })
  const { trips } = new LiveTripReader(timetable).read([{ timestampSeconds: nowSeconds, trips: updates }], nowSeconds)
  holdExplained(timetable, { query, trips, nowSeconds, lookSeconds }, reported)
}

/** Checks an explained board: compares it with the real board and with the live trips. */
export function holdExplained(
  timetable: Timetable,
  requested: Omit<LiveRound, 'reports'> & { readonly trips: readonly LiveTrip[] },
  reported: ExplanationCounts,
): void {
  const { query, trips, nowSeconds, lookSeconds } = requested
  const meta = { snapshotId: 's', version: 1, baseSeconds: nowSeconds, feedIds: ['feed', 'other', 'third'] }
  const overlay = buildOverlay(timetable, trips, meta)
  const look = { beforeSeconds: lookSeconds, afterSeconds: lookSeconds }
  const explained = explainBoard(timetable, overlay, query, look)
  const shown = explained.calls.filter(({ verdict }) => verdict.kind === 'shown')
  // The calls that are explained as shown must be the rows of the real board: all of them, in order, each once.
  const byRow = [...shown].sort((a, b) => rowOf(a) - rowOf(b))
  expect(byRow.map(callKey)).toEqual(listBoard(timetable, overlay, query).map(rowKey))
  expect(byRow.map(rowOf)).toEqual(byRow.map((_, at) => at))
  expect(explained.shownCount).toBe(shown.length)
  expect(new Set(explained.calls.map(callKey)).size).toBe(explained.calls.length)
  // Without listing the board, `findReason` looks for the reason why a call is hidden. It must find no reason for a
  // shown call.
  const judge = new BoardJudge(timetable, overlay, query)
  expect(shown.map((call) => judge.findReason(call)).filter((reason) => reason !== undefined)).toEqual([])
  for (const call of explained.calls) {
    if (call.verdict.kind === 'shown') continue
    const reason = call.verdict.kind === 'hidden' ? call.verdict.reason : 'unexplained'
    reported.reasons[reason] = (reported.reasons[reason] ?? 0) + 1
    if (!holds(reason, call, { timetable, trips, query }))
      throw new Error(`${reason} is wrong for ${JSON.stringify(call)}`)
  }
  holdNamedCalls(timetable, overlay, { query, lookSeconds })
  reported.boards++
  reported.shown += shown.length
}

function rowOf({ verdict }: ExplainedCall): number {
  return verdict.kind === 'shown' ? verdict.row : -1
}

function callKey({ call, trip, day, runStartSeconds, position }: ExplainedCall): string {
  return call === undefined ? `${trip} ${day} ${runStartSeconds} ${position}` : `live ${call}`
}

function rowKey(row: BoardRow): string {
  return row.kind === 'live' ? `live ${row.call}` : `${row.trip} ${row.day} ${row.runStartSeconds} ${row.position}`
}

/**
 * Whether a reason agrees with the live trips, which are read as objects. The reasons that depend only on the timetable
 * are checked by tests/oracles/board-reasons.ts instead.
 */
function holds(
  reason: string,
  explained: ExplainedCall,
  { timetable, trips, query }: { timetable: Timetable; trips: readonly LiveTrip[]; query: BoardQuery },
): boolean {
  const found = explained.call === undefined ? undefined : nthCall(trips, explained.call)
  const { fromSeconds, toSeconds } = query
  const { scheduledSeconds } = explained
  const isPlanned = (seconds: number) => seconds >= fromSeconds && seconds < toSeconds
  const known = found === undefined ? scheduledSeconds : expectedOf(found)
  switch (reason) {
    case 'deleted_by_feed':
      return found?.trip.state === INSTANCE_DELETED
    case 'moved_to_other_stop':
      return found !== undefined && !query.stops.includes(found.call.stop) && query.stops.includes(explained.stop)
    case 'no_boarding':
      return found === undefined || !found.call.isBoardable
    case 'predicted_before_window':
      return found !== undefined && isPlanned(scheduledSeconds) && known < fromSeconds
    case 'predicted_after_window':
      return found !== undefined && isPlanned(scheduledSeconds) && known >= toSeconds
    case 'left_before_window':
      return !isPlanned(scheduledSeconds) && known < fromSeconds
    case 'after_window':
      return !isPlanned(scheduledSeconds) && known >= toSeconds
    case 'left_behind':
      return found !== undefined && isPlanned(known) && !found.call.isPredicted && found.call.departure < fromSeconds
    case 'replaced_by_live_run':
      return explained.runStartSeconds >= 0 && trips.some(({ instance }) => instance?.trip === explained.trip)
    case 'beyond_limit':
      return isPlanned(known)
    case 'service_not_running':
    case 'outside_calendar':
      return found === undefined
    case 'trip_ends_here':
      return explained.isLastCall
    case 'other_line':
      return query.lines !== undefined && !query.lines.has(lineOf(timetable, explained, found?.trip))
    case 'other_direction':
      return query.directionId !== undefined
    default:
      return false
  }
}

function lineOf({ patterns, trips }: Timetable, { trip }: ExplainedCall, live: LiveTrip | undefined) {
  if (trip !== undefined) return patterns.line[trips.pattern[trip]]
  if (live === undefined) throw new Error('a call has no trip, although no feed reports it')
  return live.line
}

/** The time by which a board sorts and filters the row of a live call. */
function expectedOf({ trip, call }: { readonly trip: LiveTrip; readonly call: LiveCall }): number {
  const isKnown = call.isPredicted && !call.isSkipped && trip.state !== INSTANCE_CANCELED
  return isKnown ? call.departure : call.scheduled.departure
}

/** The call with this number. Calls are numbered from 0, trip by trip, as in the overlay. */
function nthCall(
  trips: readonly LiveTrip[],
  number: number,
): { readonly trip: LiveTrip; readonly call: LiveCall } | undefined {
  let left = number
  for (const trip of trips) {
    const call = trip.calls[left]
    if (call !== undefined) return { trip, call }
    left -= trip.calls.length
  }
  return undefined
}

function toUpdate(timetable: Timetable, report: Reports[number], { at, of, nowSeconds }: UpdateContext): TripUpdate {
  const { trips, patterns, strings, lines, callProfiles } = timetable
  const { trip, day, runStartSeconds, position } = of
  if (trip === undefined) throw new Error('a call of the timetable has no trip')
  const isNew = report.relationship === 'added' || report.relationship === 'replacement'
  const line = patterns.line[trips.pattern[trip]]
  const none = { arrival: undefined, headsign: undefined, dropOffType: undefined }
  const stopTimes = isNew
    ? report.stopTimes.map((each, place) => {
        const timeSeconds = nowSeconds + (each.behind + place * 4) * 600
        const departure = { timeSeconds, delaySeconds: undefined, scheduledSeconds: undefined }
        const stopId = each.assignedStopId ?? `s${place % 4}`
        return { ...none, ...each, departure, stopSequence: place, stopId, assignedStopId: undefined }
      })
    : report.stopTimes.map(({ behind, departure, ...each }) => ({
        ...none,
        ...each,
        stopSequence: callProfiles.stopSequence[trips.sequenceProfile[trip] + Math.max(0, position + behind)],
        stopId: undefined,
        departure: departure && { timeSeconds: undefined, scheduledSeconds: undefined, ...departure },
      }))
  return {
    entityId: `${at}`,
    trip: {
      tripId: report.relationship === 'added' ? `new ${at}` : textOf(strings, trips.id[trip]),
      routeId: textOf(strings, lines.id[line]),
      directionId: undefined,
      startSeconds: runStartSeconds < 0 ? undefined : runStartSeconds + report.offSeconds,
      startDate: serviceDate(timetable, day),
      relationship: report.relationship,
    },
    vehicle: undefined,
    timestampSeconds: undefined,
    delaySeconds: report.delaySeconds,
    stopTimes,
    properties: undefined,
  }
}
