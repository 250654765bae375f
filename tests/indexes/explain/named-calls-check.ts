// Checks that a request for the calls of one line or trip explains them in the same way as a request for the whole
// board.
import { expect } from 'bun:test'
import { type ExplainedCall, explainBoard, type HiddenReason, wayOf } from '../../../indexes/explain/explain-board.ts'
import { type ExplainedNamedCall, explainCalls, type NamedCalls } from '../../../indexes/explain/explain-calls.ts'
import type { Overlay } from '../../../indexes/live/overlay.ts'
import type { BoardQuery } from '../../../indexes/timetable/boards.ts'
import type { Timetable } from '../../../indexes/timetable/timetable.ts'

const ALL = Number.MAX_SAFE_INTEGER
/** Number of lines, and also of trips, that are requested for each board. */
const REQUESTED = 2
const LIMIT = 3
const NOT_RUNNING: ReadonlySet<HiddenReason | undefined> = new Set(['service_not_running', 'outside_calendar'])

/** Requests the calls of some lines and trips of a board, and expects the same explanations as in the whole board. */
export function holdNamedCalls(
  timetable: Timetable,
  overlay: Overlay | undefined,
  { query, lookSeconds }: { readonly query: BoardQuery; readonly lookSeconds: number },
): void {
  const all: BoardQuery = { ...query, lines: undefined, directionId: undefined, limit: ALL }
  const look = { beforeSeconds: lookSeconds, afterSeconds: lookSeconds }
  const calls = explainBoard(timetable, overlay, all, look).calls.map(toNamed)
  const requested: NamedCalls = {
    stops: query.stops,
    boardFrom: query.fromSeconds,
    boardTo: query.toSeconds,
    fromSeconds: query.fromSeconds - lookSeconds,
    toSeconds: query.toSeconds + lookSeconds,
    limit: ALL,
  }
  const hold = (named: Partial<NamedCalls>, isNamed: (call: ExplainedNamedCall) => boolean) => {
    const expected = calls.filter(isNamed)
    const found = explainCalls(timetable, overlay, { ...requested, ...named })
    expect(found.map(wordsOf).toSorted()).toEqual(expected.map(wordsOf).toSorted())
    expect(found.map((call) => call.effectiveSeconds)).toEqual(
      expected.map((call) => call.effectiveSeconds).toSorted((a, b) => a - b),
    )
    // A limit selects the calls that are nearest to the start of the board.
    const distance = ({ effectiveSeconds }: ExplainedNamedCall) => Math.abs(effectiveSeconds - query.fromSeconds)
    const nearest = expected.map(distance).toSorted((a, b) => a - b)
    const few = explainCalls(timetable, overlay, { ...requested, ...named, limit: LIMIT })
    expect(few.map(distance).toSorted((a, b) => a - b)).toEqual(nearest.slice(0, LIMIT))
  }
  const lineOf = (call: ExplainedNamedCall) => wayOf(timetable, overlay, call).line
  for (const line of [...new Set(calls.map(lineOf))].slice(0, REQUESTED)) {
    hold({ line }, (call) => lineOf(call) === line && !NOT_RUNNING.has(call.hiddenBecause))
  }
  for (const { trip, day, runStartSeconds } of calls.slice(0, REQUESTED)) {
    // Trips on days outside of the calendar cannot be requested, since no id refers to them.
    if (trip === undefined || day < 0 || day >= timetable.meta.dayCount) continue
    const run = { trip, day, runStartSeconds }
    hold({ trip: run }, (call) => call.trip === trip && call.day === day && call.runStartSeconds === runStartSeconds)
  }
  if (overlay === undefined) return
  const instanceOf = ({ call }: ExplainedNamedCall) => (call === undefined ? undefined : overlay.calls.instance[call])
  for (const instance of new Set(calls.filter(({ trip }) => trip === undefined).map(instanceOf))) {
    if (instance !== undefined) hold({ trip: instance }, (call) => instanceOf(call) === instance)
  }
}

function toNamed({ verdict, ...call }: ExplainedCall): ExplainedNamedCall {
  if (verdict.kind === 'unexplained') throw new Error(`unexplained: ${JSON.stringify(call)}`)
  return { ...call, hiddenBecause: verdict.kind === 'hidden' ? verdict.reason : undefined }
}

function wordsOf({ stop, trip, day, runStartSeconds, position, call, hiddenBecause }: ExplainedNamedCall): string {
  return [stop, trip, day, runStartSeconds, position, call, hiddenBecause].join(' ')
}
