// The time range of a query: the period in which trips that matter to the query may run.

/** The time of a query. */
export interface PlanMoment {
  /** Seconds after 1970. */
  readonly seconds: number
  readonly isArriveBy: boolean
  /**
   * If true, the requested time limits the other end of journeys: the journeys arrive after that time or, with
   * `isArriveBy`, depart before it.
   */
  readonly isBeyond?: boolean
}

export const DAY_SECONDS = 86_400
/**
 * Journeys leave within the requested day but may arrive later. The first search considers arrivals up to this long
 * after the end of the day.
 */
export const JOURNEY_SECONDS = 12 * 3600
/**
 * If the first search finds too few journeys, the next search considers arrivals up to this long after the end of the
 * day. This covers a weekend with a holiday. For networks with longer rides, see LONGEST_RIDES.
 */
const LONG_JOURNEY_SECONDS = 3 * DAY_SECONDS
const LONGEST_RIDES = 3

/**
 * Returns one duration for each search, in seconds. Each search considers arrivals up to its duration after the end of
 * the requested day. If a search finds too few journeys, the next one uses the next duration, which is longer.
 * @param longestRideSeconds duration of the longest trip in the timetable
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
 * The time at which the search starts: usually the requested time. With `isBeyond`, the search starts earlier by
 * `followSeconds`, the longest duration that a journey may have. With both `isBeyond` and `isArriveBy`, it starts later
 * by this duration.
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

/** The time range whose service days must be laid out for a query. */
export function daysReach(moment: PlanMoment): ReturnType<typeof reachOf> {
  return reachOf(beginOf(moment, JOURNEY_SECONDS), JOURNEY_SECONDS)
}
