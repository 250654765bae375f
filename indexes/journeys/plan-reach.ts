// How far around its moment a question looks: the seconds in which something may run that matters to it.

/** The moment of a question. */
export interface PlanMoment {
  /** After 1970. */
  readonly seconds: number
  readonly isArriveBy: boolean
  /** The other side of the moment is asked for. */
  readonly isBeyond?: boolean
}

export const DAY_SECONDS = 86_400
/** How long a journey that leaves within the day asked for is followed at first. */
export const JOURNEY_SECONDS = 12 * 3600

/** Where the search begins: for the other side of the moment, as far on this side as a journey may reach over it. */
export function beginOf<Moment extends PlanMoment>(moment: Moment, followSeconds: number): Moment {
  const { seconds, isArriveBy, isBeyond = false } = moment
  if (!isBeyond) return moment
  return { ...moment, seconds: isArriveBy ? seconds + followSeconds : seconds - followSeconds }
}

/** When something may run that matters, from where the search begins. */
export function reachOf(
  { seconds, isArriveBy }: PlanMoment,
  followSeconds: number,
): { readonly from: number; readonly to: number } {
  return isArriveBy
    ? { from: seconds - DAY_SECONDS - followSeconds, to: seconds + 1 }
    : { from: seconds, to: seconds + DAY_SECONDS + followSeconds }
}
