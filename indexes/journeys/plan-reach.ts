// The time range of a query: the range in which the trips run that can matter to the query.

/** The time of a query. */
export interface PlanMoment {
  /** Seconds after 1970. */
  readonly seconds: number
  readonly isArriveBy: boolean
  /**
   * If true, the requested time limits the other end of journeys: they arrive after the time or, with `isArriveBy`,
   * depart before it.
   */
  readonly isBeyond?: boolean
}

export const DAY_SECONDS = 86_400
/**
 * In the first search, journeys that leave within the requested day are followed for this long after the end of the
 * day.
 */
export const JOURNEY_SECONDS = 12 * 3600
/**
 * Maximum time for which journeys are followed if the first search finds too few. It covers a weekend with a holiday.
 * For networks with longer rides, see LONGEST_RIDES.
 */
const LONG_JOURNEY_SECONDS = 3 * DAY_SECONDS
const LONGEST_RIDES = 3

/**
 * Returns one duration for each search, in seconds. The search follows journeys for this long after the end of the
 * requested day. If a search finds too few journeys, the next search follows journeys longer.
 * @param longestRideSeconds duration of the longest trip of the timetable
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
 * The time at which the search starts: usually the requested time. With `isBeyond`, the search starts earlier by the
 * longest duration of a journey. With `isBeyond` and `isArriveBy`, it starts later by this duration.
 */
export function beginOf<Moment extends PlanMoment>(moment: Moment, followSeconds: number): Moment {
  const { seconds, isArriveBy, isBeyond = false } = moment
  if (!isBeyond) return moment
  return { ...moment, seconds: isArriveBy ? seconds + followSeconds : seconds - followSeconds }
}

/** The time range in which relevant trips may run if the search starts at this time. */
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
