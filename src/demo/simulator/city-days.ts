// The demo city's runs, vehicles and actual times on each service day around an instant. The days are cached. A day
// depends only on the city, the seed and the date.
import { listZeros } from '../../../indexes/timetable/service-days.ts'
import { localDayIn } from '../../imports/service-span.ts'
import { formatDate, listExceptions, SERVICES, WEEKDAYS_OF } from '../calendar.ts'
import type { CityFeed } from '../city.ts'
import { type CityParts, TIMEZONE } from '../city-tables.ts'
import { assignDuties, type Duty } from './duties.ts'
import type { Run } from './run.ts'
import { EARLIEST_NOTICE_SECONDS, planRuns } from './run-plan.ts'

/** A service day with its runs and vehicles. */
export interface CityDay {
  /** YYYYMMDD. */
  readonly date: string
  /** The zero of the service day (local noon minus 12 hours), in seconds since 1970. */
  readonly zeroSeconds: number
  readonly runs: readonly Run[]
  readonly duties: readonly Duty[]
}

/** Number of cached days: yesterday, today, tomorrow, and one more day that is needed around midnight. */
const KEPT_DAYS = 4
/** The weekday of 1970-01-01, a Thursday; Monday is 0. */
const EPOCH_WEEKDAY = 3
/** The largest possible delay at the end of a run. */
const LATEST_SECONDS = 3600

/** The service days of one city and seed. Caches the most recent days. */
export class CityDays {
  readonly parts: CityParts
  readonly seed: number
  private readonly span: { readonly from: number; readonly to: number }
  private readonly kept = new Map<number, CityDay>()

  constructor(city: CityFeed, seed: number) {
    this.parts = city.parts
    this.seed = seed
    this.span = widestSpan(city.parts)
  }

  /** The service days that have current, recent or announced runs at an instant, in seconds since 1970. */
  listAt(nowSeconds: number): CityDay[] {
    const today = localDayIn(TIMEZONE, nowSeconds * 1000)
    return [today - 1, today, today + 1].flatMap((day) => {
      const [zero] = listZeros(TIMEZONE, { firstDay: day, dayCount: 1 })
      const isNear = zero + this.span.from <= nowSeconds && nowSeconds < zero + this.span.to
      return isNear ? [this.dayAt(day, zero)] : []
    })
  }

  private dayAt(day: number, zeroSeconds: number): CityDay {
    const known = this.kept.get(day)
    if (known !== undefined) return known
    const { parts, seed } = this
    const date = formatDate(day)
    const order = { parts, seed, day, date, services: servicesOn(parts, day) }
    const made = { date, zeroSeconds, ...assignDuties(order, planRuns(order)) }
    this.kept.set(day, made)
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= KEPT_DAYS) break
      this.kept.delete(oldest)
    }
    return made
  }
}

/**
 * The widest span that the runs of a service day can cover, in seconds after the day's zero: from the earliest time at
 * which a change of a run can be announced to the latest arrival.
 */
function widestSpan({ departures, patterns }: CityParts): { from: number; to: number } {
  let from = Number.POSITIVE_INFINITY
  let to = Number.NEGATIVE_INFINITY
  const longest = patterns.map(
    (pattern) => 2 * pattern.calls.reduce((sum, call) => sum + call.runSeconds + call.dwellSeconds, 0),
  )
  for (const trip of departures.trips) {
    from = Math.min(from, trip.startSeconds)
    to = Math.max(to, trip.startSeconds + longest[trip.pattern])
  }
  for (const hours of departures.headways) to = Math.max(to, hours.endSeconds + LATEST_SECONDS)
  return { from: from - EARLIEST_NOTICE_SECONDS, to: to + LATEST_SECONDS }
}

/**
 * The services that run on a day; empty outside the feed's period.
 * @param day in days since 1970-01-01
 */
function servicesOn({ window }: CityParts, day: number): Set<string> {
  const isInside = day >= window.firstDay && day < window.firstDay + window.dayCount
  if (!isInside) return new Set()
  const weekday = (((day + EPOCH_WEEKDAY) % 7) + 7) % 7
  const running = new Set<string>(SERVICES.filter((service) => WEEKDAYS_OF[service][weekday] === 1))
  for (const { service, type } of listExceptions({ firstDay: day, dayCount: 1 })) {
    if (type === 1) running.add(service)
    else running.delete(service)
  }
  return running
}
