// All trip instances that the feeds of a network speak of, each once: matched, predicted, and carried on along blocks.
import { NONE } from '../../loaders/columns.ts'
import type { TripDescriptor, TripUpdate, VehicleReport } from '../../loaders/gtfs-rt/message.ts'
import { NO_RUN } from '../timetable/board-cursor.ts'
import { findServiceDay } from '../timetable/service-dates.ts'
import type { StopIndex, Timetable } from '../timetable/timetable.ts'
import { findInstanceByRef, type TripInstance, tripRef } from '../timetable/trips.ts'
import { AddedTrips } from './added-trips.ts'
import { BlockCarrier } from './block-carry.ts'
import {
  changedHeadsign,
  closeEnds,
  type LiveCall,
  type LiveTrip,
  scheduledCalls,
  sequencesOfTrip,
  stopsOfTrip,
  useOfCall,
} from './live-trip.ts'
import { callsNamed, type MatchedCalls, matchCalls, StopFinder } from './match-calls.ts'
import { questionOf, TripMatcher } from './match-trips.ts'
import { INSTANCE_CANCELED, INSTANCE_DELETED, INSTANCE_RUNS, INSTANCE_UNSCHEDULED } from './overlay.ts'
import { PassedCallsMemory, type ReachedCall, type SpokenCalls } from './passed-calls.ts'
import { hasForecast, type PassedCalls, predictCalls, type ScheduledCall } from './predict.ts'

/** What one feed says now. */
export interface LiveFeed {
  readonly timestampSeconds: number
  readonly trips: readonly TripUpdate[]
  /** Where it says vehicles are; none if absent. */
  readonly vehicles?: readonly VehicleReport[]
  /** What it said is too old: it says nothing now, not even that a trip is over. */
  readonly isStale?: boolean
}

/** What came of the trips of one feed. */
export interface FeedMatches {
  /** Trip updates it has. */
  readonly total: number
  /** Those that found their trip. */
  readonly matched: number
  /** What could not be used, or had to be mended, by reason. */
  readonly reasons: Readonly<Record<string, number>>
}

/** A trip update that could not be used. */
export interface UnmatchedUpdate {
  /** One of the reasons that are counted. */
  readonly reason: string
  readonly trip: TripDescriptor
}

/** The live trips of a network, and how well its feeds fit. */
export interface LiveTrips {
  readonly trips: readonly LiveTrip[]
  /** For each feed, in their order. */
  readonly matches: readonly FeedMatches[]
  /** For each feed, in their order: the updates that stand for no trip. */
  readonly unmatched: readonly (readonly UnmatchedUpdate[])[]
}

class Tally {
  total = 0
  matched = 0
  readonly reasons: Record<string, number> = {}
  /** The newest of them: of an update that is left, why. */
  last = ''

  readonly count = (reason: string): void => {
    this.reasons[reason] = (this.reasons[reason] ?? 0) + 1
    this.last = reason
  }
}

/** Reads feeds against one timetable, again and again. Keeps what stays the same from one reading to the next. */
export class LiveTripReader {
  private readonly timetable: Timetable
  private readonly matcher: TripMatcher
  private readonly find: StopFinder
  private readonly added: AddedTrips
  private readonly blocks: BlockCarrier
  private readonly passed: PassedCallsMemory

  /** @param passed what is remembered of trips; given again when the snapshot is replaced */
  constructor(timetable: Timetable, passed = new PassedCallsMemory()) {
    this.timetable = timetable
    this.passed = passed
    this.find = new StopFinder(timetable)
    this.matcher = new TripMatcher(timetable, this.find)
    this.added = new AddedTrips(timetable, this.find)
    this.blocks = new BlockCarrier(timetable)
  }

  /** The instance a descriptor means; undefined where it fits none or several. */
  matchTrip(descriptor: TripDescriptor, nowSeconds: number): TripInstance | undefined {
    const found = this.matcher.match({ descriptor, stopIds: [], firstTime: undefined, isWhole: false, nowSeconds })
    return typeof found === 'string' ? undefined : found
  }

  /** What all feeds say together: of several that speak of one instance, the newest is heard. */
  read(feeds: readonly LiveFeed[], nowSeconds: number): LiveTrips {
    const newest = new Map<string, LiveTrip>()
    const unmatched: UnmatchedUpdate[][] = feeds.map(() => [])
    const vehicles = this.vehiclesByTrip(feeds, nowSeconds)
    const matches = feeds.map((feed, number) => {
      const tally = new Tally()
      for (const update of feed.trips) {
        tally.total++
        const timestampSeconds = update.timestampSeconds ?? feed.timestampSeconds
        const trip = this.readUpdate(update, { feed: number, timestampSeconds, nowSeconds, tally, vehicles })
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
      return tally
    })
    this.added.forgetOthers()
    this.addPassed(newest, feeds, nowSeconds)
    this.blocks.carryOn(newest, keyOf)
    return { trips: [...newest.values()], matches, unmatched }
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

  /** The trip that a copy is made of: that it does not run itself on its day does not matter. */
  private copiedTrip({ trip, properties }: TripUpdate): TripInstance | undefined {
    const date = properties?.startDate ?? trip.startDate
    if (trip.relationship !== 'duplicated' || trip.tripId === undefined || date === undefined) return undefined
    const [copied, day] = [this.matcher.findTrip(trip.tripId), findServiceDay(this.timetable, date)]
    return copied === undefined || day === undefined ? undefined : { trip: copied, day, runStartSeconds: NO_RUN }
  }

  /** Whether it gives the id of a trip of the timetable; else its trip was found by what it describes. */
  private isNamed({ trip: { tripId } }: TripUpdate): boolean {
    return tripId !== undefined && this.matcher.findTrip(tripId) !== undefined
  }

  /** A trip of the timetable that runs, is canceled, or is not to be shown. */
  private readKnown(update: TripUpdate, instance: TripInstance, context: ReadingContext): LiveTrip | undefined {
    const { timetable } = this
    const { trip } = instance
    const { relationship } = update.trip
    const stops = stopsOfTrip(timetable, trip)
    const scheduled = scheduledCalls(timetable, instance)
    const isRunning = relationship !== 'canceled' && relationship !== 'deleted'
    const sequences = sequencesOfTrip(timetable, trip)
    const updatesOf = isRunning ? update.stopTimes : []
    const matched = matchCalls({ stops, sequences }, updatesOf, this.find, context.tally.count)
    if (updatesOf.length > 0 && !this.isNamed(update) && matched.updates.every((each) => each === undefined)) {
      // The description fits, the way does not: the other direction often starts at the same time.
      context.tally.count('description_of_another_trip')
      return undefined
    }
    const ref = tripRef(timetable, instance)
    const spoken: SpokenCalls = {
      messageSeconds: context.timestampSeconds,
      nowSeconds: context.nowSeconds,
      reached: this.reachedCall(context.vehicles.get(ref), { stops, sequences }),
      isDark: listDark(matched),
    }
    const predicted = this.layCalls(instance, {
      scheduled,
      matched,
      delaySeconds: isRunning ? update.delaySeconds : undefined,
      passed: isRunning ? this.passed.of(ref, spoken) : undefined,
      context,
    })
    const state = stateOf(relationship, predicted)
    if (state === INSTANCE_RUNS || state === INSTANCE_UNSCHEDULED) {
      closeEnds(predicted)
      const endSeconds = Math.max(scheduled.at(-1)?.departure ?? 0, predicted.at(-1)?.departure ?? 0)
      this.passed.remember(ref, { feed: context.feed, calls: predicted, endSeconds }, spoken)
    } else this.passed.forget(ref)
    return {
      ...this.toTrip(instance, predicted),
      state,
      feed: context.feed,
      timestampSeconds: context.timestampSeconds,
      headsign: update.properties?.headsign ?? changedHeadsign(timetable, trip, predicted),
      vehicle: update.vehicle?.id ?? '',
    }
  }

  /** The calls of an instance as they are expected. */
  private layCalls(
    instance: TripInstance,
    of: {
      readonly scheduled: readonly ScheduledCall[]
      readonly matched: MatchedCalls
      readonly delaySeconds: number | undefined
      readonly passed: PassedCalls | undefined
      readonly context: Pick<ReadingContext, 'nowSeconds' | 'tally'>
    },
  ): LiveCall[] {
    const { timetable } = this
    const { scheduled, matched, delaySeconds, passed, context } = of
    const { trip } = instance
    const stops = stopsOfTrip(timetable, trip)
    const { nowSeconds } = context
    const knowledge = { calls: scheduled, updates: matched.updates, delaySeconds, nowSeconds }
    const predicted = predictCalls(passed === undefined ? knowledge : { ...knowledge, passed }, context.tally.count)
    return predicted.map((each, position): LiveCall => {
      const platform = matched.platforms[position]
      return {
        ...each,
        stop: platform === NONE ? stops[position] : (platform as (typeof stops)[number]),
        position,
        scheduled: scheduled[position],
        isUnplanned: false,
        headsign: matched.updates[position]?.headsign ?? '',
        ...useOfCall(timetable, { trip, position }, matched.updates[position]),
      }
    })
  }

  private toTrip(instance: TripInstance, calls: readonly LiveCall[]) {
    const { trips, patterns } = this.timetable
    const pattern = trips.pattern[instance.trip]
    const [line, direction] = [patterns.line[pattern], patterns.direction[pattern]]
    return { instance, day: instance.day, ref: '', name: '', line, direction, isCarried: false, calls }
  }

  /** The newest report of each trip instance that vehicles name, by the trip's ref. */
  private vehiclesByTrip(feeds: readonly LiveFeed[], nowSeconds: number): ReadonlyMap<string, TripReport> {
    const newest = new Map<string, TripReport>()
    for (const { vehicles = [], timestampSeconds: feedSeconds } of feeds) {
      for (const report of vehicles) {
        const { trip } = report
        if (trip?.tripId === undefined || isNewTrip(trip)) continue
        const instance = this.matchTrip(trip, nowSeconds)
        if (instance === undefined) continue
        const ref = tripRef(this.timetable, instance)
        const seconds = Math.min(report.timestampSeconds ?? feedSeconds, nowSeconds)
        const known = newest.get(ref)
        if (known === undefined || known.seconds <= seconds) newest.set(ref, { report, seconds })
      }
    }
    return newest
  }

  private reachedCall(
    vehicle: TripReport | undefined,
    calls: { readonly stops: readonly StopIndex[]; readonly sequences: readonly number[] },
  ): ReachedCall | undefined {
    if (vehicle === undefined) return undefined
    const [call, ...others] = callsNamed(calls, vehicle.report, this.find)
    return call === undefined || others.length > 0 ? undefined : { call, seconds: vehicle.seconds }
  }

  /** The trips that no feed speaks of any more, if they have left some call before its time: it stays behind them. */
  private addPassed(trips: Map<string, LiveTrip>, feeds: readonly LiveFeed[], nowSeconds: number): void {
    const { timetable } = this
    const refs = new Set<string>()
    for (const { instance } of trips.values()) if (instance !== undefined) refs.add(tripRef(timetable, instance))
    const messageSeconds = (feed: number) => (feeds[feed]?.isStale ? undefined : feeds[feed]?.timestampSeconds)
    for (const { ref, feed, passed } of this.passed.listSilent((each) => refs.has(each), messageSeconds, nowSeconds)) {
      const instance = findInstanceByRef(timetable, ref)
      if (instance === undefined) continue
      const scheduled = scheduledCalls(timetable, instance)
      const isEarly = scheduled.some(
        ({ departure }, at) => departure > nowSeconds && passed.leftSeconds[at] !== undefined,
      )
      if (!isEarly) continue
      const none = { updates: scheduled.map(() => undefined), platforms: scheduled.map(() => NONE) }
      const context = { nowSeconds, tally: { count: () => {} } }
      const calls = this.layCalls(instance, { scheduled, matched: none, delaySeconds: undefined, passed, context })
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

/** A vehicle's report and when it was there. */
interface TripReport {
  readonly report: VehicleReport
  readonly seconds: number
}

/** Whether a descriptor means a trip beside those of the timetable. */
export function isNewTrip({ relationship }: TripDescriptor): boolean {
  return relationship === 'added' || relationship === 'new' || relationship === 'duplicated'
}

/** For each call whether the feed says that it knows nothing of it: from one without data to the next with a time. */
function listDark({ updates }: MatchedCalls): boolean[] {
  let isDark = false
  return updates.map((update) => {
    if (update?.relationship === 'no_data') isDark = true
    else if (update !== undefined && hasForecast(update)) isDark = false
    return isDark
  })
}

/** What reading an update takes besides it. */
export interface ReadingContext {
  readonly feed: number
  readonly timestampSeconds: number
  readonly nowSeconds: number
  readonly tally: { readonly count: (reason: string) => void }
  /** The newest report of each trip, by the trip's ref. */
  readonly vehicles: ReadonlyMap<string, TripReport>
}

function stateOf(relationship: TripDescriptor['relationship'], calls: readonly LiveCall[]): number {
  if (relationship === 'deleted') return INSTANCE_DELETED
  if (relationship === 'canceled') return INSTANCE_CANCELED
  // A trip with one call left takes nobody anywhere.
  if (calls.filter((call) => !call.isSkipped).length < 2) return INSTANCE_CANCELED
  return relationship === 'unscheduled' ? INSTANCE_UNSCHEDULED : INSTANCE_RUNS
}

/** Names an instance among those of one network. */
export function keyOf({ instance, ref }: Pick<LiveTrip, 'instance' | 'ref'>): string {
  if (ref !== '' || instance === undefined) return ref
  const { trip, day, runStartSeconds } = instance
  return runStartSeconds === NO_RUN ? `${trip} ${day}` : `${trip} ${day} ${runStartSeconds}`
}
