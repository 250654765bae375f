// Compares pages of journeys with one long search and with the list oracle: reads the pages forward over a day, then
// back to the first page, then the pages before the first page.
import { bestOf, endText, type ReceivedJourney, toListed } from './checked-lists.ts'
import type { JourneyQuery } from './oracles/journey-ground.ts'
import { judgeList, type ListedJourney, listOrder } from './oracles/journey-list.ts'
import type { JourneyOracle, RatedJourney } from './oracles/journey-oracle.ts'

const DAY_SECONDS = 86_400
const TIGHT_SECONDS = 60

/** A page of journeys, as the API returned it. */
export interface ReceivedPage {
  readonly data: readonly ReceivedJourney[]
  readonly meta: {
    readonly reason?: string
    readonly previous_cursor: string | null
    readonly next_cursor: string | null
  }
}

/** The API that returns the pages, and the oracle against which they are checked. */
export interface PagesGround {
  readonly oracle: JourneyOracle
  /** Sends a request to the API. @param query the part of the URL after `?` */
  readonly ask: (query: string) => Promise<ReceivedPage>
  /** Requests the whole list at once, without the API's maximum for `limit`. */
  readonly askLong: (query: string) => Promise<ReceivedPage>
  readonly slug: string
}

/** The result of checking one query. */
export interface PagesVerdict {
  readonly faults: string[]
  readonly pages: number
  readonly journeys: number
}

/**
 * Checks the pages for a query. Reads up to `most` pages forward, then goes back over the same pages, then reads up to
 * `most` pages before the first page.
 */
export async function checkPages(
  ground: PagesGround,
  query: JourneyQuery,
  { limit, most }: { readonly limit: number; readonly most: number },
): Promise<PagesVerdict> {
  const faults: string[] = []
  const filters = filtersOf(ground.slug, query)
  const seconds = query.seconds
  const moment: [string, string] = [query.isArriveBy ? 'arrive_by' : 'when', timestampOf(seconds)]
  const first = await ground.ask(textOf([...filters, moment, ['limit', `${limit}`]]))
  // If there is no journey with a ride within 24 hours, the response must not lead to other pages.
  if (first.data.every((journey) => toListed(journey).isWalk) && first.meta.next_cursor === null) {
    const isBare = first.meta.previous_cursor === null
    return {
      faults: isBare ? [] : [`pages next to an empty response: ${JSON.stringify(query)}`],
      pages: 1,
      journeys: 0,
    }
  }
  const walker = new Walker(ground, [...filters, ['limit', `${limit}`]])
  const later = await walker.walk(first, 'next_cursor', most)
  const forward = [first, ...later]
  const beyond = await walker.walk(later.at(-1) ?? first, 'previous_cursor', later.length + most)
  const report = (what: string) => faults.push(`${what} (limit ${limit}) ${JSON.stringify(query)}`)

  const list = forward.flatMap(({ data }) => data)
  const ids = list.map(({ id }) => id)
  if (new Set(ids).size < ids.length) report('a journey is listed twice')
  if (later.some(({ data }) => data.some((journey) => toListed(journey).isWalk))) report('a walk on a later page')
  // No cursor may lead to an empty page, in either direction.
  if (list.length > 0 && [...later, ...beyond].some(({ data }) => data.length === 0)) report('an empty page')

  // Paging back must first return the journeys of all pages except the last, in the same order, and then the journeys
  // on the other side of the requested time.
  const side = (one: ListedJourney) => (query.isArriveBy ? one.arrives > seconds : one.departs < seconds)
  const isBeyond = ({ data: [one] }: ReceivedPage) => one !== undefined && side(toListed(one))
  const back = beyond.filter((page) => page.data.length > 0 && !isBeyond(page))
  // Journeys that are only a walk are not compared, because after paging back, the first page may no longer contain its
  // walk.
  const rides = ({ data }: ReceivedPage) => data.filter((journey) => !toListed(journey).isWalk).map(({ id }) => id)
  const returned = back.toReversed().flatMap(rides)
  const left = forward.slice(0, -1).flatMap(rides)
  if (returned.join() !== left.join()) report(`going back returns ${returned.length}, not ${left.length}`)

  const other = beyond.filter(isBeyond)
  const others = other.flatMap(({ data }) => data.toSorted(byOrder(!query.isArriveBy)))
  if (new Set(others.map(({ id }) => id)).size < others.length) report('a journey is listed twice on the other side')
  if (others.some((journey) => !side(toListed(journey)))) report('a journey is on the wrong side of the requested time')
  // Paging forward again from the farthest page on the other side must return the same journeys.
  const mostAgain = 2 * other.length + 2
  const again = other.length === 0 ? [] : await walker.walk(other.at(-1) as ReceivedPage, 'next_cursor', mostAgain)
  const onward = again
    .filter(isBeyond)
    .toReversed()
    .flatMap(({ data }) => data.toSorted(byOrder(!query.isArriveBy)).map(({ id }) => id))
  const outward = other
    .slice(0, -1)
    .flatMap(({ data }) => data.toSorted(byOrder(!query.isArriveBy)).map(({ id }) => id))
  if (onward.join() !== outward.join()) report(`going forward again returns ${onward.length}, not ${outward.length}`)

  const isDone = later.length < most || list.some((journey) => !isWithin(query, journey))
  const long = await ground.askLong(textOf([...filters, moment]))
  checkLong(query, { list, long: long.data, isDone, report })
  const isOtherDone = beyond.length < later.length + most || others.some((one) => !isWithinBeyond(query, one))
  checkOther(ground, query, { others, long: long.data, isOtherDone, report })
  return { faults, pages: forward.length + beyond.length + again.length, journeys: list.length + others.length }
}

/** Checks that the pages together contain the same journeys as one search for the whole list. */
function checkLong(
  query: JourneyQuery,
  checked: {
    readonly list: ReceivedPage['data']
    readonly long: ReceivedPage['data']
    readonly isDone: boolean
    readonly report: (what: string) => void
  },
): void {
  const { list, long, isDone, report } = checked
  const shown = new Set(list.map(({ id }) => id))
  const wanted = long.filter((journey) => !toListed(journey).isWalk || shown.has(journey.id)).map(({ id }) => id)
  const found = list.filter((journey) => isWithin(query, journey)).map(({ id }) => id)
  const expected = isDone ? wanted : wanted.slice(0, found.length)
  if (found.join() !== expected.join()) report(`pages have ${found.length}, but one long search has ${wanted.length}`)
}

/**
 * Checks the pages on the other side of the requested time. If the query has a departure time, these pages have the
 * journeys that depart before it. The pages must contain each of the best journeys on that side, unless a journey on
 * the requested side is at least as good.
 */
function checkOther(
  { oracle }: PagesGround,
  query: JourneyQuery,
  checked: {
    readonly others: ReceivedPage['data']
    readonly long: ReceivedPage['data']
    readonly isOtherDone: boolean
    readonly report: (what: string) => void
  },
): void {
  const { others, long, isOtherDone, report } = checked
  const { seconds, isArriveBy } = query
  const here = oracle.paretoSet(query)
  const day = { ...query, seconds: seconds + (isArriveBy ? DAY_SECONDS : -DAY_SECONDS) }
  const isBehind = ({ departs, arrives }: RatedJourney) => (isArriveBy ? arrives > seconds : departs < seconds)
  // Only the first page contains the journey that is only a walk. On other pages, journeys that take at least as long
  // as this walk may be missing.
  const walk = long.map(toListed).find(({ isWalk }) => isWalk)
  const mostSeconds = walk === undefined ? Number.POSITIVE_INFINITY : walk.arrives - walk.departs
  const shown = others.filter((one) => isWithinBeyond(query, one)).map(toListed)
  const isShown = (one: RatedJourney) =>
    shown.some(({ departs, arrives }) => departs === one.departs && arrives === one.arrives)
  const best = oracle
    .riddenSet(day)
    .filter((one) => isBehind(one) && !here.some((known) => beats(known, one)))
    .filter((one) => one.arrives - one.departs < mostSeconds || isShown(one))
    .map((one) => bestOf(oracle.feed, one))
  const last = shown.at(-1)
  const order = listOrder(!isArriveBy)
  const known = isOtherDone ? best : best.filter((one) => last !== undefined && order(one, last) <= 0)
  const verdict = judgeList(known, shown, {
    isArriveBy: !isArriveBy,
    limit: Number.POSITIVE_INFINITY,
    tightSeconds: TIGHT_SECONDS,
    continued: [],
  })
  for (const fault of verdict.faults) report(`other side: ${fault}`)
}

function beats(one: RatedJourney, other: RatedJourney): boolean {
  return one.departs >= other.departs && one.arrives <= other.arrives && one.vehicles <= other.vehicles
}

/**
 * Whether a journey departs less than 24 hours after the requested departure time, or arrives less than 24 hours before
 * the requested arrival time.
 */
function isWithin({ seconds, isArriveBy }: JourneyQuery, journey: ReceivedJourney): boolean {
  const { departs, arrives } = toListed(journey)
  return isArriveBy ? arrives > seconds - DAY_SECONDS : departs < seconds + DAY_SECONDS
}

function isWithinBeyond({ seconds, isArriveBy }: JourneyQuery, journey: ReceivedJourney): boolean {
  const { departs, arrives } = toListed(journey)
  return isArriveBy ? arrives <= seconds + DAY_SECONDS : departs >= seconds - DAY_SECONDS
}

function byOrder(isArriveBy: boolean): (a: ReceivedJourney, b: ReceivedJourney) => number {
  const order = listOrder(isArriveBy)
  return (a, b) => order(toListed(a), toListed(b))
}

/** Reads pages one after the other, each with the cursor from the previous page. */
class Walker {
  private readonly ground: PagesGround
  private readonly filters: readonly [string, string][]

  constructor(ground: PagesGround, filters: readonly [string, string][]) {
    this.ground = ground
    this.filters = filters
  }

  /** At most `most` pages that follow the page `from` in one direction. */
  async walk(from: ReceivedPage, way: 'next_cursor' | 'previous_cursor', most: number): Promise<ReceivedPage[]> {
    const pages: ReceivedPage[] = []
    let cursor = from.meta[way]
    while (cursor !== null && pages.length < most) {
      const page = await this.ground.ask(textOf([...this.filters, ['cursor', cursor]]))
      pages.push(page)
      cursor = page.meta[way]
    }
    return pages
  }
}

function filtersOf(slug: string, { from, to, maxWalkMeters, modes, isArriveBy: _ }: JourneyQuery): [string, string][] {
  return [
    ['from', endText(slug, from)],
    ['to', endText(slug, to)],
    ['max_walk', `${maxWalkMeters}`],
    ['network', slug],
    ...(modes === undefined ? [] : [['modes', modes.join(',')] satisfies [string, string]]),
  ]
}

function textOf(pairs: readonly [string, string][]): string {
  return new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, value])).toString()
}

function timestampOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('.000', '')
}
