// Reads the trip instances with live data in a network, each of them once. Trip updates are matched to instances, calls
// are predicted, and delays are carried along blocks.
import { NONE } from '../../loaders/columns.ts'
import type {
  EntitySelector,
  LiveShape,
  TripDescriptor,
  TripModifications,
  TripUpdate,
  VehicleReport,
} from '../../loaders/gtfs-rt/message.ts'
import { NO_RUN } from '../timetable/board-cursor.ts'
import { findServiceDay } from '../timetable/service-dates.ts'
import type { Timetable } from '../timetable/timetable.ts'
import { findInstanceByRef, type TripInstance, tripRef } from '../timetable/trips.ts'
import { type Ending, endAdded, isAdded, isNewTrip, isOff } from './added-names.ts'
import { AddedTrips } from './added-trips.ts'
import { BlockCarrier } from './block-carry.ts'
import { type FeedMatches, Tally, type UnmatchedUpdate } from './feed-matches.ts'
import { changedHeadsign, closeEnds, type LiveCall, type LiveTrip, useOfCall, withSkipped } from './live-trip.ts'
import { callsNamed, type MatchedCalls, matchCalls, StopFinder } from './match-calls.ts'
import { type FirstTime, questionOf, TripMatcher } from './match-trips.ts'
import { INSTANCE_CANCELED, INSTANCE_DELETED, INSTANCE_RUNS, INSTANCE_UNSCHEDULED, NO_POSITION } from './overlay.ts'
import { PassedCallsMemory, type ReachedCall, type ReportedCalls } from './passed-calls.ts'
import { hasForecast, type PassedCalls, predictCalls } from './predict.ts'
import {
  callsReferredTo,
  EMPTY_UPDATE,
  isByPlan,
  ModificationReader,
  ofPlainTrip,
  planOfTimetable,
  type TripDetours,
  type TripPlan,
  updatesByPlan,
} from './trip-modifications.ts'

/** The current content of one feed. */
export interface LiveFeed {
  readonly timestampSeconds: number
  readonly trips: readonly TripUpdate[]
  /** The vehicle positions of the feed; absent if the feed has none. */
  readonly vehicles?: readonly VehicleReport[]
  /** The trip modifications of the feed, and the shapes that they use; absent if the feed has none. */
  readonly modifications?: readonly TripModifications[]
  readonly shapes?: readonly LiveShape[]
  /** Whether the data is so old that nothing can be concluded from it, not even that a trip is over. */
  readonly isStale?: boolean
}

/** The live trips of a network, and how well its feeds match the timetable. */
export interface LiveTrips {
  readonly trips: readonly LiveTrip[]
  /** One element per feed, in feed order. */
  readonly matches: readonly FeedMatches[]
  /** The unmatched updates of each feed, in feed order. */
  readonly unmatched: readonly (readonly UnmatchedUpdate[])[]
  /** Entity id of an alert → selectors for the alert, from the modifications that refer to it. */
  readonly alertSelectors: ReadonlyMap<string, readonly EntitySelector[]>
}

/** Reads a network's feeds, and matches them to one timetable. Caches results that do not change between readings. */
export class LiveTripReader {
  private readonly timetable: Timetable
  private readonly matcher: TripMatcher
  private readonly find: StopFinder
  private readonly added: AddedTrips
  private readonly blocks: BlockCarrier
  private readonly passed: PassedCallsMemory
  private readonly modifications: ModificationReader

  /** @param passed data about passed calls, which the reader for the next snapshot also gets */
  constructor(timetable: Timetable, passed = new PassedCallsMemory()) {
    this.timetable = timetable
    this.passed = passed
    this.find = new StopFinder(timetable)
    this.matcher = new TripMatcher(timetable, this.find)
    this.added = new AddedTrips(timetable, this.find)
    this.blocks = new BlockCarrier(timetable)
    this.modifications = new ModificationReader(timetable, this.find, (id) => this.matcher.findTrip(id))
  }

  /**
   * The instance that a descriptor matches; undefined if the descriptor matches no instance or several.
   * @param seen where and when the vehicle was seen
   */
  matchTrip(descriptor: TripDescriptor, nowSeconds: number, seen?: FirstTime): TripInstance | undefined {
    const question = { descriptor, stopIds: [], firstTime: undefined, isWhole: false, nowSeconds }
    const found = this.matcher.match(seen === undefined ? question : { ...question, seen })
    return typeof found === 'string' ? undefined : found
  }

  /** Combines all feeds. If several feeds have an update for the same instance, the newest update is used. */
  read(feeds: readonly LiveFeed[], nowSeconds: number): LiveTrips {
    const newest = new Map<string, LiveTrip>()
    const endings: Ending[] = []
    const added = new Set(
      feeds.flatMap(({ trips }) => trips.flatMap(({ trip }) => (isAdded(trip) ? (trip.tripId ?? []) : []))),
    )
    const unmatched: UnmatchedUpdate[][] = feeds.map(() => [])
    const vehicles = this.vehiclesByTrip(feeds, nowSeconds)
    const matches = feeds.map(() => new Tally())
    const detours = this.modifications.read(feeds, nowSeconds, (feed) => matches[feed].count)
    const plans = new Map(detours.trips.map(({ instance, plan }) => [keyOf({ instance, ref: '' }), plan]))
    const isSpokenOfAsModified = updatesByPlan(feeds, detours)
    for (const [number, feed] of feeds.entries()) {
      const tally = matches[number]
      for (const update of feed.trips) {
        if (isSpokenOfAsModified(update)) continue
        tally.total++
        const timestampSeconds = update.timestampSeconds ?? feed.timestampSeconds
        if (isOff(update.trip) && added.has(update.trip.tripId ?? '') && !this.isNamed(update)) {
          tally.matched++
          endings.push({ trip: update.trip, timestampSeconds })
          continue
        }
        const context = { feed: number, timestampSeconds, nowSeconds, tally, vehicles, plans }
        const isUnknown = isByPlan(update.trip) && !detours.ids.has(update.trip.modificationsId ?? '')
        if (isUnknown) tally.count('unknown_modification')
        const trip = isUnknown ? undefined : this.readUpdate(update, context)
        if (trip === undefined) {
          unmatched[number]?.push({ reason: tally.last, trip: update.trip })
          continue
        }
        tally.matched++
        const key = keyOf(trip)
        const known = newest.get(key)
        if (known === undefined || known.timestampSeconds <= timestampSeconds) newest.set(key, trip)
        if (known !== undefined) tally.count('repeated_trip')
      }
    }
    this.added.forgetOthers()
    for (const ending of endings) endAdded(newest, ending)
    this.addModified(newest, detours, { feeds, nowSeconds, vehicles, plans })
    this.addPassed(newest, feeds, nowSeconds)
    this.blocks.carryOn(newest, keyOf)
    return { trips: [...newest.values()], matches, unmatched, alertSelectors: detours.alertSelectors }
  }

  private readUpdate(update: TripUpdate, context: ReadingContext): LiveTrip | undefined {
    const { relationship } = update.trip
    if (relationship === 'added' || relationship === 'new') {
      const { tripId } = update.trip
      const namesake = tripId === undefined ? undefined : this.matcher.findTrip(tripId)
      const added = this.added.readNew(update, namesake, context)
      if (added !== undefined && namesake !== undefined) context.tally.count('added_trip_is_known')
      return added
    }
    const found = this.copiedTrip(update) ?? this.matcher.match(questionOf(update, context.nowSeconds))
    if (typeof found === 'string') {
      context.tally.count(found)
      return undefined
    }
    if (relationship === 'duplicated') return this.added.readDuplicate(update, found, context)
    if (relationship === 'replacement') return this.added.readReplacement(update, found, context)
    return this.readKnown(update, found, context)
  }

  /**
   * The trip that an update copies, on the day of the copy. The original does not have to run on that day. Undefined if
   * the update copies no trip, or has no valid trip id or date.
   */
  private copiedTrip({ trip, properties }: TripUpdate): TripInstance | undefined {
    const date = properties?.startDate ?? trip.startDate
    if (trip.relationship !== 'duplicated' || trip.tripId === undefined || date === undefined) return undefined
    const [copied, day] = [this.matcher.findTrip(trip.tripId), findServiceDay(this.timetable, date)]
    return copied === undefined || day === undefined ? undefined : { trip: copied, day, runStartSeconds: NO_RUN }
  }

  /**
   * Whether the update has the id of a trip in the timetable. An update without such an id can be matched only by its
   * description of the trip.
   */
  private isNamed({ trip: { tripId } }: TripUpdate): boolean {
    return tripId !== undefined && this.matcher.findTrip(tripId) !== undefined
  }

  /** Reads an update for a trip in the timetable. The update says that the trip runs, is canceled or is deleted. */
  private readKnown(update: TripUpdate, instance: TripInstance, context: ReadingContext): LiveTrip | undefined {
    const { timetable } = this
    const { trip } = instance
    const { relationship } = update.trip
    const isRunning = !isOff(update.trip)
    const plan = context.plans.get(keyOf({ instance, ref: '' })) ?? planOfTimetable(timetable, instance)
    const byPlan = isByPlan(update.trip)
    const updatesOf = isRunning ? update.stopTimes : []
    const matched = matchCalls(callsReferredTo(plan, byPlan), updatesOf, this.find, context.tally.count)
    if (updatesOf.length > 0 && !this.isNamed(update) && matched.updates.every((each) => each === undefined)) {
      // The description matches this trip, but the stops do not. Such an update is often for a trip in the other
      // direction that starts at the same time.
      context.tally.count('description_of_another_trip')
      return undefined
    }
    // If a modification changes the calls of a trip, the passed calls are stored separately from those of the
    // unmodified trip.
    const ref = `${tripRef(timetable, instance)}${plan.isModified ? `\n${plan.stops}` : ''}`
    const reported: ReportedCalls = {
      messageSeconds: context.timestampSeconds,
      nowSeconds: context.nowSeconds,
      reached: this.reachedCall(context.vehicles.get(tripRef(timetable, instance)), plan),
      isDark: listDark(matched),
    }
    const predicted = this.layCalls(instance, {
      plan,
      byPlan,
      matched: byPlan ? matched : { ...matched, updates: ofPlainTrip(matched.updates, plan) },
      delaySeconds: isRunning ? update.delaySeconds : undefined,
      passed: isRunning ? this.passed.of(ref, reported) : undefined,
      context,
    })
    const state = stateOf(relationship, predicted)
    if (state === INSTANCE_RUNS || state === INSTANCE_UNSCHEDULED) {
      closeEnds(predicted)
      const endSeconds = Math.max(plan.scheduled.at(-1)?.departure ?? 0, predicted.at(-1)?.departure ?? 0)
      this.passed.remember(ref, { feed: context.feed, calls: predicted, endSeconds }, reported)
    } else this.passed.forget(ref)
    return {
      ...this.toTrip(instance, plan.isModified ? withSkipped(timetable, instance, predicted) : predicted),
      state,
      feed: context.feed,
      timestampSeconds: context.timestampSeconds,
      headsign: update.properties?.headsign ?? changedHeadsign(timetable, trip, predicted),
      vehicle: update.vehicle?.id ?? '',
      shape: plan.shape,
    }
  }

  /** Adds the modified trips that have no update. */
  private addModified(
    trips: Map<string, LiveTrip>,
    detours: TripDetours,
    given: Pick<ReadingContext, 'nowSeconds' | 'vehicles' | 'plans'> & { readonly feeds: readonly LiveFeed[] },
  ): void {
    for (const { instance, feed } of detours.trips) {
      const key = keyOf({ instance, ref: '' })
      const { timestampSeconds } = given.feeds[feed]
      const context = { ...given, feed, timestampSeconds, tally: { count: () => {} } }
      const trip = trips.has(key) ? undefined : this.readKnown(EMPTY_UPDATE, instance, context)
      if (trip !== undefined) trips.set(key, trip)
    }
  }

  /** Predicts the calls of an instance. */
  private layCalls(
    instance: TripInstance,
    of: {
      readonly plan: TripPlan
      readonly byPlan: boolean
      readonly matched: MatchedCalls
      readonly delaySeconds: number | undefined
      readonly passed: PassedCalls | undefined
      readonly context: Pick<ReadingContext, 'nowSeconds' | 'tally'>
    },
  ): LiveCall[] {
    const { timetable } = this
    const { plan, matched, delaySeconds, passed, context } = of
    const { trip } = instance
    const { nowSeconds } = context
    const { stops, positions, scheduled } = plan
    // Inserted stops get predicted times only from updates that follow the modified plan.
    const isUnpredicted = (at: number) => !of.byPlan && positions[at] === NO_POSITION
    const knowledge = { calls: scheduled, updates: matched.updates, delaySeconds, nowSeconds, isUnpredicted }
    const predicted = predictCalls(passed === undefined ? knowledge : { ...knowledge, passed }, context.tally.count)
    return predicted.map((each, at): LiveCall => {
      const platform = matched.platforms[at]
      const update = matched.updates[at]
      const position = positions[at]
      const use =
        position === NO_POSITION
          ? { isBoardable: update?.pickupType !== 1, isAlightable: update?.dropOffType !== 1 }
          : useOfCall(timetable, { trip, position }, update)
      return {
        ...each,
        stop: platform === NONE ? stops[at] : (platform as (typeof stops)[number]),
        position,
        scheduled: scheduled[at],
        isUnplanned: false,
        headsign: update?.headsign ?? '',
        ...use,
      }
    })
  }

  private toTrip(instance: TripInstance, calls: readonly LiveCall[]) {
    const { trips, patterns } = this.timetable
    const pattern = trips.pattern[instance.trip]
    const [line, direction] = [patterns.line[pattern], patterns.direction[pattern]]
    return { instance, day: instance.day, ref: '', name: '', line, direction, isCarried: false, calls }
  }

  /** `tripRef` of a trip instance → the newest vehicle report for it. */
  private vehiclesByTrip(feeds: readonly LiveFeed[], nowSeconds: number): ReadonlyMap<string, TripReport> {
    const newest = new Map<string, TripReport>()
    for (const { vehicles = [], timestampSeconds: feedSeconds } of feeds) {
      for (const report of vehicles) {
        const { trip } = report
        if (trip?.tripId === undefined || isNewTrip(trip)) continue
        const seconds = Math.min(report.timestampSeconds ?? feedSeconds, nowSeconds)
        const instance = this.matchTrip(trip, nowSeconds, { call: report, seconds })
        if (instance === undefined) continue
        const ref = tripRef(this.timetable, instance)
        const known = newest.get(ref)
        if (known === undefined || known.seconds <= seconds) newest.set(ref, { report, seconds })
      }
    }
    return newest
  }

  private reachedCall(vehicle: TripReport | undefined, plan: TripPlan): ReachedCall | undefined {
    if (vehicle === undefined) return undefined
    const calls = callsReferredTo(plan, vehicle.report.trip?.modificationsId !== undefined)
    const [call, ...others] = callsNamed(calls, vehicle.report, this.find)
    return call === undefined || others.length > 0 ? undefined : { call, seconds: vehicle.seconds }
  }

  /** Adds trips that passed a call early and that no feed lists anymore. Otherwise, the call would return to boards. */
  private addPassed(trips: Map<string, LiveTrip>, feeds: readonly LiveFeed[], nowSeconds: number): void {
    const { timetable } = this
    const refs = new Set<string>()
    for (const { instance } of trips.values()) if (instance !== undefined) refs.add(tripRef(timetable, instance))
    const messageSeconds = (feed: number) => (feeds[feed]?.isStale ? undefined : feeds[feed]?.timestampSeconds)
    for (const { ref, feed, passed } of this.passed.listSilent((each) => refs.has(each), messageSeconds, nowSeconds)) {
      const instance = findInstanceByRef(timetable, ref)
      if (instance === undefined) continue
      const plan = planOfTimetable(timetable, instance)
      const { scheduled } = plan
      const isEarly = scheduled.some(
        ({ departure }, at) => departure > nowSeconds && passed.leftSeconds[at] !== undefined,
      )
      if (!isEarly) continue
      const none = { updates: scheduled.map(() => undefined), platforms: scheduled.map(() => NONE) }
      const context = { nowSeconds, tally: { count: () => {} } }
      const calls = this.layCalls(instance, {
        plan,
        byPlan: false,
        matched: none,
        delaySeconds: undefined,
        passed,
        context,
      })
      const trip = {
        ...this.toTrip(instance, calls),
        state: INSTANCE_RUNS,
        feed,
        timestampSeconds: 0,
        headsign: '',
        vehicle: '',
      }
      trips.set(keyOf(trip), trip)
    }
  }
}

/** The report of a vehicle, and the time of the report. */
interface TripReport {
  readonly report: VehicleReport
  readonly seconds: number
}

/**
 * For each call, whether the feed has no data for it. This is the case from a NO_DATA update up to the next update with
 * a time or a delay.
 */
function listDark({ updates }: MatchedCalls): boolean[] {
  let isDark = false
  return updates.map((update) => {
    if (update?.relationship === 'no_data') isDark = true
    else if (update !== undefined && hasForecast(update)) isDark = false
    return isDark
  })
}

/** The data needed to read an update. */
export interface ReadingContext {
  readonly feed: number
  readonly timestampSeconds: number
  readonly nowSeconds: number
  readonly tally: { readonly count: (reason: string) => void }
  /** `tripRef` of a trip instance → the newest vehicle report for it. */
  readonly vehicles: ReadonlyMap<string, TripReport>
  /** Key of a modified trip (see `keyOf`) → its calls after the modification. */
  readonly plans: ReadonlyMap<string, TripPlan>
}

function stateOf(relationship: TripDescriptor['relationship'], calls: readonly LiveCall[]): number {
  if (relationship === 'deleted') return INSTANCE_DELETED
  if (relationship === 'canceled') return INSTANCE_CANCELED
  // A trip with fewer than two remaining calls is useless to riders, so it counts as canceled.
  if (calls.filter((call) => !call.isSkipped).length < 2) return INSTANCE_CANCELED
  return relationship === 'unscheduled' ? INSTANCE_UNSCHEDULED : INSTANCE_RUNS
}

/** The key of a live trip, unique in a network. */
export function keyOf({ instance, ref }: Pick<LiveTrip, 'instance' | 'ref'>): string {
  if (ref !== '' || instance === undefined) return ref
  const { trip, day, runStartSeconds } = instance
  return runStartSeconds === NO_RUN ? `${trip} ${day}` : `${trip} ${day} ${runStartSeconds}`
}
