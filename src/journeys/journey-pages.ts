// Pages of a journey list. The list starts at the requested time and is planned in parts of 24 hours, called days. The
// journeys on the other side of the requested time have their own days. On both sides, the journeys nearest to the
// requested time come first. A page shows some of the journeys of one day.
import type { Journey } from '../rendering/journey.ts'
import { compareKeys, isOnFoot, type ListKey, listKey, startOfList } from './hygiene.ts'

/** Identifies a page of a query's list. */
export interface PagePlace {
  /**
   * Whether the page is on the other side of the requested time: its journeys depart before that time or, if the query
   * gives the arrival time, arrive after it.
   */
  readonly isBeyond: boolean
  /** Number of the day: 0 is the 24 hours next to the requested time. */
  readonly day: number
  /**
   * Whether the page ends just before `key`, on the side of the requested time. Otherwise, it starts just after `key`.
   */
  readonly isUntil: boolean
  /** Sort key of the journey adjacent to the page; undefined if the page is at one end of the day's list. */
  readonly key: ListKey | undefined
}

/** The adjacent pages; a page is undefined if there are no more journeys in its direction. */
export interface PageLinks {
  readonly previous: PagePlace | undefined
  readonly next: PagePlace | undefined
}

/** The links of a page without adjacent pages. */
export const NO_LINKS: PageLinks = { previous: undefined, next: undefined }
/** The page that answers a query without a cursor. */
export const FIRST_PAGE: PagePlace = { isBeyond: false, day: 0, isUntil: false, key: undefined }
/** The highest day number in a cursor. */
export const MOST_DAYS = 1_000

const DAY_SECONDS = 86_400

/**
 * The page that a cursor describes; undefined if the cursor is invalid. A key with negative `transfers` means that the
 * page has no key.
 */
export function placeOf({ isBeyond, isUntil, day }: Omit<PagePlace, 'key'>, key: ListKey): PagePlace | undefined {
  const hasKey = key.transfers >= 0
  const isSound = day >= 0 && day <= MOST_DAYS && (!hasKey || key.departs <= key.arrives)
  return isSound ? { isBeyond, isUntil, day, key: hasKey ? key : undefined } : undefined
}

/** A part of a day's list. */
export interface Page {
  /** The journeys, in the order of the day's list: nearest to the requested time first. */
  readonly shown: readonly Journey[]
  /** Whether the day has journeys closer to the requested time than the page. */
  readonly hasNearer: boolean
  /** Whether the day has, or may have, journeys farther from the requested time than the page. */
  readonly hasFarther: boolean
}

/** The time and the direction of the search that plans the day of a page. */
export function searchOf(
  { seconds, isArriveBy }: { readonly seconds: number; readonly isArriveBy: boolean },
  { isBeyond, day }: PagePlace,
): { readonly seconds: number; readonly isArriveBy: boolean; readonly isBeyond: boolean } {
  const isBackwards = isArriveBy !== isBeyond
  return { seconds: seconds + (isBackwards ? -day : day) * DAY_SECONDS, isArriveBy: isBackwards, isBeyond }
}

/** The journeys after the page's key in a day's list, without walks. For the first page, all journeys. */
export function behind(list: readonly Journey[], { isBeyond, day, key }: PagePlace, isArriveBy: boolean): Journey[] {
  if (key === undefined && !isBeyond && day === 0) return [...list]
  return list.filter(
    (journey) => !isOnFoot(journey) && (key === undefined || compareKeys(listKey(journey), key, isArriveBy) > 0),
  )
}

/** Whether a day's list reaches the page's key, so that it has a journey at or after the key. */
export function reachesKey(list: readonly Journey[], { key }: PagePlace, isArriveBy: boolean): boolean {
  return key !== undefined && list.some((journey) => compareKeys(listKey(journey), key, isArriveBy) >= 0)
}

/**
 * Selects a page from a day's list.
 * @param isArriveBy whether the list is sorted as for a query that gives the arrival time
 */
export function cutPage(
  list: readonly Journey[],
  place: PagePlace,
  {
    isArriveBy,
    limit,
    tightSeconds,
    isAll,
  }: { readonly isArriveBy: boolean; readonly limit: number; readonly tightSeconds: number; readonly isAll: boolean },
): Page {
  if (!place.isUntil) {
    const rest = behind(list, place, isArriveBy)
    const shown = startOfList(rest, { limit, tightSeconds })
    const hasNearer = place.key !== undefined && list.some((journey) => !isOnFoot(journey) && !rest.includes(journey))
    return { shown, hasNearer, hasFarther: rest.length > shown.length || !isAll }
  }
  const { key, isBeyond, day } = place
  const before = list.filter((journey) => key === undefined || compareKeys(listKey(journey), key, isArriveBy) < 0)
  const isStart = before.length <= limit && !isBeyond && day === 0
  const candidates = isStart ? before : before.filter((journey) => !isOnFoot(journey))
  const shown = candidates.slice(-limit)
  return { shown, hasNearer: candidates.length > shown.length, hasFarther: key !== undefined }
}

/** A page without journeys; the list may continue closer to the requested time. */
export const NO_PAGE: Page = { shown: [], hasNearer: true, hasFarther: false }

/**
 * The pages before and after a page.
 * @param dayWith finds the first day with journeys, starting at `fromDay`. `step` is 1 to search away from the
 * requested time, −1 to search towards it
 */
export function linksOf(
  page: Page,
  place: PagePlace,
  dayWith: (isBeyond: boolean, fromDay: number, step: 1 | -1) => number | undefined,
): PageLinks {
  const { isBeyond, day, key } = place
  const [nearest, farthest] = [page.shown[0], page.shown.at(-1)]
  /** On one side of the requested time: the first page of the first day with journeys, starting at day `from`. */
  const startFrom = (side: boolean, from: number): PagePlace | undefined => {
    const at = dayWith(side, from, 1)
    return at === undefined ? undefined : { isBeyond: side, day: at, isUntil: false, key: undefined }
  }
  const nearer = (): PagePlace | undefined => {
    if (page.hasNearer && nearest !== undefined) return { isBeyond, day, isUntil: true, key: listKey(nearest) }
    // The page is empty: the journeys after its key no longer exist. The previous page ends with the key's own journey.
    if (page.hasNearer && key !== undefined) {
      return { isBeyond, day, isUntil: true, key: { ...key, walkMeters: key.walkMeters + 1 } }
    }
    const other = day > 0 ? dayWith(isBeyond, day - 1, -1) : undefined
    return other === undefined ? startFrom(!isBeyond, 0) : { isBeyond, day: other, isUntil: true, key: undefined }
  }
  const farther = (): PagePlace | undefined => {
    if (page.hasFarther && farthest !== undefined) return { isBeyond, day, isUntil: false, key: listKey(farthest) }
    return startFrom(isBeyond, day + 1)
  }
  const [near, far] = [nearer(), farther()]
  return isBeyond ? { previous: far, next: near } : { previous: near, next: far }
}
