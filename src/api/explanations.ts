// GET explanations of why the calls of a line or a trip are or are not on a stop's departure board.
import { Elysia } from 'elysia'
import { wayOf } from '../../indexes/explain/explain-board.ts'
import { type ExplainedNamedCall, explainCalls } from '../../indexes/explain/explain-calls.ts'
import { refOfInstance } from '../../indexes/live/live-order.ts'
import type { InstanceIndex, Overlay } from '../../indexes/live/overlay.ts'
import { findNamedTrip } from '../../indexes/live/trip-by-ref.ts'
import { type TripInstance, tripRef } from '../../indexes/timetable/trips.ts'
import { textOf } from '../../loaders/strings.ts'
import { documented } from '../contract/documented.ts'
import { ROUTES } from '../contract/routes.ts'
import { Problem, refusedParameter } from '../http/problem.ts'
import type { FeedStatus } from '../networks/network.ts'
import { sourcesText, writeEnvelope } from '../rendering/envelope.ts'
import { liveDepartureOf } from '../rendering/live-departure.ts'
import { lineId, parsePublicId, resolveLineFilter, resolvePlace, stopId } from '../rendering/public-ids.ts'
import { overlayOf, type SnapshotView } from '../rendering/snapshot-view.ts'
import { type Call, endpoint, type Rendered } from '../requests/endpoint.ts'
import type { Service } from '../requests/service.ts'
import { windowStart } from './departures.ts'

const BEFORE_SECONDS = 900
const AFTER_SECONDS = 1_800
const MOST_CALLS = 20
/** Feeds are only expected to report calls that are at most this far from the current time. */
const LIVE_REACH_SECONDS = 7_200

type ExplanationCall = Call<typeof ROUTES.stopExplanations.parameters>

/** The explanation route. */
export const explanationsApi = (service: Service) =>
  new Elysia({ name: 'api.explanations' }).get(
    ROUTES.stopExplanations.path,
    endpoint(service, ROUTES.stopExplanations, (call) => answerExplanations(service, call)),
    documented(ROUTES.stopExplanations),
  )

function answerExplanations(service: Service, { pathId, values, nowMillis }: ExplanationCall): Rendered | Problem {
  if (values.trip === undefined && values.line === undefined) {
    return refusedParameter(
      'trip',
      'The parameters "trip" and "line" are both missing; send at least one of them to choose the trip or line to explain.',
    )
  }
  const found = resolvePlace(service.views, pathId)
  if (found instanceof Problem) return found
  const { view, stops } = found
  const line = resolveLineFilter(service.views, view, values.line)
  if (line instanceof Problem) return line
  const trip = resolveTrip(service, view, values.trip)
  if (trip instanceof Problem) return trip
  const fromSeconds = windowStart(values.when ?? 'now', nowMillis)
  const overlay = overlayOf(view)
  const isElsewhere = line === 'nothing' || trip === 'elsewhere'
  const calls = isElsewhere
    ? []
    : explainCalls(view.timetable, overlay, {
        stops,
        boardFrom: fromSeconds,
        boardTo: fromSeconds + ROUTES.stopDepartures.parameters.horizon.default * 60,
        fromSeconds: fromSeconds - BEFORE_SECONDS,
        toSeconds: fromSeconds + AFTER_SECONDS,
        line: line === 'all' ? undefined : line,
        trip,
        directionId: values.direction === undefined ? undefined : Number(values.direction),
        limit: MOST_CALLS,
      })
  const nowSeconds = Math.floor(nowMillis / 1000)
  const feeds = (view.network.live?.feeds ?? []).filter(({ carries }) => carries.trips)
  const rows = calls.map((call) => describeCall(call, { view, overlay, feeds, nowSeconds }))
  const body = writeEnvelope(JSON.stringify(rows), {
    nowMillis,
    units: ROUTES.stopExplanations.cost,
    network: view.slug,
    freshness: rows.some(({ feed, reason }) => feed !== null && reason !== 'feed_stale') ? 'realtime' : 'scheduled',
    count: rows.length,
    attribution: view.attributionText,
    sources: sourcesText(view, view.network.live, nowMillis),
    reason: rows.length === 0 ? 'no_calls' : undefined,
  })
  return { body }
}

/**
 * The trip that a `trip` parameter names. Undefined if there is no such parameter; `elsewhere` for a trip of another
 * network.
 */
function resolveTrip(
  service: Service,
  view: SnapshotView,
  id: string | undefined,
): TripInstance | InstanceIndex | 'elsewhere' | undefined | Problem {
  if (id === undefined) return undefined
  const parsed = parsePublicId(id)
  const owner = parsed === undefined ? undefined : service.views.find(parsed.network)
  // The stop's network is ready, so a network that is not ready is another one. The trip cannot be looked up there yet,
  // but in any case it does not belong to the stop's network.
  if (owner instanceof Problem && owner.reason === 'not_ready') return 'elsewhere'
  const trip =
    parsed === undefined || owner === undefined || owner instanceof Problem
      ? undefined
      : findNamedTrip(owner.timetable, overlayOf(owner), parsed.local)
  if (trip === undefined) {
    const problem = `The parameter "trip" is ${JSON.stringify(id)}, which is not a known trip; expected an id from departures, vehicles or journeys.`
    return refusedParameter('trip', problem)
  }
  return owner === view ? trip : 'elsewhere'
}

interface Explaining {
  readonly view: SnapshotView
  readonly overlay: Overlay | undefined
  /** The feeds with trip updates. */
  readonly feeds: readonly FeedStatus[]
  readonly nowSeconds: number
}

function describeCall(call: ExplainedNamedCall, explaining: Explaining) {
  const { view, overlay, feeds, nowSeconds } = explaining
  const { timetable, localTime, slug } = view
  const { scheduledSeconds, hiddenBecause } = call
  const instance = overlay === undefined || call.call === undefined ? undefined : overlay.calls.instance[call.call]
  const isLive = overlay !== undefined && call.call !== undefined && instance !== undefined
  const live = isLive ? liveDepartureOf(overlay, call.call) : undefined
  const vehicle = isLive ? textOf(overlay.strings, overlay.instances.vehicle[instance]) : ''
  const reporting = isLive ? overlay.meta.feedIds[overlay.instances.feed[instance]] : undefined
  const stale = reporting === undefined && hiddenBecause === undefined ? staleFeed(call, explaining) : undefined
  const feed = reporting ?? stale?.id
  const status = live?.status ?? 'unknown'
  return {
    trip_id: `${slug}:trip:${refOf(call, explaining)}`,
    line_id: lineId(view, wayOf(timetable, overlay, call).line),
    stop_id: stopId(view, call.stop),
    scheduled_at: localTime.text(scheduledSeconds),
    expected_at: live?.expectedSeconds === undefined ? null : localTime.text(live.expectedSeconds),
    delay_seconds: live?.delaySeconds ?? null,
    shown: hiddenBecause === undefined,
    reason: hiddenBecause ?? (stale !== undefined ? 'feed_stale' : status === 'unknown' ? 'no_live_data' : status),
    feed: feed ?? null,
    feed_age_seconds: ageOf(
      feeds.find(({ id }) => id === feed),
      nowSeconds,
    ),
    vehicle_id: vehicle === '' ? null : `${slug}:vehicle:${vehicle}`,
  }
}

/** The local part of the trip's public id. */
function refOf({ trip, day, runStartSeconds, call }: ExplainedNamedCall, { view, overlay }: Explaining): string {
  if (overlay !== undefined && call !== undefined) {
    return refOfInstance(view.timetable, overlay, overlay.calls.instance[call])
  }
  if (trip === undefined) throw new Error('a call on the board is neither in the timetable nor in the live data')
  return tripRef(view.timetable, { trip, day, runStartSeconds })
}

/**
 * If the call is near the current time and even the newest trip updates are too old, returns the feed with these
 * updates; otherwise undefined.
 */
function staleFeed(
  { effectiveSeconds }: ExplainedNamedCall,
  { feeds, nowSeconds }: Explaining,
): FeedStatus | undefined {
  if (Math.abs(effectiveSeconds - nowSeconds) > LIVE_REACH_SECONDS) return undefined
  const timed = feeds.filter(({ timestampMillis }) => timestampMillis !== undefined)
  const newest = timed.toSorted((a, b) => (b.timestampMillis ?? 0) - (a.timestampMillis ?? 0))[0]
  if (newest === undefined) return undefined
  return nowSeconds * 1000 - (newest.timestampMillis ?? 0) > newest.freshMillis ? newest : undefined
}

function ageOf(feed: FeedStatus | undefined, nowSeconds: number): number | null {
  if (feed?.timestampMillis === undefined) return null
  return Math.max(0, nowSeconds - Math.floor(feed.timestampMillis / 1000))
}
