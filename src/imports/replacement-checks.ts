// Decides whether a new snapshot may replace the served one. A suspicious snapshot is held until an operator checks it,
// and the old one stays in service. `quai import --force` skips the checks. Without an old snapshot, nothing is held.
import type { Timetable } from '../../indexes/timetable/timetable.ts'
import { dateOfDay, serviceSpan } from './service-span.ts'

/** Why a snapshot is held, and from which day (days since 1970) a retry makes sense. */
export interface Hold {
  readonly sentence: string
  readonly untilDay: number | undefined
}

/** The old and the new snapshot. */
export interface Replacement {
  /** The served timetable. */
  readonly served: Timetable
  readonly next: Timetable
  /** Core files of the new feed that lost too many rows. */
  readonly drops: readonly { readonly file: string; readonly rows: number; readonly dropped: number }[]
  /** The service day, in days since 1970. */
  readonly today: number
}

/** Maximum share of its stops or trips that a feed may lose. */
const LOST_SHARE = 0.3
/** Number of days, today included, in which a new feed must have a trip. */
const DAYS_AHEAD = 7

/** All reasons to hold the new snapshot. */
export function listHolds(replacement: Replacement): Hold[] {
  return [...holdsOfService(replacement), ...holdsOfLosses(replacement), ...holdsOfDrops(replacement)]
}

function holdsOfService({ served, next, today }: Replacement): Hold[] {
  const span = serviceSpan(next)
  if (span === undefined) return [forGood('the new timetable has no trip on any day')]
  if (span.last < today) return [forGood(`the new timetable's calendar ended on ${dateOfDay(span.last)}`)]
  const day = firstServiceFrom(next, today)
  if (day === undefined || day < today + DAYS_AHEAD) {
    const isNeededNow = span.first > today && firstServiceFrom(served, today) === today
    if (!isNeededNow) return []
    return [
      until(
        span.first,
        `the new timetable's service begins on ${dateOfDay(span.first)}, but the current one has trips today`,
      ),
    ]
  }
  if (firstServiceFrom(served, today) === undefined) return []
  return [
    until(
      day - DAYS_AHEAD + 1,
      `the new timetable has no trip in the next ${DAYS_AHEAD} days; its next trips run on ${dateOfDay(day)}`,
    ),
  ]
}

function holdsOfLosses({ served, next }: Replacement): Hold[] {
  const compared = [
    ['stops', served.stops.id.length, next.stops.id.length],
    ['trips', served.trips.id.length, next.trips.id.length],
  ] as const
  return compared
    .filter(([, before, after]) => before - after > before * LOST_SHARE)
    .map(([what, before, after]) =>
      forGood(`the new timetable has ${after} ${what}, but the current one has ${before}`),
    )
}

function holdsOfDrops({ drops }: Replacement): Hold[] {
  return drops.map(({ file, rows, dropped }) => forGood(`${dropped} of ${rows} rows of ${file} are unusable`))
}

/** The first day from `day` on that has a trip; undefined if there is none. */
function firstServiceFrom(timetable: Timetable, day: number): number | undefined {
  const { firstDay, dayCount } = timetable.meta
  const { tripCount } = timetable.serviceDays
  for (let at = Math.max(0, day - firstDay); at < dayCount; at++) {
    if (tripCount[at] > 0) return firstDay + at
  }
  return undefined
}

function forGood(sentence: string): Hold {
  return { sentence, untilDay: undefined }
}

function until(untilDay: number, sentence: string): Hold {
  return { sentence, untilDay }
}
