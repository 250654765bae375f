// Checks journeys with live feeds. The feed, the planner and the messages are all in one process. The journeys must be
// the best possible with the trips that currently run. Every ride must be on the board of its first stop. If a delay
// breaks a transfer, the journeys with this transfer must disappear.
import { buildOverlay } from '../indexes/live/build-overlay.ts'
import { LiveTripReader } from '../indexes/live/live-trips.ts'
import type { Overlay } from '../indexes/live/overlay.ts'
import { decodeMessage } from '../loaders/gtfs-rt/decode-message.ts'
import type { Dice } from './board-questions.ts'
import { realtimeFeed } from './feeds/realtime-feed.ts'
import { findUnshown, listLiveRuns } from './live-overlay.ts'
import { findBetterChange } from './oracles/journey-change-places.ts'
import { type JourneyFeed, readJourneyFeed } from './oracles/journey-feed.ts'
import type { JourneyQuery } from './oracles/journey-ground.ts'
import { isLiveService, liveFeedOf } from './oracles/journey-live.ts'
import { type JourneyOracle, oracleOf } from './oracles/journey-oracle.ts'
import { dodgesChange, findUnrideable, type PlainJourney } from './oracles/journey-rides.ts'
import {
  answersOf,
  openTimetable,
  type PlannedAnswers,
  type PlannedGround,
  planTimetable,
  toPlain,
} from './planned-journeys.ts'
import { type FeedEntity, lateTrip } from './random-updates.ts'

const WANTED = 3
const KEPT_DIFFERENCES = 5

/** The result of a check. */
export interface LiveVerdict {
  overlays: number
  /**
   * Counts over all overlays: reported runs, canceled runs, skipped calls, and runs that the timetable does not have.
   */
  runs: number
  gone: number
  skipped: number
  added: number
  questions: number
  answered: number
  /** Number of journeys that were checked. */
  journeys: number
  /** Number of rides that were checked. */
  rides: number
  /** Number of checked rides that live feeds report. */
  liveRides: number
  /** Number of transfers that a delay broke. */
  broken: number
  /**
   * Number of queries for which planner and oracle differ because the oracle's journey rides out and back. The planner
   * must not plan such journeys.
   */
  dodged: number
  mismatches: number
  readonly differences: string[]
}

/** A verdict before any check. */
export function emptyVerdict(): LiveVerdict {
  const none = { overlays: 0, runs: 0, gone: 0, skipped: 0, added: 0, questions: 0, answered: 0 }
  return { ...none, journeys: 0, rides: 0, liveRides: 0, broken: 0, dodged: 0, mismatches: 0, differences: [] }
}

/** A feed at an instant, prepared for the planner and for the oracle. */
export interface LiveMoment {
  readonly overlay: Overlay
  readonly planner: PlannedAnswers
  readonly oracle: JourneyOracle
}

/** A feed, its planner and its live messages. */
export class LiveJourneys {
  readonly feed: JourneyFeed
  private readonly ground: PlannedGround
  private readonly reader: LiveTripReader

  private constructor(feed: JourneyFeed, ground: PlannedGround) {
    this.feed = feed
    this.ground = ground
    this.reader = new LiveTripReader(ground.timetable)
  }

  static async open(path: string): Promise<LiveJourneys> {
    return new LiveJourneys(await readJourneyFeed(path), planTimetable(await openTimetable(path)))
  }

  /** The feed at an instant, after some messages. Adds what the messages report to the counts of `verdict`. */
  at(messages: readonly Uint8Array[], nowSeconds: number, verdict?: LiveVerdict): LiveMoment {
    const { timetable } = this.ground
    const feeds = messages.map((bytes) => {
      const { trips, vehicles, timestampSeconds } = decodeMessage(bytes)
      return { trips, vehicles, timestampSeconds: timestampSeconds ?? nowSeconds }
    })
    const { trips } = this.reader.read(feeds, nowSeconds)
    const feedIds = messages.map((_, at) => `feed ${at}`)
    const overlay = buildOverlay(timetable, trips, { snapshotId: 's', version: 1, baseSeconds: nowSeconds, feedIds })
    const runs = listLiveRuns(timetable, overlay)
    if (verdict !== undefined) {
      verdict.overlays++
      verdict.runs += runs.length
      verdict.gone += runs.filter(({ isGone }) => isGone).length
      verdict.added += runs.filter(({ tripId }) => tripId === undefined).length
      verdict.skipped += runs.flatMap(({ calls }) => calls.filter(({ isSkipped }) => isSkipped)).length
    }
    return { overlay, planner: answersOf({ ...this.ground, overlay }), oracle: oracleOf(liveFeedOf(this.feed, runs)) }
  }

  /**
   * Checks the best journeys for a query. The best departure or arrival must be the oracle's, and each ride must run
   * and be on the board of its first stop.
   */
  check(moment: LiveMoment, query: JourneyQuery, verdict: LiveVerdict): readonly PlainJourney[] {
    const { planner, oracle } = moment
    const { isArriveBy } = query
    const expected = oracle.best(query)
    const wanted = isArriveBy ? expected?.departs : expected?.arrives
    const is = isArriveBy ? planner.latestDeparture(query) : planner.earliestArrival(query)
    verdict.questions++
    if (expected !== undefined) verdict.answered++
    if (is !== wanted) {
      if (expected !== undefined && dodgesChange(oracle.feed, expected)) verdict.dodged++
      else addFault(verdict, query, `answered ${is}, expected ${wanted} ${JSON.stringify(expected)}`)
    }
    return planner.plan(query, WANTED).map((planned) => {
      const journey = toPlain({ ...this.ground, overlay: moment.overlay }, planned)
      verdict.journeys++
      const fault = findUnrideable(oracle.feed, query, journey) ?? findBetterChange(oracle.feed, journey)
      if (fault !== undefined) addFault(verdict, query, `${fault} ${JSON.stringify(journey)}`)
      for (const ride of planned.rides) {
        verdict.rides++
        if (ride.live !== undefined) verdict.liveRides++
        const hidden = findUnshown(this.ground.timetable, moment.overlay, ride)
        if (hidden !== undefined) addFault(verdict, query, `${hidden} ${JSON.stringify(journey)}`)
      }
      return journey
    })
  }

  /** Delays the first vehicle of a transfer so much that the transfer is missed, and plans again. */
  breakChange(
    { entities, nowSeconds }: { readonly entities: readonly FeedEntity[]; readonly nowSeconds: number },
    { query, journeys }: { readonly query: JourneyQuery; readonly journeys: readonly PlainJourney[] },
    verdict: LiveVerdict,
  ): void {
    const change = journeys.flatMap(changesOf).find(({ before }) => this.tripOf(before.tripRef) !== undefined)
    const trip = change && this.tripOf(change.before.tripRef)
    if (change === undefined || trip === undefined) return
    const { before, after } = change
    const date = before.tripRef.slice(0, 8)
    const call = trip.stopIds.indexOf(before.stopIds.at(-1) ?? '')
    const delay = after.departs - (this.feed.zeroOf(date) + (trip.arrivals[call] ?? 0)) + 1
    const late = lateTrip(trip, date, delay)
    const message = realtimeFeed(nowSeconds, [...entities.filter(({ id }) => id !== late.id), late])
    const moment = this.at([message], nowSeconds)
    const { feed } = moment.oracle
    const now = feed.trips[feed.numberOfTrip.get(before.tripRef) ?? -1]
    const there = now?.arrivals[now.stopIds.indexOf(before.stopIds.at(-1) ?? '')]
    const next = feed.trips[feed.numberOfTrip.get(after.tripRef) ?? feed.numberOfTrip.get(after.tripRef.slice(9)) ?? -1]
    const leaves = next?.departures[next.stopIds.indexOf(after.stopIds[0])]
    const isBroken = there === undefined || leaves === undefined || there > leaves
    const again = this.check(moment, query, verdict)
    // The vehicle after the transfer may be delayed too, if both trips belong to one block. In that case, the transfer
    // is still possible.
    if (!isBroken) return
    verdict.broken++
    const isSame = (one: PlainJourney) =>
      changesOf(one).some(
        (other) =>
          other.before.tripRef === before.tripRef &&
          other.after.tripRef === after.tripRef &&
          other.before.stopIds.at(-1) === before.stopIds.at(-1) &&
          other.after.stopIds[0] === after.stopIds[0],
      )
    if (again.some(isSame))
      addFault(verdict, query, `the change from ${before.tripRef} to ${after.tripRef} is still made`)
  }

  /** The trip in the timetable that has this reference; undefined if there is none, or if the trip has frequencies. */
  private tripOf(tripRef: string) {
    const trip = this.feed.trips[this.feed.numberOfTrip.get(tripRef.slice(9)) ?? -1]
    return trip?.hasFrequencies === false ? trip : undefined
  }
}

function changesOf({ rides }: PlainJourney) {
  return rides.slice(1).flatMap((after, at) => (after.staysSeated ? [] : [{ before: rides[at], after }]))
}

function addFault(verdict: LiveVerdict, query: JourneyQuery, what: string): void {
  verdict.mismatches++
  if (verdict.differences.length < KEPT_DIFFERENCES) verdict.differences.push(`${JSON.stringify(query)}: ${what}`)
}

/**
 * A query for a time near `nowSeconds`, between two stops with calls. Many of these stops are on runs that live feeds
 * report.
 */
export function liveQuery({ oracle }: LiveMoment, dice: Dice, nowSeconds: number): JourneyQuery {
  const { trips } = oracle.feed
  const live = trips.filter(({ serviceId }) => isLiveService(serviceId))
  const end = () => {
    const some = dice.below(2) === 0 && live.length > 0 ? live : trips
    return { kind: 'stop' as const, id: dice.pick(some[dice.below(some.length)].stopIds) ?? '' }
  }
  const isArriveBy = dice.below(2) === 0
  return {
    from: end(),
    to: end(),
    seconds: nowSeconds + (isArriveBy ? 3600 : -600) + dice.below(3600),
    isArriveBy,
    maxWalkMeters: dice.pick([0, 300, 500, 1000]) ?? 0,
    followedSeconds: 72 * 3600,
  }
}

/** The result as readable text. */
export function describeLive(name: string, verdict: LiveVerdict): string {
  const { differences, ...counts } = verdict
  const text = Object.entries(counts).map(([what, count]) => `${count} ${what}`)
  return [`${name}: ${text.join(', ')}`, ...differences.map((difference) => `  ${difference}`)].join('\n')
}
