// Answers a journey query: computes the walks to stops, runs the planner's search, selects the journeys to show, and
// renders the JSON. Runs on a planner thread.
import type { PlanMoment } from '../../indexes/journeys/plan-reach.ts'
import type { PlannedJourney } from '../../indexes/journeys/planned-journey.ts'
import type { PlanQuestion } from '../../indexes/journeys/planner.ts'
import { stepFreeOverlay } from '../../indexes/journeys/step-free.ts'
import type { Overlay } from '../../indexes/live/overlay.ts'
import { greatCircleMeters } from '../../indexes/spatial/great-circle.ts'
import type { Walks } from '../../indexes/streets/walks.ts'
import { MODES } from '../../indexes/timetable/modes.ts'
import type { LineIndex, Timetable } from '../../indexes/timetable/timetable.ts'
import { Problem } from '../http/problem.ts'
import { currentAlerts } from '../rendering/current-alerts.ts'
import type { JourneyEnd } from '../rendering/journey.ts'
import { type Journey, ridesOf, slackOf, toJourney } from '../rendering/journey.ts'
import { type JourneyExtras, NO_EXTRAS } from '../rendering/journey-extras.ts'
import { type JourneyContext, journeyText } from '../rendering/journey-text.ts'
import { overlayOf, type SnapshotView, type SnapshotViews } from '../rendering/snapshot-view.ts'
import { inOrder, isOnFoot, type ListRules, listJourneys } from './hygiene.ts'
import { findJourneyAgain } from './journey-again.ts'
import { cutPage, FIRST_PAGE, NO_LINKS, NO_PAGE, type Page, type PagePlace, searchOf } from './journey-pages.ts'
import { toSections } from './journey-sections.ts'
import type { LayoutExchange } from './layout-exchange.ts'
import { isOutsideCalendar, ListDays, pagesBeside, type Recurrence, worthOf } from './list-days.ts'
import type { readMotisJourneys } from './native/motis-journeys.ts'
import { findEnd, nearestText } from './planned-ends.ts'
import type {
  AgainQuestion,
  JourneyOutcome,
  JourneyQuestion,
  PlannerQuestion,
  ShownQuestion,
} from './planner-messages.ts'
import { type Ground, type GroundOptions, PlanningGrounds } from './planning-grounds.ts'
import { recurs } from './recurrence.ts'
import { reachEnds } from './walk-reach.ts'
import { WARM_UP_MILLIS, warmUpQuestions } from './warm-up.ts'

/**
 * Spare times that transfers should have, tried in this order. If a transfer has less spare time, the journey is
 * replaced by one with the same departure and arrival and at least this spare time. If there is none, the next value is
 * tried.
 */
const ROOMY_SECONDS = [120, 60]
const DAY_SECONDS = 86_400
/** If the origin and the destination are at most this far apart, they count as the same place. */
const SAME_PLACE_METERS = 10

/** A query with resolved ends. */
interface PlacedQuestion extends Omit<JourneyQuestion, 'from' | 'to'> {
  readonly from: JourneyEnd
  readonly to: JourneyEnd
  /** Whether to plan the journeys on the other side of the requested time. */
  readonly isBeyond?: boolean
}

/** The result of planning. */
interface Planned {
  readonly journeys: readonly Journey[]
  /** Whether `journeys` has all journeys of the 24 hours that were planned. */
  readonly isAll: boolean
  /** The longest allowed walk. */
  readonly maxWalkMeters: number
  /** The reason to give if there are no journeys to show; `no_connection` if absent. */
  readonly reason?: string
}

interface PlanningOptions extends GroundOptions {
  /** Opens the snapshot of a network, if it is not open yet. */
  readonly open?: ((network: string) => void) | undefined
}

/** Answers the queries of one planner thread. */
export class JourneyPlanning {
  private readonly views: SnapshotViews
  private readonly exchange: LayoutExchange | undefined
  private readonly open: (network: string) => void
  readonly grounds: PlanningGrounds
  private readonly isWarm = new WeakSet<Ground>()
  private readNative: typeof readMotisJourneys | undefined

  constructor(views: SnapshotViews, options: PlanningOptions = {}) {
    const { exchange, open = () => undefined } = options
    this.views = views
    this.open = open
    this.exchange = exchange
    this.grounds = new PlanningGrounds(options)
  }

  /**
   * Prepares a network's data for queries that depart at the time `seconds`. Also runs some queries, so that the first
   * request is as fast as later ones. Works in steps, so that queries can be answered in between.
   * @param seconds the departure, in seconds after 1970
   * @param isWarmedUp whether to run queries; in a service with many networks, true only for the first ones
   */
  *prepare(network: string, seconds: number, isWarmedUp = true): Generator<void> {
    if (!this.grounds.hasRoomAhead(this.views.knownOf(network))) return
    const view = this.viewOf(network)
    if (view instanceof Problem) return
    if (isOutsideCalendar(view.timetable, { seconds, isArriveBy: false })) return
    const ground = this.grounds.of(view)
    yield
    yield* this.layOut(ground, { seconds, isArriveBy: false, isRequested: false })
    if (!isWarmedUp || this.isWarm.has(ground)) return
    this.isWarm.add(ground)
    for (const question of warmUpQuestions(view, seconds)) {
      this.answer(question, WARM_UP_MILLIS)
      yield
    }
  }

  private viewOf(network: string): SnapshotView | Problem {
    this.open(network)
    return this.views.find(network)
  }

  /** Whether the code that `answer` needs is loaded: reading a native planner's answer needs additional code. */
  canRead(question: PlannerQuestion): boolean {
    return this.readNative !== undefined || 'again' in question || question.native === undefined
  }

  /** Loads the code that reads native planners' answers: some megabytes in memory, which few networks need. */
  async loadReader(): Promise<void> {
    this.readNative = (await import('./native/motis-journeys.ts')).readMotisJourneys
  }

  /** Whether all days that a query needs are laid out. */
  isReady(question: PlannerQuestion): boolean {
    const view = this.viewOf(question.network)
    if (view instanceof Problem || 'again' in question || question.native !== undefined) return true
    const search = searchOf(question, question.page ?? FIRST_PAGE)
    return isOutsideCalendar(view.timetable, search) || this.grounds.of(view, question).planner.isReady(search)
  }

  /** Lays out the days that a query needs, in steps. */
  *prepareFor(question: PlannerQuestion): Generator<void> {
    const view = this.viewOf(question.network)
    if (view instanceof Problem || 'again' in question) return
    const search = searchOf(question, question.page ?? FIRST_PAGE)
    yield* this.layOut(this.grounds.of(view, question), { ...search, isRequested: true })
  }

  private *layOut({ view, planner }: Ground, moment: PlanMoment & { readonly isRequested: boolean }): Generator<void> {
    if (planner.isReady(moment) || planner.takeShared(moment, moment.isRequested)) return
    if (this.exchange !== undefined) yield* this.exchange.turn(view.slug)
    yield* planner.prepare(moment, moment.isRequested)
    this.exchange?.done(view.slug)
  }

  /** Plans the journeys of a query. @param millis the time limit in milliseconds */
  answer(question: PlannerQuestion, millis: number): JourneyOutcome {
    const until = performance.now() + millis
    const view = this.viewOf(question.network)
    if (view instanceof Problem) return { kind: 'not_ready' }
    if ('again' in question) return answerAgain(this.grounds.of(view), question)
    const [from, to] = [findEnd(view, question.from), findEnd(view, question.to)]
    if (greatCircleMeters(from.lat, from.lon, to.lat, to.lon) <= SAME_PLACE_METERS)
      return none('same_location', question.maxWalkMeters)
    const ground = this.grounds.of(view, question)
    const native = this.nativeAnswer(ground, question, { from, to })
    if (native !== undefined) return native
    const days = new ListDays(
      (place, limit) =>
        this.plan(ground, { ...question, from, to, ...searchOf(question, place), page: place, limit }, () => {
          return performance.now() >= until
        }),
      (place, planned) => pageOf(ground, question, { place, planned }).shown.length === 0,
    )
    const found = days.find(question.page ?? FIRST_PAGE, question.limit)
    if (found === undefined) return { kind: 'timeout' }
    const { maxWalkMeters, reason = 'no_connection' } = found.planned
    const shown = show(ground, { ...question, maxWalkMeters }, { ...found, days })
    if (days.isLate) return { kind: 'timeout' }
    if (shown !== undefined) return shown
    const nearestStops = reason === 'no_stops_in_range' ? nearestText(ground, from, to) : undefined
    const pages =
      question.page === undefined ? NO_LINKS : pagesBeside(NO_PAGE, found.place, { days, recurs: () => false })
    return days.isLate ? { kind: 'timeout' } : { ...none(reason, maxWalkMeters), nearestStops, pages }
  }

  /** Converts the native planner's answer to an outcome; undefined if Quai's own planner must answer. */
  private nativeAnswer(
    ground: Ground,
    question: JourneyQuestion,
    ends: { readonly from: JourneyEnd; readonly to: JourneyEnd },
  ): JourneyOutcome | undefined {
    const { native } = question
    const settings = ground.view.settings.journeys?.native
    if (native === undefined || settings === undefined || this.readNative === undefined) return undefined
    const { timetable } = ground.view
    const { paths, changeSeconds } = ground
    const place = { timetable, paths, overlay: overlayOf(ground.view), tag: settings.tag, changeSeconds }
    const journeys = this.readNative(place, { ...question, ...ends }, native.body)
    if (journeys === undefined) return native.isRequired ? { kind: 'native_unusable' } : undefined
    // Walks are shown without Quai's streets, because the native planner's walks follow its own street map.
    return (
      show({ ...ground, walks: undefined }, question, {
        place: FIRST_PAGE,
        planned: { journeys, isAll: true },
        days: undefined,
      }) ?? (native.isRequired ? none('no_connection', question.maxWalkMeters) : undefined)
    )
  }

  private plan(ground: Ground, question: PlacedQuestion, shouldStop: () => boolean): Planned | undefined {
    const { view, timetable, planner, paths } = ground
    const { from, to, seconds, isArriveBy, limit, mayWalkFarther, page = FIRST_PAGE } = question
    const overlay = overlayOf(view)
    const planOverlay = planOverlayOf(ground, overlay)
    const { planWalks } = ground
    const farthest = { maxMeters: question.maxWalkMeters, mayWalkFarther, overlay, walks: planWalks }
    const reached = reachEnds(timetable, question, farthest)
    const { maxMeters: maxWalkMeters, access, egress } = reached
    const walks = directWalk(planWalks, question, maxWalkMeters)
    const without = (reason: string): Planned => ({ journeys: walks, isAll: true, maxWalkMeters, reason })
    const outside = isOutsideCalendar(timetable, question) ? 'outside_service_period' : undefined
    // Late and added trips may run after the end of the timetable, so the search goes on if there is live data.
    const isLive = overlay !== undefined && overlay.instances.trip.length > 0
    if (outside !== undefined && !isLive) return without(outside)
    if (access.stops.length === 0 || egress.stops.length === 0) return without(outside ?? 'no_stops_in_range')
    const lines = linesOfModes(timetable, question.modes)
    const place = { timetable, paths, overlay, from, to, access, egress, walks: planWalks }
    const known = new Map<PlannedJourney, Journey>()
    const toJourneys = (planned: readonly PlannedJourney[]) => [
      ...planned.map((one) => known.getOrInsertComputed(one, () => roomiest(one))),
      ...walks,
    ]
    const roomiest = (one: PlannedJourney): Journey => {
      const journey = toJourney(toSections(place, one))
      const slack = slackOf(journey)
      for (const seconds of ROOMY_SECONDS) {
        const found = slack >= seconds ? undefined : planner.roomier(one, seconds)
        if (found !== undefined) return toJourney(toSections(place, found))
      }
      return journey
    }
    const pageQuestion: PlanQuestion = {
      access,
      egress,
      seconds,
      isArriveBy,
      isBeyond: question.isBeyond === true,
      mostVehicles: question.maxTransfers + 1,
      mostSeconds: mostSecondsBeside(walks, question.isBeyond === true),
      changeSeconds: question.changeSeconds,
      lines,
      limit: page.isUntil ? 1 : limit,
      worth: (found, until) => {
        const rules = { ...listRules(view, question), until, page, limit }
        return worthOf(toJourneys(found), {
          ...rules,
          recurs: (journey) => recurs(timetable, journey, isArriveBy ? -1 : 1),
        })
      },
      overlay: planOverlay,
      shouldStop,
    }
    const planned = planner.planPage(pageQuestion)
    if (planned === undefined) return undefined
    const { journeys, isAll } = planned
    return { journeys: toJourneys(journeys), isAll, maxWalkMeters, reason: outside }
  }
}

/** The live data to plan with. For wheelchair users, it has only the accessible calls. */
function planOverlayOf({ view, isWheelchair }: Ground, overlay: Overlay | undefined): Overlay | undefined {
  return isWheelchair ? overlay && stepFreeOverlay(view.timetable, overlay) : overlay
}

function listRules({ localTime }: SnapshotView, { isArriveBy }: Pick<JourneyQuestion, 'isArriveBy'>): ListRules {
  return { isArriveBy, localSeconds: (seconds) => localTime.localSeconds(seconds) }
}

/** Answers a request for a journey by its id, with current data. */
function answerAgain(ground: Ground, question: AgainQuestion): JourneyOutcome {
  const { view } = ground
  const place = { ...ground, timetable: view.timetable, overlay: overlayOf(view) }
  const journey = findJourneyAgain(place, question.again, { ...question, seconds: question.nowSeconds })
  if (journey === undefined) return { kind: 'gone' }
  const data = journeyText(ground, journey, { ...extrasOf(view, question), ref: question.ref })
  const isOnStreets = hasStreets(ground, journey)
  return { ...none('', 0), data, count: 1, isRealtime: isLive(journey), isOnStreets, reason: undefined }
}

function extrasOf(view: SnapshotView, { include = [], nowSeconds }: ShownQuestion): JourneyExtras {
  if (include.length === 0) return NO_EXTRAS
  const alerts = include.includes('alerts') ? (currentAlerts(view, nowSeconds) ?? 'none') : undefined
  const [calls, geometry, steps] = ['calls', 'geometry', 'steps'].map((word) => include.includes(word))
  return { calls, geometry, steps, alerts }
}

/** Whether any walk in a journey follows streets. */
function hasStreets({ walks }: JourneyContext, { sections }: Journey): boolean {
  if (walks === undefined) return false
  return sections.some((section) => section.kind === 'walk' && walks.sourceOf(section.from, section.to) === 'streets')
}

function isLive({ sections }: Journey): boolean {
  return ridesOf(sections).some(({ isRealtime }) => isRealtime)
}

/** The place of a page in a day's list, and the planned part of that list. */
interface ShownDay {
  readonly place: PagePlace
  readonly planned: Pick<Planned, 'journeys' | 'isAll'>
  /** Plans the days of other pages; undefined if there are no other pages. */
  readonly days: ListDays<Planned> | undefined
}

/** Selects the journeys of a page and returns them as an answer; undefined if the page has no journeys. */
function show(
  ground: Ground,
  question: ShownQuestion & Pick<JourneyQuestion, 'seconds' | 'isArriveBy' | 'limit' | 'maxWalkMeters'>,
  { place, planned, days }: ShownDay,
): JourneyOutcome | undefined {
  const page = pageOf(ground, question, { place, planned })
  if (page.shown.length === 0) return undefined
  const shown = inOrder(page.shown, question.isArriveBy)
  const extras = { ...extrasOf(ground.view, question), isWheelchair: ground.isWheelchair }
  // If the walk is the only journey of the day, it is better than all rides, also on other days. So there are no other
  // pages.
  const isWalkAlone = page.shown.every(isOnFoot) && !page.hasNearer && !page.hasFarther
  return {
    kind: 'journeys',
    pages:
      days === undefined || isWalkAlone
        ? NO_LINKS
        : pagesBeside(page, place, { days, recurs: recurrence(ground, question) }),
    data: `[${shown.map((journey) => journeyText(ground, journey, extras)).join(',')}]`,
    count: shown.length,
    isRealtime: shown.some(isLive),
    isOnStreets: shown.some((journey) => hasStreets(ground, journey)),
    reason: undefined,
    maxWalkMeters: question.maxWalkMeters,
    nearestStops: undefined,
  }
}

/** Returns a function that decides by the calendar alone whether a list continues on one side of the requested time. */
function recurrence(
  { timetable }: Ground,
  { seconds, isArriveBy }: Pick<JourneyQuestion, 'seconds' | 'isArriveBy'>,
): Recurrence {
  return (journey, isBeyond) => {
    // The list certainly continues on the other side of the requested time only if the whole journey, shifted by one
    // day, is on that side. Otherwise, a journey on this side may be better.
    const isApart = isArriveBy ? journey.departs + DAY_SECONDS > seconds : journey.arrives - DAY_SECONDS < seconds
    return (isApart || !isBeyond) && recurs(timetable, journey, isArriveBy === isBeyond ? 1 : -1)
  }
}

function pageOf(
  ground: Ground,
  question: Pick<JourneyQuestion, 'seconds' | 'isArriveBy' | 'limit'>,
  { place, planned: { journeys, isAll } }: Pick<ShownDay, 'place' | 'planned'>,
): Page {
  const { isArriveBy } = searchOf(question, place)
  const list = listJourneys(journeys, listRules(ground.view, { isArriveBy }))
  return cutPage(list, place, { ...ground, limit: question.limit, isArriveBy, isAll })
}

function none(reason: string, maxWalkMeters: number): JourneyOutcome & { readonly kind: 'journeys' } {
  const nothing = { data: '[]', count: 0, isRealtime: false, nearestStops: undefined, pages: NO_LINKS }
  return { kind: 'journeys', ...nothing, reason, maxWalkMeters }
}

/** The journey on foot, if it is not too long. It departs, or arrives, exactly at the requested time. */
function directWalk(walks: Walks, { from, to, seconds, isArriveBy }: PlacedQuestion, maxWalkMeters: number): Journey[] {
  const walk = walks.between(from, to, maxWalkMeters)
  if (walk === undefined) return []
  const { meters, seconds: duration } = walk
  const departs = isArriveBy ? seconds - duration : seconds
  return [toJourney([{ kind: 'walk', from, to, departs, arrives: departs + duration, meters }])]
}

/**
 * If there is a walk, returns its duration in seconds. Journeys that take longer are always dropped in favor of the
 * walk, so they need not be searched. Returns undefined if there is no walk. Also returns undefined on the other side
 * of the requested time: there, the first journey of a list is never dropped, even if it is slow.
 */
function mostSecondsBeside([walk]: readonly Journey[], isBeyond: boolean): number | undefined {
  return walk === undefined || isBeyond ? undefined : walk.arrives - walk.departs
}

/** For each line, 1 if its mode is one of `modes`, otherwise 0; undefined if all modes are allowed. */
function linesOfModes({ lines }: Timetable, modes: readonly string[] | undefined): Uint8Array | undefined {
  if (modes === undefined) return undefined
  const may = new Uint8Array(lines.id.length)
  for (let line = 0 as LineIndex; line < may.length; line++) {
    may[line] = modes.includes(MODES[lines.mode[line]] ?? '') ? 1 : 0
  }
  return may
}
