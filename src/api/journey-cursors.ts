// Journey cursors: a page in a query's list, and the time of that query. They contain only numbers, so that they mean
// the same on every thread and in every snapshot.

import { Problem, refusedParameter } from '../http/problem.ts'
import type { ListKey } from '../journeys/hygiene.ts'
import { type PagePlace, placeOf } from '../journeys/journey-pages.ts'
import { type CursorScope, decodeCursor, encodeCursor, filterHash } from './cursor.ts'

/** The time of a query, and the form in which the request gave it. */
export interface QueryMoment {
  /** Seconds after 1970. */
  readonly seconds: number
  readonly isArriveBy: boolean
  readonly form: 'now' | 'when' | 'arrive_by'
}

/** The content of a journey cursor. */
export interface PageOfMoment {
  readonly moment: QueryMoment
  readonly place: PagePlace
}

const FORMS = ['now', 'when', 'arrive_by'] as const
const SHAPE = Array.from({ length: 10 }, () => 'number' as const)
/** Stands for a missing key in a cursor. A page has no key if it is at the start or the end of its day. */
const NO_KEY: ListKey = { departs: 0, arrives: 0, transfers: -1, walkMeters: 0 }

/** The cursor for a page. */
export function encodePage(scope: CursorScope, { moment, place }: PageOfMoment): string {
  const { departs, arrives, transfers, walkMeters } = place.key ?? NO_KEY
  const key = [
    moment.seconds,
    FORMS.indexOf(moment.form),
    Number(moment.isArriveBy),
    Number(place.isBeyond),
    Number(place.isUntil),
    place.day,
    departs,
    arrives,
    transfers,
    walkMeters,
  ]
  return encodeCursor(scope, { key, id: checkOf(key) })
}

/**
 * The page that a cursor names. Undefined if there is no cursor; a problem if the cursor is damaged or belongs to
 * another route or other filters.
 */
export function decodePage(cursor: string | undefined, scope: CursorScope): PageOfMoment | undefined | Problem {
  const end = decodeCursor(cursor, scope, SHAPE)
  if (end === undefined || end instanceof Problem) return end
  const numbers = end.key.map(Number)
  const [seconds = 0, form = -1, isArriveBy = 0, isBeyond = 0, isUntil = 0, day = 0, ...key] = numbers
  const [departs = 0, arrives = 0, transfers = 0, walkMeters = 0] = key
  const kind = FORMS[form]
  const place = placeOf(
    { isBeyond: isBeyond === 1, isUntil: isUntil === 1, day },
    { departs, arrives, transfers, walkMeters },
  )
  const isSound = end.id === checkOf(end.key) && numbers.every(Number.isSafeInteger)
  if (!isSound || kind === undefined || place === undefined) {
    return refusedParameter(
      'cursor',
      'The parameter "cursor" is damaged; send next_cursor or previous_cursor unchanged, or omit "cursor" to get the first page.',
    )
  }
  return { moment: { seconds, isArriveBy: isArriveBy === 1, form: kind }, place }
}

function checkOf(key: readonly unknown[]): string {
  return filterHash(['journeys', ...key])
}
