// Finds the best journeys in a feed from its raw text, by the simplest exact algorithms. Shares no code with loaders,
// indexes or src. Tests compare the planner's results with those of this oracle.
import { type JourneyFeed, readJourneyFeed } from './journey-feed.ts'
import { groundOf, type JourneyQuery, queryGroundOf } from './journey-ground.ts'
import { type ProfileJourney, profileOf } from './journey-profile.ts'
import { type PlainJourney, ridesOf } from './journey-rides.ts'
import { scanConnections } from './journey-scan.ts'
import { waysOf } from './journey-ways.ts'

/**
 * The members of a journey by which it can beat other journeys. Instants are seconds after 1970. Staying seated does
 * not count as another vehicle.
 */
export interface RatedJourney {
  readonly departs: number
  readonly arrives: number
  readonly vehicles: number
}

/** Any journey planner. Its results contain no journeys that are entirely on foot. */
export interface Answerer {
  /** The earliest possible arrival; undefined if the destination cannot be reached by vehicle. */
  earliestArrival(query: JourneyQuery): number | undefined
  /** The latest possible departure to arrive by the requested time. */
  latestDeparture(query: JourneyQuery): number | undefined
  /** Every journey of the day that no other journey beats, sorted by departure, then by number of vehicles. */
  paretoSet(query: JourneyQuery): RatedJourney[]
}

/** An oracle that also returns rides. */
export interface JourneyOracle extends Answerer {
  readonly feed: JourneyFeed
  /** A journey with the earliest arrival; with arrive-by, a journey with the latest departure. */
  best(query: JourneyQuery): PlainJourney | undefined
  /** The journeys in the Pareto set, with their rides. */
  riddenSet(query: JourneyQuery): RiddenJourney[]
}

/**
 * A journey in the Pareto set. `ways` computes, one after the other, all lists of rides that have the journey's times.
 */
export interface RiddenJourney extends RatedJourney {
  ways(): Iterable<PlainJourney>
}

/** Reads a feed from a zip, from a folder, or from an object that maps file names to their text. */
export async function readJourneyOracle(source: string | Readonly<Record<string, string>>): Promise<JourneyOracle> {
  return oracleOf(await readJourneyFeed(source))
}

/** Answers queries on a loaded feed, with or without live data. */
export function oracleOf(feed: JourneyFeed): JourneyOracle {
  const best = (query: JourneyQuery): PlainJourney | undefined => {
    const ground = groundOf(feed, query)
    const found = scanConnections(ground)
    if (found === undefined) return undefined
    const rides = ridesOf(ground, found.last)
    // The scan finds the arrival time or, with arrive-by, the departure time. The other time follows from the walk to
    // the first stop or the walk from the last stop.
    const [first, last] = [rides[0], rides.at(-1)]
    if (first === undefined || last === undefined) throw new Error('the journey has no rides')
    if (query.isArriveBy) {
      const egress = feed.places.reach(query.to, query.maxWalkMeters, 'out')[
        feed.places.numberOf.get(last.stopIds.at(-1) ?? '') ?? -1
      ]
      return { departs: -found.arrives, arrives: last.arrives + egress, rides }
    }
    const access = feed.places.reach(query.from, query.maxWalkMeters, 'into')[
      feed.places.numberOf.get(first.stopIds[0]) ?? -1
    ]
    return { departs: first.departs - access, arrives: found.arrives, rides }
  }
  const riddenSet = (query: JourneyQuery): RiddenJourney[] => {
    const ground = queryGroundOf(feed, query)
    const profile = profileOf(ground)
    const ridden = (found: ProfileJourney): RiddenJourney => {
      const { leaves, arrives, vehicles } = found
      const times = query.isArriveBy ? { departs: -arrives, arrives: -leaves } : { departs: leaves, arrives }
      return { ...times, vehicles, ways: () => waysOf(ground, profile, found).map((rides) => ({ ...times, rides })) }
    }
    return profile.best.map(ridden).sort((a, b) => a.departs - b.departs || a.vehicles - b.vehicles)
  }
  return {
    feed,
    best,
    earliestArrival: (query) => best({ ...query, isArriveBy: false })?.arrives,
    latestDeparture: (query) => best({ ...query, isArriveBy: true })?.departs,
    paretoSet: (query) =>
      riddenSet(query).map(({ departs, arrives, vehicles }): RatedJourney => ({ departs, arrives, vehicles })),
    riddenSet,
  }
}
