// The time range of a query, in which relevant trips may run.

/** The time of a query. */
export interface PlanMoment {
  /** Seconds after 1970. */
  readonly seconds: number
  readonly isArriveBy: boolean
  /**
   * Whether the time bounds the other end of journeys: they arrive after it or, with `isArriveBy`, depart before it.
   */
  readonly isBeyond?: boolean
}

export const DAY_SECONDS = 86_400
/** How long journeys that leave within the requested day are followed in the first search. */
export const JOURNEY_SECONDS = 12 * 3600
/**
 * How long journeys are followed if JOURNEY_SECONDS finds too few. Allows for a weekend with a holiday; for networks
 * with longer rides, see LONGEST_RIDES.
 */
const LONG_JOURNEY_SECONDS = 3 * DAY_SECONDS
const LONGEST_RIDES = 3

/**
 * How long journeys are followed, in seconds, for each search. If a search finds too few, the next search follows them
 * longer.
 * @param longestRideSeconds of the timetable
 */
export function followTimes(
  { mostSeconds, isBeyond }: { readonly mostSeconds?: number | undefined; readonly isBeyond?: boolean },
  longestRideSeconds: number,
): readonly number[] {
  const longest = Math.max(LONG_JOURNEY_SECONDS, LONGEST_RIDES * longestRideSeconds)
  if (isBeyond === true) return longestRideSeconds > JOURNEY_SECONDS ? [longest] : [JOURNEY_SECONDS, longest]
  if (mostSeconds !== undefined && mostSeconds < JOURNEY_SECONDS) return [mostSeconds]
  return [JOURNEY_SECONDS, longest]
}

/**
 * The moment at which the search starts. With `isBeyond`, the search starts earlier by the longest duration of a
 * journey or, with `isArriveBy`, later.
 */
export function beginOf<Moment extends PlanMoment>(moment: Moment, followSeconds: number): Moment {
  const { seconds, isArriveBy, isBeyond = false } = moment
  if (!isBeyond) return moment
  return { ...moment, seconds: isArriveBy ? seconds + followSeconds : seconds - followSeconds }
}

/** The range in which relevant trips may run if the search starts at this moment. */
export function reachOf(
  { seconds, isArriveBy }: PlanMoment,
  followSeconds: number,
): { readonly from: number; readonly to: number } {
  return isArriveBy
    ? { from: seconds - DAY_SECONDS - followSeconds, to: seconds + 1 }
    : { from: seconds, to: seconds + DAY_SECONDS + followSeconds }
}

/** The range in which the days of a query must be laid out. */
export function daysReach(moment: PlanMoment): ReturnType<typeof reachOf> {
  return reachOf(beginOf(moment, JOURNEY_SECONDS), JOURNEY_SECONDS)
}
