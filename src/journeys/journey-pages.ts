// Pages of a list of journeys. The list of a question goes on in both directions: its own order behind its start, 24 hours
// at a time, and the journeys on the other side of the moment asked for, nearest first. A page is a part of one such day.
import type { Journey } from '../rendering/journey.ts'
import { compareKeys, isOnFoot, type ListKey, listKey, startOfList } from './hygiene.ts'

/** A page of the list of a question. */
export interface PagePlace {
  /** The journeys on the other side of the moment: those that leave before it; where the arrival was given, arrive after it. */
  readonly isBeyond: boolean
  /** Days of 24 hours away from the moment. */
  readonly day: number
  /** The journeys up to the key, not those behind it: nearer to the moment. */
  readonly isUntil: boolean
  /** The journey beside the page; undefined at the day's end. */
  readonly key: ListKey | undefined
}

/** The pages beside one; undefined where there are no journeys. */
export interface PageLinks {
  readonly previous: PagePlace | undefined
  readonly next: PagePlace | undefined
}

/** No pages beside it. */
export const NO_LINKS: PageLinks = { previous: undefined, next: undefined }
/** The page that a question without a cursor asks for. */
export const FIRST_PAGE: PagePlace = { isBeyond: false, day: 0, isUntil: false, key: undefined }
/** A cursor leads no farther away than this. */
export const MOST_DAYS = 1_000

const DAY_SECONDS = 86_400

/** The place that a cursor names; undefined where there is none such. A key without a journey stands for the day's end. */
export function placeOf({ isBeyond, isUntil, day }: Omit<PagePlace, 'key'>, key: ListKey): PagePlace | undefined {
  const hasKey = key.transfers >= 0
  const isSound = day >= 0 && day <= MOST_DAYS && (!hasKey || key.departs <= key.arrives)
  return isSound ? { isBeyond, isUntil, day, key: hasKey ? key : undefined } : undefined
}

/** A part of a day's list. */
export interface Page {
  /** In the order of the day's list, nearest to the moment first. */
  readonly shown: readonly Journey[]
  /** Whether the day has journeys nearer to the moment, and farther from it. */
  readonly hasNearer: boolean
  readonly hasFarther: boolean
}

/** What is searched for a page: from a moment on or until one, on which side of it. */
export function searchOf(
  { seconds, isArriveBy }: { readonly seconds: number; readonly isArriveBy: boolean },
  { isBeyond, day }: PagePlace,
): { readonly seconds: number; readonly isArriveBy: boolean; readonly isBeyond: boolean } {
  const isBackwards = isArriveBy !== isBeyond
  return { seconds: seconds + (isBackwards ? -day : day) * DAY_SECONDS, isArriveBy: isBackwards, isBeyond }
}

/** The journeys of a day's list that a page after some place may show: behind its key, the walk on the first page alone. */
export function behind(list: readonly Journey[], { isBeyond, day, key }: PagePlace, isArriveBy: boolean): Journey[] {
  if (key === undefined && !isBeyond && day === 0) return [...list]
  return list.filter(
    (journey) => !isOnFoot(journey) && (key === undefined || compareKeys(listKey(journey), key, isArriveBy) > 0),
  )
}

/** Whether a list reaches the key of a page that ends before it. */
export function reachesKey(list: readonly Journey[], { key }: PagePlace, isArriveBy: boolean): boolean {
  return key !== undefined && list.some((journey) => compareKeys(listKey(journey), key, isArriveBy) >= 0)
}

/** Cuts a page out of a day's list. @param isArriveBy the order of that list */
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

/** A page without journeys; the list may go on nearer to the moment. */
export const NO_PAGE: Page = { shown: [], hasNearer: true, hasFarther: false }

/**
 * The pages beside a page.
 * @param dayWith the first day with journeys, from a day on, of the same side
 */
export function linksOf(
  page: Page,
  place: PagePlace,
  dayWith: (fromDay: number, step: 1 | -1) => number | undefined,
): PageLinks {
  const { isBeyond, day, key } = place
  const [nearest, farthest] = [page.shown[0], page.shown.at(-1)]
  const start = (isOther: boolean, at: number): PagePlace => ({
    isBeyond: isOther,
    day: at,
    isUntil: false,
    key: undefined,
  })
  const nearer = (): PagePlace | undefined => {
    if (page.hasNearer && nearest !== undefined) return { isBeyond, day, isUntil: true, key: listKey(nearest) }
    // What stood behind the key is gone: what is up to it, the journey of the key included.
    if (page.hasNearer && key !== undefined) {
      return { isBeyond, day, isUntil: true, key: { ...key, walkMeters: key.walkMeters + 1 } }
    }
    const other = day > 0 ? dayWith(day - 1, -1) : undefined
    return other === undefined ? start(!isBeyond, 0) : { isBeyond, day: other, isUntil: true, key: undefined }
  }
  const farther = (): PagePlace | undefined => {
    if (page.hasFarther && farthest !== undefined) return { isBeyond, day, isUntil: false, key: listKey(farthest) }
    const other = dayWith(day + 1, 1)
    return other === undefined ? undefined : start(isBeyond, other)
  }
  const [near, far] = [nearer(), farther()]
  return isBeyond ? { previous: far, next: near } : { previous: near, next: far }
}
