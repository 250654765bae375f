// The data that a planner searches: the routes of some service days for forward and backward searches, the routes with
// live data, the in-seat transfers, and the transfers between points. The prepared data for some days is called their
// layout. The layouts of the most recently used days stay in memory.
import type { Overlay } from '../live/overlay.ts'
import type { Timetable } from '../timetable/timetable.ts'
import { mirrorLayer } from './build-layer.ts'
import { ChangePoints } from './change-points.ts'
import { buildFootpaths, type ChangeRules, type FootpathPair, findChange } from './footpaths.ts'
import { bytesOfArrays, LayoutBudget, type LayoutKeeper } from './layout-budget.ts'
import { type LiveSpan, layLive } from './live-layer.ts'
import type { PlannerSearches } from './planner-searches.ts'
import type { RouteLayer } from './route-layer.ts'
import type { SearchGround } from './search-ground.ts'
import { mirroredPlace, pairSeated, readSeatRules, type SeatedPairs, type SeatRules } from './seated.ts'
import type { LayoutShare, SharedLayout } from './shared-layouts.ts'
import { buildSpan, InstancePlaces, type Span } from './span.ts'
import { classifyTrips, type TripClasses } from './trip-classes.ts'
import { UsedStops } from './used-stops.ts'

/** A span of service days, and the data that is derived only from the span. */
export interface LaidSpan {
  readonly span: Span
  readonly mirrored: RouteLayer
  readonly seated: SeatedPairs | undefined
  /** Computed only if there is live data. */
  places: InstancePlaces | undefined
  live: LaidLive | undefined
}

/** The live data for a span. */
export interface LaidLive {
  readonly span: LiveSpan
  /** Like `span.masked`, but with the instances numbered as in the mirrored layer. */
  readonly masked: Uint8Array
  readonly seated: SeatedPairs | undefined
}

/** The key of the transfers between points, in the store of layouts that planners share. */
const CHANGES = 'changes'
/** Maximum number of footpath tables in memory for values of `changeSeconds` other than the network's own. */
const MOST_OTHER_CHANGES = 4
/** Memory budget for the layouts of days, in bytes, if a planner does not share a budget with other planners. */
const BYTES_OF_ONE = 64 * 1024 * 1024

type SharedDays = Extract<SharedLayout, { kind: 'days' }>

/** Options for storing layouts. */
export interface LayoutKeeping {
  /** The memory budget that the planner shares with other planners; if absent, the planner has a budget of its own. */
  readonly budget?: LayoutBudget | undefined
  /** The store for the layouts that planners share; undefined if the planner shares no layouts. */
  readonly share?: LayoutShare | undefined
  /** The searches that several planners share. Only one of these planners searches at a time. */
  readonly searches?: PlannerSearches | undefined
  /** Bytes that the planner uses in addition to its layouts of days. */
  readonly ownBytes?: number
  /** Called when the planner's last layout of days has been dropped to make room for a layout of another planner. */
  readonly onEmpty?: () => void
}

/** The layouts of one timetable: its days, and the transfers between its points. */
export class LaidDays implements LayoutKeeper {
  readonly points: ChangePoints
  readonly usedStops: UsedStops
  private readonly timetable: Timetable
  private readonly rules: ChangeRules
  private knownClasses: TripClasses | undefined
  private knownSeatRules: SeatRules | undefined
  private knownFootpaths: FootpathPair | undefined
  private readonly otherFootpaths = new Map<number, FootpathPair>()
  private readonly budget: LayoutBudget
  private readonly share: LayoutShare | undefined
  private readonly ownBytes: number
  private readonly onEmpty: (() => void) | undefined
  private readonly spans = new Map<string, LaidSpan>()

  constructor(timetable: Timetable, rules: ChangeRules, keeping: LayoutKeeping = {}) {
    this.timetable = timetable
    this.budget = keeping.budget ?? new LayoutBudget(BYTES_OF_ONE)
    this.share = keeping.share
    this.ownBytes = keeping.ownBytes ?? 0
    this.onEmpty = keeping.onEmpty
    this.rules = rules
    this.points = new ChangePoints(timetable)
    this.usedStops = new UsedStops(timetable)
  }

  private get classes(): TripClasses {
    this.knownClasses ??= classifyTrips(this.timetable, this.points, this.rules.leftOut)
    return this.knownClasses
  }

  private get seatRules(): SeatRules {
    this.knownSeatRules ??= readSeatRules(this.timetable)
    return this.knownSeatRules
  }

  private get footpaths(): FootpathPair {
    this.knownFootpaths ??= this.findFootpaths()
    return this.knownFootpaths
  }

  /**
   * The transfers between points, with a given extra time.
   * @param changeSeconds added to each walk; the network's own setting if undefined
   */
  private footpathsOf(changeSeconds: number | undefined): FootpathPair {
    if (changeSeconds === undefined || changeSeconds === this.rules.changeSeconds) return this.footpaths
    const { otherFootpaths } = this
    const known = otherFootpaths.get(changeSeconds)
    const footpaths = known ?? buildFootpaths(this.timetable, this.points, { ...this.rules, changeSeconds })
    // Moves this entry to the end of the map, so that the least recently used entry comes first.
    otherFootpaths.delete(changeSeconds)
    otherFootpaths.set(changeSeconds, footpaths)
    for (const oldest of otherFootpaths.keys()) {
      if (otherFootpaths.size > MOST_OTHER_CHANGES) otherFootpaths.delete(oldest)
    }
    return footpaths
  }

  private sharedFootpaths(): FootpathPair | undefined {
    const shared = this.share?.find(CHANGES)
    return shared?.kind === 'changes' ? shared.footpaths : undefined
  }

  private findFootpaths(): FootpathPair {
    const shared = this.sharedFootpaths()
    if (shared !== undefined) return shared
    const footpaths = buildFootpaths(this.timetable, this.points, this.rules)
    return this.share?.put(CHANGES, { kind: 'changes', footpaths }).footpaths ?? footpaths
  }

  /** The minimum time from alighting at one point to boarding at another; undefined if the transfer is not allowed. */
  changeSeconds(from: number, to: number): number | undefined {
    return findChange(this.footpaths.forward, from, to)
  }

  /** Whether the days in a time range are laid out. */
  isReady(reach: { readonly from: number; readonly to: number }): boolean {
    return this.spans.has(this.daysOf(reach).key)
  }

  /**
   * Takes the layout of the days in a time range from the store that planners share, if the store has it and the
   * transfers are available. Returns whether the days are then laid out.
   */
  takeShared(reach: { readonly from: number; readonly to: number }, isRequested: boolean): boolean {
    const { key } = this.daysOf(reach)
    if (this.spans.has(key)) return true
    if (!isRequested && !this.budget.hasRoomAhead) return false
    this.knownFootpaths ??= this.sharedFootpaths()
    const shared = this.share?.find(key)
    if (this.knownFootpaths === undefined || shared?.kind !== 'days') return false
    this.keep(key, shared)
    return true
  }

  /**
   * Lays out the days in a time range, in steps, so that other work can run in between.
   * @param isRequested whether a request waits for the days. If so, layouts of other days are dropped if memory is
   * full.
   */
  *prepare(reach: { readonly from: number; readonly to: number }, isRequested: boolean): Generator<void> {
    this.footpaths
    yield
    const { firstDay, endDay, key } = this.daysOf(reach)
    if (firstDay === endDay || this.takeShared(reach, isRequested)) return
    const hasRoom = isRequested || this.budget.hasRoomAhead
    // If memory has no room for layouts that nobody has requested, the days are laid out only if their layout can be
    // stored for later processes and is not stored yet.
    if (!hasRoom && (this.share?.isLasting !== true || this.share.find(key) !== undefined)) return
    this.classes
    yield
    this.seatRules
    yield
    const days = yield* this.layInSteps(firstDay, endDay)
    const shared = this.share?.put(key, days) ?? days
    if (hasRoom) this.keep(key, shared)
  }

  /**
   * The span of the service days whose trips may run in a time range; undefined if the range is outside the calendar.
   * @param isLive whether live trips may run outside the calendar; if so, the nearest day in the calendar is used
   */
  spanOf(reach: { readonly from: number; readonly to: number }, isLive = false): LaidSpan | undefined {
    const { firstDay, endDay, key } = this.daysOf(reach, isLive)
    if (firstDay === endDay) return undefined
    const known = this.spans.get(key)
    if (known !== undefined) {
      this.budget.touch(this, key)
      return known
    }
    return this.keep(key, this.findDays(firstDay, endDay, key))
  }

  private keep(key: string, { span, mirrored, seated }: SharedDays): LaidSpan {
    const laid: LaidSpan = { span, mirrored, seated, places: undefined, live: undefined }
    const bytes = bytesOfArrays(span, mirrored, seated) + (this.spans.size === 0 ? this.ownBytes : 0)
    this.spans.set(key, laid)
    this.budget.add(this, key, bytes)
    return laid
  }

  private daysOf(reach: { readonly from: number; readonly to: number }, isLive = false) {
    const { zeroSeconds } = this.timetable.serviceDays
    const { dayCount, maxTimeSeconds } = this.timetable.meta
    let firstDay = 0
    while (firstDay < dayCount && zeroSeconds[firstDay] + maxTimeSeconds < reach.from) firstDay++
    let endDay = firstDay
    while (endDay < dayCount && zeroSeconds[endDay] < reach.to) endDay++
    if (isLive && firstDay === endDay && dayCount > 0) {
      firstDay = Math.max(0, firstDay - 1)
      endDay = firstDay + 1
    }
    return { firstDay, endDay, key: `${firstDay} ${endDay}` }
  }

  private findDays(firstDay: number, endDay: number, key: string): SharedDays {
    const shared = this.share?.find(key)
    if (shared?.kind === 'days') return shared
    const days = this.lay(firstDay, endDay)
    return this.share?.put(key, days) ?? days
  }

  /** Removes a layout of days from memory. A search that still uses the layout can continue. */
  drop(key: string): void {
    if (this.spans.delete(key) && this.spans.size === 0) this.onEmpty?.()
  }

  /**
   * The input for a search.
   * @param isMirrored whether the search runs backward
   */
  groundOf(
    laid: LaidSpan,
    {
      overlay,
      lines,
      isMirrored,
      changeSeconds,
    }: {
      readonly overlay: Overlay | undefined
      readonly lines: Uint8Array | undefined
      readonly isMirrored: boolean
      readonly changeSeconds?: number | undefined
    },
  ): SearchGround {
    const live = overlay === undefined ? undefined : this.liveOf(laid, overlay)
    const seated = live === undefined ? laid.seated : live.seated
    const layers = isMirrored ? [laid.mirrored] : [laid.span.layer]
    if (live !== undefined) layers.push(isMirrored ? live.span.mirrored : live.span.layer)
    return {
      layers,
      masked: isMirrored ? live?.masked : live?.span.masked,
      footpaths: this.footpathsOf(changeSeconds)[isMirrored ? 'backward' : 'forward'],
      lines,
      continuations: isMirrored ? seated?.backward : seated?.forward,
    }
  }

  private lay(firstDay: number, endDay: number): SharedDays {
    const steps = this.layInSteps(firstDay, endDay)
    for (;;) {
      const { done, value } = steps.next()
      if (done === true) return value
    }
  }

  private *layInSteps(firstDay: number, endDay: number): Generator<void, SharedDays> {
    const { timetable, points } = this
    const span = buildSpan(timetable, this.classes, { firstDay, endDay, places: points })
    yield
    const places = new InstancePlaces(span)
    const mirrored = mirrorLayer(span.layer, points)
    yield
    const layers = [span.layer]
    const placeNow = (place: number) => place
    const ground = { span, places, points, layers, mirrored: [mirrored], placeNow }
    return { kind: 'days', span, mirrored, seated: pairSeated(timetable, this.seatRules, ground) }
  }

  private liveOf(laid: LaidSpan, overlay: Overlay): LaidLive {
    if (laid.live?.span.overlay === overlay) return laid.live
    const { span } = laid
    const { timetable, points } = this
    laid.places ??= new InstancePlaces(span)
    const { places } = laid
    const live = layLive({ timetable, span, places, points }, overlay)
    const base = span.layer.label.length
    const liveOfTrip = new Map<string, number>()
    const { instances } = overlay
    for (let place = 0; place < live.layer.label.length; place++) {
      const instance = live.layer.label[place] as never
      liveOfTrip.set(`${instances.trip[instance]} ${instances.day[instance]} ${instances.runStart[instance]}`, place)
    }
    const placeNow = (place: number): number | undefined => {
      if (live.masked[place] === 0) return place
      const label = span.layer.label[place]
      const at = liveOfTrip.get(`${span.trip[label]} ${span.day[label]} ${span.runStart[label]}`)
      return at === undefined ? undefined : base + at
    }
    const layers = [span.layer, live.layer]
    const mirrored = [laid.mirrored, live.mirrored]
    const seated = pairSeated(timetable, this.seatRules, { span, places, points, layers, mirrored, placeNow })
    laid.live = { span: live, masked: mirrorMask(span.layer, live.masked), seated }
    return laid.live
  }
}

function mirrorMask(layer: RouteLayer, masked: Uint8Array): Uint8Array {
  const mirrored = new Uint8Array(masked.length)
  for (let place = 0; place < masked.length; place++) {
    if (masked[place] === 1) mirrored[mirroredPlace(layer, place)] = 1
  }
  return mirrored
}
