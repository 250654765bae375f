// Whether a new snapshot may take the place of the one that serves. What must be looked at by an operator first is
// held: the old one goes on serving, and `quai import --force` overrides. Without an old one nothing is held.
import type { Timetable } from '../../indexes/timetable/timetable.ts'
import { dateOfDay, serviceSpan } from './service-span.ts'

/** Why a new snapshot is held: a sentence, and from which day on (days after 1970) it is worth another try. */
export interface Hold {
  readonly sentence: string
  readonly untilDay: number | undefined
}

/** What is compared. */
export interface Replacement {
  /** What serves now. */
  readonly served: Timetable
  readonly next: Timetable
  /** Core files of the new feed that lost more of their rows than a feed may. */
  readonly drops: readonly { readonly file: string; readonly rows: number; readonly dropped: number }[]
  /** The service day, in days after 1970. */
  readonly today: number
}

/** Share of its stops or trips beyond which a feed may not shrink unseen. */
const LOST_SHARE = 0.3
/** A feed that is to serve has a trip within so many days, today included. */
const DAYS_AHEAD = 7

/** Everything that speaks against the replacement; empty where nothing does. */
export function listHolds(replacement: Replacement): Hold[] {
  return [...holdsOfService(replacement), ...holdsOfLosses(replacement), ...holdsOfDrops(replacement)]
}

function holdsOfService({ served, next, today }: Replacement): Hold[] {
  const span = serviceSpan(next)
  if (span === undefined) return [forGood('no trip of it runs on any day')]
  if (span.last < today) return [forGood(`its calendar ended on ${dateOfDay(span.last)}`)]
  const day = firstServiceFrom(next, today)
  if (day === undefined || day < today + DAYS_AHEAD) {
    const isNeededNow = span.first > today && firstServiceFrom(served, today) === today
    if (!isNeededNow) return []
    return [
      until(span.first, `its service begins on ${dateOfDay(span.first)}, and the one that serves has trips today`),
    ]
  }
  if (firstServiceFrom(served, today) === undefined) return []
  return [
    until(
      day - DAYS_AHEAD + 1,
      `it has no trip in the next ${DAYS_AHEAD} days; the next ones run on ${dateOfDay(day)}`,
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
    .map(([what, before, after]) => forGood(`it has ${after} ${what} where the one that serves has ${before}`))
}

function holdsOfDrops({ drops }: Replacement): Hold[] {
  return drops.map(({ file, rows, dropped }) => forGood(`${dropped} of ${rows} rows of ${file} are unusable`))
}

/** The first day from `day` on with a trip; undefined where there is none. */
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
