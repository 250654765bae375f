// Draws board queries that are worth testing: random stops and areas, at times with service, at night, around clock
// changes and at the edges of the calendar. The queries are drawn from the data that the text oracle reads, without
// using the loader.
import type { TextBoards } from './oracles/text-boards.ts'
import { dateOf, datesBetween, offsetMillis } from './oracles/text-dates.ts'

const DAY_SECONDS = 86_400
const HOUR_SECONDS = 3600
const MIN_HORIZON_MINUTES = 5
const MAX_HORIZON_MINUTES = 180
const NIGHT_HOURS = 4
/**
 * Maximum number of times that a query with an empty board is replaced by another random query. After that, an empty
 * board is accepted.
 */
const ROLLS = 30

/** The parameters of a request to `/stops/{id}/departures`, and the ids that the board's stops have in the feed. */
export interface BoardQuestion {
  /** The id in the path. */
  readonly id: string
  readonly stopIds: readonly string[]
  readonly whenSeconds: number
  readonly horizonMinutes: number
  /** Only departures of this line, which is given by its route id in the feed. */
  readonly lineId?: string
  /** Only departures in this direction, `0` or `1`. */
  readonly directionId?: string
}

/** An area from the service's list of stops: its public id, and the ids that its stops have in the feed. */
export interface ListedArea {
  readonly id: string
  readonly childIds: readonly string[]
}

/** A clock change: its instant, and whether an hour is skipped (spring) or repeated (autumn). */
export interface ClockChange {
  readonly seconds: number
  readonly kind: 'spring' | 'autumn'
}

/** A source of random numbers. */
export interface Dice {
  /** A random integer n with 0 ≤ n < below. */
  below(below: number): number
  pick<T>(values: readonly T[]): T | undefined
}

/** A source of random numbers that returns the same numbers for the same seed (mulberry32). */
export function diceOf(seed: number): Dice {
  let state = seed | 0
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return { below, pick: (values) => values[below(values.length)] }
}

/** Draws the queries for one feed. */
export function questionsOf(
  boards: TextBoards,
  { network, areas, dice }: { network: string; areas: readonly ListedArea[]; dice: Dice },
) {
  const stopQuestion = (stopId: string, whenSeconds: number): BoardQuestion => ({
    id: `${network}:stop:${stopId}`,
    stopIds: [stopId],
    whenSeconds,
    horizonMinutes: horizon(dice),
  })
  const areaQuestion = (area: ListedArea, whenSeconds: number): BoardQuestion => ({
    id: area.id,
    stopIds: area.childIds,
    whenSeconds,
    horizonMinutes: horizon(dice),
  })
  const filledBoardings = boards.boardings.filter(({ trip, call }) => trip.isFilled[call])
  const boardedStops = [...new Set(boards.boardings.map(({ trip, call }) => trip.stopIds[call] ?? ''))]
  const areaOf = new Map(areas.flatMap((area) => area.childIds.map((child) => [child, area] as const)))
  const daysOf = new Map<string, readonly string[]>()
  const days = boards.calendar.days(new Set(boards.boardings.map(({ trip }) => trip.serviceId)))

  /**
   * A query for a stop or its area. The query's time is that of a departure from the stop, or up to two hours earlier.
   */
  const atService = (boardings = boards.boardings): BoardQuestion | undefined => {
    const boarding = dice.pick(boardings)
    if (boarding === undefined) return undefined
    const { trip, call } = boarding
    const served = daysOf.get(trip.serviceId) ?? boards.calendar.days(new Set([trip.serviceId]))
    daysOf.set(trip.serviceId, served)
    const date = dice.pick(served)
    if (date === undefined) return undefined
    const start = trip.hasFrequencies ? (dice.pick(trip.starts) ?? 0) - (trip.departures[0] ?? 0) : 0
    const departs = boards.zeroOf(date) + (trip.departures[call] ?? 0) + start
    const when = departs - dice.below(3) * dice.below(HOUR_SECONDS)
    const stop = trip.stopIds[call] ?? ''
    const area = areaOf.get(stop)
    return area !== undefined && dice.below(3) === 0 ? areaQuestion(area, when) : stopQuestion(stop, when)
  }
  /** Like `atService`, but for one line only: usually a line that calls at the stop, sometimes another line. */
  const ofLine = (): BoardQuestion | undefined => {
    const question = atService()
    const lineId = lineAt(question)
    return question === undefined || lineId === undefined ? question : { ...question, lineId }
  }
  /** Like `ofLine`. If the feed gives the direction of every trip on the line, the query is for one direction only. */
  const ofDirection = (): BoardQuestion | undefined => {
    const question = ofLine()
    const isDirected = question?.lineId !== undefined && boards.directedLines.has(question.lineId)
    return question === undefined || !isDirected ? question : { ...question, directionId: String(dice.below(2)) }
  }
  const lineAt = (question: BoardQuestion | undefined): string | undefined => {
    if (dice.below(5) === 0) return dice.pick(boards.boardings)?.trip.route.id
    const calling = boards.boardings.filter(({ trip, call }) => question?.stopIds.includes(trip.stopIds[call] ?? ''))
    return dice.pick(calling)?.trip.route.id
  }
  const anywhere = (stops: readonly string[], whenSeconds: number): BoardQuestion | undefined => {
    const area = dice.pick(areas)
    if (area !== undefined && dice.below(2) === 0) return areaQuestion(area, whenSeconds)
    const stop = dice.pick(stops)
    return stop === undefined ? undefined : stopQuestion(stop, whenSeconds)
  }
  const isEmpty = ({ stopIds, whenSeconds, horizonMinutes }: BoardQuestion) =>
    boards.board({ stopIds, fromSeconds: whenSeconds, toSeconds: whenSeconds + horizonMinutes * 60, limit: 1 })
      .length === 0
  /**
   * Draws a query. While its board is empty, draws another, up to ROLLS times. After that, accepts an empty board,
   * because some tested boards should be empty.
   */
  const rather = (roll: () => BoardQuestion | undefined): BoardQuestion | undefined => {
    let question = roll()
    for (let i = 0; i < ROLLS && question !== undefined && isEmpty(question); i++) question = roll()
    return question
  }
  const dayZero = () => boards.zeroOf(dice.pick(days) ?? dateOf(0))
  return {
    /**
     * The query with this index. Most queries are at times with service. Some are at night, at calls without times in
     * the feed, for one line or direction only, or at a random stop and time.
     */
    ordinary(index: number): BoardQuestion | undefined {
      const kind = index % 10
      const whenAtNight = () => dayZero() + dice.below(NIGHT_HOURS * HOUR_SECONDS)
      const anyQuestion = () => anywhere(boards.stopIds, dayZero() + dice.below(3 * DAY_SECONDS) - DAY_SECONDS)
      if (boardedStops.length === 0 || kind === 2) return anyQuestion()
      if (kind === 0) return rather(() => anywhere(boardedStops, whenAtNight()))
      if (kind === 1) return rather(() => anywhere(boardedStops, dayZero() + dice.below(DAY_SECONDS)))
      if (kind === 3 && filledBoardings.length > 0) return atService(filledBoardings) ?? anyQuestion()
      if (kind === 4) return ofLine() ?? anyQuestion()
      if (kind === 5) return ofDirection() ?? anyQuestion()
      return atService() ?? anyQuestion()
    },
    /** A query at most an hour before or after a clock change. */
    atChange({ seconds }: ClockChange): BoardQuestion | undefined {
      return rather(() => anywhere(boardedStops, seconds + dice.below(2 * HOUR_SECONDS) - HOUR_SECONDS))
    },
  }
}

function horizon(dice: Dice): number {
  return MIN_HORIZON_MINUTES + dice.below(MAX_HORIZON_MINUTES - MIN_HORIZON_MINUTES + 1)
}

/** The clock changes in a feed's time zone, on days with service. */
export function listClockChanges(boards: TextBoards): ClockChange[] {
  const { firstDate, lastDate, zone, calendar } = boards
  if (firstDate === undefined || lastDate === undefined) return []
  const served = new Set(calendar.days(new Set(boards.boardings.map(({ trip }) => trip.serviceId))))
  return listZoneChanges(zone, firstDate, lastDate).filter(({ seconds }) => {
    const date = dateOf(seconds + offsetMillis(zone, seconds * 1000) / 1000)
    return served.has(date)
  })
}

/** The clock changes in a time zone from the first to the last date. */
export function listZoneChanges(zone: string, firstDate: string, lastDate: string): ClockChange[] {
  const offsetAt = (seconds: number) => offsetMillis(zone, seconds * 1000)
  const changes: ClockChange[] = []
  for (const date of datesBetween(firstDate, lastDate)) {
    let before = Date.UTC(Number(date.slice(0, 4)), Number(date.slice(4, 6)) - 1, Number(date.slice(6, 8))) / 1000
    let after = before + DAY_SECONDS
    const [old, changed] = [offsetAt(before), offsetAt(after)]
    if (old === changed) continue
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2)
      if (offsetAt(middle) === old) before = middle
      else after = middle
    }
    changes.push({ seconds: after, kind: changed > old ? 'spring' : 'autumn' })
  }
  return changes
}
