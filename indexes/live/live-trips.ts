// All trip instances that the feeds of a network speak of, each once: matched, predicted, and carried on along blocks.
import { NONE } from '../../loaders/columns.ts'
import type { TripDescriptor, TripUpdate } from '../../loaders/gtfs-rt/message.ts'
import { NO_RUN } from '../timetable/board-cursor.ts'
import type { Timetable } from '../timetable/timetable.ts'
import type { TripInstance } from '../timetable/trips.ts'
import { AddedTrips } from './added-trips.ts'
import { BlockCarrier } from './block-carry.ts'
import {
  firstTimeOf,
  type LiveCall,
  type LiveTrip,
  scheduledCalls,
  sequencesOfTrip,
  shortenedHeadsign,
  stopsOfTrip,
  useOfCall,
} from './live-trip.ts'
import { matchCalls, StopFinder } from './match-calls.ts'
import { TripMatcher } from './match-trips.ts'
import { INSTANCE_CANCELED, INSTANCE_DELETED, INSTANCE_RUNS, INSTANCE_UNSCHEDULED } from './overlay.ts'
import { predictCalls } from './predict.ts'

/** What one feed says now. */
export interface LiveFeed {
  readonly timestampSeconds: number
  readonly trips: readonly TripUpdate[]
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

  constructor(timetable: Timetable) {
    this.timetable = timetable
    this.matcher = new TripMatcher(timetable)
    this.find = new StopFinder(timetable)
    this.added = new AddedTrips(timetable, this.find)
    this.blocks = new BlockCarrier(timetable)
  }

  /** The instance a descriptor means; undefined where it fits none or several. */
  matchTrip(descriptor: TripDescriptor, nowSeconds: number): TripInstance | undefined {
    const found = this.matcher.match({ descriptor, firstTimeSeconds: undefined, nowSeconds })
    return typeof found === 'string' ? undefined : found
  }

  /** What all feeds say together: of several that speak of one instance, the newest is heard. */
  read(feeds: readonly LiveFeed[], nowSeconds: number): LiveTrips {
    const newest = new Map<string, LiveTrip>()
    const unmatched: UnmatchedUpdate[][] = feeds.map(() => [])
    const matches = feeds.map((feed, number) => {
      const tally = new Tally()
      for (const update of feed.trips) {
        tally.total++
        const timestampSeconds = update.timestampSeconds ?? feed.timestampSeconds
        const trip = this.readUpdate(update, { feed: number, timestampSeconds, nowSeconds, tally })
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
    this.blocks.carryOn(newest, keyOf)
    return { trips: [...newest.values()], matches, unmatched }
  }

  private readUpdate(update: TripUpdate, context: ReadingContext): LiveTrip | undefined {
    const { relationship } = update.trip
    if (relationship === 'added' || relationship === 'new') {
      const known = this.isNamed(update) ? this.matcher.match(questionOf(update, context.nowSeconds)) : 'unknown_trip'
      if (typeof known === 'string') return this.added.readNew(update, context)
      context.tally.count('added_trip_is_known')
      return this.readKnown(update, known, context)
    }
    const found = this.matcher.match(questionOf(update, context.nowSeconds))
    if (typeof found === 'string') {
      context.tally.count(found)
      return undefined
    }
    if (relationship === 'duplicated') return this.added.readDuplicate(update, found, context)
    if (relationship === 'replacement') return this.added.readReplacement(update, found, context)
    return this.readKnown(update, found, context)
  }

  /** Whether it gives the id of a trip of the timetable; else its trip was found by what it describes. */
  private isNamed({ trip: { tripId } }: TripUpdate): boolean {
    return tripId !== undefined && this.matcher.findTrip(tripId) !== undefined
  }

  /** A trip of the timetable that runs, is canceled, or is not to be shown. */
  private readKnown(update: TripUpdate, instance: TripInstance, context: ReadingContext): LiveTrip | undefined {
    const { timetable } = this
    const { trips, patterns } = timetable
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
    const knowledge = {
      calls: scheduled,
      updates: matched.updates,
      delaySeconds: isRunning ? update.delaySeconds : undefined,
      nowSeconds: context.nowSeconds,
    }
    const calls = predictCalls(knowledge, context.tally.count).map((predicted, position): LiveCall => {
      const platform = matched.platforms[position]
      return {
        ...predicted,
        stop: platform === NONE ? stops[position] : (platform as (typeof stops)[number]),
        position,
        scheduled: scheduled[position],
        isUnplanned: false,
        headsign: matched.updates[position]?.headsign ?? '',
        ...useOfCall(timetable, { trip, position }, matched.updates[position]),
      }
    })
    return {
      instance,
      day: instance.day,
      ref: '',
      line: patterns.line[trips.pattern[trip]],
      direction: patterns.direction[trips.pattern[trip]],
      state: stateOf(relationship, calls),
      feed: context.feed,
      timestampSeconds: context.timestampSeconds,
      headsign: update.properties?.headsign ?? shortenedHeadsign(timetable, trip, calls),
      vehicle: update.vehicle?.id ?? '',
      isCarried: false,
      calls,
    }
  }
}

/** What reading an update takes besides it. */
export interface ReadingContext {
  readonly feed: number
  readonly timestampSeconds: number
  readonly nowSeconds: number
  readonly tally: { readonly count: (reason: string) => void }
}

function questionOf(update: TripUpdate, nowSeconds: number) {
  return { descriptor: update.trip, firstTimeSeconds: firstTimeOf(update), nowSeconds }
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
