// GET journeys. This file resolves origin and destination; a planner finds the journeys.
import assert from 'node:assert'
import { Elysia } from 'elysia'
import { textOf } from '../../loaders/strings.ts'
import { documented } from '../contract/documented.ts'
import { refusedWords } from '../contract/parameter-parser.ts'
import { ROUTES } from '../contract/routes.ts'
import { Problem, refusedParameter } from '../http/problem.ts'
import { type JourneyEnds, resolveEnds } from '../journeys/journey-ends.ts'
import { NO_LINKS, type PageLinks, type PagePlace } from '../journeys/journey-pages.ts'
import { NativePlanners } from '../journeys/native-planners.ts'
import type { EndMessage, JourneyOutcome, JourneyQuestion, NativeAnswer } from '../journeys/planner-messages.ts'
import { LONGEST_WALK_METERS, USUAL_WALK_METERS } from '../journeys/walk-reach.ts'
import type { ServedAddresses } from '../places/served-addresses.ts'
import { type Meta, writeEnvelope } from '../rendering/envelope.ts'
import type { JourneyEnd } from '../rendering/journey.ts'
import { type EndKey, readJourneyRef } from '../rendering/journey-id.ts'
import { echoedId, parsePublicId } from '../rendering/public-ids.ts'
import type { SnapshotRows, SnapshotView } from '../rendering/snapshot-view.ts'
import { type Call, endpoint, type Rendered } from '../requests/endpoint.ts'
import type { Service } from '../requests/service.ts'
import { type CursorScope, filterHash } from './cursor.ts'
import { decodePage, encodePage, type QueryMoment } from './journey-cursors.ts'

type JourneyCall = Call<typeof ROUTES.journeys.parameters>

/** The journey routes. */
export const journeysApi = (service: Service) => {
  const natives = new NativePlanners(service.logger)
  const plan = endpoint(service, ROUTES.journeys, (call) => planJourneys({ ...service, natives }, call))
  const again = endpoint(service, ROUTES.journey, (call) => journeyAgain(service, call))
  // The handlers are declared async, because Elysia catches the rejection of a handler's promise only if the handler's
  // source text contains `async`.
  return new Elysia({ name: 'api.journeys' })
    .get(ROUTES.journeys.path, async ({ request, server }) => plan({ request, server }), documented(ROUTES.journeys))
    .get(ROUTES.journey.path, async ({ request, server }) => again({ request, server }), documented(ROUTES.journey))
}

/** The journey with a given id, looked up again in the current timetable. */
async function journeyAgain(
  service: Service,
  call: Call<typeof ROUTES.journey.parameters>,
): Promise<Rendered | Problem> {
  const { pathId, values, caller, nowMillis, request } = call
  const { signal } = request
  assert(caller !== undefined, 'a request to a route that requires a key has no caller')
  const id = parsePublicId(pathId)
  const again = id?.kind === 'journey' ? readJourneyRef(id.local) : undefined
  if (id === undefined || again === undefined) return noJourney(pathId)
  const view = service.views.find(id.network)
  if (view instanceof Problem) return view
  const refused = refuseSteps(view, values.include)
  if (refused !== undefined) return refused
  const { addresses } = service
  const question = {
    network: view.slug,
    again,
    ref: id.local,
    fromLabel: labelOf(addresses, again.access?.end),
    toLabel: labelOf(addresses, again.egress?.end),
    include: values.include,
    nowSeconds: Math.floor(nowMillis / 1000),
  }
  const outcome = await service.planners.plan(caller.keyId, question, signal)
  if (outcome instanceof Problem) return outcome
  if (outcome.kind === 'timeout') return new Problem('planner_timeout')
  if (outcome.kind === 'not_ready') return new Problem('not_ready')
  if (outcome.kind !== 'journeys') return noJourney(pathId)
  const attribution = creditsOf(view, outcome)
  const meta = { nowMillis, units: ROUTES.journey.cost, network: view.slug, attribution }
  return answer({ ...meta, isRealtime: outcome.isRealtime }, outcome.data)
}

function noJourney(id: string): Problem {
  return new Problem(
    'not_found',
    `No journey has the id ${echoedId(id)}. Its trips may no longer be in the timetable; search again with /v1/journeys.`,
  )
}

/** The label of an origin or destination that is a point: the label of its address, or of the nearest address. */
function labelOf(addresses: ServedAddresses | undefined, end: EndKey | undefined): string | undefined {
  if (end?.kind !== 'point' || addresses === undefined) return undefined
  const address = end.addressId === '' ? undefined : addresses.findById(end.addressId)
  return address?.label ?? addresses.labelNear(end)
}

/** The service, and the planners that transit operators run. */
interface JourneyService extends Service {
  readonly natives: NativePlanners
}

async function planJourneys(service: JourneyService, call: JourneyCall): Promise<Rendered | Problem> {
  const { values, caller, nowMillis, request } = call
  const { signal } = request
  assert(caller !== undefined, 'a request to a route that requires a key has no caller')
  const page = pageOf(call)
  if (page instanceof Problem) return page
  const { scope, moment, place } = page
  const { max_walk: maxWalk, modes, limit } = values
  const maxWalkMeters = maxWalk ?? USUAL_WALK_METERS
  const ends = findEnds(service, call)
  if (ends instanceof Problem) return ends
  const { view } = ends
  const unsupported = refuseSteps(view, values.include) ?? refuseNative(view, values)
  if (unsupported !== undefined) return unsupported
  const meta = {
    nowMillis,
    units: ROUTES.journeys.cost,
    network: view.slug,
    limit,
    maxWalk: maxWalkMeters,
    previousCursor: null,
    nextCursor: null,
    attribution: view.attributionText,
  }
  if (!ends.isInside) return answer({ ...meta, count: 0, reason: 'outside_bounds' }, '[]')
  const question = {
    from: toMessage(view, ends.from, service.addresses),
    to: toMessage(view, ends.to, service.addresses),
    network: view.slug,
    seconds: moment.seconds,
    isArriveBy: moment.isArriveBy,
    page: place,
    modes,
    maxWalkMeters,
    mayWalkFarther: maxWalk === undefined,
    maxTransfers: values.max_transfers,
    include: values.include,
    nowSeconds: Math.floor(nowMillis / 1000),
    changeSeconds: values.transfer_seconds,
    isWheelchair: values.wheelchair === 'true',
    limit,
  }
  const native = await planNatively(service, values.planner, { view, question, signal })
  if (native instanceof Problem) return native
  const outcome = await service.planners.plan(caller.keyId, { ...question, native }, signal)
  if (outcome instanceof Problem) return outcome
  if (outcome.kind !== 'journeys') return refusalOf(outcome.kind)
  const { count, isRealtime, reason, data, nearestStops, pages = NO_LINKS } = outcome
  const shown = { count, maxWalk: outcome.maxWalkMeters, reason, nearestStops, isRealtime }
  const attribution = creditsOf(view, outcome)
  return answer({ ...meta, ...cursorsOf(pages, scope, moment), ...shown, attribution }, data)
}

/** Refuses `include=steps` for networks without streets. */
function refuseSteps({ settings }: SnapshotRows, include: readonly string[] | undefined): Problem | undefined {
  if (include?.includes('steps') !== true || settings.hasStreets === true) return undefined
  return refusedWords('include', ROUTES.journeys.parameters.include, include)
}

/** The credits for a response. The sources of the streets are credited only if a walk follows streets. */
function creditsOf(view: SnapshotView, { isOnStreets }: { readonly isOnStreets?: boolean }): string {
  const { streets } = view.network
  if (isOnStreets !== true || streets === undefined) return view.attributionText
  return JSON.stringify([...new Set([...view.attribution, ...streets.attribution])])
}

/** The problem to respond with if a planner returned no journeys. */
function refusalOf(kind: Exclude<JourneyOutcome['kind'], 'journeys'>): Problem {
  switch (kind) {
    case 'timeout':
      return new Problem('planner_timeout')
    case 'gone':
    case 'not_ready':
      return new Problem('not_ready')
    case 'native_unusable':
      return new Problem(
        'overloaded',
        "The operator's planner uses a different version of the network's data. Try again later, or use planner=auto.",
      )
  }
}

/**
 * The origin and destination of a journey. If the request has no `max_walk`, networks that can only be reached by an
 * unusually long walk are considered too.
 */
function findEnds(service: JourneyService, { values }: JourneyCall): JourneyEnds | Problem {
  const { from, to, network, max_walk: maxWalk } = values
  const usual = resolveEnds(service, { from, to, network, maxWalkMeters: maxWalk ?? USUAL_WALK_METERS })
  if (maxWalk !== undefined || (!(usual instanceof Problem) && usual.isInside)) return usual
  const farther = resolveEnds(service, { from, to, network, maxWalkMeters: LONGEST_WALK_METERS })
  return farther instanceof Problem ? usual : farther
}

/** Rejects `planner=native` if the network has no native planner, or if that planner does not support the request. */
function refuseNative(view: SnapshotRows, { planner, ...values }: JourneyCall['values']): Problem | undefined {
  if (planner !== 'native') return undefined
  const instead = 'Use planner=auto or planner=service.'
  if (view.settings.journeys?.native === undefined) {
    const detail = `planner=native needs a journey planner run by the transit operator; the network ${JSON.stringify(view.slug)} has no such planner. ${instead}`
    return new Problem('capability_unsupported', detail)
  }
  const name = values.transfer_seconds === undefined ? 'wheelchair=true' : 'transfer_seconds'
  if (values.transfer_seconds === undefined && values.wheelchair !== 'true') return undefined
  return new Problem(
    'capability_unsupported',
    `The operator's planner (planner=native) does not support ${name}. ${instead}`,
  )
}

/**
 * The native planner's answer. Undefined if there is no native planner, if the request excludes or cannot use it, or if
 * it fails and the request does not require it.
 */
async function planNatively(
  { natives }: JourneyService,
  planner: JourneyCall['values']['planner'],
  {
    view,
    question,
    signal,
  }: { readonly view: SnapshotRows; readonly question: JourneyQuestion; readonly signal: AbortSignal },
): Promise<NativeAnswer | undefined | Problem> {
  const settings = view.settings.journeys?.native
  if (settings === undefined || planner === 'service') return undefined
  // The native planner supports neither `transfer_seconds` nor `wheelchair`, nor cursors, which continue a list from
  // this service's own planner.
  if (question.page !== undefined || question.changeSeconds !== undefined || question.isWheelchair) return undefined
  const isRequired = planner === 'native'
  const outcome = await natives.request(settings, question, isRequired)
  if (signal.aborted) return new Problem('planner_timeout', 'The client disconnected.')
  if (outcome.kind === 'answer') return { body: outcome.body, isRequired }
  return isRequired ? new Problem(outcome.reason, outcome.sentence) : undefined
}

function answer({ isRealtime = false, ...meta }: Meta & { isRealtime?: boolean }, data: string): Rendered {
  const body = writeEnvelope(data, { ...meta, freshness: isRealtime ? 'realtime' : 'scheduled' })
  return { body, nextCursor: meta.nextCursor ?? null }
}

/**
 * Parameters that are not part of a cursor's filters. `momentOfPage` checks `when` and `arrive_by`. The others may
 * differ between pages, because they do not determine which journeys the list contains.
 */
const FREE = new Set(['when', 'arrive_by', 'limit', 'cursor', 'include', 'lang'])

/** The route and filters that the request's cursors are bound to. */
function scopeOf({ values }: JourneyCall): CursorScope {
  const filters = Object.entries(values).filter(([name, value]) => {
    // `wheelchair=false` is the default and filters nothing.
    return value !== undefined && !FREE.has(name) && (name !== 'wheelchair' || value === 'true')
  })
  return { route: ROUTES.journeys.name, filter: filterHash(filters) }
}

function cursorsOf({ previous, next }: PageLinks, scope: CursorScope, moment: QueryMoment) {
  const cursorOf = (place: PagePlace | undefined) => (place === undefined ? null : encodePage(scope, { moment, place }))
  return { previousCursor: cursorOf(previous), nextCursor: cursorOf(next) }
}

/** The requested page, the time of its query, and the scope of its cursors. */
function pageOf(call: JourneyCall) {
  const scope = scopeOf(call)
  const page = decodePage(call.values.cursor, scope)
  if (page instanceof Problem) return page
  const moment = page === undefined ? momentOf(call) : momentOfPage(call, page.moment)
  return moment instanceof Problem ? moment : { scope, moment, place: page?.place }
}

/** The time of a query: `arrive_by` if it is a timestamp, otherwise `when`, which defaults to the current time. */
function momentOf({ values, nowMillis }: JourneyCall): QueryMoment | Problem {
  const { when, arrive_by: arriveBy } = values
  if (typeof arriveBy === 'number') {
    if (when === undefined) return { seconds: Math.floor(arriveBy / 1000), isArriveBy: true, form: 'arrive_by' }
    return refusedParameter(
      'arrive_by',
      'The parameter "arrive_by" is a timestamp, so "when" is not allowed. Remove "when", or use arrive_by=true.',
    )
  }
  const form = when === undefined || when === 'now' ? 'now' : 'when'
  const millis = when === undefined || when === 'now' ? nowMillis : when
  const isArriveBy = arriveBy === true
  // Rounded so that no journey departs before a requested departure time, or arrives after a requested arrival time.
  return { seconds: isArriveBy ? Math.floor(millis / 1000) : Math.ceil(millis / 1000), isArriveBy, form }
}

/**
 * The time of the query that a cursor continues. The request may repeat `when` and `arrive_by`, but not change them.
 */
function momentOfPage(call: JourneyCall, moment: QueryMoment): QueryMoment | Problem {
  const { when, arrive_by: arriveBy } = call.values
  const given = momentOf(call)
  if (given instanceof Problem) return given
  const isSame = given.form === moment.form && (given.form === 'now' || given.seconds === moment.seconds)
  const isArrivalKept =
    moment.form === 'arrive_by'
      ? arriveBy === undefined || isSame
      : typeof arriveBy !== 'number' && given.isArriveBy === moment.isArriveBy
  if (!isArrivalKept) return otherMoment('arrive_by')
  return when === undefined || isSame ? moment : otherMoment('when')
}

function otherMoment(name: 'when' | 'arrive_by'): Problem {
  return refusedParameter(
    name,
    `The parameter "${name}" differs from its value in the request for the first page; repeat the same value${OR_RESTART}`,
  )
}

const OR_RESTART = ', or omit "cursor" to get the first page.'

/** @param addresses used to find a label for a point that has none */
function toMessage({ timetable }: SnapshotRows, end: JourneyEnd, addresses: ServedAddresses | undefined): EndMessage {
  const { strings, stops, areas } = timetable
  const { lat, lon, place, addressId } = end
  if (place === undefined) return { lat, lon, place, label: end.label ?? addresses?.labelNear(end), addressId }
  const id = place.kind === 'stop' ? stops.id[place.stop] : areas.id[place.area]
  return { lat, lon, place: { kind: place.kind, id: textOf(strings, id) }, label: undefined }
}
