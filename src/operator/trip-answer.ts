// Explains one trip: whether the snapshot has it, on which days it runs, its calls and its live data. For an unknown
// trip, lists similar ids.

import { scheduledCalls, stopsOfTrip, useOfCall } from '../../indexes/live/live-trip.ts'
import {
  CALL_BOARDABLE,
  findInstance,
  INSTANCE_ADDED,
  INSTANCE_CANCELED,
  INSTANCE_DELETED,
  INSTANCE_RUNS,
  INSTANCE_UNSCHEDULED,
  type InstanceIndex,
  type LiveCallIndex,
  type Overlay,
} from '../../indexes/live/overlay.ts'
import { countBits, editDistance, letterSet, MAX_EDIT_LENGTH } from '../../indexes/text/edit-distance.ts'
import { NO_RUN } from '../../indexes/timetable/board-cursor.ts'
import { findServiceDay, localDay } from '../../indexes/timetable/service-dates.ts'
import {
  callCount,
  isActive,
  type StopIndex,
  stopTimeAt,
  type Timetable,
  type TripIndex,
} from '../../indexes/timetable/timetable.ts'
import { findTrip } from '../../indexes/timetable/trips.ts'
import { NONE, nextIndex } from '../../loaders/columns.ts'
import { textOf } from '../../loaders/strings.ts'
import { parsePublicId } from '../rendering/public-ids.ts'
import { clockText } from '../rendering/timestamps.ts'
import type { ExplainQuestion } from './explain-question.ts'
import { dayText, liveFactsOf, serviceSentence } from './explain-words.ts'

/** The requested trip. */
export interface RequestedTrip {
  /** The trip's id in the feed. */
  readonly feedId: string
  readonly trip: TripIndex | undefined
  /** The service day in the id, as yyyymmdd; undefined if the id has no day. */
  readonly date: string | undefined
  /** Start of the run given in the id, in seconds after the service day's zero time; undefined if the id has no run. */
  readonly runStartSeconds: number | undefined
}

const DATED = /^(\d{8}):(.+)$/s
const RUN = /^(.+)@(\d{2,3}):(\d{2}):(\d{2})$/s
const NEAREST = 10
const NEAR_SLIPS = 2

/** Parses a typed trip id. It is either an id in the feed, or an API id, which contains a day and may contain a run. */
export function readTrip(timetable: Timetable, network: string, typed: string): RequestedTrip {
  const whole = findTrip(timetable, typed)
  if (whole !== undefined) return { feedId: typed, trip: whole, date: undefined, runStartSeconds: undefined }
  const parsed = parsePublicId(typed)
  const local = parsed?.network === network && parsed.kind === 'trip' ? parsed.local : typed
  const [, date, rest = local] = DATED.exec(local) ?? []
  const trip = findTrip(timetable, rest)
  if (trip !== undefined) return { feedId: rest, trip, date, runStartSeconds: undefined }
  const [, base = '', hours, minutes, seconds] = RUN.exec(rest) ?? []
  const ofRun = hours === undefined ? undefined : findTrip(timetable, base)
  if (ofRun === undefined) return { feedId: rest, trip: undefined, date, runStartSeconds: undefined }
  const runStartSeconds = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
  return { feedId: base, trip: ofRun, date, runStartSeconds }
}

/** A call of the trip on its service day. */
export interface TripCall {
  readonly stop: StopIndex
  readonly arrivalSeconds: number
  readonly departureSeconds: number
  readonly isBoardable: boolean
  readonly live: ReturnType<typeof liveFactsOf> | undefined
}

/** The answer for a trip that is in the snapshot, or that live data has added. */
export interface KnownTrip {
  readonly kind: 'known'
  readonly feedId: string
  readonly trip: TripIndex | undefined
  readonly sentences: readonly string[]
  /** The calls on the requested day, in order; empty if the day is outside the calendar. */
  readonly calls: readonly TripCall[]
}

/** The answer for an unknown trip, with similar trip ids. */
export interface UnknownTrip {
  readonly kind: 'unknown'
  readonly feedId: string
  readonly nearest: readonly string[]
}

/** Explains a trip. @param question its `place` is the stop or area where riders expected the trip */
export function answerTrip(
  requested: RequestedTrip,
  question: ExplainQuestion,
  overlay: Overlay | undefined,
): KnownTrip | UnknownTrip {
  const { timetable } = question.snapshot
  const { trip, feedId } = requested
  if (trip !== undefined) return answerKnown({ ...requested, trip }, question, overlay)
  const added = overlay === undefined ? undefined : findAdded(overlay, requested)
  if (overlay === undefined || added === undefined) {
    return { kind: 'unknown', feedId, nearest: listNearest(timetable, feedId) }
  }
  const calls = listLiveCalls(overlay, added)
  const feed = calls[0]?.live?.feed ?? ''
  const sentences = [`The timetable does not have this trip; feed ${feed} added it.`, ...hereSentences(calls, question)]
  return { kind: 'known', feedId, trip: undefined, sentences, calls }
}

function answerKnown(
  requested: RequestedTrip & { readonly trip: TripIndex },
  question: ExplainQuestion,
  overlay: Overlay | undefined,
): KnownTrip {
  const { timetable } = question.snapshot
  const { trip, feedId } = requested
  const day = dayOf(requested, question)
  if (day === undefined) {
    const date = requested.date === undefined ? 'this day' : requested.date
    const sentences = [`The snapshot has this trip, but its calendar does not include ${date}.`]
    return { kind: 'known', feedId, trip, sentences, calls: [] }
  }
  const run = runOf(requested, timetable)
  const instance = { trip, day, runStartSeconds: run }
  const live = overlay === undefined ? undefined : findInstance(overlay, instance)
  const isRunning = isActive(timetable, timetable.trips.service[trip], day)
  const calls = listCalls(timetable, instance, { overlay, live })
  const sentences = [
    isRunning
      ? `The snapshot has this trip; it runs on ${dayText(timetable, day)}.`
      : `The snapshot has this trip. ${serviceSentence(timetable, timetable.trips.service[trip], day)}`,
    ...frequencySentences(timetable, trip),
    liveSentence(overlay, live, isRunning),
    ...hereSentences(calls, question),
  ]
  return { kind: 'known', feedId, trip, sentences: sentences.filter((sentence) => sentence !== ''), calls }
}

/**
 * The service day in the id; undefined if it is outside the calendar. If the id has no day, returns today in local
 * time, or yesterday if yesterday's trip is still under way and today's trip has not started.
 */
function dayOf({ trip, date }: RequestedTrip & { trip: TripIndex }, question: ExplainQuestion): number | undefined {
  const { timetable } = question.snapshot
  if (date !== undefined) return findServiceDay(timetable, date)
  const { serviceDays, stopTimes, trips, meta } = timetable
  const today = localDay(timetable, question.atSeconds)
  const isInside = (day: number) => day >= 0 && day < meta.dayCount
  const runs = (day: number) => isInside(day) && isActive(timetable, trips.service[trip], day)
  const lastCall = callCount(timetable, trips.pattern[trip]) - 1
  const start = stopTimes.departureSeconds[stopTimeAt(timetable, trip, 0)]
  const end = stopTimes.arrivalSeconds[stopTimeAt(timetable, trip, lastCall)]
  const isUnderWay = runs(today - 1) && serviceDays.zeroSeconds[today - 1] + end >= question.atSeconds
  const hasBegun = runs(today) && serviceDays.zeroSeconds[today] + start <= question.atSeconds
  if (isUnderWay && !hasBegun) return today - 1
  return isInside(today) ? today : undefined
}

/**
 * The start of the run in the id, or of the trip's first run if the id has no run. Returns NO_RUN for a trip without
 * frequencies.
 */
function runOf(
  { trip, runStartSeconds }: RequestedTrip & { trip: TripIndex },
  { trips, frequencies }: Timetable,
): number {
  const first = trips.frequencyOffset[trip]
  const isByFrequency = first < trips.frequencyOffset[nextIndex(trip)]
  return isByFrequency ? (runStartSeconds ?? frequencies.startSeconds[first]) : NO_RUN
}

function frequencySentences({ trips, frequencies }: Timetable, trip: TripIndex): string[] {
  const sentences: string[] = []
  const end = trips.frequencyOffset[nextIndex(trip)]
  for (let row = trips.frequencyOffset[trip]; row < end; row++) {
    const [from, to] = [clockText(frequencies.startSeconds[row]), clockText(frequencies.endSeconds[row])]
    sentences.push(`It runs every ${frequencies.headwaySeconds[row]} s from ${from} until ${to}.`)
  }
  return sentences
}

function listCalls(
  timetable: Timetable,
  instance: { readonly trip: TripIndex; readonly day: number; readonly runStartSeconds: number },
  { overlay, live }: { readonly overlay: Overlay | undefined; readonly live: InstanceIndex | undefined },
): TripCall[] {
  if (overlay !== undefined && live !== undefined) return listLiveCalls(overlay, live)
  const stops = stopsOfTrip(timetable, instance.trip)
  return scheduledCalls(timetable, instance).map(({ arrival, departure }, position) => ({
    stop: stops[position],
    arrivalSeconds: arrival,
    departureSeconds: departure,
    isBoardable: useOfCall(timetable, { trip: instance.trip, position }, undefined).isBoardable,
    live: undefined,
  }))
}

function listLiveCalls(overlay: Overlay, instance: InstanceIndex): TripCall[] {
  const { calls, instances, meta } = overlay
  const list: TripCall[] = []
  const end = instances.callOffset[nextIndex(instance)]
  for (let call: LiveCallIndex = instances.callOffset[instance]; call < end; call++) {
    list.push({
      stop: calls.stop[call],
      arrivalSeconds: calls.scheduledArrival[call] + meta.baseSeconds,
      departureSeconds: calls.scheduledDeparture[call] + meta.baseSeconds,
      isBoardable: (calls.flags[call] & CALL_BOARDABLE) !== 0,
      live: liveFactsOf(overlay, call),
    })
  }
  return list
}

const STATE_WORDS: Readonly<Record<number, string>> = {
  [INSTANCE_RUNS]: 'has an update for it',
  [INSTANCE_CANCELED]: 'canceled it',
  [INSTANCE_DELETED]: 'deleted it, so it is not shown',
  [INSTANCE_ADDED]: 'added it',
  [INSTANCE_UNSCHEDULED]: 'runs it without a schedule',
}

function liveSentence(overlay: Overlay | undefined, live: InstanceIndex | undefined, isRunning: boolean): string {
  if (overlay === undefined || live === undefined) return isRunning ? 'No live update matches it.' : ''
  const { instances, meta } = overlay
  return `Feed ${meta.feedIds[instances.feed[live]]} ${STATE_WORDS[instances.state[live]]}.`
}

/** Returns a sentence if the trip does not call at the requested place; otherwise, an empty list. */
function hereSentences(calls: readonly TripCall[], { place }: ExplainQuestion): string[] {
  if (place === undefined || calls.length === 0 || calls.some(({ stop }) => place.stops.includes(stop))) return []
  return [`It does not call at ${place.name}; its calls are listed below.`]
}

/** Finds a trip that was added by a feed. The requested id must be the id that the feed gave it. */
function findAdded({ instances, strings }: Overlay, { feedId, date }: RequestedTrip): InstanceIndex | undefined {
  for (let at = 0 as InstanceIndex; at < instances.trip.length; at++) {
    if (instances.trip[at] !== NONE) continue
    const ref = textOf(strings, instances.ref[at])
    if (date === undefined ? ref.replace(/^\d{8}:/, '') === feedId : ref === `${date}:${feedId}`) return at
  }
  return undefined
}

/**
 * Ids similar to the typed id: first the ids that contain the typed id or differ from it by at most two edits, then the
 * ids next to it in alphabetical order.
 */
function listNearest(timetable: Timetable, feedId: string): string[] {
  const { trips, strings } = timetable
  const letters = letterSet(feedId)
  const near: { readonly id: string; readonly slips: number }[] = []
  let place = 0
  for (let order = 0; order < trips.byId.length; order++) {
    const id = textOf(strings, trips.id[trips.byId[order]])
    if (id < feedId) place = order + 1
    const slips = slipsBetween(feedId, id, letters)
    if (slips <= NEAR_SLIPS || (feedId !== '' && id.includes(feedId))) near.push({ id, slips })
  }
  near.sort((a, b) => a.slips - b.slips)
  const beside = Array.from({ length: NEAREST }, (_, at) => place - NEAREST / 2 + at)
    .filter((order) => order >= 0 && order < trips.byId.length)
    .map((order) => textOf(strings, trips.id[trips.byId[order]]))
  return [...new Set([...near.map(({ id }) => id), ...beside])].slice(0, NEAREST)
}

function slipsBetween(typed: string, id: string, letters: number): number {
  if (typed.length > MAX_EDIT_LENGTH || id.length > MAX_EDIT_LENGTH) return NEAR_SLIPS + 1
  if (countBits(letters ^ letterSet(id)) > 2 * NEAR_SLIPS) return NEAR_SLIPS + 1
  return editDistance(typed, id, { limit: NEAR_SLIPS, asPrefix: false })
}
