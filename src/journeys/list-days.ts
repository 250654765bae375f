// The days of a list of journeys, planned when a page needs them, and how far each is planned.
import type { Timetable } from '../../indexes/timetable/timetable.ts'
import type { Journey } from '../rendering/journey.ts'
import { goesOn, isOnFoot, type ListRules, settledStart } from './hygiene.ts'
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

/** What decides how far the list of a page is planned. */
export interface PageRules extends ListRules {
  readonly until: number
  readonly page: PagePlace
  readonly limit: number
  /** It is looked whether the list goes on behind the page; elsewhere it is taken to, today or on a day to come. */
  readonly looksAhead: boolean
}

/** How many of some journeys count for a page: those that are settled. */
export function worthOf(journeys: readonly Journey[], rules: PageRules): number {
  const { page, limit, isArriveBy, looksAhead } = rules
  const settled = settledStart(journeys, rules)
  if (page.isUntil) return reachesKey(settled, page, isArriveBy) ? 1 : 0
  const count = behind(settled, page, isArriveBy).length
  return looksAhead && count === limit && !goesOn(journeys, settled, rules) ? limit - 1 : count
}

/** What is planned of a day. */
export interface DayPlan {
  readonly journeys: readonly Journey[]
}

/** Whether no service day reaches the day after the moment, or the day before it where one must be there by then. */
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

/** Days without journeys that are passed over, at most. */
const EMPTY_DAYS = 7

/** The days of the list of a question, planned when they are needed. */
export class ListDays<Plan extends DayPlan> {
  /** The time was over before a day was planned. */
  isLate = false
  private readonly plan: (place: PagePlace, limit: number) => Plan | undefined
  private readonly isEmpty: (place: PagePlace, planned: Plan) => boolean

  /**
   * @param plan plans the day of a page; undefined if the time is over
   * @param isEmpty whether a page has nothing to show
   */
  constructor(
    plan: (place: PagePlace, limit: number) => Plan | undefined,
    isEmpty: (place: PagePlace, planned: Plan) => boolean,
  ) {
    this.plan = plan
    this.isEmpty = isEmpty
  }

  /**
   * The day of a page, planned. Where a page behind another has nothing to show it is the first of the next day that has.
   * @param isEmpty whether a page shows nothing
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

  /** The first day with journeys to show, from a day on, away from the moment or towards it. */
  dayWith(isBeyond: boolean, fromDay: number, step: 1 | -1): number | undefined {
    for (let tried = 0; tried < EMPTY_DAYS; tried++) {
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

/** Whether some journey is more than a walk. */
export function hasRides({ journeys }: DayPlan): boolean {
  return journeys.some((journey) => !isOnFoot(journey))
}

/** The pages beside a page. @param looksAhead whether what follows is planned to be sure that it is there */
export function pagesBeside<Plan extends DayPlan>(
  page: Page,
  place: PagePlace,
  { days, looksAhead }: { readonly days: ListDays<Plan>; readonly looksAhead: boolean },
): PageLinks {
  const dayWith = (day: number, step: 1 | -1) =>
    looksAhead || step < 0 ? days.dayWith(place.isBeyond, day, step) : day
  return linksOf(page, place, dayWith)
}

const DAY_SECONDS = 86_400
/** Within so many days of the calendar's end it is looked whether journeys follow. */
const NEAR_END_DAYS = 8

/** Whether the days in which journeys may follow reach beyond the calendar. */
export function isNearCalendarEnd(
  { serviceDays: { zeroSeconds }, meta }: Timetable,
  { seconds, isArriveBy }: { readonly seconds: number; readonly isArriveBy: boolean },
): boolean {
  const days = isArriveBy ? seconds - zeroSeconds[0] : zeroSeconds[meta.dayCount - 1] - seconds
  return days < NEAR_END_DAYS * DAY_SECONDS
}
