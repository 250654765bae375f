// Plans the days of a journey list when a page needs them, and decides how much of each day to plan.
import type { Timetable } from '../../indexes/timetable/timetable.ts'
import type { Journey } from '../rendering/journey.ts'
import { isOnFoot, type ListRules, listContinues, settledStart } from './hygiene.ts'
import {
  behind,
  FIRST_PAGE,
  linksOf,
  MOST_DAYS,
  type Page,
  type PageLinks,
  type PagePlace,
  reachesKey,
} from './journey-pages.ts'
import { MOST_DAYS_AWAY } from './recurrence.ts'

const DAY_SECONDS = 86_400

/** What determines how much of a list must be planned for a page. */
export interface PageRules extends ListRules {
  readonly until: number
  readonly page: PagePlace
  readonly limit: number
  /** Whether a journey runs again on the next days of the list; if so, the list continues after the page. */
  readonly recurs: (journey: Journey) => boolean
}

/**
 * The number of settled journeys on the page, as `settledStart` defines them. If the page is full and the list may end
 * with this page, the number is one less. For a page that ends before a key: 1 if all journeys before the key are
 * settled, otherwise 0.
 */
export function worthOf(journeys: readonly Journey[], rules: PageRules): number {
  const { page, limit, isArriveBy, recurs } = rules
  const settled = settledStart(journeys, rules)
  if (page.isUntil) return reachesKey(settled, page, isArriveBy) ? 1 : 0
  const count = behind(settled, page, isArriveBy).length
  return count === limit && !settled.some(recurs) && !listContinues(journeys, settled, rules) ? limit - 1 : count
}

/** The planned part of a day. */
export interface DayPlan {
  readonly journeys: readonly Journey[]
}

/**
 * Whether no service day covers the 24 hours after the requested time or, with `isArriveBy`, the 24 hours before it.
 */
export function isOutsideCalendar(
  { serviceDays, meta }: Timetable,
  { seconds, isArriveBy }: { readonly seconds: number; readonly isArriveBy: boolean },
): boolean {
  const { zeroSeconds } = serviceDays
  if (meta.dayCount === 0) return true
  const [first, ends] = [zeroSeconds[0], zeroSeconds[meta.dayCount - 1] + meta.maxTimeSeconds]
  const from = isArriveBy ? seconds - DAY_SECONDS : seconds
  return from > ends || from + DAY_SECONDS < first
}

/** The days of a query's list, planned on demand. */
export class ListDays<Plan extends DayPlan> {
  /** Whether the time limit passed before a needed day was planned. */
  isLate = false
  private readonly plan: (place: PagePlace, limit: number) => Plan | undefined
  private readonly isEmpty: (place: PagePlace, planned: Plan) => boolean

  /**
   * @param plan plans the day of a page; returns undefined if the time limit has passed
   * @param isEmpty returns whether a page has no journeys to show
   */
  constructor(
    plan: (place: PagePlace, limit: number) => Plan | undefined,
    isEmpty: (place: PagePlace, planned: Plan) => boolean,
  ) {
    this.plan = plan
    this.isEmpty = isEmpty
  }

  /**
   * Plans the day of a page. If the page has no journeys to show, the next day that has journeys takes its place. This
   * does not apply to the first page, nor to a page that ends before a key.
   */
  find(place: PagePlace, limit: number): { readonly place: PagePlace; readonly planned: Plan } | undefined {
    const planned = this.plan(place, limit)
    if (planned === undefined || place === FIRST_PAGE || place.isUntil || !this.isEmpty(place, planned)) {
      return planned && { place, planned }
    }
    const day = this.dayWith(place.isBeyond, place.day + 1, 1)
    if (day === undefined) return this.isLate ? undefined : { place, planned }
    const moved: PagePlace = { ...place, day, key: undefined }
    const later = this.plan(moved, limit)
    return later && { place: moved, planned: later }
  }

  /**
   * The first day with journeys to show, from `fromDay` on; undefined if there is none within a week.
   * @param step 1 to look away from the requested time, −1 to look towards it
   */
  dayWith(isBeyond: boolean, fromDay: number, step: 1 | -1): number | undefined {
    for (let tried = 0; tried < MOST_DAYS_AWAY; tried++) {
      const day = fromDay + tried * step
      if (day < 0 || day > MOST_DAYS) return undefined
      const place: PagePlace = { isBeyond, day, isUntil: false, key: undefined }
      const planned = this.plan(place, 1)
      if (planned === undefined) {
        this.isLate = true
        return undefined
      }
      if (hasRides(planned) && !this.isEmpty(place, planned)) return day
    }
    return undefined
  }
}

/** Whether any journey has a ride. */
export function hasRides({ journeys }: DayPlan): boolean {
  return journeys.some((journey) => !isOnFoot(journey))
}

/**
 * The adjacent pages. If a journey on the page certainly runs again in one direction, the page in that direction is
 * found without planning its day.
 */
export function pagesBeside<Plan extends DayPlan>(
  page: Page,
  place: PagePlace,
  { days, recurs }: { readonly days: ListDays<Plan>; readonly recurs: Recurrence },
): PageLinks {
  return linksOf(page, place, (isBeyond, day, step) => {
    const isCertain = step === 1 && page.shown.some((journey) => recurs(journey, isBeyond))
    return isCertain ? day : days.dayWith(isBeyond, day, step)
  })
}

/** Returns whether a journey certainly runs again; `isBeyond` is the side of the requested time to look at. */
export type Recurrence = (journey: Journey, isBeyond: boolean) => boolean
