// A journey query on the small feed, for planners.
import type { JourneyQuestion } from '../../../src/journeys/planner-messages.ts'

/** 08:00 in Strasbourg on a day when the small feed has service, in Unix seconds. */
export const EIGHT_SECONDS = Date.parse('2026-06-10T08:00:00+02:00') / 1000

/** A journey query, by default across the town at 08:00. */
export function questionOf(network: string, more: Partial<JourneyQuestion> = {}): JourneyQuestion {
  const end = (lat: number, lon: number) => ({ lat, lon, place: undefined, label: undefined })
  return {
    from: end(48.585, 7.735),
    to: end(48.575, 7.77),
    network,
    seconds: EIGHT_SECONDS,
    isArriveBy: false,
    modes: undefined,
    maxWalkMeters: 1000,
    mayWalkFarther: true,
    maxTransfers: 6,
    limit: 3,
    include: undefined,
    nowSeconds: EIGHT_SECONDS,
    ...more,
  }
}
